#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures PyTorch and compiled kernels against each other in one process.

  peers.py KERNELS [functions|silu|swiglu|rope ...] [-o RESULT.json] [--quick]

KERNELS is the folder of compiled suites (target poly-bench-kernels). Needs a GPU
and PyTorch; nothing of this is needed to build or test poly. Contenders are
PyTorch's own kernels (eager, into preallocated results), torch.compile, other
kernel libraries where they can be imported, and every entry of the suite, all
replayed from CUDA graphs, in alternating order. Everything is checked against
float64 first. The result file is one that `poly-bench compare` and `plot` read.
"""

import argparse
import ctypes
import json
import math
import os
import statistics
import sys
import time

import torch

# PyTorch's types by poly's names.
TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
ROUND_MS = 4.0
WARMUP, FEWEST, MOST = 2, 9, 25
CLUSTER_DIMENSION = 4  # CUlaunchAttributeID
MAX_DYNAMIC_SHARED = 8  # CUfunction_attribute
PERIOD = 4194301


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [(f"{what}{axis}", ctypes.c_uint) for what in ("grid", "block") for axis in "XYZ"] + [
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(LaunchAttribute)),
        ("count", ctypes.c_uint),
    ]


class Cuda:
    """The driver, in PyTorch's context."""

    def __init__(self):
        torch.cuda.init()
        torch.empty(1, device="cuda")
        self.library = ctypes.CDLL("libcuda.so.1")

    def __call__(self, name, *args):
        result = getattr(self.library, name)(*args)
        if result:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(result, ctypes.byref(text))
            sys.exit(f"{name} failed: {(text.value or b'?').decode()}")


class Kernel:
    """An entry of a suite, loaded."""

    def __init__(self, cuda, folder, entry):
        self.cuda, self.name = cuda, entry["name"]
        with open(os.path.join(folder, entry["metadata"]), encoding="utf-8") as stream:
            metadata = json.load(stream)
        names = [kernel["name"] for kernel in metadata["kernels"]]
        self.kernel = metadata["kernels"][names.index(entry.get("kernel", names[0]))]
        self.info = self.kernel.get("info", {})
        sites = [site for site in metadata.get("sites", []) if site["function"] == self.kernel["name"]]
        applied = [site for site in sites if site["decision"] == "applied"]
        self.program = "+".join(sorted({site["program"] for site in applied})) or "-"
        self.certified = max([site["error"]["maxAbs"] for site in applied if site.get("error")], default=0.0)
        with open(os.path.join(folder, metadata["image"]), "rb") as stream:
            image = stream.read() + b"\0"
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        cuda("cuModuleLoadData", ctypes.byref(self.module), image)
        cuda("cuModuleGetFunction", ctypes.byref(self.function), self.module, self.kernel["name"].encode())
        self.shared = self.kernel.get("dynamicSharedBytes", 0)
        if self.shared > 48 * 1024:
            cuda("cuFuncSetAttribute", self.function, MAX_DYNAMIC_SHARED, self.shared)

    def values(self, args):
        """Tensors (by their address) and numbers as the kernel's parameters."""
        types = [parameter["type"] for parameter in self.kernel["parameters"]]
        values = []
        for arg in args:
            if isinstance(arg, torch.Tensor):
                values.append(ctypes.c_void_p(arg.data_ptr()))
            elif types[len(values)] == "i32":
                values.append(ctypes.c_int32(arg))
            elif types[len(values)] == "f32":
                values.append(ctypes.c_float(arg))
            else:
                values.append(ctypes.c_int64(arg))
        if len(values) != len(types):
            sys.exit(f"{self.name} takes {len(types)} parameters, {len(values)} were passed")
        return values

    def launch(self, blocks, *args):
        values = self.values(args)
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        block = self.kernel.get("blockSize", [256, 1, 1])
        stream = torch.cuda.current_stream().cuda_stream
        config = LaunchConfig(blocks, 1, 1, *block, self.shared, stream, None, 0)
        if "clusterSize" in self.kernel:
            attribute = LaunchAttribute(CLUSTER_DIMENSION, 0)
            attribute.value[:3] = self.kernel["clusterSize"]
            config.attributes, config.count = ctypes.pointer(attribute), 1
        self.cuda("cuLaunchKernelEx", ctypes.byref(config), self.function, pointers, None)


def load(cuda, folder, suite):
    folder = os.path.join(folder, suite)
    with open(os.path.join(folder, "suite.json"), encoding="utf-8") as stream:
        return [Kernel(cuda, folder, entry) for entry in json.load(stream)["entries"]]


class Contender:
    """run() enqueues the work; result() returns what it wrote, after a run. No
    result: the caller has checked it."""

    def __init__(self, name, run, result=None, **details):
        self.name, self.run, self.result, self.details = name, run, result, details


def capture(run, repetitions):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(repetitions):
            run()
    return graph


def elapsed(action):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    action()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


def measure(contenders, quick):
    """Microseconds of each contender in each round."""
    graphs, repetitions, samples = [], [], [[] for _ in contenders]
    for contender in contenders:
        contender.run()
        torch.cuda.synchronize()
        once = elapsed(contender.run)
        count = max(1, min(2000, math.ceil((0.5 if quick else ROUND_MS) / max(once, 1e-3))))
        repetitions.append(count)
        graphs.append(capture(contender.run, count))
    rounds = 3 if quick else MOST
    for number in range(WARMUP + rounds):
        order = [(i + number // 2) % len(contenders) for i in range(len(contenders))]
        for i in order[::-1] if number % 2 else order:
            time_ms = elapsed(graphs[i].replay)
            if number >= WARMUP:
                samples[i].append(time_ms * 1e3 / repetitions[i])
        done = number + 1 - WARMUP
        if done >= FEWEST and all(uncertainty(values) <= 0.005 for values in samples):
            break
    return samples, repetitions


def uncertainty(values):
    """Half the 95 % interval of the median by order statistics, relative."""
    n, term, outside, k = len(values), 0.5 ** len(values), 0.0, 0
    while outside + term <= 0.025:
        outside += term
        k += 1
        term *= (n - k + 1) / k
    if k == 0:
        return math.inf
    ordered = sorted(values)
    return (ordered[n - k] - ordered[k - 1]) / 2 / statistics.median(values)


class Results:
    def __init__(self):
        self.rows = []

    def run(self, work, contenders, expected, quick, total_bytes, rounding, amplification):
        """Checks, then times. `expected` is float64. The root mean square of a
        contender's errors may be its certified error times `amplification`, what
        its program's result is multiplied with, or four roundings of the type."""
        count = sum(want.numel() for want in expected)
        rms = math.sqrt(sum((want**2).sum().item() for want in expected) / count)
        right = []
        for contender in contenders:
            contender.run()
            torch.cuda.synchronize()
            error = norm = worst = 0.0
            for got, want in zip(contender.result(), expected) if contender.result else ():
                difference = (got.double() - want).abs()
                worst = max(worst, difference.max().item())
                error += (difference**2).sum().item()
                norm += (want**2).sum().item()
            relative = math.sqrt(error / norm) if norm else 0.0
            contender.details.update(relativeNormError=relative, maxAbsError=worst)
            allowed = max(contender.details.get("certified", 0) * amplification, 4 * rounding * rms)
            ok = math.isfinite(worst) and math.sqrt(error / count) <= allowed
            if ok:
                right.append(contender)
            else:
                self.rows.append({"work": work, "variant": contender.name, "metric": "microseconds",
                                  "correct": False, "details": contender.details})
                print(f"{work}: {contender.name} is WRONG: relative error {relative:.3g}")
        samples, repetitions = measure(right, quick)
        first = samples[0]
        for contender, values, count in zip(right, samples, repetitions):
            ratio = statistics.median(a / b for a, b in zip(first, values))
            quartiles = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
            median = statistics.median(values)
            row = {"work": work, "variant": contender.name, "metric": "microseconds", "correct": True,
                   "median": median, "lowest": min(values), "lower": quartiles[0], "upper": quartiles[2],
                   "highest": max(values), "rounds": len(values), "ratio": ratio, "samples": values,
                   "details": {**contender.details, "repetitions": count,
                               "gigabytesPerSecond": total_bytes / median * 1e-3}}
            if math.isfinite(uncertainty(values)):
                row["uncertainty"] = uncertainty(values)
            self.rows.append(row)
            print(f"{work:44s} {contender.name:28s} {median:10.3f} us  {ratio:6.3f} x  "
                  f"{row['details']['gigabytesPerSecond']:8.0f} GB/s  error {contender.details['relativeNormError']:.2e}  "
                  f"{contender.details.get('program', '')}", flush=True)

    def write(self, path, suites):
        properties = torch.cuda.get_device_properties(0)
        report = {"version": 1, "suite": "peers: " + ", ".join(suites),
                  "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                  "device": {"name": properties.name, "multiprocessors": properties.multi_processor_count,
                             "pytorch": torch.__version__},
                  "protocol": {"what": "hot, from replayed graphs, alternating order; ratio is the time of the "
                                       "first row of the work over the row's"},
                  "rows": self.rows}
        with open(path + ".tmp", "w", encoding="utf-8") as stream:
            json.dump(report, stream, indent=1)
            stream.write("\n")
        os.replace(path + ".tmp", path)


def normal(count, dtype, scale, seed):
    """Normally distributed, repeated after a prime number of elements."""
    generator = torch.Generator(device="cuda").manual_seed(seed)
    period = min(count, PERIOD)
    values = (torch.randn(period, generator=generator, device="cuda") * scale).to(dtype)
    return values.repeat(-(-count // period))[:count].contiguous()


def rounding(dtype):
    return torch.finfo(dtype).eps / 2


# What PyTorch calls its kernels: forward into `out`; backward from what the
# framework keeps (the input x, or for sigmoid and tanh the output y).
aten = torch.ops.aten
FORWARD = {
    "sigmoid": lambda x, out: aten.sigmoid.out(x, out=out),
    "tanh": lambda x, out: aten.tanh.out(x, out=out),
    "silu": lambda x, out: aten.silu.out(x, out=out),
    "gelu-erf": lambda x, out: aten.gelu.out(x, out=out),
    "gelu-tanh": lambda x, out: aten.gelu.out(x, approximate="tanh", out=out),
}
BACKWARD = {
    "sigmoid": lambda dy, x, y: aten.sigmoid_backward(dy, y),
    "tanh": lambda dy, x, y: aten.tanh_backward(dy, y),
    "silu": lambda dy, x, y: aten.silu_backward(dy, x),
    "gelu-erf": lambda dy, x, y: aten.gelu_backward(dy, x),
    "gelu-tanh": lambda dy, x, y: aten.gelu_backward(dy, x, approximate="tanh"),
}
BACKWARD_INTO = {
    "sigmoid": lambda dy, x, y, out: aten.sigmoid_backward.grad_input(dy, y, grad_input=out),
    "tanh": lambda dy, x, y, out: aten.tanh_backward.grad_input(dy, y, grad_input=out),
    "silu": lambda dy, x, y, out: aten.silu_backward.grad_input(dy, x, grad_input=out),
    "gelu-erf": lambda dy, x, y, out: aten.gelu_backward.grad_input(dy, x, grad_input=out),
    "gelu-tanh": lambda dy, x, y, out: aten.gelu_backward.grad_input(dy, x, approximate="tanh", grad_input=out),
}
FUNCTIONS = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "silu": torch.nn.functional.silu,
    "gelu-erf": torch.nn.functional.gelu,
    "gelu-tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
}


def truth(function, x, dy=None):
    """float64 value, or dy times the derivative."""
    x = x.double().requires_grad_(dy is not None)
    y = FUNCTIONS[function](x)
    if dy is None:
        return y
    (gradient,) = torch.autograd.grad(y, x, dy.double())
    return gradient



def copy_of(total_bytes):
    """Copies half of the bytes to the other half: the floor of the work."""
    source = torch.empty(total_bytes // 2, dtype=torch.uint8, device="cuda").fill_(0x3C)
    target = torch.empty_like(source)
    target.copy_(source)
    assert torch.equal(target, source)
    return Contender("copy", lambda: target.copy_(source))


def compiled_peer(name, function, inputs, part=slice(None)):
    """torch.compile of a function that returns a tensor or several."""
    compiled = torch.compile(function, dynamic=False)
    kept = {}

    def run():
        results = compiled(*inputs)
        kept["results"] = results if isinstance(results, tuple) else (results,)

    return Contender(name, run, lambda: [result.reshape(-1)[part] for result in kept["results"]])


def ours(kernel, blocks, arguments, result):
    return Contender(kernel.name, lambda: kernel.launch(blocks, *arguments), result,
                     program=kernel.program, certified=kernel.certified)


def elementwise(cuda, args, suite, results):
    counts = [4194304, 268435456] if suite == "functions" else [58720256]
    if args.quick:
        counts = [1048576 + 3]
    works = {}
    for kernel in load(cuda, args.kernels, suite):
        info = kernel.info
        if info["function"] != "copy" and info["direction"] in ("forward", "backward"):
            works.setdefault((info["function"], info["direction"], info["type"]), []).append(kernel)
    for count in counts:
        for (function, direction, type_name), kernels in works.items():
            work = f"{function} {direction} {type_name}, {count}"
            if args.only in work:
                elementwise_work(work, kernels, function, direction == "forward", TYPES[type_name], count, args, results)


def elementwise_work(work, kernels, function, forward, dtype, count, args, results):
    x, out = normal(count, dtype, 2, 1), torch.empty(count, dtype=dtype, device="cuda")
    dy = None if forward else normal(count, dtype, 1, 2)
    part = slice(0, min(count, PERIOD))  # All others repeat these.
    expected = [truth(function, x[part], None if forward else dy[part])]
    result = lambda: [out[part]]
    if forward:
        eager = Contender("PyTorch", lambda: FORWARD[function](x, out), result)
        compiled = compiled_peer("torch.compile", FUNCTIONS[function], (x,), part)
    else:
        y = FUNCTIONS[function](x)
        eager = Contender("PyTorch", lambda: BACKWARD_INTO[function](dy, x, y, out), result)
        compiled = compiled_peer("torch.compile", BACKWARD[function], (dy, x, y), part)
    arguments = [x, out, count] if forward else [x, dy, out, count]
    own = [ours(kernel, -(-count // kernel.info["elementsPerBlock"]), arguments, result) for kernel in kernels]
    total = (2 if forward else 3) * count * x.element_size()
    results.run(work, [eager, compiled] + own + [copy_of(total)], expected, args.quick, total, rounding(dtype), 1)


def swiglu(cuda, args, results):
    rows, columns = (1023, 1280) if args.quick else (24576, 1280)
    count = rows * columns
    silu = torch.nn.functional.silu
    works = {}
    for kernel in load(cuda, args.kernels, "swiglu"):
        info = kernel.info
        if info["family"] != "swiglu":
            continue  # The copy kernel.
        works.setdefault((info["direction"], info["type"], info["layout"]), []).append(kernel)
    for (direction, type_name, layout), kernels in works.items():
        work = f"swiglu {direction} {type_name} {layout}, {rows} x {columns}"
        if args.only not in work:
            continue
        dtype, forward, packed = TYPES[type_name], direction == "forward", layout == "packed"
        both = normal(2 * count, dtype, 2, 1).view(rows, 2 * columns)
        gate, up = both.chunk(2, dim=1) if packed else (both.view(-1)[:count].view(rows, columns),
                                                         both.view(-1)[count:].view(rows, columns))
        dy = normal(count, dtype, 1, 2).view(rows, columns)
        out, gradient = torch.empty_like(dy), torch.empty_like(both)
        if packed:
            gradients = gradient.chunk(2, dim=1)
        else:
            gradients = [half.view(rows, columns) for half in gradient.view(-1).chunk(2)]
        g, u = gate.double().requires_grad_(), up.double().requires_grad_()
        y = silu(g) * u
        if forward:
            expected, total = [y.detach().reshape(-1)], 3 * count * dy.element_size()
            result = lambda: [out.reshape(-1)]
            peer = lambda a, b: silu(a) * b
            inputs = (gate, up)
            eager = Contender("PyTorch", lambda: torch.mul(silu(gate), up, out=out), result)
        else:
            expected = [t.reshape(-1) for t in torch.autograd.grad(y, (g, u), dy.double())]
            total = 5 * count * dy.element_size()
            result = lambda: [t.reshape(-1) for t in gradients]

            def peer(d, a, b):
                s = torch.sigmoid(a.float())
                return (((d * b).float() * s * (1 + a * (1 - s))).to(dtype), (d * (a * s)).to(dtype))

            inputs, kept = (dy, gate, up), {}

            def run_eager():
                kept["r"] = (aten.silu_backward(dy * up, gate), dy * silu(gate))

            eager = Contender("PyTorch", run_eager, lambda: [t.reshape(-1) for t in kept["r"]])
        contenders = [eager, compiled_peer("torch.compile", peer, inputs)]
        contenders += liger_swiglu(forward, packed, gate, up, dy, out)
        inputs = [both] if packed else [gate, up]
        outputs = [gradient] if packed else list(gradients)
        arguments = inputs + ([out] if forward else [dy] + outputs) + [rows, columns]
        for kernel in kernels:
            contenders.append(ours(kernel, -(-count // kernel.info["elementsPerBlock"]), arguments, result))
        results.run(work, contenders + [copy_of(total)], expected, args.quick, total, rounding(dtype), 8)


def liger_swiglu(forward, packed, gate, up, dy, out):
    """Liger Kernel's Triton SwiGLU, where it is installed."""
    try:
        from liger_kernel.ops.swiglu import swiglu_backward, swiglu_forward
    except ImportError:
        return []
    if packed:
        return []  # It takes two dense arrays.
    kept = {}
    if forward:
        def run():
            kept["r"] = [swiglu_forward(gate, up)[2]]
    else:
        a, b = gate.clone(), up.clone()  # It overwrites its inputs.

        def run():
            a.copy_(gate)
            b.copy_(up)
            kept["r"] = swiglu_backward(a, b, dy)
    name = "Liger Kernel" if forward else "Liger Kernel + 2 copies"
    return [Contender(name, run, lambda: [t.reshape(-1) for t in kept["r"]])]


def main():
    parser = argparse.ArgumentParser(description="Our kernels and PyTorch's side by side.")
    parser.add_argument("kernels", help="folder of compiled suites")
    parser.add_argument("suites", nargs="*", default=["functions", "silu", "swiglu"])
    parser.add_argument("-o", dest="output", help="write all samples as JSON")
    parser.add_argument("--only", default="", help="only work whose name contains this")
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds: a check, no measurement")
    args = parser.parse_args()
    runners = {"functions": lambda *a: elementwise(a[0], a[1], "functions", a[2]),
               "silu": lambda *a: elementwise(a[0], a[1], "silu", a[2]), "swiglu": swiglu}
    for suite in args.suites:
        if suite not in runners:
            parser.error(f"suite '{suite}' is none of {', '.join(runners)}")
    if not torch.cuda.is_available():
        print("no GPU on this machine", file=sys.stderr)
        sys.exit(2)
    cuda, results = Cuda(), Results()
    for suite in args.suites:
        runners[suite](cuda, args, results)
    if args.output:
        results.write(args.output, args.suites)
    sys.exit(0 if all(row["correct"] for row in results.rows) else 1)


if __name__ == "__main__":
    main()
