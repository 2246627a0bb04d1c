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


def read(disassembly):
    """The opcodes, modifiers included, and the loops as pairs of positions."""
    opcodes, labels, jumps, exits = [], {}, [], []
    for line in disassembly.splitlines():
        if label := re.match(r"\s*(\.L_x_\d+):", line):
            labels[label[1]] = len(opcodes)
        code = re.match(r"\s*/\*[0-9a-f]+\*/\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)(.*)", line)
        if not code:
            continue
        if target := re.search(r"`\((\.L_x_\d+)\)", code[3]):
            jumps.append((len(opcodes), target[1]))
        if code[2] == "EXIT" and not code[1]:
            exits.append(len(opcodes))
        opcodes.append(code[2])
    loops = []
    for last, target in jumps:
        first = labels.get(target, last)
        # What stands behind the end and jumps back is the slow path of a wait.
        if first < last and not any(first < e < last for e in exits):
            loops.append((first, last))
    return opcodes, loops


def has_product(opcodes):
    return any(o.startswith("HGMMA") for o in opcodes)


def has_fence(opcodes, loops):
    bodies = [opcodes[first : last + 1] for first, last in loops]
    shortest = min(filter(has_product, bodies), key=len)
    if any(o.startswith("MEMBAR") for o in shortest):
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
