//===- PtxEmulatorTest.cpp - Right values
//----------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxTestKernel.h"

#include "poly/Program/SfuModel.h"

#include "gtest/gtest.h"

#include <chrono>

using namespace polytest;

namespace {

struct Case {
  const char *statement;
  uint32_t a, b, c;
  uint32_t expected;
};

class Statement : public testing::TestWithParam<Case> {};

TEST_P(Statement, Value) {
  const Case &test = GetParam();
  KernelRun run = runStatement(test.statement, test.a, test.b, test.c);
  ASSERT_TRUE(run.ok) << run.error;
  EXPECT_EQ(run.out[0], test.expected) << test.statement;
}

// 0x3f80 is 1.0, 0x4000 2.0, 0x4040 3.0 in bf16; 0x3c00, 0x4000, 0x4200 in f16.
const Case kIntegerCases[] = {
    {"add.s32 %r4, %r1, %r2;", 0xffffffff, 3, 0, 2},
    {"add.s32 %r4, %r1, -7;", 3, 0, 0, 0xfffffffc},
    {"sub.u32 %r4, %r1, %r2;", 3, 5, 0, 0xfffffffe},
    {"mul.lo.s32 %r4, %r1, %r2;", 0x10001, 0x10001, 0, 0x20001},
    {"mul.hi.u32 %r4, %r1, %r2;", 0xffffffff, 2, 0, 1},
    {"mul.hi.s32 %r4, %r1, %r2;", 0xffffffff, 2, 0, 0xffffffff},
    {"mad.lo.s32 %r4, %r1, %r2, %r3;", 7, 6, 5, 47},
    {"mad.lo.s32 %r4, %r1, 64, 1870675840;", 0x4b400001, 0, 0, 0x3f803fc0},
    {"mad.hi.u32 %r4, %r1, %r2, %r3;", 0x80000000, 4, 5, 7},
    {"add.rm.f32 %r4, %r1, %r2;", 0xbf000000, 0x4b400000, 0, 0x4b3fffff},
    {"cvt.rmi.f32.f32 %r4, %r1;", 0xbfc00000, 0, 0, 0xc0000000},
    {"prmt.b32 %r4, %r1, %r2, 0x5410U;", 0x11112222, 0x33334444, 0, 0x44442222},
    {"mul.wide.s32 %rd3, %r1, %r2; shr.u64 %rd3, %rd3, 32; "
     "cvt.u32.u64 %r4, %rd3;",
     0xffffffff, 2, 0, 0xffffffff},
    {"mul.wide.u32 %rd3, %r1, 16; shr.u64 %rd3, %rd3, 32; "
     "cvt.u32.u64 %r4, %rd3;",
     0xf0000000, 0, 0, 0xf},
    {"min.s32 %r4, %r1, %r2;", 0xffffffff, 1, 0, 0xffffffff},
    {"min.u32 %r4, %r1, %r2;", 0xffffffff, 1, 0, 1},
    {"max.s32 %r4, %r1, %r2;", 0xffffffff, 1, 0, 1},
    {"div.s32 %r4, %r1, %r2;", 0xfffffff9, 2, 0, 0xfffffffd},
    {"rem.u32 %r4, %r1, %r2;", 17, 5, 0, 2},
    {"neg.s32 %r4, %r1;", 5, 0, 0, 0xfffffffb},
    {"abs.s32 %r4, %r1;", 0xfffffffb, 0, 0, 5},
    {"shl.b32 %r4, %r1, %r2;", 1, 31, 0, 0x80000000},
    {"shl.b32 %r4, %r1, %r2;", 1, 32, 0, 0},
    {"shr.u32 %r4, %r1, 16;", 0x80010000, 0, 0, 0x8001},
    {"shr.s32 %r4, %r1, 40;", 0x80010000, 0, 0, 0xffffffff},
    {"and.b32 %r4, %r1, %r2;", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
    {"or.b32 %r4, %r1, %r2;", 0xff00, 0xff, 0, 0xffff},
    {"xor.b32 %r4, %r1, %r2;", 0xff, 0xf0, 0, 0x0f},
    {"not.b32 %r4, %r1;", 0xff, 0, 0, 0xffffff00},
    {"lop3.b32 %r4, %r1, %r2, %r3, 0xca;", 0xffff0000, 0x12345678, 0x9abcdef0,
     0x1234def0}, // a ? b : c.
    {"lop3.b32 %r4, %r1, %r2, %r3, 0x96;", 1, 2, 4, 7},
    {"prmt.b32 %r4, %r1, %r2, 0x5410;", 0x44433211, 0x88877665, 0, 0x76653211},
    {"prmt.b32 %r4, %r1, %r2, 0x7632;", 0x44433211, 0x88877665, 0, 0x88874443},
    {"prmt.b32 %r4, %r1, %r2, 0x8b00;", 0x84433211, 0, 0, 0x00ff1111},
    {"cvt.u16.u32 %rs1, %r1; cvt.u32.u16 %r4, %rs1;", 0x12348765, 0, 0, 0x8765},
    {"cvt.u16.u32 %rs1, %r1; cvt.s32.s16 %r4, %rs1;", 0x12348765, 0, 0,
     0xffff8765},
    {"cvt.s64.s32 %rd3, %r1; shr.u64 %rd3, %rd3, 32; cvt.u32.u64 %r4, %rd3;",
     0x80000000, 0, 0, 0xffffffff},
    {"cvt.u64.u32 %rd3, %r1; shr.u64 %rd3, %rd3, 32; cvt.u32.u64 %r4, %rd3;",
     0x80000000, 0, 0, 0},
    {"mov.b32 {%rs1, %rs2}, %r1; mov.b32 %r4, {%rs2, %rs1};", 0x11112222, 0, 0,
     0x22221111},
    {"mov.b32 {_, %rs2}, %r1; cvt.u32.u16 %r4, %rs2;", 0x11112222, 0, 0,
     0x1111},
    {"mov.b64 %rd3, {%r1, %r2}; mov.b64 {_, %r4}, %rd3;", 1, 2, 0, 2},
    {"mov.b64 %rd3, {%r1, %r2}; mov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd3; "
     "mov.b32 %r4, {%rs2, %rs3};",
     0x00020001, 0x00040003, 0, 0x00030002},
    {"setp.lt.s32 %p1, %r1, %r2; selp.b32 %r4, 1, 2, %p1;", 0xffffffff, 0, 0,
     1},
    {"setp.lt.u32 %p1, %r1, %r2; selp.b32 %r4, 1, 2, %p1;", 0xffffffff, 0, 0,
     2},
    {"setp.hi.u32 %p1, %r1, 4; selp.b32 %r4, %r2, %r3, %p1;", 5, 8, 9, 8},
    {"setp.ne.b32 %p1, %r1, 0; not.pred %p2, %p1; and.pred %p3, %p1, %p2; "
     "selp.b32 %r4, 1, 2, %p3;",
     5, 0, 0, 2},
    {"mov.b32 %r4, 0f3F800000;", 0, 0, 0, 0x3f800000},
    {"{ .reg .b32 %t; add.s32 %t, %r1, 1; mov.b32 %r4, %t; }", 4, 0, 0, 5},
};

const Case kFloatCases[] = {
    {"fma.rn.f32 %r4, %r1, %r2, %r3;", 0x3f800001, 0x3f800001, 0xbf800002,
     0x28800000}, // (1+u)^2 - (1+2u) = u^2, u = 2^-23: one rounding only.
    {"fma.rn.f32 %r4, %r1, 0f40000000, %r3;", 0x3f800000, 0, 0x3f800000,
     0x40400000},
    {"mul.rn.f32 %r4, %r1, %r2;", 0x7f800000, 0x80000000, 0, 0x7fffffff},
    {"add.rn.f32 %r4, %r1, %r2;", 0x3f800000, 0x33800000, 0, 0x3f800000},
    {"add.rn.f32 %r4, %r1, %r2;", 0x3f800001, 0x33800000, 0, 0x3f800002},
    {"sub.rn.f32 %r4, %r1, %r2;", 0x3f800000, 0x3f800000, 0, 0},
    {"mul.rn.sat.f32 %r4, %r1, %r2;", 0x40000000, 0x40000000, 0, 0x3f800000},
    {"div.rn.f32 %r4, %r1, %r2;", 0x3f800000, 0x40400000, 0, 0x3eaaaaab},
    {"rcp.rn.f32 %r4, %r1;", 0x40400000, 0, 0, 0x3eaaaaab},
    {"fma.rn.bf16x2 %r4, %r1, %r2, %r3;", 0x3f804000, 0x40404040, 0x3f80bf80,
     0x408040a0}, // hi 1*3+1 = 4, lo 2*3-1 = 5.
    {"fma.rn.relu.bf16x2 %r4, %r1, %r2, %r3;", 0x3f804000, 0x40404040,
     0xc080bf80, 0x000040a0},
    {"fma.rn.relu.bf16x2 %r4, %r1, %r2, %r3;", 0x7fc08000, 0x3f803f80,
     0x00008000, 0x7fff0000}, // A NaN stays, -0 becomes +0.
    {"fma.rn.sat.f16x2 %r4, %r1, %r2, %r3;", 0x3c004000, 0x3c004000, 0x7e00bc00,
     0x00003c00},
    {"fma.rn.f16x2 %r4, %r1, %r2, %r3;", 0x3c013c01, 0x3c013c01, 0xbc02bc02,
     0x00100010}, // u^2 = 2^-20, a subnormal.
    {"mul.rn.bf16x2 %r4, %r1, %r2;", 0x3f81bf81, 0x3f813f81, 0, 0x3f82bf82},
    {"add.rn.bf16x2 %r4, %r1, %r2;", 0x3f80ff80, 0x3f807f80, 0, 0x40007fff},
    {"min.NaN.xorsign.abs.bf16x2 %r4, %r1, %r2;", 0xc0e03f80, 0x40a040a0, 0,
     0xc0a03f80},
    {"min.NaN.xorsign.abs.bf16x2 %r4, %r1, %r2;", 0xffc08000, 0x40a040a0, 0,
     0x7fff8000},
    {"min.bf16x2 %r4, %r1, %r2;", 0x7fc03f80, 0x40004000, 0, 0x40003f80},
    {"min.NaN.bf16x2 %r4, %r1, %r2;", 0x7fc03f80, 0x40004000, 0, 0x7fff3f80},
    {"max.NaN.f16x2 %r4, %r1, %r2;", 0x80000000, 0x00008000, 0, 0},
    {"min.f32 %r4, %r1, %r2;", 0x00000000, 0x80000000, 0, 0x80000000},
    {"abs.bf16x2 %r4, %r1;", 0x8000ff80, 0, 0, 0x00007f80},
    {"neg.f16x2 %r4, %r1;", 0x00008000, 0, 0, 0x80000000},
    {"copysign.f32 %r4, %r1, %r2;", 0x80000000, 0x3f800000, 0, 0xbf800000},
    {"cvt.rn.bf16x2.f32 %r4, %r1, %r2;", 0x3f800000, 0x40008000, 0,
     0x3f804000}, // The first source is the upper half; ties to even.
    {"cvt.rn.bf16x2.f32 %r4, %r1, %r2;", 0x7f7fffff, 0x7fc12345, 0, 0x7f807fff},
    {"cvt.rn.f16x2.f32 %r4, %r1, %r2;", 0x477fefff, 0x477ff000, 0, 0x7bff7c00},
    {"cvt.rn.f16x2.f32 %r4, %r1, %r2;", 0x33000000, 0x33000001, 0, 0x00000001},
    {"cvt.rn.relu.f16x2.f32 %r4, %r1, %r2;", 0xbf800000, 0x3f800000, 0,
     0x00003c00},
    {"cvt.rn.bf16.f32 %rs1, %r1; cvt.u32.u16 %r4, %rs1;", 0x3f818000, 0, 0,
     0x3f82},
    {"mov.b32 {%rs1, _}, %r1; cvt.f32.f16 %r4, %rs1;", 0x0001, 0, 0,
     0x33800000},
    {"mov.b32 {%rs1, _}, %r1; cvt.f32.bf16 %r4, %rs1;", 0x3fc0, 0, 0,
     0x3fc00000},
    {"set.ge.u32.bf16x2 %r4, %r1, %r2;", 0x80003f80, 0x00004000, 0, 0xffff0000},
    {"set.ge.u32.bf16x2 %r4, %r1, %r2;", 0x7fc03f80, 0x7fc03f80, 0, 0x0000ffff},
    {"set.ge.u32.f32 %r4, %r1, %r2;", 0x3f800000, 0x3f800000, 0, 0xffffffff},
    {"setp.ge.f32 %p1, %r1, %r2; selp.b32 %r4, 1, 2, %p1;", 0x7fc00000, 0, 0,
     2},
    {"setp.ltu.f32 %p1, %r1, %r2; selp.b32 %r4, 1, 2, %p1;", 0x7fc00000, 0, 0,
     1},
    {"setp.nan.f32 %p1, %r1, %r1; selp.b32 %r4, 1, 2, %p1;", 0x7fc00000, 0, 0,
     1},
    {"setp.lt.bf16x2 %p1|%p2, %r1, %r2; selp.b32 %r4, 1, 2, %p2;", 0x3f804000,
     0x40003f80, 0, 1},
    {"mov.b32 {%rs1, %rs2}, %r1; fma.rn.bf16 %rs3, %rs1, %rs1, %rs2; "
     "cvt.u32.u16 %r4, %rs3;",
     0x3f804000, 0, 0, 0x40a0},
    {"mov.b64 %rd3, {%r1, %r2}; fma.rn.f32x2 %rd4, %rd3, %rd3, %rd3; "
     "mov.b64 {_, %r4}, %rd4;",
     0x40000000, 0x40400000, 0, 0x41400000},
};

INSTANTIATE_TEST_SUITE_P(Float, Statement, testing::ValuesIn(kFloatCases));

INSTANTIATE_TEST_SUITE_P(Integer, Statement, testing::ValuesIn(kIntegerCases));

TEST(PtxEmulator, SpecialFunctionsAreTheDocumentedModel) {
  uint32_t x = 0xbf9d70a4; // -1.23
  EXPECT_EQ(runStatement("ex2.approx.f32 %r4, %r1;", x).out[0],
            poly::sfu::ex2F32(x, false));
  EXPECT_EQ(runStatement("ex2.approx.ftz.f32 %r4, %r1;", 0xc2fe0000).out[0],
            poly::sfu::ex2F32(0xc2fe0000, true));
  EXPECT_EQ(runStatement("rcp.approx.f32 %r4, %r1;", x).out[0],
            poly::sfu::rcpF32(x, false));
  EXPECT_EQ(runStatement("rcp.approx.ftz.f32 %r4, %r1;", x).out[0],
            poly::sfu::rcpF32(x, true));
  EXPECT_EQ(runStatement("tanh.approx.f32 %r4, %r1;", x).out[0],
            poly::sfu::tanhF32(x));
  EXPECT_EQ(runStatement("tanh.approx.bf16x2 %r4, %r1;", 0x3f80c000).out[0],
            uint32_t(poly::sfu::tanhBF16(0x3f80)) << 16 |
                poly::sfu::tanhBF16(0xc000));
  EXPECT_EQ(runStatement("ex2.approx.f16x2 %r4, %r1;", 0x3c00c000).out[0],
            uint32_t(poly::sfu::ex2F16(0x3c00)) << 16 |
                poly::sfu::ex2F16(0xc000));
}

TEST(PtxEmulator, Guards) {
  const char *body = "ld.global.b32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 1; "
                     "mov.b32 %r2, 5; @%p1 mov.b32 %r2, 6; @!%p1 add.s32 %r2, "
                     "%r2, 10; st.global.b32 [%rd2], %r2;";
  EXPECT_EQ(runKernel(body, {1}).out[0], 6u);
  EXPECT_EQ(runKernel(body, {0}).out[0], 15u);
}

TEST(PtxEmulator, LoopsAndLabels) {
  KernelRun run = runKernel("mov.b32 %r1, 0;\nmov.b32 %r2, 0;\n"
                            "$L__BB0_1:\n"
                            "add.s32 %r2, %r2, %r1;\nadd.s32 %r1, %r1, 1;\n"
                            "setp.lt.s32 %p1, %r1, 10;\n"
                            "@%p1 bra $L__BB0_1;\n"
                            "st.global.b32 [%rd2], %r2;\nbra.uni $done;\n"
                            "$done:");
  ASSERT_TRUE(run.ok) << run.error;
  EXPECT_EQ(run.out[0], 45u);
}

TEST(PtxEmulator, ThreadsOfAllBlocks) {
  KernelRun run = runKernel("mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; "
                            "mov.u32 %r3, %ntid.x; mov.u32 %r5, %nctaid.x; "
                            "mad.lo.s32 %r4, %r2, %r3, %r1; "
                            "mul.wide.s32 %rd3, %r4, 4; "
                            "add.s64 %rd4, %rd2, %rd3; "
                            "mad.lo.s32 %r6, %r5, 100, %r4; "
                            "st.global.b32 [%rd4], %r6;",
                            {}, {3, 1, 1}, {4, 1, 1});
  ASSERT_TRUE(run.ok) << run.error;
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(run.out[i], i < 12 ? 300 + i : 0xa5a5a5a5u);
}

TEST(PtxEmulator, VectorsAndNarrowAccesses) {
  KernelRun run =
      runKernel("ld.global.nc.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];"
                "st.global.v2.b32 [%rd2+8], {%r4, %r3};"
                "ld.global.b16 %rd3, [%rd1+2]; st.global.b16 [%rd2], %rd3;"
                "ld.global.s8 %r5, [%rd1]; st.global.b32 [%rd2+4], %r5;",
                {0xabcd00ff, 2, 3, 4});
  ASSERT_TRUE(run.ok) << run.error;
  EXPECT_EQ(run.out[0], 0xa5a5abcdu);
  EXPECT_EQ(run.out[1], 0xffffffffu);
  EXPECT_EQ(run.out[2], 4u);
  EXPECT_EQ(run.out[3], 3u);
}

TEST(PtxEmulator, ParametersHaveTheirOffsets) {
  std::string error;
  auto module = PtxModule::parse(
      ".version 8.1\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u32 a, .param .u64 .ptr .global .align 16 b,\n"
      "  .param .align 8 .b8 c[16])\n.reqntid 1\n{\n.reg .b32 %r<3>;\n"
      ".reg .b64 %rd<3>;\nld.param.u32 %r1, [a];\nld.param.u64 %rd1, [b];\n"
      "ld.param.u32 %r2, [c+8];\nadd.s32 %r1, %r1, %r2;\n"
      "st.global.u32 [%rd1], %r1;\nret;\n}\n",
      error);
  ASSERT_TRUE(module) << error;
  const PtxKernel &kernel = *module->kernel("k");
  ASSERT_EQ(kernel.params.size(), 3u);
  EXPECT_EQ(kernel.params[1].offset, 8u);
  PtxMemory memory;
  uint64_t out = memory.allocate(4);
  uint32_t aggregate[4] = {1, 2, 3, 4};
  PtxArguments arguments;
  arguments.addU32(10).addU64(out).add(aggregate, sizeof aggregate);
  ASSERT_TRUE(ptxLaunch(kernel, {1, 1, 1}, {1, 1, 1}, arguments, memory, error))
      << error;
  uint32_t result = 0;
  memory.read(out, &result, 4);
  EXPECT_EQ(result, 13u);
  EXPECT_FALSE(
      ptxLaunch(kernel, {1, 1, 1}, {2, 1, 1}, arguments, memory, error));
  EXPECT_NE(error.find(".reqntid"), std::string::npos);
}

TEST(PtxEmulator, UndefinedLanesPassThroughLanewiseCode) {
  // The backend pads odd vectors with lanes that nothing reads.
  KernelRun run = runKernel("ld.global.b16 %rs1, [%rd1]; "
                            "mov.b32 %r1, {%rs1, %rs2}; "
                            "mul.rn.bf16x2 %r2, %r1, %r1; "
                            "mov.b32 {%rs3, _}, %r2; "
                            "st.global.b16 [%rd2], %rs3;",
                            {0x4000});
  ASSERT_TRUE(run.ok) << run.error;
  EXPECT_EQ(run.out[0] & 0xffff, 0x4080u);
}

TEST(PtxEmulator, DefinedHalvesPassThroughBitwiseCode) {
  const std::string half = "ld.global.b16 %rs1, [%rd1]; "
                           "mov.b32 %r1, {%rs1, %rs2}; ";
  for (const char *use :
       {"shl.b32 %r2, %r1, 16;", "and.b32 %r2, %r1, 0xffff;",
        "prmt.b32 %r2, %r1, 0, 0x4410;", "prmt.b32 %r2, %r1, 0, 0x1010;"}) {
    KernelRun run =
        runKernel(half + use + " st.global.b32 [%rd2], %r2;", {0x4000});
    EXPECT_TRUE(run.ok) << use << run.error;
  }
  for (const char *use :
       {"shr.u32 %r2, %r1, 16;", "shl.b32 %r2, %r1, 8;",
        "and.b32 %r2, %r1, 0xffff0000;", "or.b32 %r2, %r1, 0xffff0000;",
        "prmt.b32 %r2, %r1, 0, 0x4420;", "prmt.b32 %r2, %r1, 0, 0x2410;"}) {
    KernelRun run =
        runKernel(half + use + " st.global.b32 [%rd2], %r2;", {0x4000});
    EXPECT_FALSE(run.ok) << use;
  }
}

TEST(PtxEmulator, BuffersAreAlignedAsAsked) {
  PtxMemory memory;
  for (size_t alignment : {2u, 16u, 256u}) {
    uint64_t base = memory.allocate(10, alignment);
    EXPECT_EQ(base % alignment, 0u);
    EXPECT_NE(base % (2 * alignment), 0u);
  }
}

// Not a timing test: it only keeps the accuracy suite from becoming unusable.
TEST(PtxEmulator, ThousandsOfThreadsAreQuick) {
  std::string body = "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; "
                     "mad.lo.s32 %r3, %r2, 256, %r1; mov.b32 %r4, 0x3f803f80;";
  for (unsigned i = 0; i < 50; ++i)
    body += "\nfma.rn.bf16x2 %r4, %r3, %r4, %r4;";
  auto start = std::chrono::steady_clock::now();
  KernelRun run = runKernel(body, {}, {256, 1, 1}, {256, 1, 1});
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(run.ok) << run.error;
  EXPECT_LT(time.count(), 20.0);
}

} // namespace
