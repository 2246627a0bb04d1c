#!/usr/bin/env bash
# Sets up, builds, and compiles a shipped kernel to PTX with a report.
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake --preset release --log-level=WARNING
cmake --build --preset release --target poly-compile poly-opt

kernel=kernels/activations/silu.mlir
out=build/release/demo
mkdir -p "$out"
set -x
build/release/bin/poly-compile "$kernel" -o "$out/silu.ptx" --chip=sm_90 --report="$out/silu.json" "$@"
{ set +x; } 2>/dev/null
echo "--- PTX of silu_bf16, the vector part ($out/silu.ptx)"
grep -m1 -n -A40 'ld.global.v4' "$out/silu.ptx" | sed -n '1,/st.global/p'
echo "--- report ($out/silu.json)"
cat "$out/silu.json"
