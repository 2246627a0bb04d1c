#!/usr/bin/env bash
# Sets up, builds, and compiles a shipped kernel to PTX with a report. Arguments
# go to poly-compile; without any, the polynomial programs are asked for.
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
# The folder that scripts/test.sh builds, so that it can go on from here.
cmake --preset ci --log-level=WARNING
cmake --build --preset ci --target poly-compile

kernel=kernels/activations/silu.mlir
out=build/ci/demo
mkdir -p "$out"
[ $# -gt 0 ] || set -- --budget=atol=3e-2
set -x
build/ci/bin/poly-compile "$kernel" -o "$out/silu.ptx" --chip=sm_90 --report="$out/silu.json" "$@"
{ set +x; } 2>/dev/null
echo "--- PTX of silu_bf16, the vector part ($out/silu.ptx)"
grep -m1 -n -A40 'ld.global.v4' "$out/silu.ptx" | sed -n '1,/st.global/p'
echo "--- report ($out/silu.json)"
cat "$out/silu.json"
