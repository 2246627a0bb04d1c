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
  CvtFp8,
  Bfe,
  DivApprox,
  Lg2,
  // Memory that several threads add to.
  Red,
  // Nothing that has a meaning here: hints, and fences of memory that is
  // coherent anyway.
  Nop,
  // What threads do together, or other units on their behalf. All from here on
  // are PtxBlock's.
  Bar,
  BarWarp,
  ClusterArrive,
  ClusterWait,
  MbarInit,
  MbarInval,
  MbarArrive,
  MbarExpect,
  MbarWait,
  FenceAsync,
  Elect,
  Shfl,
  Vote,
  Mapa,
  LoadTensor,
  StoreTensor,
  LoadBulk,
  StoreBulk,
  BulkCommit,
  BulkWait,
  StMatrix,
  LdMatrix,
  WgmmaFence,
  Wgmma,
  WgmmaCommit,
  WgmmaWait,
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
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterCtarank,
  ClusterNctaidX,
  ClusterNctarank,
  LaneId,
  WarpId,
};
constexpr unsigned kNumPtxSpecials = 20;

/// Where an address points. Addresses of .shared::cta and .shared::cluster are
/// one space: kPtxClusterUnit times the block's rank plus one, plus the offset;
/// without the first part, the executing block's own.
enum class PtxSpace : uint8_t { Generic, Global, Shared, Param };
constexpr uint64_t kPtxClusterUnit = uint64_t(1) << 24;
/// Generic addresses of shared memory and of the parameters.
constexpr uint64_t kPtxSharedWindow = uint64_t(0x7f) << 40;
constexpr uint64_t kPtxParamWindow = uint64_t(0x7e) << 40;
/// Hopper keeps the first bytes of shared memory for itself.
constexpr uint64_t kPtxSharedBase = 1024;

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

/// A register (or a number) and an offset.
struct PtxAddress {
  PtxOperand base;
  int64_t offset = 0;
};

enum class PtxReduction : uint8_t { None, Add, Min, Max, And, Or, Xor };
enum class PtxShuffle : uint8_t { Up, Down, Bfly, Idx };
enum class PtxElement : uint8_t { BF16, F16, E4M3, E5M2 };

/// The operands of a wgmma.mma_async, too many for an instruction.
struct PtxWgmma {
  unsigned n = 0, k = 0;
  PtxElement a = PtxElement::BF16, b = PtxElement::BF16;
  bool transposeA = false, transposeB = false;
  bool negateA = false, negateB = false;
  bool aInRegisters = false;
  std::vector<PtxOperand> accumulators, fragments;
  PtxOperand descriptorA, descriptorB, scaleD;
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
  PtxSpace space = PtxSpace::Generic; ///< Ld, St, Red.
  PtxReduction reduction = PtxReduction::None;
  PtxShuffle shuffle = PtxShuffle::Idx;
  /// What distinguishes forms of one code: bar.arrive, a barrier with a count,
  /// wait_group.read, .trans, ld.acquire, ...
  bool flag = false, flag2 = false;
  uint8_t rank = 0;   ///< LoadTensor, StoreTensor: coordinates.
  uint32_t index = 0; ///< Wgmma: in PtxKernel::wgmmas.
  /// The second and third address of copies: source or map, and barrier.
  PtxAddress second, third;
};

} // namespace polytest

#endif // POLY_TEST_LIB_PTXINSTRUCTION_H
