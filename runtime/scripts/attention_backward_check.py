#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times compiled gradients of attention on a Hopper GPU.

usage: attention_backward_check.py FOLDER [--out=result.json] [--only=REGEX]
                                   [--no-time] [--seconds=80] [--shapes=A,B,...]
                                   [--flex] [--long]

FOLDER holds what poly-compile wrote for `poly-kernel attention-backward`. Each kernel
is first compared with float64 on fresh random inputs: odd lengths, different numbers
of queries and keys, grouped heads, both layouts, spreads of the queries from 1 to 6,
outputs and workspaces that were NaN before, queries that see no key, more tiles than
multiprocessors, and reruns in which dK and dV must agree in every bit, and dQ where
the kernels were compiled with --deterministic (elsewhere the order of its sums is open,
and its spread is reported).

Only kernels that pass are timed, with the kernels around the main one, hot (rounds in
random order at the power limit) beside PyTorch's cuDNN backward. TFLOP/s count five
matrix products. Where FOLDER has NAME-forward.json as well, forward and backward
together are timed; with --flex beside FlexAttention with a tanh, which takes a while
to compile and comes last.

--long compares such pairs with float64 at 4,096 and 16,384 queries and keys instead:
the output of the forward kernel and the gradients that follow from it.

Needs PyTorch and the CUDA driver.
"""

import ctypes
import json
import math
import os
import sys
import time

import kernel_check
from kernel_check import block_time, hot_rounds, hot_row, stem

FAMILY = "attention-backward"
# Batches, query heads, key heads, queries, keys; spread of the queries.
CHECKS = [
    ((2, 4, 2, 512, 512), 1),
    ((1, 2, 1, 1000, 1000), 3),
    ((3, 3, 3, 77, 77), 6),
    ((2, 8, 2, 333, 517), 2),
    ((1, 2, 2, 517, 333), 4),
    ((1, 2, 2, 1, 129), 1),
    ((1, 2, 1, 130, 1), 1),
    ((2, 16, 4, 2048, 2048), 1),
]
SHAPES = {
    "A": (1, 32, 8, 4096, 4096),
    "B": (1, 16, 16, 8192, 8192),
    "E": (4, 32, 8, 1024, 1024),
    "G": (1, 16, 16, 16384, 16384),
}
CAP = 30.0
LONG = (4096, 16384)
LIMITS = {"bf16": 6e-3, "f16": 1.5e-3}


def settings(info, shape):
    return {
        "scale": 1 / math.sqrt(info["headDim"]),
        "cap": info.get("cap", CAP),
        "bias": -math.log(shape[4]),
        "causalShift": shape[4] - shape[3],
        # What the launcher of the forward pass calls it.
        "shift": shape[4] - shape[3],
    }


class Backward:
    """The three kernels of one file."""

    def __init__(self, driver, path):
        self.driver, self.name = driver, stem(path)
        with open(path) as file:
            self.meta = json.load(file)
        image = os.path.join(os.path.dirname(path), self.meta["image"])
        self.stages = []
        for kernel in self.meta["kernels"]:
            shared = kernel["info"]["dynamicSharedBytes"]
            function = driver.load(image, kernel["name"], shared)
            self.stages.append((kernel, function))
        self.info = self.stages[0][0]["info"]
        self.kind = self.info["type"]

    def launcher(self, arrays, options):
        """A function that launches; `arrays` are [batch, heads, length, dim] views
        by the kernels' names, and logSumExp."""
        import torch

        batches, heads, queries, dim = arrays["query"].shape
        _, key_heads, keys, _ = arrays["key"].shape
        block = self.info["queryRows"]
        blocks = batches * heads * -(-queries // block)
        nan = dict(fill_value=float("nan"), device="cuda", dtype=torch.float32)
        arrays = dict(
            arrays,
            queryOffsets=torch.full((blocks, block), **nan),
            queryDeltas=torch.full((blocks, block), **nan),
            querySums=torch.full((blocks * block * dim,), **nan),
            queryTurns=torch.full((blocks,), **nan),
        )
        integers = {
            "queryLength": queries,
            "keyLength": keys,
            "batches": batches,
            "heads": heads,
            "headsPerKeyHead": heads // key_heads,
            "causalShift": options["causalShift"],
        }
        for name, array in arrays.items():
            if array is not None and array.dim() == 4:
                for dimension, suffix in enumerate(("Batch", "Head", "Row")):
                    integers[f"{name}{suffix}Stride"] = array.stride(dimension)
        tiles = -(-keys // self.info["keyRows"]) * batches * key_heads
        processors = torch.cuda.get_device_properties(0).multi_processor_count
        launches = []
        for kernel, function in self.stages:
            info = kernel["info"]
            maps = {
                spec["argument"]: self.driver.tensor_map(
                    arrays[spec["name"]],
                    "f32" if arrays[spec["name"]].dtype == torch.float32
                    else self.kind,
                    spec,
                )
                for spec in info.get("tensorMaps", [])
            }
            values = []
            for index, name in enumerate(info["arguments"]):
                kind = kernel["parameters"][index]["type"]
                if index in maps:
                    values.append(maps[index][1])
                elif kind == "ptr":
                    array = arrays[name]
                    values.append(ctypes.c_void_p(array.data_ptr()))
                elif kind == "f32":
                    values.append(ctypes.c_float(options[name]))
                else:
                    integer = ctypes.c_int64 if kind == "i64" else ctypes.c_int32
                    values.append(integer(integers[name]))
            grid = min(tiles, processors)
            if info["grid"] == "queryBlocks":
                grid = blocks * info["blocksPerQueryBlock"]
            launch = self.driver.launcher(
                function, grid, kernel["blockSize"][0], info["dynamicSharedBytes"],
                values,
            )
            launch.keep = (values, maps)
            launches.append(launch)

        def run():
            for launch in launches:
                launch()

        run.keep = (arrays, launches)
        run.stages = launches
        return run


def slice_gradients(info, options, q, k, v, gradient, dead):
    """Output, log-sum-exp and gradients of one head, in the inputs' precision."""
    import torch

    s = q @ k.T * options["scale"]
    slope = 1
    if info["score"] == "softcap":
        t = torch.tanh(s / options["cap"])
        s, slope = options["cap"] * t, 1 - t * t
    lse = None
    if info["score"] == "sigmoid":
        p = torch.sigmoid(s + options["bias"])
        if dead is not None:
            p = p.masked_fill(dead, 0)
        slope = p * (1 - p)
    else:
        if dead is not None:
            s = s.masked_fill(dead, -math.inf)
        lse = torch.logsumexp(s, -1)
        p = torch.softmax(s, -1).nan_to_num(0)
        slope = p * slope
    weights = gradient @ v.T
    delta = 0 if lse is None else (p * weights).sum(-1, keepdim=True)
    ds = slope * (weights - delta) * options["scale"]
    return p @ v, lse, ds @ k, ds.T @ q, p.T @ gradient


def reference(info, options, arrays):
    """What slice_gradients says of all heads, in float64."""
    import torch

    q, k, v = arrays["query"], arrays["key"], arrays["value"]
    group = q.shape[1] // k.shape[1]

    def zeros(like):
        return torch.zeros(like.shape, dtype=torch.float64, device="cuda")

    out, dq, dk, dv = zeros(q), zeros(q), zeros(k), zeros(v)
    lse = torch.zeros(q.shape[:3], dtype=torch.float64, device="cuda")
    dead = None
    if info["causal"]:
        rows = torch.arange(q.shape[2], device="cuda")[:, None]
        columns = torch.arange(k.shape[2], device="cuda")[None, :]
        dead = columns > rows + options["causalShift"]
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            one = slice_gradients(
                info, options, q[b, h].double(), k[b, h // group].double(),
                v[b, h // group].double(), arrays["outputGradient"][b, h].double(),
                dead,
            )
            out[b, h], dq[b, h] = one[0], one[2]
            if one[1] is not None:
                lse[b, h] = one[1]
            dk[b, h // group] += one[3]
            dv[b, h // group] += one[4]
    return out, lse, {"queryGradient": dq, "keyGradient": dk, "valueGradient": dv}


def make_arrays(info, shape, spread, packed):
    """Inputs, and outputs of NaN."""
    import torch

    kind = {"bf16": torch.bfloat16, "f16": torch.float16}[info["type"]]
    batches, heads, key_heads, queries, keys = shape
    dim = info["headDim"]

    def make(heads, length, spread=1.0):
        sizes = (batches, length, heads, dim) if packed else (
            batches, heads, length, dim
        )
        t = (torch.randn(sizes, device="cuda") * spread).to(kind)
        return t.transpose(1, 2) if packed else t

    arrays = {
        "query": make(heads, queries, spread),
        "key": make(key_heads, keys),
        "value": make(key_heads, keys),
        "outputGradient": make(heads, queries),
    }
    for name in ("query", "key", "value"):
        arrays[name + "Gradient"] = torch.full_like(arrays[name], float("nan"))
    return arrays


def relative(result, truth):
    norm = truth.norm().item()
    error = (result.double() - truth).norm().item()
    # Where a single key takes all weight, gradients of the scores are zero.
    return error / norm if norm > 1e-5 * truth.numel() ** 0.5 else error


GRADIENTS = ("queryGradient", "keyGradient", "valueGradient")


def check(kernel, quick):
    """The worst errors, the spread of dQ over reruns, and what is wrong."""
    import torch

    info, worst, spread_of_dq, problems = kernel.info, [0.0] * 3, 0.0, []
    native = kernel.meta.get("policy") == "off" and not kernel.meta.get("programs")
    # What a program costs in accuracy is a result, not a failure.
    limit = LIMITS[kernel.kind] if native else 0.1
    checks = [((1, 2, 1, 77, 150), 1)] if quick else CHECKS
    for index, (shape, spread) in enumerate(checks):
        arrays = make_arrays(info, shape, spread, index % 2 == 1)
        options = settings(info, shape)
        if index % 3 == 2:
            options["causalShift"] = options["shift"] = 0
        out, lse, truth = reference(info, options, arrays)
        arrays["output"] = out.to(arrays["query"].dtype)
        if index % 2 == 1:  # The layout of the others.
            arrays["output"] = (
                arrays["output"].transpose(1, 2).contiguous().transpose(1, 2)
            )
        arrays["logSumExp"] = lse.float().contiguous()
        launch = kernel.launcher(arrays, options)
        first, deterministic = None, info.get("deterministic", False)
        for _ in range(21 if deterministic else 6):
            for name in GRADIENTS:
                arrays[name].fill_(float("nan"))
            launch()
            torch.cuda.synchronize()
            now = [arrays[name].clone() for name in GRADIENTS]
            first = first or now
            same = [torch.equal(a, b) for a, b in zip(now, first)]
            if not all(same[0 if deterministic else 1 :]):
                problems.append(f"{shape}: gradients differ between runs: {same}")
                break
            spread_of_dq = max(spread_of_dq, relative(now[0], first[0].double()))
        for i, name in enumerate(GRADIENTS):
            nans = int(first[i].isnan().sum())
            error = math.inf if nans else relative(first[i], truth[name])
            worst[i] = max(worst[i], error)
            if nans:
                problems.append(f"{shape} {name}: {nans} NaNs")
            elif error > limit:
                problems.append(f"{shape} {name}: error {error:.2e}")
        if info["causal"]:
            unseen = arrays["logSumExp"] == -math.inf
            if bool((first[0][unseen] != 0).any()):
                problems.append(f"{shape}: gradients of queries that see nothing")
        del arrays, truth, launch
        torch.cuda.empty_cache()
    return worst, spread_of_dq, problems


def flops(shape, dim, causal, products):
    batches, heads, _, queries, keys = shape
    work = 2 * products * batches * heads * queries * keys * dim
    return work * (0.5 if causal else 1)


def forward_arrays(info, options, arrays):
    """Output and log-sum-exp for timing: head by head, in the kernel's type."""
    import torch

    q, k, v = arrays["query"], arrays["key"], arrays["value"]
    group = q.shape[1] // k.shape[1]
    arrays["output"] = torch.empty_like(q)
    arrays["logSumExp"] = torch.zeros(q.shape[:3], device="cuda")
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            s = (q[b, h] @ k[b, h // group].T).float() * options["scale"]
            if info["score"] == "softcap":
                s = options["cap"] * torch.tanh(s / options["cap"])
            if info["causal"]:
                s = s.masked_fill_(torch.ones_like(s, dtype=torch.bool).triu(1),
                                   -math.inf)
            if info["score"] == "sigmoid":
                p = torch.sigmoid(s + options["bias"])
            else:
                arrays["logSumExp"][b, h] = torch.logsumexp(s, -1)
                p = torch.softmax(s, -1)
            arrays["output"][b, h] = p.to(q.dtype) @ v[b, h // group]


def cudnn(arrays, causal):
    """PyTorch's backward, and its gradients."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    inputs = [
        arrays[n].detach().requires_grad_() for n in ("query", "key", "value")
    ]
    grouped = inputs[0].shape[1] != inputs[1].shape[1]
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        out = torch.nn.functional.scaled_dot_product_attention(
            *inputs, is_causal=causal, enable_gqa=grouped
        )
    return lambda: torch.autograd.grad(
        out, inputs, arrays["outputGradient"], retain_graph=True
    )


def time_rows(label, shape, runs, work, options):
    import torch

    estimate = {}
    for name, run in runs.items():
        run()
        torch.cuda.synchronize()
        time.sleep(0.1)
        estimate[name] = block_time(run, 4)
    hot = hot_rounds(runs, estimate, options)
    rows = []
    for name, times in hot.items():
        if not times:
            continue
        row = {"shape": label, "kernel": name, "sizes": shape, **hot_row(times, work)}
        rows.append(row)
        print(f"TIME {label:14s} {name:34s} {row['hotUs']:9.1f} us "
              f"{row['hotTflops']:6.1f} TFLOP/s", flush=True)
    print("ROWS times " + json.dumps(rows), flush=True)


def compare_errors(members, shape, causal):
    """Errors of softmax kernels beside cuDNN's, on the same data."""
    arrays = make_arrays(members[0].info, shape, 1.0, False)
    info = members[0].info
    options = settings(info, shape)
    out, lse, truth = reference(info, options, arrays)
    arrays["output"] = out.to(arrays["query"].dtype)
    arrays["logSumExp"] = lse.float().contiguous()
    results = {}
    try:
        results["cudnn"] = cudnn(arrays, causal)()
    except RuntimeError as error:
        print(f"NOTE no cudnn: {str(error)[:90]}", flush=True)
    for kernel in members:
        kernel.launcher(arrays, options)()
        results[kernel.name] = [arrays[n].clone() for n in GRADIENTS]
    for name, gradients in results.items():
        errors = [relative(g, truth[n]) for g, n in zip(gradients, GRADIENTS)]
        print(f"ERRORS {shape} {name:34s} " + " ".join(f"{e:.2e}" for e in errors),
              flush=True)
        row = {"shape": shape, "kernel": name, "errors": errors}
        print("ROWS errors " + json.dumps([row]), flush=True)


def time_kernels(kernels, options):
    import torch

    names = options.shapes.split(",") if options.shapes else list(SHAPES)
    classes = {}
    for kernel in kernels:
        key = (kernel.kind, kernel.info["headDim"], kernel.info["causal"])
        classes.setdefault(key, []).append(kernel)
    for (kind, dim, causal), members in classes.items():
        plain = [m for m in members if m.info["score"] == "softmax"]
        if plain:
            compare_errors(plain, (1, 16, 4, 2048, 2048), causal)
    for name in names:
        for (kind, dim, causal), members in classes.items():
            if time.time() > options.deadline:
                print("NOTE out of time", flush=True)
                return
            shape, runs = SHAPES[name], {}
            print(f"START time {members[0].name}", flush=True)
            arrays = make_arrays(members[0].info, shape, 1.0, False)
            try:
                runs["cudnn"] = cudnn(arrays, causal)
            except RuntimeError as error:
                print(f"NOTE no cudnn: {str(error)[:90]}", flush=True)
            for kernel in members:
                own, setup = dict(arrays), settings(kernel.info, shape)
                forward_arrays(kernel.info, setup, own)
                runs[kernel.name] = kernel.launcher(own, setup)
            label = f"{name} {'causal' if causal else 'full'} {kind} D{dim}"
            time_rows(label, shape, runs, flops(shape, dim, causal, 5), options)
            # Where blocks wait for turns, the main kernel is not itself alone.
            alone = [m for m in members if not m.info.get("deterministic")]
            for member in alone[:1]:
                stages = runs[member.name].stages
                # The sums of dQ grow on and on, which no time depends on.
                parts = [block_time(stage, 10) * 1e3 for stage in stages]
                print(f"PARTS {label} {member.name}: "
                      + " + ".join(f"{p:.1f}" for p in parts) + " us", flush=True)
            del arrays, runs
            torch.cuda.empty_cache()


def check_long(driver, kernel, options):
    """Errors of forward and backward together at long sequences."""
    import attention_check
    import torch

    path = os.path.join(options.folder, kernel.name + "-forward.json")
    if not os.path.exists(path):
        print(f"NOTE {kernel.name} has no {os.path.basename(path)}", flush=True)
        return
    forward = attention_check.Kernel(driver, path)
    for length in LONG:
        shape = (1, 2, 1, length, length)
        print(f"START long {kernel.name}", flush=True)
        arrays = make_arrays(kernel.info, shape, 1.0, False)
        setup = settings(kernel.info, shape)
        out, lse, truth = reference(kernel.info, setup, arrays)
        arrays["output"] = torch.full_like(arrays["query"], math.nan)
        # A sigmoid's kernels have none.
        arrays["logSumExp"] = torch.zeros(lse.shape, device="cuda")
        forward.launcher(
            arrays["query"], arrays["key"], arrays["value"], arrays["output"], setup,
            arrays["logSumExp"],
        )()
        kernel.launcher(arrays, setup)()
        errors = [relative(arrays["output"], out)]
        errors += [relative(arrays[n], truth[n]) for n in GRADIENTS]
        names = ("O", "dQ", "dK", "dV")
        print(f"LONG {length:6d} {kernel.name:30s} "
              + " ".join(f"{n} {e:.2e}" for n, e in zip(names, errors)), flush=True)
        row = {"kernel": kernel.name, "shape": shape, "errors": dict(zip(names, errors))}
        print("ROWS long " + json.dumps([row]), flush=True)
        del arrays, truth, out
        torch.cuda.empty_cache()


def flex_run(arrays, info, setup):
    """FlexAttention with a cap, forward and backward."""
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    cap = setup["cap"]

    def capped(score, b, h, i, j):
        return cap * torch.tanh(score / cap)

    q, k, v = [
        arrays[n].detach().requires_grad_() for n in ("query", "key", "value")
    ]
    mask = None
    if info["causal"]:
        mask = create_block_mask(
            lambda b, h, i, j: i >= j, None, None, q.shape[2], k.shape[2]
        )
    compiled = torch.compile(flex_attention)
    grouped = q.shape[1] != k.shape[1]

    def run():
        out = compiled(q, k, v, score_mod=capped, block_mask=mask, enable_gqa=grouped)
        return torch.autograd.grad(out, (q, k, v), arrays["outputGradient"])

    return run


def time_pairs(driver, kernels, options):
    """Forward and backward together."""
    import attention_check

    for kernel in kernels:
        path = os.path.join(options.folder, kernel.name + "-forward.json")
        if not os.path.exists(path) or time.time() > options.deadline:
            continue
        forward = attention_check.Kernel(driver, path)
        shape, runs = SHAPES["A"], {}
        print(f"START pair {kernel.name}", flush=True)
        arrays = make_arrays(kernel.info, shape, 1.0, False)
        setup = settings(kernel.info, shape)
        forward_arrays(kernel.info, setup, arrays)
        ahead = forward.launcher(
            arrays["query"], arrays["key"], arrays["value"], arrays["output"], setup,
            arrays["logSumExp"],
        )
        behind = kernel.launcher(arrays, setup)

        def both(ahead=ahead, behind=behind):
            ahead()
            behind()

        runs[kernel.name + "+forward"] = both
        if options.flex and kernel.info["score"] == "softcap":
            try:
                print("NOTE flex compiles", flush=True)
                runs["flex"] = flex_run(arrays, kernel.info, setup)
                runs["flex"]()
                print("NOTE flex runs", flush=True)
            except Exception as error:  # Whatever torch.compile raises.
                runs.pop("flex", None)
                print(f"NOTE flex: {str(error)[:200]}", flush=True)
        dim, causal = kernel.info["headDim"], kernel.info["causal"]
        time_rows("A pair", shape, runs, flops(shape, dim, causal, 7), options)


def child(options, skip):
    import torch

    torch.manual_seed(options.seed)
    torch.zeros(1, device="cuda")
    driver, good = kernel_check.Driver(), []
    for path in kernel_check.kernel_files(options.folder, FAMILY, options.only):
        if stem(path) in skip:
            continue
        print(f"START check {stem(path)}", flush=True)
        kernel = Backward(driver, path)
        worst, spread, problems = check(kernel, options.quick)
        print(
            f"CHECK {kernel.name:30s} dQ {worst[0]:.2e} dK {worst[1]:.2e} dV "
            f"{worst[2]:.2e}, dQ over reruns {spread:.1e} "
            f"{'FAILED' if problems else 'ok'}",
            flush=True,
        )
        for problem in problems[:6]:
            print(f"      {problem}", flush=True)
        row = {"kernel": kernel.name, "errors": worst, "spreadOfDq": spread,
               "problems": problems}
        print("ROWS checks " + json.dumps([row]), flush=True)
        if not problems:
            good.append(kernel)
    if options.long:
        for kernel in good:
            check_long(driver, kernel, options)
    elif not options.no_time and not options.quick:
        time_kernels(good, options)
        time_pairs(driver, good, options)
    print("DONE", flush=True)
    sys.stdout.flush()
    os._exit(0)


def main():
    parser = kernel_check.parser_for(__doc__.split("\n")[0], 80)
    parser.add_argument("--shapes", default="")
    parser.add_argument("--flex", action="store_true")
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    options.seed = options.seed or time.time_ns() % 1000000
    if options.child is not None:
        child(options, json.loads(options.child))
    if not kernel_check.kernel_files(options.folder, FAMILY, options.only):
        sys.exit(f"attention_backward_check.py: no kernels in {options.folder}")
    more = ["--shapes=" + options.shapes] + ["--flex"] * options.flex
    more += ["--long"] * options.long
    kernel_check.run_supervised(options, more)


if __name__ == "__main__":
    main()
