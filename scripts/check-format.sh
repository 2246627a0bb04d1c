#!/usr/bin/env bash
# Checks C++ and tablegen formatting; `--fix` rewrites the files instead.
# Exits with 77 (skipped) when clang-format 22 is not installed.
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "$0")/.."

tool="$(command -v clang-format-22 || true)"
if [ -z "$tool" ]; then
  echo "check-format: clang-format-22 is not installed; skipped"
  exit 77
fi
mapfile -t files < <(find include lib tools runtime kernels test \
  \( -name '*.h' -o -name '*.cpp' \) -not -path '*/Tables/*' | sort)
if [ "${1:-}" = --fix ]; then
  "$tool" -i "${files[@]}"
else
  "$tool" --dry-run -Werror "${files[@]}"
  echo "check-format: ${#files[@]} files are formatted"
fi
