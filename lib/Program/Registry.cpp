//===- Registry.cpp - The shipped Programs --------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Registry.h"

#include "poly/Program/Polynomials.h"

#include "Functions/Builders.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

using namespace poly;

namespace {

struct CertificateRow {
  std::string_view name;
  Certificate certificate;
};

// One row a program: name, then the fields of Certificate in their order.
const CertificateRow kCertificates[] = {
    // Keeps the array from being empty while the tables are being made anew.
    {"", {}},
#include "Tables/Certificates.inc"
};

struct Registry {
  std::vector<RegisteredProgram> programs;
  std::vector<CoupledProgram> coupled;
  std::unordered_map<std::string_view, const RegisteredProgram *> byName;

  Registry() {
    std::unordered_map<std::string_view, const Certificate *> certificates;
    for (const CertificateRow &row : kCertificates)
      certificates.emplace(row.name, &row.certificate);
    auto certificateOf = [&](const Program &program) {
      auto found = certificates.find(program.name());
      if (found != certificates.end())
        return *found->second;
      // The tables and the builders disagree: this build is broken.
      std::fprintf(stderr,
                   "poly: internal error: program '%s' has no certificate; "
                   "run poly-fit --certificates=lib/Program/Tables\n",
                   program.name().c_str());
      std::abort();
    };
    std::vector<Program> built = buildShippedPrograms();
    programs.reserve(built.size());
    for (Program &program : built) {
      Certificate certificate = certificateOf(program);
      programs.push_back({std::move(program), certificate});
    }
    for (Program &program : buildCoupledPrograms()) {
      Certificate value = certificateOf(program);
      Certificate second = certificateOf(program.singleResult(1));
      coupled.push_back({std::move(program), value, second});
    }
    byName.reserve(programs.size());
    for (const RegisteredProgram &entry : programs)
      byName.emplace(entry.program.name(), &entry);
  }
};

const Registry &registry() {
  static const Registry instance;
  return instance;
}

} // namespace

std::vector<Program> poly::buildShippedPrograms() {
  std::vector<Program> programs;
  programs.reserve(512);
  detail::addSigmoid(programs);
  detail::addTanh(programs);
  detail::addSilu(programs);
  detail::addExponentials(programs);
  detail::addGelu(programs);
  detail::addDerivatives(programs);
  detail::addSigmoidShift(programs);
  detail::addTurns(programs);
  return programs;
}

std::vector<Program> poly::buildCoupledPrograms() {
  std::vector<Program> programs;
  detail::addSigmoid(programs, /*coupled=*/true);
  detail::addSilu(programs, /*coupled=*/true);
  detail::addSigmoidShift(programs, /*coupled=*/true);
  detail::addTurns(programs, /*coupled=*/true);
  return programs;
}

std::vector<PolynomialSpec> poly::shippedPolynomials(Function function) {
  std::vector<PolynomialSpec> specs;
  for (const detail::PolynomialRows &table :
       {detail::sigmoidRows(), detail::tanhRows(), detail::siluRows(),
        detail::geluErfRows(), detail::geluTanhRows()}) {
    if (table.function != function)
      continue;
    for (size_t i = 0; i < table.count; ++i)
      if (!table.rows[i].coupled)
        specs.push_back(detail::specOf(function, table.rows[i]));
  }
  return specs;
}

const std::vector<CoupledProgram> &poly::coupledPrograms() {
  return registry().coupled;
}

const std::vector<RegisteredProgram> &poly::shippedPrograms() {
  return registry().programs;
}

const RegisteredProgram *poly::findProgram(std::string_view name) {
  const auto &byName = registry().byName;
  auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}
