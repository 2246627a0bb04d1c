#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times compiled attention kernels on a Hopper GPU.

usage: attention_check.py FOLDER [--out=result.json] [--only=REGEX] [--no-time]
                          [--seconds=280] [--shapes=A,B,C]

FOLDER holds what poly-compile wrote: a .json per kernel with its .cubin or .ptx
beside it. Each kernel is first compared with float64 on fresh random inputs: odd
lengths, different numbers of queries and keys, grouped heads, both layouts, wide
scores, outputs that were NaN before, more tiles than multiprocessors, and 20
reruns that must agree in every bit. Only kernels that pass are timed, cold (one
launch after the other, idle in between) and hot (rounds in which all peers take
turns), beside PyTorch's cuDNN and flash attention.

Needs PyTorch and the CUDA driver. The kernels run in a child process, so that a
kernel that hangs costs one variant and not the run.
"""

import argparse
import ctypes
import glob
import json
import math
import os
import re
import subprocess
import sys
import time

# Batches, query heads, key heads, queries, keys.
CHECKS = [
    (2, 4, 2, 512, 512),
    (1, 2, 1, 1000, 1000),
    (3, 3, 3, 77, 77),
    (2, 8, 2, 333, 517),
    (1, 2, 2, 517, 333),
    (1, 2, 2, 1, 129),
    (1, 2, 1, 130, 1),
    (1, 4, 2, 700, 500),
    (2, 16, 4, 2048, 2048),
    (1, 40, 40, 640, 640),
]
# The same with a name; timed with and without a mask by the kernel's kind.
SHAPES = {
    "A": (1, 32, 8, 4096, 4096),
    "B": (1, 16, 16, 8192, 8192),
    "E": (4, 32, 8, 1024, 1024),
    "F": (2, 16, 16, 2048, 2048),
    "G": (1, 16, 16, 16384, 16384),
}
ROUNDS, LAUNCHES = 6, 10
SIZES = {"bf16": 2, "f16": 2}
# cuTensorMapEncodeTiled's numbers.
TENSOR_TYPES = {"f16": 6, "bf16": 9}
SWIZZLE_128, PROMOTE_256 = 3, 3
MAX_DYNAMIC_SHARED = 8


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {text.value.decode()} ({code})")

    def load(self, image, name, shared):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        data = open(image, "rb").read() + b"\0"
        self.call("cuModuleLoadData", ctypes.byref(module), data)
        self.call(
            "cuModuleGetFunction", ctypes.byref(function), module, name.encode()
        )
        self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared)
        return function

    def tensor_map(self, tensor, kind, box):
        """A map of a [batch, heads, length, dim] view with any strides."""
        storage = (ctypes.c_uint8 * 256)()
        address = (ctypes.addressof(storage) + 63) // 64 * 64
        sizes = (ctypes.c_uint64 * 4)(*reversed(tensor.shape))
        bytes_of = tensor.element_size()
        strides = [s * bytes_of for s in reversed(tensor.stride())]
        if strides[0] != bytes_of:
            raise ValueError("elements of a head must be contiguous")
        if any(s % 16 for s in strides[1:]) or tensor.data_ptr() % 16:
            raise ValueError("pointer and strides must be multiples of 16 bytes")
        self.call(
            "cuTensorMapEncodeTiled",
            ctypes.c_void_p(address),
            TENSOR_TYPES[kind],
            4,
            ctypes.c_void_p(tensor.data_ptr()),
            sizes,
            (ctypes.c_uint64 * 3)(*strides[1:]),
            (ctypes.c_uint32 * 4)(*box),
            (ctypes.c_uint32 * 4)(1, 1, 1, 1),
            0,
            SWIZZLE_128,
            PROMOTE_256,
            0,
        )
        return storage, address


class Kernel:
    def __init__(self, driver, path):
        self.driver = driver
        self.name = os.path.splitext(os.path.basename(path))[0]
        meta = json.load(open(path))
        self.meta = meta
        kernel = next(
            k for k in meta["kernels"] if k["info"].get("family") == "attention"
        )
        self.info = kernel["info"]
        self.threads = kernel["blockSize"][0]
        self.shared = kernel.get("dynamicSharedBytes") or self.info["dynamicSharedBytes"]
        image = os.path.join(os.path.dirname(path), meta["image"])
        self.function = driver.load(image, kernel["name"], self.shared)
        self.kind = self.info["type"]
        self.causal = self.info["causal"]
        self.score = self.info["score"]
        self.dim = self.info["headDim"]

    def launcher(self, q, k, v, out, options, lse=None):
        """A function that launches, for [batch, heads, length, dim] views."""
        import torch

        batches, heads, queries, _ = q.shape
        if self.info["logSumExp"] and lse is None:
            raise ValueError("the kernel writes a log-sum-exp; pass an array")
        maps = [
            self.driver.tensor_map(t, self.kind, m["box"])
            for t, m in zip((q, k, v, out), self.info["tensorMaps"])
        ]
        values = {
            "logSumExp": ctypes.c_void_p(lse.data_ptr() if lse is not None else 0),
            "queryLength": ctypes.c_int32(queries),
            "keyLength": ctypes.c_int32(k.shape[2]),
            "batches": ctypes.c_int32(batches),
            "heads": ctypes.c_int32(heads),
            "headsPerKeyHead": ctypes.c_int32(heads // k.shape[1]),
            "causalShift": ctypes.c_int32(options.get("shift", 0)),
            "scale": ctypes.c_float(options["scale"]),
            "cap": ctypes.c_float(options["cap"]),
            "bias": ctypes.c_float(options["bias"]),
        }
        for name, (_, address) in zip(
            ("queryMap", "keyMap", "valueMap", "outputMap"), maps
        ):
            values[name] = address
        names = self.info["arguments"]
        pointers = (ctypes.c_void_p * len(names))(
            *[
                values[n] if isinstance(values[n], int) else ctypes.addressof(values[n])
                for n in names
            ]
        )
        tiles = -(-queries // self.info["queryRows"]) * batches * heads
        properties = torch.cuda.get_device_properties(0)
        grid = min(tiles, properties.multi_processor_count)

        def launch():
            stream = torch.cuda.current_stream().cuda_stream
            self.driver.call(
                "cuLaunchKernel", self.function, grid, 1, 1, self.threads, 1, 1,
                self.shared, ctypes.c_void_p(stream), pointers, None,
            )

        launch.keep = (maps, values, pointers)
        return launch


def reference(kernel, q, k, v, options):
    """Output and log-sum-exp in float64."""
    import torch

    batches, heads, queries, dim = q.shape
    keys = k.shape[2]
    group = heads // k.shape[1]
    out = torch.empty(q.shape, dtype=torch.float64, device=q.device)
    lse = torch.empty(q.shape[:3], dtype=torch.float64, device=q.device)
    dead = None
    if kernel.causal:
        rows = torch.arange(queries, device=q.device)[:, None]
        columns = torch.arange(keys, device=q.device)[None, :]
        dead = columns > rows + options["shift"]
    for b in range(batches):
        for h in range(heads):
            s = q[b, h].double() @ k[b, h // group].double().T * options["scale"]
            if kernel.score == "softcap":
                s = options["cap"] * torch.tanh(s / options["cap"])
            if kernel.score == "sigmoid":
                p = torch.sigmoid(s + options["bias"])
                if dead is not None:
                    p = p.masked_fill(dead, 0)
            else:
                if dead is not None:
                    s = s.masked_fill(dead, -math.inf)
                lse[b, h] = torch.logsumexp(s, -1)
                p = torch.softmax(s, -1).nan_to_num(0)
            out[b, h] = p @ v[b, h // group].double()
    return out, lse


def make_inputs(kernel, shape, spread, packed):
    """q, k, v and a NaN output as [batch, heads, length, dim] views."""
    import torch

    kinds = {"bf16": torch.bfloat16, "f16": torch.float16}
    batches, heads, key_heads, queries, keys = shape

    def make(heads, length):
        if packed:  # [batch, length, heads, dim] in memory
            t = torch.randn(batches, length, heads, kernel.dim, device="cuda")
            return t.to(kinds[kernel.kind]).transpose(1, 2)
        t = torch.randn(batches, heads, length, kernel.dim, device="cuda")
        return t.to(kinds[kernel.kind])

    q, k, v = make(heads, queries), make(key_heads, keys), make(key_heads, keys)
    q = (q * spread).to(q.dtype) if not packed else (
        (q.transpose(1, 2) * spread).to(q.dtype).transpose(1, 2)
    )
    out = torch.full_like(q, float("nan"))
    return q, k, v, out


def settings(kernel, shape):
    cap = kernel.info.get("cap", 30.0)
    return {
        "scale": 1 / math.sqrt(kernel.dim),
        "cap": cap,
        "bias": -math.log(shape[4]),
        "shift": shape[4] - shape[3],
    }


def check(kernel, limit):
    import torch

    worst, details = 0.0, []
    for index, shape in enumerate(CHECKS):
        for spread in (1.0, 6.0):
            q, k, v, out = make_inputs(kernel, shape, spread, index % 2 == 1)
            options = settings(kernel, shape)
            if index % 3 == 2:
                options["shift"] = 0
            lse = None
            if kernel.info["logSumExp"]:
                lse = torch.full(q.shape[:3], float("nan"), device="cuda")
            launch = kernel.launcher(q, k, v, out, options, lse)
            launch()
            torch.cuda.synchronize()
            first = out.clone()
            truth, true_lse = reference(kernel, q, k, v, options)
            error = ((out.double() - truth).norm() / truth.norm()).item()
            if lse is not None:
                finite = true_lse.isfinite()
                same = bool((lse.isfinite() == finite).all())
                gap = (lse.double() - true_lse)[finite].abs().max().item()
                if not same or not gap < 1e-3:
                    details.append(f"{shape} log-sum-exp off by {gap:.2e}")
            for _ in range(20 if spread == 1.0 else 2):
                out.fill_(float("nan"))
                launch()
                torch.cuda.synchronize()
                if not torch.equal(out, first):
                    details.append(f"{shape} differs between runs")
                    break
            nans = int(first.isnan().sum())
            if nans:
                details.append(f"{shape} spread {spread:g}: {nans} NaNs")
            if not error <= limit:
                details.append(f"{shape} spread {spread:g}: error {error:.2e}")
            worst = max(worst, error if error == error else math.inf)
    return worst, details


def flops(shape, dim, causal):
    batches, heads, _, queries, keys = shape
    return 4 * batches * heads * queries * keys * dim * (0.5 if causal else 1)


def peers(q, k, v, causal):
    """PyTorch's own kernels as {name: function}."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    kinds = {
        "cudnn": SDPBackend.CUDNN_ATTENTION,
        "flash": SDPBackend.FLASH_ATTENTION,
    }
    grouped = q.shape[1] != k.shape[1]
    result = {}
    for name, backend in kinds.items():
        def run(backend=backend):
            with sdpa_kernel(backend):
                torch.nn.functional.scaled_dot_product_attention(
                    q, k, v, is_causal=causal, enable_gqa=grouped
                )
        try:
            run()
            result[name] = run
        except RuntimeError as error:
            print(f"NOTE {name}: {str(error)[:90]}", flush=True)
    return result


def measure(run, launches, warmup):
    import torch

    for _ in range(warmup):
        run()
    events = [
        (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
        for _ in range(launches)
    ]
    for start, end in events:
        start.record()
        run()
        end.record()
    torch.cuda.synchronize()
    return sorted(start.elapsed_time(end) for start, end in events)


def time_kernels(kernels, names, deadline):
    """Rows of results; peers of one shape, mask, type and head dim together."""
    import torch

    rows = []
    classes = {}
    for kernel in kernels:
        classes.setdefault((kernel.kind, kernel.dim, kernel.causal), []).append(kernel)
    for name in names:
        for (kind, dim, causal), members in classes.items():
            if time.time() > deadline:
                print("NOTE out of time", flush=True)
                return rows
            shape = SHAPES[name]
            print(f"START time {members[0].name}", flush=True)
            q, k, v, out = make_inputs(members[0], shape, 1.0, False)
            runs = peers(q, k, v, causal)
            lse = torch.empty(q.shape[:3], device="cuda")
            for kernel in members:
                runs[kernel.name] = kernel.launcher(
                    q, k, v, out, settings(kernel, shape), lse
                )
            cold, hot = {}, {n: [] for n in runs}
            for n, run in runs.items():
                torch.cuda.synchronize()
                time.sleep(0.2)
                times = measure(run, 25, 3)
                cold[n] = times[len(times) // 2]
            for r in range(ROUNDS):
                order = list(runs.items())
                for n, run in order if r % 2 == 0 else order[::-1]:
                    hot[n] += measure(run, LAUNCHES, 2)
            work = flops(shape, dim, causal)
            for n in runs:
                times = sorted(hot[n])
                median = times[len(times) // 2]
                row = {
                    "shape": name, "type": kind, "headDim": dim, "causal": causal,
                    "kernel": n, "coldMs": cold[n], "hotMs": median,
                    "coldTflops": work / cold[n] / 1e9,
                    "hotTflops": work / median / 1e9,
                }
                rows.append(row)
                print(
                    f"TIME {name} {kind} D{dim} {'causal' if causal else 'full':6s} "
                    f"{n:28s} cold {row['coldTflops']:6.1f} hot "
                    f"{row['hotTflops']:6.1f} TFLOP/s  {median:.4f} ms",
                    flush=True,
                )
            print("ROWS " + json.dumps(rows[-len(runs):]), flush=True)
            del q, k, v, out, runs
            torch.cuda.empty_cache()
    return rows


def child(options, skip):
    import torch

    torch.manual_seed(options.seed)
    torch.zeros(1, device="cuda")
    driver = Driver()
    good = []
    for path in files(options):
        name = os.path.splitext(os.path.basename(path))[0]
        if name in skip:
            continue
        print(f"START check {name}", flush=True)
        kernel = Kernel(driver, path)
        # What a program costs in accuracy is a result, not a failure.
        native = not kernel.meta.get("programs") and kernel.meta.get("policy") == "off"
        limit = {"bf16": 6e-3, "f16": 1.5e-3}[kernel.kind] if native else 0.3
        worst, details = check(kernel, limit)
        print(
            f"CHECK {name:28s} error {worst:.2e} {'ok' if not details else 'FAILED'}",
            flush=True,
        )
        for detail in details[:6]:
            print(f"      {detail}", flush=True)
        row = {"kernel": name, "error": worst, "problems": details}
        print("CHECKROW " + json.dumps(row), flush=True)
        if not details:
            good.append(kernel)
    if not options.no_time:
        names = options.shapes.split(",") if options.shapes else list(SHAPES)
        time_kernels(good, names, options.deadline)
    print("DONE", flush=True)
    os._exit(0)


def files(options):
    found = sorted(glob.glob(os.path.join(options.folder, "*.json")))
    return [
        f
        for f in found
        if re.search(options.only, os.path.basename(f))
        and "kernels" in json.load(open(f))
    ]


def run_child(options, skip, results):
    """One child; returns the variant it hung or crashed at, or None."""
    command = [sys.executable, os.path.abspath(__file__), options.folder]
    command += ["--child=" + json.dumps(skip), "--only=" + options.only]
    command += [f"--deadline={options.deadline}", f"--seed={options.seed}"]
    command += ["--shapes=" + options.shapes] + ["--no-time"] * options.no_time
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    os.set_blocking(process.stdout.fileno(), False)
    current, text, last = None, "", time.time()
    while True:
        try:
            data = os.read(process.stdout.fileno(), 1 << 16)
        except BlockingIOError:
            data = None
        if data == b"":
            break
        if data:
            text, last = text + data.decode(errors="replace"), time.time()
            *lines, text = text.split("\n")
            for line in lines:
                if line.startswith("START"):
                    current = line.split()[-1]
                elif line.startswith("DONE"):
                    current = None
                elif line.startswith("ROWS "):
                    results["times"] += json.loads(line[5:])
                elif line.startswith("CHECKROW "):
                    results["checks"].append(json.loads(line[9:]))
                else:
                    print(line, flush=True)
        else:
            time.sleep(0.02)
        if time.time() - last > 60 or time.time() > options.deadline + 20:
            print(f"HANG at {current}", flush=True)
            process.kill()
            break
    process.wait()
    return current


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--out", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--no-time", action="store_true")
    parser.add_argument("--seconds", type=float, default=280)
    parser.add_argument("--shapes", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--deadline", type=float, default=0)
    parser.add_argument("--child", default=None)
    options = parser.parse_args()
    options.seed = options.seed or time.time_ns() % 1000000
    options.deadline = options.deadline or time.time() + options.seconds
    if options.child is not None:
        child(options, json.loads(options.child))
    if not files(options):
        sys.exit(f"attention_check.py: no kernel metadata in {options.folder}")
    results = {"version": 1, "checks": [], "times": []}
    skip = []
    while time.time() < options.deadline:
        bad = run_child(options, skip, results)
        if bad is None or bad in skip:
            break
        print(f"FAILED {bad}: hung or crashed", flush=True)
        results["checks"].append({"kernel": bad, "problems": ["hung or crashed"]})
        skip.append(bad)
    if options.out:
        with open(options.out, "w") as out:
            json.dump(results, out, indent=1)
    sys.exit(any(c["problems"] for c in results["checks"]))


if __name__ == "__main__":
    main()
