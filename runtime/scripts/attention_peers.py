# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's attention kernels, to be timed beside compiled ones.

  cudnn, flash         scaled_dot_product_attention by these backends
  flex                 FlexAttention, compiled
  flex-softcap         the same with cap tanh(s / cap) as score function
  flex-softcap-approx  the same by the PTX instruction tanh.approx.f32

A peer that cannot run is left out with a note that says why.
"""

import functools

NAMES = ("cudnn", "flash", "flex")


def sdpa(backend, q, k, v, causal, scale):
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    kinds = {
        "cudnn": SDPBackend.CUDNN_ATTENTION,
        "flash": SDPBackend.FLASH_ATTENTION,
    }
    if causal and q.shape[2] != k.shape[2]:
        raise ValueError("its causal mask is another one where lengths differ")

    def run():
        with sdpa_kernel(kinds[backend]):
            return torch.nn.functional.scaled_dot_product_attention(
                q, k, v, is_causal=causal, scale=scale,
                enable_gqa=q.shape[1] != k.shape[1],
            )

    return run


@functools.lru_cache(maxsize=None)
def approximate_tanh():
    """An operator that compiled code computes by tanh.approx.f32.

    Inductor has no name for the instruction; it lowers the operator to inline
    assembly. FlexAttention's score functions see scalars, under vmap when they are
    traced, so the operator says how it is batched: as itself.
    """
    import torch
    from torch._inductor.lowering import make_pointwise, register_lowering
    from torch._inductor.virtualized import ops

    @torch.library.custom_op("poly_peers::tanh_approx", mutates_args=())
    def tanh_approx(x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x)

    @tanh_approx.register_fake
    def _(x):
        return torch.empty_like(x)

    @tanh_approx.register_vmap
    def _(info, dims, x):
        return tanh_approx(x), dims[0]

    operator = torch.ops.poly_peers.tanh_approx

    def lower(x):
        instruction = functools.partial(
            ops.inline_asm_elementwise, asm="tanh.approx.f32 $0, $1;"
        )
        return make_pointwise(instruction)(x)

    register_lowering(operator.default, type_promotion_kind=None)(lower)
    return operator


def flex(q, k, v, causal, scale, shift, cap=None, approximate=False, mode=None):
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    tanh = approximate_tanh() if approximate else torch.tanh

    def capped(s, b, h, i, j):
        return cap * tanh(s / cap)

    mask = None
    if causal:
        mask = create_block_mask(
            lambda b, h, i, j: j <= i + shift, None, None,
            q.shape[2], k.shape[2], device=q.device,
        )
    score = capped if cap is not None else None
    compiled = torch.compile(flex_attention, dynamic=False, mode=mode)

    def run():
        with torch.no_grad():
            return compiled(
                q, k, v, score_mod=score, block_mask=mask, scale=scale,
                enable_gqa=q.shape[1] != k.shape[1],
            )

    return run


def make(wanted, q, k, v, causal, options, cap=None, mode=None):
    """{name: (score, function that returns the output)} of those that can run.

    `wanted` is a list of NAMES; with a `cap`, flex stands for all three of its kind.
    """
    import torch

    scale, shift = options["scale"], options["shift"]
    makers = {
        "cudnn": ("softmax", lambda: sdpa("cudnn", q, k, v, causal, scale)),
        "flash": ("softmax", lambda: sdpa("flash", q, k, v, causal, scale)),
        "flex": ("softmax", lambda: flex(q, k, v, causal, scale, shift, mode=mode)),
    }
    if cap is not None and "flex" in wanted:
        for name, approximate in (("flex-softcap", False), ("flex-softcap-approx", True)):
            makers[name] = (
                "softcap",
                functools.partial(
                    flex, q, k, v, causal, scale, shift, cap, approximate, mode
                ),
            )
    outputs, result = {}, {}
    for name, (score, maker) in makers.items():
        if name.split("-")[0] not in wanted:
            continue
        # One that is absent has its reason told, whatever PyTorch raises.
        try:
            run = maker()
            outputs[name] = run()
            torch.cuda.synchronize()
        except Exception as error:
            reason = " ".join(str(error).split())[:160]
            print(f"NOTE no {name}: {type(error).__name__}: {reason}", flush=True)
            continue
        print(f"NOTE peer {name} runs", flush=True)
        result[name] = (score, run)
    both = [outputs.get(n) for n in ("flex-softcap", "flex-softcap-approx")]
    if all(b is not None for b in both) and torch.equal(*both):
        print("NOTE no flex-softcap-approx: the instruction took no effect", flush=True)
        del result["flex-softcap-approx"]
    return result
