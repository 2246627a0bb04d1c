//===- Exponentials.h - Builders of exponential programs -------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Two schemes for 2^x and e^x that need no special function unit.
///
/// Polynomials: x = n + f with n = floor(x); a short polynomial p(f) with
/// p(0) = 1 and p(1) = 2 after all roundings, so that the pieces join at every
/// integer; then n is added to the exponent field.
///
/// Lattices: x is rounded to a multiple of 2^-k and its bits become the
/// exponent and the upper k mantissa bits of the result, that is S(q) =
/// 2^floor(q) (1 + q - floor(q)) at q = 2^-k round(2^k x). S is the
/// construction of N. Schraudolph, "A fast, compact approximation of the
/// exponential function" (1999), without its offset; k = 1 is the Rowmax-H15
/// operator of arXiv:2609.33586.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_EXPONENTIALS_H
#define POLY_PROGRAM_EXPONENTIALS_H

#include "poly/Program/Program.h"

#include <vector>

namespace poly {

/// 2^x or e^x.
inline bool isExponential(Function function) {
  return function == Function::Exp || function == Function::Exp2;
}

/// How p(f) is written.
enum class ExpCore : uint8_t {
  Horner, ///< 1 + f (c1 + f (c2 + ...)).
  Hinge,  ///< 1 + c1 f + c2 max(f - 1/2, 0).
};

struct ExpPolynomialSpec {
  Function function = Function::Exp2; ///< Or Exp.
  ExpCore core = ExpCore::Horner;
  /// c0 = 1, c1, ...; representable in `arithmetic`.
  std::vector<double> coefficients;
  /// Name of p: "d3", "hinge", "d3free".
  std::string form;
  /// Format that p is evaluated in. F32, or a 16-bit format: then n and f are
  /// found in f32 (16-bit arguments: in their own format), f is rounded and two
  /// lanes share p.
  Format arithmetic = Format::F32;
  Format from = Format::F32;
  Format to = Format::F32;
  /// For softmax weights: NaN gives +0 and arguments must not be above 127.75
  /// (arithmetic in f16: 15.75). Otherwise NaN stays NaN and large arguments
  /// give +Inf, which takes two or three more instructions. Arithmetic in 16
  /// bits is for weights only.
  bool weight = false;
  std::string provenance;
};

/// p alone: 2^f for f in [0, 1], in one format.
Program buildExpCore(ExpCore core, const std::vector<double> &coefficients,
                     Format format);

/// Below the smallest normal number 2^m results of weight programs fall on a
/// line to exactly +0 at m - 1, and from there down, -Inf included; the other
/// programs flush them to +0. Named
/// "<function>-<form>[weight|packed]-[f32-]<result type>".
Program buildExpPolynomial(const ExpPolynomialSpec &spec);

/// How a lattice program keeps its argument inside the exponent range.
enum class LatticeClamp : uint8_t {
  Max,  ///< One max an element; NaN gives +0. Arguments must not be above the
        ///< format's range.
  Sat,  ///< One fma.sat an element, on the fma pipe: both ends saturate, to +0
        ///< and +Inf; NaN gives +0. Moves the lattice's edges by 2^-16 octave.
  Bare, ///< None: arguments must not be below the range either.
};

/// How two 16-bit results are brought into one register.
enum class LatticeAssembly : uint8_t {
  Prmt, ///< One byte permutation and, unless k is the format's mantissa, one
        ///< shift.
  Mad,  ///< Two integer multiply-adds; k below the format's mantissa.
};

struct LatticeSpec {
  Function function = Function::Exp2; ///< Or Exp.
  /// 2^k steps an octave: 0 to 13 with f32 results, 0 to the mantissa bits of a
  /// 16-bit result, exactly the mantissa bits of an 8-bit one; with f16
  /// arguments and arithmetic at most 5.
  unsigned steps = 1;
  Format from = Format::F32; ///< F32 or F16.
  Format to = Format::F32;
  LatticeClamp clamp = LatticeClamp::Max;
  LatticeAssembly assembly = LatticeAssembly::Prmt;
};

/// -Inf and everything down from the first power of two below the normal range
/// give exactly +0. 8-bit results: four elements in one register, f32 arguments
/// are rounded to f16 first, one fma.relu a pair clamps below, NaN stays NaN.
/// Named "<function>-<form>-[from-]<result type>", the form "h15" (k = 1),
/// "lattice<k>", followed by "sat" or "bare" and by "mad".
Program buildLattice(const LatticeSpec &spec);

/// Rowmax-PoT of arXiv:2609.33586, Eq. (20): 2^-d with
/// d = min(K, floor(1/2 - x)), x <= 0; f32. With \p drop, weights whose
/// floor(1/2 - x) is above K are +0.
Program buildPowerOfTwo(unsigned tail, bool drop);

} // namespace poly

#endif // POLY_PROGRAM_EXPONENTIALS_H
