#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Triton kernels with code that poly-compile rewrote.

Triton can take a stage of its compilation from a file instead. On a machine
with a GPU, PyTorch and Triton:

  triton_override.py dump --out DIR

compiles the kernels below and leaves their LLVM IR as DIR/NAME.llir. Where poly
is built (no GPU needed):

  poly-compile DIR/NAME.llir --chip=sm_90a --policy=opt-in --budget=... \
      -o NEW/NAME.llir        (or NEW/NAME.ptx)

And on the first machine again, with the new files:

  triton_override.py compare --new NEW --out DIR

checks results against float64 and times both versions. The last line is JSON.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

NAMES = ["swiglu_kernel", "softcap_attention_kernel"]


def kernels():
    """The kernels; imported late, because dumping is switched on by the
    environment."""
    import triton
    import triton.language as tl
    from triton.language.extra import libdevice

    @triton.jit
    def swiglu_kernel(gate, up, out, count, BLOCK: tl.constexpr):
        """out = silu(gate) * up, bf16, rounded once."""
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < count
        g = tl.load(gate + at, mask=inside).to(tl.float32)
        u = tl.load(up + at, mask=inside).to(tl.float32)
        tl.store(out + at, (g * tl.sigmoid(g) * u).to(tl.bfloat16), mask=inside)

    @triton.jit
    def softcap_attention_kernel(
        query, key, value, out, scale, cap, length,
        DIM: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    ):
        """One head a program on axis 1: softmax(cap tanh(QK' scale / cap)) V."""
        head = tl.program_id(1) * length * DIM
        rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
        columns = tl.arange(0, COLUMNS)
        dims = tl.arange(0, DIM)
        q = tl.load(query + head + rows[:, None] * DIM + dims[None, :])
        largest = tl.full([ROWS], float("-inf"), tl.float32)
        total = tl.zeros([ROWS], tl.float32)
        sums = tl.zeros([ROWS, DIM], tl.float32)
        for start in range(0, length, COLUMNS):
            at = start + columns
            k = tl.load(key + head + at[None, :] * DIM + dims[:, None])
            scores = tl.dot(q, k) * scale
            scores = cap * libdevice.tanh(scores / cap)
            larger = tl.maximum(largest, tl.max(scores, 1))
            weights = tl.exp2((scores - larger[:, None]) * 1.4426950408889634)
            correction = tl.exp2((largest - larger) * 1.4426950408889634)
            total = total * correction + tl.sum(weights, 1)
            v = tl.load(value + head + at[:, None] * DIM + dims[None, :])
            sums = sums * correction[:, None] + tl.dot(weights.to(tl.bfloat16), v)
            largest = larger
        tl.store(
            out + head + rows[:, None] * DIM + dims[None, :],
            (sums / total[:, None]).to(tl.bfloat16),
        )

    return swiglu_kernel, softcap_attention_kernel


def run_kernels():
    """Runs both kernels; returns errors and times."""
    import torch
    import triton

    swiglu_kernel, softcap_attention_kernel = kernels()
    torch.manual_seed(7)
    result = {}

    count = 24576 * 1280
    gate = torch.randn(count, device="cuda", dtype=torch.bfloat16) * 3
    up = torch.randn_like(gate)
    out = torch.full_like(gate, float("nan"))
    run = lambda: swiglu_kernel[(triton.cdiv(count, 1024),)](
        gate, up, out, count, BLOCK=1024, num_warps=4)
    run()
    g = gate.double()
    exact = g * torch.sigmoid(g) * up.double()
    result["swiglu_kernel"] = {
        "error": errors(out, exact),
        "ms": triton.testing.do_bench(run, warmup=50, rep=200, return_mode="median"),
    }

    heads, length, dim, cap = 16, 4096, 128, 50.0
    shape = (heads, length, dim)
    query, key, value = (
        torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    query *= 8  # Scores that reach into the bend of the cap.
    out = torch.full_like(query, float("nan"))
    run = lambda: softcap_attention_kernel[(length // 128, heads)](
        query, key, value, out, dim**-0.5, cap, length,
        DIM=dim, ROWS=128, COLUMNS=64, num_warps=8, num_stages=2)
    run()
    exact = torch.empty(shape, device="cuda", dtype=torch.float64)
    for head in range(heads):
        scores = query[head].double() @ key[head].double().T * dim**-0.5
        exact[head] = torch.softmax(cap * torch.tanh(scores / cap), -1) @ value[head].double()
    result["softcap_attention_kernel"] = {
        "error": errors(out, exact),
        "ms": triton.testing.do_bench(run, warmup=50, rep=200, return_mode="median"),
    }
    return result


def errors(out, exact):
    difference = (out.double() - exact).abs()
    return {
        "max_abs": difference.max().item(),
        "relative_norm": (difference.norm() / exact.norm()).item(),
        "nan": int(out.isnan().sum().item()),
    }


def child(environment):
    """run_kernels() in a process with its own compilation."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, os.path.abspath(__file__), "run"],
            env={**os.environ, "TRITON_CACHE_DIR": cache, "TRITON_ALWAYS_COMPILE": "1",
                 **environment},
            capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    for line in done.stderr.splitlines():
        if "Overriding kernel" in line:
            print(line)
    print(done.stdout.rsplit("\n", 2)[0] if "\n" in done.stdout.strip() else "", end="")
    return json.loads(done.stdout.strip().splitlines()[-1])


def dump(folder):
    """Returns the compilations' results and the folder of each kernel."""
    result = child({"TRITON_KERNEL_DUMP": "1", "TRITON_DUMP_DIR": folder})
    where = {}
    for path in pathlib.Path(folder).glob("*/*.llir"):
        where[path.stem] = path.parent
    return result, where


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["dump", "compare", "run"])
    parser.add_argument("--out", default=".", help="folder for results")
    parser.add_argument("--new", help="folder with NAME.llir or NAME.ptx")
    args = parser.parse_args()
    if args.command == "run":
        print(json.dumps(run_kernels()))
        return
    os.makedirs(args.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        before, where = dump(folder)
        missing = [name for name in NAMES if name not in where]
        if missing:
            sys.exit(f"Triton dumped no LLVM IR for {', '.join(missing)}")
        if args.command == "dump":
            for name in NAMES:
                shutil.copy(where[name] / f"{name}.llir", args.out)
                shutil.copy(where[name] / f"{name}.ptx", args.out)
            print(json.dumps({"source": before}))
            return
        with tempfile.TemporaryDirectory() as override:
            used = []
            for name in NAMES:
                for stage in ("llir", "ptx"):
                    new = pathlib.Path(args.new) / f"{name}.{stage}"
                    if new.exists():
                        target = pathlib.Path(override) / where[name].name
                        target.mkdir(exist_ok=True)
                        shutil.copy(new, target)
                        used.append(new.name)
            after = child({"TRITON_KERNEL_OVERRIDE": "1", "TRITON_OVERRIDE_DIR": override})
    summary = {"overridden": used, "source": before, "substituted": after,
               "speedup": {name: before[name]["ms"] / after[name]["ms"] for name in NAMES}}
    with open(os.path.join(args.out, "triton_override.json"), "w", encoding="utf-8") as file:
        json.dump(summary, file, indent=1)
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
