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

void detail::addPolynomials(std::vector<Program> &programs, Function function,
                            const PolynomialRow *rows, size_t count) {
  for (const PolynomialRow *row = rows; row != rows + count; ++row) {
    PolynomialSpec spec;
    spec.function = function;
    spec.odd = row->odd;
    spec.exactTail = row->exactTail;
    spec.format = row->format;
    spec.clamp = row->clamp;
    spec.coefficients.assign(row->coefficients, row->coefficients + row->count);
    spec.provenance = row->command;
    for (Format from : {spec.format, Format::F32})
      for (ClampKind clamp : {ClampKind::XorSign, ClampKind::MinMax})
        programs.push_back(buildPolynomial(spec, from, clamp));
  }
}

void detail::addSfuPrograms(std::vector<Program> &programs, Function function) {
  constexpr Format combinations[][2] = {{Format::BF16, Format::BF16},
                                        {Format::F16, Format::F16},
                                        {Format::F32, Format::BF16},
                                        {Format::F32, Format::F16},
                                        {Format::F32, Format::F32}};
  for (SfuForm form :
       {SfuForm::Sfu, SfuForm::Tanh32, SfuForm::TanhPacked, SfuForm::Ex2Poly}) {
    for (auto [from, to] : combinations) {
      bool sixteenOnly =
          form == SfuForm::TanhPacked || form == SfuForm::Ex2Poly;
      if (to == Format::F32 && sixteenOnly)
        continue;
      SfuSpec spec;
      spec.function = function;
      spec.form = form;
      spec.from = from;
      spec.to = to;
      for (const SfuRow &row : kSfuRows) {
        if (row.function != function || row.format != to)
          continue;
        std::vector<double> *target = nullptr;
        if (row.origin && form == SfuForm::Sfu)
          target = &spec.origin;
        else if (!row.origin && form == SfuForm::Ex2Poly)
          target = &spec.reciprocal;
        if (!target)
          continue;
        target->assign(row.coefficients, row.coefficients + row.count);
        spec.provenance = row.command;
      }
      if (spec.provenance.empty())
        spec.provenance = "special function unit, no fitted coefficients";
      programs.push_back(buildSfu(spec));
    }
  }
}
