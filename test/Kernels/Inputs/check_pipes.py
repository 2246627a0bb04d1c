# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_pipes.py NVDISASM FOLDER: the kernels of the pipes suite consist of what
they are named after; ptxas has neither folded it nor added anything."""

import collections
import json
import os
import re
import subprocess
import sys

# Instructions outside of what is counted: loads, addresses, stores, the loop.
OTHERS = 90
# Opcodes of the PTX instructions; add may become either of two.
OPCODES = {
    "fma.rn.f32": "FFMA", "fma.rn.f16x2": "HFMA2", "fma.rn.bf16x2": "HFMA2", "neg.bf16x2": "HFMA2",
    "abs.bf16x2": "HFMA2", "min.bf16x2": "HMNMX2", "max.bf16x2": "HMNMX2", "min.f16x2": "HMNMX2",
    "max.f16x2": "HMNMX2", "min.f32": "FMNMX", "max.f32": "FMNMX", "lop3.b32": "LOP3", "shl.b32": "SHF",
    "add.s32": "IADD3|IMAD.IADD|VIADD", "mad.lo.s32": "IMAD", "cvt.rn.bf16x2.f32": "F2FP",
    "cvt.rn.f16x2.f32": "F2FP", "ex2.approx.ftz.f32": "MUFU.EX2", "ex2.approx.f32": "MUFU.EX2",
    "rcp.approx.ftz.f32": "MUFU.RCP", "tanh.approx.f32": "MUFU.TANH", "tanh.approx.bf16x2": "MUFU.TANH",
    "ex2.approx.ftz.bf16x2": "MUFU.EX2",
}
# Where one PTX instruction is more than one in SASS: a lane each, and the
# scaling of subnormal results.
FACTOR = {"tanh.approx.bf16x2": 2, "ex2.approx.ftz.bf16x2": 2}
SCALING = {"ex2.approx.f32": 3 * 128}


def main():
    nvdisasm, folder = sys.argv[1:]
    with open(os.path.join(folder, "suite.json"), encoding="utf-8") as stream:
        entries = json.load(stream)["entries"]
    for entry in entries:
        listing = subprocess.run([nvdisasm, "-c", os.path.join(folder, entry["image"])],
                                 capture_output=True, text=True, check=True).stdout
        opcodes = re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", listing, re.M)
        with open(os.path.join(folder, entry["metadata"]), encoding="utf-8") as stream:
            info = json.load(stream)["kernels"][0]["info"]
        parts = entry["instruction"].split("+")
        expected = collections.Counter()
        # 128 of each; half of that in a mix of independent chains; the fma of the
        # other mix is there four times.
        each = info["perIteration"] // len(parts)
        if parts == ["fma.rn.f32", "ex2.approx.ftz.f32"]:
            expected.update({"FFMA": 512, "MUFU.EX2": 128})
        else:
            for part in parts:
                expected[OPCODES[part]] += each * FACTOR.get(part, 1)
        for names, count in expected.items():
            found = sum(opcode.startswith(tuple(names.split("|"))) for opcode in opcodes)
            if found < count or found > count + 10:
                sys.exit(f"{entry['name']}: {found} {names}, expected {count}")
        others = len(opcodes) - sum(expected.values()) - sum(SCALING.get(part, 0) for part in parts)
        if others > OTHERS:
            sys.exit(f"{entry['name']}: {others} other instructions: {collections.Counter(opcodes)}")
    print(f"{len(entries)} pipes")


main()
