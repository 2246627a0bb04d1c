//===- Shipped.cpp - Which polynomials ship -------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The polynomial programs on the Pareto front of error against issue slots,
/// as `poly-fit report` shows it.
///
//===----------------------------------------------------------------------===//

#include "poly/Fit/Tables.h"

using namespace poly;
using namespace poly::fit;

namespace {

struct Form {
  unsigned degree;
  bool exactTail = true;
  bool centered = false;
  bool odd = false; ///< In x^2.
};

// In f16 |x| costs nothing, in bf16 an instruction. A cubic gains nothing from
// a free tail; x times an error needs an exact one. From degree 5 on a center
// is what keeps roundings small.
const std::vector<Form> kSaturatingBF16 = {
    {3}, {4}, {4, false}, {5, true, true}, {6, true, true}};
const std::vector<Form> kSaturatingF16 = {
    {3}, {4}, {4, false}, {5}, {6, true, true}};
const std::vector<Form> kSiluBF16 = {{3}, {4}, {4, true, true}};
const std::vector<Form> kSiluF16 = {{3}, {4}, {6, true, true}};
const std::vector<Form> kGeluBF16 = {{3}, {4}};
const std::vector<Form> kGeluF16 = {{3}, {4}, {5}};
const std::vector<Form> kEvenBF16 = {{4, false, false, true},
                                     {6, false, false, true},
                                     {4, false},
                                     {5, false, true}};
const std::vector<Form> kEvenF16 = {{3, false}, {4, false}, {5, false, true}};
const std::vector<Form> kDSilu = {{3, false}, {5, false}, {6, false, true}};
const std::vector<Form> kDGeluBF16 = {
    {3, false}, {7, false, false, true}, {5, false, true}};
const std::vector<Form> kDGeluF16 = {{3, false}, {5, false}, {6, false, true}};

const std::vector<Form> &formsOf(Function function, Format format) {
  bool bf16 = format == Format::BF16;
  switch (function) {
  case Function::Silu:
    return bf16 ? kSiluBF16 : kSiluF16;
  case Function::GeluErf:
  case Function::GeluTanh:
    return bf16 ? kGeluBF16 : kGeluF16;
  case Function::DSigmoid:
  case Function::DTanh:
    return bf16 ? kEvenBF16 : kEvenF16;
  case Function::DSilu:
    return kDSilu;
  case Function::DGeluErf:
  case Function::DGeluTanh:
    return bf16 ? kDGeluBF16 : kDGeluF16;
  default:
    return bf16 ? kSaturatingBF16 : kSaturatingF16;
  }
}

/// n of the sigmoid attention that ships; others are a command away.
constexpr double kKeys[] = {2048, 4096, 8192};
/// The scores that carry weight: below, n weights together are less than the
/// result's rounding; above, so is 1 minus the sum of the others.
constexpr double kShiftLow = -6, kShiftHigh = 6;

} // namespace

std::vector<Function> fit::tabledFunctions() {
  return {Function::Sigmoid,   Function::Tanh,         Function::Silu,
          Function::GeluErf,   Function::GeluTanh,     Function::DSigmoid,
          Function::DTanh,     Function::DSilu,        Function::DGeluErf,
          Function::DGeluTanh, Function::SigmoidShift, Function::SinTurn,
          Function::CosTurn};
}

std::vector<PolynomialRequest> fit::shippedRequests(Function function) {
  std::vector<PolynomialRequest> requests;
  PolynomialRequest base;
  base.function = function;
  if (function == Function::SigmoidShift) {
    for (double n : kKeys)
      for (bool coupled : {false, true}) {
        PolynomialRequest request = base;
        request.parameter = n;
        request.degree = 3;
        request.squarings = 3;
        request.measure = Measure::Relative;
        request.domainLow = kShiftLow;
        request.domainHigh = kShiftHigh;
        request.coupled = coupled;
        requests.push_back(request);
      }
    return requests;
  }
  if (function == Function::SinTurn || function == Function::CosTurn) {
    unsigned lowest = function == Function::SinTurn ? 5 : 6;
    for (unsigned degree : {lowest, lowest + 2}) {
      PolynomialRequest request = base;
      request.odd = true;
      request.degree = degree;
      request.format = Format::F16;
      request.domainLow = -0.5;
      request.domainHigh = 0.5;
      requests.push_back(request);
    }
    // For f32 phases that are not to be rounded: as accurate next to the zeros
    // as elsewhere.
    for (Format to : {Format::BF16, Format::F16}) {
      PolynomialRequest request = base;
      request.odd = true;
      bool fine = function == Function::SinTurn && to == Format::F16;
      request.degree = lowest + (fine ? 4 : 2);
      request.format = Format::F32;
      request.to = to;
      request.domainLow = -0.5;
      request.domainHigh = 0.5;
      request.root = function == Function::SinTurn ? 0.5 : 0.25;
      request.measure = Measure::Relative;
      requests.push_back(request);
    }
    return requests;
  }
  for (Format format : {Format::BF16, Format::F16}) {
    for (const Form &form : formsOf(function, format)) {
      PolynomialRequest request = base;
      request.odd = form.odd;
      request.degree = form.degree;
      request.exactTail = form.exactTail;
      request.centered = form.centered;
      request.format = format;
      requests.push_back(request);
    }
    if (function == Function::Sigmoid || function == Function::Silu) {
      PolynomialRequest request = base;
      request.degree = 4;
      request.format = format;
      request.coupled = true;
      requests.push_back(request);
    }
  }
  // For f32 arguments that are not to be rounded.
  if (function == Function::Sigmoid || function == Function::Tanh)
    for (unsigned degree : {3, 5}) {
      PolynomialRequest request = base;
      request.degree = degree;
      request.exactTail = false;
      request.format = Format::F32;
      requests.push_back(request);
    }
  return requests;
}
