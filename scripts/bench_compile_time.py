#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times poly-substitute on a large module, side by side with mlir-opt.

usage: bench_compile_time.py --bin build/ci/bin [-o RESULT.json]

Generates a module of FUNCTIONS device functions with SITES sites each, and one
with twice as many functions, and runs on them, alternating,

  poly-opt   --poly-substitute
  mlir-opt   --canonicalize --cse

Prints the medians of wall-clock time, processor time and peak memory, and checks that the
result does not depend on multithreading.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time

SPELLINGS = {
    # Each takes %x (f32 of width W) and gives %y.
    "silu": [
        "%n = arith.negf %x fastmath<afn> : T",
        "%e = math.exp %n fastmath<afn> : T",
        "%d = arith.addf %e, %one fastmath<afn> : T",
        "%y = arith.divf %x, %d fastmath<afn> : T",
    ],
    "sigmoid": [
        "%n = arith.negf %x fastmath<afn> : T",
        "%e = math.exp %n fastmath<afn> : T",
        "%d = arith.addf %one, %e fastmath<afn> : T",
        "%y = arith.divf %one, %d fastmath<afn> : T",
    ],
    "tanh": ["%y = math.tanh %x fastmath<afn> : T"],
    "sigmoid-by-tanh": [
        "%h = arith.mulf %x, %half fastmath<afn> : T",
        "%t = math.tanh %h fastmath<afn> : T",
        "%y = math.fma %t, %half, %half fastmath<afn> : T",
    ],
}


def generate(path, functions, sites):
    """Writes a module whose sites differ in function, spelling and width."""
    rng = random.Random(7)
    names = list(SPELLINGS)
    with open(path, "w", encoding="utf-8") as out:
        out.write("gpu.module @bench {\n")
        for f in range(functions):
            out.write(f"  gpu.func @f{f}(%m: memref<?xbf16>, %i: index) kernel {{\n")
            for width, suffix in ((8, "v"), (0, "s")):
                ty = f"vector<{width}xf32>" if width else "f32"
                for name, value in (("one", "1.0"), ("half", "0.5")):
                    literal = f"dense<{value}>" if width else value
                    out.write(f"    %{name}{suffix} = arith.constant {literal} : {ty}\n")
            for s in range(sites):
                offset = f"%o{s}"
                out.write(f"    {offset}c = arith.constant {8 * s} : index\n")
                out.write(f"    {offset} = arith.addi %i, {offset}c : index\n")
                vector = s % 2 == 0
                suffix = "v" if vector else "s"
                wide = "vector<8xf32>" if vector else "f32"
                narrow = "vector<8xbf16>" if vector else "bf16"
                if vector:
                    out.write(f"    %l{s} = vector.load %m[{offset}] {{alignment = 16}} : memref<?xbf16>, {narrow}\n")
                else:
                    out.write(f"    %l{s} = memref.load %m[{offset}] : memref<?xbf16>\n")
                out.write(f"    %x{s} = arith.extf %l{s} : {narrow} to {wide}\n")
                for line in SPELLINGS[rng.choice(names)]:
                    for token in ("x", "n", "e", "d", "h", "t", "y"):
                        line = line.replace(f"%{token} ", f"%{token}{s} ").replace(f"%{token},", f"%{token}{s},")
                    line = line.replace("%one", f"%one{suffix}").replace("%half", f"%half{suffix}")
                    out.write("    " + line.replace(": T", ": " + wide) + "\n")
                out.write(f"    %r{s} = arith.truncf %y{s} : {wide} to {narrow}\n")
                if vector:
                    out.write(f"    vector.store %r{s}, %m[{offset}] {{alignment = 16}} : memref<?xbf16>, {narrow}\n")
                else:
                    out.write(f"    memref.store %r{s}, %m[{offset}] : memref<?xbf16>\n")
            out.write("    gpu.return\n  }\n")
        out.write("}\n")


def measure(command):
    """Wall-clock seconds, processor seconds and peak memory in MiB of one run."""
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def digest(path):
    with open(path, "rb") as source:
        return hashlib.sha256(source.read()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description="Compile time of poly-substitute on a large module.")
    parser.add_argument("--bin", required=True, help="folder of poly's tools")
    parser.add_argument("--functions", type=int, default=2000)
    parser.add_argument("--sites", type=int, default=8, help="sites a function")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("-o", "--output", help="write the figures as JSON")
    args = parser.parse_args()
    mlir_opt = shutil.which("mlir-opt-22") or "/usr/lib/llvm-22/bin/mlir-opt"
    poly_opt = os.path.join(args.bin, "poly-opt")

    with tempfile.TemporaryDirectory() as folder:
        small = os.path.join(folder, "small.mlir")
        large = os.path.join(folder, "large.mlir")
        generate(small, args.functions, args.sites)
        generate(large, 2 * args.functions, args.sites)
        result = os.path.join(folder, "result.mlir")
        runs = {
            "mlir-opt --canonicalize --cse": [mlir_opt, "--canonicalize", "--cse", small],
            "poly-opt --poly-substitute": [poly_opt, "--poly-substitute", small],
            "mlir-opt, twice the sites": [mlir_opt, "--canonicalize", "--cse", large],
            "poly-opt, twice the sites": [poly_opt, "--poly-substitute", large],
        }
        samples = {name: [] for name in runs}
        for _ in range(args.rounds):
            for name, command in runs.items():
                samples[name].append(measure(command + ["-o", result]))
        figures = {}
        sites = args.functions * args.sites
        print(f"{sites} sites in {args.functions} functions; medians of {args.rounds}")
        print(f"{'':32} {'seconds':>8} {'CPU':>8} {'MiB':>8}")
        for name, values in samples.items():
            seconds = statistics.median(v[0] for v in values)
            cpu = statistics.median(v[1] for v in values)
            memory = statistics.median(v[2] for v in values)
            figures[name] = {"seconds": round(seconds, 3), "cpuSeconds": round(cpu, 3), "MiB": round(memory, 1)}
            print(f"{name:32} {seconds:8.2f} {cpu:8.2f} {memory:8.0f}")

        names = list(runs)
        base, ours, base2, ours2 = (figures[name] for name in names)
        ratios = {
            "time": ours["seconds"] / base["seconds"],
            "memory": ours["MiB"] / base["MiB"],
            "growth": ours2["seconds"] / ours["seconds"],
        }
        print(f"time {ratios['time']:.2f} x, memory {ratios['memory']:.2f} x of mlir-opt; "
              f"twice the sites take {ratios['growth']:.2f} x")

        outputs = []
        for flag in ([], ["--mlir-disable-threading"]):
            measure([poly_opt, "--poly-substitute", small, *flag, "-o", result])
            outputs.append(digest(result))
        same = outputs[0] == outputs[1]
        print("same result with and without threads: " + ("yes" if same else "NO"))

    if args.output:
        with open(args.output, "w", encoding="utf-8") as stream:
            document = {
                "sites": sites,
                "rounds": args.rounds,
                "figures": figures,
                "ratios": {key: round(value, 3) for key, value in ratios.items()},
                "identicalWithoutThreads": same,
            }
            json.dump(document, stream, indent=2)
            stream.write("\n")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
