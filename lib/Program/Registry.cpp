//===- Registry.cpp - The shipped Programs --------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Registry.h"

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
  std::unordered_map<std::string_view, const RegisteredProgram *> byName;

  Registry() {
    std::unordered_map<std::string_view, const Certificate *> certificates;
    for (const CertificateRow &row : kCertificates)
      certificates.emplace(row.name, &row.certificate);
    std::vector<Program> built = buildShippedPrograms();
    programs.reserve(built.size());
    for (Program &program : built) {
      auto found = certificates.find(program.name());
      if (found == certificates.end()) {
        // The tables and the builders disagree: this build is broken.
        std::fprintf(stderr,
                     "poly: internal error: program '%s' has no certificate; "
                     "run poly-fit --certificates=lib/Program/Tables\n",
                     program.name().c_str());
        std::abort();
      }
      programs.push_back({std::move(program), *found->second});
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
  programs.reserve(192);
  detail::addSigmoid(programs);
  detail::addTanh(programs);
  detail::addSilu(programs);
  detail::addExponentials(programs);
  return programs;
}

const std::vector<RegisteredProgram> &poly::shippedPrograms() {
  return registry().programs;
}

const RegisteredProgram *poly::findProgram(std::string_view name) {
  const auto &byName = registry().byName;
  auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}
