#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the MLIR examples of a Markdown file.

usage: run_examples.py POLY-OPT FILE.md...

Every ```mlir block must be announced by an HTML comment on the line before it:

  <!-- example: ARGUMENTS -->   the block goes through poly-opt ARGUMENTS
  <!-- output -->               the lines of the block appear, in this order, in
                                the output of the last example
"""

import re
import subprocess
import sys

EXAMPLE = re.compile(r"^<!-- example:(.*)-->$")


def normalise(line):
    return " ".join(line.split())


def check_output(where, block, output):
    """Yields a message when the block's lines are not in the output in order."""
    lines = [normalise(line) for line in output.splitlines()]
    position = 0
    for line in block:
        wanted = normalise(line)
        if not wanted or wanted == "...":
            continue
        try:
            position = lines.index(wanted, position) + 1
        except ValueError:
            yield f"{where}: the output has no line\n  {wanted}\nafter line {position} of\n{output}"
            return


def run_file(poly_opt, path):
    """Returns (blocks, messages)."""
    with open(path, encoding="utf-8") as source:
        lines = source.read().splitlines()
    messages, blocks, output = [], 0, None
    index = 0
    while index < len(lines):
        if lines[index] != "```mlir":
            index += 1
            continue
        end = lines.index("```", index)
        where = f"{path}:{index + 1}"
        block = lines[index + 1 : end]
        marker = lines[index - 1] if index else ""
        example = EXAMPLE.match(marker)
        blocks += 1
        if example:
            result = subprocess.run(
                [poly_opt, *example.group(1).split()],
                input="\n".join(block) + "\n",
                capture_output=True,
                text=True,
            )
            output = result.stdout
            if result.returncode:
                messages.append(f"{where}: poly-opt failed:\n{result.stderr}")
        elif marker == "<!-- output -->" and output is not None:
            messages.extend(check_output(where, block, output))
        else:
            messages.append(f"{where}: no <!-- example: ... --> or <!-- output --> before the block")
        index = end + 1
    return blocks, messages


def main():
    poly_opt, *paths = sys.argv[1:]
    total = 0
    failures = []
    for path in paths:
        blocks, messages = run_file(poly_opt, path)
        total += blocks
        failures += messages
    for message in failures:
        print(message)
    print(f"{total} examples, {len(failures)} failures")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main())
