//===- Passes.td - Passes of poly --------------------------*- tablegen -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_PASSES
#define POLY_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def PolyNormalize : Pass<"poly-normalize"> {
  let summary = "Write conversions and lanes of LLVM-dialect code in typed ops";
  let description = [{
    Code that a compiler produced spells conversions and 16-bit arithmetic as
    inline assembly over integers (`cvt.rn.bf16x2.f32`, `neg.f16`, as CUDA's
    headers do) or as shifts of bits, and mixes scalar with short-vector code. This
    pass writes them as `fpext`, `fptrunc`, typed arithmetic and bit casts, and
    takes vectors apart whose lanes are computed as scalars, so that the later
    passes see the formats of values and one chain of ops per lane. In LLVM
    functions, where a vectoriser paired scalars, that goes for comparisons,
    selections, integers, shuffles, vectors whose lanes become operands of scalar
    functions, and questions whether any lane is true; elsewhere for arithmetic in
    f32.

    Input: device code. Output: the same values; vectors built from scalars stay
    scalars up to their truncation or store, but for those that are rounded to 8
    bits.
    Numerics: bit-exact but for the payload of a NaN.
    Does nothing: in functions without an exponential or tanh, under
    `poly.keep`, and to volatile assembly or assembly of several instructions,
    but for those that take a pair of 16-bit values apart.

    Before `poly-opt --poly-normalize`:

    ```mlir
    gpu.module @m {
      llvm.func @f(%x: i16) -> i16 {
        %f = llvm.inline_asm asm_dialect = att "{ cvt.f32.bf16 $0, $1;}", "=f,h" %x : (i16) -> f32
        %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%f) : (f32) -> f32
        %r = llvm.inline_asm asm_dialect = att "{ cvt.rn.bf16.f32 $0, $1;}", "=h,f" %e : (f32) -> i16
        llvm.return %r : i16
      }
    }
    ```

    After:

    ```mlir
    gpu.module @m {
      llvm.func @f(%x: i16) -> i16 {
        %b = llvm.bitcast %x : i16 to bf16
        %f = llvm.fpext %b : bf16 to f32
        %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%f) : (f32) -> f32
        %t = llvm.fptrunc %e : f32 to bf16
        %r = llvm.bitcast %t : bf16 to i16
        llvm.return %r : i16
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::poly::PolyDialect",
                           "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let statistics = [
    Statistic<"numNormalized", "normalized", "Number of ops rewritten">
  ];
}

def PolyIdentify : Pass<"poly-identify"> {
  let summary = "Recognise inlined library functions by what they compute";
  let description = [{
    libdevice's tanhf, erff, erfcf, normcdff, expf, exp10f, expm1f, sinhf, coshf,
    cbrtf, rcbrtf and powf (of a constant 2 or 3) reach this project as branches,
    polynomials and bit tricks when a compiler has inlined them. This pass takes code that is
    a function of one value (control flow included), evaluates it with an
    interpreter, and compares it with the functions: on all 65,536 arguments when
    the argument has 16-bit values, which is a proof; otherwise on a dense set
    that holds all special values, and then the code must also contain the
    constants of that function in libdevice.

    Input: device code. Output: each such value becomes a `poly.inlined` that
    names the function and keeps the value as its operand. One remark each says
    which evidence there is.
    Numerics: bit-exact; the op stands for the original value until a later pass
    replaces what it is part of, with permission.
    Does nothing: under `poly.keep`, to loops, f64 and code with memory in it.

    Before `poly-opt --poly-identify`:

    ```mlir
    gpu.module @m {
      llvm.func @f(%x: bf16) -> f32 {
        %zero = llvm.mlir.constant(0.0 : f32) : f32
        %one = llvm.mlir.constant(1.0 : f32) : f32
        %f = llvm.fpext %x : bf16 to f32
        %n = llvm.fneg %f : f32
        %e = llvm.intr.exp(%f) : (f32) -> f32
        %m = llvm.intr.exp(%n) : (f32) -> f32
        %q = llvm.fdiv %one, %m : f32
        %c = llvm.fcmp "olt" %f, %zero : f32
        %r = llvm.select %c, %q, %e : i1, f32
        llvm.return %r : f32
      }
    }
    ```

    After:

    ```mlir
    gpu.module @m {
      llvm.func @f(%x: bf16) -> f32 {
        %zero = llvm.mlir.constant(0.0 : f32) : f32
        %one = llvm.mlir.constant(1.0 : f32) : f32
        %f = llvm.fpext %x : bf16 to f32
        %n = llvm.fneg %f : f32
        %e = llvm.intr.exp(%f) : (f32) -> f32
        %m = llvm.intr.exp(%n) : (f32) -> f32
        %q = llvm.fdiv %one, %m : f32
        %c = llvm.fcmp "olt" %f, %zero : f32
        %r = llvm.select %c, %q, %e : i1, f32
        %i = poly.inlined "exp" %f is %r proved : f32
        llvm.return %i : f32
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::poly::PolyDialect"];
  let statistics = [
    Statistic<"numIdentified", "identified",
              "Number of inlined library functions recognised">
  ];
}

def PolyFixMaximum : Pass<"poly-fix-maximum"> {
  let summary = "Softmax of capped scores without a running maximum";
  let description = [{
    Softmax subtracts the maximum of a row from its scores so that no
    exponential overflows. Where the scores are bounded anyway, as a softcap
    bounds them, any constant does: the maximum, its exchange between threads
    and the correction of what was accumulated before it grew go away.

    Replaces a running maximum by a constant when three things hold.
    All that the function stores is free of the maximum: it scales the weights
    and what is accumulated with them by one factor, which a division by the
    sum, or a logarithm of it plus the maximum, takes out. This is followed
    through arithmetic, loops, branches, butterflies among lanes that share the
    maximum, and matrix products (`wgmma`) whose rows share it; inline assembly
    with `poly.order_only` is no use of it.
    The scores have bounds that their own expression shows: a `tanh` (which a
    program may later exceed by 1/16) or a clamp, times constants, with a mask of
    -inf or without.
    No weight is subnormal in the formats that weights are rounded to, and no
    sum of 2^31 weights times `value-limit` overflows; with 16-bit floats of
    type f16 as values, or weights below one, nothing is assumed of the values.

    Input: device code with `scf` loops, canonicalised.
    Output: the same with constants, to be canonicalised again.
    Numerics: weights, sums and what they accumulate are the same times a
    constant, each with the same relative rounding errors; results agree within
    those. Rows without a live element, NaN scores and the logarithm of the sum
    give what they gave.
    Does nothing: under `poly.keep`, and, with a remark, where one of the three
    does not hold.

    Before `poly-opt --poly-fix-maximum --canonicalize`:

    ```mlir
    gpu.module @m {
      func.func @f(%s: vector<4xf32>) -> vector<4xf32> {
        %scale = arith.constant dense<14.0> : vector<4xf32>
        %t = math.tanh %s : vector<4xf32>
        %c = arith.mulf %t, %scale : vector<4xf32>
        %m = vector.reduction <maxnumf>, %c : vector<4xf32> into f32
        %b = vector.broadcast %m : f32 to vector<4xf32>
        %d = arith.subf %c, %b : vector<4xf32>
        %w = math.exp2 %d : vector<4xf32>
        %sum = vector.reduction <add>, %w : vector<4xf32> into f32
        %all = vector.broadcast %sum : f32 to vector<4xf32>
        %r = arith.divf %w, %all : vector<4xf32>
        return %r : vector<4xf32>
      }
    }
    ```

    After:

    ```mlir
    gpu.module @m {
      func.func @f(%s: vector<4xf32>) -> vector<4xf32> {
        %m = arith.constant dense<14.875> : vector<4xf32>
        %scale = arith.constant dense<14.0> : vector<4xf32>
        %t = math.tanh %s : vector<4xf32>
        %c = arith.mulf %t, %scale : vector<4xf32>
        %d = arith.subf %c, %m : vector<4xf32>
        %w = math.exp2 %d : vector<4xf32>
        %sum = vector.reduction <add>, %w : vector<4xf32> into f32
        %all = vector.broadcast %sum : f32 to vector<4xf32>
        %r = arith.divf %w, %all : vector<4xf32>
        return %r : vector<4xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [
    Option<"valueLimit", "value-limit", "double", "0x1p64",
           "What is multiplied by weights is below this in magnitude">
  ];
  let statistics = [
    Statistic<"numFixed", "fixed", "Number of maxima that became constants">
  ];
}

def PolyRaise : Pass<"poly-raise"> {
  let summary = "Recognise activations and exponentials however they are spelled";
  let description = [{
    Computes, for each value that depends on an exponential, hyperbolic tangent
    or error function, a normal form: a quotient of sums of terms
    `a * x^k * exp(p(x)) * erf(c * x)^n`, p a polynomial of degree three, in one
    variable, separately for x >= 0 and x < 0, and compares it with the normal
    forms of the known functions: sigmoid, tanh, SiLU, GELU (erf and tanh) and
    their derivatives. Spelling, association, operand order, contracted fma,
    constant division and the sign tricks of guarded variants therefore do not
    matter. Swish and quick-GELU become the sigmoid of the scaled argument,
    softcap the tanh inside.

    Exponentials that are part of no such function become `poly.exp` or
    `poly.exp2`, with what they are for (`role`) and a proved upper bound of
    their argument (`bound`). A softmax weight is one from whose argument the
    maximum of its own row is subtracted, which is proved from the dataflow:
    vector reductions, butterflies over shuffles, `gpu.all_reduce` and
    `gpu.subgroup_reduce`, maxima that a loop carries, guards for rows without a
    live element, masks, and scaling by a common factor that cannot be negative.
    In `fma(x, s, -(m * s))` only one product is rounded, so the bound is half
    an ulp of it, stated as 0.5 for products below 2^24. A maximum that is
    replaced only after growing by more than t gives the bound t.

    Input: device code (`gpu.module`, `gpu.launch`, or a module whose target
    triple is nvptx), at the level of `arith`, `math` and `vector`, or of the
    LLVM dialect with libdevice calls.
    Output: the outermost function becomes one poly function op whose
    `replaces` operand is the value of the source. Where other arithmetic uses
    what is inside of it, such as a sigmoid that feeds both SiLU and something
    else, that becomes the op instead, so that all of it sees one value; a value
    that is only stored keeps its bits. A function and its derivative that share
    work are marked as a pair, which `poly-plan` decides as one.
    Numerics: bit-exact; the op stands for the replaced value until
    `poly-plan` decides.
    Does nothing: on host code, f64, scalable vectors, tensors, ops under
    `poly.keep`, truncations with an explicit rounding mode, and near misses
    (constants must match within a few ulps of their own type; the exponential
    inside a near miss stays too). A derivative whose arithmetic lacks the
    permission that the function inside it has is left in favour of that
    function. With remarks on (`poly-raise`), each difference under an
    exponential that could not be proved to be bounded says why.

    Before `poly-opt --poly-raise`:

    ```mlir
    gpu.module @m {
      gpu.func @f(%x: f32) -> f32 {
        %one = arith.constant 1.0 : f32
        %n = arith.negf %x fastmath<afn> : f32
        %e = math.exp %n fastmath<afn> : f32
        %d = arith.addf %one, %e fastmath<afn> : f32
        %s = arith.divf %one, %d fastmath<afn> : f32
        gpu.return %s : f32
      }
    }
    ```

    After:

    ```mlir
    gpu.module @m {
      gpu.func @f(%x: f32) -> f32 {
        %one = arith.constant 1.0 : f32
        %n = arith.negf %x fastmath<afn> : f32
        %e = math.exp %n fastmath<afn> : f32
        %d = arith.addf %one, %e fastmath<afn> : f32
        %s = arith.divf %one, %d fastmath<afn> : f32
        %p = poly.sigmoid %x replaces %s fastmath<afn> consent : f32
        gpu.return %p : f32
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::poly::PolyDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numRaised", "raised", "Number of idioms raised">
  ];
}

def PolyPlan : Pass<"poly-plan"> {
  let summary = "Choose a Program for each site, or say why not";
  let description = [{
    Chooses, for each poly function op, the cheapest Program on the target whose
    certificate meets the budget and whose grade the site allows, if it is
    cheaper than the source's spelling. A site that is left alone is dropped in
    favour of the value of its `replaces` operand, so the source stays as it
    was.

    Input: poly function ops. Output: the same ops with a `program`, or the
    original values.
    Numerics: bit-exact; numbers change in `poly-expand`.
    Does nothing: without consent (`afn` on every op of the idiom, `poly.optin`
    or `policy=opt-in`), where a 16-bit result would serve an f32 use, where an
    f32 input would be rounded without permission, or where no Program pays;
    and on exponentials that are an online softmax's correction factor, a
    probability from a log-sum-exp, or the decoding of a scale. A program for
    softmax weights needs that role, a proved bound of the argument (`bound`)
    and, where it turns NaN into 0, `nnan`; naming it together with
    `poly.optin` does without, if it saturates.
    A budget that was asked for and that no Program on the target meets is an
    error at the op.

    Before `poly-opt --poly-plan=programs=tanh-half3-bf16x2`:

    ```mlir
    gpu.module @m {
      gpu.func @f(%x: vector<2xbf16>) -> vector<2xbf16> {
        %f = arith.extf %x : vector<2xbf16> to vector<2xf32>
        %t = math.tanh %f fastmath<afn> : vector<2xf32>
        %p = poly.tanh %f replaces %t fastmath<afn> consent : vector<2xf32>
        %r = arith.truncf %p : vector<2xf32> to vector<2xbf16>
        gpu.return %r : vector<2xbf16>
      }
    }
    ```

    After:

    ```mlir
    gpu.module @m {
      gpu.func @f(%x: vector<2xbf16>) -> vector<2xbf16> {
        %f = arith.extf %x : vector<2xbf16> to vector<2xf32>
        %t = math.tanh %f fastmath<afn> : vector<2xf32>
        %p = poly.tanh %f replaces %t fastmath<afn> consent program <"tanh-half3-bf16x2"> : vector<2xf32>
        %r = arith.truncf %p : vector<2xf32> to vector<2xbf16>
        gpu.return %r : vector<2xbf16>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::poly::PolyDialect",
                           "::mlir::arith::ArithDialect"];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "GPU to plan for, e.g. sm_90">,
    Option<"budget", "budget", "std::string", "\"\"",
           "Required accuracy, e.g. atol=1e-2 or atol=1e-4:rtol=1e-2 or ulps=2; "
           "default: ulps=1 of the result type, not required">,
    Option<"policy", "policy", "std::string", "\"strict\"",
           "strict: ops must carry afn or opt in; opt-in: every site consents; "
           "off: leave all sites">,
    ListOption<"programs", "programs", "std::string",
           "Programs to use: names of shipped programs, or paths of .json files "
           "whose programs are added and used">,
    Option<"split", "split", "std::string", "\"\"",
           "Share of a block's exponentials that a polynomial or lattice takes "
           "while the special function unit does the others: auto balances the "
           "pipes, a number from 0 to 1 states it; default: one program for all">,
    Option<"splitConsistent", "split-consistent", "bool", "false",
           "With split: all sites of a block get the program that alone is "
           "cheaper, so that no value depends on where it sits">,
    Option<"roundInputs", "round-inputs", "bool", "false",
           "Allow f32 arguments to be rounded to 16 bits">,
    Option<"tuning", "tuning", "std::string", "\"\"",
           "Table of measured times, as poly-bench tune writes it, that decides "
           "instead of issue slots between the programs that are accurate enough, "
           "in the kernels it knows">,
    Option<"report", "report", "std::string", "\"\"",
           "Write the decisions to this file as JSON; - is standard error">,
    Option<"table", "table", "bool", "false",
           "Print the decisions as a table on standard error">
  ];
  let statistics = [
    Statistic<"numPlanned", "planned", "Number of sites given a Program">,
    Statistic<"numRejected", "rejected", "Number of sites left alone">
  ];
}

def PolyPack : Pass<"poly-pack"> {
  let summary = "Form evaluations of planned sites, two 16-bit lanes each";
  let description = [{
    Splits vectors of any length and rank into pairs, pairs isomorphic scalar
    sites of one block, and gives an odd lane an evaluation of its own through
    the same Program, so a value never depends on where it sat.

    Input: poly function ops with a `program`. Output: `poly.apply` ops.
    Numerics: bit-exact; the Program's result takes the place of the
    truncation it feeds.
    Does nothing: without planned sites.

    Before `poly-opt --poly-pack`:

    ```mlir
    gpu.module @m {
      gpu.func @f(%x: vector<2xbf16>) -> vector<2xbf16> {
        %f = arith.extf %x : vector<2xbf16> to vector<2xf32>
        %t = math.tanh %f fastmath<afn> : vector<2xf32>
        %p = poly.tanh %f replaces %t fastmath<afn> consent program <"tanh-half3-bf16x2"> : vector<2xf32>
        %r = arith.truncf %p : vector<2xf32> to vector<2xbf16>
        gpu.return %r : vector<2xbf16>
      }
    }
    ```

    After:

    ```mlir
    gpu.module @m {
      gpu.func @f(%x: vector<2xbf16>) -> vector<2xbf16> {
        %y = poly.apply <"tanh-half3-bf16x2"> %x : vector<2xbf16> to vector<2xbf16>
        gpu.return %y : vector<2xbf16>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::poly::PolyDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"numPacked", "packed", "Number of evaluations formed">,
    Statistic<"numPairs", "pairs", "Number of scalar sites that were paired">
  ];
}

def PolyExpand : Pass<"poly-expand"> {
  let summary = "Write Programs out as straight-line LLVM and NVVM ops";
  let description = [{
    Emits each node of a Program as the one op that reaches PTX as the node's
    instruction, and erases the dead remains of the source's spelling. The first
    fma of an exponential takes over a factor or constant addend that the source
    applies to the argument in an op that allows contraction, and under
    `poly.round_offsets` the addend of a row too.

    Input: `poly.apply` ops; function ops that were never planned fall back to
    the value they replace, or to `math` ops when they replace none.
    Output: no poly op.
    Numerics: changes results, within the certificate of the Program.
    Does nothing: without poly ops.

    Before `poly-opt --poly-expand`:

    ```mlir
    gpu.module @m {
      gpu.func @f(%x: vector<2xbf16>) -> vector<2xbf16> {
        %y = poly.apply <"sigmoid-tanhpacked-bf16x2"> %x : vector<2xbf16> to vector<2xbf16>
        gpu.return %y : vector<2xbf16>
      }
    }
    ```

    After:

    ```mlir
    gpu.module @m {
      gpu.func @f(%x: vector<2xbf16>) -> vector<2xbf16> {
        %half = llvm.mlir.constant(dense<5.0e-01> : vector<2xbf16>) : vector<2xbf16>
        %h = llvm.fmul %x, %half : vector<2xbf16>
        %i = llvm.bitcast %h : vector<2xbf16> to i32
        %t = llvm.inline_asm asm_dialect = att "tanh.approx.bf16x2 $0, $1;", "=r,r" %i : (i32) -> i32
        %u = llvm.bitcast %t : i32 to vector<2xbf16>
        %s = llvm.intr.fma(%u, %half, %half) : (vector<2xbf16>, vector<2xbf16>, vector<2xbf16>) -> vector<2xbf16>
        gpu.return %s : vector<2xbf16>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::poly::PolyDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"",
           "Report programs that this GPU cannot run; default: no check">
  ];
  let statistics = [
    Statistic<"numExpanded", "expanded", "Number of evaluations written out">
  ];
}

def PolyCheckAccess : Pass<"poly-check-access"> {
  let summary = "Say where missing alignment narrows packed memory accesses";
  let description = [{
    A vector of 16-bit elements is moved 16 bytes at a time only when the access
    states its alignment; without it NVPTX emits one access per element.
    Warns at each `vector.load`, `vector.store`, `llvm.load` and `llvm.store` of
    device code that moves a vector of 16-bit floats with a smaller alignment
    than min(16, size of the vector), and says what to add.

    Input and output: any device code, unchanged.
    Numerics: bit-exact.
    Does nothing: on scalars, masked accesses and wider elements.
  }];
  let statistics = [
    Statistic<"numNarrow", "narrow", "Number of accesses narrower than possible">
  ];
}

def PolyConvertFloat8 : Pass<"poly-convert-float8"> {
  let summary = "Lower conversions from and to f8E4M3FN and f8E5M2";
  let description = [{
    The stock lowering to NVVM has no conversions of 8-bit floats. This pass
    turns `arith.truncf` from f32, f16 and bf16, and `arith.extf` to them, into
    the conversions of two elements that sm_89 and newer have.

    Input: device code with conversions of scalars or vectors of any shape.
    Output: the same values of the same types; poly-to-nvptx runs it before the
    stock conversions.
    Numerics: round to nearest even. The conversions to 8 bits saturate: what is
    beyond the largest number, infinities included, becomes that number (448,
    57344), and NaN stays NaN. Widening is exact.
    Errors: a chip below sm_89, a rounding mode other than to nearest even.
    Does nothing: on other 8-bit formats and on host code.

    Before `poly-opt --poly-convert-float8`:

    ```mlir
    gpu.module @m {
      gpu.func @f(%x: vector<2xf16>) -> vector<2xf8E4M3FN> {
        %p = arith.truncf %x : vector<2xf16> to vector<2xf8E4M3FN>
        gpu.return %p : vector<2xf8E4M3FN>
      }
    }
    ```

    After:

    ```mlir
    gpu.module @m {
      gpu.func @f(%x: vector<2xf16>) -> vector<2xf8E4M3FN> {
        %s = vector.extract_strided_slice %x {offsets = [0], sizes = [2], strides = [1]} : vector<2xf16> to vector<2xf16>
        %h = nvvm.convert.f16x2.to.f8x2 %s : vector<2xf16> -> i16(f8E4M3FN)
        %v = vector.from_elements %h : vector<1xi16>
        %p = vector.bitcast %v : vector<1xi16> to vector<2xf8E4M3FN>
        gpu.return %p : vector<2xf8E4M3FN>
      }
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "The GPU that the code is for">
  ];
  let statistics = [
    Statistic<"numConverted", "converted", "Number of conversions lowered">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // POLY_TRANSFORMS_PASSES
