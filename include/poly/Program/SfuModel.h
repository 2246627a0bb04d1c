//===- SfuModel.h - Model of the special function unit ---------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The instructions of the special function unit are approximations whose bits
/// NVIDIA does not specify. The model returns the correctly rounded result of
/// the real function with the flushing and special values that the PTX ISA
/// documents. A chip may differ from it by the error the PTX ISA documents:
/// ex2.approx.f32 2 ulp, rcp.approx.f32 1 ulp, tanh.approx.f32 a relative error
/// of 2^-11, tanh.approx.f16 2^-10.987 absolute, tanh.approx.bf16 2^-8
/// absolute, sin.approx.f32 and cos.approx.f32 2^-20.5 absolute between -2 pi
/// and 2 pi.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_SFUMODEL_H
#define POLY_PROGRAM_SFUMODEL_H

#include "poly/Program/Program.h"

#include <cstdint>

namespace poly::sfu {

/// Assumes that every result of a kind of instruction is off the model by its
/// bound: -1 towards zero, +1 away from zero, 0 not at all. Certificates take
/// the worst of all corners, because the model alone would flatter a program.
struct Deviation {
  int ex2 = 0, rcp = 0, tanh = 0;
  /// Of sine and cosine, whose bound is absolute: up or down.
  int trig = 0;

  bool isNone() const { return ex2 == 0 && rcp == 0 && tanh == 0 && trig == 0; }
};

/// The results of \p node, a special function node, moved by their bound in
/// the direction \p deviation gives for its kind. The bounds: ex2.approx.f32 2
/// ulp, rcp.approx.f32 1 ulp and tanh.approx.f32 2^-11 relative (PTX ISA); one
/// ulp for the 16-bit instructions, which no input exceeds on an H200 (for
/// tanh.approx.bf16 the PTX ISA grants 2^-8 absolute); 2^-20.5 for sine and
/// cosine, whose argument must be within [-2 pi, 2 pi]. Zeros, infinities, NaN
/// and the range of tanh stay, and so does the reciprocal of a power of two,
/// which an H200 gives exactly for every one: with e underflowed, x / (1 + e)
/// is x and cannot overflow.
uint32_t deviate(const Node &node, uint32_t bits, const Deviation &deviation);

uint32_t ex2F32(uint32_t bits, bool ftz);
uint32_t rcpF32(uint32_t bits, bool ftz);
uint32_t tanhF32(uint32_t bits);
/// NaN at the infinities; the sine of -0 is -0.
uint32_t sinF32(uint32_t bits);
uint32_t cosF32(uint32_t bits);
/// One 16-bit lane.
uint16_t tanhBF16(uint16_t bits);
uint16_t tanhF16(uint16_t bits);
/// ex2.approx.ftz.bf16: subnormal inputs and results are flushed.
uint16_t ex2BF16(uint16_t bits);
/// ex2.approx.f16 keeps subnormals.
uint16_t ex2F16(uint16_t bits);

} // namespace poly::sfu

#endif // POLY_PROGRAM_SFUMODEL_H
