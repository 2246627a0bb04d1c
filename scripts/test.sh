#!/usr/bin/env bash
# Sets up, builds and runs all tests. Ends with ctest's summary.
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "$0")/.."

# ptxas and the disassembler make more tests run, but are not required.
scripts/setup.sh --with-cuda-tools || scripts/setup.sh
cmake --preset ci
cmake --build --preset ci
ctest --preset ci "$@"
