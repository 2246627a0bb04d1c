//===- Target.cpp - GPU pipe models ---------------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
#include "poly/Target/Target.h"

using namespace poly;

// Sources of the figures:
// * "guide": CUDA C++ Programming Guide, table "Throughput of Native Arithmetic
//   Instructions", results per clock and multiprocessor. A packed instruction
//   has two results, so its figure is halved here.
// * "measured": `poly-bench pipes` on an H200, 2026-11-30
//   (docs/results/pipes-h200.json): thread instructions per clock of a
//   multiprocessor with 1,024 threads of eight independent dependence chains
//   each, by its own clock counter, raised to the power of two that such loops
//   approach from below.
// * "assumed": no public figure is known; the neighbour it is taken from is
//   named.
// Which pipe runs what follows the Nsight Compute documentation, "Pipelines":
// FMA runs f32 and packed arithmetic and integer multiply-add; ALU runs logic,
// comparison, minimum, maximum and, from Ampere on, the packing of f32 pairs;
// XU runs the special functions and all other conversions.

namespace {

#define GUIDE(capability) "guide, compute capability " capability
#define ASSUMED(capability) "assumed equal to " capability ": no public figure"

constexpr InstrRate fma(unsigned perClock, const char *source) {
  return {Pipe::Fma, perClock, source};
}
constexpr InstrRate alu(unsigned perClock, const char *source) {
  return {Pipe::Alu, perClock, source};
}
constexpr InstrRate xu(unsigned perClock, const char *source) {
  return {Pipe::Xu, perClock, source};
}

// `poly-bench rates` on an H200, 2026-11-30 (docs/results/rates-h200.json):
// polynomial programs, which mix the FMA and ALU pipes, reach 97 to 106
// instructions a clock where instructions of one kind reach 123. Assumed of the
// other chips.
constexpr unsigned kSustained = 110;

// Rates stand in the order of InstrClass.

constexpr TargetModel kSM70 = {
    "sm_70",
    70,
    "Volta (V100)",
    128,
    kSustained,
    {
        /*F32Fma=*/fma(64, GUIDE("7.x")),
        /*PackedFma=*/fma(64, GUIDE("7.x") ": 128 half results"),
        /*PackedFmaB=*/
        fma(64,
            "no bf16x2 arithmetic on this chip; the f16x2 figure stands in"),
        /*PackedUnary=*/
        fma(64, "rate of f16x2 arithmetic; f16 -> f32 is an HADD2 in SASS"),
        /*PackedMinMax=*/
        alu(64, "no packed min or max on this chip; the f32 figure stands in"),
        /*F32MinMax=*/alu(64, GUIDE("7.x")),
        /*Logic=*/alu(64, GUIDE("7.x")),
        /*IntMul=*/fma(64, GUIDE("7.x")),
        /*Convert=*/xu(16, GUIDE("7.x")),
        /*Sfu=*/xu(16, GUIDE("7.x")),
        /*IntAdd=*/alu(64, GUIDE("7.x")),
    }};

constexpr TargetModel kSM75 = {
    "sm_75",
    75,
    "Turing (T4, RTX 20)",
    128,
    kSustained,
    {
        /*F32Fma=*/fma(64, GUIDE("7.x")),
        /*PackedFma=*/fma(64, GUIDE("7.x") ": 128 half results"),
        /*PackedFmaB=*/
        fma(64,
            "no bf16x2 arithmetic on this chip; the f16x2 figure stands in"),
        /*PackedUnary=*/
        fma(64, "rate of f16x2 arithmetic; f16 -> f32 is an HADD2 in SASS"),
        /*PackedMinMax=*/
        alu(64, "no packed min or max on this chip; the f32 figure stands in"),
        /*F32MinMax=*/alu(64, GUIDE("7.x")),
        /*Logic=*/alu(64, GUIDE("7.x")),
        /*IntMul=*/fma(64, GUIDE("7.x")),
        /*Convert=*/xu(16, GUIDE("7.x")),
        /*Sfu=*/xu(16, GUIDE("7.x")),
        /*IntAdd=*/alu(64, GUIDE("7.x")),
    }};

constexpr TargetModel kSM80 = {
    "sm_80",
    80,
    "Ampere (A100)",
    128,
    kSustained,
    {
        /*F32Fma=*/fma(64, GUIDE("8.0")),
        /*PackedFma=*/fma(128, GUIDE("8.0") ": 256 half results"),
        /*PackedFmaB=*/fma(64, GUIDE("8.0") ": 128 bfloat16 results"),
        /*PackedUnary=*/
        fma(64, "rate of bf16x2 arithmetic, as which it is encoded in SASS"),
        /*PackedMinMax=*/
        alu(64, "f32 figure; no public figure for packed forms"),
        /*F32MinMax=*/alu(64, GUIDE("8.0")),
        /*Logic=*/alu(64, GUIDE("8.0")),
        /*IntMul=*/fma(64, GUIDE("8.0")),
        /*Convert=*/
        alu(64, "ALU pipe by the Nsight Compute documentation; its rate"),
        /*Sfu=*/xu(16, GUIDE("8.0")),
        /*IntAdd=*/alu(64, GUIDE("8.0")),
    }};

constexpr TargetModel kSM86 = {
    "sm_86",
    86,
    "Ampere (A10, A40, RTX 30)",
    128,
    kSustained,
    {
        /*F32Fma=*/fma(128, GUIDE("8.6")),
        /*PackedFma=*/fma(64, GUIDE("8.6") ": 128 half results"),
        /*PackedFmaB=*/fma(64, GUIDE("8.6") ": 128 bfloat16 results"),
        /*PackedUnary=*/
        fma(64, "rate of bf16x2 arithmetic, as which it is encoded in SASS"),
        /*PackedMinMax=*/
        alu(64, "f32 figure; no public figure for packed forms"),
        /*F32MinMax=*/alu(64, GUIDE("8.6")),
        /*Logic=*/alu(64, GUIDE("8.6")),
        /*IntMul=*/fma(64, GUIDE("8.6")),
        /*Convert=*/
        alu(64, "ALU pipe by the Nsight Compute documentation; its rate"),
        /*Sfu=*/xu(16, GUIDE("8.6")),
        /*IntAdd=*/alu(64, GUIDE("8.6")),
    }};

constexpr TargetModel kSM89 = {
    "sm_89",
    89,
    "Ada (L4, L40, RTX 40)",
    128,
    kSustained,
    {
        /*F32Fma=*/fma(128, GUIDE("8.9")),
        /*PackedFma=*/fma(64, GUIDE("8.9") ": 128 half results"),
        /*PackedFmaB=*/fma(64, GUIDE("8.9") ": 128 bfloat16 results"),
        /*PackedUnary=*/
        fma(64, "rate of bf16x2 arithmetic, as which it is encoded in SASS"),
        /*PackedMinMax=*/
        alu(64, "f32 figure; no public figure for packed forms"),
        /*F32MinMax=*/alu(64, GUIDE("8.9")),
        /*Logic=*/alu(64, GUIDE("8.9")),
        /*IntMul=*/fma(64, GUIDE("8.9")),
        /*Convert=*/
        alu(64, "ALU pipe by the Nsight Compute documentation; its rate"),
        /*Sfu=*/xu(16, GUIDE("8.9")),
        /*IntAdd=*/alu(64, GUIDE("8.9")),
    }};

constexpr TargetModel kSM90 = {
    "sm_90",
    90,
    "Hopper (H100, H200)",
    128,
    kSustained,
    {
        /*F32Fma=*/fma(128, "measured: 125 a clock"),
        /*PackedFma=*/
        fma(128, "measured: 123 a clock, HFMA2 and HFMA2.MMA in turn"),
        /*PackedFmaB=*/
        fma(128, "measured: 123 a clock, HFMA2 and HFMA2.MMA in turn"),
        /*PackedUnary=*/
        fma(64, "measured: 64 a clock, only one half of the packed pipe"),
        /*PackedMinMax=*/
        alu(64, "measured: 64 a clock, min and max alternating; ptxas folds a "
                "loop of one min"),
        /*F32MinMax=*/alu(64, "measured: 63 a clock"),
        /*Logic=*/alu(64, "measured: 63 a clock"),
        /*IntMul=*/fma(64, "measured: 64 a clock"),
        /*Convert=*/alu(64, "measured: 63 a clock"),
        /*Sfu=*/xu(16, "measured: 16 a clock"),
        /*IntAdd=*/
        alu(128,
            "measured: 124 a clock, as ptxas spreads them over the ALU and "
            "the FMA pipe"),
    }};

constexpr TargetModel kSM100 = {"sm_100",
                                100,
                                "Blackwell (B200)",
                                128,
                                kSustained,
                                {
                                    /*F32Fma=*/fma(128, "128 f32 units"),
                                    /*PackedFma=*/fma(128, ASSUMED("sm_90")),
                                    /*PackedFmaB=*/fma(128, ASSUMED("sm_90")),
                                    /*PackedUnary=*/fma(64, ASSUMED("sm_90")),
                                    /*PackedMinMax=*/alu(64, ASSUMED("sm_90")),
                                    /*F32MinMax=*/alu(64, ASSUMED("sm_90")),
                                    /*Logic=*/alu(64, ASSUMED("sm_90")),
                                    /*IntMul=*/fma(64, ASSUMED("sm_90")),
                                    /*Convert=*/alu(64, ASSUMED("sm_90")),
                                    /*Sfu=*/xu(16, ASSUMED("sm_90")),
                                    /*IntAdd=*/alu(128, ASSUMED("sm_90")),
                                }};

constexpr TargetModel kSM103 = {
    "sm_103",
    103,
    "Blackwell Ultra (B300)",
    128,
    kSustained,
    {
        /*F32Fma=*/fma(128, ASSUMED("sm_100")),
        /*PackedFma=*/fma(128, ASSUMED("sm_100")),
        /*PackedFmaB=*/fma(128, ASSUMED("sm_100")),
        /*PackedUnary=*/fma(64, ASSUMED("sm_100")),
        /*PackedMinMax=*/alu(64, ASSUMED("sm_100")),
        /*F32MinMax=*/alu(64, ASSUMED("sm_100")),
        /*Logic=*/alu(64, ASSUMED("sm_100")),
        /*IntMul=*/fma(64, ASSUMED("sm_100")),
        /*Convert=*/alu(64, ASSUMED("sm_100")),
        /*Sfu=*/
        xu(32, "NVIDIA states twice Blackwell's exponential throughput for "
               "Blackwell Ultra; assumed for all special functions"),
        /*IntAdd=*/alu(128, ASSUMED("sm_100")),
    }};

constexpr TargetModel kSM120 = {"sm_120",
                                120,
                                "Blackwell (RTX 50, RTX PRO)",
                                128,
                                kSustained,
                                {
                                    /*F32Fma=*/fma(128, "128 f32 units"),
                                    /*PackedFma=*/fma(64, ASSUMED("sm_89")),
                                    /*PackedFmaB=*/fma(64, ASSUMED("sm_89")),
                                    /*PackedUnary=*/fma(64, ASSUMED("sm_89")),
                                    /*PackedMinMax=*/alu(64, ASSUMED("sm_89")),
                                    /*F32MinMax=*/alu(64, ASSUMED("sm_89")),
                                    /*Logic=*/alu(64, ASSUMED("sm_89")),
                                    /*IntMul=*/fma(64, ASSUMED("sm_89")),
                                    /*Convert=*/alu(64, ASSUMED("sm_89")),
                                    /*Sfu=*/xu(16, ASSUMED("sm_89")),
                                    /*IntAdd=*/alu(64, ASSUMED("sm_89")),
                                }};

#undef GUIDE
#undef ASSUMED

} // namespace

const std::vector<const TargetModel *> &poly::allTargets() {
  static const std::vector<const TargetModel *> targets = {
      &kSM70, &kSM75,  &kSM80,  &kSM86, &kSM89,
      &kSM90, &kSM100, &kSM103, &kSM120};
  return targets;
}

const TargetModel *poly::findTarget(std::string_view chip) {
  // sm_90a and sm_100f have the pipes of their base. The suffix 'a' exists from
  // sm_90 on, 'f' from sm_100 on.
  unsigned firstSm = 0;
  if (!chip.empty() && (chip.back() == 'a' || chip.back() == 'f')) {
    firstSm = chip.back() == 'a' ? 90 : 100;
    chip.remove_suffix(1);
  }
  for (const TargetModel *target : allTargets())
    if (target->chip == chip && target->sm >= firstSm)
      return target;
  return nullptr;
}

std::string poly::knownChips() {
  std::string text;
  for (const TargetModel *target : allTargets()) {
    if (!text.empty())
      text += ", ";
    text += target->chip;
  }
  return text;
}
