//===- Builders.cpp - The functions' shipped programs ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builders.h"

#include <iterator>

using namespace poly;
using namespace poly::detail;

static const SfuRow kSfuRows[] = {
#include "../Tables/Sfu.inc"
};

PolynomialSpec detail::specOf(Function function, const PolynomialRow &row) {
  PolynomialSpec spec;
  spec.function = function;
  spec.odd = row.odd;
  spec.exactTail = row.exactTail;
  spec.format = row.format;
  if (row.to != row.format)
    spec.to = row.to;
  spec.squarings = row.squarings;
  spec.center = row.center;
  spec.parameter = row.parameter;
  if (row.domainLow != row.domainHigh) {
    spec.domainLow = row.domainLow;
    spec.domainHigh = row.domainHigh;
  }
  spec.root = row.root;
  spec.clampLow = row.clampLow;
  spec.clamp = row.clamp;
  spec.coefficients.assign(row.coefficients, row.coefficients + row.count);
  if (row.breakpoint != 0) {
    spec.breakpoint = row.breakpoint;
    spec.upper.assign(row.upper, row.upper + row.count);
  }
  spec.provenance = row.command;
  return spec;
}

void detail::addPolynomials(std::vector<Program> &programs,
                            const PolynomialRows &table, bool coupled) {
  for (size_t i = 0; i < table.count; ++i) {
    if (table.rows[i].coupled != coupled)
      continue;
    PolynomialSpec spec = specOf(table.function, table.rows[i]);
    std::vector<Format> arguments = {Format::F32};
    if (resultFormat(spec) != Format::F32)
      arguments.insert(arguments.begin(), resultFormat(spec));
    for (Format from : arguments)
      for (ClampKind clamp : {ClampKind::XorSign, ClampKind::MinMax}) {
        if (clamp == ClampKind::MinMax && !hasSignedClamp(spec))
          continue;
        if (coupled) {
          CoupledSpec both;
          both.value = spec;
          programs.push_back(buildCoupled(both, from, clamp));
        } else {
          programs.push_back(buildPolynomial(spec, from, clamp));
        }
      }
  }
}

void detail::addSfuPrograms(std::vector<Program> &programs, Function function,
                            double parameter) {
  constexpr Format combinations[][2] = {{Format::BF16, Format::BF16},
                                        {Format::F16, Format::F16},
                                        {Format::F32, Format::BF16},
                                        {Format::F32, Format::F16},
                                        {Format::F32, Format::F32}};
  for (SfuForm form :
       {SfuForm::Sfu, SfuForm::Tanh32, SfuForm::TanhPacked, SfuForm::Ex2Poly}) {
    for (auto [from, to] : combinations) {
      if (!hasSfuForm(function, form, to))
        continue;
      SfuSpec spec;
      spec.function = function;
      spec.form = form;
      spec.from = from;
      spec.to = to;
      spec.parameter = parameter;
      for (const SfuRow &row : kSfuRows) {
        if (row.function != function || row.format != to)
          continue;
        std::vector<double> values(row.coefficients,
                                   row.coefficients + row.count);
        bool used = false;
        switch (row.part) {
        case SfuPart::Reciprocal:
          if ((used = form == SfuForm::Ex2Poly))
            spec.reciprocal = values;
          break;
        case SfuPart::Origin:
          if ((used = form == SfuForm::Sfu))
            spec.origin = values;
          break;
        case SfuPart::Normal:
          if ((used = form == SfuForm::Sfu)) {
            spec.slope = values.front();
            spec.normal.assign(values.begin() + 1, values.end());
          }
          break;
        }
        if (used)
          spec.provenance = row.command;
      }
      if (spec.provenance.empty())
        spec.provenance = "special function unit, no fitted coefficients";
      programs.push_back(buildSfu(spec));
    }
  }
}
