//===- Certify.h - What a Program does on every input ----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_CERTIFY_H
#define POLY_PROGRAM_CERTIFY_H

#include "poly/Program/Program.h"

#include <string>

namespace poly {

/// The real function, to double precision (a few double ulps). \p parameter is
/// that of ProgramInfo. NaN for Custom, which has no meaning alone.
double reference(Function function, double x, double parameter = 0);

/// The function that a program with this description approximates.
double reference(const ProgramInfo &info, double x);

/// An accuracy request. A result y' for the true y is accepted when
///   |y' - y| <= max(atol, rtol * max(|y|, m), ulps * ulp(y)),
/// ulp and the smallest normal number m taken in the result's format: below m
/// no format holds a relative error. Zero means "not asked for".
struct Accuracy {
  double atol = 0;
  double rtol = 0;
  double ulps = 0;
};

/// Parses "atol=1e-2,rtol=1e-3,ulps=1" (any non-empty subset). Returns false
/// and a message on a syntax error, a negative, non-finite or all-zero budget.
bool parseAccuracy(std::string_view text, Accuracy &accuracy,
                   std::string &error);
std::string toString(const Accuracy &accuracy);

/// How a Program treats the inputs that arithmetic treats specially, as bit
/// patterns of the result format.
struct SpecialValues {
  uint32_t atNaN, atPosInf, atNegInf, atPosZero, atNegZero;
  bool operator==(const SpecialValues &other) const {
    return atNaN == other.atNaN && atPosInf == other.atPosInf &&
           atNegInf == other.atNegInf && atPosZero == other.atPosZero &&
           atNegZero == other.atNegZero;
  }
};

/// The contract of a Program over its tested inputs. Errors are against the
/// real function, over finite inputs of the program's domain; the true result
/// decides the ulp.
struct Certificate {
  uint64_t inputs = 0;     ///< Finite inputs evaluated.
  bool exhaustive = false; ///< Every argument the program is for.
  /// The program contains special-function-unit nodes: errors are the worst of
  /// the model and of all corners of the unit's bounds (SfuModel.h); monotone,
  /// symmetric and special speak of the model.
  bool sfuModel = false;
  double maxAbs = 0, worstAbsInput = 0;
  /// Relative error over inputs whose true result is a normal number.
  double maxRel = 0, worstRelInput = 0;
  double maxUlp = 0, worstUlpInput = 0;
  bool monotone = false; ///< Never decreases; always false where the function
                         ///< itself does (FunctionTraits).
  /// Odd and even functions: bit for bit. f(-x) = 1 - f(x): within one ulp at
  /// 1. False for functions without a symmetry.
  bool symmetric = false;
  bool propagatesNaN = false;
  SpecialValues special = {};
  /// Exponentials: the least and the greatest log2(result / truth) over inputs
  /// whose true result is a normal number; otherwise 0.
  double octaveLow = 0, octaveHigh = 0;
};

/// Evaluates the program on every input of a 16-bit argument format, or on a
/// fixed dense set with all special values for f32: every 16-bit-valued input
/// of bf16 and f16 and \p f32Samples patterns spread evenly over all exponents.
/// A program that rounds its f32 arguments is evaluated on every value of the
/// format it rounds to: other arguments are the rounding's error, not its own.
Certificate certify(const Program &program, unsigned f32Samples = 1u << 18);

/// True when every input of certify()'s set meets \p accuracy; otherwise the
/// first offending input is stored in \p offender (if not null).
bool meets(const Program &program, const Accuracy &accuracy,
           double *offender = nullptr, unsigned f32Samples = 1u << 18);

} // namespace poly

#endif // POLY_PROGRAM_CERTIFY_H
