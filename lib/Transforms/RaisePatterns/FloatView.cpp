//===- FloatView.cpp - What a float op computes ---------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatView.h"

#include "InlineAsm.h"
#include "Targets.h"

#include "poly/Dialect/Poly/PolyDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <cstdlib>

namespace mlir::poly {

namespace {

struct KindEntry {
  FloatKind kind;
  bool isFast = false;
  bool isNumber = false;
};

/// Ops whose float operands are the operands of the kind, in order.
const llvm::DenseMap<TypeID, KindEntry> &opKinds() {
  using K = FloatKind;
  static const llvm::DenseMap<TypeID, KindEntry> table = {
      {TypeID::get<arith::AddFOp>(), {K::Add}},
      {TypeID::get<arith::SubFOp>(), {K::Sub}},
      {TypeID::get<arith::MulFOp>(), {K::Mul}},
      {TypeID::get<arith::DivFOp>(), {K::Div}},
      {TypeID::get<arith::NegFOp>(), {K::Neg}},
      {TypeID::get<arith::ExtFOp>(), {K::Ext}},
      {TypeID::get<arith::MaximumFOp>(), {K::Max}},
      {TypeID::get<arith::MaxNumFOp>(), {K::Max, false, true}},
      {TypeID::get<arith::MinimumFOp>(), {K::Min}},
      {TypeID::get<arith::MinNumFOp>(), {K::Min, false, true}},
      {TypeID::get<math::ExpOp>(), {K::Exp}},
      {TypeID::get<math::Exp2Op>(), {K::Exp2}},
      {TypeID::get<math::ExpM1Op>(), {K::ExpM1}},
      {TypeID::get<math::SinhOp>(), {K::Sinh}},
      {TypeID::get<math::CoshOp>(), {K::Cosh}},
      {TypeID::get<math::TanhOp>(), {K::Tanh}},
      {TypeID::get<math::ErfOp>(), {K::Erf}},
      {TypeID::get<math::ErfcOp>(), {K::Erfc}},
      {TypeID::get<math::SinOp>(), {K::Sin}},
      {TypeID::get<math::CosOp>(), {K::Cos}},
      {TypeID::get<math::FmaOp>(), {K::Fma}},
      {TypeID::get<math::AbsFOp>(), {K::Abs}},
      {TypeID::get<math::CopySignOp>(), {K::CopySign}},
      {TypeID::get<vector::FMAOp>(), {K::Fma}},
      {TypeID::get<LLVM::FAddOp>(), {K::Add}},
      {TypeID::get<LLVM::FSubOp>(), {K::Sub}},
      {TypeID::get<LLVM::FMulOp>(), {K::Mul}},
      {TypeID::get<LLVM::FDivOp>(), {K::Div}},
      {TypeID::get<LLVM::FNegOp>(), {K::Neg}},
      {TypeID::get<LLVM::FPExtOp>(), {K::Ext}},
      {TypeID::get<LLVM::MaximumOp>(), {K::Max}},
      {TypeID::get<LLVM::MaxNumOp>(), {K::Max, false, true}},
      {TypeID::get<LLVM::MinimumOp>(), {K::Min}},
      {TypeID::get<LLVM::MinNumOp>(), {K::Min, false, true}},
      {TypeID::get<LLVM::ExpOp>(), {K::Exp}},
      {TypeID::get<LLVM::Exp2Op>(), {K::Exp2}},
      {TypeID::get<LLVM::Exp10Op>(), {K::Exp10}},
      {TypeID::get<LLVM::SinhOp>(), {K::Sinh}},
      {TypeID::get<LLVM::CoshOp>(), {K::Cosh}},
      {TypeID::get<LLVM::TanhOp>(), {K::Tanh}},
      {TypeID::get<LLVM::SinOp>(), {K::Sin}},
      {TypeID::get<LLVM::CosOp>(), {K::Cos}},
      {TypeID::get<LLVM::FMAOp>(), {K::Fma}},
      {TypeID::get<LLVM::FMulAddOp>(), {K::Fma}},
      {TypeID::get<LLVM::FAbsOp>(), {K::Abs}},
      {TypeID::get<LLVM::CopySignOp>(), {K::CopySign}},
      {TypeID::get<NVVM::RcpApproxFtzF32Op>(), {K::Rcp, true}},
  };
  return table;
}

/// libdevice functions and NVVM intrinsics, by name. Only roundings to nearest
/// are here; the others (_rz, _ru, _rd) are different functions.
const llvm::StringMap<KindEntry> &callKinds() {
  using K = FloatKind;
  static const llvm::StringMap<KindEntry> table = {
      {"__nv_expf", {K::Exp}},
      {"__nv_fast_expf", {K::Exp, true}},
      {"__nv_exp2f", {K::Exp2}},
      {"__nv_fast_exp2f", {K::Exp2, true}},
      {"__nv_exp10f", {K::Exp10}},
      {"__nv_fast_exp10f", {K::Exp10, true}},
      {"__nv_expm1f", {K::ExpM1}},
      {"__nv_sinhf", {K::Sinh}},
      {"__nv_coshf", {K::Cosh}},
      {"__nv_tanhf", {K::Tanh}},
      {"__nv_erff", {K::Erf}},
      {"__nv_erfcf", {K::Erfc}},
      {"__nv_normcdff", {K::NormCdf}},
      {"__nv_fast_tanhf", {K::Tanh, true}},
      {"__nv_sinf", {K::Sin}},
      {"__nv_cosf", {K::Cos}},
      {"__nv_fast_sinf", {K::Sin, true}},
      {"__nv_fast_cosf", {K::Cos, true}},
      {"__nv_sinpif", {K::SinPi}},
      {"__nv_cospif", {K::CosPi}},
      {"__nv_fdividef", {K::Div, true}},
      {"__nv_fast_fdividef", {K::Div, true}},
      {"__nv_fdiv_rn", {K::Div}},
      {"__nv_frcp_rn", {K::Rcp}},
      {"__nv_fadd_rn", {K::Add}},
      {"__nv_fsub_rn", {K::Sub}},
      {"__nv_fmul_rn", {K::Mul}},
      {"__nv_fmaf", {K::Fma}},
      {"__nv_fmaf_rn", {K::Fma}},
      {"__nv_fabsf", {K::Abs}},
      {"__nv_copysignf", {K::CopySign}},
      {"__nv_fmaxf", {K::Max, false, true}},
      {"__nv_fminf", {K::Min, false, true}},
      {"llvm.nvvm.ex2.approx.f", {K::Exp2, true}},
      {"llvm.nvvm.ex2.approx.f32", {K::Exp2, true}},
      {"llvm.nvvm.ex2.approx.ftz.f", {K::Exp2, true}},
      {"llvm.nvvm.ex2.approx.ftz.f32", {K::Exp2, true}},
      {"llvm.nvvm.tanh.approx.f", {K::Tanh, true}},
      {"llvm.nvvm.sin.approx.f", {K::Sin, true}},
      {"llvm.nvvm.sin.approx.ftz.f", {K::Sin, true}},
      {"llvm.nvvm.cos.approx.f", {K::Cos, true}},
      {"llvm.nvvm.cos.approx.ftz.f", {K::Cos, true}},
      {"llvm.nvvm.rcp.approx.ftz.f", {K::Rcp, true}},
      {"llvm.nvvm.rcp.rn.f", {K::Rcp}},
      {"llvm.nvvm.rcp.rn.ftz.f", {K::Rcp}},
      {"llvm.nvvm.div.approx.f", {K::Div, true}},
      {"llvm.nvvm.div.approx.ftz.f", {K::Div, true}},
      {"llvm.nvvm.div.full", {K::Div, true}},
      {"llvm.nvvm.div.full.ftz", {K::Div, true}},
      {"llvm.nvvm.div.rn.f", {K::Div}},
      {"llvm.nvvm.div.rn.ftz.f", {K::Div}},
      {"llvm.nvvm.add.rn.f", {K::Add}},
      {"llvm.nvvm.add.rn.ftz.f", {K::Add}},
      {"llvm.nvvm.mul.rn.f", {K::Mul}},
      {"llvm.nvvm.mul.rn.ftz.f", {K::Mul}},
      {"llvm.nvvm.fma.rn.f", {K::Fma}},
      {"llvm.nvvm.fma.rn.ftz.f", {K::Fma}},
      {"llvm.nvvm.fabs.f", {K::Abs}},
      {"llvm.nvvm.fabs.f32", {K::Abs}},
      {"llvm.nvvm.fabs.ftz.f", {K::Abs}},
      {"llvm.nvvm.fabs.ftz.f32", {K::Abs}},
  };
  return table;
}

/// Instructions that inline PTX spells out.
const llvm::StringMap<KindEntry> &instructionKinds() {
  using K = FloatKind;
  static const llvm::StringMap<KindEntry> table = {
      {"ex2.approx.f32", {K::Exp2, true}},
      {"ex2.approx.ftz.f32", {K::Exp2, true}},
      {"tanh.approx.f32", {K::Tanh, true}},
      {"sin.approx.f32", {K::Sin, true}},
      {"sin.approx.ftz.f32", {K::Sin, true}},
      {"cos.approx.f32", {K::Cos, true}},
      {"cos.approx.ftz.f32", {K::Cos, true}},
      {"rcp.approx.f32", {K::Rcp, true}},
      {"rcp.approx.ftz.f32", {K::Rcp, true}},
      {"rcp.rn.f32", {K::Rcp}},
      {"rcp.rn.ftz.f32", {K::Rcp}},
      {"div.approx.f32", {K::Div, true}},
      {"div.approx.ftz.f32", {K::Div, true}},
      {"div.full.f32", {K::Div, true}},
      {"div.full.ftz.f32", {K::Div, true}},
      {"div.rn.f32", {K::Div}},
      {"div.rn.ftz.f32", {K::Div}},
      {"add.rn.f32", {K::Add}},
      {"add.rn.ftz.f32", {K::Add}},
      {"mul.rn.f32", {K::Mul}},
      {"mul.rn.ftz.f32", {K::Mul}},
      {"fma.rn.f32", {K::Fma}},
      {"fma.rn.ftz.f32", {K::Fma}},
      {"neg.f32", {K::Neg}},
      {"abs.f32", {K::Abs}},
      {"min.f32", {K::Min, false, true}},
      {"max.f32", {K::Max, false, true}},
      {"min.NaN.f32", {K::Min}},
      {"max.NaN.f32", {K::Max}},
  };
  return table;
}

unsigned getArity(FloatKind kind) {
  switch (kind) {
  case FloatKind::Opaque:
    return 0;
  case FloatKind::Rcp:
  case FloatKind::Neg:
  case FloatKind::Exp:
  case FloatKind::Exp2:
  case FloatKind::Exp10:
  case FloatKind::ExpM1:
  case FloatKind::Sinh:
  case FloatKind::Cosh:
  case FloatKind::Tanh:
  case FloatKind::Erf:
  case FloatKind::Erfc:
  case FloatKind::NormCdf:
  case FloatKind::Sin:
  case FloatKind::Cos:
  case FloatKind::SinPi:
  case FloatKind::CosPi:
  case FloatKind::Pow:
  case FloatKind::Abs:
  case FloatKind::Ext:
    return 1;
  case FloatKind::Add:
  case FloatKind::Sub:
  case FloatKind::Mul:
  case FloatKind::Div:
  case FloatKind::CopySign:
  case FloatKind::Max:
  case FloatKind::Min:
    return 2;
  case FloatKind::Fma:
    return 3;
  case FloatKind::Select:
    return 4;
  }
  return 0;
}

KindEntry lookupCall(StringRef callee) {
  auto it = callKinds().find(callee);
  return it == callKinds().end() ? KindEntry{FloatKind::Opaque} : it->second;
}

KindEntry lookupKind(Operation *op) {
  auto it = opKinds().find(op->getName().getTypeID());
  if (it != opKinds().end())
    return it->second;
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    return call.getCallee() ? lookupCall(*call.getCallee())
                            : KindEntry{FloatKind::Opaque};
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return lookupCall(call.getIntrin());
  if (auto call = dyn_cast<func::CallOp>(op))
    return lookupCall(call.getCallee());
  return {FloatKind::Opaque};
}

/// A comparison that asks for less (-1) or greater (1), equal or not.
struct Predicate {
  int direction = 0;
  bool isTrueOfNaN = false;
};

Predicate getPredicate(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OLT:
  case P::OLE:
    return {-1, false};
  case P::ULT:
  case P::ULE:
    return {-1, true};
  case P::OGT:
  case P::OGE:
    return {1, false};
  case P::UGT:
  case P::UGE:
    return {1, true};
  default:
    return {};
  }
}

Predicate getPredicate(LLVM::FCmpPredicate predicate) {
  using P = LLVM::FCmpPredicate;
  switch (predicate) {
  case P::olt:
  case P::ole:
    return {-1, false};
  case P::ult:
  case P::ule:
    return {-1, true};
  case P::ogt:
  case P::oge:
    return {1, false};
  case P::ugt:
  case P::uge:
    return {1, true};
  default:
    return {};
  }
}

/// The value that all of \p attr's lanes hold.
Attribute getUniformAttr(Attribute attr) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attr);
  if (!elements)
    return attr;
  if (elements.empty())
    return {};
  if (elements.isSplat())
    return elements.getSplatValue<Attribute>();
  // Lanes can be equal without the attribute being stored as a splat.
  constexpr int64_t kMaxLanes = 1024;
  if (elements.getNumElements() > kMaxLanes)
    return {};
  auto lanes = elements.getValues<Attribute>();
  Attribute first = *lanes.begin();
  return llvm::all_equal(lanes) ? first : Attribute();
}

/// An integer literal, or a float literal that is one.
std::optional<int> getSmallInteger(Value value) {
  constexpr int kMaxExponent = 4;
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  attr = getUniformAttr(attr);
  double number = 0;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    number = integer.getValue().signedRoundToDouble();
  else if (auto real = dyn_cast_or_null<FloatAttr>(attr))
    number = real.getValueAsDouble();
  int exponent = static_cast<int>(number);
  if (number != exponent || exponent == 0 || std::abs(exponent) > kMaxExponent)
    return std::nullopt;
  return exponent;
}

/// A power with a literal exponent.
FloatView viewPower(Operation *op) {
  StringRef callee;
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    callee = call.getCallee().value_or("");
  else if (auto call = dyn_cast<func::CallOp>(op))
    callee = call.getCallee();
  bool isFast = callee == "__nv_fast_powf";
  if (!isa<math::PowFOp, math::FPowIOp, LLVM::PowOp, LLVM::PowIOp>(op) &&
      !isFast && callee != "__nv_powf" && callee != "__nv_powif")
    return {};
  if (op->getNumOperands() != 2)
    return {};
  std::optional<int> exponent = getSmallInteger(op->getOperand(1));
  if (!exponent)
    return {};
  FloatView view;
  view.kind = FloatKind::Pow;
  view.isFast = isFast;
  view.numOperands = 1;
  view.exponent = *exponent;
  view.operands[0] = op->getOperand(0);
  return view;
}

FloatView makeView(KindEntry entry, ValueRange operands) {
  if (entry.kind == FloatKind::Opaque ||
      operands.size() != getArity(entry.kind))
    return {};
  FloatView view;
  view.kind = entry.kind;
  view.isFast = entry.isFast;
  view.isNumber = entry.isNumber;
  view.numOperands = operands.size();
  llvm::copy(operands, view.operands.begin());
  return view;
}

FloatView viewAssembly(LLVM::InlineAsmOp op) {
  std::optional<PlainInstruction> instruction = getPlainInstruction(op);
  if (!instruction)
    return {};
  auto it = instructionKinds().find(instruction->mnemonic);
  return it == instructionKinds().end()
             ? FloatView()
             : makeView(it->second, instruction->operands);
}

FloatView viewInlined(InlinedOp op) {
  FloatKind kind = llvm::StringSwitch<FloatKind>(op.getFunction())
                       .Case("exp", FloatKind::Exp)
                       .Case("exp10", FloatKind::Exp10)
                       .Case("expm1", FloatKind::ExpM1)
                       .Case("sinh", FloatKind::Sinh)
                       .Case("cosh", FloatKind::Cosh)
                       .Case("tanh", FloatKind::Tanh)
                       .Case("erf", FloatKind::Erf)
                       .Case("erfc", FloatKind::Erfc)
                       .Case("normcdf", FloatKind::NormCdf)
                       .Cases({"square", "cube"}, FloatKind::Pow)
                       .Default(FloatKind::Opaque);
  FloatView view = makeView({kind}, op.getOperand());
  view.exponent = op.getFunction() == "square" ? 2 : 3;
  return view;
}

FloatView viewUnchecked(Operation *op) {
  if (auto inlined = dyn_cast<InlinedOp>(op))
    return viewInlined(inlined);
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
    return viewAssembly(assembly);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return viewSelection(select.getCondition(), select.getTrueValue(),
                         select.getFalseValue());
  if (auto select = dyn_cast<LLVM::SelectOp>(op))
    return viewSelection(select.getCondition(), select.getTrueValue(),
                         select.getFalseValue());
  KindEntry entry = lookupKind(op);
  if (entry.kind == FloatKind::Opaque)
    return viewPower(op);
  return makeView(entry, op->getOperands());
}

/// A literal with the format it was written in.
struct Literal {
  double number;
  ::poly::Format format;
};

/// 1 for a square root, -1 for the reciprocal of one, otherwise 0.
int getRootSign(Operation *op) {
  if (isa<math::SqrtOp, LLVM::SqrtOp>(op))
    return 1;
  if (isa<math::RsqrtOp>(op))
    return -1;
  StringRef callee;
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    callee = call.getCallee().value_or("");
  else if (auto call = dyn_cast<func::CallOp>(op))
    callee = call.getCallee();
  else if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    callee = call.getIntrin();
  return llvm::StringSwitch<int>(callee)
      .Cases({"__nv_sqrtf", "__nv_fsqrt_rn", "llvm.nvvm.sqrt.f",
              "llvm.nvvm.sqrt.rn.f", "llvm.nvvm.sqrt.rn.ftz.f",
              "llvm.nvvm.sqrt.approx.f", "llvm.nvvm.sqrt.approx.ftz.f"},
             1)
      .Cases({"__nv_rsqrtf", "__nv_frsqrt_rn", "llvm.nvvm.rsqrt.approx.f",
              "llvm.nvvm.rsqrt.approx.ftz.f"},
             -1)
      .Default(0);
}

std::optional<::poly::Format> getScalarFormat(Type type) {
  if (type.isF32())
    return ::poly::Format::F32;
  if (type.isBF16())
    return ::poly::Format::BF16;
  if (type.isF16())
    return ::poly::Format::F16;
  return std::nullopt;
}

/// Looks through what a literal passes on its way into a vector or another
/// type. Types with no format in common, such as f64, have no literals.
std::optional<Literal> getLiteral(Value value, unsigned depth = 0);

/// What is computed from literals alone, as 1 / sqrt(2): a compiler folds it
/// only where no approximate instruction is part of it.
std::optional<Literal> foldLiterals(Operation *op, ::poly::Format format,
                                    unsigned depth) {
  auto rounded = [&](double number) {
    return Literal{::poly::decode(format, ::poly::encode(format, number)),
                   format};
  };
  if (int sign = getRootSign(op)) {
    std::optional<Literal> a = getLiteral(op->getOperand(0), depth + 1);
    if (!a || !(a->number > 0))
      return std::nullopt;
    return rounded(sign > 0 ? std::sqrt(a->number) : 1 / std::sqrt(a->number));
  }
  FloatView view = getFloatView(op);
  if (view.kind != FloatKind::Div && view.kind != FloatKind::Rcp &&
      view.kind != FloatKind::Mul)
    return std::nullopt;
  std::optional<Literal> a = getLiteral(view.operands[0], depth + 1);
  if (!a)
    return std::nullopt;
  if (view.kind == FloatKind::Rcp)
    return rounded(1 / a->number);
  std::optional<Literal> b = getLiteral(view.operands[1], depth + 1);
  if (!b)
    return std::nullopt;
  return rounded(view.kind == FloatKind::Mul ? a->number * b->number
                                             : a->number / b->number);
}

std::optional<Literal> getLiteral(Value value, unsigned depth) {
  constexpr unsigned kMaxDepth = 6;
  Operation *op = value.getDefiningOp();
  std::optional<::poly::Format> format = getElementFormat(value.getType());
  if (!op || !format || depth > kMaxDepth)
    return std::nullopt;
  Attribute attr;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    attr = constant.getValue();
  else if (auto constant = dyn_cast<LLVM::ConstantOp>(op))
    attr = constant.getValue();
  if (attr) {
    auto number = dyn_cast_or_null<FloatAttr>(getUniformAttr(attr));
    if (!number || getScalarFormat(number.getType()) != format)
      return std::nullopt;
    return Literal{number.getValueAsDouble(), *format};
  }
  if (isa<LLVM::ZeroOp>(op))
    return Literal{0, *format};
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return getLiteral(broadcast.getSource(), depth + 1);
  if (isa<arith::ExtFOp, LLVM::FPExtOp>(op))
    return getLiteral(op->getOperand(0), depth + 1);
  if (isa<arith::NegFOp, LLVM::FNegOp>(op)) {
    std::optional<Literal> literal = getLiteral(op->getOperand(0), depth + 1);
    if (literal)
      literal->number = -literal->number;
    return literal;
  }
  bool nearest = isa<LLVM::FPTruncOp>(op);
  if (auto trunc = dyn_cast<arith::TruncFOp>(op))
    nearest = !trunc.getRoundingmode() ||
              *trunc.getRoundingmode() == arith::RoundingMode::to_nearest_even;
  if (nearest) {
    std::optional<Literal> literal = getLiteral(op->getOperand(0), depth + 1);
    if (!literal)
      return std::nullopt;
    return Literal{
        ::poly::decode(*format, ::poly::encode(*format, literal->number)),
        *format};
  }
  // A literal 1 is sometimes a converted integer.
  if (isa<arith::SIToFPOp, LLVM::SIToFPOp, arith::UIToFPOp, LLVM::UIToFPOp>(
          op)) {
    Operation *source = op->getOperand(0).getDefiningOp();
    Attribute sourceAttr;
    if (auto constant = dyn_cast_or_null<arith::ConstantOp>(source))
      sourceAttr = constant.getValue();
    else if (auto constant = dyn_cast_or_null<LLVM::ConstantOp>(source))
      sourceAttr = constant.getValue();
    auto number = dyn_cast_or_null<IntegerAttr>(getUniformAttr(sourceAttr));
    if (!number)
      return std::nullopt;
    bool isSigned = isa<arith::SIToFPOp, LLVM::SIToFPOp>(op);
    double exact = number.getValue().roundToDouble(isSigned);
    return Literal{::poly::decode(*format, ::poly::encode(*format, exact)),
                   *format};
  }
  return foldLiterals(op, *format, depth);
}

} // namespace

std::optional<::poly::Format> getElementFormat(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.isScalable())
      return std::nullopt;
    type = vector.getElementType();
  }
  return getScalarFormat(type);
}

/// The operands of a disjunction of conditions, however it is spelled.
static std::optional<std::pair<Value, Value>> viewOr(Value condition) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::OrIOp, LLVM::OrOp>(op))
    return std::pair(op->getOperand(0), op->getOperand(1));
  // a ? true : b, which keeps b's poison away.
  APInt number;
  if (isa_and_nonnull<arith::SelectOp, LLVM::SelectOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&number)) &&
      number.isAllOnes())
    return std::pair(op->getOperand(0), op->getOperand(2));
  return std::nullopt;
}

/// The value that \p condition asks for being NaN, and nothing else.
static Value getNaNTested(Value condition) {
  Operation *op = condition.getDefiningOp();
  bool isUnordered = false;
  if (auto cmp = dyn_cast_or_null<arith::CmpFOp>(op))
    isUnordered = cmp.getPredicate() == arith::CmpFPredicate::UNO ||
                  (cmp.getPredicate() == arith::CmpFPredicate::UNE &&
                   cmp.getLhs() == cmp.getRhs());
  else if (auto cmp = dyn_cast_or_null<LLVM::FCmpOp>(op))
    isUnordered = cmp.getPredicate() == LLVM::FCmpPredicate::uno ||
                  (cmp.getPredicate() == LLVM::FCmpPredicate::une &&
                   cmp.getLhs() == cmp.getRhs());
  if (!isUnordered)
    return {};
  auto isNumber = [](Value value) {
    std::optional<double> number = getLiteralNumber(value);
    return number && !std::isnan(*number);
  };
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (a == b || isNumber(b))
    return a;
  return isNumber(a) ? b : Value();
}

/// a > b or a is NaN ? a : b, the maximum of NaN-minded code; a < b likewise.
static FloatView viewNaNMaximum(Value condition, Value ifTrue, Value ifFalse) {
  std::optional<std::pair<Value, Value>> either = viewOr(condition);
  if (!either)
    return {};
  auto [order, test] = *either;
  if (!getNaNTested(test))
    std::swap(order, test);
  if (getNaNTested(test) != ifTrue)
    return {};
  FloatView view = viewSelection(order, ifTrue, ifFalse);
  if (view.kind != FloatKind::Select || ifTrue == ifFalse)
    return {};
  // left < right ? c : d, and what an unordered pair gives is the second.
  bool isMaximum = view.operands[0] == view.operands[3] &&
                   view.operands[1] == view.operands[2];
  bool isMinimum = view.operands[0] == view.operands[2] &&
                   view.operands[1] == view.operands[3];
  if ((!isMaximum && !isMinimum) ||
      view.operands[view.unorderedOperand] != ifFalse)
    return {};
  FloatView result;
  result.kind = isMaximum ? FloatKind::Max : FloatKind::Min;
  result.numOperands = 2;
  result.operands = {ifTrue, ifFalse};
  return result;
}

FloatView viewSelection(Value condition, Value ifTrue, Value ifFalse) {
  if (FloatView view = viewNaNMaximum(condition, ifTrue, ifFalse);
      view.kind != FloatKind::Opaque)
    return view;
  Operation *compare = condition.getDefiningOp();
  Predicate predicate;
  if (auto cmp = dyn_cast_or_null<arith::CmpFOp>(compare))
    predicate = getPredicate(cmp.getPredicate());
  else if (auto cmp = dyn_cast_or_null<LLVM::FCmpOp>(compare))
    predicate = getPredicate(cmp.getPredicate());
  if (predicate.direction == 0)
    return {};
  bool isLess = predicate.direction < 0;
  FloatView view;
  view.kind = FloatKind::Select;
  view.numOperands = 4;
  view.compare = compare;
  view.unorderedOperand = isLess == predicate.isTrueOfNaN ? 2 : 3;
  view.operands = {compare->getOperand(0), compare->getOperand(1),
                   isLess ? ifTrue : ifFalse, isLess ? ifFalse : ifTrue};
  return view;
}

FloatView getFloatView(Operation *op) {
  if (op->getNumResults() != 1 || !getElementFormat(op->getResult(0).getType()))
    return {};
  FloatView view = viewUnchecked(op);
  for (Value operand : view.getOperands())
    if (!getElementFormat(operand.getType()))
      return {};
  return view;
}

std::optional<double> getLiteralNumber(Value value) {
  std::optional<Literal> literal = getLiteral(value);
  if (!literal)
    return std::nullopt;
  return literal->number;
}

std::optional<double> getConstantNumber(Value value) {
  std::optional<Literal> literal = getLiteral(value);
  if (!literal)
    return std::nullopt;
  return snapConstant(literal->number, literal->format);
}

std::optional<arith::FastMathFlags> getFastMathFlags(Operation *op) {
  if (auto carrier = dyn_cast<arith::ArithFastMathInterface>(op)) {
    arith::FastMathFlagsAttr attr = carrier.getFastMathFlagsAttr();
    return attr ? attr.getValue() : arith::FastMathFlags::none;
  }
  auto carrier = dyn_cast<LLVM::FastmathFlagsInterface>(op);
  if (!carrier)
    return std::nullopt;
  LLVM::FastmathFlagsAttr attr = carrier.getFastmathAttr();
  LLVM::FastmathFlags from = attr ? attr.getValue() : LLVM::FastmathFlags::none;
  // The two dialects number their flags differently.
  using To = arith::FastMathFlags;
  using From = LLVM::FastmathFlags;
  constexpr std::pair<From, To> kFlags[] = {
      {From::reassoc, To::reassoc}, {From::nnan, To::nnan},
      {From::ninf, To::ninf},       {From::nsz, To::nsz},
      {From::arcp, To::arcp},       {From::contract, To::contract},
      {From::afn, To::afn},
  };
  To flags = To::none;
  for (auto [llvmFlag, arithFlag] : kFlags)
    if ((from & llvmFlag) == llvmFlag)
      flags = flags | arithFlag;
  return flags;
}

} // namespace mlir::poly
