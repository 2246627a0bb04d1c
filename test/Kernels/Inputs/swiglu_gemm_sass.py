#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels down to machine code and prints what is in it.

usage: swiglu_gemm_sass.py PTXAS NVDISASM FOLDER < variants

A line of variants is: NAME | poly-kernel's arguments | poly-compile's arguments.
For each, prints its name, the words "serialised", "spills" and "stack" if ptxas
says so, "membar" if a loop has a fence of the whole GPU or a loop of matrix
products any, and how many of the opcodes below there are.
"""

import concurrent.futures
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), *[".."] * 3, "runtime",
                                "scripts"))

from machine_code import read, shortest_product_loop

# Tile orders divide whole numbers, with as many reciprocals as ptxas likes: what is
# counted of the special-function unit is what only activations use.
OPCODES = (
    "CALL", "FCHK", "HGMMA", "MUFU.EX2", "MUFU.TANH", "HFMA2", "F2FP", "FFMA", "MEMBAR",
)


def run(command, **options):
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stdout}")
    return done.stdout


def has_fence(opcodes, loops):
    bodies = [opcodes[first : last + 1] for first, last in loops]
    if any(o.startswith("MEMBAR") for o in shortest_product_loop(opcodes, loops)):
        return True
    return any(
        o.startswith("MEMBAR") and ("GPU" in o or "SYS" in o)
        for body in bodies
        for o in body
    )


def describe(variant, ptxas, nvdisasm, folder):
    name, source, options = (field.strip() for field in variant.split("|"))
    base = os.path.join(folder, name)
    run(["poly-kernel", *source.split(), "-o", base + ".mlir"])
    run(["poly-compile", base + ".mlir", "--chip=sm_90a", *options.split(), "-o",
         base + ".ptx"])
    said = run([ptxas, "-arch=sm_90a", "-v", base + ".ptx", "-o", base + ".cubin"])
    words = [name]
    if "C75" in said:
        words.append("serialised")
    if re.search(r"[1-9]\d* bytes spill", said):
        words.append("spills")
    if re.search(r"[1-9]\d* bytes stack", said):
        words.append("stack")
    opcodes, loops = read(run([nvdisasm, "-c", base + ".cubin"]))
    if any(o.startswith(("LDL", "STL")) for o in opcodes):
        words.append("local")
    if has_fence(opcodes, loops):
        words.append("membar")
    for opcode in OPCODES:
        count = sum((o + ".").startswith(opcode + ".") for o in opcodes)
        words.append(f"{opcode} {count}")
    return " ".join(words)


def main():
    ptxas, nvdisasm, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    variants = [l for l in sys.stdin.read().splitlines() if l.strip()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for line in pool.map(
            lambda v: describe(v, ptxas, nvdisasm, folder), variants
        ):
            print(line)


if __name__ == "__main__":
    main()
