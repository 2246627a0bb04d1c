//===- Certify.cpp - What a Program does on every input -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Certify.h"

#include "poly/Program/Exponentials.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Replay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

using namespace poly;

//===----------------------------------------------------------------------===//
// Accuracy
//===----------------------------------------------------------------------===//

bool poly::parseAccuracy(std::string_view text, Accuracy &accuracy,
                         std::string &error) {
  Accuracy parsed;
  if (text.empty()) {
    error = "the accuracy is empty; write for example 'atol=1e-2,rtol=1e-3'";
    return false;
  }
  bool seen[3] = {false, false, false};
  // ':' separates as well, for pass options, which may not hold a comma.
  while (true) {
    size_t end = std::min(text.find_first_of(",:"), text.size());
    std::string item(text.substr(0, end));
    size_t equal = item.find('=');
    std::string key = item.substr(0, equal);
    unsigned index = key == "atol" ? 0 : key == "rtol" ? 1 : 2;
    double *slots[3] = {&parsed.atol, &parsed.rtol, &parsed.ulps};
    if (equal == std::string::npos ||
        (key != "atol" && key != "rtol" && key != "ulps")) {
      error =
          "'" + item + "' is not one of atol=NUMBER, rtol=NUMBER, ulps=NUMBER";
      return false;
    }
    if (seen[index]) {
      error = "'" + key + "' is given twice";
      return false;
    }
    seen[index] = true;
    std::string digits = item.substr(equal + 1);
    char *parsedTo = nullptr;
    double value = std::strtod(digits.c_str(), &parsedTo);
    // strtod would skip leading space.
    if (digits.empty() || std::isspace((unsigned char)digits[0]) ||
        *parsedTo != '\0') {
      error = "'" + digits + "' is not a number (" + key + ")";
      return false;
    }
    if (!std::isfinite(value) || value < 0) {
      error = key + " must be finite and not negative, not '" + digits + "'";
      return false;
    }
    *slots[index] = value;
    if (end == text.size())
      break;
    text.remove_prefix(end + 1);
  }
  if (parsed.atol == 0 && parsed.rtol == 0 && parsed.ulps == 0) {
    error = "an accuracy of zero cannot be met; give a positive atol, rtol or "
            "ulps";
    return false;
  }
  accuracy = parsed;
  return true;
}

std::string poly::toString(const Accuracy &accuracy) {
  std::string text;
  const std::pair<const char *, double> items[] = {{"atol", accuracy.atol},
                                                   {"rtol", accuracy.rtol},
                                                   {"ulps", accuracy.ulps}};
  for (const auto &[key, value] : items) {
    if (value == 0)
      continue;
    // The shortest digits that read back as the same number.
    char digits[40];
    for (int precision = 1; precision <= 17; ++precision) {
      std::snprintf(digits, sizeof(digits), "%.*g", precision, value);
      if (std::strtod(digits, nullptr) == value)
        break;
    }
    text += (text.empty() ? "" : ",") + std::string(key) + "=" + digits;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Orders bit patterns by value: -Inf first, -0 directly before +0.
static uint32_t orderKey(const FormatTraits &traits, uint32_t bits) {
  return (bits & traits.signMask) ? ~bits & (traits.signMask - 1)
                                  : bits | traits.signMask;
}

/// Whether certify()'s set is all that a site may feed the program: a program
/// that rounds its f32 arguments is for arguments that rounding leaves alone.
static bool isExhaustive(const ProgramInfo &info) {
  return info.from != Format::F32 || info.roundsInput;
}

/// Sorts by value and drops duplicates.
static void sortInputs(const FormatTraits &traits,
                       std::vector<uint32_t> &inputs) {
  for (uint32_t &bits : inputs)
    bits = orderKey(traits, bits);
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  for (uint32_t &key : inputs)
    key = key & traits.signMask ? key & ~traits.signMask
                                : ~key & (2 * traits.signMask - 1);
}

/// The f32 numbers and infinities of certify()'s set, ascending.
static std::vector<uint32_t> makeF32Inputs(bool isExponential, bool isTurn,
                                           unsigned f32Samples) {
  const FormatTraits &t = traits(Format::F32);
  std::vector<uint32_t> inputs;
  for (uint32_t bits = 0; bits < 0x10000u; ++bits)
    for (Format narrow : {Format::BF16, Format::F16})
      if (!isNaN(narrow, bits))
        inputs.push_back(encode(Format::F32, decode(narrow, bits)));
  // Equal steps over the patterns are equal shares for every exponent; the
  // offset keeps them off numbers with short mantissas.
  for (unsigned i = 0; i < f32Samples; ++i) {
    uint32_t bits =
        uint32_t(((uint64_t(i) << 32) + (uint64_t(1) << 31)) / f32Samples);
    if (!isNaN(Format::F32, bits))
      inputs.push_back(bits);
  }
  // An exponential's results live between arguments of moderate size, where
  // equal shares of the exponents are few.
  if (isExponential)
    for (double reach : {16.0, 160.0})
      for (unsigned i = 0; i < f32Samples / 2; ++i)
        inputs.push_back(encode(
            Format::F32, (2 * (i + 0.5) / (f32Samples / 2) - 1) * reach));
  // A small error relative to the result is hardest next to the zeros of sine
  // and cosine, where the patterns of the argument are sparse.
  if (isTurn) {
    // Fixed-point phases are spread evenly over the turn.
    for (unsigned i = 0; i < f32Samples; ++i)
      inputs.push_back(encode(Format::F32, (i + 0.5) / f32Samples - 0.5));
    for (double zero : {0.25, 0.5})
      for (uint32_t bits = 0; bits < 0x8000u; ++bits)
        for (int sign : {-1, 1}) {
          double distance = decode(Format::BF16, bits);
          if (!(distance > 0x1p-26 && distance < 0.25))
            continue;
          for (int side : {-1, 1})
            inputs.push_back(
                encode(Format::F32, side * (zero + sign * distance)));
        }
  }
  // The limits of the format.
  for (uint32_t bits : {0x00000001u, 0x007fffffu, 0x00800000u, 0x7f7fffffu})
    for (uint32_t sign : {0u, t.signMask})
      inputs.push_back(bits | sign);
  sortInputs(t, inputs);
  return inputs;
}

/// makeF32Inputs() once for each kind of function: it takes longer than the
/// replay of a short program, and a planner asks hundreds of times.
static const std::vector<uint32_t> &f32Inputs(const ProgramInfo &info,
                                              unsigned f32Samples) {
  static std::mutex mutex;
  static std::map<std::tuple<bool, bool, unsigned>, std::vector<uint32_t>> sets;
  auto key = std::tuple(isExponential(info.function), isTurn(info.function),
                        f32Samples);
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] = sets.try_emplace(key);
  if (isNew)
    it->second = makeF32Inputs(std::get<0>(key), std::get<1>(key), f32Samples);
  return it->second;
}

/// All numbers and infinities of certify()'s set, ascending.
static std::vector<uint32_t> testedInputs(const ProgramInfo &info,
                                          unsigned f32Samples) {
  Format format = info.from;
  std::vector<uint32_t> inputs;
  if (isExhaustive(info)) {
    Format narrow = info.roundsInput ? info.to : format;
    for (uint32_t bits = 0; bits < 0x10000u; ++bits)
      if (!isNaN(narrow, bits))
        inputs.push_back(encode(format, decode(narrow, bits)));
    sortInputs(traits(format), inputs);
  } else {
    inputs = f32Inputs(info, f32Samples);
  }
  if (std::isfinite(info.domainLow) || std::isfinite(info.domainHigh))
    inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                                [&](uint32_t bits) {
                                  double x = decode(format, bits);
                                  return x < info.domainLow ||
                                         x > info.domainHigh;
                                }),
                 inputs.end());
  return inputs;
}

static std::vector<uint32_t> replayAll(const Program &program,
                                       const std::vector<uint32_t> &inputs) {
  std::vector<uint32_t> outputs(inputs.size());
  replayElements(program, inputs.data(), outputs.data(), inputs.size());
  return outputs;
}

/// The outputs under the model, then at every corner of the bounds of the
/// special function instructions that the program has.
static std::vector<std::vector<uint32_t>>
replayCorners(const Program &program, const std::vector<uint32_t> &inputs) {
  int ex2 = 0, rcp = 0, tanh = 0, trig = 0;
  for (const Node &node : program.nodes()) {
    ex2 |= node.op == Op::Ex2Approx || node.op == Op::Ex2ApproxFtz;
    rcp |= node.op == Op::RcpApprox || node.op == Op::RcpApproxFtz;
    tanh |= node.op == Op::TanhApprox;
    trig |= node.op == Op::SinApprox || node.op == Op::CosApprox;
  }
  std::vector<std::vector<uint32_t>> corners = {replayAll(program, inputs)};
  for (int e = -ex2; e <= ex2; e += 2)
    for (int r = -rcp; r <= rcp; r += 2)
      for (int t = -tanh; t <= tanh; t += 2)
        for (int s = -trig; s <= trig; s += 2) {
          sfu::Deviation deviation{e, r, t, s};
          if (deviation.isNone())
            continue;
          std::vector<uint32_t> &outputs = corners.emplace_back(inputs.size());
          replayElements(program, inputs.data(), outputs.data(), inputs.size(),
                         deviation);
        }
  return corners;
}

/// |result - truth| where a true value that rounds to infinity makes infinity
/// of its sign right, and any other infinity or NaN infinitely wrong.
static double absoluteError(Format format, uint32_t result, double truth) {
  double value = decode(format, result);
  if (std::isfinite(value))
    return std::fabs(value - truth);
  bool right = isInf(format, encode(format, truth)) && isInf(format, result) &&
               std::signbit(value) == std::signbit(truth);
  return right ? 0 : std::numeric_limits<double>::infinity();
}

/// The largest absoluteError() over the corners for input \p i.
static double worstError(Format format,
                         const std::vector<std::vector<uint32_t>> &corners,
                         size_t i, double truth) {
  double worst = 0;
  for (const std::vector<uint32_t> &outputs : corners)
    worst = std::max(worst, absoluteError(format, outputs[i], truth));
  return worst;
}

//===----------------------------------------------------------------------===//
// Certify
//===----------------------------------------------------------------------===//

static bool usesSfu(const Program &program) {
  return std::any_of(program.nodes().begin(), program.nodes().end(),
                     [](const Node &node) { return isSfu(node.op); });
}

/// Never decreasing over ascending inputs; false at any NaN.
static bool isMonotone(Format format, const std::vector<uint32_t> &outputs) {
  double last = -std::numeric_limits<double>::infinity();
  for (uint32_t bits : outputs) {
    double value = decode(format, bits);
    if (!(value >= last))
      return false;
    last = value;
  }
  return true;
}

static bool isSymmetric(const Program &program,
                        const std::vector<uint32_t> &inputs,
                        const std::vector<uint32_t> &outputs) {
  const ProgramInfo &info = program.info();
  const FormatTraits &from = traits(info.from), &to = traits(info.to);
  std::vector<uint32_t> negated(inputs);
  for (uint32_t &bits : negated)
    bits ^= from.signMask;
  std::vector<uint32_t> mirrored = replayAll(program, negated);
  double oneUlp = ulp(info.to, 1.0);
  for (size_t i = 0; i < inputs.size(); ++i) {
    switch (traits(info.function).symmetry) {
    case Symmetry::None:
      return false;
    case Symmetry::Odd:
      if (mirrored[i] != (outputs[i] ^ to.signMask))
        return false;
      break;
    case Symmetry::Even:
      if (mirrored[i] != outputs[i])
        return false;
      break;
    case Symmetry::Complement: {
      double sum = decode(info.to, mirrored[i]) + decode(info.to, outputs[i]);
      if (!(std::fabs(sum - 1) <= oneUlp))
        return false;
      break;
    }
    }
  }
  return true;
}

static bool propagatesNaN(const Program &program) {
  const ProgramInfo &info = program.info();
  const FormatTraits &from = traits(info.from);
  uint32_t largest = from.signMask - 1;
  std::vector<uint32_t> patterns;
  // Every NaN of a 16-bit format; a spread of payloads in f32.
  uint32_t step = info.from == Format::F32 ? 0x1357u : 1u;
  for (uint32_t bits = from.infinity + 1; bits <= largest; bits += step) {
    patterns.push_back(bits);
    patterns.push_back(bits | from.signMask);
  }
  patterns.push_back(largest);
  patterns.push_back(largest | from.signMask);
  std::vector<uint32_t> outputs = replayAll(program, patterns);
  return std::all_of(outputs.begin(), outputs.end(),
                     [&](uint32_t bits) { return isNaN(info.to, bits); });
}

Certificate poly::certify(const Program &program, unsigned f32Samples) {
  constexpr double kLog2E = 1.4426950408889634074;
  const ProgramInfo &info = program.info();
  const FormatTraits &from = traits(info.from);
  Certificate certificate;
  certificate.exhaustive = isExhaustive(info);
  certificate.sfuModel = usesSfu(program);

  std::vector<uint32_t> inputs = testedInputs(info, f32Samples);
  std::vector<std::vector<uint32_t>> corners = replayCorners(program, inputs);
  const std::vector<uint32_t> &outputs = corners.front();
  double minNormal = std::ldexp(1.0, traits(info.to).minExponent);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (isInf(info.from, inputs[i]))
      continue;
    ++certificate.inputs;
    double x = decode(info.from, inputs[i]);
    double truth = reference(info, x);
    double error = worstError(info.to, corners, i, truth);
    if (error > certificate.maxAbs) {
      certificate.maxAbs = error;
      certificate.worstAbsInput = x;
    }
    if (std::fabs(truth) >= minNormal &&
        error / std::fabs(truth) > certificate.maxRel) {
      certificate.maxRel = error / std::fabs(truth);
      certificate.worstRelInput = x;
    }
    if (isExponential(info.function) && truth >= minNormal &&
        !isInf(info.to, encode(info.to, truth))) {
      double slope = info.function == Function::Exp ? kLog2E : 1.0;
      for (const std::vector<uint32_t> &results : corners) {
        // Through the exponent, because 2^x rounds.
        double octave = std::log2(decode(info.to, results[i])) - x * slope;
        certificate.octaveLow = std::min(certificate.octaveLow, octave);
        certificate.octaveHigh = std::max(certificate.octaveHigh, octave);
      }
    }
    double ulps = error / ulp(info.to, truth);
    if (ulps > certificate.maxUlp) {
      certificate.maxUlp = ulps;
      certificate.worstUlpInput = x;
    }
  }

  certificate.monotone =
      traits(info.function).increasing && isMonotone(info.to, outputs);
  certificate.symmetric = traits(info.function).symmetry != Symmetry::None &&
                          isSymmetric(program, inputs, outputs);
  certificate.propagatesNaN = propagatesNaN(program);
  certificate.special = {replayElement(program, from.canonicalNaN),
                         replayElement(program, from.infinity),
                         replayElement(program, from.infinity | from.signMask),
                         replayElement(program, 0),
                         replayElement(program, from.signMask)};
  return certificate;
}

bool poly::meets(const Program &program, const Accuracy &accuracy,
                 double *offender, unsigned f32Samples) {
  const ProgramInfo &info = program.info();
  std::vector<uint32_t> inputs = testedInputs(info, f32Samples);
  double minNormal = std::ldexp(1.0, traits(info.to).minExponent);
  // In pieces, because most programs that miss a budget do so early.
  constexpr size_t kPiece = 4096;
  for (size_t begin = 0; begin < inputs.size(); begin += kPiece) {
    std::vector<uint32_t> piece(inputs.begin() + begin,
                                inputs.begin() +
                                    std::min(begin + kPiece, inputs.size()));
    std::vector<std::vector<uint32_t>> corners = replayCorners(program, piece);
    for (size_t i = 0; i < piece.size(); ++i) {
      if (isInf(info.from, piece[i]))
        continue;
      double x = decode(info.from, piece[i]);
      double truth = reference(info, x);
      double magnitude = std::max(std::fabs(truth), minNormal);
      double allowed = std::max({accuracy.atol, accuracy.rtol * magnitude,
                                 accuracy.ulps * ulp(info.to, truth)});
      if (worstError(info.to, corners, i, truth) <= allowed)
        continue;
      if (offender)
        *offender = x;
      return false;
    }
  }
  return true;
}
