//===- AttentionGates.h - What weights of 8 bits must be --------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What results of attention are held to, and checks of the weights themselves,
/// read back through values that are one for a single key; of which rows are
/// NaN; and of a long sum's bias. They need no GPU. Each check gives "" or what
/// is wrong.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_ATTENTIONGATES_H
#define POLY_BENCH_ATTENTIONGATES_H

#include "poly/Program/Program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace poly::bench {

/// What the limits of a kernel's results depend on.
struct AttentionForm {
  bool areFloat8 = false;
  bool hasRunningSum = false;
  /// Of the weights of a softmax; null for exp2 itself, and for other scores.
  const Program *exponential = nullptr;
  /// Where the suite states one, the largest relative error; 0 otherwise.
  double statedLimit = 0;
};

/// The relative error that the results may have as a whole.
double errorLimit(const AttentionForm &form);
/// How far each log-sum-exp may be off. A weight off by a factor 1 + e moves it
/// by at most e.
double logSumExpLimit(const AttentionForm &form);
/// How far \p rows rows may be, as a relative norm, from what the kernel's
/// program computes.
double operatorLimit(bool areFloat8, size_t rows);
/// The octaves that weights which were read back may spread over.
double readBackLimit(const Program *program);
/// Whether the relative bias of a sum over \p keys keys is small enough.
std::string checkBias(double bias, const std::string &score, int64_t keys);
/// The distance of two log-sum-exps; infinite unless both are numbers or the
/// same infinity.
double logSumExpDistance(double found, double truth);

/// Whether kernels that are promised bounded scores can compute exponents of
/// scores up to \p octaves without a clamp.
bool fitsExponents(bool areFloat8, double octaves);

/// Octaves between the least and the greatest ratio of a weight, as an e4m3, to
/// the true one, over an octave of exponents. \p program computes it; null is
/// exp2 itself.
double weightOctaves(const Program *program);
/// Whether the weight of a NaN is NaN.
bool keepsNaN(const Program *program);

/// Of one row, a number for each key.
using Weights = std::vector<double>;

/// \p found against \p truth, both rows of weights, of a softmax. Rows sum to
/// one, the greatest score has the greatest weight, and the ratios of those
/// within seven octaves of it spread over at most \p allowed octaves;
/// \p octaves says over how many. Rows without keys are zero.
std::string checkWeights(const std::vector<Weights> &found,
                         const std::vector<Weights> &truth, double allowed,
                         double &octaves);

/// Whether exactly the rows of \p expected hold something that is no number.
std::string checkNotNumbers(const std::vector<bool> &found,
                            const std::vector<bool> &expected,
                            const std::string &what);

/// The mean of \p found's relative errors.
double biasOf(const std::vector<double> &found,
              const std::vector<double> &truth);

} // namespace poly::bench

#endif // POLY_BENCH_ATTENTIONGATES_H
