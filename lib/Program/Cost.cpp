//===- Cost.cpp - Issue slots of a Program on a target --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Cost.h"

#include <algorithm>

using namespace poly;

double Cost::expectedClocks(const TargetModel &target) const {
  double sustained =
      issue * target.issuePerClock / target.sustainedIssuePerClock;
  return std::max(sustained, *std::max_element(pipes.begin(), pipes.end()));
}

double Cost::slots() const {
  return std::max(issue, *std::max_element(pipes.begin(), pipes.end()));
}

void Cost::add(InstrClass instrClass, const TargetModel &target, double count) {
  // A multiprocessor has four sub-partitions, each with a quarter of its rates;
  // a warp has 32 threads.
  constexpr double threadsPerQuarter = 32 * 4;
  const InstrRate &rate = target.rate(instrClass);
  issue += count * threadsPerQuarter / target.issuePerClock;
  pipes[unsigned(rate.pipe)] += count * threadsPerQuarter / rate.perClock;
}

Cost &Cost::operator+=(const Cost &other) {
  issue += other.issue;
  for (size_t i = 0; i < pipes.size(); ++i)
    pipes[i] += other.pipes[i];
  return *this;
}

Cost Cost::operator*(double factor) const {
  Cost result = *this;
  result.issue *= factor;
  for (double &pipe : result.pipes)
    pipe *= factor;
  return result;
}

static InstrClass fmaClass(Type type) {
  switch (type) {
  case Type::BF16x2:
    return InstrClass::PackedFmaB;
  case Type::F16x2:
    return InstrClass::PackedFma;
  default:
    return InstrClass::F32Fma;
  }
}

/// Float instructions whose operands take |x| and -x as modifiers in SASS; a
/// sign change that is an instruction is an addition or fma and takes them too.
static bool hasOperandModifiers(Op op) {
  switch (op) {
  case Op::Fma:
  case Op::FmaRelu:
  case Op::FmaSat:
  case Op::Mul:
  case Op::Add:
  case Op::Sub:
  case Op::AddRm:
  case Op::Floor:
  case Op::Neg:
  case Op::Abs:
  case Op::Min:
  case Op::Max:
  case Op::MinNaN:
  case Op::MaxNaN:
  case Op::Ex2Approx:
  case Op::Ex2ApproxFtz:
  case Op::RcpApprox:
  case Op::RcpApproxFtz:
  case Op::SinApprox:
  case Op::CosApprox:
  case Op::TanhApprox:
  case Op::SetpGe:
  case Op::SetpLt:
    return true;
  default:
    return false;
  }
}

/// Which Neg and Abs nodes cost nothing: every user reads them through an
/// operand modifier. Disassembly of ptxas 13.0 output for sm_80 to sm_120 shows
/// this for f32 and f16x2 (`HFMA2 R7, |R0|, R1, R2`). HFMA2.BF16_V2 has no such
/// modifiers: there the sign change is an instruction of its own,
/// `HFMA2.BF16_V2 R3, -RZ, RZ, |R0|`.
static std::vector<bool> freeModifiers(const Program &program) {
  const std::vector<Node> &nodes = program.nodes();
  std::vector<bool> isFree(nodes.size(), false);
  for (size_t id = 0; id < nodes.size(); ++id) {
    const Node &node = nodes[id];
    isFree[id] =
        (node.op == Op::Neg || node.op == Op::Abs) && node.type != Type::BF16x2;
  }
  for (NodeId result : program.results())
    isFree[result] = false;
  for (const Node &user : nodes)
    for (unsigned i = 0; i < user.numOperands; ++i)
      if (!hasOperandModifiers(user.op))
        isFree[user.operands[i]] = false;
  return isFree;
}

static void addNode(const Node &node, const TargetModel &target, Cost &cost) {
  bool packed = isPacked(node.type);
  InstrClass minMax = packed ? InstrClass::PackedMinMax : InstrClass::F32MinMax;
  switch (node.op) {
  case Op::Input:
  case Op::Const:
  case Op::Bitcast:
    return;
  case Op::Fma:
  case Op::FmaRelu:
  case Op::FmaSat:
  case Op::Mul:
  case Op::Add:
  case Op::Sub:
  case Op::AddRm: // FADD.RM
    return cost.add(fmaClass(node.type), target);
  case Op::Floor: // FRND.FLOOR, at the rate of the special function unit.
    return cost.add(InstrClass::Sfu, target);
  case Op::Neg:
  case Op::Abs:
    return cost.add(node.type == Type::BF16x2 ? InstrClass::PackedUnary
                                              : fmaClass(node.type),
                    target);
  case Op::Min:
  case Op::Max:
  case Op::MinNaN:
  case Op::MaxNaN:
  case Op::MinNaNXorSignAbs:
    return cost.add(minMax, target);
  case Op::Ex2Approx:
  case Op::TanhApprox:
    if (packed) {
      // One MUFU a lane, and a PRMT joins them (disassembly, sm_75 to sm_120).
      cost.add(InstrClass::Sfu, target, 2);
      return cost.add(InstrClass::Logic, target);
    }
    if (node.op == Op::Ex2Approx) {
      // Subnormal results: FSETP, then a predicated FMUL before and after the
      // MUFU.EX2 (disassembly, sm_75 to sm_120). The .ftz form is one MUFU.
      cost.add(InstrClass::F32MinMax, target);
      cost.add(InstrClass::F32Fma, target, 2);
    }
    return cost.add(InstrClass::Sfu, target);
  case Op::RcpApprox:
    // Subnormal operands and results: two FSETP, two FSEL and an FMUL before
    // MUFU.RCP, an FMUL after it (disassembly, sm_75 to sm_120). The .ftz form
    // is one MUFU.
    cost.add(InstrClass::F32MinMax, target, 4);
    cost.add(InstrClass::F32Fma, target, 2);
    return cost.add(InstrClass::Sfu, target);
  case Op::Ex2ApproxFtz:
  case Op::RcpApproxFtz:
    return cost.add(InstrClass::Sfu, target);
  case Op::SinApprox:
  case Op::CosApprox:
    // FMUL by 1 / (2 pi), then MUFU.SIN or MUFU.COS, which take turns
    // (disassembly, sm_75 to sm_120).
    cost.add(InstrClass::F32Fma, target);
    return cost.add(InstrClass::Sfu, target);
  case Op::CvtPack:
    return cost.add(InstrClass::Convert, target);
  case Op::UnpackLo:
  case Op::UnpackHi:
    // bf16: a shift or a mask. f16: HADD2.F32, an addition of zero
    // (disassembly, sm_75 to sm_120).
    return cost.add(static_cast<Type>(node.imm) == Type::BF16x2
                        ? InstrClass::Logic
                        : InstrClass::PackedUnary,
                    target);
  case Op::Lop3:
  case Op::Shl:
  case Op::Shr:
  case Op::Prmt:
    return cost.add(InstrClass::Logic, target);
  case Op::IAdd:
    return cost.add(InstrClass::IntAdd, target);
  case Op::IMad:
    return cost.add(InstrClass::IntMul, target);
  case Op::SetpGe:
  case Op::SetpLt:
  case Op::Selp:
    return cost.add(InstrClass::F32MinMax, target);
  case Op::SetGe:
    return cost.add(InstrClass::PackedMinMax, target);
  }
}

Cost poly::cost(const Program &program, const TargetModel &target) {
  std::vector<bool> isFree = freeModifiers(program);
  Cost total;
  for (size_t id = 0; id < program.nodes().size(); ++id)
    if (!isFree[id])
      addNode(program.nodes()[id], target, total);
  return total;
}

double poly::slotsPerElement(const Program &program,
                             const TargetModel &target) {
  return cost(program, target).slots() / std::max(1u, program.info().lanes);
}
