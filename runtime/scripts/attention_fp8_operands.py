# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands, launches and float64 results of attention kernels of e4m3."""

import ctypes
import json
import math
import os

from kernel_check import stem

OUTPUT_CAP = 50.0
# What a score's exponent, an f16 where scores are bounded, may be at most.
GREATEST_EXPONENT = 2040


def load(driver, path, family):
    """(metadata, kernel, function) of the family's kernel in a metadata file."""
    with open(path) as file:
        meta = json.load(file)
    kernel = next(k for k in meta["kernels"] if k["info"].get("family") == family)
    image = os.path.join(os.path.dirname(path), meta["image"])
    shared = kernel["info"].get("dynamicSharedBytes", 0)
    return meta, kernel, driver.load(image, kernel["name"], shared)


class Kernel:
    def __init__(self, driver, path):
        self.driver, self.name = driver, stem(path)
        meta, kernel, self.function = load(driver, path, "attention")
        self.info = kernel["info"]
        self.threads = kernel["blockSize"][0]
        self.shared = self.info["dynamicSharedBytes"]
        self.programs = sorted({s["program"] for s in meta["sites"] if s.get("program")})
        self.kind = self.info["type"]
        self.causal, self.dim = self.info["causal"], self.info["headDim"]
        self.score = self.info["score"]
        self.output = self.info.get("outputType", self.kind)


class ValuesKernel:
    """Transposes and permutes V."""

    def __init__(self, driver, path):
        self.driver = driver
        _, kernel, self.function = load(driver, path, "attention-values")
        self.info, self.threads = kernel["info"], kernel["blockSize"][0]
        self.dim = self.info["headDim"]

    def launcher(self, v, out):
        """For v [batch, heads, keys, dim] by strides."""
        batches, heads, keys, _ = v.shape
        padded = out.shape[3]
        values = {
            "values": ctypes.c_void_p(v.data_ptr()),
            "transposed": ctypes.c_void_p(out.data_ptr()),
            "keyLength": ctypes.c_int32(keys),
            "paddedKeys": ctypes.c_int32(padded),
            "keyStride": ctypes.c_int64(v.stride(2)),
            "headStride": ctypes.c_int64(v.stride(1)),
            "batchStride": ctypes.c_int64(v.stride(0)),
        }
        if any(s % 4 for s in v.stride()[:3]) or v.stride(3) != 1:
            raise ValueError("strides of V must be multiples of 4 elements")
        grid = (-(-padded // self.info["keysPerBlock"]), heads, batches)
        return self.driver.launcher(
            self.function, grid, self.threads, 0,
            [values[name] for name in self.info["arguments"]],
        )


def relative(found, truth):
    return ((found.double() - truth).norm() / truth.norm()).item()


class Case:
    """Operands of one shape, [batch, heads, length, dim], and a NaN output."""

    def __init__(self, kernel, shape, seed, plain=False):
        import torch

        kinds = {"bf16": torch.bfloat16, "f16": torch.float16,
                 "e4m3": torch.float8_e4m3fn}
        batches, heads, key_heads, queries, keys, spread = shape
        generator = torch.Generator("cuda").manual_seed(seed)
        kind = kinds[kernel.kind]

        def make(count, length, factor=1.0):
            # The sequence before the heads in memory for every second seed.
            size = (batches, length, count, kernel.dim)
            if seed % 2 == 0:
                size = (batches, count, length, kernel.dim)
            t = torch.randn(size, device="cuda", generator=generator)
            t = (t * factor).to(kind)
            return t if seed % 2 == 0 else t.transpose(1, 2)

        self.q = make(heads, queries, spread)
        self.k = make(key_heads, keys)
        self.v = make(key_heads, keys)
        self.kind, self.causal, self.score = kernel.kind, kernel.causal, kernel.score
        self.output = torch.full(
            self.q.shape, float("nan"), device="cuda", dtype=kinds[kernel.output]
        )
        self.lse = None
        if kernel.info["logSumExp"]:
            self.lse = torch.full(self.q.shape[:3], float("nan"), device="cuda")
        self.scale = 1 / math.sqrt(kernel.dim)
        self.shift = keys - queries

        def factors(count):
            if plain:
                return torch.ones(batches, count, device="cuda")
            return torch.exp2(
                torch.rand(batches, count, device="cuda", generator=generator) - 0.5
            )

        self.q_scale, self.k_scale = factors(heads), factors(key_heads)
        self.v_scale = factors(key_heads)
        padded = (keys + 15) // 16 * 16
        self.transposed = torch.full(
            (batches, key_heads, kernel.dim, padded), 0x7F, dtype=torch.uint8,
            device="cuda",
        )

    def check_bound(self, kernel):
        """Whether f16 can hold the exponents that the kernel was promised."""
        octaves = OUTPUT_CAP * math.log2(math.e)
        if self.score != "softcap":
            factor = (self.q_scale.max() * self.k_scale.max()).item()
            octaves = self.scale * factor * math.log2(math.e)
            octaves *= kernel.info.get("scoreBound", 0)
        if octaves >= GREATEST_EXPONENT:
            raise ValueError(
                f"{kernel.name}: scores of {octaves:.0f} octaves are too great for "
                f"exponents of f16; use a kernel without score-bound"
            )

    def launcher(self, kernel, values, prepare=False):
        """Launches both kernels; with `prepare`, V is prepared once, now."""
        import torch

        self.check_bound(kernel)

        bits = self.kind == "e4m3"
        value = self.transposed if bits else self.v
        tensors = {"query": self.q, "key": self.k, "value": value,
                   "output": self.output}
        driver = kernel.driver
        arguments = {}
        for spec in kernel.info["tensorMaps"]:
            name = spec["name"]
            kind = kernel.output if name == "output" else self.kind
            arguments[name + "Map"] = driver.tensor_map(tensors[name], kind, spec)
        batches, heads, queries, _ = self.q.shape
        scalars = {
            "queryLength": queries, "keyLength": self.k.shape[2],
            "batches": batches, "heads": heads,
            "headsPerKeyHead": heads // self.k.shape[1], "causalShift": self.shift,
            "queryDescaleStride": 1, "keyDescaleStride": 1, "valueDescaleStride": 1,
        }
        values_of = {n: ctypes.c_int32(v) for n, v in scalars.items()}
        values_of["scale"] = ctypes.c_float(self.scale)
        values_of["cap"] = ctypes.c_float(OUTPUT_CAP)
        for name, array in (("queryDescale", self.q_scale),
                            ("keyDescale", self.k_scale),
                            ("valueDescale", self.v_scale), ("logSumExp", self.lse)):
            values_of[name] = ctypes.c_void_p(0 if array is None else array.data_ptr())
        passed = [
            arguments[n][1] if n in arguments else values_of[n]
            for n in kernel.info["arguments"]
        ]
        tiles = -(-queries // kernel.info["queryRows"]) * batches * heads
        count = torch.cuda.get_device_properties(0).multi_processor_count
        run = driver.launcher(
            kernel.function, min(tiles, count), kernel.threads, kernel.shared, passed
        )
        run.maps = arguments
        if not bits:
            return run
        transpose = values[kernel.dim].launcher(self.v, self.transposed)
        if prepare:
            transpose()
            return run

        def both():
            transpose()
            run()

        both.keep = (run, transpose)
        return both

    def dead(self):
        import torch

        if not self.causal:
            return None
        rows = torch.arange(self.q.shape[2], device="cuda")[:, None]
        columns = torch.arange(self.k.shape[2], device="cuda")[None, :]
        return columns > rows + self.shift

    def scores(self, batch, head):
        import torch

        key_head = head // (self.q.shape[1] // self.k.shape[1])
        factor = self.scale * self.q_scale[batch, head] * self.k_scale[batch, key_head]
        s = self.q[batch, head].double() @ self.k[batch, key_head].double().T
        s = s * factor.double()
        if self.score == "softcap":
            s = OUTPUT_CAP * torch.tanh(s / OUTPUT_CAP)
        dead = self.dead()
        return s if dead is None else s.masked_fill(dead, -math.inf)

    def reference(self):
        """Output and log-sum-exp in float64."""
        import torch

        out = torch.empty(self.q.shape, dtype=torch.float64, device="cuda")
        lse = torch.empty(self.q.shape[:3], dtype=torch.float64, device="cuda")
        group = self.q.shape[1] // self.k.shape[1]
        for b in range(self.q.shape[0]):
            for h in range(self.q.shape[1]):
                s = self.scores(b, h)
                lse[b, h] = torch.logsumexp(s, -1)
                p = torch.softmax(s, -1).nan_to_num(0)
                v = self.v[b, h // group].double() * self.v_scale[b, h // group].double()
                out[b, h] = p @ v
        return out, lse
