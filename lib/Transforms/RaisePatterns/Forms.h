//===- Forms.h - Normal forms of values ------------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_RAISEPATTERNS_FORMS_H
#define POLY_TRANSFORMS_RAISEPATTERNS_FORMS_H

#include "FloatView.h"
#include "Merges.h"
#include "Targets.h"

#include "poly/Transforms/DeviceCode.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace mlir::poly {

/// Views and literals of one root, looked up once.
class ViewCache {
public:
  explicit ViewCache(Operation *root)
      : root(root), isRootIsolated(isIsolated(root)) {}

  const FloatView &getView(Operation *op) {
    auto [it, isNew] = views.try_emplace(op, nullptr);
    if (isNew) {
      // Host ops that a launch captures from are not part of any idiom.
      bool isInside = isRootIsolated || root->isProperAncestor(op);
      storage.push_back(isInside ? getFloatView(op) : FloatView());
      it->second = &storage.back();
    }
    return *it->second;
  }

  const FloatView &getView(Value value) {
    if (!isMerge(value))
      return getView(value.getDefiningOp());
    auto [it, isNew] = merges.try_emplace(value, nullptr);
    if (isNew) {
      Operation *around = value.getParentRegion()->getParentOp();
      bool isInside = isRootIsolated || root->isAncestor(around);
      storage.push_back(isInside ? viewMerge(value) : FloatView());
      it->second = &storage.back();
    }
    return *it->second;
  }

  std::optional<double> getConstant(Value value) {
    auto [it, isNew] = constants.try_emplace(value, std::nullopt);
    if (isNew)
      it->second = getConstantNumber(value);
    return it->second;
  }

private:
  Operation *root;
  bool isRootIsolated;
  std::deque<FloatView> storage;
  llvm::DenseMap<Operation *, const FloatView *> views;
  llvm::DenseMap<Value, const FloatView *> merges;
  llvm::DenseMap<Value, std::optional<double>> constants;
};

/// What is known about a value.
struct ValueForm {
  NormalForm form;
  /// A NaN base gives NaN, as it does in all known functions. Forms themselves
  /// know nothing of NaN.
  bool isNaNOfNaN;
};

/// Computes the normal forms of values in terms of one base.
class FormBuilder {
public:
  FormBuilder(Value base, ViewCache &views)
      : base(base), baseOp(base.getDefiningOp()), views(views) {}

  /// The form of \p value, or null when it has none.
  const ValueForm *get(Value value);

private:
  enum class Outcome { Known, None, OutOfBudget };

  Outcome visit(Value value, unsigned depth, const ValueForm *&form);
  Outcome compute(Value value, unsigned depth, const ValueForm *&form);
  static std::optional<NormalForm> apply(const FloatView &view,
                                         ArrayRef<const ValueForm *> operands);
  static bool isNaNOfNaN(const FloatView &view,
                         ArrayRef<const ValueForm *> operands);
  const ValueForm *keep(NormalForm form, bool isNaNOfNaN) {
    forms.push_back({std::move(form), isNaNOfNaN});
    return &forms.back();
  }

  Value base;
  Operation *baseOp;
  ViewCache &views;
  unsigned budget = 0;
  /// Null for a value that has no form or whose form is being computed; the
  /// latter is met again only in a cycle of unreachable code.
  llvm::DenseMap<Value, const ValueForm *> known;
  std::deque<ValueForm> forms;
};

/// Collects the values that everything in an exponential's argument goes
/// through, nearest first: its possible variables. Negation and widening are
/// always looked through, so that f(x) and f(-x) are functions of one variable.
class BaseCollector {
public:
  using Chain = llvm::SmallVector<Value, 6>;

  explicit BaseCollector(ViewCache &views) : views(views) {}

  Chain collect(Value argument) {
    chains.clear();
    return visit(argument, 0);
  }

private:
  Chain visit(Value value, unsigned depth);

  ViewCache &views;
  llvm::DenseMap<Value, Chain> chains;
};

/// The scales by which the variable of \p forms may be multiplied inside a
/// known function that contains the exponential \p view: none of them (an empty
/// list) for exp(r x) with r = 1/2, 1 or 2 and for polynomials; no value when
/// the exponential can be part of no known function.
std::optional<llvm::SmallVector<double, 3>> getScales(const FloatView &view,
                                                      FormBuilder &forms);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_RAISEPATTERNS_FORMS_H
