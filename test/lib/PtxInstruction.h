//===- PtxInstruction.h - Decoded PTX instructions -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the parser and the executor of the PTX emulator share: instructions as
/// plain data, so that running a thread parses nothing.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_LIB_PTXINSTRUCTION_H
#define POLY_TEST_LIB_PTXINSTRUCTION_H

#include "PtxEmulator.h"
#include "SoftFloat.h"

namespace polytest {

enum class PtxCode : uint8_t {
  // Control.
  Bra,
  Ret,
  // Data movement.
  LdParam,
  Ld,
  St,
  Mov,
  Pack,
  Unpack,
  Special,
  Selp,
  // Integers.
  CvtInt,
  Add,
  Sub,
  MulLo,
  MulHi,
  MulWide,
  MadLo,
  MadHi,
  MadWide,
  Div,
  Rem,
  MinInt,
  MaxInt,
  NegInt,
  AbsInt,
  Shl,
  Shr,
  And,
  Or,
  Xor,
  Not,
  Prmt,
  Lop3,
  SetpInt,
  // Lane-wise floats; the type says how many lanes.
  Fma,
  MulF,
  AddF,
  AddRm,
  SubF,
  DivRn,
  MinMaxF,
  AbsF,
  NegF,
  CopySign,
  Ex2,
  Rcp,
  RcpRn,
  Tanh,
  Sin,
  Cos,
  SetMask,
  // Floats to another shape.
  SetpF,
  CvtF,
  FloorF,
  CvtIntF,
  CvtPack,
};

enum class PtxSpecial : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
};

enum class PtxCompare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Num, Nan };

/// A PTX type such as .u32, .b64, .bf16x2 or .pred.
struct PtxType {
  enum Kind : uint8_t { Bits, Unsigned, Signed, Float, Pred };
  Kind kind = Bits;
  uint8_t laneBits = 32;
  uint8_t lanes = 1;
  SoftFormat format = kF32; ///< Of Float.

  unsigned bits() const { return unsigned(laneBits) * lanes; }
  bool isInteger() const { return kind <= Signed; }
};

struct PtxOperand {
  enum Kind : uint8_t { None, Register, Immediate, Sink };
  Kind kind = None;
  uint8_t width = 0; ///< Bits of the register; 1 for a predicate.
  uint32_t reg = 0;
  uint64_t imm = 0;
};

struct PtxInstruction {
  PtxCode code = PtxCode::Ret;
  PtxType type;     ///< Of the sources, or of the memory elements.
  PtxType fromType; ///< CvtInt, CvtF: the source's type.
  PtxCompare compare = PtxCompare::Eq;
  bool unordered = false; ///< The comparison is true for unordered operands.
  bool ftz = false;
  Clamp clamp = Clamp::None;
  MinMaxOptions minMax;
  PtxSpecial special = PtxSpecial::TidX;
  bool guarded = false, guardNegated = false;
  uint32_t guard = 0;
  uint32_t line = 0;
  uint32_t target = 0; ///< Bra: index of the instruction.
  int64_t offset = 0;  ///< Ld, St: added to the address; LdParam: the offset.
  uint8_t numDst = 0, numSrc = 0;
  std::array<PtxOperand, 8> dst;
  /// Ld and St keep the address in `address`, not here.
  std::array<PtxOperand, 8> src;
  PtxOperand address;
};

} // namespace polytest

#endif // POLY_TEST_LIB_PTXINSTRUCTION_H
