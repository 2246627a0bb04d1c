#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions that an attention kernel has for each score, by pipe.

  attention_pipes.py FOLDER [--only=REGEX] [--nvdisasm=PATH]

Reads the machine code of the compiled kernels in FOLDER (NAME.json beside its image)
and counts the loop over tiles of keys that nothing masks: thread instructions for
each score, of the special function unit (XU), the ALU and the FMA pipe, and all
together with what is on no such pipe. Waits are counted as if they never repeat.
Needs no GPU.
"""

import argparse
import json
import os
import re
import subprocess
import sys

import kernel_check
from machine_code import read, shortest_product_loop

# Of sm_90; which pipe has what is documented with Nsight Compute's metrics.
PIPES = {
    "XU": r"MUFU|F2F|F2I|I2F|POPC|FLO",
    "ALU": r"FMNMX|FSETP?|FSEL|ISETP|SEL|LOP3|PLOP3|PRMT|SHF|IADD3|LEA|VIMNMX|HMNMX2|"
           r"F2FP|IABS|SGXT|BMSK|P2R|R2P",
    "FMA": r"FFMA|FMUL|FADD|HFMA2|HADD2|HMUL2|IMAD",
}
THREADS = 32


def pipe_of(opcode):
    for pipe, pattern in PIPES.items():
        if re.fullmatch(rf"({pattern})(\..*)?", opcode):
            return pipe
    return None


def count(body, info):
    """Instructions of a thread for each of its scores in one tile of keys."""
    # A warp has 16 rows of a tile's scores.
    scores = 16 * info["keyRows"] / THREADS
    counts = dict.fromkeys([*PIPES, "all"], 0)
    for opcode in body:
        counts["all"] += 1
        if pipe := pipe_of(opcode):
            counts[pipe] += 1
    return {name: number / scores for name, number in counts.items()}


def disassemble(nvdisasm, image):
    try:
        done = subprocess.run([nvdisasm, "-c", image], capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"attention_pipes.py: error: {nvdisasm}: {error.strerror}; name it "
                 f"by --nvdisasm")
    if done.returncode:
        sys.exit(f"attention_pipes.py: error: {image}: {done.stderr.strip()[:300]}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    options = parser.parse_args()
    files = kernel_check.kernel_files(options.folder, "attention", options.only)
    if not files:
        sys.exit(f"attention_pipes.py: error: no attention kernels in "
                 f"{options.folder}; compile some with poly-compile --metadata")
    print(f"{'kernel':40s} {'XU':>6s} {'ALU':>6s} {'FMA':>6s} {'all':>6s}")
    for path in files:
        with open(path) as file:
            meta = json.load(file)
        info = next(k["info"] for k in meta["kernels"]
                    if k["info"].get("family") == "attention")
        image = os.path.join(options.folder, meta["image"])
        body = shortest_product_loop(*read(disassemble(options.nvdisasm, image)))
        if not body:
            sys.exit(f"attention_pipes.py: error: {image} has no loop of products")
        row = count(body, info)
        print(f"{kernel_check.stem(path):40s} "
              + " ".join(f"{row[name]:6.2f}" for name in [*PIPES, "all"]))


if __name__ == "__main__":
    main()
