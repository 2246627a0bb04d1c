//===- GraphGenerator.cpp - Random code around idioms ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphGenerator.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace polytest {

static constexpr double kLog2E = 1.4426950408889634074;

Type GraphGenerator::lanes(Type type) {
  return isVector ? Type(VectorType::get({2}, type)) : type;
}

Value GraphGenerator::constant(double number) {
  Location loc = builder.getUnknownLoc();
  TypedAttr attr = builder.getFloatAttr(element, number);
  if (isVector)
    attr = DenseElementsAttr::get(cast<VectorType>(lanes(element)),
                                  Attribute(attr));
  if (isLLVM)
    return LLVM::ConstantOp::create(builder, loc, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

Value GraphGenerator::literal(double number) {
  if (chance(2))
    return constant(number * (1 + 1e-3));
  if (chance(1))
    return constant(-number);
  return constant(number);
}

arith::FastMathFlags GraphGenerator::flags() {
  using F = arith::FastMathFlags;
  switch (flagMode) {
  case 0:
    return F::none;
  case 1:
    return F::afn;
  case 2:
    return F::contract;
  default:
    return chance(90) ? F::afn | F::contract : F::none;
  }
}

Value GraphGenerator::create(StringRef name, ValueRange operands) {
  OperationState state(builder.getUnknownLoc(), name);
  state.addOperands(operands);
  state.addTypes(operands.back().getType());
  if (!isLLVM)
    state.addAttribute("fastmath", arith::FastMathFlagsAttr::get(
                                       builder.getContext(), flags()));
  return builder.create(state)->getResult(0);
}

Value GraphGenerator::unary(StringRef arith, StringRef llvmName, Value a) {
  return create(isLLVM ? llvmName : arith, a);
}

Value GraphGenerator::add(Value a, Value b) {
  if (chance(50))
    std::swap(a, b);
  return create(isLLVM ? "llvm.fadd" : "arith.addf", {a, b});
}

Value GraphGenerator::sub(Value a, Value b) {
  if (chance(20))
    return add(a, neg(b));
  return create(isLLVM ? "llvm.fsub" : "arith.subf", {a, b});
}

Value GraphGenerator::mul(Value a, Value b) {
  if (chance(50))
    std::swap(a, b);
  return create(isLLVM ? "llvm.fmul" : "arith.mulf", {a, b});
}

Value GraphGenerator::scale(Value a, double factor) {
  if (factor == 2 && chance(20))
    return add(a, a);
  if (chance(20))
    return div(a, literal(1 / factor));
  return mul(a, literal(factor));
}

Value GraphGenerator::div(Value a, Value b) {
  return create(isLLVM ? "llvm.fdiv" : "arith.divf", {a, b});
}

Value GraphGenerator::neg(Value a) {
  switch (pick(4)) {
  case 0:
    return create(isLLVM ? "llvm.fsub" : "arith.subf", {constant(0), a});
  case 1:
    return mul(a, literal(-1));
  default:
    return unary("arith.negf", "llvm.fneg", a);
  }
}

Value GraphGenerator::abs(Value a) {
  return unary("math.absf", "llvm.intr.fabs", a);
}

Value GraphGenerator::fma(Value a, Value b, Value c) {
  if (chance(50))
    return add(mul(a, b), c);
  return create(isLLVM ? "llvm.intr.fma" : "math.fma", {a, b, c});
}

Value GraphGenerator::maximum(Value a, Value b) {
  if (isLLVM)
    return create(chance(50) ? "llvm.intr.maximum" : "llvm.intr.maxnum",
                  {a, b});
  return create(chance(50) ? "arith.maximumf" : "arith.maxnumf", {a, b});
}

Value GraphGenerator::exp(Value a) {
  if (chance(50))
    return unary("math.exp", "llvm.intr.exp", a);
  // Contraction may round the product differently.
  return unary("math.exp2", "llvm.intr.exp2", scale(a, kLog2E));
}

Value GraphGenerator::tanh(Value a) {
  return unary("math.tanh", "llvm.intr.tanh", a);
}

Value GraphGenerator::ifNegative(Value a, Value b, Value c) {
  Location loc = builder.getUnknownLoc();
  Value zero = constant(0);
  bool swap = chance(50); // a >= 0 ? c : b
  if (isLLVM) {
    Value condition = LLVM::FCmpOp::create(
        builder, loc,
        swap ? LLVM::FCmpPredicate::oge : LLVM::FCmpPredicate::olt, a, zero);
    return LLVM::SelectOp::create(builder, loc, condition, swap ? c : b,
                                  swap ? b : c);
  }
  Value condition = arith::CmpFOp::create(
      builder, loc,
      swap ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OLT, a, zero);
  return arith::SelectOp::create(builder, loc, condition, swap ? c : b,
                                 swap ? b : c);
}

Value GraphGenerator::convert(Value a, Type to) {
  Location loc = builder.getUnknownLoc();
  Type from = getElementTypeOrSelf(a.getType());
  if (from == to)
    return a;
  bool widens = from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
  if (from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth())
    return convert(convert(a, builder.getF32Type()), to);
  if (isLLVM)
    return widens
               ? LLVM::FPExtOp::create(builder, loc, lanes(to), a).getResult()
               : LLVM::FPTruncOp::create(builder, loc, lanes(to), a)
                     .getResult();
  return widens
             ? arith::ExtFOp::create(builder, loc, lanes(to), a).getResult()
             : arith::TruncFOp::create(builder, loc, lanes(to), a).getResult();
}

//===----------------------------------------------------------------------===//
// Spellings
//===----------------------------------------------------------------------===//

Value GraphGenerator::sigmoid(Value x) {
  Value one = literal(1);
  switch (pick(6)) {
  case 0:
    return div(one, add(one, exp(neg(x))));
  case 1: {
    Value e = exp(x);
    return div(e, add(e, one));
  }
  case 2:
    return fma(tanh(scale(x, 0.5)), literal(0.5), literal(0.5));
  case 3: {
    Value e = exp(neg(abs(x)));
    Value y = div(e, add(one, e));
    return ifNegative(x, y, sub(one, y));
  }
  case 4: {
    Value e = exp(neg(abs(x)));
    Value d = add(one, e);
    return ifNegative(x, div(e, d), div(one, d));
  }
  default:
    return sub(one, div(one, add(one, exp(x))));
  }
}

Value GraphGenerator::tanhIdiom(Value x) {
  Value one = literal(1);
  switch (pick(5)) {
  case 0:
    return sub(scale(sigmoid(scale(x, 2)), 2), one);
  case 1: {
    Value p = exp(x), n = exp(neg(x));
    return div(sub(p, n), add(p, n));
  }
  case 2: {
    Value e = exp(scale(x, 2));
    return div(sub(e, one), add(e, one));
  }
  case 3:
    return sub(one, div(literal(2), add(exp(scale(x, 2)), one)));
  default:
    return tanh(x);
  }
}

Value GraphGenerator::idiom(Value x) {
  Value one = literal(1);
  switch (pick(16)) {
  case 0:
  case 1:
    return sigmoid(x);
  case 2:
    return mul(x, sigmoid(x));
  case 3:
    return div(x, add(one, exp(neg(x))));
  case 4:
    return tanhIdiom(x);
  case 5: { // h tanh(h) + h
    Value h = scale(x, 0.5);
    return fma(h, tanhIdiom(h), h);
  }
  case 6: { // Softcap.
    double cap = chance(50) ? 30 : 50;
    return scale(tanhIdiom(scale(x, 1 / cap)), cap);
  }
  case 7: { // GELU, tanh form.
    Value cube = mul(mul(x, x), x);
    Value u = scale(fma(cube, literal(0.044715), x), 0.7978845608028654);
    return mul(scale(x, 0.5), add(one, tanhIdiom(u)));
  }
  case 8: { // Derivatives.
    Value s = sigmoid(x);
    return chance(50) ? mul(s, sub(one, s)) : sub(s, mul(s, s));
  }
  case 9: {
    Value t = tanhIdiom(x);
    return sub(one, mul(t, t));
  }
  case 10: {
    Value s = sigmoid(x);
    return mul(s, fma(x, sub(one, s), one));
  }
  case 11: // Swish with a slope.
    return mul(x, sigmoid(scale(x, chance(50) ? 1.702 : 1.5)));
  case 12: { // The same, or another multiple, as one quotient.
    Value denominator = add(one, exp(scale(x, chance(50) ? -1.702 : -1.25)));
    return div(chance(60) ? x : literal(chance(50) ? 2 : 0.75), denominator);
  }
  case 13: { // A softmax weight, scaled in one of several ways.
    Value other = variables[pick(variables.size())];
    Value largest = maximum(x, chance(80) ? other : neg(x));
    switch (pick(3)) {
    case 0:
      return exp(scale(sub(x, largest), 0.125));
    case 1: {
      Value factor = literal(chance(80) ? 0.25 : -0.25);
      return exp(sub(mul(x, factor), mul(largest, factor)));
    }
    default: {
      Value factor = literal(0.18033688);
      return unary("math.exp2", "llvm.intr.exp2",
                   fma(x, factor, neg(mul(largest, factor))));
    }
    }
  }
  case 14: { // The derivative of tanh-GELU.
    Value u =
        scale(fma(mul(mul(x, x), x), literal(0.044715), x), 0.7978845608028654);
    Value t = tanhIdiom(u);
    Value slope =
        scale(fma(mul(x, x), literal(0.134145), one), 0.7978845608028654);
    Value bell = mul(sub(one, mul(t, t)), slope);
    return add(mul(scale(x, 0.5), bell), scale(add(one, t), 0.5));
  }
  default: { // A softcap, then a weight.
    Value capped = scale(tanhIdiom(scale(x, 1.0 / 30)), 30);
    Value other = variables[pick(variables.size())];
    return exp(sub(capped, maximum(capped, other)));
  }
  }
}

Value GraphGenerator::expression(unsigned depth) {
  Value variable = variables[pick(variables.size())];
  if (depth == 0)
    return chance(15) ? neg(variable) : variable;
  switch (pick(10)) {
  case 0:
    return add(expression(depth - 1), expression(depth - 1));
  case 1:
    return mul(expression(depth - 1), expression(depth - 1));
  case 2:
    return maximum(expression(depth - 1), expression(depth - 1));
  case 3: { // A rounding in the middle.
    if (element != builder.getF32Type())
      return idiom(expression(depth - 1));
    Type narrow =
        chance(50) ? Type(builder.getBF16Type()) : Type(builder.getF16Type());
    return convert(convert(idiom(expression(depth - 1)), narrow), element);
  }
  case 4:
    return exp(sub(variable, maximum(variable, expression(depth - 1))));
  default:
    return idiom(expression(chance(70) ? 0 : depth - 1));
  }
}

func::FuncOp GraphGenerator::makeFunction(StringRef name) {
  Location loc = builder.getUnknownLoc();
  isLLVM = chance(35);
  isVector = chance(30);
  flagMode = pick(4);
  element =
      chance(85) ? Type(builder.getF32Type()) : Type(builder.getBF16Type());
  Type narrow =
      chance(60) ? Type(builder.getBF16Type()) : Type(builder.getF16Type());
  SmallVector<Type> arguments;
  for (unsigned i = 0, count = 1 + pick(3); i < count; ++i)
    arguments.push_back(lanes(chance(70) ? narrow : element));

  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(arguments, {}));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(function.addEntryBlock());
  variables.clear();
  for (Value argument : function.getArguments())
    variables.push_back(convert(argument, element));
  SmallVector<Value> results;
  SmallVector<Type> types;
  for (unsigned i = 0, count = 1 + pick(3); i < count; ++i) {
    Value value = expression(1 + pick(2));
    if (chance(65))
      value = convert(value, narrow);
    results.push_back(value);
    types.push_back(value.getType());
    // Later outputs may share what earlier ones computed.
    if (getElementTypeOrSelf(value.getType()) == element && chance(30))
      variables.push_back(value);
  }
  func::ReturnOp::create(builder, loc, results);
  function.setType(builder.getFunctionType(arguments, types));
  return function;
}

} // namespace polytest
