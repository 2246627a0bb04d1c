//===- Libdevice.cpp - Tell what a body computes --------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libdevice.h"

#include "poly/Program/Formats.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

namespace mlir::poly {

namespace {

using ::poly::Format;

/// No function of the table errs by more than 5 ulp (CUDA C++ Programming
/// Guide, mathematical functions appendix); special-function instructions,
/// which the interpreter replaces by exact ones, and flushed steps add a few.
constexpr double kUlps = 16;

double exactTanh(double x) { return std::tanh(x); }
double exactErf(double x) { return std::erf(x); }
double exactErfc(double x) { return std::erfc(x); }
double exactNormCdf(double x) {
  return std::erfc(-x / llvm::numbers::sqrt2) / 2;
}
double exactExp(double x) { return std::exp(x); }
double exactExp10(double x) { return std::pow(10, x); }
double exactExpM1(double x) { return std::expm1(x); }
double exactSinh(double x) { return std::sinh(x); }
double exactCosh(double x) { return std::cosh(x); }
double exactSquare(double x) { return x * x; }
double exactCube(double x) { return x * x * x; }
double exactCbrt(double x) { return std::cbrt(x); }
double exactRcbrt(double x) { return 1 / std::cbrt(x); }

/// The constants of one version of a function in NVIDIA's libdevice, as bits
/// of f32: what a body that the compiler inlined must contain. The search
/// starts at the first one, which stands in few other functions.
struct Fingerprint {
  StringRef function;
  double (*exact)(double);
  std::vector<uint32_t> constants;
};

const std::vector<Fingerprint> &fingerprints() {
  static const std::vector<Fingerprint> table = {
      // tanhf: odd polynomial below 0.6, 1 - 2 / (exp(2|x|) + 1) up to 9.01.
      {"tanh",
       exactTanh,
       {0x3c80f082, 0xbd563cae, 0x3e085941, 0xbeaaa9ed, 0x3f19999a, 0x4038aa3b,
        0x41102cb4}},
      // erff: two polynomials meeting at 1.00295. CUDA 12, as in Triton 3.6.
      {"erf",
       exactErf,
       {0x3789ca3c, 0x3f8060fe, 0x3f20d842, 0x3e0375d3, 0x3f6a937e, 0xbec093ac,
        0x3e1cf906, 0x3de718af, 0xbd0c8162, 0xbcdc1be7, 0x3bac840b, 0x3baad5ea,
        0xb9f560b9, 0xba574d20, 0x38b1e96a}},
      // erff of CUDA 13.
      {"erf",
       exactErf,
       {0x38eb4c3a, 0x3f8060fe, 0x38b1e96a, 0xbaae005b, 0xba574d20, 0x3c09919f,
        0x3baad5ea, 0xbd24d99a, 0xbcdc1be7, 0x3e235519, 0x3de718af, 0x3f69b4f9,
        0xbec093ac, 0x3f210a14, 0x3e0375d3}},
      // expf: log2(e) in two parts, and 1.5 * 2^23 + 1 to round to an integer.
      {"exp",
       exactExp,
       {0x32a57060, 0x3fb8aa3b, 0x3bbb989d, 0x437c0000, 0x4b400001}},
      // exp10f: the same with log2(10).
      {"exp10", exactExp10, {0x33979a37, 0x40549a78, 0x437c0000, 0x4b400001}},
      // expm1f: ln(2) in two parts, and a polynomial.
      {"expm1",
       exactExpM1,
       {0x3ab5ebe6, 0x3c095663, 0x3d2aabe3, 0x3e2aa9f6, 0x3efffffe, 0x3f317200,
        0x35bfbe8e}},
      // sinhf: a polynomial for |x| < 1, beyond it half the exponential.
      {"sinh",
       exactSinh,
       {0x363d0ada, 0x394fff49, 0x3c08889a, 0x3e2aaaab, 0xbf317218,
        0x3102e308}},
      // coshf: 2 e + 0.125 / e, where e = exp(|x|) / 4.
      {"cosh", exactCosh, {0x4b40007d, 0xbf317218, 0x3102e308}},
      // erfcf: a polynomial in (|x| - 4) / (|x| + 4), times exp(-x^2).
      {"erfc",
       exactErfc,
       {0x3a69a091, 0x3be6e05b, 0xbc81fb4b, 0x3d15373b, 0xbd887c5a, 0x3dc021d5,
        0xbdced424, 0x3d8b74de, 0x3c7bf170, 0xbe0ef8d4, 0x3f9dd2c9}},
      // normcdff: half of it, at -x / sqrt(2) in two parts.
      {"normcdf",
       exactNormCdf,
       {0xbf3504f3, 0xb24fe77a, 0x3a69a091, 0x3be6e05b, 0x3f9dd2c9}},
      // powf of a constant 2 or 3: log2(x) in two parts, then exp2.
      {"square",
       exactSquare,
       {0x3a2c32e4, 0x3b52e7db, 0x3c93bb73, 0x3df6384f, 0x391fcb8e, 0x3aaf85ed,
        0x3c1d9856, 0x3d6357bb, 0x3e75fdec}},
      {"cube",
       exactCube,
       {0x3a2c32e4, 0x3b52e7db, 0x3c93bb73, 0x3df6384f, 0x391fcb8e, 0x3aaf85ed,
        0x3c1d9856, 0x3d6357bb, 0x3e75fdec}},
      // cbrtf and rcbrtf: exp2(log2(|x|) / 3) and a step of Newton's method.
      {"cbrt", exactCbrt, {0x3eaaaaab}},
      {"rcbrt", exactRcbrt, {0x3eaaaaab}},
  };
  return table;
}

/// All patterns of a narrow format, widened when the body's argument is f32.
std::vector<uint32_t> allArguments(Format from, const GraphType &type) {
  const ::poly::FormatTraits &layout = ::poly::traits(from);
  std::vector<uint32_t> arguments(
      size_t(1) << (1 + layout.exponentBits + layout.mantissaBits));
  for (uint32_t bits = 0; bits < arguments.size(); ++bits) {
    arguments[bits] = bits;
    if (type.format == Format::F32) {
      auto wide = static_cast<float>(::poly::decode(from, bits));
      std::memcpy(&arguments[bits], &wide, sizeof(wide));
    }
  }
  return arguments;
}

double decodeArgument(const UnaryBody &body, uint32_t bits) {
  return ::poly::decode(*body.type.format, bits);
}

bool matches(const UnaryBody &body, ArrayRef<uint32_t> arguments,
             ArrayRef<uint32_t> results, double (*exact)(double)) {
  for (auto [argument, result] : llvm::zip_equal(arguments, results))
    if (!isAccurate(result, exact(decodeArgument(body, argument)), kUlps))
      return false;
  return true;
}

/// Arguments at which the known functions, and what leads up to them, differ.
std::vector<uint32_t> probes(const UnaryBody &body) {
  std::vector<uint32_t> result;
  for (double x : {0.75, -0.3125, 1.75, -3.5, 0.0625, 12.0})
    result.push_back(::poly::encode(*body.type.format, x));
  return result;
}

Recognised compareAnew(const UnaryBody &body, Format from) {
  Recognised none;
  // The result is read as f32.
  if (body.nodes.back().type.format != Format::F32 || !body.type.format)
    return none;
  std::vector<uint32_t> few = probes(body);
  std::vector<uint32_t> fewResults = evaluate(body, few);
  for (const Fingerprint &entry : fingerprints()) {
    if (!matches(body, few, fewResults, entry.exact))
      continue;
    bool isExhaustive = from != Format::F32;
    if (!isExhaustive && !body.hasConstants(entry.constants))
      continue;
    std::vector<uint32_t> arguments = isExhaustive
                                          ? allArguments(from, body.type)
                                          : denseArguments(entry.constants);
    if (matches(body, arguments, evaluate(body, arguments), entry.exact))
      return {entry.function,
              isExhaustive ? Evidence::Exhaustive : Evidence::Sampled};
  }
  return none;
}

} // namespace

bool isKeyConstant(uint32_t bits) {
  return llvm::any_of(fingerprints(), [&](const Fingerprint &entry) {
    return entry.constants.front() == bits;
  });
}

std::vector<uint32_t> denseArguments(ArrayRef<uint32_t> centers) {
  std::vector<uint32_t> arguments;
  constexpr uint32_t kSign = 0x80000000;
  constexpr uint32_t kSignificands = 48;
  auto add = [&](uint32_t bits) {
    arguments.push_back(bits & ~kSign);
    arguments.push_back(bits | kSign);
  };
  for (uint32_t exponent = 0; exponent < 255; ++exponent)
    for (uint32_t i = 0; i < kSignificands; ++i) {
      // Spread over the binade, with low bits that vary.
      uint32_t fraction = i * ((1u << 23) / kSignificands) + i * i * 131;
      add(exponent << 23 | (fraction & 0x7fffff));
    }
  for (uint32_t special : {0x00000001u, 0x007fffffu, 0x00800000u, 0x7f7fffffu,
                           0x7f800000u, 0x7fc00000u, 0x7f800001u, 0x3f800000u})
    add(special);
  constexpr uint32_t kNeighbours = 32;
  for (uint32_t center : centers)
    for (uint32_t offset = 0; offset <= 2 * kNeighbours; ++offset)
      add((center & ~kSign) + offset - kNeighbours);
  return arguments;
}

bool isAccurate(uint32_t got, double expected, double ulps) {
  double value = ::poly::decode(Format::F32, got);
  if (std::isnan(expected) || std::isnan(value))
    return std::isnan(expected) && std::isnan(value);
  constexpr double kLargest = 0x1.fffffep127;
  constexpr double kSmallestNormal = 0x1p-126;
  if (std::isinf(value))
    return std::signbit(value) == std::signbit(expected) &&
           std::abs(expected) > kLargest * (1 - ulps * 0x1p-23);
  if (std::isinf(expected) || std::abs(expected) > kLargest * (1 + 0x1p-24))
    return std::abs(value) > kLargest * (1 - ulps * 0x1p-23) &&
           std::signbit(value) == std::signbit(expected);
  double error = std::abs(value - expected);
  // The argument may be flushed as well as the result.
  return error <= 2 * kSmallestNormal ||
         error <= ulps * 0x1p-23 * std::abs(expected);
}

Recognised BodyComparer::compare(const UnaryBody &body, Format from) {
  std::string key = body.key() + static_cast<char>(from);
  auto it = seen.find(key);
  if (it == seen.end())
    it = seen.emplace(key, compareAnew(body, from)).first;
  return it->second;
}

} // namespace mlir::poly
