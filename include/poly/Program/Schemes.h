//===- Schemes.h - Builders of polynomial and SFU programs -----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The evaluation schemes that the functions' programs are built from.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_SCHEMES_H
#define POLY_PROGRAM_SCHEMES_H

#include "poly/Program/Program.h"

#include <vector>

namespace poly {

/// How a polynomial program saturates its argument.
enum class ClampKind : uint8_t {
  XorSign, ///< One min.NaN.xorsign.abs (sm_86 and later).
  MinMax,  ///< min.NaN and max.NaN (sm_80).
};

/// A range-reduced polynomial in packed 16-bit arithmetic. With
/// y = clamp(x, -L, L) the odd part of the function is
///   half:  y * q(|y|)      q of degree degree-1 in |y|
///   odd:   y * q(y^2)
/// and the function is that (tanh), 1/2 plus that (sigmoid), or x times the
/// sigmoid (silu). Sigmoid's last fma carries .relu, so an endpoint value
/// q(L) * L in [1/2, 1/2 + 2^-9) saturates to exactly 0 and exactly 1.
struct PolynomialSpec {
  Function function = Function::Sigmoid;
  bool odd = false;           ///< false: half-domain.
  Format format = Format::BF16; ///< Arithmetic and result format.
  double clamp = 0;           ///< L, representable in the format.
  std::vector<double> coefficients; ///< Of q, ascending; representable.
  std::string provenance;
};

/// "half3" or "odd5": the scheme and the degree of y * q.
std::string formName(const PolynomialSpec &spec);

/// Builds the program; \p from is the format of the arguments (the spec's own
/// format, or F32: then two f32 are packed first and roundsInput is set).
Program buildPolynomial(const PolynomialSpec &spec, Format from,
                        ClampKind clamp, std::string name = {});

} // namespace poly

#endif // POLY_PROGRAM_SCHEMES_H
