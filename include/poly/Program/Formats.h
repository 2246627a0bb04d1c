//===- Formats.h - Conversions between float formats -----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Exact decoding and round-to-nearest-even encoding of f32, bf16, f16 and
/// 8-bit patterns, from double and from exact sums, with PTX's canonical NaNs.
/// The 8-bit formats saturate to their largest number, as PTX's conversions do.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_FORMATS_H
#define POLY_PROGRAM_FORMATS_H

#include "poly/Program/Program.h"

namespace poly {

struct FormatTraits {
  int mantissaBits; ///< Stored fraction bits.
  int exponentBits;
  int minExponent; ///< Exponent of the smallest normal number.
  int maxExponent; ///< Exponent of the largest finite number.
  uint32_t signMask;
  uint32_t infinity;     ///< Pattern of +Inf; e4m3: of its largest number.
  uint32_t canonicalNaN; ///< What PTX arithmetic returns for NaN.
};

const FormatTraits &traits(Format format);

/// The value of a bit pattern; every number of the formats is a double.
double decode(Format format, uint32_t bits);

/// Rounds to nearest, ties to even, once, from the double. Overflow gives Inf,
/// subnormal results are kept, any NaN becomes the canonical one.
uint32_t encode(Format format, double value);

/// Rounds the exact value \p high + \p low once, where |low| <= ulp(high)/2:
/// the error-free result of a two-sum.
uint32_t encodeSum(Format format, double high, double low);

bool isNaN(Format format, uint32_t bits);
bool isInf(Format format, uint32_t bits);

/// The spacing of the format at |value|: one ulp; subnormal spacing below the
/// smallest normal.
double ulp(Format format, double value);

} // namespace poly

#endif // POLY_PROGRAM_FORMATS_H
