#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times gated GEMM kernels of routed experts on a Hopper GPU.

usage: grouped_gemm_check.py FOLDER [--out=result.json] [--only=REGEX] [--no-time]
                             [--seconds=120]

FOLDER holds what poly-compile wrote for `poly-kernel swiglu-gemm --experts=N`. Each
kernel is first compared with float64, expert by expert: without rows at all, all
rows in the first or the last expert, single rows, and uneven counts of which some
are zero; outputs were NaN before, rows outside of all experts must stay so, and
reruns must agree in every bit.

Only kernels that pass are timed, hot, in rounds of random order beside PyTorch's
grouped GEMM alone and with a compiled activation.

Needs PyTorch and the CUDA driver.
"""

import ctypes
import json
import math
import os
import random
import sys
import time

import kernel_check
import swiglu_gemm_check as gemm
from kernel_check import block_time, hot_rounds, hot_row, median, stem

ROWS, DEPTH, COLUMNS = 24576, 2048, 1280
# Rows before the first expert's and behind the last one's.
BEFORE, BEHIND = 5, 40


class Kernel(gemm.Kernel):
    def grouped_launcher(self, x, w, y, offsets, total):
        """w is [experts, 2, columns, depth]; expert i has rows offsets[i]...

        `total` is how many rows x and y have for the kernel.
        """
        import torch

        experts, _, columns, depth = w.shape
        if experts != self.info["experts"] or offsets.numel() != experts + 1:
            raise ValueError(f"{self.name} is for {self.info['experts']} experts")
        steps = offsets.diff()
        if bool((steps < 0).any()) or int(offsets[0]) < 0 or int(offsets[-1]) > total:
            raise ValueError("offsets must rise from 0 to the number of rows")
        for name, value in (("columns", columns), ("depth", depth)):
            if value % self.info["multiples"][name]:
                raise ValueError(f"{name} must be a multiple of 8, not {value}")
        values = {
            "offsets": ctypes.c_void_p(offsets.data_ptr()),
            "columns": ctypes.c_int32(columns),
            "depth": ctypes.c_int32(depth),
            "beta": ctypes.c_float(gemm.BETA),
        }
        arrays = {"input": x, "weight": w, "output": y}
        keep = []
        for spec in self.info["tensorMaps"]:
            sizes = [total, columns] if spec["name"] == "output" else None
            storage, address = self.driver.tensor_map(
                arrays[spec["name"]], self.kind, spec, sizes
            )
            keep.append(storage)
            values[self.info["arguments"][spec["argument"]]] = address
        processors = torch.cuda.get_device_properties(0).multi_processor_count
        launch = self.driver.launcher(
            self.function, processors, self.threads, self.shared,
            [values[n] for n in self.info["arguments"]],
        )
        launch.arrays = (x, w, y, offsets, keep)
        return launch


def uneven(experts, rows, seed):
    """Counts that add up to `rows`, some of them zero."""
    chance = random.Random(seed)
    weights = [chance.expovariate(1) * (chance.random() > 0.15) for _ in range(experts)]
    scale = rows / (sum(weights) or 1)
    counts = [int(w * scale) for w in weights]
    counts[chance.randrange(experts)] += rows - sum(counts)
    return counts


def check_counts(kernel, counts, depth, columns):
    import torch

    dtype = {"bf16": torch.bfloat16, "f16": torch.float16}[kernel.kind]
    offsets = [BEFORE]
    for count in counts:
        offsets.append(offsets[-1] + count)
    total = offsets[-1] + BEHIND
    x = torch.randn(total, depth, device="cuda").to(dtype)
    w = torch.randn(len(counts), 2, columns, depth, device="cuda") / math.sqrt(depth)
    w = (1.5 * w).to(dtype)
    y = torch.full((total, columns), math.nan, device="cuda", dtype=dtype)
    device_offsets = torch.tensor(offsets, device="cuda", dtype=torch.int32)
    launch = kernel.grouped_launcher(x, w, y, device_offsets, total)
    launch()
    torch.cuda.synchronize()
    first = y.clone()
    name = f"{sum(counts)} rows of {sum(c > 0 for c in counts)} experts"
    problems = []
    outside = torch.cat([first[:BEFORE], first[offsets[-1]:]])
    if not bool(outside.isnan().all()):
        problems.append(f"{name}: wrote rows of no expert")
    inside = first[BEFORE:offsets[-1]]
    if bool(inside.isnan().any()):
        problems.append(f"{name}: left {int(inside.isnan().sum())} NaNs")
    for _ in range(3):
        y.fill_(math.nan)
        launch()
        torch.cuda.synchronize()
        if not torch.equal(y[BEFORE:offsets[-1]], inside):
            problems.append(f"{name}: differs between runs")
            break
    error = squares = least = 0.0
    for expert, count in enumerate(counts):
        if not count:
            continue
        begin = offsets[expert]
        rows = x[begin:begin + count].double()
        g, u = rows @ w[expert, 0].double().T, rows @ w[expert, 1].double().T
        truth = gemm.gated(kernel, g, u)
        if kernel.info["roundInputs"]:
            g, u = g.to(dtype).double(), u.to(dtype).double()
        rounded = gemm.gated(kernel, g, u).to(dtype).double()
        error += (first[begin:begin + count].double() - truth).square().sum().item()
        least += (rounded - truth).square().sum().item()
        squares += truth.square().sum().item()
    relative = math.sqrt(error / squares) if squares else 0.0
    ratio = math.sqrt(error / least) if least else 1.0
    enough = sum(counts) * columns > 10000
    if not relative < gemm.PROGRAM_LIMIT or (
        enough and kernel.is_f32_grade() and not ratio <= gemm.MARGIN
    ):
        problems.append(f"{name}: error {relative:.2e}, {ratio:.3f} of unavoidable")
    return relative, problems


def check(kernel):
    experts = kernel.info["experts"]
    last = [0] * experts
    cases = [list(last) for _ in range(4)]
    cases[1][0] = 333
    cases[2][-1] = 129
    cases[3] = [1] * experts
    cases += [uneven(experts, 3000, 1), uneven(experts, 4096, 2)]
    worst, problems = 0.0, []
    for index, counts in enumerate(cases):
        depth, columns = ((584, 200), (1024, 328))[index % 2]
        error, bad = check_counts(kernel, counts, depth, columns)
        worst, problems = max(worst, error), problems + bad
    return worst, problems


def peers(x, w, offsets):
    import torch
    import torch.nn.functional as functional

    # [experts, depth, 2 columns], the layout that the grouped GEMM takes.
    both = w.flatten(1, 2).transpose(1, 2)
    ends = offsets[1:].contiguous()

    def activate(h):
        g, u = h.chunk(2, -1)
        return functional.silu(g) * u

    try:
        multiply = lambda: torch._grouped_mm(x, both, offs=ends)
        multiply()
        name = "torch-grouped"
    except Exception as error:  # Older releases have none.
        print(f"NOTE peers: one GEMM after the other: {str(error)[:90]}", flush=True)
        bounds = offsets.tolist()

        def multiply():
            return torch.cat([
                functional.linear(x[a:b], w[i].flatten(0, 1))
                for i, (a, b) in enumerate(zip(bounds, bounds[1:]))
            ])

        name = "torch-loop"
    runs = {name: multiply}
    try:
        compiled = torch.compile(activate, dynamic=False)
        runs[name + "+act"] = lambda: compiled(multiply())
        runs[name + "+act"]()
    except Exception as error:
        print(f"NOTE peers: eager activation: {str(error)[:90]}", flush=True)
        runs[name + "+act"] = lambda: activate(multiply())
    return runs


def time_kernels(kernels, options):
    import torch

    experts = kernels[0].info["experts"]
    counts = uneven(experts, ROWS, 3)
    offsets = torch.tensor([0] + counts, device="cuda").cumsum(0).to(torch.int32)
    x = torch.randn(ROWS, DEPTH, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(experts, 2, COLUMNS, DEPTH, device="cuda", dtype=torch.bfloat16)
    w *= 1.5 / math.sqrt(DEPTH)
    y = torch.empty(ROWS, COLUMNS, device="cuda", dtype=torch.bfloat16)
    runs = peers(x, w, offsets)
    for kernel in kernels:
        if kernel.info["experts"] == experts:
            runs[kernel.name] = kernel.grouped_launcher(x, w, y, offsets, ROWS)
    for run in runs.values():
        run()
    torch.cuda.synchronize()
    estimate = {n: block_time(run, 3) for n, run in runs.items()}
    start = time.time()
    while time.time() - start < 0.5:
        block_time(next(iter(runs.values())), 10)
    hot = hot_rounds(runs, estimate, options)
    work, rows = 4 * ROWS * DEPTH * COLUMNS, []
    for n in sorted(runs, key=lambda n: median(hot[n] or [math.inf])):
        if not hot[n]:
            continue
        rows.append({
            "kernel": n, "rows": ROWS, "depth": DEPTH, "columns": COLUMNS,
            "experts": experts, "mostRows": max(counts), **hot_row(hot[n], work),
        })
        print(
            f"TIME {n:20s} hot {rows[-1]['hotUs']:8.1f} us "
            f"{rows[-1]['hotTflops']:6.1f} TFLOP/s",
            flush=True,
        )
    print("ROWS times " + json.dumps(rows), flush=True)


def child(options, skip):
    import torch

    torch.manual_seed(options.seed)
    torch.zeros(1, device="cuda")
    driver, good = kernel_check.Driver(), []
    for path in grouped_files(options.folder, options.only):
        if stem(path) in skip:
            continue
        print(f"START check {stem(path)}", flush=True)
        kernel = Kernel(driver, path)
        worst, problems = check(kernel)
        print(
            f"CHECK {kernel.name:20s} error {worst:.2e} "
            f"{'ok' if not problems else 'FAILED'}",
            flush=True,
        )
        for problem in problems[:6]:
            print(f"      {problem}", flush=True)
        row = {"kernel": kernel.name, "error": worst, "problems": problems}
        print("ROWS checks " + json.dumps([row]), flush=True)
        if not problems and kernel.kind == "bf16" and kernel.activation == "silu":
            good.append(kernel)
    if good and not options.no_time:
        print("START time grouped", flush=True)
        time_kernels(good, options)
    print("DONE", flush=True)
    os._exit(0)


def grouped_files(folder, only):
    found = []
    for path in kernel_check.kernel_files(folder, gemm.FAMILY, only):
        with open(path) as file:
            kernels = json.load(file)["kernels"]
        if any(k["info"].get("experts") for k in kernels):
            found.append(path)
    return found


def main():
    parser = kernel_check.parser_for(__doc__.split("\n")[0], seconds=120)
    options = parser.parse_args()
    options.seed = options.seed or time.time_ns() % 1000000
    if options.child is not None:
        child(options, json.loads(options.child))
    if not grouped_files(options.folder, options.only):
        sys.exit(f"grouped_gemm_check.py: no kernels of experts in {options.folder}")
    kernel_check.run_supervised(options)


if __name__ == "__main__":
    main()
