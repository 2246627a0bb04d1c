# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts that check compiled kernels on a GPU share.

Kernels come as poly-compile wrote them, a .json with its image beside it. They are
launched through the CUDA driver with ctypes, and checked in a child process, so
that a kernel that hangs or crashes costs one variant and not the run.
"""

import argparse
import ctypes
import glob
import json
import os
import random
import re
import subprocess
import sys
import time

# cuTensorMapEncodeTiled's numbers.
TENSOR_TYPES = {"e4m3": 0, "f16": 6, "f32": 7, "bf16": 9}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
PROMOTE_256 = 3
MAX_DYNAMIC_SHARED = 8


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()} ({code})")

    def load(self, image, name, shared):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        with open(image, "rb") as file:
            data = file.read() + b"\0"
        self.call("cuModuleLoadData", ctypes.byref(module), data)
        self.call(
            "cuModuleGetFunction", ctypes.byref(function), module, name.encode()
        )
        self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared)
        return function

    def tensor_map(self, tensor, kind, spec, sizes=None):
        """(storage, address) of the map that a kernel's metadata describes.

        The dimensions of `tensor` are those of the map from the outermost on;
        `sizes`, in the same order, may be less than the tensor's.
        """
        rank = tensor.dim()
        if len(spec["box"]) != rank:
            raise ValueError(f"map {spec['name']} does not have {rank} dimensions")
        storage = (ctypes.c_uint8 * 256)()
        address = (ctypes.addressof(storage) + 63) // 64 * 64
        extents = list(reversed(sizes or list(tensor.shape)))
        strides = [s * tensor.element_size() for s in reversed(tensor.stride())]
        if strides[0] != tensor.element_size():
            raise ValueError("the innermost dimension must be contiguous")
        if any(s % 16 for s in strides[1:]) or tensor.data_ptr() % 16:
            raise ValueError("pointer and strides must be multiples of 16 bytes")
        self.call(
            "cuTensorMapEncodeTiled",
            ctypes.c_void_p(address),
            TENSOR_TYPES[kind],
            rank,
            ctypes.c_void_p(tensor.data_ptr()),
            (ctypes.c_uint64 * rank)(*extents),
            (ctypes.c_uint64 * max(rank - 1, 1))(*strides[1:]),
            (ctypes.c_uint32 * rank)(*spec["box"]),
            (ctypes.c_uint32 * rank)(*[1] * rank),
            0,
            SWIZZLES[spec["swizzle"]],
            PROMOTE_256,
            0,
        )
        return storage, address

    def launcher(self, function, grid, threads, shared, values):
        """A function that launches; `values` are ctypes objects, or addresses.

        `grid` is a number of blocks or three of them.
        """
        import torch

        x, y, z = (grid, 1, 1) if isinstance(grid, int) else grid

        pointers = (ctypes.c_void_p * len(values))(
            *[v if isinstance(v, int) else ctypes.addressof(v) for v in values]
        )

        def launch():
            stream = torch.cuda.current_stream().cuda_stream
            self.call(
                "cuLaunchKernel", function, x, y, z, threads, 1, 1, shared,
                ctypes.c_void_p(stream), pointers, None,
            )

        launch.keep = values
        return launch


def kernel_files(folder, family, only=""):
    """The metadata files of kernels of a family."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path) as file:
            meta = json.load(file)
        if not isinstance(meta, dict) or not re.search(only, os.path.basename(path)):
            continue
        if any(k["info"].get("family") == family for k in meta.get("kernels", [])):
            found.append(path)
    return found


def stem(path):
    return os.path.splitext(os.path.basename(path))[0]


def run_child(command, deadline, results):
    """Runs a child that prints `START name`, `ROWS key json-list` and, last, DONE.

    Rows are added to results[key], other lines are printed. Returns the last word
    of the last START if the child hung or ended without a DONE.
    """
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    os.set_blocking(process.stdout.fileno(), False)
    current, text, last, done = None, "", time.time(), False
    # Not until the end of the pipe: compilers that the child has started hold it.
    while not done:
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
                if line.startswith("START "):
                    current = line.split()[-1]
                elif line == "DONE":
                    current, done = None, True
                elif line.startswith("ROWS "):
                    _, key, rows = line.split(" ", 2)
                    results.setdefault(key, []).extend(json.loads(rows))
                else:
                    print(line, flush=True)
        else:
            time.sleep(0.02)
        if time.time() - last > 60 or time.time() > deadline + 20:
            print(f"HANG at {current}", flush=True)
            process.kill()
            break
    process.wait()
    return current


def supervise(arguments, deadline, results):
    """Runs this script as a child until nothing new hangs or crashes."""
    skip = []
    while time.time() < deadline:
        command = [sys.executable, os.path.abspath(sys.argv[0]), *arguments]
        command += ["--child=" + json.dumps(skip), f"--deadline={deadline}"]
        bad = run_child(command, deadline, results)
        if bad is None or bad in skip:
            break
        print(f"FAILED {bad}: hung or crashed", flush=True)
        results.setdefault("checks", []).append(
            {"kernel": bad, "problems": ["hung or crashed"]}
        )
        skip.append(bad)


def block_time(run, launches):
    """Milliseconds a launch, of launches one after the other."""
    import torch

    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(launches):
        run()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / launches


def hot_rounds(runs, estimate, options, block_ms=14.0):
    """Milliseconds a launch of each run, once a round, at the power limit.

    Rounds are in random order: whatever follows a kernel of little power gains from
    it. `estimate` has the milliseconds that a launch takes about.
    """
    hot, order = {n: [] for n in runs}, list(runs)
    shuffle = random.Random(options.seed)
    for _ in range(options.rounds):
        if time.time() > options.deadline:
            print("NOTE out of time", flush=True)
            break
        shuffle.shuffle(order)
        for n in order:
            runs[n]()
            count = max(2, min(60, int(block_ms / estimate[n])))
            hot[n].append(block_time(runs[n], count))
    return hot


def hot_row(times, work):
    """What is reported of the times of one kernel that does `work` operations."""
    times = sorted(times)
    return {
        "hotUs": median(times) * 1e3,
        "hotQuartilesUs": [
            times[len(times) // 4] * 1e3, times[3 * len(times) // 4] * 1e3,
        ],
        "hotTflops": work / median(times) / 1e9,
    }


def parser_for(description, seconds):
    """The options that all of these scripts have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder")
    parser.add_argument("--out", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--no-time", action="store_true")
    parser.add_argument(
        "--quick", action="store_true",
        help="one small shape and no times, which compute-sanitizer has time for",
    )
    parser.add_argument("--seconds", type=float, default=seconds)
    parser.add_argument("--rounds", type=int, default=7, help="hot ones")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--deadline", type=float, default=0)
    parser.add_argument("--child", default=None)
    return parser


def run_supervised(options, more=()):
    """Runs the children, writes --out and exits: 1 if anything was wrong."""
    results = {"version": 1, "seed": options.seed, "checks": [], "times": []}
    arguments = [options.folder, "--only=" + options.only, f"--seed={options.seed}"]
    arguments.append(f"--rounds={options.rounds}")
    arguments += [*more] + ["--no-time"] * options.no_time
    arguments += ["--quick"] * options.quick
    supervise(arguments, time.time() + options.seconds, results)
    if options.out:
        with open(options.out, "w") as out:
            json.dump(results, out, indent=1)
    sys.exit(any(c["problems"] for c in results["checks"]))


def median(values):
    return sorted(values)[len(values) // 2]
