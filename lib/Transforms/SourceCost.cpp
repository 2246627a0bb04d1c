//===- SourceCost.cpp - Issue slots of the source's spelling --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Transforms/SourceCost.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::poly;

using ::poly::Cost;
using ::poly::Format;
using ::poly::InstrClass;
using ::poly::TargetModel;

llvm::SmallVector<Operation *> mlir::poly::idiomOps(const Site &site) {
  llvm::SmallVector<Operation *> dead;
  if (site.op->getNumOperands() < 2)
    return dead;
  llvm::DenseSet<Operation *> inSet = {site.op};
  llvm::SmallVector<Value> worklist = {site.op->getOperand(1)};
  // The argument itself stays in use by the program.
  Value argument = site.op->getOperand(0);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (!def || value == argument || inSet.contains(def) ||
        !isMemoryEffectFree(def) || def->getNumRegions() != 0)
      continue;
    if (!llvm::all_of(def->getUsers(),
                      [&](Operation *user) { return inSet.contains(user); }))
      continue;
    inSet.insert(def);
    dead.push_back(def);
    llvm::append_range(worklist, def->getOperands());
  }
  return dead;
}

namespace {
/// Instruction counts of one operation as the stock lowering compiles it for
/// one element. Read from the SASS that ptxas 13.0 emits for sm_90.
struct Mix {
  double fma = 0, alu = 0, sfu = 0, convert = 0;
};
} // namespace

/// ex2.approx.ftz.f32 of a scaled argument (what `math.exp afn` becomes).
static constexpr Mix kFastExp = {1, 0, 1, 0};
/// expf from libdevice: two-step reduction, clamp, MUFU.EX2, exponent scaling.
static constexpr Mix kExp = {5, 2, 1, 0};
/// exp2f from libdevice: denormal scaling around MUFU.EX2.
static constexpr Mix kExp2 = {2, 1, 1, 0};
/// tanhf from libdevice: both sides of a branch on |x|, ex2 and rcp on one,
/// a degree-9 odd polynomial on the other; a warp usually takes both.
static constexpr Mix kTanh = {10, 6, 2, 0};
/// div.approx.f32: range scaling around MUFU.RCP.
static constexpr Mix kFastDiv = {4, 2, 1, 0};
/// Division with one rounding: MUFU.RCP, two Newton steps, FCHK, guarded call.
static constexpr Mix kDiv = {8, 4, 1, 0};
static constexpr Mix kArith = {1, 0, 0, 0};
static constexpr Mix kCompare = {0, 1, 0, 0};
static constexpr Mix kConvert = {0, 0, 0, 1};

static bool isApproximate(Operation *op) {
  if (auto fastmath = dyn_cast<arith::ArithFastMathInterface>(op))
    return fastmath.getFastMathFlagsAttr() &&
           bitEnumContainsAny(fastmath.getFastMathFlagsAttr().getValue(),
                              arith::FastMathFlags::afn);
  if (auto fastmath = dyn_cast<LLVM::FastmathFlagsInterface>(op))
    return bitEnumContainsAny(fastmath.getFastmathAttr().getValue(),
                              LLVM::FastmathFlags::afn);
  return false;
}

static Mix callMix(StringRef callee) {
  return llvm::StringSwitch<Mix>(callee)
      .Cases({"__nv_fast_expf", "__nv_fast_exp2f"}, kFastExp)
      .Case("__nv_expf", kExp)
      .Case("__nv_exp2f", kExp2)
      .Case("__nv_tanhf", kTanh)
      .Case("__nv_fast_tanhf", {0, 0, 1, 0})
      .Cases({"__nv_fast_fdividef", "__nv_fdividef"}, kFastDiv)
      .Cases({"__nv_fdiv_rn", "__nv_frcp_rn"}, kDiv)
      .Default(kArith);
}

static Mix operationMix(Operation *op) {
  if (isa<math::ExpOp, LLVM::ExpOp>(op))
    return isApproximate(op) ? kFastExp : kExp;
  if (isa<math::Exp2Op, LLVM::Exp2Op>(op))
    return isApproximate(op) ? Mix{0, 0, 1, 0} : kExp2;
  if (isa<math::TanhOp, LLVM::TanhOp>(op))
    return kTanh;
  if (isa<arith::DivFOp, LLVM::FDivOp>(op))
    return isApproximate(op) ? kFastDiv : kDiv;
  if (isa<arith::CmpFOp, arith::SelectOp, LLVM::FCmpOp, LLVM::SelectOp>(op))
    return kCompare;
  if (isa<arith::ExtFOp, arith::TruncFOp, LLVM::FPExtOp, LLVM::FPTruncOp>(op))
    return kConvert;
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (auto callee =
            dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      return callMix(callee.getLeafReference());
  if (isa<LLVM::CallIntrinsicOp>(op))
    return {0, 0, 1, 0}; // The approximation intrinsics of poly-raise.
  // Constants and data movement are free or shared.
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      op->getName().getDialectNamespace() == "vector")
    return {};
  return kArith;
}

static void addMix(Cost &cost, const Mix &mix, const TargetModel &target) {
  cost.add(InstrClass::F32Fma, target, mix.fma);
  cost.add(InstrClass::F32MinMax, target, mix.alu);
  cost.add(InstrClass::Sfu, target, mix.sfu);
  cost.add(InstrClass::Convert, target, mix.convert);
}

Cost mlir::poly::sourceCost(const Site &site, const TargetModel &target) {
  Cost total;
  if (site.op->getNumOperands() < 2) {
    // The reference spelling: accurate exp and division, or tanhf.
    if (site.function == ::poly::Function::Tanh) {
      addMix(total, kTanh, target);
    } else {
      addMix(total, kExp, target);
      addMix(total, kDiv, target);
      addMix(total, {2, 0, 0, 0}, target);
    }
  }
  for (Operation *op : idiomOps(site)) {
    addMix(total, operationMix(op), target);
    // 16-bit transcendental and division ops run in f32 between conversions.
    if (op->getNumResults() == 1 &&
        getFormat(op->getResult(0).getType()).value_or(Format::F32) !=
            Format::F32 &&
        operationMix(op).sfu > 0)
      addMix(total, {0, 0, 0, 2}, target);
  }
  // The conversions that a 16-bit program makes unnecessary or contains: one
  // shift widens a lane, one conversion packs two.
  if (site.from != Format::F32 &&
      getFormat(site.op->getOperand(0).getType()) == Format::F32)
    addMix(total, {0, 1, 0, 0}, target);
  if (!site.truncations.empty())
    addMix(total, {0, 0, 0, 0.5}, target);
  return total;
}
