//===- Search.cpp - Search over rounded coefficients ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"

#include "poly/Program/Certify.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Replay.h"

#include <algorithm>
#include <cmath>

using namespace poly;
using namespace poly::fit::detail;

//===----------------------------------------------------------------------===//
// Scorer
//===----------------------------------------------------------------------===//

namespace {

/// Between these |x| the error can be largest. Below, y * q is tiny and its
/// rounding too; above, every clamp is reached and the function is saturated.
constexpr double kSmallest = 0x1p-7, kLargest = 16;
constexpr size_t kHot = 32;
constexpr size_t kChunk = 128;
/// Saturated for sure, and finite in every format.
constexpr double kFar = 1000;

/// Moves the pattern \p ulps steps up in value. Signs do not change: a
/// coefficient at zero would have no ulp to move by.
uint32_t step(Format format, uint32_t bits, int ulps) {
  const FormatTraits &t = traits(format);
  bool negative = bits & t.signMask;
  int64_t magnitude = int64_t(bits & (t.signMask - 1));
  magnitude += negative ? -ulps : ulps;
  magnitude = std::clamp<int64_t>(magnitude, 1, int64_t(t.infinity) - 1);
  return (negative ? t.signMask : 0) | uint32_t(magnitude);
}

} // namespace

Scorer::Scorer(const PolynomialSpec &spec, unsigned stride)
    : function(spec.function), format(spec.format), exactTail(spec.exactTail) {
  uint32_t first = encode(format, kSmallest), last = encode(format, kLargest);
  // tanh's program is odd bit for bit, so one sign is enough.
  bool bothSigns = function != Function::Tanh;
  // Every block of the evaluation order is spread over the whole range, so
  // that the first one already rejects most candidates.
  const uint32_t spread = 61 * stride;
  for (uint32_t offset = 0; offset < spread; offset += stride) {
    for (uint32_t bits = first + offset; bits <= last; bits += spread) {
      inputs.push_back(bits);
      if (bothSigns)
        inputs.push_back(bits | traits(format).signMask);
    }
  }
  for (uint32_t bits : inputs)
    expected.push_back(reference(function, decode(format, bits)));
  for (double x : {kFar, -kFar}) {
    hotInputs.push_back(encode(format, x));
    hotExpected.push_back(reference(function, x));
  }
  // Until worst inputs are known, a spread of all.
  for (size_t i = 0; hotInputs.size() < kHot; ++i) {
    size_t index = i * inputs.size() / kHot;
    hotInputs.push_back(inputs[index]);
    hotExpected.push_back(expected[index]);
  }
  outputs.resize(std::max(kChunk, kHot));
}

void Scorer::remember(size_t index) {
  if (std::find(hotInputs.begin(), hotInputs.end(), inputs[index]) !=
      hotInputs.end())
    return;
  hotInputs[2 + nextHot] = inputs[index];
  hotExpected[2 + nextHot] = expected[index];
  nextHot = (nextHot + 1) % (kHot - 2);
}

Scorer::Score Scorer::score(const Program &program, const Score &bound) {
  replayElements(program, hotInputs.data(), outputs.data(), kHot);
  double violation = 0;
  for (size_t i = 0; i < 2; ++i) {
    double y = decode(format, outputs[i]);
    double x = i == 0 ? kFar : -kFar;
    double exact = function == Function::Silu   ? std::max(x, 0.0)
                   : function == Function::Tanh ? std::copysign(1.0, x)
                                                : (x > 0 ? 1.0 : 0.0);
    if (exactTail)
      violation += std::fabs(y - exact);
    else if (i == 0)
      violation += std::max(y - exact, 0.0);
  }
  Score result;
  result.tie = 0;
  if (violation > 0) {
    // The error is of no interest yet, only the way to go.
    result.value = 2 + violation;
    return result;
  }
  for (size_t i = 2; i < kHot; ++i)
    if (!(std::fabs(decode(format, outputs[i]) - hotExpected[i]) <=
          bound.value))
      return {};

  double worst = 0, overshoot = 0;
  size_t worstIndex = 0;
  for (size_t start = 0; start < inputs.size(); start += kChunk) {
    size_t count = std::min(kChunk, inputs.size() - start);
    replayElements(program, inputs.data() + start, outputs.data(), count);
    for (size_t i = 0; i < count; ++i) {
      double y = decode(format, outputs[i]);
      double error = std::fabs(y - expected[start + i]);
      if (!(error <= worst)) {
        worst = error;
        worstIndex = start + i;
      }
      double square = error * error;
      result.tie += square * square;
      double most = function == Function::Silu
                        ? std::fabs(decode(format, inputs[start + i]))
                        : 1.0;
      overshoot = std::max(overshoot, y - most);
    }
    if (std::max(worst, overshoot > 0 ? 1 + overshoot : 0) > bound.value) {
      remember(worstIndex);
      return {};
    }
  }
  remember(worstIndex);
  result.value = overshoot > 0 ? 1 + overshoot : worst;
  return result;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

namespace {
/// Ulps of a single move; large ones travel, small ones finish.
constexpr int kReach[] = {1, 2, 3, 6, 12};
/// Ulps of each half of a pair move.
constexpr int kPairReach[] = {1, 2, 5};
constexpr size_t kOutcomes = 12; ///< Kept for refinement.
/// Of those whose clamps are closer than this, only the best is kept.
constexpr double kClampBucket = 0x1p-5;
/// Perturbations of each of them, and their largest step in ulps.
constexpr unsigned kKicks = 40;
constexpr int kKick = 6;
} // namespace

Search::Search(const PolynomialSpec &spec, uint64_t seed)
    : spec(spec), sample(spec, spec.format == Format::F16 ? 8 : 1),
      full(spec, 1), random(seed) {}

PolynomialSpec Search::materialize(const Point &point) const {
  PolynomialSpec result = spec;
  result.coefficients.clear();
  for (size_t i = 0; i + 1 < point.size(); ++i)
    result.coefficients.push_back(decode(spec.format, point[i]));
  result.clamp = decode(spec.format, point.back());
  return result;
}

Scorer::Score Search::evaluate(Scorer &scorer, const Point &point,
                               const Scorer::Score &bound) {
  ++numCandidates;
  return scorer.score(buildPolynomial(materialize(point), spec.format,
                                      ClampKind::XorSign, "candidate"),
                      bound);
}

Search::Outcome Search::descend(Scorer &scorer, Point point) {
  struct Move {
    uint8_t first, second;
    int8_t firstUlps, secondUlps;
  };
  std::vector<Move> moves;
  for (uint8_t i = 0; i < point.size(); ++i) {
    for (int a : kReach)
      for (int sign : {-1, 1})
        moves.push_back({i, i, int8_t(sign * a), 0});
    for (uint8_t j = uint8_t(i + 1); j < point.size(); ++j)
      for (int a : kPairReach)
        for (int b : kPairReach)
          for (int signs = 0; signs < 4; ++signs)
            moves.push_back(
                {i, j, int8_t(signs & 1 ? -a : a), int8_t(signs & 2 ? -b : b)});
  }
  Outcome current{point, evaluate(scorer, point, {})};
  // First improvement in a random order; ends when no move improves.
  size_t untried = moves.size();
  while (untried > 0) {
    size_t pick = below(uint32_t(untried));
    Move move = moves[pick];
    std::swap(moves[pick], moves[--untried]);
    Point next = current.point;
    next[move.first] = step(spec.format, next[move.first], move.firstUlps);
    next[move.second] = step(spec.format, next[move.second], move.secondUlps);
    Scorer::Score score = evaluate(scorer, next, current.score);
    if (score < current.score) {
      current = {std::move(next), score};
      untried = moves.size();
    }
  }
  return current;
}

void Search::keep(Outcome outcome) {
  // One outcome a neighbourhood of the clamp: the best few would otherwise be
  // the same one but for an ulp.
  auto bucket = [&](const Outcome &o) {
    return std::lround(decode(spec.format, o.point.back()) / kClampBucket);
  };
  auto same =
      std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome &other) {
        return bucket(other) == bucket(outcome);
      });
  if (same != outcomes.end()) {
    if (!(outcome.score < same->score))
      return;
    outcomes.erase(same);
  }
  auto place = std::upper_bound(
      outcomes.begin(), outcomes.end(), outcome,
      [](const Outcome &a, const Outcome &b) { return a.score < b.score; });
  outcomes.insert(place, std::move(outcome));
  if (outcomes.size() > kOutcomes)
    outcomes.pop_back();
}

void Search::start(const std::vector<double> &coefficients, double clamp) {
  Point point;
  for (double c : coefficients)
    point.push_back(encode(spec.format, c));
  point.push_back(encode(spec.format, clamp));
  keep(descend(sample, std::move(point)));
}

void Search::refine() {
  std::vector<Outcome> seeds = outcomes;
  for (Outcome &seed : seeds) {
    for (unsigned kick = 0; kick < kKicks; ++kick) {
      Point point = seed.point;
      for (uint32_t &bits : point)
        bits = step(spec.format, bits, int(below(2 * kKick + 1)) - kKick);
      Outcome outcome = descend(sample, std::move(point));
      if (outcome.score < seed.score)
        seed = outcome;
      keep(std::move(outcome));
    }
  }
  seeds.clear();
  std::swap(seeds, outcomes);
  for (const Outcome &seed : seeds)
    keep(descend(full, seed.point));
}

PolynomialSpec Search::best() const {
  return materialize(outcomes.front().point);
}
