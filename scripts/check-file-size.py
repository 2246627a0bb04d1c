#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no hand-written file exceeds 800 lines and each has its licence.

usage: check-file-size.py [ROOT]

Files in folders named Tables or generated are exempt: tools write them.
"""

import os
import sys

LIMIT = 800
TEXT = (".h", ".cpp", ".td", ".py", ".sh", ".cmake", ".mlir", ".md", ".inc", ".test")
LICENSED = (".h", ".cpp", ".td")
LICENSE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
EXEMPT = {"Tables", "generated", "results"}


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))
    findings = files = 0
    for folder, folders, names in os.walk(root):
        top = folder == root
        folders[:] = sorted(
            f for f in folders
            if f not in EXEMPT and not f.startswith(".") and not (top and f.startswith("build"))
        )
        for name in sorted(names):
            if not (name.endswith(TEXT) or name == "CMakeLists.txt"):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as source:
                text = source.read()
            shown = os.path.relpath(path, root)
            files += 1
            lines = text.count("\n")
            if lines > LIMIT:
                print(f"{shown}:{lines}: longer than {LIMIT} lines; split it")
                findings += 1
            if name.endswith(LICENSED) and LICENSE not in text[:1000]:
                print(f"{shown}:1: no licence header")
                findings += 1
    print(f"check-file-size: {files} files, {findings} findings")
    return 1 if findings or not files else 0


if __name__ == "__main__":
    sys.exit(main())
