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

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace poly {

/// How a polynomial program saturates its argument.
enum class ClampKind : uint8_t {
  XorSign, ///< One min.NaN.xorsign.abs (sm_86 and later).
  MinMax,  ///< min.NaN and max.NaN (sm_80).
};

/// How a function is put together from a polynomial q of the reduced argument.
/// With y = clamp(x, -L, L) and v = |y| or y^2:
enum class Reduction : uint8_t {
  Odd,        ///< y q(v): tanh.
  Complement, ///< 1/2 + y q(v): f(-x) = 1 - f(x), such as sigmoid.
  Gate,       ///< x (1/2 + y q(v)): x times such a function, as silu.
  Even,       ///< q(v): f(-x) = f(x), the derivatives of odd functions.
  Whole,      ///< q(clamp(x, L', L)): no symmetry.
};

std::string_view name(Reduction reduction);
bool parse(std::string_view text, Reduction &reduction);

/// The reduction of a function with a name; Whole for Custom.
Reduction reductionOf(Function function);

/// Whether the function is nowhere negative; Gate: its sigmoid-like factor. A
/// packed program's last fma then carries .relu.
bool isNonNegative(Function function);

/// A range-reduced polynomial. The last fma of a function that is nowhere
/// negative carries .relu in the packed formats, so that an endpoint value that
/// rounds 1/2 + L q(L) to 1 and is at least 1/2 saturates to exactly 0 and
/// exactly 1.
struct PolynomialSpec {
  Function function = Function::Sigmoid;
  bool odd = false; ///< q takes y^2 (odd and even polynomials), not |y|.
  Format format = Format::BF16; ///< Of the arithmetic; see also `to`.
  /// Saturates exactly. A free tail, off by at most the error bound, lets the
  /// polynomial be closer elsewhere; only part of the name, not checked here.
  bool exactTail = true;
  /// L, representable in the format; 0 for none. Of even polynomials in y^2 it
  /// is the square that is clamped, and this is L^2.
  double clamp = 0;
  std::vector<double> coefficients; ///< Of q, ascending; representable.
  std::string provenance;

  /// Of Custom; other functions have the one of reductionOf().
  Reduction reduction = Reduction::Whole;
  double clampLow = 0; ///< L' of Whole.
  /// Two pieces: q has these coefficients where |y| (Whole: y) is at least
  /// `breakpoint`, picked lane by lane with a mask. Empty: one piece.
  std::vector<double> upper;
  double breakpoint = 0;
  /// The result is q to the power 2^squarings: relative accuracy over many
  /// octaves. Whole only.
  unsigned squarings = 0;
  /// Not 0: q takes |y| - center. Far from 0 the terms of a high degree cancel,
  /// and their roundings do not. Not with y^2, not in Whole, not in two pieces.
  double center = 0;
  /// Not 0: q is multiplied by fma(y, y, -root^2), so that the result is exact
  /// next to its zeros at -root and root. Odd and even polynomials in y^2, of
  /// one piece, without a clamp.
  double root = 0;
  /// The format of the results where it is not that of the arithmetic: bf16
  /// around f16, or a 16-bit format around f32.
  std::optional<Format> to;

  // Of ProgramInfo.
  double parameter = 0;
  std::string expression, definition;
  double domainLow = -std::numeric_limits<double>::infinity();
  double domainHigh = std::numeric_limits<double>::infinity();
};

/// The reduction of the spec's function.
Reduction reductionOf(const PolynomialSpec &spec);
/// The format of the spec's results.
inline Format resultFormat(const PolynomialSpec &spec) {
  return spec.to ? *spec.to : spec.format;
}

/// The scheme and the degree of the polynomial: "half3" (in |y|), "odd5" and
/// "even4" (in y^2), "whole3"; then "c" around a center, "r" with a root,
/// "x2" with two pieces, "pow8" for the eighth
/// power, "f16" and "f32" for the arithmetic inside narrower results, "free"
/// with a free tail.
std::string formName(const PolynomialSpec &spec);

/// Whether programs of the spec differ by ClampKind.
bool hasSignedClamp(const PolynomialSpec &spec);

/// Builds the program; \p from is the format of the arguments (the format of
/// the results, or F32: then two f32 are packed first and roundsInput is set;
/// with f32 arithmetic no argument is rounded and 16-bit results are packed
/// last).
Program buildPolynomial(const PolynomialSpec &spec, Format from,
                        ClampKind clamp, std::string name = {});

/// The value and the derivative of one argument that share the reduction.
enum class Coupling : uint8_t {
  /// s' = s (1 - s); silu' = s + silu (1 - s); tanh' = 1 - tanh^2.
  Algebraic,
  /// sin and cos of turns share x^2.
  SinCos,
};

/// Whether Coupling::Algebraic is the derivative of \p function.
bool hasAlgebraicDerivative(Function function);

struct CoupledSpec {
  PolynomialSpec value;
  Coupling coupling = Coupling::Algebraic;
  /// SinCos: the cosine in x^2.
  std::vector<double> second;
};

/// A program with two results: the value and the derivative (SinCos: the
/// cosine), named "<function>-coupled-<form>-[f32-]<type>".
Program buildCoupled(const CoupledSpec &spec, Format from, ClampKind clamp);

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
  /// GELU by the normal distribution: with t = |x| and r = 1 / (1 + slope t),
  /// Phi(-t) = 2^(-t^2 log2(e) / 2) r q(r), q ascending.
  std::vector<double> normal;
  double slope = 0;
  /// SigmoidShift: n.
  double parameter = 0;
  /// Sfu tanh with an f32 result: q with tanh(x) = x + x^3 q(x^2) where
  /// |x| < kTanhOrigin, ascending in x^2.
  std::vector<double> origin;
  std::string provenance;
};

/// Below this |x| the f32 tanh is a polynomial: 1 - e cancels there.
constexpr double kTanhOrigin = 0.5;

/// Builds the program, named "<function>-<form>-[f32-]<result type>".
Program buildSfu(const SfuSpec &spec);

/// Whether an SFU program exists for the function, form and result format.
bool hasSfuForm(Function function, SfuForm form, Format to);

namespace detail {
/// One f32 lane of GELU, of a derivative or of a shifted sigmoid.
NodeId buildSfuLane(ProgramBuilder &b, const SfuSpec &spec, NodeId x);
/// 2^-shift / (1 + 2^-shift e), for e scaled by 2^shift as sfuShift() says: by
/// the reciprocal unit, or Ex2Poly's polynomial.
NodeId buildSfuReciprocal(ProgramBuilder &b, const SfuSpec &spec, NodeId e);
/// The power of two by which e is scaled so that no result flushes.
int sfuShift(const SfuSpec &spec);
} // namespace detail

} // namespace poly

#endif // POLY_PROGRAM_SCHEMES_H
