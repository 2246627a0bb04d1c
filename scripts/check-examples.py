#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of the documentation.

usage: check-examples.py --poly-opt build/ci/bin/poly-opt FILE|FOLDER...

Every ```mlir block of the files must parse and verify. A block announced by a
line "Before `poly-opt OPTIONS`:" is run with these options, and the result must
be the next block, announced by "After:".
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import textwrap

FENCE = re.compile(r"^( *)```mlir\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def run(poly_opt, options, text):
    """The module printed by poly-opt, or None and its message."""
    result = subprocess.run(
        [poly_opt, *options, "-"], input=text, capture_output=True, text=True
    )
    return (result.stdout, "") if result.returncode == 0 else (None, result.stderr)


def check(poly_opt, path):
    source = open(path, encoding="utf-8").read()
    problems, count, pending = [], 0, None
    for match in FENCE.finditer(source):
        count += 1
        line = source.count("\n", 0, match.start()) + 2
        code = textwrap.dedent(match.group(2))
        if "poly." in code and "func" not in code:
            # Single operations: give them values to use.
            defined = set(re.findall(r"^\s*(%\w+) =", code, re.MULTILINE))
            problems += check_fragment(poly_opt, path, line, code, defined)
            continue
        printed, message = run(poly_opt, [], code)
        if printed is None:
            problems.append(f"{path}:{line}: does not verify:\n{message}")
            continue
        before = source[: match.start()].rstrip().rsplit("\n", 1)[-1].strip()
        command = re.fullmatch(r"Before `poly-opt (.*)`:", before)
        if command:
            result, message = run(poly_opt, command.group(1).split(), code)
            if result is None:
                problems.append(f"{path}:{line}: fails:\n{message}")
            pending = result
        elif before == "After:":
            if pending is None:
                problems.append(f"{path}:{line}: no example before this one")
            elif pending != printed:
                problems.append(f"{path}:{line}: the passes give instead:\n{pending}")
            pending = None
    if pending is not None:
        problems.append(f"{path}: the last example has no result")
    return count, problems


def check_fragment(poly_opt, path, line, code, defined):
    """Checks lone operations by wrapping them into a function."""
    uses = {}
    for operation in code.strip().splitlines():
        types = operation.rsplit(" : ", 1)[-1].split(" to ")[0].strip()
        for value in re.findall(r"%\w+", operation.split("=", 1)[1]):
            if value not in defined:
                uses[value] = types
    arguments = ", ".join(f"{value}: {kind}" for value, kind in uses.items())
    wrapped = f"func.func @f({arguments}) {{\n{code}\nreturn\n}}\n"
    printed, message = run(poly_opt, [], wrapped)
    return [] if printed is not None else [f"{path}:{line}: does not verify:\n{message}"]


def main():
    parser = argparse.ArgumentParser(description="Run the examples of the documentation.")
    parser.add_argument("--poly-opt", required=True)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    total, problems = 0, []
    files = []
    for path in args.files:
        if os.path.isdir(path):
            files += sorted(glob.glob(os.path.join(path, "*.md")))
        else:
            files.append(path)
    for path in files:
        count, found = check(args.poly_opt, path)
        total += count
        problems += found
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{total} examples, {len(problems)} problems")
    return 1 if problems or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
