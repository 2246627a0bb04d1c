//===- PolyOps.cpp - Verifiers, folds and canonicalisations ---------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Program/Formats.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::poly;

#define GET_OP_CLASSES
#include "poly/Dialect/Poly/PolyOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Function ops
//===----------------------------------------------------------------------===//

/// The arithmetic properties that canonicalisation may rely on.
static bool isOdd(::poly::Function function) {
  return ::poly::traits(function).symmetry == ::poly::Symmetry::Odd;
}

static LogicalResult verifyFunctionOp(Operation *op, Value operand,
                                      Value original, ProgramAttr program) {
  if (original && original.getType() != operand.getType())
    return op->emitOpError()
           << "replaces a value of type " << original.getType()
           << ", but computes " << operand.getType();
  if (!program)
    return success();
  auto *dialect = cast<PolyDialect>(op->getDialect());
  std::string error;
  const ::poly::RegisteredProgram *registered =
      dialect->findProgram(program, error);
  if (!registered)
    return op->emitOpError() << error;
  if (registered->program.info().function != *getFunction(op))
    return op->emitOpError()
           << "program '" << program.getName() << "' evaluates "
           << ::poly::name(registered->program.info().function);
  return success();
}

/// Folds a constant operand to the correctly rounded value, which no program
/// can beat. NaN is left to the program's own policy.
static OpFoldResult foldFunction(::poly::Function function, Type type,
                                 Attribute operand) {
  auto foldScalar = [&](const APFloat &value) -> std::optional<APFloat> {
    std::optional<::poly::Format> format = getFormat(type);
    if (!format || value.isNaN())
      return std::nullopt;
    uint32_t bits =
        static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
    double exact = ::poly::reference(function, ::poly::decode(*format, bits));
    if (std::isnan(exact))
      return std::nullopt;
    uint32_t result = ::poly::encode(*format, exact);
    return APFloat(value.getSemantics(),
                   APInt(APFloat::getSizeInBits(value.getSemantics()), result));
  };
  if (auto scalar = dyn_cast_or_null<FloatAttr>(operand)) {
    if (std::optional<APFloat> result = foldScalar(scalar.getValue()))
      return FloatAttr::get(type, *result);
    return {};
  }
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(operand))
    if (isa<FloatType>(splat.getElementType()))
      if (std::optional<APFloat> result =
              foldScalar(splat.getSplatValue<APFloat>()))
        return DenseElementsAttr::get(cast<ShapedType>(type), *result);
  return {};
}

namespace {
/// f(-x) = -f(x) for an odd function; exact in every format.
template <typename OpTy>
struct HoistNegation : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isOdd(*getFunction(op)))
      return rewriter.notifyMatchFailure(op, "the function is not odd");
    // With a replaced value or a program the op stands for that exact value.
    if (op.getOriginal() || op.getProgramAttr())
      return rewriter.notifyMatchFailure(op, "the site is not free-standing");
    auto neg = op.getOperand().template getDefiningOp<arith::NegFOp>();
    if (!neg)
      return rewriter.notifyMatchFailure(op, "the operand is not negated");
    Value inner =
        OpTy::create(rewriter, op.getLoc(), op.getType(), neg.getOperand(),
                     Value(), op.getFastmath(), op.getConsent(), ProgramAttr());
    rewriter.replaceOpWithNewOp<arith::NegFOp>(op, inner, neg.getFastmath());
    return success();
  }
};

/// A free-standing product of x and its sigmoid is the SiLU of x.
struct FormSilu : OpRewritePattern<SigmoidOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SigmoidOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getOriginal() || op.getProgramAttr() || !op->hasOneUse())
      return rewriter.notifyMatchFailure(op, "the site is not free-standing");
    auto mul = dyn_cast<arith::MulFOp>(*op->user_begin());
    if (!mul)
      return rewriter.notifyMatchFailure(op, "the result is not multiplied");
    Value other = mul.getLhs() == op.getResult() ? mul.getRhs() : mul.getLhs();
    if (other != op.getOperand())
      return rewriter.notifyMatchFailure(op, "the factor is another value");
    // One rounding less: only under permission on both ops.
    if (!op.getConsent() ||
        !bitEnumContainsAny(mul.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "no permission to fuse");
    rewriter.replaceOpWithNewOp<SiluOp>(mul, op.getType(), op.getOperand(),
                                        Value(),
                                        op.getFastmath() & mul.getFastmath(),
                                        /*consent=*/true, ProgramAttr());
    return success();
  }
};
} // namespace

/// The parts of a split belong together and are of one kind.
template <typename OpTy>
static LogicalResult verifySplit(OpTy op) {
  if (!op.getRest() && !op.getShare())
    return success();
  if (!op.getRest() || !op.getShare() || !op.getProgramAttr())
    return op.emitOpError("a split needs program, rest and share");
  auto *dialect = cast<PolyDialect>(op->getDialect());
  const ::poly::RegisteredProgram *rest =
      dialect->findProgram(op.getRest()->getName());
  if (!rest)
    return op.emitOpError()
           << "unknown program '" << op.getRest()->getName() << "'";
  const ::poly::ProgramInfo &a = rest->program.info();
  const ::poly::ProgramInfo &b =
      dialect->findProgram(op.getProgramAttr().getName())->program.info();
  if (a.function != b.function || a.from != b.from || a.to != b.to ||
      a.lanes != b.lanes)
    return op.emitOpError()
           << "programs '" << b.name << "' and '" << a.name
           << "' of a split must have the same function, formats and lanes";
  return success();
}
template <typename OpTy>
static LogicalResult verifyExtra(OpTy op) {
  if constexpr (std::is_same_v<OpTy, ExpOp> || std::is_same_v<OpTy, Exp2Op>)
    return verifySplit(op);
  return success();
}

#define POLY_FUNCTION_OP(OP)                                                   \
  LogicalResult OP::verify() {                                                 \
    if (failed(verifyFunctionOp(getOperation(), getOperand(), getOriginal(),   \
                                getProgramAttr())))                            \
      return failure();                                                        \
    return verifyExtra(*this);                                                 \
  }                                                                            \
  OpFoldResult OP::fold(FoldAdaptor adaptor) {                                 \
    if (getOriginal() || getProgramAttr())                                     \
      return {};                                                               \
    return foldFunction(*getFunction(getOperation()), getType(),               \
                        adaptor.getOperand());                                 \
  }

POLY_FUNCTION_OP(SigmoidOp)
POLY_FUNCTION_OP(TanhOp)
POLY_FUNCTION_OP(SiluOp)
POLY_FUNCTION_OP(GeluErfOp)
POLY_FUNCTION_OP(GeluTanhOp)
POLY_FUNCTION_OP(DSigmoidOp)
POLY_FUNCTION_OP(DTanhOp)
POLY_FUNCTION_OP(DSiluOp)
POLY_FUNCTION_OP(DGeluErfOp)
POLY_FUNCTION_OP(DGeluTanhOp)
POLY_FUNCTION_OP(SinTurnOp)
POLY_FUNCTION_OP(CosTurnOp)
POLY_FUNCTION_OP(ExpOp)
POLY_FUNCTION_OP(Exp2Op)
#undef POLY_FUNCTION_OP

void SigmoidOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<FormSilu>(context);
}
void TanhOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<HoistNegation<TanhOp>>(context);
}
void SinTurnOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<HoistNegation<SinTurnOp>>(context);
}

#define POLY_NO_PATTERNS(OP)                                                   \
  void OP::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
POLY_NO_PATTERNS(SiluOp)
POLY_NO_PATTERNS(GeluErfOp)
POLY_NO_PATTERNS(GeluTanhOp)
POLY_NO_PATTERNS(DSigmoidOp)
POLY_NO_PATTERNS(DTanhOp)
POLY_NO_PATTERNS(DSiluOp)
POLY_NO_PATTERNS(DGeluErfOp)
POLY_NO_PATTERNS(DGeluTanhOp)
POLY_NO_PATTERNS(CosTurnOp)
POLY_NO_PATTERNS(ExpOp)
POLY_NO_PATTERNS(Exp2Op)
#undef POLY_NO_PATTERNS

//===----------------------------------------------------------------------===//
// ApplyOp
//===----------------------------------------------------------------------===//

LogicalResult InlinedOp::verify() {
  constexpr StringRef kKnown[] = {"exp",   "exp10",  "expm1", "sinh",    "cosh",
                                  "tanh",  "erf",    "erfc",  "normcdf", "cbrt",
                                  "rcbrt", "square", "cube"};
  if (llvm::is_contained(kKnown, getFunction()))
    return success();
  return emitOpError() << "function '" << getFunction()
                       << "' is not known; known functions are "
                       << llvm::join(std::begin(kKnown), std::end(kKnown),
                                     ", ");
}

LogicalResult ApplyOp::verify() {
  auto *dialect = cast<PolyDialect>((*this)->getDialect());
  std::string error;
  const ::poly::RegisteredProgram *registered =
      dialect->findProgram(getProgram(), error);
  if (!registered)
    return emitOpError() << error;
  const ::poly::ProgramInfo &info = registered->program.info();
  // How MLIR writes the format's type.
  auto spelling = [](::poly::Format format) {
    return format == ::poly::Format::E4M3   ? std::string("f8E4M3FN")
           : format == ::poly::Format::E5M2 ? std::string("f8E5M2")
                                            : std::string(::poly::name(format));
  };
  std::string lanes = std::to_string(info.lanes);
  auto check = [&](Type type, ::poly::Format format,
                   StringRef what) -> LogicalResult {
    auto vectorType = dyn_cast<VectorType>(type);
    // Any program takes a scalar: a two-lane one in its scalar form.
    bool shapeOk =
        !vectorType || (info.lanes > 1 && vectorType.getRank() == 1 &&
                        vectorType.getNumElements() == info.lanes);
    if (getFormat(type) == format && shapeOk)
      return success();
    std::string scalar = spelling(format);
    return emitOpError() << what << " must be " << scalar
                         << (info.lanes > 1
                                 ? " or vector<" + lanes + "x" + scalar + ">"
                                 : std::string())
                         << " for program '" << info.name << "', got " << type;
  };
  if (failed(check(getOperand().getType(), info.from, "operand")))
    return failure();
  if (failed(check(getResult().getType(), info.to, "result")))
    return failure();
  if (isa<VectorType>(getOperand().getType()) !=
      isa<VectorType>(getResult().getType()))
    return emitOpError("operand and result must have the same shape");
  return success();
}
