//===- Softmax.cpp - Exponentials as attention sees them ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Measures programs as softmax weights on synthetic rows of scores: normal
/// scores of a stated standard deviation (nats), exponents from the row maximum
/// in f32, normal values V. With w the program's weights, q = w / sum w and p
/// the exact softmax, the measures are those of arXiv:2609.33586, Appendix A.8
/// and B.2: the octave error of w; log2(q / p), which the normalisation bounds
/// by the width of the octave envelope only; its value at the row maximum; the
/// L1 distance of a row; the signed leakage out of S_0.9, Eq. (24); and the
/// pooled relative RMS of the output, Eq. (25).
///
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "poly/Program/Formats.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace poly;
using llvm::outs;

namespace {

constexpr double kLog2E = 1.4426950408889634074;

struct Options {
  unsigned rows = 64, keys = 2048, width = 16;
  uint64_t seed = 1;
};

/// The smallest, the mean and the largest of something.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double sum = 0;
  uint64_t count = 0;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
    ++count;
  }
  double mean() const { return count ? sum / double(count) : 0; }
};

struct Measures {
  Range octave;    ///< log2(w / 2^x) where both are normal numbers.
  Range rowSum;    ///< sum w / sum 2^x.
  Range ratio;     ///< log2(q / p) on the same elements.
  Range atMaximum; ///< log2(q / p) at the row maximum.
  Range distance;  ///< L1 of a row.
  Range leakage;   ///< p(S_0.9) - q(S_0.9).
  double outputError = 0;
  /// Share of the exact mass whose weight is zero.
  double lostMass = 0;
  /// Rows in which no weight is above the one at the exact maximum.
  unsigned maximumKept = 0;
};

/// Portable, unlike std::normal_distribution.
class Normal {
public:
  explicit Normal(uint64_t seed) : engine(seed) {}
  double operator()() {
    double u = (double(engine() >> 11) + 0.5) * 0x1p-53;
    double v = double(engine() >> 11) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

private:
  std::mt19937_64 engine;
};

/// Powers of two that the weights are held at, so that 8-bit results use their
/// range: as far up as the program's domain allows, at most 2^8.
double offsetOf(const ProgramInfo &info) {
  if (elementBits(info.to) != 8)
    return 0;
  return std::min(8.0,
                  std::floor(info.domainHigh *
                             (info.function == Function::Exp ? kLog2E : 1)));
}

std::vector<double> weights(const Program &program,
                            const std::vector<double> &exponents) {
  const ProgramInfo &info = program.info();
  double offset = offsetOf(info);
  std::vector<uint32_t> in, out(exponents.size());
  for (double x : exponents) {
    float argument = float(x + offset);
    if (info.function == Function::Exp)
      argument = float((x + offset) / kLog2E);
    in.push_back(encode(info.from, argument));
  }
  replayElements(program, in.data(), out.data(), in.size());
  std::vector<double> result;
  for (uint32_t bits : out)
    result.push_back(std::ldexp(decode(info.to, bits), -int(offset)));
  return result;
}

Measures measure(const Program &program, double spread,
                 const Options &options) {
  Normal normal(options.seed);
  Measures m;
  double offset = offsetOf(program.info());
  double errorSquares = 0, squares = 0, lost = 0;
  std::vector<double> scores(options.keys), x(options.keys), p(options.keys);
  std::vector<double> values(size_t(options.keys) * options.width);
  for (unsigned row = 0; row < options.rows; ++row) {
    for (double &score : scores)
      score = float(spread * normal());
    for (double &value : values)
      value = normal();
    size_t top =
        size_t(std::max_element(scores.begin(), scores.end()) - scores.begin());
    double exactSum = 0;
    for (unsigned j = 0; j < options.keys; ++j) {
      x[j] = float((scores[j] - scores[top]) * kLog2E);
      p[j] = std::exp2(x[j]);
      exactSum += p[j];
    }
    std::vector<double> w = weights(program, x);
    double sum = std::accumulate(w.begin(), w.end(), 0.0);
    m.rowSum.add(sum / exactSum);
    m.maximumKept += *std::max_element(w.begin(), w.end()) <= w[top];
    double distance = 0;
    for (unsigned j = 0; j < options.keys; ++j) {
      double exact = p[j] / exactSum, q = w[j] / sum;
      distance += std::fabs(exact - q);
      if (w[j] == 0)
        lost += exact;
      // Below the format's normal range the error is absolute.
      if (w[j] <= 0 || x[j] + offset < traits(program.info().to).minExponent)
        continue;
      m.octave.add(std::log2(w[j]) - x[j]);
      m.ratio.add(std::log2(q / exact));
    }
    m.distance.add(distance);
    m.atMaximum.add(std::log2(w[top] / sum / (p[top] / exactSum)));
    // The shortest prefix in descending order whose mass reaches 0.9.
    std::vector<unsigned> order(options.keys);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      return p[a] != p[b] ? p[a] > p[b] : a < b;
    });
    double massP = 0, massQ = 0;
    for (unsigned j : order) {
      if (massP >= 0.9)
        break;
      massP += p[j] / exactSum;
      massQ += w[j] / sum;
    }
    m.leakage.add(massP - massQ);
    for (unsigned c = 0; c < options.width; ++c) {
      double y = 0, approximate = 0;
      for (unsigned j = 0; j < options.keys; ++j) {
        double value = values[size_t(j) * options.width + c];
        y += p[j] / exactSum * value;
        approximate += w[j] / sum * value;
      }
      errorSquares += (approximate - y) * (approximate - y);
      squares += y * y;
    }
  }
  m.outputError = std::sqrt(errorSquares / squares);
  m.lostMass = lost / options.rows;
  return m;
}

llvm::json::Array toJson(const Range &range) {
  return llvm::json::Array({range.low, range.mean(), range.high});
}

const char *const kDefaultPrograms[] = {
    "exp2-sfuweight-f32",       "exp2-d3weight-f32",
    "exp2-d2weight-f32",        "exp2-hingeweight-f32",
    "exp2-d1weight-f32",        "exp2-h15-f32",
    "exp2-lattice2-f32",        "exp2-lattice3-f32",
    "exp2-lattice0-f32",        "exp2-pot20-f32",
    "exp2-lattice7-f32-bf16x2", "exp2-lattice7sat-f32-bf16x2",
    "exp2-lattice10-f32-f16x2", "exp2-lattice3-f32-e4m3x4",
    "exp2-lattice3-f16-e4m3x4"};

} // namespace

int softmaxMain(int argc, char **argv) {
  Options options;
  std::vector<double> spreads = {1, 2, 4, 8};
  std::string output;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    auto number = [&](llvm::StringRef key, unsigned &value) {
      if (!argument.consume_front(key))
        return false;
      if (argument.getAsInteger(10, value) || value == 0)
        value = 0;
      return true;
    };
    unsigned seed = 1;
    if (argument == "--help") {
      outs()
          << "poly-fit softmax [--spread=1,2,4,8] [--rows=64] [--keys=2048]\n"
             "                 [--width=16] [--seed=1] [--json=FILE] "
             "[PROGRAM...]\n"
             "Measures programs of exp2 or exp as softmax weights on "
             "synthetic rows.\n";
      return 0;
    }
    if (number("--rows=", options.rows) || number("--keys=", options.keys) ||
        number("--width=", options.width))
      continue;
    if (number("--seed=", seed)) {
      options.seed = seed;
      if (seed == 0)
        return fail("--seed takes a positive integer");
      continue;
    }
    if (argument.consume_front("--json=")) {
      output = argument.str();
      continue;
    }
    if (argument.consume_front("--spread=")) {
      spreads.clear();
      llvm::SmallVector<llvm::StringRef> parts;
      argument.split(parts, ',');
      for (llvm::StringRef part : parts) {
        double value = 0;
        if (part.getAsDouble(value) || !(value > 0 && value < 1000))
          return fail("--spread takes positive numbers, not '" + part + "'");
        spreads.push_back(value);
      }
      continue;
    }
    if (argument.starts_with("-"))
      return fail("unknown option '" + argument + "'; see --help");
    names.push_back(argument.str());
  }
  if (!options.rows || !options.keys || !options.width)
    return fail("--rows, --keys and --width take positive integers");
  if (uint64_t(options.keys) * options.width > (1u << 24) ||
      options.rows > 100000)
    return fail("at most 100000 rows and 2^24 values a row");
  if (names.empty())
    names.assign(std::begin(kDefaultPrograms), std::end(kDefaultPrograms));

  std::vector<const RegisteredProgram *> programs;
  for (const std::string &name : names) {
    const RegisteredProgram *registered = findProgram(name);
    if (!registered)
      return fail("unknown program '" + llvm::Twine(name) +
                  "'; poly-expect --table prints the shipped ones");
    const ProgramInfo &info = registered->program.info();
    if (info.function != Function::Exp2 && info.function != Function::Exp)
      return fail("'" + llvm::Twine(name) + "' evaluates " +
                  llvm::Twine(poly::name(info.function).data()) +
                  "; softmax weights are exp2 or exp");
    programs.push_back(registered);
  }

  llvm::json::Array rows;
  outs() << "program, spread | octave error | row sum | log2(q/p) | at maximum "
            "| L1 | leakage | output error | lost mass | maximum kept\n";
  for (const RegisteredProgram *registered : programs) {
    const std::string &name = registered->program.name();
    for (double spread : spreads) {
      Measures m = measure(registered->program, spread, options);
      outs() << llvm::format(
          "%s, %g | %+.4f %+.4f | %.4f %.4f %.4f | %+.4f %+.4f | %+.4f | %.2e "
          "%.2e | %+.2e | %.2e | %.1e | %u/%u\n",
          name.c_str(), spread, m.octave.low, m.octave.high, m.rowSum.low,
          m.rowSum.mean(), m.rowSum.high, m.ratio.low, m.ratio.high,
          m.atMaximum.mean(), m.distance.mean(), m.distance.high,
          m.leakage.mean(), m.outputError, m.lostMass, m.maximumKept,
          options.rows);
      rows.push_back(
          llvm::json::Object{{"program", name},
                             {"spreadNats", spread},
                             {"octaveError", toJson(m.octave)},
                             {"rowSumRatio", toJson(m.rowSum)},
                             {"log2Ratio", toJson(m.ratio)},
                             {"log2RatioAtMaximum", toJson(m.atMaximum)},
                             {"l1", toJson(m.distance)},
                             {"leakage90", toJson(m.leakage)},
                             {"outputError", m.outputError},
                             {"lostMass", m.lostMass},
                             {"maximumKept", int64_t(m.maximumKept)}});
    }
  }
  if (output.empty())
    return 0;
  llvm::json::Object report{{"rows", int64_t(options.rows)},
                            {"keys", int64_t(options.keys)},
                            {"width", int64_t(options.width)},
                            {"seed", int64_t(options.seed)},
                            {"measures", std::move(rows)}};
  return writeFile(
      output,
      llvm::formatv("{0:2}\n", llvm::json::Value(std::move(report))).str());
}
