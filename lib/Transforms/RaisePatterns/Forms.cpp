//===- Forms.cpp - Normal forms of values ---------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Forms.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace mlir::poly {

namespace {

/// Bounds of the search around one exponential. The longest spelling known,
/// a derivative of GELU, needs about half of each.
constexpr unsigned kMaxBases = 6;
constexpr unsigned kMaxBaseDepth = 12;
constexpr unsigned kMaxBaseOps = 48;
constexpr unsigned kMaxBackwardOps = 48;
constexpr unsigned kMaxBackwardDepth = 16;

} // namespace

const ValueForm *FormBuilder::get(Value value) {
  budget = kMaxBackwardOps;
  const ValueForm *form = nullptr;
  return visit(value, 0, form) == Outcome::Known ? form : nullptr;
}

FormBuilder::Outcome FormBuilder::visit(Value value, unsigned depth,
                                        const ValueForm *&form) {
  auto [it, isNew] = known.try_emplace(value, nullptr);
  if (!isNew) {
    form = it->second;
    return form ? Outcome::Known : Outcome::None;
  }
  Outcome outcome = compute(value, depth, form);
  // A value that was too far away for this query may be near for another.
  if (outcome == Outcome::OutOfBudget)
    known.erase(value);
  else if (outcome == Outcome::Known)
    known[value] = form;
  return outcome;
}

FormBuilder::Outcome FormBuilder::compute(Value value, unsigned depth,
                                          const ValueForm *&form) {
  if (value == base) {
    form = keep(NormalForm::linear(1), true);
    return Outcome::Known;
  }
  if (std::optional<double> number = views.getConstant(value)) {
    if (!std::isfinite(*number))
      return Outcome::None;
    form = keep(NormalForm::constant(*number), false);
    return Outcome::Known;
  }
  // Nothing above the base depends on it.
  Operation *op = value.getDefiningOp();
  if (op && baseOp && op->getBlock() == baseOp->getBlock() &&
      op->isBeforeInBlock(baseOp))
    return Outcome::None;
  const FloatView &view = views.getView(value);
  if (view.kind == FloatKind::Opaque)
    return Outcome::None;
  if (depth == kMaxBackwardDepth || budget == 0)
    return Outcome::OutOfBudget;
  --budget;

  std::array<const ValueForm *, 4> operands;
  bool outOfBudget = false;
  for (auto [i, operand] : llvm::enumerate(view.getOperands())) {
    Outcome outcome = visit(operand, depth + 1, operands[i]);
    if (outcome == Outcome::None)
      return Outcome::None;
    outOfBudget |= outcome == Outcome::OutOfBudget;
  }
  if (outOfBudget)
    return Outcome::OutOfBudget;
  auto forms = ArrayRef(operands.data(), view.numOperands);
  std::optional<NormalForm> result = apply(view, forms);
  if (!result)
    return Outcome::None;
  form = keep(std::move(*result), isNaNOfNaN(view, forms));
  return Outcome::Known;
}

std::optional<NormalForm>
FormBuilder::apply(const FloatView &view,
                   ArrayRef<const ValueForm *> operands) {
  const NormalForm &a = operands[0]->form;
  switch (view.kind) {
  case FloatKind::Opaque:
  case FloatKind::Sin:
  case FloatKind::Cos:
  case FloatKind::SinPi:
  case FloatKind::CosPi:
    return std::nullopt;
  case FloatKind::Add:
    return NormalForm::add(a, operands[1]->form);
  case FloatKind::Sub:
    return NormalForm::sub(a, operands[1]->form);
  case FloatKind::Mul:
    return NormalForm::mul(a, operands[1]->form);
  case FloatKind::Div:
    return NormalForm::div(a, operands[1]->form);
  case FloatKind::Rcp:
    return NormalForm::div(NormalForm::constant(1), a);
  case FloatKind::Neg:
    return a.negated();
  case FloatKind::Fma: {
    std::optional<NormalForm> product = NormalForm::mul(a, operands[1]->form);
    return product ? NormalForm::add(*product, operands[2]->form)
                   : std::nullopt;
  }
  case FloatKind::Exp:
    return a.exponential(1);
  case FloatKind::Exp2:
    return a.exponential(llvm::numbers::ln2);
  case FloatKind::Exp10:
    return a.exponential(llvm::numbers::ln10);
  case FloatKind::ExpM1: {
    std::optional<NormalForm> e = a.exponential(1);
    return e ? NormalForm::sub(*e, NormalForm::constant(1)) : std::nullopt;
  }
  case FloatKind::Sinh:
  case FloatKind::Cosh: {
    std::optional<NormalForm> e = a.exponential(1), inverse = a.exponential(-1);
    if (!e || !inverse)
      return std::nullopt;
    auto sum = view.kind == FloatKind::Sinh ? NormalForm::sub(*e, *inverse)
                                            : NormalForm::add(*e, *inverse);
    return sum ? NormalForm::mul(NormalForm::constant(0.5), *sum)
               : std::nullopt;
  }
  case FloatKind::Tanh:
    return a.tanh();
  case FloatKind::Erf:
    return a.erf();
  case FloatKind::Erfc: {
    std::optional<NormalForm> erf = a.erf();
    return erf ? NormalForm::sub(NormalForm::constant(1), *erf) : std::nullopt;
  }
  case FloatKind::NormCdf: {
    auto scaled =
        NormalForm::mul(NormalForm::constant(1 / llvm::numbers::sqrt2), a);
    std::optional<NormalForm> erf = scaled ? scaled->erf() : std::nullopt;
    auto sum = erf ? NormalForm::add(NormalForm::constant(1), *erf) : erf;
    return sum ? NormalForm::mul(NormalForm::constant(0.5), *sum) : sum;
  }
  case FloatKind::Pow:
    return a.pow(view.exponent);
  case FloatKind::Abs:
    return a.abs();
  case FloatKind::CopySign:
    return NormalForm::copySign(a, operands[1]->form);
  case FloatKind::Max:
    return NormalForm::select(a, operands[1]->form, operands[1]->form, a);
  case FloatKind::Min:
    return NormalForm::select(a, operands[1]->form, a, operands[1]->form);
  case FloatKind::Ext:
    return a;
  case FloatKind::Select:
    return NormalForm::select(a, operands[1]->form, operands[2]->form,
                              operands[3]->form);
  }
  return std::nullopt;
}

bool FormBuilder::isNaNOfNaN(const FloatView &view,
                             ArrayRef<const ValueForm *> operands) {
  auto isNaN = [](const ValueForm *operand) { return operand->isNaNOfNaN; };
  switch (view.kind) {
  case FloatKind::Max:
  case FloatKind::Min:
    return view.isNumber ? llvm::all_of(operands, isNaN)
                         : llvm::any_of(operands, isNaN);
  case FloatKind::CopySign:
    return isNaN(operands[0]);
  case FloatKind::Select:
    if (isNaN(operands[0]) || isNaN(operands[1]))
      return isNaN(operands[view.unorderedOperand]);
    return isNaN(operands[2]) && isNaN(operands[3]);
  default:
    return llvm::any_of(operands, isNaN);
  }
}

//===----------------------------------------------------------------------===//
// Candidate bases
//===----------------------------------------------------------------------===//

BaseCollector::Chain BaseCollector::visit(Value value, unsigned depth) {
  auto it = chains.find(value);
  if (it != chains.end())
    return it->second;
  FloatView view = views.getView(value);
  if ((view.kind == FloatKind::Neg || view.kind == FloatKind::Ext) &&
      depth < kMaxBaseDepth)
    return visit(view.operands[0], depth + 1);
  Chain chain = {value};
  // Met again only in a cycle of unreachable code.
  chains[value] = chain;
  ArrayRef<Value> operands;
  switch (view.kind) {
  case FloatKind::Add:
  case FloatKind::Sub:
  case FloatKind::Mul:
  case FloatKind::Fma:
  case FloatKind::Pow:
  case FloatKind::Abs:
  case FloatKind::CopySign:
  case FloatKind::Max:
  case FloatKind::Min:
  case FloatKind::Select:
  case FloatKind::Div:
    operands = view.getOperands();
    break;
  default:
    return chain;
  }
  if (depth == kMaxBaseDepth || chains.size() > kMaxBaseOps)
    return chain;
  // What all operands go through, the result goes through.
  std::optional<Chain> common;
  for (Value operand : operands) {
    if (views.getConstant(operand))
      continue;
    Chain other = visit(operand, depth + 1);
    if (!common)
      common = other;
    else
      llvm::erase_if(*common, [&](Value candidate) {
        return !llvm::is_contained(other, candidate);
      });
  }
  if (common)
    chain.append(common->begin(), common->end());
  if (chain.size() > kMaxBases)
    chain.truncate(kMaxBases);
  chains[value] = chain;
  return chain;
}

std::optional<llvm::SmallVector<double, 3>> getScales(const FloatView &view,
                                                      FormBuilder &forms) {
  const ValueForm *argument = forms.get(view.operands[0]);
  std::optional<std::array<Slopes, 2>> slopes =
      argument ? argument->form.slopes() : std::nullopt;
  if (!slopes)
    return std::nullopt;
  const Slopes &right = (*slopes)[0], &left = (*slopes)[1];
  bool isLinear =
      right[1] == 0 && right[2] == 0 && left[1] == 0 && left[2] == 0;
  llvm::SmallVector<double, 3> scales;
  if (!isLinear)
    return scales;
  if (view.kind == FloatKind::Erf || view.kind == FloatKind::Erfc ||
      view.kind == FloatKind::NormCdf)
    return scales;
  double unit = view.kind == FloatKind::Exp2    ? llvm::numbers::ln2
                : view.kind == FloatKind::Exp10 ? llvm::numbers::ln10
                                                : 1;
  auto isKnown = [&](double slope) {
    double rate = std::abs(slope * unit);
    return llvm::any_of(std::array{0.5, 1.0, 2.0}, [&](double known) {
      return std::abs(rate - known) < 1e-6;
    });
  };
  if (isKnown(right[0]) && isKnown(left[0]))
    return scales;
  double rate = std::abs(right[0] * unit);
  if (rate == 0 || std::abs(std::abs(left[0] * unit) - rate) > 1e-9 * rate)
    return std::nullopt;
  // tanh(k x) is a quotient of exp(2 k x).
  if (view.kind == FloatKind::Tanh)
    rate *= 2;
  return llvm::SmallVector<double, 3>{rate, rate / 2, 2 * rate};
}

} // namespace mlir::poly
