#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what poly-compile chose with the best measured variant of the kernel.

  attention_auto.py SUITE.json RESULT.json [--most=1.02] [--error=0.05] [--out=FILE]

SUITE.json lists the kernels of kernels/tuning/attention.json as they were compiled,
RESULT.json is what `poly-bench attention` measured of them. Variants of one source,
at one piece of work, are compared: `auto` with all whose results may be off by no more
than --error. The others, lattices that a user has to name for poly-plan to use them
(their errorLimit says so), are listed with the error that they had. Exits with 1
if auto takes more than --most times as long as the best, or was not measured.
"""

import argparse
import json
import sys


def read(path):
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    except (OSError, ValueError) as error:
        sys.exit(f"attention_auto.py: error: {path}: {error}")


def source_of(entry):
    """What the kernel is, whatever it is compiled with."""
    words = {word for word in entry["source"].split() if word != "--type=bf16"}
    return " ".join(sorted(words))


def compare(entries, rows, error):
    """A comparison for each source and work that has an auto variant."""
    groups = {}
    for row in rows:
        entry = entries.get(row["variant"])
        if entry and row.get("correct", True) and "median" in row:
            groups.setdefault((source_of(entry), row["work"]), []).append((entry, row))
    found = []
    for (source, work), measured in groups.items():

        def is_loose(entry):
            return entry.get("errorLimit", 0) > error

        times = {e["name"]: r["median"] for e, r in measured if not is_loose(e)}
        autos = [e for e, _ in measured if e["variant"] == "auto"]
        if not autos:
            continue
        auto = autos[0]
        best = min(times, key=times.get)
        found.append({
            "work": work, "auto": auto["name"], "programs": auto["programs"],
            "best": best, "ratio": times[auto["name"]] / times[best],
            "named": {
                e["name"]: {
                    "ratio": r["median"] / times[best],
                    "error": r.get("details", {}).get("relativeNormError"),
                }
                for e, r in measured if is_loose(e)
            },
        })
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("suite")
    parser.add_argument("result")
    parser.add_argument("--most", type=float, default=1.02)
    parser.add_argument("--out", default="")
    parser.add_argument("--error", type=float, default=0.05)
    options = parser.parse_args()
    entries = {e["name"]: e for e in read(options.suite)["entries"]}
    rows = read(options.result)["rows"]
    found = compare(entries, rows, options.error)
    works = {(source_of(entries[r["variant"]]), r["work"])
             for r in rows if r["variant"] in entries}
    missing = len(works) - len(found)
    for row in found:
        bad = "  TOO SLOW" if row["ratio"] > options.most else ""
        named = "".join(
            f"  {name} {other['ratio']:.3f}" for name, other in row["named"].items()
        )
        print(
            f"{row['ratio']:.3f} of {row['best']}: {row['auto']} "
            f"({'+'.join(row['programs']) or 'native'}), {row['work']}{bad}{named}"
        )
    if missing or not found:
        print(f"attention_auto.py: {missing} kernels have no auto variant that was right")
    if options.out:
        with open(options.out, "w", encoding="utf-8") as stream:
            json.dump({"version": 1, "most": options.most, "rows": found}, stream, indent=1)
            stream.write("\n")
    too_slow = any(row["ratio"] > options.most for row in found)
    return 1 if too_slow or missing or not found else 0


if __name__ == "__main__":
    sys.exit(main())
