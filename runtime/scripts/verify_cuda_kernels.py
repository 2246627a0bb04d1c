#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of kernels/cuda as clang compiled them and as poly did.

  verify_cuda_kernels.py --plain DIR --new DIR [--out FILE]

Both folders hold NAME.ptx or NAME.cubin for each NAME.cu. Needs a GPU and CuPy.
Compares either version with float64 on the host and times both; the last line
is JSON, with errors relative to max(1, |exact|).
"""

import argparse
import json
import os
import sys

import cupy as cp
import numpy as np


def load(folder, name):
    for suffix in (".cubin", ".ptx"):
        path = os.path.join(folder, name + suffix)
        if os.path.exists(path):
            return cp.RawModule(path=path)
    sys.exit(f"{folder} has neither {name}.cubin nor {name}.ptx")


def to_bf16(values):
    """f32 array to bf16 patterns, rounded to nearest even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def all_patterns(copies):
    return np.tile(np.arange(1 << 16, dtype=np.uint16), copies)


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def erf(x):
    from scipy.special import erf as function
    return function(x)


def elementwise(decode, exact, copies=64, per_thread=1):
    bits = all_patterns(copies)
    x = decode(bits).astype(np.float64)
    with np.errstate(all="ignore"):
        return {"in": bits, "exact": exact(x), "decode": decode,
                "threads": bits.size // per_thread, "block": 256}


def cases():
    """(file, kernel) -> what to run and expect."""
    half = lambda bits: bits.view(np.float16).astype(np.float32)
    random = np.random.default_rng(11)
    silu = lambda x: x * sigmoid(x)
    result = {
        ("activations", "silu_bf16"): elementwise(from_bf16, silu),
        ("activations", "silu_bf16x2"): elementwise(from_bf16, silu, per_thread=2),
        ("activations", "tanh_f16"): elementwise(half, np.tanh),
        ("gelu", "gelu_erf"): elementwise(
            from_bf16, lambda x: 0.5 * x * (1 + erf(x * np.sqrt(0.5)))),
        ("gelu", "gelu_tanh"): elementwise(
            from_bf16,
            lambda x: x * sigmoid(2 * 0.7978845608 * (x + 0.044715 * x**3))),
    }
    gate, up = all_patterns(64), to_bf16(random.standard_normal(64 << 16))
    with np.errstate(all="ignore"):
        exact = silu(from_bf16(gate).astype(np.float64)) * from_bf16(up)
    result["swiglu", "swiglu"] = {"in": gate, "in2": up, "exact": exact,
                                  "decode": from_bf16, "threads": gate.size // 2,
                                  "block": 256}
    scores = (random.standard_normal(1 << 22) * 60).astype(np.float32)
    for name, extra in (("softcap", [np.float32(50)]), ("softcap50", [])):
        result["softcap", name] = {
            "in": scores, "exact": 50 * np.tanh(scores.astype(np.float64) / 50),
            "decode": lambda x: x, "threads": scores.size, "block": 256,
            "extra": extra}
    values = (random.standard_normal(1 << 22) * 4).astype(np.float32)
    x = values.astype(np.float64)
    gelu, cubic = 0.5 * x * (1 + erf(x * np.sqrt(0.5))), x + 0.044715 * x**3
    for name, exact in {
            "gelu_erfc": gelu, "gelu_normcdf": gelu, "gelu_root": gelu,
            "gelu_powf": x * sigmoid(2 * 0.79788456 * cubic),
            "tanh_expm1": np.tanh(x), "tanh_sinh_cosh": np.tanh(x),
            "sigmoid_stable": sigmoid(x), "sigmoid_exp10": sigmoid(x)}.items():
        result["library", name] = {
            "in": values, "exact": exact, "decode": lambda x: x,
            "threads": values.size, "block": 256}
    rows, columns = 1 << 14, 256
    bits = to_bf16(random.standard_normal(rows * columns) * 4)
    x = from_bf16(bits).astype(np.float64).reshape(rows, columns)
    weights = np.exp(x - x.max(1, keepdims=True))
    result["softmax_row", "softmax_row"] = {
        "in": bits, "exact": (weights / weights.sum(1, keepdims=True)).ravel(),
        "decode": from_bf16, "threads": rows * 32, "block": 128, "count": rows}
    rows, columns = 1 << 14, 512
    scores = (random.standard_normal((rows, columns)) * 4).astype(np.float32)
    values = random.standard_normal((rows, columns)).astype(np.float32)
    weights = np.exp(scores.astype(np.float64) - scores.max(1, keepdims=True))
    result["online_softmax", "online_softmax"] = {
        "in": scores, "in2": values, "decode": lambda x: x,
        "exact": (weights * values).sum(1) / weights.sum(1), "outputs": rows,
        "threads": rows, "block": 128, "count": rows, "tail": [np.int32(columns)]}
    return result


def run(module, kernel, case):
    """Largest error relative to max(1, |exact|), wrong NaNs, microseconds."""
    function = module.get_function(kernel)
    inputs = [cp.asarray(case[key]) for key in ("in", "in2") if key in case]
    outputs = case.get("outputs", inputs[0].size)
    out = cp.full(outputs, 0xFFFF if inputs[0].dtype == np.uint16 else -1e30,
                  inputs[0].dtype)
    count = case.get("count", case["threads"])
    arguments = (*inputs, out, *case.get("extra", []), np.int32(count),
                 *case.get("tail", []))
    grid = (-(-case["threads"] // case["block"]),)
    launch = lambda: function(grid, (case["block"],), arguments)
    launch()
    with np.errstate(all="ignore"):
        got = case["decode"](cp.asnumpy(out)).astype(np.float64)
        exact = case["exact"]
        wrong = np.isnan(got) != np.isnan(exact)
        finite = np.isfinite(exact) & ~np.isnan(got) & (np.abs(exact) < 1e30)
        error = np.abs(got - exact)[finite] / np.maximum(1, np.abs(exact[finite]))
    for _ in range(3):
        launch()
    times = []
    for _ in range(20):
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        launch()
        stop.record()
        stop.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, stop) * 1e3)
    return {"max_error": float(error.max()), "wrong_nan": int(wrong.sum()),
            "us": float(np.median(times))}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plain", required=True)
    parser.add_argument("--new", required=True)
    parser.add_argument("--out")
    args = parser.parse_args()
    summary = {}
    for (file, kernel), case in cases().items():
        summary[kernel] = {label: run(load(folder, file), kernel, case)
                           for label, folder in (("plain", args.plain), ("new", args.new))}
        print(kernel, summary[kernel])
    if args.out:
        with open(args.out, "w", encoding="utf-8") as out:
            json.dump(summary, out, indent=1)
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
