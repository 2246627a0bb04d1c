#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that measure exponential programs out of registers, and their run.

  exponential_rates.py prepare --bin build/ci/bin --out DIR [--chip sm_90]

writes a kernel for each variant, compiles it (ptxas must be found), and copies
poly-bench and, where they are built, the tools of the exhaustive comparison.
On the GPU machine, where only DIR is needed:

  cd DIR && sh run.sh RESULTS

Every thread holds 32 scores s. An iteration forms 32 exponents fma(s, c, b) as a
softmax does, with another b each time, evaluates them and folds the results into
one register, half a 3-input xor for a pair. So what is measured is the exponential
with the fma before it. "fma alone" is the loop without an exponential; in "folded"
variants the fma allows contraction, and becomes part of the exponential's own.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys

ELEMENTS = 32
# Name, program, lanes of an evaluation, type of its argument and result. The
# first is what the others are compared with.
VARIANTS = [
    ("ex2 + cvt", "exp2-sfuweight-f32-bf16x2", 2, "f32", "bf16"),
    ("cubic + cvt", "exp2-d3weight-f32-bf16x2", 2, "f32", "bf16"),
    ("H15 f32 + cvt", "exp2-h15-f32", 1, "f32", "bf16"),
    ("H15 packed, max, mads", "exp2-h15mad-f32-bf16x2", 2, "f32", "bf16"),
    ("H15 packed, max, prmt", "exp2-h15-f32-bf16x2", 2, "f32", "bf16"),
    ("H15 packed, sat, mads", "exp2-h15satmad-f32-bf16x2", 2, "f32", "bf16"),
    ("H15 packed, sat, prmt", "exp2-h15sat-f32-bf16x2", 2, "f32", "bf16"),
    ("H15 packed, no clamp, mads", "exp2-h15baremad-f32-bf16x2", 2, "f32", "bf16"),
    ("H15 packed, no clamp, prmt", "exp2-h15bare-f32-bf16x2", 2, "f32", "bf16"),
    ("H15 packed, sat, mads, folded", "exp2-h15satmad-f32-bf16x2", 2, "f32", "bf16", True),
    ("H15 packed, no clamp, mads, folded", "exp2-h15baremad-f32-bf16x2", 2, "f32", "bf16", True),
    ("H15 packed, no clamp, prmt, folded", "exp2-h15bare-f32-bf16x2", 2, "f32", "bf16", True),
    ("S7 packed, sat, folded", "exp2-lattice7sat-f32-bf16x2", 2, "f32", "bf16", True),
    ("S7 packed, no clamp, folded", "exp2-lattice7bare-f32-bf16x2", 2, "f32", "bf16", True),
    ("S7 packed, max", "exp2-lattice7-f32-bf16x2", 2, "f32", "bf16"),
    ("S7 packed, sat", "exp2-lattice7sat-f32-bf16x2", 2, "f32", "bf16"),
    ("S7 packed, no clamp", "exp2-lattice7bare-f32-bf16x2", 2, "f32", "bf16"),
    ("S10 packed, sat", "exp2-lattice10sat-f32-f16x2", 2, "f32", "f16"),
    ("S10 packed, no clamp", "exp2-lattice10bare-f32-f16x2", 2, "f32", "f16"),
    ("S5 f16x2", "exp2-lattice5-f16x2", 2, "f16", "f16"),
    ("S10 f16x2 (degree 1)", "exp2-d1packed-f16x2", 2, "f16", "f16"),
    ("D2 f16x2", "exp2-d2packed-f16x2", 2, "f16", "f16"),
    ("D2 packed f16 from f32", "exp2-d2packed-f32-f16x2", 2, "f32", "f16"),
    ("D2 packed bf16 from f32", "exp2-d2packed-f32-bf16x2", 2, "f32", "bf16"),
    ("hinge packed f16 from f32", "exp2-hingepacked-f32-f16x2", 2, "f32", "f16"),
    ("E8 from f32", "exp2-lattice3-f32-e4m3x4", 4, "f32", "f8E4M3FN"),
    ("E8 from f16x2", "exp2-lattice3-f16-e4m3x4", 4, "f16", "f8E4M3FN"),
    ("fma alone", None, 1, "f32", "f32"),
    ("fma alone, f16x2", None, 2, "f16", "f16"),
]
WIDTH = {"f32": 32, "bf16": 16, "f16": 16, "f8E4M3FN": 8}


def attributes(program, source, result, folded):
    """What poly-bench wants to know: the loop has an fma for each argument,
    unless the program absorbs it, and half a 3-input xor for each register of
    results."""
    arguments = ELEMENTS // (2 if source == "f16" else 1)
    results = ELEMENTS * (32 if program is None and source == "f32" else WIDTH[result]) // 32
    fma = "PackedFma" if source == "f16" else "F32Fma"
    entries = [f'family = "rates", function = "exp2", work = "exp2", argumentType = "{source}", type = "{result}"',
               f"perIteration = {ELEMENTS} : i64, valuesPerThread = {ELEMENTS} : i64",
               f"mix = {{{fma} = {0 if folded else arguments} : i64, Logic = {results // 2} : i64}}"]
    if program:
        entries.append(f'program = "{program}"')
    rounding = ", poly.round_offsets" if folded else ""
    return f"poly.kernel = {{{', '.join(entries)}}}{rounding}"


def kernel(program, lanes, source, result, folded=False):
    """The MLIR text of one variant."""
    lines = []
    add = lines.append
    add("gpu.module @rates {")
    add("  gpu.func @run(%in: memref<?xf32>, %out: memref<?xi32>, %count: index) kernel "
        f"attributes {{{attributes(program, source, result, folded)}}} {{")
    for i in range(ELEMENTS + 1):
        add(f"    %k{i} = arith.constant {i} : index")
    add("    %block = gpu.block_id x")
    add("    %dim = gpu.block_dim x")
    add("    %lane = gpu.thread_id x")
    add("    %first = arith.muli %block, %dim : index")
    add("    %thread = arith.addi %first, %lane : index")
    add(f"    %base = arith.muli %thread, %k{ELEMENTS} : index")
    for i in range(ELEMENTS):
        add(f"    %a{i} = arith.addi %base, %k{i} : index")
        add(f"    %s{i} = memref.load %in[%a{i}] : memref<?xf32>")
    pair = source == "f16"
    scalar = "vector<2xf16>" if pair else "f32"
    if pair:
        for i in range(0, ELEMENTS, 2):
            add(f"    %w{i} = vector.from_elements %s{i}, %s{i + 1} : vector<2xf32>")
            add(f"    %h{i} = arith.truncf %w{i} : vector<2xf32> to vector<2xf16>")
        add("    %c = arith.constant dense<1.0009765625> : vector<2xf16>")
        add("    %b0 = arith.constant dense<0.0> : vector<2xf16>")
        add("    %d = arith.constant dense<-0.0009765625> : vector<2xf16>")
    else:
        add("    %c = arith.constant 1.0009765625 : f32")
        add("    %b0 = arith.constant 0.0 : f32")
        add("    %d = arith.constant -0.00048828125 : f32")
    add("    %zero = arith.constant 0 : i32")
    clock = 'llvm.inline_asm has_side_effects asm_dialect = att "mov.u32 $0, %clock;", "=r,~{memory}"  : () -> i32'
    add("    gpu.barrier")
    add(f"    %start = {clock}")
    add(f"    %b, %sink = scf.for %i = %k0 to %count step %k1 iter_args(%bi = %b0, %acc0 = %zero) -> ({scalar}, i32) {{")
    flags = "fastmath<contract> " if folded else ""
    count = 0

    def consume(value):
        nonlocal count
        # Written out, so that no compiler moves a shift behind the xor.
        add(f'      %acc{count + 1} = llvm.inline_asm asm_dialect = att "xor.b32 $0, $1, $2;", "=r,r,r" %acc{count}, {value} : (i32, i32) -> i32')
        count += 1

    for i in range(0, ELEMENTS, 2 if pair else 1):
        if pair:
            add(f"      %x{i} = llvm.intr.fma(%h{i}, %c, %bi) : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> vector<2xf16>")
        else:
            add(f"      %x{i} = math.fma %s{i}, %c, %bi {flags}: f32")
    if program is None:
        for i in range(0, ELEMENTS, 2 if pair else 1):
            if pair:
                add(f"      %r{i} = llvm.bitcast %x{i} : vector<2xf16> to i32")
            else:
                add(f"      %r{i} = arith.bitcast %x{i} : f32 to i32")
            consume(f"%r{i}")
    elif lanes == 1:
        for i in range(ELEMENTS):
            add(f'      %y{i} = poly.apply <"{program}"> %x{i} : f32 to f32')
        for i in range(0, ELEMENTS, 2):
            add(f"      %p{i} = vector.from_elements %y{i}, %y{i + 1} : vector<2xf32>")
            add(f"      %t{i} = arith.truncf %p{i} : vector<2xf32> to vector<2x{result}>")
            add(f"      %r{i} = llvm.bitcast %t{i} : vector<2x{result}> to i32")
            consume(f"%r{i}")
    else:
        for i in range(0, ELEMENTS, lanes):
            if pair and lanes == 4:
                add(f"      %v{i} = vector.shuffle %x{i}, %x{i + 2} [0, 1, 2, 3] : vector<2xf16>, vector<2xf16>")
            elif not pair:
                names = ", ".join(f"%x{i + j}" for j in range(lanes))
                add(f"      %v{i} = vector.from_elements {names} : vector<{lanes}xf32>")
            argument = f"%x{i}" if pair and lanes == 2 else f"%v{i}"
            add(f'      %y{i} = poly.apply <"{program}"> {argument} : vector<{lanes}x{source}> to vector<{lanes}x{result}>')
            if result == "f8E4M3FN":
                add(f"      %q{i} = arith.bitcast %y{i} : vector<4xf8E4M3FN> to vector<4xi8>")
                add(f"      %r{i} = llvm.bitcast %q{i} : vector<4xi8> to i32")
            else:
                add(f"      %r{i} = llvm.bitcast %y{i} : vector<2x{result}> to i32")
            consume(f"%r{i}")
    add(f"      %bn = arith.addf %bi, %d : {scalar}")
    add(f"      scf.yield %bn, %acc{count} : {scalar}, i32")
    add("    }")
    add(f"    %stop = {clock}")
    add("    %three = arith.constant 3 : index")
    add("    %o0 = arith.muli %thread, %three : index")
    add("    %o1 = arith.addi %o0, %k1 : index")
    add("    %o2 = arith.addi %o0, %k2 : index")
    add("    memref.store %start, %out[%o0] : memref<?xi32>")
    add("    memref.store %stop, %out[%o1] : memref<?xi32>")
    add("    memref.store %sink, %out[%o2] : memref<?xi32>")
    add("    gpu.return\n  }\n}")
    return "\n".join(lines) + "\n"


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\nfailed:\n{result.stderr}")


def prepare(args):
    suite = os.path.join(args.out, "kernels", "rates")
    os.makedirs(suite, exist_ok=True)
    compiler = os.path.join(args.bin, "poly-compile")
    entries = []
    for index, (name, *variant) in enumerate(VARIANTS):
        stem = os.path.join(suite, f"rate{index}")
        with open(stem + ".mlir", "w", encoding="utf-8") as stream:
            stream.write(kernel(*variant))
        run([compiler, stem + ".mlir", "-o", stem + ".cubin", f"--metadata={stem}.json", f"--chip={args.chip}"])
        os.remove(stem + ".mlir")
        entries.append({"name": name, "variant": variant[0] or "none", "metadata": f"rate{index}.json"})
    with open(os.path.join(suite, "suite.json"), "w", encoding="utf-8") as stream:
        json.dump({"suite": "rates", "entries": entries}, stream, indent=2)
    exhaustive = []
    for program in ("exp2-h15-f32", "exp2-d3weight-f32", "exp2-d1weight-f32"):
        run([os.path.join(args.bin, "poly-expect"), os.path.join(args.out, "expect"), f"--programs={program}"])
        cubin = os.path.join(args.out, program + ".cubin")
        source = os.path.join(args.out, "expect", program + ".mlir")
        run([compiler, source, "-o", cubin, f"--chip={args.chip}"])
        exhaustive.append(f"{program}={program}.cubin")
    shutil.rmtree(os.path.join(args.out, "expect"))
    for tool in ("poly-bench", "poly-exhaustive-gpu"):
        shutil.copy2(os.path.join(args.bin, tool), args.out)
    with open(os.path.join(args.out, "run.sh"), "w", encoding="utf-8") as stream:
        stream.write("set -e\n")
        stream.write("./poly-bench rates --kernels=kernels -o $1/exponential-rates.json\n")
        stream.write(f"./poly-exhaustive-gpu -o $1/exhaustive-exponentials.json {' '.join(exhaustive)}\n")
    print(f"{len(entries)} kernels in {args.out}")


def main():
    parser = argparse.ArgumentParser(description="Measures exponential programs on a GPU.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("prepare", help="write and compile the kernels")
    command.add_argument("--bin", required=True, help="folder of poly's tools")
    command.add_argument("--out", required=True, help="folder to write")
    command.add_argument("--chip", default="sm_90", help="GPU, default sm_90")
    prepare(parser.parse_args())


if __name__ == "__main__":
    main()
