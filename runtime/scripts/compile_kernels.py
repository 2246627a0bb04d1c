#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the kernels that poly-bench measures.

  compile_kernels.py --bin build/release/bin --out DIR [--only SUITE] [--ptx]

Every entry of kernels/benchmarks.json becomes DIR/SUITE/NAME.cubin with its
metadata NAME.json, and DIR/SUITE/suite.json lists the suite:

  {"suite": "silu", "chip": "sm_90a", "entries": [
    {"name": "polynomial-v2", "variant": "polynomial", "image": "polynomial-v2.cubin",
     "metadata": "polynomial-v2.json", "source": "elementwise --function=silu ...",
     "options": "--budget=atol=2e-2", "programs": ["silu-half4c-bf16x2"],
     "certifiedError": {"maxAbs": 0.017, "maxRel": ...}, "vectors": 2}]}

with the values of the template's keys at the end. A suite appears when all of its
entries are compiled; what was in its folder before goes away.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
ENTRIES = os.path.join(ROOT, "kernels", "benchmarks.json")
KNOWN = {"name", "source", "keys", "variants", "errorLimit"}


class Failure(Exception):
    pass


def expand(suite, template):
    """The entries of one template."""
    where = f"{suite}: template '{template.get('name', '?')}'"
    if unknown := set(template) - KNOWN:
        raise Failure(f"{where} has unknown members: {', '.join(sorted(unknown))}")
    for needed in ("name", "source", "variants"):
        if needed not in template:
            raise Failure(f"{where} has no '{needed}'")
    keys = template.get("keys", {})
    for values in itertools.product(*keys.values()):
        chosen = dict(zip(keys, values))
        for variant, options in template["variants"].items():
            try:
                entry = {
                    "name": template["name"].format(variant=variant, **chosen).replace("+", "-"),
                    "variant": variant,
                    "source": template["source"].format(**chosen),
                    "options": options.format(**chosen),
                }
            except KeyError as error:
                raise Failure(f"{where} uses {{{error.args[0]}}}, which is none of its keys") from error
            if "errorLimit" in template:
                entry["errorLimit"] = template["errorLimit"]
            yield entry, chosen


def read_suites(path, only):
    try:
        with open(path, encoding="utf-8") as stream:
            suites = json.load(stream)["suites"]
    except (OSError, ValueError, KeyError) as error:
        raise Failure(f"{path}: {error!r}") from error
    if only:
        if missing := [name for name in only if name not in suites]:
            raise Failure(f"unknown suite '{missing[0]}'; {path} has {', '.join(suites)}")
        suites = {name: suites[name] for name in only}
    expanded = {}
    for suite, templates in suites.items():
        entries = [pair for template in templates for pair in expand(suite, template)]
        names = [entry["name"] for entry, _ in entries]
        if twice := {name for name in names if names.count(name) > 1}:
            raise Failure(f"{suite}: more than one entry is called '{min(twice)}'")
        expanded[suite] = entries
    return expanded


def tool(folder, name):
    path = os.path.join(folder, name)
    if not os.access(path, os.X_OK):
        raise Failure(f"{path} is not there; build the target {name}")
    return path


def run(what, command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise Failure(f"{what}: {' '.join(command)} failed:\n{result.stderr.rstrip()}")


def certified(sites):
    """Programs and the largest errors of the applied sites."""
    applied = [site for site in sites if site["decision"] == "applied"]
    details = {"programs": sorted({site["program"] for site in applied})}
    errors = [site["error"] for site in applied if site["error"]]
    if errors:
        details["certifiedError"] = {
            key: max(values) if all(value is not None for value in values) else None
            for key in ("maxAbs", "maxRel")
            for values in [[error[key] for error in errors]]
        }
    return details


def compile_entry(args, suite, folder, entry, chosen):
    what = f"{suite}/{entry['name']}"
    stem = os.path.join(folder, entry["name"])
    source = stem + ".mlir"
    image = stem + (".ptx" if args.ptx else ".cubin")
    run(what, [tool(args.bin, "poly-kernel"), *entry["source"].split(), "-o", source])
    command = [tool(args.bin, "poly-compile"), source, "-o", image, f"--metadata={stem}.json", f"--chip={args.chip}"]
    if args.ptxas:
        command.append(f"--ptxas={args.ptxas}")
    # Tables are named as they lie in the sources.
    for option in entry["options"].split():
        name, _, value = option.partition("=")
        command.append(f"{name}={os.path.join(ROOT, value)}" if name == "--tuning" else option)
    run(what, command)
    os.remove(source)
    with open(stem + ".json", encoding="utf-8") as stream:
        sites = json.load(stream)["sites"]
    # A budget or a named program that leaves every site alone measures nothing; that a table
    # prefers the source does.
    wants = "--budget" in entry["options"] or "--programs" in entry["options"]
    wants = wants and "--tuning" not in entry["options"]
    if wants and not any(site["decision"] == "applied" for site in sites):
        reasons = {site["reason"] for site in sites} or {"no site was recognised"}
        raise Failure(f"{what}: no program was put in with {entry['options']}: {min(reasons)}")
    return {
        "name": entry["name"],
        "variant": entry["variant"],
        "image": os.path.basename(image),
        "metadata": entry["name"] + ".json",
        **{key: entry[key] for key in ("source", "options", "errorLimit") if key in entry},
        **certified(sites),
        **chosen,
    }


def compile_suites(args, suites):
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for suite, entries in suites.items():
            folder = os.path.join(args.out, suite)
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            futures = [pool.submit(compile_entry, args, suite, folder, *pair) for pair in entries]
            try:
                rows = [future.result() for future in futures]
            except Failure:
                for future in futures:
                    future.cancel()
                raise
            report = {"suite": suite, "chip": args.chip, "entries": rows}
            temporary = os.path.join(folder, "suite.json.part")
            with open(temporary, "w", encoding="utf-8") as stream:
                json.dump(report, stream, indent=1)
                stream.write("\n")
            os.replace(temporary, os.path.join(folder, "suite.json"))
            print(f"{suite}: {len(rows)} kernels", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Compiles the kernels that poly-bench measures.")
    parser.add_argument("--bin", required=True, help="folder of poly-kernel and poly-compile")
    parser.add_argument("--out", required=True, help="folder to write; one folder a suite below it")
    parser.add_argument("--only", action="append", metavar="SUITE", help="this suite; may be repeated")
    parser.add_argument("--entries", default=ENTRIES, help="default kernels/benchmarks.json")
    parser.add_argument("--chip", default="sm_90a", help="GPU, default sm_90a")
    parser.add_argument("--ptx", action="store_true", help="write PTX, which needs no ptxas, instead of cubin")
    parser.add_argument("--ptxas", help="path of ptxas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilations at a time")
    parser.add_argument("--list", action="store_true", help="print the entries and compile nothing")
    args = parser.parse_args()
    try:
        suites = read_suites(args.entries, args.only)
        if args.list:
            for suite, entries in suites.items():
                for entry, _ in entries:
                    print(f"{suite}/{entry['name']}: {entry['source']} | {entry['options']}")
            return 0
        compile_suites(args, suites)
    except (Failure, OSError) as error:
        print(f"compile_kernels.py: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
