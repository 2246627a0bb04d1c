#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times compiled attention kernels of e4m3 on a Hopper GPU.

usage: attention_fp8_check.py FOLDER [--out=result.json] [--only=REGEX] [--no-time]
                              [--seconds=240] [--shapes=4096,8192,16384] [--quick]

FOLDER holds what poly-compile wrote, a .json per kernel with its image beside it:
kernels of the family attention of type e4m3, one of attention-values per head
dimension, and, if wanted, others of bf16, which are timed beside them.

Every kernel is compared with float64 on the numbers that its operands stand for: odd
lengths, grouped heads, factors per head, rows without keys, wide scores, outputs that
were NaN before, reruns that must agree in every bit, and NaN operands. The weights
themselves are read back through values that are one for a single key: their octaves,
the sums of rows, and that the greatest score has the greatest weight. A sum over 16,384
values with mean 1 shows a bias of the accumulation. Only kernels that pass are timed,
hot, in rounds of random order, beside PyTorch's cuDNN attention in bf16; then the
energy of a launch is measured.

`--quick` compares one small shape only, which is what compute-sanitizer has time for:

  compute-sanitizer --tool racecheck python3 attention_fp8_check.py FOLDER --quick --child=[]

Needs PyTorch and the CUDA driver.
"""

import ctypes
import math
import sys
import time

import attention_fp8_operands as operands
from kernel_check import (
    Driver, block_time, hot_rounds, hot_row, kernel_files, parser_for,
    run_supervised, stem,
)

# Batches, query heads, key heads, queries, keys, spread of the queries.
CHECKS = [
    (2, 4, 2, 512, 512, 1.0),
    (1, 2, 1, 1008, 1008, 1.0),
    (3, 3, 3, 77, 77, 1.0),
    (2, 8, 2, 333, 517, 3.0),
    (1, 2, 2, 517, 333, 1.0),
    (1, 2, 2, 1, 129, 1.0),
    (1, 2, 1, 130, 1, 1.0),
    (1, 40, 40, 640, 640, 1.0),
    (1, 2, 2, 2048, 2048, 6.0),
]
LONG = (1, 2, 2, 16384, 16384)
HEADS = 16  # Of the shapes that are timed.
# Relative errors of the whole output. Rounding weights to e4m3 alone gives 2.5e-2.
LIMITS = {"native": 3.2e-2, "lattice3": 4.3e-2, "h15": 1.5e-1}
RUNNING_SUM_LIMIT = 2.0  # Times the limit; its bias is stated, not hidden.
# Octaves between the least and the greatest ratio of a weight to the true one.
ENVELOPES = {"native": 0.20, "lattice3": 0.24, "h15": 0.80}
LONG_BIAS = 3e-3


def program_kind(kernel):
    """How the kernel makes weights, as a key of LIMITS."""
    for program in kernel.programs:
        for kind in ("lattice3", "h15"):
            if kind in program:
                return kind
    return "native"


def check_kernel(kernel, values):
    """Rows of what was found for one kernel."""
    import torch

    problems, worst = [], 0.0
    kind = program_kind(kernel)
    limit = LIMITS[kind] * (RUNNING_SUM_LIMIT if kernel.info["runningSum"] else 1)
    for index, shape in enumerate(CHECKS):
        case = operands.Case(kernel, shape, seed=index)
        launch = case.launcher(kernel, values)
        launch()
        torch.cuda.synchronize()
        first = case.output.clone()
        truth, true_lse = case.reference()
        error = operands.relative(first, truth)
        worst = max(worst, error if error == error else math.inf)
        if not error <= limit:
            problems.append(f"{shape}: error {error:.2e}")
        empty = ~true_lse.isfinite()
        if bool((first[empty] != 0).any()):
            problems.append(f"{shape}: rows without keys are not zero")
        if case.lse is not None:
            same = bool((case.lse.isfinite() == ~empty).all())
            gap = (case.lse.double() - true_lse)[~empty].abs().max().item()
            if not same or not gap < (0.2 if kind == "h15" else 0.12):
                problems.append(f"{shape}: log-sum-exp off by {gap:.2e}")
        for _ in range(20 if index < 2 else 3):
            case.output.fill_(float("nan"))
            launch()
            torch.cuda.synchronize()
            if not torch.equal(case.output, first):
                problems.append(f"{shape} differs between runs")
                break
    row = {"error": worst}
    row["octaves"], found = read_back(kernel, values, ENVELOPES[kind])
    problems += found
    if kind != "h15":  # It gives zero for NaN, as its documentation says.
        problems += check_nan(kernel, values)
    row["longBias"], row["longError"] = long_sum(kernel, values)
    if not kernel.info["runningSum"] and not abs(row["longBias"]) <= LONG_BIAS:
        problems.append(f"long sum is off by {row['longBias']:+.2e}")
    return row, problems


def check_quickly(kernel, values):
    """The row and the problems of one small shape."""
    import torch

    case = operands.Case(kernel, (1, 2, 1, 200, 147, 1.0), seed=1)
    case.launcher(kernel, values)()
    torch.cuda.synchronize()
    error = operands.relative(case.output, case.reference()[0])
    problems = [] if error <= 2 * LIMITS[program_kind(kernel)] else ["is wrong"]
    return {"error": error, "octaves": 0.0, "longBias": 0.0}, problems


def read_back(kernel, values, envelope):
    """The weights, through values that are one for a single key."""
    import torch

    problems, octaves = [], 0.0
    for keys in (kernel.dim, 4 * kernel.dim):  # One tile of keys, and several.
        case = operands.Case(kernel, (1, 1, 1, 256, keys, 2.0), seed=keys, plain=True)
        weights = []
        for first in range(0, keys, kernel.dim):
            case.v.fill_(0)
            rows = torch.arange(kernel.dim)
            one = torch.ones((), device="cuda").to(torch.float8_e4m3fn)
            case.v.view(torch.uint8)[0, 0, first + rows, rows] = one.view(torch.uint8)
            case.launcher(kernel, values)()
            torch.cuda.synchronize()
            weights.append(case.output[0, 0].double().clone())
        found = torch.cat(weights, 1)
        true = case.weights(0, 0)
        sums = found.sum(1)
        live = true.sum(1) > 0
        if not bool(((sums[live] - 1).abs() < 2e-2).all()):
            worst = (sums[live] - 1).abs().max().item()
            problems.append(f"weights of {keys} keys sum to 1 only within {worst:.2e}")
        top = true.max(1, keepdim=True)
        at_top = found.gather(1, top.indices)
        if not bool((at_top == found.max(1, keepdim=True).values)[live].all()):
            problems.append("the greatest score has not the greatest weight")
        ratio = torch.log2(found / true)
        big = true > top.values * 2.0**-7
        low = ratio.masked_fill(~big, math.inf).min(1).values
        high = ratio.masked_fill(~big, -math.inf).max(1).values
        octaves = max(octaves, (high - low)[live].max().item())
    if not octaves <= envelope:
        problems.append(f"weights spread over {octaves:.3f} octaves")
    return octaves, problems


def check_nan(kernel, values):
    """A NaN reaches the rows that see it, and no other."""
    import torch

    case = operands.Case(kernel, (1, 2, 1, 300, 300, 1.0), seed=7)
    case.q.view(torch.uint8)[0, 1, 37, 5] = 0x7F
    case.launcher(kernel, values)()
    torch.cuda.synchronize()
    bad = case.output.isnan().any(-1)
    if int(bad.sum()) != 1 or not bool(bad[0, 1, 37]):
        return [f"a NaN in one row of Q makes {int(bad.sum())} rows NaN"]
    case = operands.Case(kernel, (1, 1, 1, 300, 300, 1.0), seed=8)
    case.k.view(torch.uint8)[0, 0, 200, 5] = 0x7F
    case.launcher(kernel, values)()
    torch.cuda.synchronize()
    bad = case.output.isnan().any(-1)[0, 0]
    expected = torch.ones(300, dtype=torch.bool, device="cuda")
    if kernel.causal:
        expected[:200] = False
    if not torch.equal(bad, expected):
        return [f"a NaN in K makes {int(bad.sum())} rows NaN"]
    return []


def long_sum(kernel, values):
    """Relative bias and error where all values have mean 1."""
    case = operands.Case(kernel, (*LONG, 1.0), seed=3, value_mean=1.0, plain=True)
    case.launcher(kernel, values)()
    truth, _ = case.reference()
    bias = ((case.output.double() - truth) / truth).mean().item()
    return bias, operands.relative(case.output, truth)


class Energy:
    """Millijoules that the GPU has used, from NVML."""

    def __init__(self):
        self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self.nvml.nvmlInit_v2()
        self.device = ctypes.c_void_p()
        self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device))

    def read(self):
        value = ctypes.c_ulonglong()
        code = self.nvml.nvmlDeviceGetTotalEnergyConsumption(
            self.device, ctypes.byref(value)
        )
        if code:
            raise RuntimeError(f"NVML: error {code}")
        return value.value

    def per_launch(self, run, seconds=1.0):
        import torch

        for _ in range(20):
            run()
        torch.cuda.synchronize()
        count, start, before = 0, time.time(), self.read()
        while time.time() - start < seconds:
            for _ in range(20):
                run()
            count += 20
            torch.cuda.synchronize()
        return (self.read() - before) / count


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
    hot = hot_rounds(runs, estimate, options.seed, options.deadline)
    work = 4 * HEADS * length * length * 128 * (0.5 if causal else 1)
    rows, meter = [], Energy()
    for name, times in hot.items():
        if not times:
            continue
        row = {"kernel": name, "length": length, "heads": HEADS, "causal": causal}
        row.update(hot_row(times, work))
        if name in errors:
            row["error"] = errors[name]
        if length == 8192 and time.time() < options.deadline:
            row["millijoules"] = meter.per_launch(runs[name])
        rows.append(row)
        print(
            f"T {length:6d} {'causal' if causal else 'full  '} {name:28s}"
            f" {row['hotUs']:9.1f} us {row['hotTflops']:7.1f} TFLOP/s"
            + (f" error {errors[name]:.2e}" if name in errors else "")
            + (f" {row['millijoules']:7.1f} mJ" if "millijoules" in row else ""),
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
        check = check_quickly if options.quick else check_kernel
        row, problems = check(kernel, values)
        row.update({"kernel": kernel.name, "problems": problems,
                    "programs": kernel.programs})
        print(
            f"{'BAD' if problems else 'ok '} {kernel.name:28s} error {row['error']:.2e}"
            f" octaves {row['octaves']:.3f} bias {row['longBias']:+.1e}"
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
