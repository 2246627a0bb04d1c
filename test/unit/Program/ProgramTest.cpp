//===- ProgramTest.cpp - Building and describing Programs -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Program.h"

#include "TestPrograms.h"

#include <cmath>
#include <functional>
#include <set>

using namespace poly;

namespace {

/// Builds a node from an f32, a bf16x2, an f16x2 and a b32 input.
struct Inputs {
  ProgramBuilder &b;
  NodeId f32, bf16, f16, b32;
};

std::string mistakeOf(const std::function<NodeId(const Inputs &)> &build) {
  ProgramBuilder b(named("test"));
  Inputs in{b, b.input(Type::F32), b.input(Type::BF16x2), b.input(Type::F16x2),
            b.input(Type::B32)};
  NodeId result = build(in);
  Program program = b.finish(result);
  EXPECT_EQ(program.nodes().empty(), !b.ok());
  EXPECT_EQ(b.errorMessage().empty(), b.ok());
  return b.errorMessage();
}

void expectMistake(const std::function<NodeId(const Inputs &)> &build,
                   const std::string &text) {
  std::string message = mistakeOf(build);
  EXPECT_NE(message.find(text), std::string::npos) << message;
  EXPECT_NE(message.find("program 'test': node 4"), std::string::npos)
      << message;
}

TEST(ProgramBuilder, RejectsWrongTypes) {
  expectMistake(
      [](const Inputs &in) { return in.b.fma(in.f32, in.bf16, in.f32); },
      "fma mixes f32 and bf16x2");
  expectMistake([](const Inputs &in) { return in.b.mul(in.b32, in.b32); },
                "mul does not take b32 as operand 0");
  expectMistake(
      [](const Inputs &in) {
        return in.b.ternary(Op::FmaRelu, in.f32, in.f32, in.f32);
      },
      "fma.relu does not take f32");
  expectMistake(
      [](const Inputs &in) {
        return in.b.ternary(Op::FmaSat, in.bf16, in.bf16, in.bf16);
      },
      "fma.sat does not take bf16x2");
  expectMistake(
      [](const Inputs &in) {
        return in.b.binary(Op::MinNaNXorSignAbs, in.f32, in.f32);
      },
      "min.nan.xorsign.abs does not take f32");
  expectMistake(
      [](const Inputs &in) { return in.b.unary(Op::RcpApproxFtz, in.f16); },
      "rcp.approx.ftz does not take f16x2");
  expectMistake(
      [](const Inputs &in) {
        return in.b.cvtPack(Type::BF16x2, in.f32, in.bf16);
      },
      "cvt.pack does not take bf16x2 as operand 1");
  expectMistake(
      [](const Inputs &in) { return in.b.cvtPack(Type::F32, in.f32, in.f32); },
      "not f32");
  expectMistake([](const Inputs &in) { return in.b.unpack(0, in.f32); },
                "unpack.lo does not take f32");
  expectMistake(
      [](const Inputs &in) { return in.b.lop3(in.b32, in.f32, in.b32, 1); },
      "lop3 does not take f32 as operand 1");
  expectMistake(
      [](const Inputs &in) { return in.b.setp(Op::SetpGe, in.f16, in.f16); },
      "setp.ge does not take f16x2");
  expectMistake(
      [](const Inputs &in) { return in.b.selp(in.b32, in.f32, in.f32); },
      "selp does not take b32 as operand 0");
  expectMistake(
      [](const Inputs &in) { return in.b.binary(Op::SetGe, in.f32, in.f32); },
      "set.ge does not take f32");
}

TEST(ProgramBuilder, RejectsWrongShapes) {
  expectMistake([](const Inputs &in) { return in.b.unary(Op::Fma, in.f32); },
                "fma takes 3 operands, not 1");
  expectMistake(
      [](const Inputs &in) {
        return in.b.ternary(Op::Add, in.f32, in.f32, in.f32);
      },
      "add takes 2 operands, not 3");
  expectMistake(
      [](const Inputs &in) { return in.b.binary(Op::Lop3, in.b32, in.b32); },
      "lop3 is not built by binary()");
  expectMistake(
      [](const Inputs &in) {
        return in.b.ternary(Op::Selp, in.f32, in.f32, in.f32);
      },
      "selp is not built by ternary()");
  expectMistake([](const Inputs &in) { return in.b.unary(Op::Input, in.f32); },
                "input is not built by unary()");
  expectMistake([](const Inputs &in) { return in.b.abs(99); },
                "abs: operand 0 is not a node");
  expectMistake(
      [](const Inputs &in) { return in.b.shift(Op::Shl, in.b32, 32); },
      "a shift by 32");
  expectMistake(
      [](const Inputs &in) { return in.b.shift(Op::IAdd, in.b32, 1); },
      "iadd is not a shift");
  expectMistake(
      [](const Inputs &in) { return in.b.setp(Op::SetGe, in.f32, in.f32); },
      "set.ge is not a comparison");
  expectMistake([](const Inputs &in) { return in.b.unpack(2, in.f16); },
                "no lane 2");
  expectMistake(
      [](const Inputs &in) { return in.b.prmt(in.b32, in.b32, 0x9410); },
      "its nibbles are 0 to 7");
  expectMistake(
      [](const Inputs &in) { return in.b.prmt(in.f32, in.f32, 0x5410); },
      "prmt does not take f32");
  expectMistake(
      [](const Inputs &in) { return in.b.binary(Op::AddRm, in.f16, in.f16); },
      "add.rm does not take f16x2");
  expectMistake(
      [](const Inputs &in) { return in.b.bitcast(Type::Pred, in.f32); },
      "predicate");
  expectMistake([](const Inputs &in) { return in.b.input(Type::Pred); },
                "predicate");
  expectMistake([](const Inputs &) { return NodeId(4); }, "not a node");
}

TEST(ProgramBuilder, RejectsBadConstants) {
  expectMistake(
      [](const Inputs &in) { return in.b.constant(Type::F32, std::nan("")); },
      "NaN");
  expectMistake(
      [](const Inputs &in) { return in.b.constant(Type::F16x2, 70000.0); },
      "the constant 70000 overflows f16");
  expectMistake([](const Inputs &in) { return in.b.constant(Type::B32, 1.0); },
                "needs a float type");
  EXPECT_EQ(mistakeOf([](const Inputs &in) {
              return in.b.constant(Type::F16x2, double(INFINITY));
            }),
            "");
}

TEST(ProgramBuilder, KeepsTheFirstMistake) {
  ProgramBuilder b(named("first"));
  NodeId x = b.input(Type::F32);
  NodeId bad = b.ternary(Op::FmaRelu, x, x, x);
  NodeId worse = b.unary(Op::Abs, 77);
  Program program = b.finish(b.mul(bad, worse));
  EXPECT_FALSE(b.ok());
  EXPECT_EQ(b.errorMessage(),
            "program 'first': node 1: fma.relu does not take f32 as operand 0");
  EXPECT_TRUE(program.nodes().empty());
  EXPECT_EQ(program.name(), "first");
}

TEST(ProgramBuilder, PredicatesAreNotResults) {
  ProgramBuilder b(named("p"));
  NodeId x = b.input(Type::F32);
  EXPECT_TRUE(b.finish(b.setp(Op::SetpLt, x, x)).nodes().empty());
  EXPECT_NE(b.errorMessage().find("predicate"), std::string::npos);
}

TEST(ProgramBuilder, SharesConstantsAndRoundsThem) {
  ProgramBuilder b(named("c"));
  NodeId x = b.input(Type::BF16x2);
  NodeId third = b.constant(Type::BF16x2, 1.0 / 3);
  EXPECT_EQ(b.constant(Type::BF16x2, 1.0 / 3), third);
  EXPECT_NE(b.constant(Type::F16x2, 1.0 / 3), third);
  Program program = b.finish(b.mul(x, third));
  EXPECT_EQ(program.node(third).imm, 0x3eab3eabu);
  EXPECT_EQ(program.inputs(), std::vector<Type>{Type::BF16x2});
  EXPECT_EQ(program.resultType(), Type::BF16x2);
  EXPECT_EQ(instructionCount(program), 1u);
}

TEST(Program, PtxNames) {
  ProgramBuilder b(named("n"));
  NodeId f = b.input(Type::F32), h = b.input(Type::F16x2),
         v = b.input(Type::BF16x2), r = b.input(Type::B32);
  const std::pair<NodeId, const char *> cases[] = {
      {b.fma(v, v, v), "fma.rn.bf16x2"},
      {b.fma(f, f, f), "fma.rn.f32"},
      {b.ternary(Op::FmaRelu, h, h, h), "fma.rn.relu.f16x2"},
      {b.ternary(Op::FmaSat, f, f, f), "fma.rn.sat.f32"},
      {b.mul(h, h), "mul.rn.f16x2"},
      {b.binary(Op::Sub, v, v), "sub.rn.bf16x2"},
      {b.abs(v), "abs.bf16x2"},
      {b.binary(Op::MinNaN, f, f), "min.NaN.f32"},
      {b.binary(Op::MinNaNXorSignAbs, v, v), "min.NaN.xorsign.abs.bf16x2"},
      {b.unary(Op::Ex2Approx, f), "ex2.approx.f32"},
      {b.unary(Op::Ex2Approx, h), "ex2.approx.f16x2"},
      {b.unary(Op::Ex2Approx, v), "ex2.approx.ftz.bf16x2"},
      {b.unary(Op::Ex2ApproxFtz, f), "ex2.approx.ftz.f32"},
      {b.unary(Op::RcpApprox, f), "rcp.approx.f32"},
      {b.unary(Op::SinApprox, f), "sin.approx.f32"},
      {b.unary(Op::CosApprox, f), "cos.approx.f32"},
      {b.unary(Op::TanhApprox, v), "tanh.approx.bf16x2"},
      {b.cvtPack(Type::F16x2, f, f), "cvt.rn.f16x2.f32"},
      {b.unpack(0, v), "shl.b32"},
      {b.unpack(1, v), "and.b32"},
      {b.unpack(1, h), "cvt.f32.f16"},
      {b.lop3(r, r, r, 0xca), "lop3.b32"},
      {b.shift(Op::Shr, r, 3), "shr.u32"},
      {b.ternary(Op::IMad, r, r, r), "mad.lo.s32"},
      {b.prmt(r, r, 0x5410), "prmt.b32"},
      {b.binary(Op::AddRm, f, f), "add.rm.f32"},
      {b.unary(Op::Floor, f), "cvt.rmi.f32.f32"},
      {b.selp(b.setp(Op::SetpGe, f, f), f, f), "selp.f32"},
      {b.binary(Op::SetGe, h, h), "set.ge.u32.f16x2"},
      {b.bitcast(Type::B32, v), ""},
      {b.constant(Type::F32, 1.0), ""},
      {f, ""}};
  Program program = b.finish(f);
  ASSERT_TRUE(b.ok()) << b.errorMessage();
  for (const auto &[id, text] : cases)
    EXPECT_EQ(ptxName(program.node(id)), text);
}

TEST(Program, MinimumSm) {
  auto sm = [](const std::function<NodeId(const Inputs &)> &build) {
    ProgramBuilder b(named("m"));
    Inputs in{b, b.input(Type::F32), b.input(Type::BF16x2),
              b.input(Type::F16x2), b.input(Type::B32)};
    Program program = b.finish(build(in));
    EXPECT_TRUE(b.ok()) << b.errorMessage();
    return minimumSm(program);
  };
  EXPECT_EQ(
      sm([](const Inputs &in) { return in.b.fma(in.f16, in.f16, in.f16); }),
      70u);
  EXPECT_EQ(
      sm([](const Inputs &in) { return in.b.unary(Op::TanhApprox, in.f32); }),
      75u);
  EXPECT_EQ(sm([](const Inputs &in) { return in.b.mul(in.bf16, in.bf16); }),
            80u);
  EXPECT_EQ(sm([](const Inputs &in) {
              return in.b.cvtPack(Type::F16x2, in.f32, in.f32);
            }),
            80u);
  EXPECT_EQ(sm([](const Inputs &in) {
              return in.b.binary(Op::MinNaNXorSignAbs, in.f16, in.f16);
            }),
            86u);
  EXPECT_EQ(
      sm([](const Inputs &in) { return in.b.unary(Op::TanhApprox, in.bf16); }),
      90u);
  EXPECT_EQ(sm([](const Inputs &in) {
              return in.b.binary(Op::SetGe, in.bf16, in.bf16);
            }),
            90u);
  EXPECT_EQ(
      sm([](const Inputs &in) { return in.b.unary(Op::Ex2Approx, in.f16); }),
      75u);
}

TEST(Program, NamesParseBack) {
  for (Format format : {Format::F32, Format::BF16, Format::F16}) {
    Format parsed = Format::F32;
    EXPECT_TRUE(parse(name(format), parsed));
    EXPECT_EQ(parsed, format);
  }
  for (Function function :
       {Function::Sigmoid, Function::Tanh, Function::Silu}) {
    Function parsed = Function::Sigmoid;
    EXPECT_TRUE(parse(name(function), parsed));
    EXPECT_EQ(parsed, function);
  }
  Format format;
  Function function;
  EXPECT_FALSE(parse("f64", format));
  EXPECT_FALSE(parse("", format));
  EXPECT_FALSE(parse("Sigmoid", function));
  std::set<std::string_view> names;
  for (unsigned op = 0; op <= unsigned(Op::SetGe); ++op)
    EXPECT_TRUE(names.insert(name(Op(op))).second);
}

} // namespace
