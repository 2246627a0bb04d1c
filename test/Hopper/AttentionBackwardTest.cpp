//===- AttentionBackwardTest.cpp - Gradients of attention, emulated -------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HopperRun.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace polytest;
using poly::Format;

namespace {

struct Shape {
  unsigned batches, heads, keyHeads, queries, keys;
  double spread; ///< Of the queries.
  /// What all queries begin with, where all keys begin with -1: then scores are
  /// far below zero.
  double shift = 0;
};

struct Case {
  const char *name;
  std::vector<std::string> kernel, compile;
  Shape shape;
  /// Relative errors of dQ, dK and dV as a whole.
  double limits[3];
};

void PrintTo(const Case &item, std::ostream *stream) { *stream << item.name; }

using Numbers = std::vector<double>;
constexpr double kCap = 20;

/// Arrays are [batch, row, head, dimension].
struct Arrays {
  Shape shape;
  unsigned dim;
  Numbers q, k, v, outputGradient;

  size_t queryAt(unsigned b, unsigned i, unsigned h) const {
    return ((size_t(b) * shape.queries + i) * shape.heads + h) * dim;
  }
  size_t keyAt(unsigned b, unsigned j, unsigned h) const {
    return ((size_t(b) * shape.keys + j) * shape.keyHeads + h) * dim;
  }
};

struct Truth {
  Numbers output, logSumExp; ///< What the forward pass gives.
  Numbers q, k, v;           ///< Gradients.
};

double dot(const Numbers &a, size_t i, const Numbers &b, size_t j,
           unsigned count) {
  double sum = 0;
  for (unsigned d = 0; d < count; ++d)
    sum += a[i + d] * b[j + d];
  return sum;
}

void addScaled(Numbers &a, size_t i, double scale, const Numbers &b, size_t j,
               unsigned count) {
  for (unsigned d = 0; d < count; ++d)
    a[i + d] += scale * b[j + d];
}

/// The weights of one query and their derivatives by the scores, apart from
/// what a softmax's sum adds to those.
void weigh(const std::string &score, unsigned keys, Numbers &weights,
           Numbers &slopes, double &logSumExp) {
  double most = -HUGE_VAL, sum = 0;
  slopes.assign(weights.size(), 1);
  for (size_t j = 0; j < weights.size(); ++j) {
    if (score == "softcap") {
      double t = std::tanh(weights[j] / kCap);
      weights[j] = kCap * t;
      slopes[j] = 1 - t * t;
    }
    most = std::max(most, weights[j]);
  }
  for (double &weight : weights) {
    weight = score == "sigmoid"
                 ? 1 / (1 + std::exp(std::log(double(keys)) - weight))
                 : std::exp(weight - most);
    sum += weight;
  }
  logSumExp = most + std::log(sum);
  for (size_t j = 0; j < weights.size(); ++j) {
    if (score != "sigmoid")
      weights[j] /= sum;
    slopes[j] *=
        score == "sigmoid" ? weights[j] * (1 - weights[j]) : weights[j];
  }
}

Truth compute(const poly::runtime::KernelMetadata &kernel, const Arrays &a) {
  const Shape &s = a.shape;
  std::string score = kernel.text("score");
  double scale = 1 / std::sqrt(double(a.dim));
  Truth truth;
  truth.output.assign(a.q.size(), 0);
  truth.logSumExp.assign(size_t(s.batches) * s.heads * s.queries, -HUGE_VAL);
  truth.q.assign(a.q.size(), 0);
  truth.k.assign(a.k.size(), 0);
  truth.v.assign(a.v.size(), 0);
  for (unsigned b = 0; b < s.batches; ++b)
    for (unsigned h = 0; h < s.heads; ++h)
      for (unsigned i = 0; i < s.queries; ++i) {
        unsigned keyHead = h / (s.heads / s.keyHeads);
        int64_t seen = s.keys;
        if (kernel.flag("causal"))
          seen = std::clamp<int64_t>(int64_t(i) + 1 + s.keys - s.queries, 0,
                                     s.keys);
        if (!seen)
          continue;
        size_t query = a.queryAt(b, i, h);
        auto key = [&](size_t j) { return a.keyAt(b, unsigned(j), keyHead); };
        Numbers weights(size_t(seen), 0), slopes, gradients(size_t(seen), 0);
        for (size_t j = 0; j < weights.size(); ++j)
          weights[j] = scale * dot(a.q, query, a.k, key(j), a.dim);
        weigh(score, s.keys, weights, slopes,
              truth.logSumExp[(size_t(b) * s.heads + h) * s.queries + i]);
        double delta = 0;
        for (size_t j = 0; j < weights.size(); ++j) {
          gradients[j] = dot(a.outputGradient, query, a.v, key(j), a.dim);
          delta += weights[j] * gradients[j];
          addScaled(truth.output, query, weights[j], a.v, key(j), a.dim);
          addScaled(truth.v, key(j), weights[j], a.outputGradient, query,
                    a.dim);
        }
        if (score == "sigmoid")
          delta = 0;
        for (size_t j = 0; j < weights.size(); ++j) {
          double gradient = scale * slopes[j] * (gradients[j] - delta);
          addScaled(truth.q, query, gradient, a.k, key(j), a.dim);
          addScaled(truth.k, key(j), gradient, a.q, query, a.dim);
        }
      }
  return truth;
}

/// The three gradients, or what went wrong.
struct Results {
  std::string error;
  Numbers q, k, v;
  Numbers querySums; ///< Of dQ, as they were added up.
};

Results runKernels(const HopperKernel &kernel, const Arrays &a,
                   const Truth &truth, uint32_t seed = 0,
                   bool isTogether = false) {
  const Shape &s = a.shape;
  HopperRun run(kernel);
  isTogether |= kernel.metadata.info.find("deterministic") != nullptr;
  if (isTogether)
    run.allTogether();
  auto bind = [&](const char *name, uint64_t address, bool isKey) {
    run.attentionArray(name, address, s.batches, isKey ? s.keys : s.queries,
                       isKey ? s.keyHeads : s.heads, a.dim);
  };
  auto strided = [&](const std::string &name, uint64_t address) {
    run.pointer(name, address)
        .integer(name + "RowStride", int64_t(s.heads) * a.dim)
        .integer(name + "HeadStride", a.dim)
        .integer(name + "BatchStride", int64_t(s.queries) * s.heads * a.dim);
  };
  uint64_t q = run.poisoned(a.q.size(), kernel.type),
           k = run.poisoned(a.k.size(), kernel.type),
           v = run.poisoned(a.v.size(), kernel.type);
  uint64_t outputGradient = run.upload(a.outputGradient);
  bind("query", run.upload(a.q), false);
  bind("outputGradient", outputGradient, false);
  bind("key", run.upload(a.k), true);
  bind("value", run.upload(a.v), true);
  bind("keyGradient", k, true);
  bind("valueGradient", v, true);
  strided("output", run.upload(truth.output));
  strided("outputGradient", outputGradient);
  strided("queryGradient", q);
  std::vector<int32_t> logSumExp(truth.logSumExp.size());
  for (size_t i = 0; i < logSumExp.size(); ++i) {
    float value = float(truth.logSumExp[i]);
    std::memcpy(&logSumExp[i], &value, sizeof value);
  }
  unsigned blocks = s.batches * s.heads * ((s.queries + 63) / 64);
  uint64_t querySums = run.poisoned(size_t(blocks) * 64 * a.dim, Format::F32);
  // Written through pointers, read through maps.
  for (const char *name : {"queryOffsets", "queryDeltas"}) {
    uint64_t address = run.poisoned(size_t(blocks) * 64, Format::F32);
    run.pointer(name, address)
        .tensor(name, address, Format::F32,
                {{"queryInBlock", 64}, {"queryBlock", blocks}},
                {{"queryBlock", 64}});
  }
  run.pointer("logSumExp", run.uploadWords(logSumExp))
      .pointer("querySums", querySums)
      .pointer("queryTurns", run.poisoned(blocks, Format::F32))
      .integer("queryLength", s.queries)
      .integer("keyLength", s.keys)
      .integer("batches", s.batches)
      .integer("heads", s.heads)
      .integer("headsPerKeyHead", s.heads / s.keyHeads)
      .integer("causalShift", int64_t(s.keys) - s.queries)
      .number("scale", 1 / std::sqrt(double(a.dim)))
      .number("cap", kCap)
      .number("bias", -std::log(double(s.keys)));
  Results results;
  for (const auto &stage : kernel.kernels) {
    // Fewer blocks than tiles of keys: each does several.
    bool isMain = stage.text("stage") == "main";
    unsigned count =
        isMain ? 2 + isTogether
               : blocks * unsigned(stage.integer("blocksPerQueryBlock"));
    results.error = run.run(stage, count, seed);
    if (!results.error.empty())
      return results;
  }
  results.q = run.download(q, a.q.size(), kernel.type);
  results.k = run.download(k, a.k.size(), kernel.type);
  results.v = run.download(v, a.v.size(), kernel.type);
  results.querySums =
      run.download(querySums, size_t(blocks) * 64 * a.dim, Format::F32);
  return results;
}

Arrays makeArrays(const HopperKernel &kernel, const Shape &s) {
  HopperRun run(kernel);
  unsigned dim = unsigned(kernel.metadata.integer("headDim"));
  size_t queries = size_t(s.batches) * s.queries * s.heads * dim;
  size_t keys = size_t(s.batches) * s.keys * s.keyHeads * dim;
  Arrays a{s,
           dim,
           run.randomNumbers(queries, s.spread, 1),
           run.randomNumbers(keys, 1, 2),
           run.randomNumbers(keys, 1, 3),
           run.randomNumbers(queries, 1, 4)};
  for (size_t i = 0; s.shift != 0 && i < a.q.size(); i += dim)
    a.q[i] = s.shift;
  for (size_t i = 0; s.shift != 0 && i < a.k.size(); i += dim)
    a.k[i] = -1;
  return a;
}

class AttentionBackward : public ::testing::TestWithParam<Case> {};

TEST_P(AttentionBackward, IsRight) {
  const Case &item = GetParam();
  HopperKernel kernel = buildHopperKernel(std::string("backward-") + item.name,
                                          item.kernel, item.compile);
  ASSERT_TRUE(kernel.module);
  Arrays a = makeArrays(kernel, item.shape);
  Truth truth = compute(kernel.metadata, a);
  Results results = runKernels(kernel, a, truth);
  ASSERT_EQ(results.error, "");
  const std::pair<const Numbers *, const Numbers *> pairs[] = {
      {&results.q, &truth.q}, {&results.k, &truth.k}, {&results.v, &truth.v}};
  for (unsigned i = 0; i < 3; ++i) {
    double error = relativeError(*pairs[i].first, *pairs[i].second);
    EXPECT_LE(error, item.limits[i]) << "dQ, dK, dV number " << i;
    // A bound that is far away would see nothing.
    EXPECT_GE(error, item.limits[i] / 3) << "dQ, dK, dV number " << i;
  }
  // Queries that see no key have no gradient at all.
  const Shape &s = item.shape;
  for (unsigned b = 0; b < s.batches; ++b)
    for (unsigned h = 0; h < s.heads; ++h)
      for (unsigned i = 0; i < s.queries; ++i)
        for (unsigned d = 0; d < a.dim; ++d) {
          size_t row = (size_t(b) * s.heads + h) * s.queries + i;
          EXPECT_TRUE(truth.logSumExp[row] != -HUGE_VAL ||
                      results.q[a.queryAt(b, i, h) + d] == 0);
        }
}

const Case kCases[] = {
    {"full64",
     {"attention-backward", "--head-dim=64"},
     {"--policy=off"},
     {1, 2, 2, 70, 140, 1},
     {5e-3, 5e-3, 5e-3}},
    {"causal128",
     {"attention-backward", "--causal"},
     {"--policy=off"},
     {1, 2, 1, 130, 200, 2},
     {5e-3, 5e-3, 5e-3}},
    // Queries that see no key; all log-sum-exps far below zero, so that keys
    // beyond the last one would have infinite weights.
    {"masked",
     {"attention-backward", "--head-dim=64", "--causal"},
     {"--policy=off"},
     {2, 1, 1, 200, 77, 1, 800},
     {5e-3, 5e-3, 5e-3}},
    {"low",
     {"attention-backward", "--head-dim=64", "--type=f16"},
     {"--policy=off"},
     {1, 1, 1, 64, 77, 1, 800},
     {6e-4, 6e-4, 6e-4}},
    {"softcap",
     {"attention-backward", "--head-dim=64", "--score=softcap", "--causal"},
     {"--programs=tanh-tanh32-f32"},
     {1, 1, 1, 100, 140, 6},
     {5e-3, 5e-3, 5e-3}},
    {"softcap128",
     {"attention-backward", "--score=softcap", "--cap=20"},
     {"--policy=off"},
     {1, 1, 1, 70, 70, 6},
     {5e-3, 5e-3, 5e-3}},
    // Several heads share the keys, and several tiles of keys a query.
    {"deterministic",
     {"attention-backward", "--head-dim=64", "--causal", "--deterministic"},
     {"--policy=off"},
     {1, 2, 1, 130, 330, 2},
     {5e-3, 5e-3, 5e-3}},
    {"deterministic128",
     {"attention-backward", "--score=sigmoid", "--deterministic"},
     {"--policy=off"},
     {1, 1, 1, 70, 140, 1},
     {5e-3, 5e-3, 5e-3}},
    {"sigmoid",
     {"attention-backward", "--score=sigmoid", "--causal"},
     {"--programs=sigmoid-tanh32-f32"},
     {1, 2, 1, 70, 140, 1},
     {5e-3, 5e-3, 5e-3}},
};
INSTANTIATE_TEST_SUITE_P(Kernels, AttentionBackward,
                         ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

/// Takes the lines that contain \p text out of \p code; how many there were.
unsigned eraseLines(std::string &code, const std::string &text) {
  unsigned count = 0;
  for (size_t at; (at = code.find(text)) != std::string::npos; ++count) {
    size_t line = code.rfind('\n', at) + 1;
    code.erase(line, code.find('\n', at) - line);
  }
  return count;
}

/// Four tiles of keys on three blocks, in several orders of their warps: do the
/// sums of dQ have the same bits?
bool sumsAreSame(const HopperKernel &kernel) {
  Arrays arrays = makeArrays(kernel, {1, 1, 1, 70, 450, 1});
  Truth truth = compute(kernel.metadata, arrays);
  Results first = runKernels(kernel, arrays, truth, 0, true);
  EXPECT_EQ(first.error, "");
  bool same = true;
  for (uint32_t seed : {3, 7}) {
    Results other = runKernels(kernel, arrays, truth, seed, true);
    EXPECT_EQ(other.error, "");
    same &= other.querySums == first.querySums;
  }
  return same;
}

TEST(BackwardTurns, SumsHaveOneOrder) {
  HopperKernel kernel = buildHopperKernel(
      "backward-turns",
      {"attention-backward", "--head-dim=64", "--deterministic"},
      {"--policy=off"});
  ASSERT_TRUE(kernel.module);
  EXPECT_TRUE(sumsAreSame(kernel));
}

TEST(BackwardTurns, SumsHaveNoOrderWithoutThem) {
  HopperKernel kernel = buildHopperKernel(
      "backward-no-turns", {"attention-backward", "--head-dim=64"},
      {"--policy=off"});
  ASSERT_TRUE(kernel.module);
  EXPECT_FALSE(sumsAreSame(kernel));
}

TEST(BackwardTurns, NobodyHandsOn) {
  HopperKernel kernel = buildHopperKernel(
      "backward-nobody",
      {"attention-backward", "--head-dim=64", "--deterministic"},
      {"--policy=off"});
  ASSERT_TRUE(kernel.module);
  std::string changed = kernel.ptx, error;
  EXPECT_GT(eraseLines(changed, "st.release.gpu"), 0u);
  kernel.module = PtxModule::parse(changed, error, PtxDialect::WholeKernels);
  ASSERT_TRUE(kernel.module) << error;
  Arrays arrays = makeArrays(kernel, {1, 1, 1, 64, 140, 1});
  Truth truth = compute(kernel.metadata, arrays);
  error = runKernels(kernel, arrays, truth).error;
  EXPECT_NE(error.find("deadlock"), std::string::npos) << error;
}

/// A small kernel, to be run in other orders and with mistakes.
class BackwardMistakes : public ::testing::Test {
protected:
  void SetUp() override {
    // Each test may run in a process of its own, at the same time.
    kernel = buildHopperKernel(
        std::string("backward-mistakes-") +
            ::testing::UnitTest::GetInstance()->current_test_info()->name(),
        {"attention-backward", "--head-dim=64"}, {"--policy=off"});
    ASSERT_TRUE(kernel.module);
    arrays = makeArrays(kernel, {1, 1, 1, 130, 70, 1});
    truth = compute(kernel.metadata, arrays);
  }

  /// Runs the kernels without the lines that contain \p text.
  Results runWithout(const std::string &text) {
    std::string changed = kernel.ptx;
    EXPECT_GT(eraseLines(changed, text), 0u) << text;
    return runChanged(changed);
  }

  /// Runs the kernels with \p other in all places of \p text.
  Results runWith(const std::string &text, const std::string &other) {
    std::string changed = kernel.ptx;
    EXPECT_NE(changed.find(text), std::string::npos) << text;
    for (size_t at = 0; (at = changed.find(text, at)) != std::string::npos;)
      changed.replace(at, text.size(), other);
    return runChanged(changed);
  }

  Results runChanged(const std::string &changed) {
    std::string error;
    kernel.module = PtxModule::parse(changed, error, PtxDialect::WholeKernels);
    if (!kernel.module)
      return {error, {}, {}, {}, {}};
    return runKernels(kernel, arrays, truth);
  }

  HopperKernel kernel;
  Arrays arrays;
  Truth truth;
};

TEST_F(BackwardMistakes, OrderOfWarpsDoesNotMatter) {
  Results first = runKernels(kernel, arrays, truth);
  Results other = runKernels(kernel, arrays, truth, 7);
  EXPECT_EQ(first.error + other.error, "");
  EXPECT_EQ(first.k, other.k);
  EXPECT_EQ(first.v, other.v);
}

TEST_F(BackwardMistakes, ConsumersDoNotMeet) {
  std::string error = runWithout("bar.sync \t1, 256;").error;
  EXPECT_NE(error.find("reads shared memory"), std::string::npos) << error;
}

TEST_F(BackwardMistakes, MissingFenceBeforeTheProduct) {
  std::string error = runWithout("fence.proxy.async").error;
  EXPECT_NE(error.find("fence"), std::string::npos) << error;
}

// The offsets and deltas of a block of queries, 256 bytes each, that come with
// its rows of Q and dO, 8192 bytes each.

TEST_F(BackwardMistakes, RowValuesAreNotCopied) {
  std::string error = runWithout("cp.async.bulk.tensor.2d").error;
  EXPECT_NE(error.find("deadlock"), std::string::npos) << error;
}

TEST_F(BackwardMistakes, RowValuesAreNotAnnounced) {
  std::string error = runWith(", 8448;", ", 8192;").error;
  EXPECT_NE(error.find("deadlock"), std::string::npos) << error;
}

TEST_F(BackwardMistakes, StagesAreNeverReleased) {
  // Three blocks of queries have more steps than the pipelines have stages.
  std::string error = runWithout("mbarrier.arrive.shared").error;
  EXPECT_NE(error.find("deadlock"), std::string::npos) << error;
}

} // namespace
