//===- SfuModel.cpp - Model of the special function unit ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/SfuModel.h"

#include "FormatsImpl.h"

#include <cmath>

using namespace poly::detail;

// The functions below are evaluated in double and rounded once to the result
// format. Double libm results are within one double ulp, so they differ from
// the correctly rounded result only where the real value lies within 2^-29 of
// an f32 spacing from a tie.

namespace {

constexpr uint32_t kSignMask32 = 0x80000000u;

uint32_t flushF32(uint32_t bits) {
  return (bits & 0x7f800000u) == 0 ? bits & kSignMask32 : bits;
}

uint32_t flushBF16(uint32_t bits) {
  return (bits & BF16::infinity) == 0 ? bits & 0x8000u : bits;
}

} // namespace

uint32_t poly::sfu::ex2F32(uint32_t bits, bool ftz) {
  if (ftz)
    bits = flushF32(bits);
  uint32_t result =
      fromFloat(static_cast<float>(std::exp2(double(asFloat(bits)))));
  return ftz ? flushF32(result) : result;
}

uint32_t poly::sfu::rcpF32(uint32_t bits, bool ftz) {
  if (ftz)
    bits = flushF32(bits);
  // A double quotient has more than twice f32's precision, so rounding it again
  // is innocuous.
  uint32_t result = fromFloat(static_cast<float>(1.0 / double(asFloat(bits))));
  return ftz ? flushF32(result) : result;
}

uint32_t poly::sfu::tanhF32(uint32_t bits) {
  return fromFloat(static_cast<float>(std::tanh(double(asFloat(bits)))));
}

uint16_t poly::sfu::tanhBF16(uint16_t bits) {
  return uint16_t(encode16<BF16>(std::tanh(decode16<BF16>(bits))));
}

uint16_t poly::sfu::tanhF16(uint16_t bits) {
  return uint16_t(encode16<F16>(std::tanh(decode16<F16>(bits))));
}

uint16_t poly::sfu::ex2BF16(uint16_t bits) {
  double value = decode16<BF16>(flushBF16(bits));
  return uint16_t(flushBF16(encode16<BF16>(std::exp2(value))));
}

uint16_t poly::sfu::ex2F16(uint16_t bits) {
  return uint16_t(encode16<F16>(std::exp2(decode16<F16>(bits))));
}
