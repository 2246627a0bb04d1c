//===- SourceCost.cpp - Issue slots of the source's spelling --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Transforms/SourceCost.h"
#include "poly/Dialect/Poly/RescaledAttr.h"

#include "RaisePatterns/FloatView.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::poly;

using ::poly::Cost;
using ::poly::Format;
using ::poly::InstrClass;
using ::poly::TargetModel;

/// The operations that die when none of \p sites needs what it replaces.
static llvm::SmallVector<Operation *>
deadOps(llvm::ArrayRef<Operation *> sites) {
  llvm::SmallVector<Operation *> dead;
  llvm::DenseSet<Operation *> inSet;
  llvm::SmallVector<Value> worklist;
  // The argument itself stays in use by the program.
  llvm::DenseSet<Value> arguments;
  for (Operation *site : sites) {
    if (site->getNumOperands() < 2)
      continue;
    inSet.insert(site);
    worklist.push_back(site->getOperand(1));
    arguments.insert(site->getOperand(0));
  }
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (!def || arguments.contains(value) || inSet.contains(def) ||
        !isRemovable(def))
      continue;
    // The other result of a sincos is a site as well.
    auto isOther = [&](Operation *user) {
      return isa<math::SincosOp>(def) && getFunction(user) &&
             user->getNumOperands() > 1 &&
             user->getOperand(1).getDefiningOp() == def;
    };
    if (!llvm::all_of(def->getUsers(), [&](Operation *user) {
          return inSet.contains(user) || isOther(user);
        }))
      continue;
    inSet.insert(def);
    // The source has no such product.
    if (!def->hasAttr(kRescaledAttr))
      dead.push_back(def);
    // The body of a library function is counted as the function.
    if (auto inlined = dyn_cast<InlinedOp>(def))
      worklist.push_back(inlined.getOperand());
    else
      llvm::append_range(worklist, def->getOperands());
  }
  return dead;
}

llvm::SmallVector<Operation *> mlir::poly::idiomOps(const Site &site) {
  return deadOps(site.op);
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
/// erff from libdevice: two polynomials behind selects, one ex2.
static constexpr Mix kErf = {12, 6, 1, 0};
/// sin.approx.f32: a multiplication by 1 / (2 pi), then MUFU.
static constexpr Mix kFastSin = {1, 0, 1, 0};
/// sinf from libdevice: reduction by pi / 2 in three steps, two polynomials
/// behind selects, and a guarded slow path for large angles.
static constexpr Mix kSin = {9, 8, 0, 2};
/// div.approx.f32: range scaling around MUFU.RCP.
static constexpr Mix kFastDiv = {4, 2, 1, 0};
/// Division with one rounding: MUFU.RCP, two Newton steps, FCHK, guarded call.
static constexpr Mix kDiv = {8, 4, 1, 0};
static constexpr Mix kArith = {1, 0, 0, 0};
static constexpr Mix kCompare = {0, 1, 0, 0};
static constexpr Mix kConvert = {0, 0, 0, 1};

/// The source's own permission or choice: the stock lowering takes it.
static bool isFast(Operation *op, const FloatView &view) {
  if (view.isFast)
    return true;
  std::optional<arith::FastMathFlags> flags = getFastMathFlags(op);
  return flags && bitEnumContainsAny(*flags, arith::FastMathFlags::afn);
}

static Mix operationMix(Operation *op) {
  FloatView view = getFloatView(op);
  bool fast = isFast(op, view);
  // Sine and cosine of one angle share the reduction: half of the two is
  // charged to each.
  if (isa<math::SincosOp>(op))
    return fast ? kFastSin : Mix{kSin.fma * 0.75, kSin.alu * 0.75, 0, 1};
  switch (view.kind) {
  case FloatKind::Exp:
    return fast ? kFastExp : kExp;
  case FloatKind::Exp2:
    return fast ? Mix{0, 0, 1, 0} : kExp2;
  case FloatKind::Exp10:
    return fast ? kFastExp : kExp;
  case FloatKind::ExpM1:
    return kExp;
  case FloatKind::Sinh:
  case FloatKind::Cosh:
    return kTanh;
  case FloatKind::Tanh:
    return view.isFast ? Mix{0, 0, 1, 0} : kTanh;
  case FloatKind::Erf:
  case FloatKind::Erfc:
  case FloatKind::NormCdf:
    return kErf;
  case FloatKind::Sin:
  case FloatKind::Cos:
  case FloatKind::SinPi:
  case FloatKind::CosPi:
    return fast ? kFastSin : kSin;
  case FloatKind::Pow:
    // A cube or a square is what the backend multiplies out.
    return {double(std::max(1, std::abs(view.exponent) - 1)), 0, 0, 0};
  case FloatKind::Div:
  case FloatKind::Rcp:
    return fast ? kFastDiv : kDiv;
  case FloatKind::Select:
  case FloatKind::Max:
  case FloatKind::Min:
    return kCompare;
  case FloatKind::Ext:
    return kConvert;
  case FloatKind::Add:
  case FloatKind::Sub:
  case FloatKind::Mul:
  case FloatKind::Neg:
  case FloatKind::Fma:
  case FloatKind::Abs:
  case FloatKind::CopySign:
    return kArith;
  case FloatKind::Opaque:
    break;
  }
  if (isPlainTruncation(op))
    return kConvert;
  if (isa<arith::CmpFOp, LLVM::FCmpOp>(op))
    return kCompare;
  // Constants and data movement are free or shared.
  return {};
}

static void addMix(Cost &cost, const Mix &mix, const TargetModel &target) {
  cost.add(InstrClass::F32Fma, target, mix.fma);
  cost.add(InstrClass::F32MinMax, target, mix.alu);
  cost.add(InstrClass::Sfu, target, mix.sfu);
  cost.add(InstrClass::Convert, target, mix.convert);
}

static void addOperation(Cost &cost, Operation *op, const TargetModel &target) {
  addMix(cost, operationMix(op), target);
  // 16-bit transcendental and division ops run in f32 between conversions.
  if (op->getNumResults() == 1 &&
      getFormat(op->getResult(0).getType()).value_or(Format::F32) !=
          Format::F32 &&
      operationMix(op).sfu > 0)
    addMix(cost, {0, 0, 0, 2}, target);
}

Cost mlir::poly::sharedSourceCost(const Site &first, const Site &second,
                                  const TargetModel &target) {
  llvm::DenseSet<Operation *> own;
  for (const Site *site : {&first, &second})
    for (Operation *op : idiomOps(*site))
      own.insert(op);
  Cost total;
  for (Operation *op : deadOps({first.op, second.op}))
    if (!own.contains(op))
      addOperation(total, op, target);
  return total;
}

Cost mlir::poly::sourceCost(const Site &site, const TargetModel &target) {
  Cost total;
  if (site.op->getNumOperands() < 2) {
    // The reference spelling: accurate exp and division, or tanhf.
    if (site.function == ::poly::Function::Tanh) {
      addMix(total, kTanh, target);
    } else if (::poly::isTurn(site.function)) {
      addMix(total, kSin, target);
      addMix(total, kArith, target);
    } else {
      addMix(total, kExp, target);
      addMix(total, kDiv, target);
      addMix(total, {2, 0, 0, 0}, target);
    }
  }
  for (Operation *op : idiomOps(site))
    addOperation(total, op, target);
  // The conversions that a 16-bit program makes unnecessary or contains: one
  // shift widens a lane, one conversion packs two.
  if (site.from != Format::F32 &&
      getFormat(site.op->getOperand(0).getType()) == Format::F32)
    addMix(total, {0, 1, 0, 0}, target);
  if (!site.truncations.empty())
    addMix(total, {0, 0, 0, 0.5}, target);
  return total;
}
