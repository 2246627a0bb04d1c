//===- RealEvaluator.cpp - Evaluates device functions ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RealEvaluator.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Program/Certify.h"
#include "poly/Program/Formats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace polytest {
namespace {

using Function = std::function<double(const double *)>;

double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return std::max(a, b);
}
double minimum(double a, double b) { return -maximum(-a, -b); }

/// Elementwise functions by op, libdevice or intrinsic name.
const llvm::StringMap<Function> &functions() {
  using V = const double *;
  static const llvm::StringMap<Function> table = [] {
    llvm::StringMap<Function> t;
    auto add = [&](std::initializer_list<const char *> names, Function fn) {
      for (const char *name : names)
        t[name] = fn;
    };
    add({"arith.addf", "llvm.fadd", "__nv_fadd_rn", "arith.addi", "llvm.add"},
        [](V v) { return v[0] + v[1]; });
    add({"arith.subf", "llvm.fsub", "arith.subi", "llvm.sub"},
        [](V v) { return v[0] - v[1]; });
    add({"arith.mulf", "llvm.fmul", "__nv_fmul_rn", "arith.muli", "llvm.mul"},
        [](V v) { return v[0] * v[1]; });
    add({"arith.divf", "llvm.fdiv", "__nv_fast_fdividef", "llvm.nvvm.div.full",
         "llvm.nvvm.div.approx.f"},
        [](V v) { return v[0] / v[1]; });
    add({"nvvm.rcp.approx.ftz.f", "__nv_frcp_rn", "llvm.nvvm.rcp.rn.f"},
        [](V v) { return 1 / v[0]; });
    add({"arith.negf", "llvm.fneg"}, [](V v) { return -v[0]; });
    add({"math.fma", "vector.fma", "llvm.intr.fma", "llvm.intr.fmuladd",
         "__nv_fmaf"},
        [](V v) { return std::fma(v[0], v[1], v[2]); });
    add({"math.exp", "llvm.intr.exp", "__nv_expf", "__nv_fast_expf"},
        [](V v) { return std::exp(v[0]); });
    add({"math.exp2", "llvm.intr.exp2", "__nv_exp2f", "llvm.nvvm.ex2.approx.f",
         "llvm.nvvm.ex2.approx.ftz.f"},
        [](V v) { return std::exp2(v[0]); });
    add({"math.expm1", "__nv_expm1f"}, [](V v) { return std::expm1(v[0]); });
    add({"llvm.intr.exp10", "__nv_exp10f"},
        [](V v) { return std::pow(10, v[0]); });
    add({"math.sinh", "llvm.intr.sinh", "__nv_sinhf"},
        [](V v) { return std::sinh(v[0]); });
    add({"math.cosh", "llvm.intr.cosh", "__nv_coshf"},
        [](V v) { return std::cosh(v[0]); });
    add({"math.sqrt", "llvm.intr.sqrt", "llvm.nvvm.sqrt.approx.f"},
        [](V v) { return std::sqrt(v[0]); });
    add({"math.tanh", "llvm.intr.tanh", "__nv_tanhf", "__nv_fast_tanhf",
         "llvm.nvvm.tanh.approx.f"},
        [](V v) { return std::tanh(v[0]); });
    add({"math.erf", "__nv_erff"}, [](V v) { return std::erf(v[0]); });
    add({"math.erfc", "__nv_erfcf"}, [](V v) { return std::erfc(v[0]); });
    add({"__nv_normcdff"},
        [](V v) { return std::erfc(v[0] * -0.70710678118654752440) / 2; });
    add({"math.log", "llvm.intr.log"}, [](V v) { return std::log(v[0]); });
    add({"math.log2", "llvm.intr.log2"}, [](V v) { return std::log2(v[0]); });
    add({"math.log1p"}, [](V v) { return std::log1p(v[0]); });
    add({"math.powf", "math.fpowi", "llvm.intr.pow", "__nv_powf", "__nv_powif"},
        [](V v) { return std::pow(v[0], v[1]); });
    add({"math.ceil"}, [](V v) { return std::ceil(v[0]); });
    add({"math.sin", "__nv_sinf"}, [](V v) { return std::sin(v[0]); });
    add({"math.absf", "llvm.intr.fabs", "__nv_fabsf"},
        [](V v) { return std::abs(v[0]); });
    add({"math.copysign", "llvm.intr.copysign", "__nv_copysignf"},
        [](V v) { return std::copysign(v[0], v[1]); });
    add({"arith.maximumf", "llvm.intr.maximum"},
        [](V v) { return maximum(v[0], v[1]); });
    add({"arith.minimumf", "llvm.intr.minimum"},
        [](V v) { return minimum(v[0], v[1]); });
    add({"arith.maxnumf", "llvm.intr.maxnum", "__nv_fmaxf"},
        [](V v) { return std::fmax(v[0], v[1]); });
    add({"arith.minnumf", "llvm.intr.minnum", "__nv_fminf"},
        [](V v) { return std::fmin(v[0], v[1]); });
    // Conversions; integers are small here, and a bit cast is only ever undone.
    add({"arith.extf", "arith.truncf", "llvm.fpext", "llvm.fptrunc",
         "arith.sitofp", "llvm.sitofp", "arith.index_cast", "arith.bitcast",
         "llvm.bitcast", "arith.extui"},
        [](V v) { return v[0]; });
    return t;
  }();
  return table;
}

/// Rounds to the float type of a value, once.
double roundTo(Type type, double value) {
  type = getElementTypeOrSelf(type);
  if (type.isF32())
    return static_cast<float>(value);
  std::optional<::poly::Format> format;
  if (type.isBF16())
    format = ::poly::Format::BF16;
  else if (type.isF16())
    format = ::poly::Format::F16;
  return format ? ::poly::decode(*format, ::poly::encode(*format, value))
                : value;
}

size_t laneCount(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements();
  return 1;
}

} // namespace

bool RealEvaluator::fail(Operation *op, const llvm::Twine &message) {
  if (error.empty())
    error = (op->getName().getStringRef() + ": " + message).str();
  return false;
}

void RealEvaluator::set(Value value, Lanes lanes) {
  if (rounds)
    for (Column &column : lanes)
      for (double &number : column)
        number = roundTo(value.getType(), number);
  values[value] = std::move(lanes);
}

bool RealEvaluator::uniform(Operation *op, Value value, int64_t &number) {
  const Lanes &lanes = get(value);
  const Column &column = lanes.front();
  if (lanes.size() != 1 || !llvm::all_equal(column))
    return fail(op, "evaluations diverge");
  number = static_cast<int64_t>(column.front());
  return true;
}

bool RealEvaluator::constant(Operation *op, Attribute attr) {
  Lanes lanes;
  auto add = [&](Attribute element) {
    double number = 0;
    if (auto real = dyn_cast<FloatAttr>(element))
      number = real.getValueAsDouble();
    else if (auto integer = dyn_cast<IntegerAttr>(element))
      number = integer.getValue().signedRoundToDouble();
    lanes.push_back(Column(count, number));
  };
  if (auto elements = dyn_cast<DenseElementsAttr>(attr))
    for (Attribute element : elements.getValues<Attribute>())
      add(element);
  else
    add(attr);
  set(op->getResult(0), std::move(lanes));
  return true;
}

bool RealEvaluator::compare(Operation *op) {
  std::string predicate;
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    predicate = arith::stringifyCmpFPredicate(cmp.getPredicate()).str();
  else if (auto cmp = dyn_cast<LLVM::FCmpOp>(op))
    predicate = LLVM::stringifyFCmpPredicate(cmp.getPredicate()).str();
  else
    predicate = "o" + arith::stringifyCmpIPredicate(
                          cast<arith::CmpIOp>(op).getPredicate())
                          .take_back(2)
                          .str();
  StringRef kind = StringRef(predicate).drop_front();
  const Lanes &a = get(op->getOperand(0)), &b = get(op->getOperand(1));
  Lanes result(a.size(), Column(count));
  for (size_t l = 0; l < a.size(); ++l)
    for (size_t n = 0; n < count; ++n) {
      double x = a[l][n], y = b[l][n];
      bool unordered = std::isnan(x) || std::isnan(y);
      bool holds = kind == "lt"   ? x < y
                   : kind == "le" ? x <= y
                   : kind == "gt" ? x > y
                   : kind == "ge" ? x >= y
                   : kind == "eq" ? x == y
                   : kind == "ne" ? x != y
                                  : true;
      result[l][n] = unordered ? predicate[0] == 'u' : holds;
    }
  values[op->getResult(0)] = std::move(result);
  return true;
}

bool RealEvaluator::elementwise(Operation *op, StringRef name, bool &known) {
  known = true;
  if (name.ends_with(".select")) {
    const Lanes &c = get(op->getOperand(0));
    const Lanes &a = get(op->getOperand(1)), &b = get(op->getOperand(2));
    Lanes result(a.size(), Column(count));
    for (size_t l = 0; l < a.size(); ++l)
      for (size_t n = 0; n < count; ++n)
        result[l][n] = c[c.size() == 1 ? 0 : l][n] != 0 ? a[l][n] : b[l][n];
    set(op->getResult(0), std::move(result));
    return true;
  }
  if (name.ends_with(".cmpf") || name.ends_with(".fcmp") ||
      name == "arith.cmpi")
    return compare(op);
  if (std::optional<::poly::Function> function = mlir::poly::getFunction(op)) {
    const Lanes &x = get(op->getOperand(0));
    if (observer)
      observer(op, x);
    Lanes result = x;
    for (Column &column : result)
      for (double &number : column)
        number = ::poly::reference(*function, number);
    set(op->getResult(0), std::move(result));
    return true;
  }
  if (auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee"))
    name = callee.getValue();
  if (auto intrinsic = op->getAttrOfType<StringAttr>("intrin"))
    name = intrinsic.getValue();
  auto it = functions().find(name);
  known = it != functions().end();
  if (!known)
    return false;
  std::vector<const Lanes *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(&get(operand));
  Lanes result(laneCount(op->getResult(0).getType()), Column(count));
  std::vector<double> v(operands.size());
  for (size_t l = 0; l < result.size(); ++l)
    for (size_t n = 0; n < count; ++n) {
      for (size_t i = 0; i < operands.size(); ++i)
        v[i] = (*operands[i])[operands[i]->size() == 1 ? 0 : l][n];
      result[l][n] = it->second(v.data());
    }
  set(op->getResult(0), std::move(result));
  return true;
}

bool RealEvaluator::shapes(Operation *op, StringRef name, bool &known) {
  known = true;
  Value result = op->getNumResults() ? op->getResult(0) : Value();
  if (name == "vector.broadcast") {
    const Lanes &source = get(op->getOperand(0));
    if (source.size() != 1)
      return fail(op, "not from a scalar");
    set(result, Lanes(laneCount(result.getType()), source.front()));
    return true;
  }
  if (name == "vector.from_elements") {
    Lanes lanes;
    for (Value operand : op->getOperands())
      lanes.push_back(get(operand).front());
    set(result, std::move(lanes));
    return true;
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    set(result, {get(extract.getSource())[extract.getStaticPosition()[0]]});
    return true;
  }
  if (name == "llvm.extractelement") {
    int64_t lane = 0;
    if (!uniform(op, op->getOperand(1), lane))
      return false;
    set(result, {get(op->getOperand(0))[lane]});
    return true;
  }
  if (name == "memref.load" || name == "vector.load") {
    int64_t index = 0;
    if (!uniform(op, op->getOperand(1), index))
      return false;
    const Lanes &buffer = get(op->getOperand(0));
    size_t lanes = laneCount(result.getType());
    if (index < 0 || index + lanes > buffer.size())
      return fail(op, "outside of the buffer");
    set(result, Lanes(buffer.begin() + index, buffer.begin() + index + lanes));
    return true;
  }
  if (auto reduce = dyn_cast<vector::ReductionOp>(op)) {
    const Lanes &source = get(reduce.getVector());
    Column sum = source.front();
    auto combine = [&](const Column &other) {
      for (size_t n = 0; n < count; ++n) {
        double a = sum[n], b = other[n];
        switch (reduce.getKind()) {
        case vector::CombiningKind::ADD:
          sum[n] = a + b;
          break;
        case vector::CombiningKind::MAXIMUMF:
          sum[n] = maximum(a, b);
          break;
        case vector::CombiningKind::MAXNUMF:
          sum[n] = std::fmax(a, b);
          break;
        case vector::CombiningKind::MINIMUMF:
          sum[n] = minimum(a, b);
          break;
        default:
          fail(op, "unknown kind");
        }
      }
    };
    for (size_t l = 1; l < source.size(); ++l)
      combine(source[l]);
    if (reduce.getAcc())
      combine(get(reduce.getAcc()).front());
    set(result, {sum});
    return error.empty();
  }
  if (name == "llvm.intr.vector.reduce.fmax") {
    const Lanes &source = get(op->getOperand(0));
    Column largest = source.front();
    for (const Column &column : source)
      for (size_t n = 0; n < count; ++n)
        largest[n] = std::fmax(largest[n], column[n]);
    set(result, {largest});
    return true;
  }
  known = false;
  return false;
}

bool RealEvaluator::threads(Operation *op, StringRef name, bool &known) {
  constexpr size_t kWarp = 32;
  known = isa<gpu::ShuffleOp, gpu::AllReduceOp, gpu::SubgroupReduceOp>(op);
  if (!known)
    return false;
  if (count % kWarp != 0)
    return fail(op, "not whole warps");
  const Column source = get(op->getOperand(0)).front();
  Column result(count);
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
    int64_t offset = 0;
    if (shuffle.getMode() != gpu::ShuffleMode::XOR ||
        !uniform(op, shuffle.getOffset(), offset))
      return fail(op, "only xor by a constant is known");
    for (size_t n = 0; n < count; ++n)
      result[n] = source[n ^ size_t(offset)];
    set(op->getResult(0), {result});
    values[op->getResult(1)] = {Column(count, 1)};
    return true;
  }
  // The tests reduce by maximum only.
  for (size_t n = 0; n < count; n += kWarp) {
    double largest = source[n];
    for (size_t k = 1; k < kWarp; ++k)
      largest = maximum(largest, source[n + k]);
    std::fill_n(result.begin() + n, kWarp, largest);
  }
  set(op->getResult(0), {result});
  return true;
}

bool RealEvaluator::loop(Operation *op) {
  auto forOp = cast<scf::ForOp>(op);
  int64_t lower = 0, upper = 0, step = 0;
  if (!uniform(op, forOp.getLowerBound(), lower) ||
      !uniform(op, forOp.getUpperBound(), upper) ||
      !uniform(op, forOp.getStep(), step))
    return false;
  std::vector<Lanes> carried;
  for (Value init : forOp.getInitArgs())
    carried.push_back(get(init));
  for (int64_t i = lower; i < upper; i += step) {
    values[forOp.getInductionVar()] = {Column(count, double(i))};
    for (auto [argument, lanes] :
         llvm::zip_equal(forOp.getRegionIterArgs(), carried))
      values[argument] = lanes;
    if (!runOps(*forOp.getBody()))
      return false;
    carried.clear();
    for (Value yielded : forOp.getBody()->getTerminator()->getOperands())
      carried.push_back(get(yielded));
  }
  for (auto [result, lanes] : llvm::zip_equal(op->getResults(), carried))
    values[result] = lanes;
  return true;
}

bool RealEvaluator::branch(Operation *op) {
  auto ifOp = cast<scf::IfOp>(op);
  int64_t condition = 0;
  const Column chosen = get(ifOp.getCondition()).front();
  if (!llvm::all_equal(chosen)) {
    // Pure regions: both are evaluated.
    if (!runOps(ifOp.getThenRegion().front()) ||
        !runOps(ifOp.getElseRegion().front()))
      return false;
    for (auto [result, yes, no] :
         llvm::zip_equal(op->getResults(), ifOp.thenYield().getOperands(),
                         ifOp.elseYield().getOperands())) {
      Lanes lanes = get(yes), others = get(no);
      for (size_t l = 0; l < lanes.size(); ++l)
        for (size_t n = 0; n < count; ++n)
          if (chosen[n] == 0)
            lanes[l][n] = others[l][n];
      values[result] = std::move(lanes);
    }
    return true;
  }
  if (!uniform(op, ifOp.getCondition(), condition))
    return false;
  Region &region = condition ? ifOp.getThenRegion() : ifOp.getElseRegion();
  if (region.empty())
    return true;
  if (!runOps(region.front()))
    return false;
  for (auto [result, yielded] : llvm::zip_equal(
           op->getResults(), region.front().getTerminator()->getOperands()))
    values[result] = get(yielded);
  return true;
}

bool RealEvaluator::evaluate(Operation *op) {
  StringRef name = op->getName().getStringRef();
  Attribute attr;
  if (matchPattern(op, m_Constant(&attr)) && op->getNumOperands() == 0)
    return constant(op, attr);
  if (isa<scf::ForOp>(op))
    return loop(op);
  if (isa<scf::IfOp>(op))
    return branch(op);
  bool known = false;
  for (auto part : {&RealEvaluator::shapes, &RealEvaluator::threads,
                    &RealEvaluator::elementwise}) {
    bool good = (this->*part)(op, name, known);
    if (known)
      return good;
  }
  return fail(op, "unknown op");
}

bool RealEvaluator::runOps(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!evaluate(&op))
      return false;
  return true;
}

Block *RealEvaluator::follow(Operation *end, unsigned taken) {
  auto branch = cast<BranchOpInterface>(end);
  std::vector<Lanes> passed;
  for (Value operand :
       branch.getSuccessorOperands(taken).getForwardedOperands())
    passed.push_back(get(operand));
  Block *block = end->getSuccessor(taken);
  for (auto [argument, lanes] : llvm::zip_equal(block->getArguments(), passed))
    values[argument] = lanes;
  return block;
}

/// Evaluates each way that a branch takes for the entries that take it.
bool RealEvaluator::runApart(Operation *branch, std::vector<Lanes> &results) {
  const Column condition = get(branch->getOperand(0)).front();
  for (unsigned taken : {0, 1}) {
    std::vector<size_t> entries;
    for (size_t n = 0; n < count; ++n)
      if ((condition[n] != 0) == (taken == 0))
        entries.push_back(n);
    RealEvaluator part(rounds);
    part.observer = observer;
    part.count = entries.size();
    for (auto &[value, lanes] : values)
      for (const Column &column : lanes) {
        Column &some = part.values[value].emplace_back();
        for (size_t n : entries)
          some.push_back(column[n]);
      }
    std::vector<Lanes> partResults;
    if (!part.runBlocks(part.follow(branch, taken), partResults)) {
      error = part.error;
      return false;
    }
    results.resize(partResults.size());
    for (auto [all, some] : llvm::zip_equal(results, partResults)) {
      all.resize(some.size(), Column(count));
      for (size_t l = 0; l < some.size(); ++l)
        for (size_t i = 0; i < entries.size(); ++i)
          all[l][entries[i]] = some[l][i];
    }
  }
  return true;
}

bool RealEvaluator::runBlocks(Block *block, std::vector<Lanes> &results) {
  constexpr unsigned kMaxBlocks = 1000;
  Operation *function = block->getParentOp();
  for (unsigned i = 0; i < kMaxBlocks; ++i) {
    if (!runOps(*block))
      return false;
    Operation *end = block->getTerminator();
    if (end->getNumSuccessors() == 0) {
      for (Value operand : end->getOperands())
        results.push_back(get(operand));
      return true;
    }
    unsigned taken = 0;
    if (end->getNumSuccessors() == 2) {
      const Column &condition = get(end->getOperand(0)).front();
      if (!llvm::all_equal(condition))
        return runApart(end, results);
      taken = condition.front() != 0 ? 0 : 1;
    }
    block = follow(end, taken);
  }
  return fail(function, "does not end");
}

bool RealEvaluator::run(Region &body, const std::vector<Lanes> &arguments,
                        size_t number, std::vector<Lanes> &results,
                        std::string &message) {
  values.clear();
  error.clear();
  results.clear();
  count = number;
  for (auto [argument, lanes] : llvm::zip_equal(body.getArguments(), arguments))
    values[argument] = lanes;
  bool good = runBlocks(&body.front(), results);
  message = error;
  return good;
}

} // namespace polytest
