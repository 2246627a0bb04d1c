//===- Exponentials.cpp - Where an exponential may be approximated --------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exponentials.h"

#include "poly/Dialect/Poly/LowerBoundAttr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace mlir::poly;

using ::poly::ProgramInfo;
using ::poly::RegisteredProgram;

/// A clamp in the source is a proof: max(x, c) is not below c. Otherwise what
/// the author of the exponential \p original promises, of the same argument.
static std::optional<double> lowerBound(Value value, Value original) {
  Operation *source = original ? original.getDefiningOp() : nullptr;
  if (source && source->getNumOperands() == 1 && source->getOperand(0) == value)
    if (auto promise = source->getAttrOfType<FloatAttr>(kLowerBoundAttr))
      return promise.getValueAsDouble();
  Operation *def = value.getDefiningOp();
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(def))
    return std::nullopt;
  APFloat bound(0.0f);
  for (Value operand : def->getOperands())
    if (matchPattern(operand, m_ConstantFloat(&bound)))
      return bound.convertToDouble();
  return std::nullopt;
}

std::optional<ExpContext> mlir::poly::expContext(Operation *op) {
  ExpContext context;
  FloatAttr bound;
  Value original;
  if (auto exp2 = dyn_cast<Exp2Op>(op)) {
    context.role = exp2.getRole();
    bound = exp2.getBoundAttr();
    original = exp2.getOriginal();
  } else if (auto exp = dyn_cast<ExpOp>(op)) {
    context.role = exp.getRole();
    bound = exp.getBoundAttr();
    original = exp.getOriginal();
  } else {
    return std::nullopt;
  }
  if (bound)
    context.high = bound.getValueAsDouble();
  context.low = lowerBound(op->getOperand(0), original);
  auto flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr();
  context.noNaN =
      bitEnumContainsAny(flags.getValue(), arith::FastMathFlags::nnan);
  return context;
}

std::string mlir::poly::roleRefusal(ExpRole role) {
  switch (role) {
  case ExpRole::Plain:
  case ExpRole::Weight:
    return "";
  case ExpRole::Correction:
    return "the correction factor of an online softmax stays exact: it "
           "rescales sums that were taken with it";
  case ExpRole::LogSumExp:
    return "the exponential of a score minus its log-sum-exp stays exact: it "
           "must give the probabilities that the sum was taken over";
  case ExpRole::Scale:
    return "the decoding of a power-of-two scale stays exact";
  }
  llvm_unreachable("unknown role");
}

std::string mlir::poly::contextRefusal(const RegisteredProgram &program,
                                       const ExpContext &context, bool named,
                                       bool optedIn) {
  const ProgramInfo &info = program.program.info();
  bool explicitly = named && optedIn;
  if (info.weightsOnly && context.role != ExpRole::Weight && !explicitly)
    return llvm::formatv("{0} is for softmax weights, and no row maximum was "
                         "found for this exponential",
                         info.name);
  if (std::isfinite(info.domainHigh) &&
      !(context.high && *context.high <= info.domainHigh) &&
      !(explicitly && info.saturates)) {
    std::string found =
        context.high
            ? llvm::formatv("only {0:g} is proved", *context.high).str()
            : "nothing is proved";
    return llvm::formatv("{0} needs an argument that is proved not to be above "
                         "{1:g}, and {2}; subtract the row maximum, or name a "
                         "saturating program and mark the code poly.optin",
                         info.name, info.domainHigh, found);
  }
  if (std::isfinite(info.domainLow) &&
      !(context.low && *context.low >= info.domainLow) &&
      !(named && info.saturates))
    return llvm::formatv(
        "{0} has no clamp and needs an argument that is proved "
        "not to be below {1:g}",
        info.name, info.domainLow);
  if (!program.certificate.propagatesNaN && !context.noNaN && !named)
    return llvm::formatv("{0} turns NaN into 0; put nnan on the ops, or name "
                         "the program",
                         info.name);
  return "";
}

void mlir::poly::mergeExponentials(Operation *root) {
  using Key = std::tuple<Block *, Value, StringRef, Attribute>;
  llvm::MapVector<Key, Operation *> first;
  SmallVector<Operation *> duplicates;
  root->walk([&](Operation *op) {
    if (!isa<ExpOp, Exp2Op>(op))
      return;
    // Equal but for the values that they replace.
    Key key(
        op->getBlock(), op->getOperand(0), op->getName().getStringRef(),
        DictionaryAttr::get(op->getContext(), llvm::to_vector(op->getAttrs())));
    auto [it, inserted] = first.insert({key, op});
    if (inserted)
      return;
    op->getResult(0).replaceAllUsesWith(it->second->getResult(0));
    duplicates.push_back(op);
  });
  for (Operation *op : duplicates)
    op->erase();
}
