#!/usr/bin/env python3
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small model with compiled attention, native and substituted.

usage: toy_training.py FOLDER [--out=result.json] [--steps=200] [--seeds=3]
                       [--only=REGEX] [--seconds=120]

FOLDER holds pairs of kernels for sm_90a: NAME.json (poly-kernel attention-backward)
and NAME-forward.json (poly-kernel attention), causal, with the same score, type and
head dimension. The pair of a score that was compiled with --policy=off is its native
form; all others are compared with it.

The model has two layers of causal attention and a gated MLP; its matrix products are
PyTorch's. Half of its tokens follow from the one before, by a fixed permutation; the
others repeat what stood eight places earlier, which takes attention. All variants of a score start from the same parameters and see the same
data; only the seed changes both.

First gradients are checked, on an untrained model: those of all parameters against
the same model in float64, and that model's against differences of its loss; then the
slope of the kernels' own loss along the gradient against a difference. Then each
variant is trained. The verdict: in each tenth of the training, do the mean losses of
a variant and of the native form differ by less than those of the native form do
between seeds?

Needs PyTorch and the CUDA driver, and a minute.
"""

import functools
import json
import math
import os
import sys
import time

import attention_backward_check
import attention_check
import kernel_check

VOCABULARY, LENGTH, BATCH, HEADS, LAYERS = 64, 128, 16, 2, 2
DISTANCE = 8  # Of a token from the one that it repeats.
CAP = 30.0
RATE = 2e-3
# Of the gradient of all parameters, relative to float64: sums in bf16 precision.
GRADIENT_LIMIT = 2e-2


class Slot:
    """The launches of one layer: its arrays stay where they are."""

    def __init__(self, pair, shape):
        import torch

        batches, heads, length, dim = shape
        kind = {"bf16": torch.bfloat16, "f16": torch.float16}[pair.backward.kind]

        def make():
            return torch.empty(shape, device="cuda", dtype=kind)

        names = ("query", "key", "value", "output", "outputGradient",
                 "queryGradient", "keyGradient", "valueGradient")
        self.arrays = {name: make() for name in names}
        self.arrays["logSumExp"] = torch.empty(shape[:3], device="cuda")
        sizes = (batches, heads, heads, length, length)
        options = attention_backward_check.settings(pair.backward.info, sizes)
        options["cap"] = pair.backward.info.get("cap", CAP)
        a = self.arrays
        self.forward = pair.forward.launcher(
            a["query"], a["key"], a["value"], a["output"], options, a["logSumExp"]
        )
        self.backward = pair.backward.launcher(a, options)


class Pair:
    """A forward and a backward kernel as one differentiable function."""

    def __init__(self, driver, path, forward_path):
        self.name = kernel_check.stem(path)
        self.backward = attention_backward_check.Backward(driver, path)
        self.forward = attention_check.Kernel(driver, forward_path)
        self.score, self.dim = self.forward.score, self.forward.dim
        for key in ("score", "type", "headDim", "causal"):
            if self.forward.info[key] != self.backward.info[key]:
                sys.exit(f"toy_training.py: {self.name}: {key} differs from that of "
                         f"{self.forward.name}; they are no pair")
        if not self.forward.causal:
            sys.exit(f"toy_training.py: {self.name} is not causal; compile "
                     "both kernels with --causal")
        self.native = self.backward.meta.get("policy") == "off"
        self.slots = {}

    def slot(self, layer, shape):
        key = (layer, tuple(shape))
        if key not in self.slots:
            self.slots[key] = Slot(self, shape)
        return self.slots[key]

    def function(self):
        import torch

        pair = self

        class Attention(torch.autograd.Function):
            @staticmethod
            def forward(context, q, k, v, layer):
                slot = pair.slot(layer, q.shape)
                for name, array in (("query", q), ("key", k), ("value", v)):
                    slot.arrays[name].copy_(array)
                slot.forward()
                context.slot = slot
                return slot.arrays["output"].to(q.dtype)

            @staticmethod
            def backward(context, gradient):
                arrays = context.slot.arrays
                arrays["outputGradient"].copy_(gradient)
                context.slot.backward()
                names = ("queryGradient", "keyGradient", "valueGradient")
                return (*(arrays[n].to(gradient.dtype) for n in names), None)

        return Attention.apply


def exact_attention(score, cap):
    """The same function of PyTorch's operations, in the inputs' precision."""
    import torch

    def attention(q, k, v, layer):
        s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        dead = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).triu(1)
        if score == "sigmoid":
            p = torch.sigmoid(s - math.log(s.shape[-1])).masked_fill(dead, 0)
        else:
            if score == "softcap":
                s = cap * torch.tanh(s / cap)
            p = torch.softmax(s.masked_fill(dead, -math.inf), -1)
        return p @ v

    return attention


def make_model(dim):
    """Parameters by name; apply() computes the loss with some attention."""
    import torch

    width = HEADS * dim
    sizes = {"embedding": (VOCABULARY, width), "position": (LENGTH, width)}
    for i in range(LAYERS):
        sizes[f"{i}.qkv"] = (width, 3 * width)
        sizes[f"{i}.out"] = (width, width)
        sizes[f"{i}.up"] = (width, 2 * width)
        sizes[f"{i}.down"] = (width, width)
    sizes["head"] = (width, VOCABULARY)
    parameters = {}
    for name, size in sizes.items():
        gain = 1.0 if name in ("embedding", "position") else 1 / math.sqrt(size[0])
        parameters[name] = (torch.randn(size, device="cuda") * gain).requires_grad_()
    return parameters


def loss_of(parameters, tokens, dim, attention):
    import torch
    import torch.nn.functional as F

    batches, length = tokens.shape[0], tokens.shape[1] - 1
    width = HEADS * dim

    def normalised(x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)

    x = parameters["embedding"][tokens[:, :-1]] + parameters["position"][:length]
    for i in range(LAYERS):
        qkv = normalised(x) @ parameters[f"{i}.qkv"]
        q, k, v = qkv.view(batches, length, 3, HEADS, dim).permute(2, 0, 3, 1, 4)
        o = attention(q, k, v, i).transpose(1, 2).reshape(batches, length, width)
        x = x + o @ parameters[f"{i}.out"]
        gate, up = (normalised(x) @ parameters[f"{i}.up"]).chunk(2, -1)
        x = x + (F.silu(gate) * up) @ parameters[f"{i}.down"]
    logits = normalised(x) @ parameters["head"]
    return F.cross_entropy(logits.reshape(-1, VOCABULARY), tokens[:, 1:].reshape(-1))


def batch_of(generator):
    """Sequences of LENGTH + 1 tokens, a row each."""
    import torch

    def random(high, count):
        return torch.randint(
            high, (BATCH, count), generator=generator, device="cuda"
        )

    tokens = list(random(VOCABULARY, DISTANCE).unbind(1))
    for repeats in random(2, LENGTH + 1 - DISTANCE).bool().unbind(1):
        # Multiplied by an odd number: a permutation.
        follows = (tokens[-1] * 5 + 3) % VOCABULARY
        tokens.append(torch.where(repeats, tokens[-DISTANCE], follows))
    return torch.stack(tokens, 1)


def generator_of(seed):
    import torch

    return torch.Generator(device="cuda").manual_seed(seed)


def gradients_of(parameters, tokens, dim, attention):
    import torch

    loss = loss_of(parameters, tokens, dim, attention)
    return loss, torch.autograd.grad(loss, list(parameters.values()))


def norm(arrays):
    return math.sqrt(sum(float((a.double() ** 2).sum()) for a in arrays))


def slope(parameters, direction, step, tokens, dim, attention):
    """The difference of the loss along a direction of norm one."""
    import torch

    values = []
    with torch.no_grad():
        for sign in (1, -1):
            moved = {
                n: p + sign * step * d
                for (n, p), d in zip(parameters.items(), direction)
            }
            values.append(float(loss_of(moved, tokens, dim, attention)))
    return (values[0] - values[1]) / (2 * step)


def check_gradients(pair):
    """Relative errors: to float64, of float64 to differences, of the own slope."""
    import torch

    torch.manual_seed(1)
    parameters = make_model(pair.dim)
    tokens = batch_of(generator_of(1))
    attention = pair.function()
    exact = exact_attention(pair.score, pair.backward.info.get("cap", CAP))
    wide = {n: p.detach().double().requires_grad_() for n, p in parameters.items()}
    _, truth = gradients_of(wide, tokens, pair.dim, exact)
    _, own = gradients_of(parameters, tokens, pair.dim, attention)
    length = norm(truth)
    errors = {"float64": norm([a.double() - b for a, b in zip(own, truth)]) / length}
    direction = [g / length for g in truth]
    found = slope(wide, direction, 1e-4, tokens, pair.dim, exact)
    errors["differences"] = abs(found / length - 1)
    # Rounded arrays make the loss rough: the step must be far above that.
    direction = [g / norm(own) for g in own]
    found = slope(parameters, direction, 2e-2, tokens, pair.dim, attention)
    expected = slope(wide, [d.double() for d in direction], 2e-2, tokens, pair.dim,
                     exact)
    errors["ownSlope"] = abs(found / expected - 1)
    return errors


@functools.lru_cache(maxsize=None)
def batches_of(seed, steps):
    generator = generator_of(seed)
    return [batch_of(generator) for _ in range(steps)]


def train(pair, seed, steps):
    import torch

    torch.manual_seed(seed)
    parameters = make_model(pair.dim)
    optimizer = torch.optim.AdamW(parameters.values(), lr=RATE, weight_decay=0.01)
    attention, losses = pair.function(), []
    for step, tokens in enumerate(batches_of(seed, steps)):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 20)
        loss = loss_of(parameters, tokens, pair.dim, attention)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses).tolist()


def parts(curve):
    """Mean losses of the tenths of a training."""
    count = max(1, len(curve) // 10)
    return [
        sum(curve[i : i + count]) / len(curve[i : i + count])
        for i in range(0, len(curve), count)
    ]


def compare(native, other):
    """The worst ratio of the difference to the spread between native seeds."""
    worst = (0.0, 0, 0.0, 0.0)
    columns = zip(zip(*map(parts, native)), zip(*map(parts, other)))
    for part, (mine, theirs) in enumerate(columns):
        difference = abs(sum(theirs) / len(theirs) - sum(mine) / len(mine))
        noise = max(mine) - min(mine)
        ratio = difference / noise if noise else math.inf
        worst = max(worst, (ratio, part, difference, noise))
    return worst


def pairs_in(driver, folder, only):
    pairs = []
    for path in kernel_check.kernel_files(folder, "attention-backward", only):
        forward = os.path.splitext(path)[0] + "-forward.json"
        if os.path.exists(forward):
            pairs.append(Pair(driver, path, forward))
    if not pairs:
        sys.exit(f"toy_training.py: no pairs NAME.json, NAME-forward.json in {folder}")
    return pairs


def main():
    parser = kernel_check.parser_for(__doc__.split("\n")[0], 120)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    import torch

    begin = time.time()
    torch.zeros(1, device="cuda")
    torch.backends.cuda.matmul.allow_tf32 = False
    pairs = pairs_in(kernel_check.Driver(), options.folder, options.only)
    results = {"version": 1, "steps": options.steps, "gradients": {}, "curves": {},
               "verdicts": {}}
    problems = []
    for pair in pairs:
        errors = check_gradients(pair)
        results["gradients"][pair.name] = errors
        limits = {"float64": GRADIENT_LIMIT, "differences": 1e-5, "ownSlope": 5e-2}
        bad = [n for n, e in errors.items() if not e <= limits[n]]
        print(f"GRADIENTS {pair.name:28s} "
              + ", ".join(f"{n} {e:.1e}" for n, e in errors.items())
              + (" FAILED: " + " ".join(bad) if bad else " ok"), flush=True)
        if pair.native:
            problems += [f"{pair.name}: {n}" for n in bad]
    for pair in pairs:
        curves = []
        for seed in range(1, options.seeds + 1):
            if time.time() - begin > options.seconds:
                sys.exit("toy_training.py: out of time; give more --seconds")
            curves.append(train(pair, seed, options.steps))
        results["curves"][pair.name] = curves
        means = [sum(c) / len(c) for c in zip(*map(parts, curves))]
        print(f"LOSS {pair.name:28s} " + " ".join(f"{m:.3f}" for m in means)
              + f" (after {time.time() - begin:.0f} s)", flush=True)
    for pair in pairs:
        native = [p for p in pairs if p.native and p.score == pair.score
                  and p.dim == pair.dim and p.backward.kind == pair.backward.kind]
        if pair.native or not native:
            continue
        curves = results["curves"]
        ratio, part, difference, noise = compare(
            curves[native[0].name], curves[pair.name]
        )
        within = ratio <= 1
        results["verdicts"][pair.name] = {
            "native": native[0].name, "worstRatio": ratio, "part": part,
            "difference": difference, "seedSpread": noise, "within": within,
        }
        print(f"VERDICT {pair.name}: substituted - native is at most "
              f"{difference:.2e} where seeds differ by {noise:.2e} "
              f"({'within' if within else 'NOT within'} seed noise)", flush=True)
        if not within:
            problems.append(f"{pair.name}: not within seed noise")
    if options.out:
        with open(options.out, "w") as out:
            json.dump(results, out, indent=1)
    for problem in problems:
        print(f"PROBLEM {problem}")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
