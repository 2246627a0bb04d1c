#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels down to machine code and prints what they take.

usage: ptxas_table.py POLY_BIN PTXAS FOLDER < variants

A line of variants is: NAME | poly-kernel's arguments | poly-compile's arguments.
For each, prints its name, registers, barriers and bytes of dynamic shared memory
(of several kernels in one file the largest of each);
or, in upper case, what must not be: a warning of ptxas about serialised matrix
products (C75xx), spills, a stack frame. The exit code is 1 then.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        raise RuntimeError(f"{os.path.basename(command[0])}: {text.strip()[:400]}")
    return text


def most(values):
    """Of the kernels of a file, the largest number."""
    return max((int(value) for value in values), default=0)


def describe(line, tools, ptxas, folder):
    name, kernel, options = (part.strip() for part in line.split("|"))
    path = os.path.join(folder, name)
    try:
        run(
            os.path.join(tools, "poly-kernel"),
            *shlex.split(kernel),
            "-o",
            path + ".mlir",
        )
        run(
            os.path.join(tools, "poly-compile"),
            path + ".mlir",
            "--chip=sm_90a",
            *shlex.split(options),
            "-o",
            path + ".ptx",
            f"--metadata={path}.json",
        )
        log = run(ptxas, "-arch=sm_90a", "-v", path + ".ptx", "-o", path + ".cubin")
    except RuntimeError as error:
        return f"{name} FAILED {error}", False
    problems = re.findall(r"\(C75\d\d\)[^\n]*", log)
    for count, what in re.findall(r"(\d+) bytes (stack frame|spill \w+)", log):
        if int(count):
            problems.append(f"{count} BYTES {what.upper()}")
    registers = most(re.findall(r"Used (\d+) registers", log))
    barriers = most(re.findall(r"used (\d+) barriers", log))
    kernels = json.load(open(path + ".json"))["kernels"]
    shared = most(kernel["dynamicSharedBytes"] for kernel in kernels)
    row = f"{name} registers {registers} barriers {barriers} shared {shared}"
    return " ".join([row] + problems), not problems


def main():
    tools, ptxas, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    lines = [l for l in sys.stdin.read().split("\n") if l.count("|") == 2]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda l: describe(l, tools, ptxas, folder), lines))
    for row, _ in rows:
        print(row)
    return 0 if rows and all(good for _, good in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
