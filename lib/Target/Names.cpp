//===- Names.cpp - Names of instruction classes ---------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Target/Names.h"

using namespace poly;

std::string_view poly::name(InstrClass instrClass) {
  switch (instrClass) {
  case InstrClass::F32Fma:
    return "F32Fma";
  case InstrClass::PackedFma:
    return "PackedFma";
  case InstrClass::PackedFmaB:
    return "PackedFmaB";
  case InstrClass::PackedUnary:
    return "PackedUnary";
  case InstrClass::PackedMinMax:
    return "PackedMinMax";
  case InstrClass::F32MinMax:
    return "F32MinMax";
  case InstrClass::Logic:
    return "Logic";
  case InstrClass::IntMul:
    return "IntMul";
  case InstrClass::Convert:
    return "Convert";
  case InstrClass::Sfu:
    return "Sfu";
  case InstrClass::IntAdd:
    return "IntAdd";
  case InstrClass::NumClasses:
    break;
  }
  return "";
}

std::optional<InstrClass> poly::parseInstrClass(std::string_view text) {
  for (unsigned i = 0; i < unsigned(InstrClass::NumClasses); ++i)
    if (name(InstrClass(i)) == text)
      return InstrClass(i);
  return std::nullopt;
}
