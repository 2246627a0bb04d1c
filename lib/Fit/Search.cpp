//===- Search.cpp - Search over rounded constants -------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"

#include "poly/Program/Formats.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

using namespace poly;
using namespace poly::fit::detail;

//===----------------------------------------------------------------------===//
// Scorer
//===----------------------------------------------------------------------===//

namespace {

constexpr size_t kHot = 32;
/// Blocks of the evaluation order are spread over the whole range, so that the
/// first one already rejects most candidates.
constexpr size_t kSpread = 61;
/// Above any error.
constexpr double kOvershoots = 1e6, kNotExact = 1e9;

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

Scorer::Scorer(const Objective &objective, unsigned stride)
    : objective(objective), replay(objective.shape),
      current(objective.placeholders.size(), 0), goals(objective.goals.size()) {
  assert(replay.isSupported() && "not a polynomial program");
  for (double placeholder : objective.placeholders)
    slots.push_back(replay.findConstant(placeholder));
  size_t all = objective.inputs.size(), spread = kSpread * stride;
  for (size_t offset = 0; offset < spread; offset += stride)
    for (size_t i = offset; i < all; i += spread) {
      inputs.push_back(objective.inputs[i]);
      for (size_t g = 0; g < goals.size(); ++g) {
        goals[g].expected.push_back(objective.goals[g].expected[i]);
        goals[g].scale.push_back(objective.goals[g].scale[i]);
      }
    }
  // Until worst inputs are known, a spread of all.
  for (size_t i = 0; i < kHot; ++i)
    hot.push_back(uint32_t(i * inputs.size() / kHot));
  for (size_t i = 0; i < slots.size(); ++i)
    replay.setConstant(slots[i], decode(objective.format, 0));
}

void Scorer::remember(size_t index) {
  if (std::find(hot.begin(), hot.end(), index) != hot.end())
    return;
  hot[nextHot] = uint32_t(index);
  nextHot = (nextHot + 1) % kHot;
}

double Scorer::worstOf(size_t first, size_t count, const Score &bound,
                       size_t &worstIndex, double &tie, double &overshoot) {
  double worst = 0;
  for (size_t g = 0; g < goals.size(); ++g) {
    const double *y = replay.result(unsigned(g));
    const double *expected = goals[g].expected.data() + first;
    const double *scale = goals[g].scale.data() + first;
    double sum = 0, most = 0;
    for (size_t i = 0; i < count; ++i) {
      double error = std::fabs(y[i] - expected[i]) * scale[i];
      most = error > most ? error : most;
      double square = error * error;
      sum += square * square;
    }
    tie += sum;
    worst = std::max(worst, most);
    // A NaN is no smaller error.
    if (!(sum < std::numeric_limits<double>::infinity()))
      worst = std::numeric_limits<double>::infinity();
    if (worst > bound.value || most == worst)
      for (size_t i = 0; i < count; ++i)
        if (std::fabs(y[i] - expected[i]) * scale[i] == most)
          worstIndex = first + i;
  }
  const double *y = replay.result();
  if (objective.gate) {
    for (size_t i = 0; i < count; ++i)
      overshoot = std::max(overshoot, y[i] - std::fabs(inputs[first + i]));
  } else if (objective.most < std::numeric_limits<double>::infinity()) {
    for (size_t i = 0; i < count; ++i)
      overshoot = std::max(overshoot, y[i] - objective.most);
  }
  return worst;
}

std::vector<std::vector<double>> Scorer::sensitivities(const Point &point) {
  constexpr size_t kSample = FastReplay::kBlock;
  size_t count = std::min(kSample, inputs.size());
  double x[kSample];
  for (size_t i = 0; i < count; ++i)
    x[i] = inputs[i * inputs.size() / count];
  replay.setRounding(false);
  auto evaluate = [&](std::vector<double> &out) {
    replay.run(x, count);
    for (size_t g = 0; g < goals.size(); ++g)
      for (size_t i = 0; i < count; ++i)
        out.push_back(replay.result(unsigned(g))[i] *
                      goals[g].scale[i * inputs.size() / count]);
  };
  for (size_t i = 0; i < point.size(); ++i)
    replay.setConstant(slots[i], decode(objective.format, point[i]));
  std::vector<double> base;
  evaluate(base);
  std::vector<std::vector<double>> result(point.size());
  for (size_t p = 0; p < point.size(); ++p) {
    replay.setConstant(slots[p], decode(objective.format,
                                        step(objective.format, point[p], 1)));
    evaluate(result[p]);
    for (size_t i = 0; i < base.size(); ++i)
      result[p][i] -= base[i];
    replay.setConstant(slots[p], decode(objective.format, point[p]));
  }
  replay.setRounding(true);
  current = point;
  return result;
}

Score Scorer::score(const Point &point, const Score &bound) {
  for (size_t i = 0; i < point.size(); ++i)
    if (point[i] != current[i]) {
      current[i] = point[i];
      replay.setConstant(slots[i], decode(objective.format, point[i]));
    }

  Score result;
  result.tie = 0;
  double x[FastReplay::kBlock];
  if (!objective.exact.empty()) {
    size_t count = objective.exact.size();
    for (size_t i = 0; i < count; ++i)
      x[i] = objective.exact[i].input;
    replay.run(x, count);
    double violation = 0;
    for (size_t i = 0; i < count; ++i)
      violation += std::fabs(replay.result()[i] - objective.exact[i].output);
    if (!(violation == 0)) {
      // The error is of no interest yet, only the way to go.
      result.value = kNotExact * (1 + violation);
      return result;
    }
  }

  for (size_t i = 0; i < kHot; ++i)
    x[i] = inputs[hot[i]];
  replay.run(x, kHot);
  for (size_t g = 0; g < goals.size(); ++g)
    for (size_t i = 0; i < kHot; ++i)
      if (!(std::fabs(replay.result(unsigned(g))[i] -
                      goals[g].expected[hot[i]]) *
                goals[g].scale[hot[i]] <=
            bound.value))
        return {};

  double worst = 0, overshoot = 0;
  size_t worstIndex = 0;
  for (size_t start = 0; start < inputs.size(); start += FastReplay::kBlock) {
    size_t count = std::min(FastReplay::kBlock, inputs.size() - start);
    replay.run(inputs.data() + start, count);
    size_t index = start;
    double most = worstOf(start, count, bound, index, result.tie, overshoot);
    if (most > worst) {
      worst = most;
      worstIndex = index;
    }
    if (std::max(worst, overshoot > 0 ? kOvershoots * (1 + overshoot) : 0) >
        bound.value) {
      remember(worstIndex);
      return {};
    }
  }
  remember(worstIndex);
  result.value = overshoot > 0 ? kOvershoots * (1 + overshoot) : worst;
  return result;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

namespace {
/// Ulps of a single move; large ones travel, small ones finish.
constexpr int kReach[] = {1, 2, 3, 6, 12};
constexpr size_t kOutcomes = 12; ///< Kept for the walk.
/// Of those whose clamps are closer than this, only the best is kept.
constexpr double kClampBucket = 0x1p-5;
/// Perturbations of each of them, and their largest step in ulps.
constexpr unsigned kKicks = 80;
constexpr int kKick = 6;
/// Inputs beyond this number are sampled until the end.
constexpr size_t kManyInputs = 4096;

uint32_t below(std::mt19937_64 &random, uint32_t bound) {
  return uint32_t(random() % bound);
}
} // namespace

Search::Search(const Objective &objective, uint64_t seed, int clamp,
               const SearchOptions &options)
    : objective(objective), seed(seed), clamp(clamp), options(options) {
  if (this->options.threads == 0)
    this->options.threads = std::max(1u, std::thread::hardware_concurrency());
}

void Search::addStart(const std::vector<double> &values) {
  Point point;
  for (double value : values) {
    // A zero has no ulp to move by.
    uint32_t bits = encode(objective.format, value);
    bool zero = (bits & (traits(objective.format).signMask - 1)) == 0;
    point.push_back(zero ? encode(objective.format, 0x1p-12) : bits);
  }
  starts.push_back(std::move(point));
}

/// Replaces the vectors by a basis of the same lattice whose vectors are short
/// and far from parallel (A. K. Lenstra, H. W. Lenstra and L. Lovasz, 1982),
/// and gives that basis as whole multiples of the old one.
static std::vector<std::vector<int>>
reduceLattice(const std::vector<std::vector<double>> &vectors) {
  size_t n = vectors.size();
  std::vector<std::vector<double>> b = vectors;
  std::vector<std::vector<int>> multiples(n, std::vector<int>(n, 0));
  for (size_t i = 0; i < n; ++i)
    multiples[i][i] = 1;
  auto dot = [](const std::vector<double> &x, const std::vector<double> &y) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i)
      sum += x[i] * y[i];
    return sum;
  };
  // Small enough to orthogonalise anew for every step.
  std::vector<std::vector<double>> star(n);
  std::vector<std::vector<double>> mu(n, std::vector<double>(n, 0));
  std::vector<double> norm(n);
  auto orthogonalise = [&] {
    for (size_t i = 0; i < n; ++i) {
      star[i] = b[i];
      for (size_t j = 0; j < i; ++j) {
        mu[i][j] = norm[j] > 0 ? dot(b[i], star[j]) / norm[j] : 0;
        for (size_t k = 0; k < star[i].size(); ++k)
          star[i][k] -= mu[i][j] * star[j][k];
      }
      norm[i] = dot(star[i], star[i]);
    }
  };
  orthogonalise();
  constexpr int kSteps = 400;
  size_t k = 1;
  for (int step = 0; step < kSteps && k < n; ++step) {
    for (size_t j = k; j-- > 0;) {
      double ratio = std::nearbyint(mu[k][j]);
      if (ratio == 0 || std::fabs(ratio) > 1000)
        continue;
      for (size_t i = 0; i < b[k].size(); ++i)
        b[k][i] -= ratio * b[j][i];
      for (size_t i = 0; i < n; ++i)
        multiples[k][i] -= int(ratio) * multiples[j][i];
      for (size_t i = 0; i < j; ++i)
        mu[k][i] -= ratio * mu[j][i];
      mu[k][j] -= ratio;
    }
    if (norm[k] >= (0.75 - mu[k][k - 1] * mu[k][k - 1]) * norm[k - 1]) {
      ++k;
      continue;
    }
    std::swap(b[k], b[k - 1]);
    std::swap(multiples[k], multiples[k - 1]);
    orthogonalise();
    k = std::max<size_t>(k - 1, 1);
  }
  return multiples;
}

std::vector<Search::Move> Search::movesAt(Scorer &scorer,
                                          const Point &point) const {
  size_t n = point.size();
  std::vector<Move> moves;
  auto add = [&](const Move &move) {
    bool usable = false;
    for (int ulps : move)
      usable |= ulps != 0;
    if (usable && std::find(moves.begin(), moves.end(), move) == moves.end())
      moves.push_back(move);
  };
  for (size_t i = 0; i < n; ++i)
    for (int reach : kReach)
      for (int sign : {-1, 1}) {
        Move move(n, 0);
        move[i] = sign * reach;
        add(move);
      }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = i + 1; j < n; ++j)
      for (int a : {-2, -1, 1, 2})
        for (int b : {-2, -1, 1, 2}) {
          Move move(n, 0);
          move[i] = a;
          move[j] = b;
          add(move);
        }
  // Steps that change the results little although no coefficient changes
  // little: the short vectors of the lattice that the representable
  // coefficients are in.
  std::vector<std::vector<int>> basis =
      reduceLattice(scorer.sensitivities(point));
  auto combine = [&](std::initializer_list<std::pair<size_t, int>> parts) {
    Move move(n, 0);
    for (auto [index, factor] : parts)
      for (size_t i = 0; i < n; ++i)
        move[i] += factor * basis[index][i];
    add(move);
  };
  for (size_t i = 0; i < n; ++i) {
    for (int a : {-4, -2, -1, 1, 2, 4})
      combine({{i, a}});
    for (size_t j = i + 1; j < n; ++j)
      for (int a : {-1, 1})
        for (int b : {-1, 1}) {
          combine({{i, a}, {j, b}});
          for (size_t k = j + 1; k < n; ++k)
            for (int c : {-1, 1})
              combine({{i, a}, {j, b}, {k, c}});
        }
  }
  return moves;
}

Search::Outcome Search::descend(Scorer &scorer, Point point,
                                std::mt19937_64 &random) const {
  std::vector<Move> moves = movesAt(scorer, point);
  Outcome current{point, scorer.score(point), 1};
  // First improvement in a random order; ends when no move improves.
  size_t untried = moves.size();
  Point next = current.point;
  while (untried > 0) {
    size_t pick = below(random, uint32_t(untried));
    std::swap(moves[pick], moves[--untried]);
    const Move &move = moves[untried];
    for (size_t i = 0; i < next.size(); ++i)
      next[i] = move[i] ? step(objective.format, current.point[i], move[i])
                        : current.point[i];
    Score score = scorer.score(next, current.score);
    ++current.candidates;
    if (score < current.score) {
      current.point = next;
      current.score = score;
      untried = moves.size();
    }
  }
  return current;
}

Search::Outcome Search::walk(Scorer &scorer, const Outcome &from,
                             std::mt19937_64 &random) const {
  Outcome best = from;
  best.candidates = 0;
  for (unsigned kick = 0; kick < kKicks; ++kick) {
    Point point = best.point;
    for (uint32_t &bits : point)
      bits = step(objective.format, bits,
                  int(below(random, 2 * kKick + 1)) - kKick);
    Outcome outcome = descend(scorer, std::move(point), random);
    uint64_t candidates = best.candidates + outcome.candidates;
    if (outcome.score < best.score)
      best = std::move(outcome);
    best.candidates = candidates;
  }
  return best;
}

void Search::keep(Outcome outcome) {
  numCandidates += outcome.candidates;
  // One outcome a neighbourhood of the clamp: the best few would otherwise be
  // the same one but for an ulp.
  auto same =
      std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome &other) {
        if (clamp < 0)
          return other.point == outcome.point;
        auto bucket = [&](const Outcome &o) {
          return std::lround(decode(objective.format, o.point[size_t(clamp)]) /
                             kClampBucket);
        };
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

/// The descents that a file knows, by phase and index.
class poly::fit::detail::SearchState {
public:
  SearchState(const std::string &path, const std::string &key) {
    if (path.empty())
      return;
    std::ifstream in(path);
    std::string line;
    bool same = std::getline(in, line) && line == key;
    while (same && std::getline(in, line)) {
      std::istringstream fields(line);
      std::string phase, index, end;
      fields >> phase >> index;
      std::string rest;
      std::getline(fields, rest);
      // A line that was cut short lacks its end.
      if (rest.size() > 2 && rest.compare(rest.size() - 2, 2, " .") == 0)
        lines[phase + " " + index] = rest.substr(0, rest.size() - 2);
    }
    in.close();
    // Rewritten, so that a torn last line does not stay.
    out.open(path, std::ios::trunc);
    out << key << "\n";
    for (const auto &[name, rest] : lines)
      out << name << rest << " .\n";
    out.flush();
  }

  const std::string *find(const std::string &name) const {
    auto found = lines.find(name);
    return found == lines.end() ? nullptr : &found->second;
  }
  void add(const std::string &name, const std::string &rest) {
    if (out.is_open())
      (out << name << rest << " .\n").flush();
  }

private:
  std::map<std::string, std::string> lines;
  std::ofstream out;
};

template <typename Work>
void Search::phase(SearchState &state, const std::string &name, size_t count,
                   unsigned stride, double weight, Work work) {
  std::vector<Outcome> done(count);
  std::atomic<size_t> next{0};
  std::mutex mutex;
  size_t finished = 0;
  auto report = [&] {
    ++finished;
    if (options.progress)
      options.progress(progressBase +
                       weight * double(finished) / double(count));
  };
  auto worker = [&] {
    Scorer scorer(objective, stride);
    for (size_t i; (i = next++) < count;) {
      std::string key = name + " " + std::to_string(i);
      if (const std::string *line = state.find(key)) {
        std::istringstream fields(*line);
        Outcome outcome;
        std::string value, tie;
        fields >> value >> tie >> outcome.candidates;
        for (uint32_t bits; fields >> bits;)
          outcome.point.push_back(bits);
        outcome.score = {std::strtod(value.c_str(), nullptr),
                         std::strtod(tie.c_str(), nullptr)};
        if (outcome.point.size() == objective.placeholders.size()) {
          done[i] = std::move(outcome);
          std::lock_guard<std::mutex> lock(mutex);
          report();
          continue;
        }
      }
      std::seed_seq seeds{uint32_t(seed), uint32_t(seed >> 32),
                          uint32_t(name[0]), uint32_t(i)};
      std::mt19937_64 random(seeds);
      done[i] = work(scorer, i, random);
      std::ostringstream line;
      char number[64];
      std::snprintf(number, sizeof(number), " %a %a", done[i].score.value,
                    done[i].score.tie);
      line << number << " " << done[i].candidates;
      for (uint32_t bits : done[i].point)
        line << " " << bits;
      std::lock_guard<std::mutex> lock(mutex);
      state.add(key, line.str());
      report();
    }
  };
  size_t threads = std::min<size_t>(options.threads, count);
  std::vector<std::thread> pool;
  for (size_t t = 1; t < threads; ++t)
    pool.emplace_back(worker);
  worker();
  for (std::thread &thread : pool)
    thread.join();
  for (Outcome &outcome : done)
    keep(std::move(outcome));
  progressBase += weight;
}

void Search::run() {
  SearchState state(options.stateFile, options.stateKey);
  unsigned stride =
      unsigned(std::max<size_t>(1, objective.inputs.size() / kManyInputs));
  phase(state, "start", starts.size(), stride, 0.5,
        [&](Scorer &scorer, size_t i, std::mt19937_64 &random) {
          return descend(scorer, starts[i], random);
        });
  std::vector<Outcome> seeds = outcomes;
  phase(state, "walk", seeds.size(), stride, 0.4,
        [&](Scorer &scorer, size_t i, std::mt19937_64 &random) {
          return walk(scorer, seeds[i], random);
        });
  seeds.clear();
  std::swap(seeds, outcomes);
  phase(state, "full", seeds.size(), 1, 0.1,
        [&](Scorer &scorer, size_t i, std::mt19937_64 &random) {
          return descend(scorer, seeds[i].point, random);
        });
}

std::vector<double> Search::best() const {
  std::vector<double> values;
  for (uint32_t bits : outcomes.front().point)
    values.push_back(decode(objective.format, bits));
  return values;
}
