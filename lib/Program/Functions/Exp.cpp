//===- Exp.cpp - Programs of 2^x and e^x ----------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// 2^x and e^x, increasing from 0 to infinity.
///
/// Contract, held by test/unit/Registry:
///   all: +-0 gives exactly 1; -Inf gives exactly +0 (pot20 alone: 2^-20).
///   sfu, ex2packed, d2, d3, d4: NaN gives NaN; +Inf gives +Inf; results below
///   the smallest normal number are kept by the first two and flushed to +0 by
///   the others.
///   sfuweight, <form>weight, <form>packed, h15, lattice<k>: for softmax
///   weights. Arguments are not above the program's domain; NaN gives +0
///   (sfuweight and 8-bit results: NaN); results below the smallest normal
///   number fall to +0 within one such number.
///   Endpoint-exact fractions (all forms but d3free) are continuous at every
///   integer. Lattices never decrease and are exact at every integer.
///
//===----------------------------------------------------------------------===//

#include "Builders.h"

#include "poly/Program/Exponentials.h"

#include <string_view>

using namespace poly;

namespace {

/// One row of Tables/Exp2.inc.
struct Exp2Row {
  ExpCore core;
  const char *form;
  Format format;
  unsigned count;
  double coefficients[detail::kMaxCoefficients];
  const char *command; ///< The poly-fit command that makes the row.
};

const Exp2Row kRows[] = {
    // Keeps the array from being empty while the table is being made anew.
    {ExpCore::Horner, "", Format::F32, 0, {}, ""},
#include "../Tables/Exp2.inc"
};

class Adder {
public:
  explicit Adder(std::vector<Program> &programs) : programs(programs) {}

  void polynomials(Function function, const Exp2Row &row);
  void lattices(Function function);
  void sfu(Function function);

private:
  void lattice(Function function, unsigned steps, Format from, Format to,
               LatticeClamp clamp,
               LatticeAssembly assembly = LatticeAssembly::Prmt) {
    LatticeSpec spec;
    spec.function = function;
    spec.steps = steps;
    spec.from = from;
    spec.to = to;
    spec.clamp = clamp;
    spec.assembly = assembly;
    programs.push_back(buildLattice(spec));
  }

  std::vector<Program> &programs;
};

} // namespace

void Adder::polynomials(Function function, const Exp2Row &row) {
  ExpPolynomialSpec spec;
  spec.function = function;
  spec.core = row.core;
  spec.form = row.form;
  spec.coefficients.assign(row.coefficients, row.coefficients + row.count);
  spec.provenance = row.command;
  std::string_view form = row.form;
  bool isExp2 = function == Function::Exp2;
  if (row.format != Format::F32) {
    if (!isExp2)
      return;
    spec.arithmetic = spec.to = row.format;
    spec.weight = true;
    programs.push_back(buildExpPolynomial(spec));
    // Arguments that are f16 already.
    if (row.format == Format::F16 && form[0] == 'd' && form[1] <= '3') {
      spec.from = Format::F16;
      programs.push_back(buildExpPolynomial(spec));
    }
    return;
  }
  spec.weight = true;
  if (isExp2 || form == "d3")
    programs.push_back(buildExpPolynomial(spec));
  if (form == "d3") {
    for (Format to : {Format::BF16, Format::F16}) {
      spec.to = to;
      programs.push_back(buildExpPolynomial(spec));
    }
  }
  // The least degree within one ulp of each result type; d4 is the most
  // accurate f32 form.
  spec.weight = false;
  for (auto [degree, to] :
       {std::pair<std::string_view, Format>{"d2", Format::BF16},
        {"d3", Format::F16},
        {"d3", Format::F32},
        {"d4", Format::F32}})
    if (form == degree) {
      spec.to = to;
      programs.push_back(buildExpPolynomial(spec));
    }
}

void Adder::lattices(Function function) {
  constexpr LatticeClamp clamps[] = {LatticeClamp::Max, LatticeClamp::Sat,
                                     LatticeClamp::Bare};
  // The half-octave lattice, and the one of the storage format.
  lattice(function, 1, Format::F32, Format::F32, LatticeClamp::Max);
  lattice(function, 1, Format::F32, Format::F32, LatticeClamp::Sat);
  for (LatticeClamp clamp : clamps) {
    for (LatticeAssembly assembly :
         {LatticeAssembly::Prmt, LatticeAssembly::Mad})
      lattice(function, 1, Format::F32, Format::BF16, clamp, assembly);
    lattice(function, 7, Format::F32, Format::BF16, clamp);
    lattice(function, 1, Format::F32, Format::F16, clamp);
    lattice(function, 10, Format::F32, Format::F16, clamp);
  }
  lattice(function, 7, Format::F32, Format::F32, LatticeClamp::Max);
  lattice(function, 7, Format::F32, Format::F32, LatticeClamp::Sat);
  lattice(function, 3, Format::F32, Format::E4M3, LatticeClamp::Max);
  lattice(function, 2, Format::F32, Format::E5M2, LatticeClamp::Max);
  if (function != Function::Exp2)
    return;
  for (unsigned steps : {0, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13})
    lattice(function, steps, Format::F32, Format::F32, LatticeClamp::Max);
  lattice(function, 3, Format::F16, Format::E4M3, LatticeClamp::Max);
  lattice(function, 2, Format::F16, Format::E5M2, LatticeClamp::Max);
  lattice(function, 1, Format::F16, Format::F16, LatticeClamp::Max);
  lattice(function, 5, Format::F16, Format::F16, LatticeClamp::Max);
  lattice(function, 10, Format::F16, Format::F16, LatticeClamp::Max);
  lattice(function, 7, Format::F16, Format::BF16, LatticeClamp::Max);
  programs.push_back(buildPowerOfTwo(20, /*drop=*/false));
  programs.push_back(buildPowerOfTwo(20, /*drop=*/true));
}

void Adder::sfu(Function function) {
  for (bool weight : {false, true})
    for (Format to : {Format::F32, Format::BF16, Format::F16}) {
      ProgramInfo info;
      info.function = function;
      info.form = weight ? "sfuweight" : "sfu";
      info.from = Format::F32;
      info.to = to;
      info.lanes = to == Format::F32 ? 1 : 2;
      info.weightsOnly = weight;
      info.provenance = "special function unit, no fitted coefficients";
      info.name = std::string(name(function)) + "-" + info.form + "-";
      info.name += to == Format::F32
                       ? "f32"
                       : "f32-" + std::string(name(packedType(to)));
      ProgramBuilder b(info);
      auto element = [&] {
        NodeId x = b.input(Type::F32);
        if (function == Function::Exp)
          x = b.mul(x, b.constant(Type::F32, 1.4426950408889634074));
        return b.unary(weight ? Op::Ex2ApproxFtz : Op::Ex2Approx, x);
      };
      NodeId result = element();
      if (to != Format::F32) {
        NodeId high = element();
        result = b.cvtPack(packedType(to), result, high);
      }
      programs.push_back(b.finish(result));
    }
  if (function != Function::Exp2)
    return;
  // Both lanes of a register at once, less accurately.
  ProgramInfo info;
  info.function = function;
  info.form = "ex2packed";
  info.from = info.to = Format::F16;
  info.lanes = 2;
  info.provenance = "special function unit, no fitted coefficients";
  info.name = "exp2-ex2packed-f16x2";
  ProgramBuilder b(info);
  NodeId x = b.input(Type::F16x2);
  programs.push_back(b.finish(b.unary(Op::Ex2Approx, x)));
}

void detail::addExponentials(std::vector<Program> &programs) {
  Adder adder(programs);
  for (Function function : {Function::Exp2, Function::Exp}) {
    for (const Exp2Row &row : kRows)
      if (row.count)
        adder.polynomials(function, row);
    adder.lattices(function);
    adder.sfu(function);
  }
}
