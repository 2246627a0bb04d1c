#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the GPU computes what Replay computes, on all inputs.

On a machine that has poly built (no GPU needed):

  verify_programs.py prepare --bin build/ci/bin --out DIR [--chip sm_90]

compiles a kernel for each shipped program, and the kernels of
kernels/activations, and writes them with their expected results into DIR,
together with the runner. Cubins are made where ptxas is found, PTX otherwise.

On a machine with that GPU, where only DIR is needed:

  DIR/poly-bench verify DIR/manifest.json -o RESULT.json

On a machine that has both, `check` does the two steps; it exits with 77 (skipped) where there is no GPU.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))

# Kernel file, kernel, elements a thread does.
KERNELS = [
    ("silu.mlir", "silu_bf16", 8),
    ("silu.mlir", "silu_f16", 8),
    ("sigmoid.mlir", "sigmoid_bf16", 8),
    ("sigmoid.mlir", "sigmoid_f16", 8),
    ("tanh.mlir", "tanh_bf16", 8),
    ("tanh.mlir", "tanh_f16", 8),
    ("silu_f32.mlir", "silu_f32", 4),
]
# Each kernel is compiled for both: the default accuracy picks programs with
# special-function instructions, the loose one polynomials.
BUDGETS = {"default": [], "loose": ["--budget=atol=5e-2"]}
# Whole arrays, and ends that leave partial chunks and blocks.
COUNTS = [0, 1, 3, 7, 8, 9, 255, 2047, 2048, 2049, 65533, 65536]
# Without partial chunks, for kernels whose scalar tail keeps the source.
WHOLE_COUNTS = [0, 8, 2048, 65536]


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\nfailed:\n{result.stderr}")
    return result.stdout


def compile_kernel(args, source, stem, extra=()):
    """Returns the name of the compiled file in args.out."""
    suffix = ".cubin" if args.ptxas else ".ptx"
    output = os.path.join(args.out, stem + suffix)
    run([os.path.join(args.bin, "poly-compile"), source, "-o", output, f"--chip={args.chip}", *extra])
    return stem + suffix


def sm_of(chip):
    return int(chip.removeprefix("sm_").rstrip("af"))


def narrow(args, program):
    """Files of a program from f32 for the inputs that are 16-bit values.

    poly-expect lists the values of bf16 and then those of f16 first, in the
    order of their patterns.
    """
    begin = 0 if program["to"] == "bf16" else 0x10000 * 4
    with open(os.path.join(args.out, program["expected"]), "rb") as source:
        words = source.read()[begin : begin + 0x10000 * 4]
    expected = program["program"] + ".16bit.out.bin"
    with open(os.path.join(args.out, expected), "wb") as target:
        target.write(words)
    inputs = program["to"] + ".in.bin"
    if not os.path.exists(os.path.join(args.out, inputs)):
        sys.exit(f"{inputs}: no program has inputs of that type")
    return inputs, expected


def shipped_kernel(args, by_name, file, kernel, chunk, budget, options):
    """Compiles a shipped kernel; returns its entry, or None if it stayed as it was."""
    stem = f"{kernel}-{budget}"
    report = os.path.join(args.out, stem + ".report.json")
    source = os.path.join(ROOT, "kernels", "activations", file)
    compiled = compile_kernel(args, source, stem, [f"--report={report}", *options])
    with open(report, encoding="utf-8") as stream:
        sites = [site for site in json.load(stream) if site["function"] == kernel]
    applied = [site for site in sites if site["decision"] == "applied"]
    chosen = {site["program"] for site in applied}
    if not chosen:
        return None
    if len(chosen) != 1:
        sys.exit(f"{stem}: expected one program, found {sites}")
    # The tail is a site of its own: packed programs may not pay for one lane.
    counts = COUNTS if len(applied) == len(sites) else WHOLE_COUNTS
    program = by_name[chosen.pop()]
    inputs = program["inputs"]
    expected = program["expected"]
    if program["from"] != program["to"]:
        # A program from f32 that serves a 16-bit site: widening is exact, so the
        # 16-bit program's place in the list of f32 inputs is known.
        inputs, expected = narrow(args, program)
    return dict(program, kernel=kernel, file=compiled, chunk=chunk, counts=counts,
                inputs=inputs, expected=expected, **{"from": program["to"]})


def prepare(args):
    run([os.path.join(args.bin, "poly-expect"), args.out])
    with open(os.path.join(args.out, "programs.json"), encoding="utf-8") as source:
        programs = json.load(source)
    entries = []
    for program in programs:
        if program.pop("minimumSm") > sm_of(args.chip):
            continue
        if not program["program"].startswith(args.only):
            for file in (program["source"], program["expected"]):
                os.remove(os.path.join(args.out, file))
            continue
        source = os.path.join(args.out, program.pop("source"))
        program["file"] = compile_kernel(args, source, program["program"])
        entries.append(program)
    by_name = {entry["program"]: entry for entry in entries}

    # The shipped kernels must compute what the program that their report names
    # computes: every element, whatever the array's length.
    for file, kernel, chunk in [] if args.only else KERNELS:
        for budget, options in BUDGETS.items():
            if budget == "loose" and kernel.endswith("f32"):
                continue  # No polynomial has f32 results.
            entry = shipped_kernel(args, by_name, file, kernel, chunk, budget, options)
            if entry:
                entries.append(entry)
            else:
                print(f"{kernel}, {budget} accuracy: the planner kept the source, nothing to check")

    with open(os.path.join(args.out, "manifest.json"), "w", encoding="utf-8") as stream:
        json.dump({"chip": args.chip, "entries": entries}, stream, indent=2)
    shutil.copy2(os.path.join(args.bin, "poly-bench"), args.out)
    kind = "cubins" if args.ptxas else "PTX (ptxas was not found)"
    print(f"{len(entries)} entries, {kind}, in {args.out}")
    print(f"on the GPU machine: ./poly-bench verify manifest.json -o result.json")


def main():
    parser = argparse.ArgumentParser(description="Checks programs on a GPU.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("prepare", help="compile kernels and write expected results")
    command.add_argument("--bin", required=True, help="folder of poly's tools")
    command.add_argument("--out", required=True, help="folder to write")
    command.add_argument("--chip", default="sm_90", help="GPU, default sm_90")
    command.add_argument("--only", default="", metavar="PREFIX", help="only programs whose names start so, and no kernels")
    command = commands.add_parser("check", help="prepare and run on this machine's GPU")
    command.add_argument("--bin", required=True, help="folder of poly's tools")
    command.add_argument("--out", required=True, help="folder to write")
    command.add_argument("--chip", default="sm_90", help="GPU, default sm_90")
    command.add_argument("--only", default="", metavar="PREFIX", help="only programs whose names start so, and no kernels")
    args = parser.parse_args()
    if args.command == "check" and not os.path.exists("/dev/nvidiactl"):
        print("no GPU on this machine; skipped")
        sys.exit(77)
    args.ptxas = shutil.which("ptxas") or (
        "/usr/local/cuda/bin/ptxas" if os.path.exists("/usr/local/cuda/bin/ptxas") else None
    )
    os.makedirs(args.out, exist_ok=True)
    prepare(args)
    if args.command == "check":
        runner = os.path.join(args.out, "poly-bench")
        manifest = os.path.join(args.out, "manifest.json")
        sys.exit(subprocess.run([runner, "verify", manifest]).returncode)


if __name__ == "__main__":
    main()
