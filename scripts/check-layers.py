#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that includes point in one direction only.

usage: check-layers.py [ROOT]

Each layer lists the layers of poly whose headers it may include and the outside
projects it may use. A finding is printed as path:line: message; the exit code
is 1 when there is one.
"""

import os
import re
import sys

# layer: (layers of poly it may include besides itself, outside projects)
RULES = {
    "Target": (set(), set()),
    "Program": ({"Target"}, {"llvm"}),
    "Fit": ({"Program", "Target"}, {"llvm"}),
    "Dialect": ({"Program", "Target"}, {"llvm", "mlir"}),
    "Transforms": ({"Dialect", "Program", "Target"}, {"llvm", "mlir"}),
    "Conversion": ({"Dialect", "Program", "Target"}, {"llvm", "mlir"}),
    "Pipelines": (
        {"Transforms", "Conversion", "Dialect", "Program", "Target"},
        {"llvm", "mlir"},
    ),
    "CAPI": (
        {"Pipelines", "Transforms", "Conversion", "Dialect", "Program", "Target"},
        {"llvm", "mlir", "mlir-c"},
    ),
    # The .ptx or .cubin file and its JSON are all that runtime knows of poly.
    "runtime": (set(), set()),
    "kernels": (set(), {"llvm", "mlir"}),
}

SOURCES = (".h", ".cpp", ".td", ".inc", ".def")
INCLUDE = re.compile(r'^\s*#?\s*include\s*[<"]([^>"]+)[>"]')
OUTSIDE = ("llvm", "mlir", "llvm-c", "mlir-c")


def layer_of(path):
    """The layer of a file given relative to the root, or None."""
    parts = path.split(os.sep)
    if parts[0] in ("runtime", "kernels"):
        return parts[0]
    if parts[0] == "lib" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ["include", "poly"] and len(parts) > 3:
        return parts[2]
    if parts[:2] == ["include", "poly-c"]:
        return "CAPI"
    return None


def check_file(root, path, layer):
    """Yields (line, message) for each include that breaks the rule."""
    allowed, outside = RULES[layer]
    with open(os.path.join(root, path), encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(1)
            first, _, rest = target.partition("/")
            if first == "poly":
                other = rest.split("/")[0]
                if other != layer and other not in allowed:
                    yield number, f"{layer} must not include {target}"
            elif first == "poly-c":
                if layer != "CAPI":
                    yield number, f"{layer} must not include {target}"
            elif first in OUTSIDE and first not in outside:
                yield number, f"{layer} must not use {first} ({target})"
            elif ".." in target.split("/"):
                found = os.path.normpath(os.path.join(os.path.dirname(path), target))
                if layer_of(found) != layer:
                    yield number, f"{layer} must not include {found}"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    root = os.path.abspath(root)
    findings = files = 0
    for top in ("include", "lib", "runtime", "kernels"):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(names):
                if not name.endswith(SOURCES):
                    continue
                path = os.path.relpath(os.path.join(folder, name), root)
                layer = layer_of(path)
                if layer is None:
                    continue
                if layer not in RULES:
                    print(f"{path}:1: no rule for layer '{layer}'; add one to {sys.argv[0]}")
                    findings += 1
                    continue
                files += 1
                for line, message in check_file(root, path, layer):
                    print(f"{path}:{line}: {message}")
                    findings += 1
    if not files:
        print(f"check-layers: no sources below {root}")
        return 1
    print(f"check-layers: {files} files, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
