#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times compiled gated GEMM kernels on a Hopper GPU.

usage: swiglu_gemm_check.py FOLDER [--out=result.json] [--only=REGEX] [--no-time]
                            [--seconds=150] [--shapes=large,wide,...]
                            [--rounds=7] [--quick]

FOLDER holds what poly-compile wrote for `poly-kernel swiglu-gemm`. Each kernel is
first compared with float64 on fresh random inputs: rows, columns and depths that
fill no tile, outputs that were NaN before, rows behind the last one that must stay
so, more tiles than multiprocessors, and reruns that must agree in every bit. The
error is quoted against that of a computation whose only errors are the roundings
that the kernel has to do. That this instrument can see a bad activation is shown by
coarsening the sigmoid to 256, 64, 16 and 4 levels.

Only kernels that pass are timed: cold (25 launches after a pause) and hot (rounds in
random order at the power limit), beside PyTorch's GEMM alone and with a compiled
activation.

Needs PyTorch and the CUDA driver.
"""

import ctypes
import json
import math
import os
import sys
import time

import kernel_check
from kernel_check import block_time, hot_rounds, hot_row, median, stem

FAMILY = "swiglu-gemm"
# Rows, depth, columns of gate and of up.
CHECKS = [
    (128, 64, 128),
    (1, 8, 8),
    (77, 200, 136),
    (129, 584, 520),
    (333, 1000, 1288),
    (1000, 2048, 712),
    (4136, 1024, 2560),
]
# For compute-sanitizer: few tiles, and a few more than multiprocessors.
QUICK_CHECKS = [(129, 584, 520), (300, 640, 6000)]
SHAPES = {
    "large": (24576, 2048, 1280),
    "rows1024": (1024, 5120, 17408),
    "rows256": (256, 5120, 17408),
    "wide": (8192, 5120, 17408),
}
LEVELS = (256, 64, 16, 4)
# How much more than the unavoidable error a kernel may have whose activation is
# computed in f32; what a cheaper program costs is a result and not a failure.
MARGIN = 1.05
PROGRAM_LIMIT = 0.3
PADDING = 40
BETA = 1.25


class Kernel:
    def __init__(self, driver, path):
        self.driver = driver
        self.name = stem(path)
        with open(path) as file:
            self.meta = json.load(file)
        kernel = next(
            k for k in self.meta["kernels"] if k["info"].get("family") == FAMILY
        )
        self.info = kernel["info"]
        self.threads = kernel["blockSize"][0]
        self.shared = self.info["dynamicSharedBytes"]
        image = os.path.join(os.path.dirname(path), self.meta["image"])
        self.function = driver.load(image, kernel["name"], self.shared)
        self.kind = self.info["type"]
        self.activation = self.info["activation"]

    def is_f32_grade(self):
        applied = [s for s in self.meta["sites"] if s["decision"] == "applied"]
        good = all("sfu-f32" in s["program"] for s in applied)
        return good and not self.info["roundActivation"]

    def launcher(self, x, w, y, rows):
        """Y = act(X Wg^T) (X Wu^T); w is [2, columns, depth], y may have more rows."""
        import torch

        depth, columns = x.shape[1], w.shape[1]
        for name, value in (("columns", columns), ("depth", depth)):
            if value % self.info["multiples"][name]:
                raise ValueError(f"{name} must be a multiple of 8, not {value}")
        if w.shape != (2, columns, depth) or y.shape[1] != columns:
            raise ValueError("the shapes of X, W and Y do not belong together")
        arrays = {"input": x, "weight": w, "output": y}
        values = {
            "rows": ctypes.c_int32(rows),
            "columns": ctypes.c_int32(columns),
            "depth": ctypes.c_int32(depth),
            "beta": ctypes.c_float(BETA),
        }
        keep = []
        for spec in self.info["tensorMaps"]:
            sizes = [rows, columns] if spec["name"] == "output" else None
            storage, address = self.driver.tensor_map(
                arrays[spec["name"]], self.kind, spec, sizes
            )
            keep.append(storage)
            values[self.info["arguments"][spec["argument"]]] = address
        cluster = self.info["clusterSize"]
        units = -(-rows // (self.info["tileRows"] * cluster))
        tiles = units * -(-columns // self.info["tileColumns"]) * cluster
        processors = torch.cuda.get_device_properties(0).multi_processor_count
        grid = processors // cluster * cluster
        if bytes_per_block := self.info.get("partialBytesPerBlock"):
            sums = torch.full((grid * bytes_per_block // 4,), math.nan, device="cuda")
            arrivals = torch.zeros(grid, dtype=torch.int32, device="cuda")
            keep += [sums, arrivals]
            values["partialSums"] = ctypes.c_void_p(sums.data_ptr())
            values["arrivals"] = ctypes.c_void_p(arrivals.data_ptr())
        else:
            grid = min(tiles, grid)
        launch = self.driver.launcher(
            self.function, grid, self.threads, self.shared,
            [values[n] for n in self.info["arguments"]],
        )
        launch.arrays = (x, w, y, keep)
        return launch


def sigmoid(x, levels=None):
    import torch

    s = torch.sigmoid(x)
    return s if levels is None else (s * (levels - 1)).round() / (levels - 1)


def gated(kernel, g, u, levels=None):
    import torch

    name = kernel.activation
    if name == "clamped":
        g, u = g.clamp(max=7.0), u.clamp(-7.0, 7.0) + 1
        return g * sigmoid(1.702 * g, levels) * u
    activations = {
        "identity": lambda: g,
        "sigmoid": lambda: sigmoid(g, levels),
        "silu": lambda: g * sigmoid(g, levels),
        "swish": lambda: g * sigmoid(kernel.info.get("beta", BETA) * g, levels),
        "gelu-erf": lambda: torch.nn.functional.gelu(g),
        "gelu-tanh": lambda: torch.nn.functional.gelu(g, approximate="tanh"),
    }
    return activations[name]() * u


def relative(a, truth):
    return ((a.double() - truth).norm() / truth.norm()).item()


def check_shape(kernel, shape, spread, reruns):
    """(error / unavoidable error, problems, what coarse sigmoids give)."""
    import torch

    dtype = {"bf16": torch.bfloat16, "f16": torch.float16}[kernel.kind]
    rows, depth, columns = shape
    x = torch.randn(rows, depth, device="cuda").to(dtype)
    w = torch.randn(2, columns, depth, device="cuda") * (spread / math.sqrt(depth))
    w = w.to(dtype)
    y = torch.full((rows + PADDING, columns), math.nan, device="cuda", dtype=dtype)
    launch = kernel.launcher(x, w, y, rows)
    launch()
    torch.cuda.synchronize()
    first = y.clone()
    problems = []
    if not bool(first[rows:].isnan().all()):
        problems.append(f"{shape} wrote behind the last row")
    nans = int(first[:rows].isnan().sum())
    if nans:
        problems.append(f"{shape} left {nans} NaNs")
    for _ in range(reruns):
        y.fill_(math.nan)
        launch()
        torch.cuda.synchronize()
        if not torch.equal(y[:rows], first[:rows]):
            problems.append(f"{shape} differs between runs")
            break
    g, u = x.double() @ w[0].double().T, x.double() @ w[1].double().T
    truth = gated(kernel, g, u)
    if kernel.info["roundInputs"]:
        g, u = g.to(dtype).double(), u.to(dtype).double()
    least = relative(gated(kernel, g, u).to(dtype), truth)
    coarse = [
        relative(gated(kernel, g, u, n).to(dtype), truth) / least for n in LEVELS
    ]
    error = relative(first[:rows], truth)
    return error, error / least, problems, coarse


def check(kernel, quick):
    worst, ratio, problems, coarse = 0.0, 0.0, [], None
    checks = QUICK_CHECKS if quick else CHECKS
    for index, shape in enumerate(checks):
        for spread in (1.5, 8.0):
            is_last = index == len(checks) - 1 and spread == 1.5
            reruns = 20 if is_last and not quick else 2
            error, own, bad, levels = check_shape(kernel, shape, spread, reruns)
            problems += bad
            # A few elements say little about a mean error.
            is_large = shape[0] * shape[2] > 10000
            limit = error * MARGIN / own if kernel.is_f32_grade() else PROGRAM_LIMIT
            if is_large and not error <= limit:
                problems.append(
                    f"{shape} spread {spread:g}: error {error:.2e}, {own:.3f} times "
                    "the unavoidable one"
                )
            elif not error < PROGRAM_LIMIT:
                problems.append(f"{shape} spread {spread:g}: error {error:.2e}")
            if is_large:
                worst = max(worst, error if error == error else math.inf)
                ratio = max(ratio, own if own == own else math.inf)
            if is_large and spread == 1.5:
                coarse = levels
    return worst, ratio, problems, coarse


def instrument(kernel, coarse):
    """What is wrong with the check's ability to see, or nothing."""
    if kernel.activation in ("identity", "gelu-erf", "gelu-tanh"):
        return []
    bad = [n for n, r in zip(LEVELS, coarse) if not r > MARGIN]
    if bad:
        return [f"a sigmoid of {bad} levels would not be seen: {coarse}"]
    return []


def peers(x, w):
    import torch
    import torch.nn.functional as functional

    both = w.view(-1, w.shape[2])

    def activate(h):
        g, u = h.chunk(2, -1)
        return functional.silu(g) * u

    runs = {"torch-gemm": lambda: functional.linear(x, both)}
    try:
        compiled = torch.compile(activate, dynamic=False)
        compiled(functional.linear(x[:128], both))
        runs["torch-gemm+act"] = lambda: compiled(functional.linear(x, both))
        runs["torch-gemm+act"]()
    except Exception as error:  # Whatever the compiler of the peer lacks.
        print(f"NOTE peers: eager activation: {str(error)[:90]}", flush=True)
        runs["torch-gemm+act"] = lambda: activate(functional.linear(x, both))
    return runs


def time_shape(name, kernels, options):
    import torch

    rows, depth, columns = SHAPES[name]
    x = torch.randn(rows, depth, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(2, columns, depth, device="cuda", dtype=torch.bfloat16)
    w *= 1.5 / math.sqrt(depth)
    y = torch.empty(rows, columns, device="cuda", dtype=torch.bfloat16)
    runs = peers(x, w)
    for kernel in kernels:
        runs[kernel.name] = kernel.launcher(x, w, y, rows)
    for run in runs.values():
        run()
    torch.cuda.synchronize()
    estimate = {n: block_time(run, 3) for n, run in runs.items()}
    cold = {}
    for n, run in runs.items():
        time.sleep(0.15)
        run()
        cold[n] = block_time(run, 25 if estimate[n] < 1 else 8)
    start = time.time()
    while time.time() - start < 0.6:
        block_time(runs["torch-gemm"], 10)
    hot = hot_rounds(runs, estimate, options)
    work = 4 * rows * depth * columns
    reported = []
    for n in sorted(runs, key=lambda n: median(hot[n] or [math.inf])):
        if not hot[n]:
            continue
        row = {
            "shape": name, "rows": rows, "depth": depth, "columns": columns,
            "kernel": n, "coldUs": cold[n] * 1e3,
            "coldTflops": work / cold[n] / 1e9, **hot_row(hot[n], work),
        }
        reported.append(row)
        print(
            f"TIME {name:9s} {n:18s} cold {row['coldUs']:8.1f} hot "
            f"{row['hotUs']:8.1f} us  {row['coldTflops']:6.1f} / "
            f"{row['hotTflops']:6.1f} TFLOP/s",
            flush=True,
        )
    print("ROWS times " + json.dumps(reported), flush=True)


def child(options, skip):
    import torch

    torch.manual_seed(options.seed)
    torch.zeros(1, device="cuda")
    driver = kernel_check.Driver()
    good = []
    for path in kernel_check.kernel_files(options.folder, FAMILY, options.only):
        if stem(path) in skip:
            continue
        print(f"START check {stem(path)}", flush=True)
        kernel = Kernel(driver, path)
        if kernel.info.get("experts"):
            print(f"NOTE {kernel.name}: grouped_gemm_check.py checks it", flush=True)
            continue
        worst, ratio, problems, coarse = check(kernel, options.quick)
        problems += instrument(kernel, coarse)
        print(
            f"CHECK {kernel.name:18s} error {worst:.2e} ({ratio:.3f} of unavoidable; "
            f"sigmoid of {LEVELS} levels {', '.join(f'{c:.2f}' for c in coarse)}) "
            f"{'ok' if not problems else 'FAILED'}",
            flush=True,
        )
        for problem in problems[:6]:
            print(f"      {problem}", flush=True)
        row = {
            "kernel": kernel.name, "error": worst, "ofUnavoidable": ratio,
            "coarse": dict(zip(LEVELS, coarse)), "problems": problems,
        }
        print("ROWS checks " + json.dumps([row]), flush=True)
        if not problems:
            good.append(kernel)
    timed = [
        k for k in good if k.kind == "bf16" and k.activation in ("silu", "identity")
    ]
    names = options.shapes.split(",") if options.shapes else list(SHAPES)
    for name in [] if options.no_time or options.quick or not timed else names:
        if time.time() > options.deadline:
            print("NOTE out of time", flush=True)
            break
        print(f"START time {name}", flush=True)
        time_shape(name, timed, options)
        torch.cuda.empty_cache()
    print("DONE", flush=True)
    os._exit(0)


def main():
    parser = kernel_check.parser_for(__doc__.split("\n")[0], seconds=150)
    parser.add_argument("--shapes", default="")
    options = parser.parse_args()
    options.seed = options.seed or time.time_ns() % 1000000
    if options.child is not None:
        child(options, json.loads(options.child))
    if not kernel_check.kernel_files(options.folder, FAMILY, options.only):
        sys.exit(f"swiglu_gemm_check.py: no {FAMILY} kernels in {options.folder}")
    unknown = set(filter(None, options.shapes.split(","))) - set(SHAPES)
    if unknown:
        sys.exit(f"swiglu_gemm_check.py: no shape {unknown.pop()}; there are "
                 + ", ".join(SHAPES))
    kernel_check.run_supervised(options, ["--shapes=" + options.shapes])


if __name__ == "__main__":
    main()
