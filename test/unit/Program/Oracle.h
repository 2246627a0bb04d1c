//===- Oracle.h - Independent arithmetic for tests --------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Correct rounding by MPFR, with decoding and encoding written from the
/// definition of the formats. Shares no code with lib/Program.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_UNIT_PROGRAM_ORACLE_H
#define POLY_TEST_UNIT_PROGRAM_ORACLE_H

#include "poly/Program/Program.h"

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace poly::oracle {

struct Layout {
  int exponentBits, mantissaBits;
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
};

inline Layout layout(Format format) {
  switch (format) {
  case Format::F32:
    return {8, 23};
  case Format::BF16:
    return {8, 7};
  case Format::F16:
    return {5, 10};
  case Format::E4M3: // But for its missing infinity.
    return {4, 3};
  case Format::E5M2:
    return {5, 2};
  }
  return {};
}

inline double decode(Format format, uint32_t bits) {
  Layout l = layout(format);
  uint32_t mantissa = bits & ((1u << l.mantissaBits) - 1);
  int exponent = int(bits >> l.mantissaBits) & ((1 << l.exponentBits) - 1);
  bool negative = (bits >> (l.mantissaBits + l.exponentBits)) & 1;
  double value;
  if (exponent == (1 << l.exponentBits) - 1)
    value = mantissa ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(double(mantissa), 1 - l.bias() - l.mantissaBits);
  else
    value = std::ldexp(double(mantissa + (1u << l.mantissaBits)),
                       exponent - l.bias() - l.mantissaBits);
  return negative ? -value : value;
}

/// The pattern of a double that the format holds exactly; NaN is canonical.
inline uint32_t pattern(Format format, double value) {
  Layout l = layout(format);
  uint32_t sign = uint32_t(std::signbit(value))
                  << (l.mantissaBits + l.exponentBits);
  uint32_t infinity = ((1u << l.exponentBits) - 1) << l.mantissaBits;
  if (std::isnan(value))
    return infinity | ((1u << l.mantissaBits) - 1);
  if (std::isinf(value))
    return sign | infinity;
  if (value == 0)
    return sign;
  int minExponent = 1 - l.bias();
  int exponent = std::ilogb(value);
  if (exponent < minExponent)
    exponent = minExponent;
  uint32_t integer =
      uint32_t(std::ldexp(std::fabs(value), l.mantissaBits - exponent));
  // The implicit bit, when there is one, carries into the exponent.
  return sign + (uint32_t(exponent - minExponent) << l.mantissaBits) + integer;
}

/// MPFR set up to round as the format does.
class Rounder {
public:
  explicit Rounder(Format format) : format(format) {
    Layout l = layout(format);
    oldMin = mpfr_get_emin();
    oldMax = mpfr_get_emax();
    mpfr_init2(result, l.mantissaBits + 1);
    for (auto *x : {a, b, c})
      mpfr_init2(x, 53);
    // MPFR's significands lie in [1/2, 1).
    mpfr_set_emin(1 - l.bias() - l.mantissaBits + 1);
    mpfr_set_emax(l.bias() + 1);
  }
  ~Rounder() {
    for (auto *x : {a, b, c, result})
      mpfr_clear(x);
    mpfr_set_emin(oldMin);
    mpfr_set_emax(oldMax);
  }
  Rounder(const Rounder &) = delete;

  uint32_t fma(double x, double y, double z) {
    set(x, y, z);
    return finish(mpfr_fma(result, a, b, c, MPFR_RNDN));
  }
  uint32_t mul(double x, double y) {
    set(x, y, 0);
    return finish(mpfr_mul(result, a, b, MPFR_RNDN));
  }
  uint32_t add(double x, double y) {
    set(x, y, 0);
    return finish(mpfr_add(result, a, b, MPFR_RNDN));
  }
  uint32_t sub(double x, double y) {
    set(x, y, 0);
    return finish(mpfr_sub(result, a, b, MPFR_RNDN));
  }

private:
  void set(double x, double y, double z) {
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    mpfr_set_d(c, z, MPFR_RNDN);
  }
  uint32_t finish(int ternary) {
    mpfr_subnormalize(result, ternary, MPFR_RNDN);
    return pattern(format, mpfr_get_d(result, MPFR_RNDN));
  }

  Format format;
  mpfr_exp_t oldMin, oldMax;
  mpfr_t a, b, c, result;
};

} // namespace poly::oracle

#endif // POLY_TEST_UNIT_PROGRAM_ORACLE_H
