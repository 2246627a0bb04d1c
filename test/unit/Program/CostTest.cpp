//===- CostTest.cpp - Issue slots, counted by hand ------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Cost.h"

#include "TestPrograms.h"

using namespace poly;

namespace {

constexpr unsigned kFma = unsigned(Pipe::Fma), kAlu = unsigned(Pipe::Alu),
                   kXu = unsigned(Pipe::Xu);

const TargetModel &chip(const char *name) { return *findTarget(name); }

void expectCost(const Cost &cost, double issue, double fma, double alu,
                double xu) {
  EXPECT_EQ(cost.issue, issue);
  EXPECT_EQ(cost.pipes[kFma], fma);
  EXPECT_EQ(cost.pipes[kAlu], alu);
  EXPECT_EQ(cost.pipes[kXu], xu);
  EXPECT_EQ(cost.slots(), std::max({issue, fma, alu, xu}));
}

TEST(Cost, HalfDomainSigmoid) {
  // min at 64 a clock is 2 slots; three fma at 128 are one each; bf16x2 abs is
  // an instruction at 64 a clock, f16x2 abs an operand modifier.
  Program bf16 = halfSigmoid(Type::BF16x2), f16 = halfSigmoid(Type::F16x2);
  expectCost(cost(bf16, chip("sm_90")), 5, 5, 2, 0);
  expectCost(cost(f16, chip("sm_90")), 4, 3, 2, 0);
  EXPECT_EQ(slotsPerElement(bf16, chip("sm_90")), 2.5);
  EXPECT_EQ(slotsPerElement(f16, chip("sm_90")), 2);
  // bf16x2 arithmetic at 64 a clock.
  expectCost(cost(bf16, chip("sm_80")), 5, 8, 2, 0);
  expectCost(cost(f16, chip("sm_80")), 4, 3, 2, 0);
  expectCost(cost(f16, chip("sm_89")), 4, 6, 2, 0);
  // Packing two f32 first is one conversion on the ALU pipe.
  expectCost(cost(halfSigmoid(Type::BF16x2, true), chip("sm_90")), 6, 5, 4, 0);
}

TEST(Cost, SpecialFunctionUnit) {
  auto one = [](Op op, Type type, const char *name = "sm_90") {
    return cost(single(op, type, 1), chip(name));
  };
  expectCost(one(Op::TanhApprox, Type::F32), 1, 0, 0, 8);
  // A MUFU for each lane and a PRMT.
  expectCost(one(Op::TanhApprox, Type::BF16x2), 3, 0, 2, 16);
  expectCost(one(Op::TanhApprox, Type::F16x2, "sm_103"), 3, 0, 2, 8);
  expectCost(one(Op::Ex2ApproxFtz, Type::F32), 1, 0, 0, 8);
  expectCost(one(Op::RcpApproxFtz, Type::F32), 1, 0, 0, 8);
  // MUFU.SIN takes turns: a multiplication before it.
  expectCost(one(Op::SinApprox, Type::F32), 2, 1, 0, 8);
  expectCost(one(Op::CosApprox, Type::F32), 2, 1, 0, 8);
  // The forms that keep subnormals scale around the MUFU.
  expectCost(one(Op::Ex2Approx, Type::F32), 4, 2, 2, 8);
  expectCost(one(Op::RcpApprox, Type::F32), 7, 2, 8, 8);
}

TEST(Cost, ConversionsBitsAndSelection) {
  const TargetModel &target = chip("sm_90");
  auto unpack = [&](Type type) {
    return cost(
        programOf({type}, [](ProgramBuilder &b,
                             const NodeId *in) { return b.unpack(1, in[0]); }),
        target);
  };
  expectCost(unpack(Type::BF16x2), 1, 0, 2, 0);
  expectCost(unpack(Type::F16x2), 1, 2, 0, 0);
  expectCost(cost(single(Op::IMad, Type::B32, 3), target), 1, 2, 0, 0);
  expectCost(cost(single(Op::IAdd, Type::B32, 2), target), 1, 0, 1, 0);
  // Mixed code does not issue every clock, whatever the pipes.
  Cost add = cost(single(Op::IAdd, Type::B32, 2), target);
  EXPECT_DOUBLE_EQ(add.expectedClocks(target),
                   double(target.issuePerClock) /
                       target.sustainedIssuePerClock);
  Cost power = cost(single(Op::Ex2ApproxFtz, Type::F32, 1), target);
  EXPECT_DOUBLE_EQ(power.expectedClocks(target), power.slots());
  expectCost(cost(programOf({Type::B32, Type::B32},
                            [](ProgramBuilder &b, const NodeId *in) {
                              return b.prmt(in[0], in[1], 0x5410);
                            }),
                  target),
             1, 0, 2, 0);
  expectCost(cost(single(Op::AddRm, Type::F32, 2), target), 1, 1, 0, 0);
  expectCost(cost(single(Op::Floor, Type::F32, 1), target), 1, 0, 0, 8);
  expectCost(cost(single(Op::SetGe, Type::BF16x2, 2), target), 1, 0, 2, 0);
  Program select = programOf({Type::F32}, [](ProgramBuilder &b,
                                             const NodeId *in) {
    return b.selp(b.setp(Op::SetpGe, in[0], b.constant(Type::F32, 0.0)), in[0],
                  b.bitcast(Type::F32, b.constant(Type::B32, uint32_t(5))));
  });
  expectCost(cost(select, target), 2, 0, 4, 0);
}

TEST(Cost, SignChangesAreFreeOnlyAsOperandModifiers) {
  const TargetModel &target = chip("sm_90");
  auto f32 = [&](auto build) {
    return cost(programOf({Type::F32}, build), target).issue;
  };
  // ex2(-|x|) is one MUFU.EX2 -|R0|.
  EXPECT_EQ(f32([](ProgramBuilder &b, const NodeId *in) {
              return b.unary(Op::Ex2ApproxFtz, b.neg(b.abs(in[0])));
            }),
            1);
  // The result itself, or a bitwise user, needs the instruction.
  EXPECT_EQ(
      f32([](ProgramBuilder &b, const NodeId *in) { return b.abs(in[0]); }), 1);
  EXPECT_EQ(f32([](ProgramBuilder &b, const NodeId *in) {
              return b.bitcast(Type::B32, b.neg(b.abs(in[0])));
            }),
            1);
  // One such user is enough.
  EXPECT_EQ(f32([](ProgramBuilder &b, const NodeId *in) {
              NodeId a = b.abs(in[0]);
              return b.cvtPack(Type::F16x2, b.mul(a, in[0]), a);
            }),
            3);
  // bf16x2 has no modifiers.
  EXPECT_EQ(cost(programOf({Type::BF16x2},
                           [](ProgramBuilder &b, const NodeId *in) {
                             return b.mul(b.neg(in[0]), in[0]);
                           }),
                 target)
                .issue,
            2);
}

TEST(Cost, Arithmetic) {
  Cost a;
  a.add(InstrClass::PackedFma, chip("sm_90"), 3);
  a.add(InstrClass::Sfu, chip("sm_90"));
  expectCost(a, 4, 3, 0, 8);
  Cost b = a * 2;
  b += a;
  expectCost(b, 12, 9, 0, 24);
  EXPECT_EQ(Cost().slots(), 0);
}

} // namespace
