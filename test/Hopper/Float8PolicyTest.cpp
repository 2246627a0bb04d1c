//===- Float8PolicyTest.cpp - What 8-bit attention makes of no numbers ----===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The policy of docs/Attention.md for NaN, infinities, rows without keys and
/// extreme factors, for every way to make weights of 8 bits. Each head of one
/// launch has something else in it, and all others must not notice.
///
//===----------------------------------------------------------------------===//

#include "Float8Attention.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace polytest;
using poly::bench::AttentionReference;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What is wrong in a head.
enum Head : unsigned {
  Clean,
  QueryNaN,
  KeyNaN,
  ValueNaN,
  QueryInfinity,
  KeyInfinity,
  ValueInfinity,
  QueryMinus, ///< Scores of minus infinity in one row.
  ZeroFactor,
  TinyFactor,
  NaNFactor,
  kHeads
};
/// Where. Both keys are hidden from queries that have them in their tile; the
/// later one is in no tile of the first queries.
constexpr unsigned kRow = 37, kKey = 120, kLateKey = 140, kColumn = 5;
/// The first rows see no key.
constexpr Float8Shape kShape = {1, kHeads, kHeads, 150, 147, 1};

struct Kind {
  const char *name;
  std::vector<std::string> kernel, compile;
  /// Whether a NaN's weight is NaN; otherwise zero.
  bool keepsNaN = true;
};
void PrintTo(const Kind &item, std::ostream *stream) { *stream << item.name; }

class Float8Policy : public ::testing::TestWithParam<Kind> {
protected:
  void spoil();
  /// The score of row \p query of \p head with \p key, without scale.
  double score(unsigned head, unsigned query, unsigned key) const;
  void expectRow(unsigned head, unsigned query);

  size_t element(unsigned head, unsigned place) const {
    return (size_t(place) * kHeads + head) * attention->dim;
  }

  HopperKernel kernel;
  std::unique_ptr<Float8Attention> attention;
};

void Float8Policy::spoil() {
  Float8Attention &a = *attention;
  a.q[element(QueryNaN, kRow) + kColumn] = kNaN;
  a.k[element(KeyNaN, kKey) + kColumn] = kNaN;
  a.v[element(ValueNaN, kLateKey) + kColumn] = kNaN;
  a.queryScales[ZeroFactor] = 0;
  // As factors that are kept away from zero are.
  a.queryScales[TinyFactor] = 1e-12f / 448;
  a.queryScales[NaNFactor] = float(kNaN);
  if (kernel.type != poly::Format::E5M2)
    return; // e4m3 has no infinity.
  a.q[element(QueryInfinity, kRow) + kColumn] = kInfinity;
  a.k[element(KeyInfinity, kKey) + kColumn] = -kInfinity;
  a.v[element(ValueInfinity, kKey) + kColumn] = kInfinity;
  a.q[element(QueryMinus, kRow) + kColumn] = -kInfinity;
  for (unsigned key = 0; key < kShape.keys; ++key) {
    double &other = a.k[element(QueryMinus, key) + kColumn];
    other = std::max(std::fabs(other), 0.5);
  }
}

double Float8Policy::score(unsigned head, unsigned query, unsigned key) const {
  const Float8Attention &a = *attention;
  double sum = 0;
  for (unsigned d = 0; d < a.dim; ++d)
    sum += a.q[element(head, query) + d] * a.k[element(head, key) + d];
  return sum * double(a.queryScales[head]);
}

void Float8Policy::expectRow(unsigned head, unsigned query) {
  const Kind &kind = GetParam();
  const Float8Attention &a = *attention;
  // Zero, until a second tile multiplies it by the factor's NaN.
  if (head == NaNFactor && !kind.keepsNaN)
    return;
  std::string where =
      "head " + std::to_string(head) + " row " + std::to_string(query);
  size_t index = size_t(head) * kShape.queries + query;
  const poly::bench::AttentionRow &row = a.rows[index];
  unsigned visible = unsigned(a.problem().visible(query));
  const std::string name = a.problem().score;
  bool isSoftmax = name == "softmax";
  // A softmax multiplies hidden scores, too, which the others leave out.
  bool isLost = isSoftmax && std::isnan(a.queryScales[head]);
  unsigned counted = 0;
  for (unsigned key = 0; key < visible; ++key) {
    double s = score(head, query, key);
    // A softmax's greatest score is subtracted from itself.
    bool isNone = std::isnan(s) || (isSoftmax && s == kInfinity);
    isLost |= isNone;
    counted += !isNone && (name == "softcap" || s != -kInfinity);
  }
  // Products take the keys of whole tiles, hidden ones with weights of zero.
  unsigned tileRows = unsigned(kernel.metadata.integer("queryRows"));
  unsigned tileKeys = unsigned(kernel.metadata.integer("keyRows"));
  unsigned lastRow = query / tileRows * tileRows + tileRows - 1;
  unsigned last = unsigned(a.problem().visible(lastRow));
  last = (std::max(last, 1u) + tileKeys - 1) / tileKeys * tileKeys;
  for (unsigned d = 0; d < a.dim; ++d) {
    bool meetsNone = isLost && kind.keepsNaN;
    for (unsigned key = 0; key < std::min(last, kShape.keys); ++key)
      meetsNone |= !std::isfinite(a.v[element(head, key) + d]);
    ASSERT_EQ(std::isfinite(row.output[d]), !meetsNone)
        << where << " column " << d << ": " << row.output[d];
    // Nothing that counts.
    if (counted == 0 && !meetsNone) {
      ASSERT_EQ(row.output[d], 0) << where;
    }
  }
  if (!a.hasLogs || (isLost && !kind.keepsNaN))
    return;
  double log = row.logSumExp;
  bool isRight = isLost         ? std::isnan(log)
                 : counted == 0 ? log == -kInfinity
                                : std::isfinite(log);
  EXPECT_TRUE(isRight) << where << ": " << log;
}

TEST_P(Float8Policy, HoldsInEveryRow) {
  const Kind &kind = GetParam();
  std::vector<std::string> options = {"attention", "--head-dim=64", "--causal"};
  options.insert(options.end(), kind.kernel.begin(), kind.kernel.end());
  kernel = buildHopperKernel("policy" + std::string(kind.name), options,
                             kind.compile);
  ASSERT_TRUE(kernel.module);
  attention = std::make_unique<Float8Attention>(kernel, kShape);
  spoil();
  ASSERT_EQ(attention->run(), "");
  for (unsigned head = 0; head < kHeads; ++head)
    for (unsigned query = 0; query < kShape.queries; ++query) {
      expectRow(head, query);
      if (HasFatalFailure())
        break;
    }
  // Factors that are nothing weigh all keys alike.
  if (attention->problem().score != "softmax")
    return;
  AttentionReference reference = attention->reference();
  for (unsigned head :
       {unsigned(Clean), unsigned(ZeroFactor), unsigned(TinyFactor)}) {
    std::vector<poly::bench::AttentionRow> found, truth;
    for (unsigned query = 0; query < kShape.queries; ++query) {
      size_t index = size_t(head) * kShape.queries + query;
      found.push_back(attention->rows[index]);
      truth.push_back(reference.truth(int64_t(index)));
    }
    double error = poly::bench::relativeError(found, truth);
    double limit = head != Clean ? 3e-3 : kind.keepsNaN ? 5e-2 : 1.5e-1;
    EXPECT_LE(error, limit) << head;
    EXPECT_GE(error, limit / 3) << head;
  }
}

const Kind kKinds[] = {
    {"nativeOfF32",
     {"--type=e5m2", "--matrix-sum", "--log-sum-exp"},
     {"--policy=off"}},
    {"nativeOfF16",
     {"--type=e5m2", "--matrix-sum", "--log-sum-exp", "--score-bound=2000"},
     {}},
    {"latticeOfF32",
     {"--type=e5m2", "--matrix-sum", "--log-sum-exp"},
     {"--programs=exp2-lattice3-f32-e4m3x4"}},
    {"latticeOfF16",
     {"--type=e5m2", "--matrix-sum", "--log-sum-exp", "--score-bound=2000"},
     {"--programs=exp2-lattice3-f16-e4m3x4"}},
    {"latticeOfE4M3",
     {"--type=e4m3", "--matrix-sum", "--log-sum-exp", "--score-bound=2000"},
     {"--programs=exp2-lattice3-f16-e4m3x4"}},
    {"octaves",
     {"--type=e5m2", "--matrix-sum", "--log-sum-exp"},
     {"--programs=exp2-h15-f32"},
     false},
    {"sigmoid", {"--type=e5m2", "--score=sigmoid"}, {"--policy=off"}},
    {"softcap",
     {"--type=e5m2", "--score=softcap", "--matrix-sum"},
     {"--programs=tanh-tanh32-f32,exp2-lattice3-f16-e4m3x4"}},
};
INSTANTIATE_TEST_SUITE_P(Kernels, Float8Policy, ::testing::ValuesIn(kKinds),
                         [](const auto &info) { return info.param.name; });

} // namespace
