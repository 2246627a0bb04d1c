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
/// q(L) * L that rounds 1/2 + L q(L) to 1 and is at least 1/2 saturates to
/// exactly 0 and exactly 1.
struct PolynomialSpec {
  Function function = Function::Sigmoid;
  bool odd = false;             ///< false: half-domain.
  Format format = Format::BF16; ///< Arithmetic and result format.
  /// Saturates exactly. A free tail, off by at most the error bound, lets the
  /// polynomial be closer elsewhere; only part of the name, not checked here.
  bool exactTail = true;
  double clamp = 0;                 ///< L, representable in the format.
  std::vector<double> coefficients; ///< Of q, ascending; representable.
  std::string provenance;
};

/// "half3" or "odd5": the scheme and the degree of y * q; "half4free" with a
/// free tail.
std::string formName(const PolynomialSpec &spec);

/// Builds the program; \p from is the format of the arguments (the spec's own
/// format, or F32: then two f32 are packed first and roundsInput is set).
Program buildPolynomial(const PolynomialSpec &spec, Format from,
                        ClampKind clamp, std::string name = {});

/// How a program with special-function-unit instructions computes.
enum class SfuForm : uint8_t {
  Sfu,        ///< ex2 and rcp in f32, guard-free: no slow path, no lost tail.
  Tanh32,     ///< tanh.approx.f32.
  TanhPacked, ///< tanh.approx.{bf16x2,f16x2}.
  Ex2Poly,    ///< One ex2 an element; 1/(1+e) is a short f32 polynomial.
};

std::string_view name(SfuForm form);

/// An SFU program. 16-bit results come two lanes at a time, f32 results one at
/// a time. TanhPacked has no f32 result and Ex2Poly none either (at f32
/// accuracy the polynomial costs more than the reciprocal it saves).
struct SfuSpec {
  Function function = Function::Sigmoid;
  SfuForm form = SfuForm::Sfu;
  Format from = Format::F32;
  Format to = Format::F32; ///< from == to, or from == F32.
  /// Ex2Poly: 1/(1+e) on [0, 1], ascending in e.
  std::vector<double> reciprocal;
  /// Sfu tanh with an f32 result: q with tanh(x) = x + x^3 q(x^2) where
  /// |x| < kTanhOrigin, ascending in x^2.
  std::vector<double> origin;
  std::string provenance;
};

/// Below this |x| the f32 tanh is a polynomial: 1 - e cancels there.
constexpr double kTanhOrigin = 0.5;

/// Builds the program, named "<function>-<form>-[f32-]<result type>".
Program buildSfu(const SfuSpec &spec);

} // namespace poly

#endif // POLY_PROGRAM_SCHEMES_H
