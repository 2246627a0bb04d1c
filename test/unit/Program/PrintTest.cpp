//===- PrintTest.cpp - Readable listings of Programs ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Print.h"

#include "TestPrograms.h"

using namespace poly;

namespace {

TEST(Print, Listing) {
  EXPECT_EQ(toString(halfSigmoid(Type::BF16x2)),
            "sigmoid-test: sigmoid, bf16 -> bf16, 2 lanes, 5 instructions, "
            "sm_86\n"
            "  %0 = input 0 : bf16x2\n"
            "  %1 = const 0x40a040a0 = 5 : bf16x2\n"
            "  %2 = min.NaN.xorsign.abs.bf16x2 %0, %1 : bf16x2\n"
            "  %3 = abs.bf16x2 %2 : bf16x2\n"
            "  %4 = const 0x3b933b93 = 0.00448608398 : bf16x2\n"
            "  %5 = const 0xbd74bd74 = -0.0595703125 : bf16x2\n"
            "  %6 = fma.rn.bf16x2 %4, %3, %5 : bf16x2\n"
            "  %7 = const 0x3e923e92 = 0.28515625 : bf16x2\n"
            "  %8 = fma.rn.bf16x2 %6, %3, %7 : bf16x2\n"
            "  %9 = const 0x3f003f00 = 0.5 : bf16x2\n"
            "  %10 = fma.rn.relu.bf16x2 %8, %2, %9 : bf16x2\n"
            "  result %10\n");
}

TEST(Print, OperandsAreInPtxOrder) {
  std::string text = toString(programOf(
      {Type::F32, Type::F16x2}, [](ProgramBuilder &b, const NodeId *in) {
        NodeId p = b.setp(Op::SetpGe, in[0], b.constant(Type::F32, 0.1));
        NodeId lane = b.unpack(1, in[1]);
        NodeId packed = b.cvtPack(Type::BF16x2, b.selp(p, in[0], lane), lane);
        NodeId bits = b.bitcast(Type::B32, packed);
        NodeId c = b.constant(Type::B32, uint32_t(0x80008000));
        return b.shift(Op::Shl, b.lop3(bits, c, c, 0xea), 5);
      }));
  for (const char *line :
       {"%2 = const 0x3dcccccd = 0.100000001 : f32",
        "%3 = setp.ge.f32 %0, %2 : pred", "%4 = cvt.f32.f16 %1.hi : f32",
        "%5 = selp.f32 %0, %4, %3 : f32",
        "%6 = cvt.rn.bf16x2.f32 %4, %5 : bf16x2", "%7 = bitcast %6 : b32",
        "%8 = const 0x80008000 : b32", "%9 = lop3.b32 %7, %8, %8, 0xea : b32",
        "%10 = shl.b32 %9, 5 : b32"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST(Print, Certificate) {
  Program program = halfSigmoid(Type::F16x2);
  Certificate certificate = certify(program);
  std::string text = toString(certificate, program);
  EXPECT_EQ(text.find("sigmoid-test: 63488 inputs (all finite ones)\n"), 0u)
      << text;
  for (const char *part :
       {"max abs error ", "max ulp error ", "symmetric yes",
        "propagates NaN yes", "at NaN  0x7fff = nan", "at +0   0x3800 = 0.5"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Print, InvalidProgram) {
  ProgramBuilder b(named("broken"));
  Program program = b.finish(3);
  EXPECT_EQ(toString(program),
            "broken: sigmoid, f32 -> f32, not a valid program\n");
}

} // namespace
