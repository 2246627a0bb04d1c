//===- PolyOps.td - The poly dialect -----------------------*- tablegen -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_DIALECT_POLY_POLYOPS
#define POLY_DIALECT_POLY_POLYOPS

include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Dialect/Arith/IR/ArithOpsInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "poly/Dialect/Poly/PolyEnums.td"

def Poly_Dialect : Dialect {
  let name = "poly";
  let cppNamespace = "::mlir::poly";
  let summary = "Functions of one variable and the programs that evaluate them";
  let description = [{
    The dialect carries a recognised function from `poly-raise` to
    `poly-expand`. Function ops (`poly.sigmoid`, `poly.gelu_erf`, `poly.exp2`, ...)
    say *what* is computed and keep the original spelling alive as an operand;
    `poly.apply` says *how*: by which certified Program.

    Discardable attributes on an op, a function or a module steer the planner:
    `poly.optin` (unit) is consent to approximate, `poly.round_inputs` (unit)
    allows f32 arguments to be rounded to 16 bits, `poly.round_offsets` (unit)
    says that the addend of a softmax exponent is a multiple of the lattice's step
    or may be rounded to one, `poly.lower_bound` (an f64, on an exponential)
    promises that no argument is below it, `poly.order_only` (unit, on inline
    assembly) that only the order in which its operands are computed matters and
    not their values, `poly.keep` (unit) forbids any change,
    and `poly.accuracy` (a `#poly.accuracy`) is a required budget.

    `poly.kernel` (a dictionary, on a function) is what the author of a kernel
    tells the host that launches it: any names, with strings, integers, numbers,
    booleans, units, arrays and dictionaries as values. The passes ignore it;
    `poly-compile --metadata` writes it as JSON. `dynamicSharedBytes`, if present,
    is the dynamic shared memory of a launch.

    On function ops `poly-raise` notes two things: `poly.kind` (a string) names
    the larger idiom that the function is the site of, such as `softcap` or
    `softmax_exp`, and function ops with the same `poly.pair` (an integer) are a
    function and its derivative that share work: both get a program or neither.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasOperationAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    static constexpr llvm::StringLiteral kOptInAttr = "poly.optin";
    static constexpr llvm::StringLiteral kRoundInputsAttr = "poly.round_inputs";
    static constexpr llvm::StringLiteral kRoundOffsetsAttr =
        "poly.round_offsets";
    static constexpr llvm::StringLiteral kKeepAttr = "poly.keep";
    static constexpr llvm::StringLiteral kAccuracyAttr = "poly.accuracy";
    static constexpr llvm::StringLiteral kKernelAttr = "poly.kernel";
    static constexpr llvm::StringLiteral kKindAttr = "poly.kind";
    static constexpr llvm::StringLiteral kPairAttr = "poly.pair";

    /// The program called `name`: a shipped one, or one that addProgram()
    /// added to this context; null when there is none. Thread safe.
    const ::poly::RegisteredProgram *findProgram(llvm::StringRef name);
    /// The program that the attribute refers to, which is added to this context
    /// first when the attribute defines it; null and a message otherwise.
    const ::poly::RegisteredProgram *findProgram(ProgramAttr attribute,
                                                 std::string &error);
    /// All programs known in this context, shipped ones first.
    std::vector<const ::poly::RegisteredProgram *> programs();
    /// Adds a user's program. Fails when the name is taken by another program.
    llvm::LogicalResult addProgram(::poly::RegisteredProgram program);

  private:
    llvm::sys::SmartRWMutex<true> userMutex;
    std::vector<std::unique_ptr<::poly::RegisteredProgram>> userPrograms;

  public:
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Poly_Attr<string name, string attrMnemonic> : AttrDef<Poly_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Poly_AccuracyAttr : Poly_Attr<"Accuracy", "accuracy"> {
  let summary = "A required accuracy";
  let description = [{
    A result y' for the true value y is accepted when
    |y' - y| <= max(atol, rtol * max(|y|, m), ulps * ulp(y)), ulp and the
    smallest normal number m in the format of the result. Absent parts are zero;
    at least one part is positive. The attribute nearest to an op counts, and it
    counts before the `budget` option.

    Example: `#poly.accuracy<atol = 1.0e-2>`, `#poly.accuracy<ulps = 1.0>`.
  }];
  let parameters = (ins
    DefaultValuedParameter<"::llvm::APFloat", "::llvm::APFloat(0.0)">:$atol,
    DefaultValuedParameter<"::llvm::APFloat", "::llvm::APFloat(0.0)">:$rtol,
    DefaultValuedParameter<"::llvm::APFloat", "::llvm::APFloat(0.0)">:$ulps);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::poly::Accuracy getAccuracy() const;
    static AccuracyAttr get(::mlir::MLIRContext *context,
                            const ::poly::Accuracy &accuracy);
  }];
}

def Poly_ProgramAttr : Poly_Attr<"Program", "program"> {
  let summary = "A reference to a certified Program by name";
  let description = [{
    A shipped program goes by its name. A user's carries its definition, an entry
    of a program file (poly-fit writes them), so that the IR can be read where
    the file is not:

    ```
    #poly.program<"sigmoid-half3-bf16x2">
    #poly.program<"mine", "{\"name\": \"mine\", \"function\": \"custom\", ...}">
    ```
  }];
  let parameters = (ins StringRefParameter<"program name">:$name,
                        StringRefParameter<"definition", "\"\"">:$definition);
  let builders = [AttrBuilder<(ins "llvm::StringRef":$name), [{
    return $_get($_ctxt, name, "");
  }]>];
  let assemblyFormat = "`<` $name (`,` $definition^)? `>`";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

def Poly_FloatLike : AnyTypeOf<[
  AnyTypeOf<[F32, BF16, F16]>,
  FixedVectorOfAnyRank<[F32, BF16, F16]>],
  "f32, bf16 or f16, or a fixed-length vector of one of them">;

def Poly_ResultLike : AnyTypeOf<[
  AnyTypeOf<[F32, BF16, F16, F8E4M3FN, F8E5M2]>,
  FixedVectorOfAnyRank<[F32, BF16, F16, F8E4M3FN, F8E5M2]>],
  "f32, bf16, f16, f8E4M3FN or f8E5M2, or a fixed-length vector of one of them">;

class Poly_Op<string mnemonic, list<Trait> traits = []>
    : Op<Poly_Dialect, mnemonic, !listconcat(traits, [Pure])>;

class Poly_FunctionOp<string mnemonic, string text, dag extra = (ins)>
    : Poly_Op<mnemonic, [
        DeclareOpInterfaceMethods<ArithFastMathInterface>,
        AllTypesMatch<["operand", "result"]>,
        OptionalTypesMatchWith<"original has the type of the result",
                               "result", "original", "$_self">]> {
  let summary = text;
  let arguments = !con((ins
    Poly_FloatLike:$operand,
    Optional<Poly_FloatLike>:$original,
    DefaultValuedAttr<Arith_FastMathAttr,
                      "::mlir::arith::FastMathFlags::none">:$fastmath,
    UnitAttr:$consent,
    OptionalAttr<Poly_ProgramAttr>:$program), extra);
  let results = (outs Poly_FloatLike:$result);
  let assemblyFormat = [{
    $operand (`replaces` $original^)? (`fastmath` `` $fastmath^)?
    (`consent` $consent^)? (`program` $program^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Poly_SigmoidOp : Poly_FunctionOp<"sigmoid", "1 / (1 + exp(-x))"> {
  let description = [{
    The logistic function, elementwise. `replaces` names the value that the
    source computed; dropping the op in favour of it restores the source.
    `fastmath` holds the flags that every replaced op carried, `consent` that
    the replaced ops license an approximation. `program` is the planner's
    choice.

    ```mlir
    %s = poly.sigmoid %x replaces %orig fastmath<afn> consent : vector<8xf32>
    ```
  }];
}

def Poly_TanhOp : Poly_FunctionOp<"tanh", "The hyperbolic tangent"> {
  let description = [{
    See `poly.sigmoid` for the meaning of the parts.

    ```mlir
    %t = poly.tanh %x : f32
    ```
  }];
}

def Poly_SiluOp : Poly_FunctionOp<"silu", "x / (1 + exp(-x))"> {
  let description = [{
    The sigmoid linear unit. See `poly.sigmoid` for the meaning of the parts.

    ```mlir
    %y = poly.silu %x : bf16
    ```
  }];
}

class Poly_PlainFunctionOp<string mnemonic, string text>
    : Poly_FunctionOp<mnemonic, text> {
  let description = "See `poly.sigmoid` for the meaning of the parts.";
}

def Poly_GeluErfOp : Poly_PlainFunctionOp<"gelu_erf",
    "x times the normal distribution function of x">;
def Poly_GeluTanhOp : Poly_PlainFunctionOp<"gelu_tanh",
    "x / (1 + exp(-2u)), u = sqrt(2/pi) (x + 0.044715 x^3)">;
def Poly_DSigmoidOp : Poly_PlainFunctionOp<"dsigmoid",
    "The derivative of the sigmoid">;
def Poly_DTanhOp : Poly_PlainFunctionOp<"dtanh", "The derivative of tanh">;
def Poly_DSiluOp : Poly_PlainFunctionOp<"dsilu", "The derivative of SiLU">;
def Poly_DGeluErfOp : Poly_PlainFunctionOp<"dgelu_erf",
    "The derivative of `poly.gelu_erf`">;
def Poly_DGeluTanhOp : Poly_PlainFunctionOp<"dgelu_tanh",
    "The derivative of `poly.gelu_tanh`">;

class Poly_TurnOp<string mnemonic, string text>
    : Poly_FunctionOp<mnemonic, text> {
  let description = [{
    Takes a phase in turns, which the range reduction of a fixed-point phase by
    its integer's overflow gives, or x less the integer next to it. The phase is
    in [-1/2, 1/2]: whoever writes the op says so, and programs say nothing of
    other phases. See `poly.sigmoid` for the meaning of the parts.

    ```mlir
    %s = poly.sin_turn %phase : vector<2xf32>
    %c = poly.cos_turn %phase : vector<2xf32>
    ```
  }];
}
def Poly_SinTurnOp : Poly_TurnOp<"sin_turn", "sin(2 pi x)">;
def Poly_CosTurnOp : Poly_TurnOp<"cos_turn", "cos(2 pi x)">;

def Poly_ExpRoleAttr : EnumAttr<Poly_Dialect, Poly_ExpRole, "exp_role"> {
  let assemblyFormat = "`<` $value `>`";
}

class Poly_ExponentialOp<string mnemonic, string text>
    : Poly_FunctionOp<mnemonic, text, (ins
        DefaultValuedAttr<Poly_ExpRoleAttr,
                          "::mlir::poly::ExpRole::Plain">:$role,
        OptionalAttr<F64Attr>:$bound,
        OptionalAttr<Poly_ProgramAttr>:$rest,
        OptionalAttr<ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<16>]>>:
          $share)> {
  let description = [{
    See `poly.sigmoid` for the meaning of the first parts. `role` says what the
    exponential is for: a softmax `weight`, the online softmax's `correction` of
    older sums, the recomputed probability of a backward pass (`lse`), the
    decoding of a power-of-two `scale`, or anything else (`plain`). `bound` is an
    upper bound of every non-NaN argument that has been proved; without it
    nothing is known. Where the planner splits the work between pipes, `share`
    sixteenths of the evaluations of a vector go to `program` and the others to
    `rest`.

    ```mlir
    %p = poly.exp2 %x replaces %e consent {bound = 0.0 : f64, role = #poly.exp_role<weight>} : f32
    ```
  }];
}
def Poly_ExpOp : Poly_ExponentialOp<"exp", "e^x">;
def Poly_Exp2Op : Poly_ExponentialOp<"exp2", "2^x">;

def Poly_ApplyOp : Poly_Op<"apply"> {
  let summary = "Evaluate a Program on its lanes";
  let description = [{
    One evaluation of a Program. A program of two (four) lanes takes and gives
    vectors of two (four) elements of its argument and result format, or scalars:
    then its scalar form computes lane 0 by the same instructions. A program of a single
    lane takes and gives scalars.

    ```mlir
    %y = poly.apply <"silu-half3-bf16x2"> %x : vector<2xbf16> to vector<2xbf16>
    %z = poly.apply <"silu-sfu-f32"> %f : f32 to f32
    ```
  }];
  let arguments = (ins Poly_ProgramAttr:$program, Poly_FloatLike:$operand);
  let results = (outs Poly_ResultLike:$result);
  let assemblyFormat = [{
    $program $operand attr-dict `:` type($operand) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Poly_InlinedOp : Poly_Op<"inlined", [
    AllTypesMatch<["operand", "original", "result"]>]> {
  let summary = "A library function whose body the compiler inlined";
  let description = [{
    Says that `original`, which code computes in many steps and perhaps on
    several paths, is a function of `operand` within a few ulps: `exp`, `exp10`,
    `expm1`, `sinh`, `cosh`, `tanh`, `erf`, `erfc`, `normcdf`, `cbrt`, `rcbrt`,
    `square` or `cube`. With `proved`, both were compared on every value that the operand
    can have; otherwise on a dense set, and the code holds the constants of that
    function in NVIDIA's libdevice. Stands for `original`.

    ```mlir
    %t = poly.inlined "tanh" %x is %phi proved : f32
    ```
  }];
  let arguments = (ins StrAttr:$function, F32:$operand, F32:$original,
    UnitAttr:$proved);
  let results = (outs F32:$result);
  let assemblyFormat = [{
    $function $operand `is` $original (`proved` $proved^)? attr-dict `:`
    type($result)
  }];
  let hasVerifier = 1;
}

#endif // POLY_DIALECT_POLY_POLYOPS
