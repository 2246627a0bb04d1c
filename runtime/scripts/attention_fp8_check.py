#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times compiled attention kernels of e4m3 beside PyTorch's on a Hopper GPU.

usage: attention_fp8_check.py FOLDER [--out=result.json] [--only=REGEX] [--no-time]
                              [--seconds=240] [--shapes=4096,8192,16384] [--quick]

FOLDER holds what poly-compile wrote, a .json per kernel with its image beside it:
kernels of the family attention of type e4m3, one of attention-values per head
dimension, and, if wanted, others of bf16, which are timed beside them. Kernels with
other operands, and sigmoids, are left out.

Every kernel is compared with float64 on one small shape, odd lengths and rows without
keys among it; `poly-bench attention --dtype=fp8` makes the thorough checks, of the
weights themselves as well, and measures energy. Kernels that pass are timed, hot, in
rounds of random order, beside PyTorch's cuDNN attention in bf16.

`--quick` leaves the times out, which is what compute-sanitizer has time for:

  compute-sanitizer --tool racecheck python3 attention_fp8_check.py FOLDER --quick --child=[]

Needs PyTorch and the CUDA driver.
"""

import sys
import time

import attention_fp8_operands as operands
from kernel_check import (
    Driver, block_time, hot_rounds, hot_row, kernel_files, parser_for,
    run_supervised, stem,
)

HEADS = 16  # Of the shapes that are timed.
# Relative errors of the whole output. Rounding weights to e4m3 alone gives 2.5e-2.
LIMITS = {"native": 3.2e-2, "lattice3": 4.3e-2, "h15": 1.5e-1}


def is_known(kernel):
    """Whether this script has operands for the kernel."""
    return (
        kernel.kind in ("e4m3", "bf16")
        and kernel.info.get("keyValueType", kernel.kind) == kernel.kind
        and kernel.score in ("softmax", "softcap")
    )


def program_kind(kernel):
    """How the kernel makes weights, as a key of LIMITS."""
    for program in kernel.programs:
        for kind in ("lattice3", "h15"):
            if kind in program:
                return kind
    return "native"


def check_small(kernel, values):
    """The row and the problems of one small shape."""
    import torch

    case = operands.Case(kernel, (1, 2, 1, 200, 147, 1.0), seed=1)
    case.launcher(kernel, values)()
    torch.cuda.synchronize()
    error = operands.relative(case.output, case.reference()[0])
    problems = [] if error <= 2 * LIMITS[program_kind(kernel)] else ["is wrong"]
    return {"error": error}, problems


def cudnn(case):
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    q, k, v = (t.to(torch.bfloat16) for t in (case.q, case.k, case.v))

    def run():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            torch.nn.functional.scaled_dot_product_attention(
                q, k, v, is_causal=case.causal
            )

    return run


def time_shape(kernels, values, length, causal, options):
    import torch

    shape = (1, HEADS, HEADS, length, length, 1.0)
    runs, cases = {}, {}
    for kernel in kernels:
        if kernel.causal != causal or kernel.dim != 128:
            continue
        if kernel.info["logSumExp"]:  # Not what the others do.
            continue
        if kernel.kind not in cases:
            cases[kernel.kind] = operands.Case(kernel, shape, seed=1, plain=True)
        runs[kernel.name] = cases[kernel.kind].launcher(kernel, values, prepare=True)
    if not runs:
        return []
    runs["cudnn-bf16"] = cudnn(cases["e4m3"])
    estimate, errors = {}, {}
    truths = {kind: case.reference()[0] for kind, case in cases.items()}
    kinds = {kernel.name: kernel.kind for kernel in kernels}
    for name, run in runs.items():
        print("START", name, flush=True)
        kind = kinds.get(name)
        if kind:
            cases[kind].output.fill_(float("nan"))
        run()
        torch.cuda.synchronize()
        if kind:
            errors[name] = operands.relative(cases[kind].output, truths[kind])
        estimate[name] = max(block_time(run, 3), 1e-3)
    del truths
    hot = hot_rounds(runs, estimate, options)
    work = 4 * HEADS * length * length * 128 * (0.5 if causal else 1)
    rows = []
    for name, times in hot.items():
        if not times:
            continue
        row = {"kernel": name, "length": length, "heads": HEADS, "causal": causal}
        row.update(hot_row(times, work))
        if name in errors:
            row["error"] = errors[name]
        rows.append(row)
        print(
            f"T {length:6d} {'causal' if causal else 'full  '} {name:28s}"
            f" {row['hotUs']:9.1f} us {row['hotTflops']:7.1f} TFLOP/s"
            + (f" error {errors[name]:.2e}" if name in errors else ""),
            flush=True,
        )
    return rows


def child(options):
    import json

    import torch

    torch.zeros(1, device="cuda")  # Makes the context that the driver uses.
    driver = Driver()
    skip = json.loads(options.child)
    paths = kernel_files(options.folder, "attention", options.only)
    kernels = [operands.Kernel(driver, p) for p in paths if stem(p) not in skip]
    kernels = [kernel for kernel in kernels if is_known(kernel)]
    values = {
        kernel.dim: kernel
        for kernel in (
            operands.ValuesKernel(driver, p)
            for p in kernel_files(options.folder, "attention-values")
        )
    }
    good = []
    for kernel in kernels:
        if kernel.kind != "e4m3":
            good.append(kernel)
            continue
        print("START", kernel.name, flush=True)
        row, problems = check_small(kernel, values)
        row.update({"kernel": kernel.name, "problems": problems,
                    "programs": kernel.programs})
        print(
            f"{'BAD' if problems else 'ok '} {kernel.name:28s} error {row['error']:.2e}"
            f" {'; '.join(problems)[:300]}",
            flush=True,
        )
        print("ROWS checks", json.dumps([row]), flush=True)
        if not problems:
            good.append(kernel)
    if not options.no_time and not options.quick:
        for length in (int(x) for x in options.shapes.split(",")):
            for causal in (False, True):
                if time.time() < options.deadline:
                    rows = time_shape(good, values, length, causal, options)
                    print("ROWS times", json.dumps(rows), flush=True)
    print("DONE", flush=True)


def main():
    parser = parser_for(__doc__.split("\n")[0], 240)
    parser.add_argument("--shapes", default="4096,8192,16384")
    options = parser.parse_args()
    if options.child is not None:
        child(options)
        return
    run_supervised(options, ["--shapes=" + options.shapes])


if __name__ == "__main__":
    sys.exit(main())
