//===- PtxRejectTest.cpp - What the emulator refuses
//-----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxTestKernel.h"

#include "gtest/gtest.h"

using namespace polytest;

namespace {

struct Reject {
  const char *body;
  const char *message;
};

class Rejected : public testing::TestWithParam<Reject> {};

TEST_P(Rejected, NamesTheLine) {
  KernelRun run = runKernel(GetParam().body, {1, 2, 3, 4, 5, 6});
  EXPECT_FALSE(run.ok);
  EXPECT_NE(run.error.find(GetParam().message), std::string::npos) << run.error;
  EXPECT_EQ(run.error.find("line " + std::to_string(kBodyLine) + ": "), 0u)
      << run.error;
}

const Reject kInstructions[] = {
    {"foo.rn.f32 %r1, %r2;", "unknown instruction 'foo.rn.f32'"},
    {"bar.sync 0;", "unknown instruction 'bar.sync'"},
    {"lg2.approx.f32 %r1, %r2;", "unknown instruction"},
    {"shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", "unknown instruction"},
    {"atom.global.add.u32 %r1, [%rd1], 1;", "unknown instruction"},
    {"call foo;", "unknown instruction"},
};
const Reject kModifiers[] = {
    {"fma.rn.ftz.f32 %r1, %r1, %r1, %r1;", "'.ftz' in 'fma.rn.ftz.f32'"},
    {"fma.rz.f32 %r1, %r1, %r1, %r1;", "'.rz' in 'fma.rz.f32'"},
    {"add.f32 %r1, %r1, %r1;", "may be contracted"},
    {"fma.rn.relu.f32 %r1, %r1, %r1, %r1;", "no such form"},
    {"fma.rn.sat.bf16x2 %r1, %r1, %r1, %r1;", "no such form"},
    {"min.xorsign.f16x2 %r1, %r1, %r1;", ".xorsign needs .abs"},
    {"ex2.approx.bf16x2 %r1, %r1;", "no such form"},
    {"ex2.f32 %r1, %r1;", "needs .approx"},
    {"ld.volatile.global.b32 %r1, [%rd1];", "'.volatile'"},
    {"ld.shared.b32 %r1, [%rd1];", "'.shared'"},
    {"ld.global.L1::no_allocate.b32 %r1, [%rd1];", "'.L1::no_allocate'"},
    {"cvt.rz.bf16x2.f32 %r1, %r1, %r1;", "'.rz'"},
    {"cvt.rn.satfinite.bf16.f32 %rs1, %r1;", "'.satfinite'"},
    {"cvt.rn.f16.u32 %rs1, %r1;", "unknown conversion"},
    {"cvt.rmi.f16.f32 %rs1, %r1;", "unknown conversion"},
    {"add.rm.f16x2 %r1, %r1, %r1;", "no such form"},
    {"mul.rm.f32 %r1, %r1, %r1;", "unknown"},
    {"add.cc.u32 %r1, %r1, %r1;", "'.cc'"},
    {"setp.lt.and.s32 %p1, %r1, %r1, %p2;", "'.and'"},
    {"setp.lo.s32 %p1, %r1, %r1;", "do not fit"},
    {"prmt.b32.f4e %r1, %r1, %r1, 0;", "'.f4e'"},
    {"mov.b128 %r1, %r1;", "'.b128'"},
    {"cvta.shared.u64 %rd3, %rd1;", "unknown form"},
    {"set.ge.bf16x2.bf16x2 %r1, %r1, %r1;", "unknown form"},
};
const Reject kOperands[] = {
    {"add.s32 %r1, %r1;", "expected 3 operands"},
    {"add.s32 %r1, %r1, %r99;", "unknown operand '%r99'"},
    {"add.s32 %r1, %rd1, %r1;", "has 64 bits"},
    {"add.s32 5, %r1, %r1;", "must be a register"},
    {"mov.u32 %r1, %laneid;", "unknown operand '%laneid'"},
    {"mov.b32 %r1, 0f3F80;", "unknown operand"},
    {"mov.b64 %rd3, 0f3F800000;", "f32 literal"},
    {"ld.global.v2.b32 %r1, [%rd1];", "expected a vector operand"},
    {"ld.global.v2.b32 {%r1, %r2, %r3}, [%rd1];", "wrong length"},
    {"ld.global.b32 %rs1, [%rd1];", "too narrow"},
    {"ld.param.b64 %rd3, [nope];", "unknown parameter"},
    {"ld.param.b64 %rd3, [in+4];", "past parameter"},
    {"mov.b32 {%rs1, %rs2, %rs3, %rs4}, %r1;", "unknown vector form"},
    {"lop3.b32 %r1, %r1, %r1, %r1, 256;", "truth table"},
    {"$a: $a:", "defined twice"},
    {".reg .b32 %r1;", "declared twice"},
    {".local .b32 x;", "unknown directive '.local'"},
    {".pragma \"nounrol\";", "unknown .pragma"},
    {"add.s32 %r1,, %r1;", "empty operand"},
};
const Reject kRuntime[] = {
    {"add.s32 %r1, %r2, 1;", "uses register '%r2', which is undefined"},
    {"@%p1 mov.b32 %r1, 1;", "uses register '%p1', which is undefined"},
    {"st.global.b32 [%rd2], %r3;", "uses register '%r3', which is undefined"},
    {"mov.b16 %rs1, 1; mov.b32 %r1, {%rs1, %rs2}; st.global.b32 [%rd2], %r1;",
     "uses register '%r1', which is undefined"},
    {"mov.b16 %rs1, 1; mov.b32 %r1, {%rs1, %rs2}; "
     "mul.rn.bf16x2 %r2, %r1, %r1; mov.b32 {_, %rs3}, %r2; "
     "st.global.b16 [%rd2], %rs3;",
     "uses register '%rs3', which is undefined"},
    {"mov.b32 %r1, 1; st.global.b32 [%rd2+64], %r1;", "stores outside"},
    {"mov.b32 %r1, 1; st.global.b32 [%rd2+-4], %r1;", "stores outside"},
    {"ld.global.b32 %r1, [%rd1+24];", "loads outside"},
    {"ld.global.b32 %r1, [%rd2];", "never written"},
    {"ld.global.v2.b32 {%r1, %r2}, [%rd1+20];", "misaligned"},
    {"ld.global.b32 %r1, [%rd1+2];", "misaligned"},
    {"mov.b32 %r1, 0; div.u32 %r1, %r1, %r1;", "by zero"},
    {"$again: bra $again;", "does not end"},
};

INSTANTIATE_TEST_SUITE_P(Instructions, Rejected,
                         testing::ValuesIn(kInstructions));
INSTANTIATE_TEST_SUITE_P(Modifiers, Rejected, testing::ValuesIn(kModifiers));
INSTANTIATE_TEST_SUITE_P(Operands, Rejected, testing::ValuesIn(kOperands));
INSTANTIATE_TEST_SUITE_P(Runtime, Rejected, testing::ValuesIn(kRuntime));

std::string parseError(const std::string &text) {
  std::string error;
  EXPECT_FALSE(PtxModule::parse(text, error));
  return error;
}

TEST(PtxModuleRejects, WhatItDoesNotKnow) {
  const std::string head = ".version 8.1\n.target sm_90\n.address_size 64\n";
  EXPECT_NE(parseError("").find("no .version"), std::string::npos);
  EXPECT_NE(parseError(head + ".global .b32 x;\n").find("line 4: unknown"),
            std::string::npos);
  EXPECT_NE(parseError(head + ".visible .func f() { ret; }\n").find(".entry"),
            std::string::npos);
  EXPECT_NE(parseError(".version 8.1\n.address_size 32\n").find("64"),
            std::string::npos);
  EXPECT_NE(parseError(head + ".entry k()\n{\nret;\n").find("no end"),
            std::string::npos);
  EXPECT_NE(parseError(head + ".entry k()\n.cluster 2\n{\nret;\n}\n")
                .find("'.cluster'"),
            std::string::npos);
  EXPECT_NE(
      parseError(head + ".entry k()\n{\nbra $nowhere;\n}\n").find("$nowhere"),
      std::string::npos);
  EXPECT_NE(parseError(head + ".entry k(.param .b8 .weird x)\n{\nret;\n}\n")
                .find("'.weird'"),
            std::string::npos);
}

TEST(PtxModuleRejects, WrongArguments) {
  std::string error;
  auto module = PtxModule::parse(wrapKernel(""), error);
  ASSERT_TRUE(module) << error;
  PtxMemory memory;
  PtxArguments one, narrow;
  one.addU64(0);
  narrow.addU64(0).addU32(0);
  const PtxKernel &kernel = *module->kernel("k");
  EXPECT_FALSE(ptxLaunch(kernel, {}, {}, one, memory, error));
  EXPECT_NE(error.find("has 2 parameters"), std::string::npos);
  EXPECT_FALSE(ptxLaunch(kernel, {}, {}, narrow, memory, error));
  EXPECT_NE(error.find("has 8 bytes"), std::string::npos);
  EXPECT_EQ(module->kernel("other"), nullptr);
}

} // namespace
