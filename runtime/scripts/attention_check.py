#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times compiled attention kernels on a Hopper GPU.

usage: attention_check.py FOLDER [--out=result.json] [--only=REGEX] [--no-time]
                          [--seconds=280] [--shapes=A,B,C]
                          [--peers=cudnn,flash,flex] [--rounds=7] [--quick]

FOLDER holds what poly-compile wrote: a .json per kernel with its .cubin or .ptx
beside it. Each kernel is first compared with float64 on fresh random inputs: odd
lengths, different numbers of queries and keys, grouped heads, both layouts, wide
scores, outputs that were NaN before, more tiles than multiprocessors, and 20
reruns that must agree in every bit. Only kernels that pass are timed, cold (one
launch after the other, idle before) and hot (rounds in random order at the power
limit), beside PyTorch's cuDNN and flash attention, and its FlexAttention where
asked for: with the softcap as score function where the kernels have one. A row says
how many times as fast as its peers a kernel is; a sigmoid's peer is the kernel of
the same frame with score=identity.

Needs PyTorch and the CUDA driver. The kernels run in a child process, so that a
kernel that hangs costs one variant and not the run.
"""

import ctypes
import json
import math
import os
import sys
import time

import attention_peers
import kernel_check
from kernel_check import block_time, hot_rounds, median, stem

FAMILY = "attention"
# Batches, query heads, key heads, queries, keys.
CHECKS = [
    (2, 4, 2, 512, 512),
    (1, 2, 1, 1000, 1000),
    (3, 3, 3, 77, 77),
    (2, 8, 2, 333, 517),
    (1, 2, 2, 517, 333),
    (1, 16, 16, 1, 129),  # Heads for a large weight, where each row has one.
    (1, 2, 1, 130, 1),
    (1, 4, 2, 700, 500),
    (2, 16, 4, 2048, 2048),
    (1, 40, 40, 640, 640),
]
# For compute-sanitizer: three tiles of queries for each of a few blocks.
QUICK_CHECKS = [(1, 4, 2, 300, 300)]
QUICK_BLOCKS = 4
# The same with a name; timed with and without a mask by the kernel's kind.
SHAPES = {
    "A": (1, 32, 8, 4096, 4096),
    "B": (1, 16, 16, 8192, 8192),
    "E": (4, 32, 8, 1024, 1024),
    "F": (2, 16, 16, 2048, 2048),
    "G": (1, 16, 16, 16384, 16384),
}
# A kernel's peers have the same kind of score.
PEER_SCORES = {"sigmoid": "identity"}
DEFAULT_CAP = 30.0
# Relative errors of native kernels.
LIMITS = {"bf16": 6e-3, "f16": 1.5e-3}
# Octaves that scores may reach without a clamp, as kernels/attention has it.
GREATEST_BOUNDED_SCORE = 62.5


class Kernel:
    def __init__(self, driver, path):
        self.driver = driver
        self.name = stem(path)
        with open(path) as file:
            self.meta = json.load(file)
        kernel = next(
            k for k in self.meta["kernels"] if k["info"].get("family") == FAMILY
        )
        self.info = kernel["info"]
        self.threads = kernel["blockSize"][0]
        self.shared = kernel.get("dynamicSharedBytes") or self.info["dynamicSharedBytes"]
        image = os.path.join(os.path.dirname(path), self.meta["image"])
        self.function = driver.load(image, kernel["name"], self.shared)
        self.most_blocks = None
        self.kind = self.info["type"]
        self.causal = self.info["causal"]
        self.score = self.info["score"]
        self.dim = self.info["headDim"]

    def launcher(self, q, k, v, out, options, lse=None):
        """A function that launches, for [batch, heads, length, dim] views."""
        import torch

        demand(self.info, q, k, v, out, lse, options["scale"])
        batches, heads, queries, _ = q.shape
        values = {
            "logSumExp": ctypes.c_void_p(lse.data_ptr() if lse is not None else 0),
            "queryLength": ctypes.c_int32(queries),
            "keyLength": ctypes.c_int32(k.shape[2]),
            "batches": ctypes.c_int32(batches),
            "heads": ctypes.c_int32(heads),
            "headsPerKeyHead": ctypes.c_int32(heads // k.shape[1]),
            "causalShift": ctypes.c_int32(options.get("shift", 0)),
            "scale": ctypes.c_float(options["scale"]),
            "cap": ctypes.c_float(options["cap"]),
            "bias": ctypes.c_float(options["bias"]),
        }
        arrays = {"query": q, "key": k, "value": v, "output": out}
        keep = []
        for spec in self.info["tensorMaps"]:
            storage, address = self.driver.tensor_map(
                arrays[spec["name"]], self.kind, spec
            )
            keep.append(storage)
            values[spec["name"] + "Map"] = address
        tiles = -(-queries // self.info["queryRows"]) * batches * heads
        blocks = self.most_blocks
        blocks = blocks or torch.cuda.get_device_properties(0).multi_processor_count
        launch = self.driver.launcher(
            self.function, min(tiles, blocks), self.threads, self.shared,
            [values[n] for n in self.info["arguments"]],
        )
        launch.arrays = (q, k, v, out, lse, keep)
        return launch


def demand(info, q, k, v, out, lse, scale):
    """Raises ValueError where arrays are none that the kernel can take.

    What the tensor maps ask of pointers and strides, Driver.tensor_map checks.
    """
    for name, array in (("q", q), ("k", k), ("v", v), ("out", out)):
        if len(array.shape) != 4:
            raise ValueError(f"{name} must be [batch, heads, length, dim]")
        if 0 in array.shape:
            raise ValueError(f"{name} is empty: {list(array.shape)}; do not launch")
        if array.shape[3] != info["headDim"]:
            raise ValueError(
                f"{name} has heads of {array.shape[3]}, the kernel is for "
                f"{info['headDim']}; compile one with --head-dim={array.shape[3]}"
            )
    if k.shape != v.shape or q.shape != out.shape or q.shape[0] != k.shape[0]:
        raise ValueError("the shapes of q, k, v and out do not belong together")
    if q.shape[1] % k.shape[1]:
        raise ValueError(
            f"{q.shape[1]} query heads are no multiple of {k.shape[1]} key heads"
        )
    if info["logSumExp"] and lse is None:
        raise ValueError("the kernel writes a log-sum-exp; pass an array")
    if lse is not None and (lse.shape != q.shape[:3] or not lse.is_contiguous()):
        raise ValueError("the log-sum-exp must be a dense [batch, heads, queries]")
    octaves = scale * math.log2(math.e) * info.get("scoreBound", 0)
    if octaves > GREATEST_BOUNDED_SCORE:
        raise ValueError(
            f"the kernel's score-bound allows scores of {octaves:.1f} octaves at this "
            f"scale; compile one whose bound allows {GREATEST_BOUNDED_SCORE}"
        )


def weights(score, s, dead, options):
    """Weights of rows of scaled scores in float64, and their log-sum-exp."""
    import torch

    if score == "softcap":
        s = options["cap"] * torch.tanh(s / options["cap"])
    if score in ("sigmoid", "identity"):
        p = torch.sigmoid(s + options["bias"]) if score == "sigmoid" else s
        return p if dead is None else p.masked_fill(dead, 0), None
    if dead is not None:
        s = s.masked_fill(dead, -math.inf)
    return torch.softmax(s, -1).nan_to_num(0), torch.logsumexp(s, -1)


def reference(score, causal, q, k, v, options):
    """Output and log-sum-exp in float64."""
    import torch

    batches, heads, queries, _ = q.shape
    keys = k.shape[2]
    group = heads // k.shape[1]
    out = torch.empty(q.shape, dtype=torch.float64, device=q.device)
    lse = torch.full(q.shape[:3], math.nan, dtype=torch.float64, device=q.device)
    dead = None
    if causal:
        rows = torch.arange(queries, device=q.device)[:, None]
        columns = torch.arange(keys, device=q.device)[None, :]
        dead = columns > rows + options["shift"]
    for b in range(batches):
        for h in range(heads):
            s = q[b, h].double() @ k[b, h // group].double().T * options["scale"]
            p, sums = weights(score, s, dead, options)
            out[b, h] = p @ v[b, h // group].double()
            if sums is not None:
                lse[b, h] = sums
    return out, lse


def relative(actual, truth):
    return ((actual.double() - truth).norm() / truth.norm()).item()


def make_inputs(kernel, shape, spread, packed):
    """q, k, v and a NaN output as [batch, heads, length, dim] views."""
    import torch

    kinds = {"bf16": torch.bfloat16, "f16": torch.float16}
    batches, heads, key_heads, queries, keys = shape

    def make(heads, length, scale=1.0):
        if packed:  # [batch, length, heads, dim] in memory
            t = torch.randn(batches, length, heads, kernel.dim, device="cuda")
            return (t * scale).to(kinds[kernel.kind]).transpose(1, 2)
        t = torch.randn(batches, heads, length, kernel.dim, device="cuda")
        return (t * scale).to(kinds[kernel.kind])

    q, k, v = make(heads, queries, spread), make(key_heads, keys), make(key_heads, keys)
    return q, k, v, torch.full_like(q, float("nan"))


def settings(kernel, shape):
    return {
        "scale": 1 / math.sqrt(kernel.dim),
        "cap": kernel.info.get("cap", DEFAULT_CAP),
        "bias": -math.log(shape[4]),
        "shift": shape[4] - shape[3],
    }


def check_case(kernel, shape, spread, packed, shift, limit):
    """The error on one shape, and what is wrong with it."""
    import torch

    q, k, v, out = make_inputs(kernel, shape, spread, packed)
    options = settings(kernel, shape)
    if shift is not None:
        options["shift"] = shift
    lse = None
    if kernel.info["logSumExp"]:
        lse = torch.full(q.shape[:3], float("nan"), device="cuda")
    launch = kernel.launcher(q, k, v, out, options, lse)
    launch()
    torch.cuda.synchronize()
    first, problems = out.clone(), []
    truth, true_lse = reference(kernel.score, kernel.causal, q, k, v, options)
    error = relative(out, truth)
    if lse is not None:
        finite = true_lse.isfinite()
        same = bool((lse.isfinite() == finite).all())
        gap = (lse.double() - true_lse)[finite].abs().max().item()
        # A row's rounded weights may all be off in the same direction.
        rounding = 2.0**-8 if kernel.kind == "bf16" else 2.0**-11
        if not same or not gap < 1e-3 + rounding * kernel.info["matrixSum"]:
            problems.append(f"{shape} log-sum-exp off by {gap:.2e}")
    for _ in range(20 if spread == 1.0 else 2):
        out.fill_(float("nan"))
        launch()
        torch.cuda.synchronize()
        if not torch.equal(out, first):
            problems.append(f"{shape} differs between runs")
            break
    nans = int(first.isnan().sum())
    if nans:
        problems.append(f"{shape} spread {spread:g}: {nans} NaNs")
    if not error <= limit:
        problems.append(f"{shape} spread {spread:g}: error {error:.2e}")
    return error if error == error else math.inf, problems


def check(kernel, quick):
    # What a program costs in accuracy is a result, not a failure.
    native = not kernel.meta.get("programs") and kernel.meta.get("policy") == "off"
    limit = LIMITS[kernel.kind] if native else 0.3
    worst, problems = 0.0, []
    if quick:
        kernel.most_blocks = QUICK_BLOCKS
    for index, shape in enumerate(QUICK_CHECKS if quick else CHECKS):
        for spread in (1.0, 6.0):
            error, bad = check_case(
                kernel, shape, spread, index % 2 == 1,
                0 if index % 3 == 2 else None, limit,
            )
            worst, problems = max(worst, error), problems + bad
    return worst, problems


def flops(shape, dim, causal):
    batches, heads, _, queries, keys = shape
    return 4 * batches * heads * queries * keys * dim * (0.5 if causal else 1)


def contenders(members, shape, options):
    """{name: Contender} of kernels and peers at one shape, checked on one head."""
    import torch

    first, caps = members[0], [k for k in members if k.score == "softcap"]
    q, k, v, out = make_inputs(first, shape, 1.0, False)
    lse = torch.empty(q.shape[:3], device="cuda")
    cap = settings(caps[0], shape)["cap"] if caps else None
    found = attention_peers.make(
        options.peers.split(","), q, k, v, first.causal, settings(first, shape), cap,
        options.flex_mode or None,
    )
    result = {n: [score, run, run] for n, (score, run) in found.items()}
    for kernel in members:
        launch = kernel.launcher(q, k, v, out, settings(kernel, shape), lse)
        result[kernel.name] = [kernel.score, launch, lambda run=launch: run() or out]
    truths = {}
    for name, (score, _, run) in result.items():
        # Peers have the first softcap's cap, a kernel its own.
        own = next((m for m in members if m.name == name), caps[0] if caps else first)
        values = settings(own, shape)
        key = (score, values["cap"])
        if key not in truths:
            truths[key] = reference(
                score, first.causal, q[:1, :1], k[:1, :1], v[:1, :1], values
            )[0]
        result[name].append(relative(run()[:1, :1], truths[key]))
    return result


def time_class(members, shape_name, options):
    """Rows of the kernels of one type, head dimension and mask, and their peers."""
    import torch

    shape, first = SHAPES[shape_name], members[0]
    kind, dim, causal = first.kind, first.dim, first.causal
    print(f"START time {first.name}", flush=True)
    found = contenders(members, shape, options)
    runs = {n: run for n, (_, run, _, _) in found.items()}
    torch.cuda.synchronize()
    estimate, cold = {n: block_time(run, 3) for n, run in runs.items()}, {}
    for n, run in runs.items():
        time.sleep(0.2)
        cold[n] = median([block_time(run, 1) for _ in range(28)][3:])
    hot = hot_rounds(runs, estimate, options)
    work, rows = flops(shape, dim, causal), []
    times = {n: median(hot[n]) for n in runs if hot[n]}
    for n in times:
        score, error = found[n][0], found[n][3]
        # Of one round each, so that drifts of the clock divide out.
        over = {
            p: median([b / a for a, b in zip(hot[n], hot[p])])
            for p in times
            if p != n and found[p][0] == PEER_SCORES.get(score, score)
            and (score in PEER_SCORES or p.split("-")[0] in attention_peers.NAMES)
        }
        rows.append({
            "shape": shape_name, "type": kind, "headDim": dim, "causal": causal,
            "kernel": n, "score": score, "error": error,
            "coldMs": cold[n], "hotMs": times[n],
            "coldTflops": work / cold[n] / 1e9, "hotTflops": work / times[n] / 1e9,
            "timesAsFastAs": over,
        })
        ratios = " ".join(f"{r:.3f}x {p}" for p, r in over.items())
        print(
            f"TIME {shape_name} {kind} D{dim} {'causal' if causal else 'full':6s} "
            f"{n:28s} cold {rows[-1]['coldTflops']:6.1f} hot "
            f"{rows[-1]['hotTflops']:6.1f} TFLOP/s  {times[n]:.4f} ms  "
            f"error {error:.1e}  {ratios}",
            flush=True,
        )
    print("ROWS times " + json.dumps(rows), flush=True)
    torch.cuda.empty_cache()


def time_kernels(kernels, options):
    classes = {}
    for kernel in kernels:
        classes.setdefault((kernel.kind, kernel.dim, kernel.causal), []).append(kernel)
    for name in options.shapes.split(",") if options.shapes else SHAPES:
        for members in classes.values():
            if time.time() > options.deadline:
                print("NOTE out of time", flush=True)
                return
            time_class(members, name, options)


def child(options, skip):
    import torch

    torch.manual_seed(options.seed)
    torch.zeros(1, device="cuda")
    driver, good = kernel_check.Driver(), []
    for path in kernel_check.kernel_files(options.folder, FAMILY, options.only):
        if stem(path) in skip:
            continue
        print(f"START check {stem(path)}", flush=True)
        kernel = Kernel(driver, path)
        if kernel.kind not in LIMITS:
            print(f"NOTE {kernel.name} is of {kernel.kind}: attention_fp8_check.py "
                  f"checks it", flush=True)
            continue
        worst, problems = check(kernel, options.quick)
        print(
            f"CHECK {kernel.name:28s} error {worst:.2e} "
            f"{'ok' if not problems else 'FAILED'}",
            flush=True,
        )
        for problem in problems[:6]:
            print(f"      {problem}", flush=True)
        row = {"kernel": kernel.name, "error": worst, "problems": problems}
        print("ROWS checks " + json.dumps([row]), flush=True)
        if not problems:
            good.append(kernel)
    if not options.no_time and not options.quick:
        time_kernels(good, options)
    print("DONE", flush=True)
    os._exit(0)


def main():
    parser = kernel_check.parser_for(__doc__.split("\n")[0], seconds=280)
    parser.add_argument("--shapes", default="", help=",".join(SHAPES))
    parser.add_argument("--peers", default="cudnn,flash", help="cudnn,flash,flex")
    parser.add_argument("--flex-mode", default="", help="torch.compile's mode")
    options = parser.parse_args()
    for given, known in ((options.shapes, SHAPES), (options.peers, attention_peers.NAMES)):
        for name in filter(None, given.split(",")):
            if name not in known:
                sys.exit(f"attention_check.py: '{name}' is none of {', '.join(known)}")
    options.seed = options.seed or time.time_ns() % 1000000
    if options.child is not None:
        child(options, json.loads(options.child))
    if not kernel_check.kernel_files(options.folder, FAMILY, options.only):
        sys.exit(f"attention_check.py: no attention kernels in {options.folder}")
    kernel_check.run_supervised(options, [
        f"--shapes={options.shapes}", f"--peers={options.peers}",
        f"--flex-mode={options.flex_mode}",
    ])


if __name__ == "__main__":
    main()
