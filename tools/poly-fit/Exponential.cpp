//===- Exponential.cpp - poly-fit --function=exp2 -------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "poly/Fit/Exp2Fit.h"

#include "llvm/Support/Format.h"

using namespace poly;

std::string fitExponential(const std::string &form, const std::string &format,
                           bool formatGiven, const std::string &objective,
                           llvm::raw_ostream &os) {
  fit::Exp2Request request;
  if (!fit::parseExp2Form(form, request))
    return "unknown form '" + form +
           "' of exp2: d1, d2, d3, d4, hinge or d3free";
  if (formatGiven &&
      (!parse(format, request.format) || elementBits(request.format) < 16))
    return "unknown format '" + format + "': f32, bf16 or f16";
  if (objective == "least-squares")
    request.objective = fit::Exp2Objective::LeastSquares;
  else if (objective != "minimax")
    return "unknown objective '" + objective + "': minimax or least-squares";
  fit::Exp2Fit fit = fit::fitExp2(request);
  os << fit.spec.provenance
     << "\ncoefficients in real arithmetic, ascending: 1";
  for (double c : fit.real)
    os << llvm::format(" %.10f", c);
  os << llvm::format("\nmax relative error: %.4e on %u points\n", fit.realError,
                     fit::kExp2Points)
     << "rounded, by replay: ";
  for (double c : fit.spec.coefficients)
    os << llvm::format(" %.12g", c);
  os << llvm::format("\nmax relative error: %.4e\n", fit.error);
  return "";
}
