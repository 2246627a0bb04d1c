# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what `nvdisasm -c` writes of a kernel."""

import re


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
    """Whether there is a matrix product of a warpgroup."""
    return any(o.startswith("HGMMA") for o in opcodes)


def shortest_product_loop(opcodes, loops):
    """The opcodes of the innermost loop of matrix products; of several, the
    shortest. None without one."""
    bodies = [opcodes[first : last + 1] for first, last in loops]
    return min(filter(has_product, bodies), key=len, default=None)
