#!/usr/bin/env bash
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs every suite on this machine's GPU:
#
#   run_benchmarks.sh POLY-BENCH KERNELS OUT [--quick]
#
# and leaves OUT/<suite>.json, .svg and .txt; beside PyTorch where it is
# installed, too (OUT/peers.json). POLY-BENCH is the program, KERNELS the folder
# of compiled suites; both can be copied from the machine that built them. Ends
# with 1 if a suite found wrong results, after running all of them.
set -uo pipefail

if [ $# -lt 3 ]; then
  echo "usage: run_benchmarks.sh POLY-BENCH KERNELS OUT [--quick]" >&2
  exit 2
fi
bench=$1 kernels=$2 out=$3
shift 3
scripts=$(dirname "$0")
mkdir -p "$out" || exit 2
status=0
for suite in pipes rates guard functions silu swiglu rope attention swiglu-gemm grouped; do
  [ -f "$kernels/$suite/suite.json" ] || { echo "$suite: not compiled, skipped"; continue; }
  echo "== $suite"
  "$bench" "$suite" --kernels="$kernels" -o "$out/$suite.json" \
    --plot="$out/$suite.svg" "$@" | tee "$out/$suite.txt" || status=1
done
if python3 -c "import torch" 2>/dev/null; then
  echo "== peers"
  python3 "$scripts/peers.py" "$kernels" -o "$out/peers.json" "$@" | tee "$out/peers.txt" || status=1
else
  echo "PyTorch is not installed: no peers"
fi
exit $status
