//===- PtxThread.h - One thread of a PTX kernel -----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Registers, and the instructions that concern one thread alone. Who runs next
/// and what threads do together is decided by the callers: PtxEmulator.cpp runs
/// thread after thread, PtxBlock.cpp whole clusters.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_LIB_PTXTHREAD_H
#define POLY_TEST_LIB_PTXTHREAD_H

#include "PtxInstruction.h"

namespace polytest {

std::string hexAddress(uint64_t address);

/// A register's bits, and for each 16 bits of it whether they are defined.
struct PtxValue {
  uint64_t bits = 0;
  uint8_t defined = 0;
};

inline uint64_t ptxMask(unsigned width) {
  return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}
inline uint8_t ptxDefined(unsigned width) {
  return uint8_t((1u << ((width + 15) / 16)) - 1);
}

/// What a thread's loads and stores reach. False with \p error set.
class PtxAddressSpaces {
public:
  virtual ~PtxAddressSpaces() = default;
  virtual bool load(PtxSpace space, uint64_t address, unsigned bytes,
                    uint64_t &value, std::string &error) = 0;
  virtual bool store(PtxSpace space, uint64_t address, unsigned bytes,
                     uint64_t value, std::string &error) = 0;
};

class PtxThread {
public:
  using Special = std::array<uint32_t, kNumPtxSpecials>;

  PtxThread(const PtxKernel &kernel, const std::vector<uint8_t> &params,
            PtxAddressSpaces &memory, const Special &special)
      : kernel(&kernel), params(&params), memory(&memory), special(&special),
        registers(kernel.registerNames.size()) {}

  void reset() {
    for (PtxValue &value : registers)
      value.defined = 0;
  }

  /// Whether the guard lets the thread execute \p inst.
  bool guard(const PtxInstruction &inst, bool &executes) {
    executes = true;
    if (!inst.guarded)
      return true;
    const PtxValue &value = registers[inst.guard];
    if (!value.defined)
      return undefined(inst.guard);
    executes = (value.bits != 0) != inst.guardNegated;
    return true;
  }
  /// Anything but a branch, a return and what threads do together.
  bool step(const PtxInstruction &inst);

  /// The operand if every bit of its low \p width bits is defined.
  bool use(const PtxOperand &operand, unsigned width, uint64_t &bits) {
    if (operand.kind == PtxOperand::Immediate) {
      bits = operand.imm & ptxMask(width);
      return true;
    }
    const PtxValue &value = registers[operand.reg];
    uint8_t needed = ptxDefined(width);
    if ((value.defined & needed) != needed)
      return undefined(operand.reg);
    bits = value.bits & ptxMask(width);
    return true;
  }
  bool use(const PtxAddress &address, uint64_t &bits) {
    if (!use(address.base, address.base.width == 32 ? 32 : 64, bits))
      return false;
    bits += uint64_t(address.offset);
    return true;
  }
  /// The operand with its undefined parts.
  PtxValue peek(const PtxOperand &operand) const {
    if (operand.kind == PtxOperand::Immediate)
      return {operand.imm, 0xf};
    return registers[operand.reg];
  }
  void set(const PtxOperand &operand, uint64_t bits) {
    if (operand.kind == PtxOperand::Register)
      registers[operand.reg] = {bits & ptxMask(operand.width),
                                ptxDefined(operand.width)};
  }
  void set(const PtxOperand &operand, PtxValue value) {
    if (operand.kind == PtxOperand::Register)
      registers[operand.reg] = value;
  }

  bool fail(const std::string &message) {
    error = message;
    return false;
  }

  std::string error;

private:
  bool undefined(uint32_t reg) {
    return fail("uses register '" + kernel->registerNames[reg] +
                "', which is undefined");
  }
  bool memoryAccess(const PtxInstruction &inst);
  bool reduction(const PtxInstruction &inst);
  bool integer(const PtxInstruction &inst);
  static bool movesBits(const PtxInstruction &inst);
  static uint8_t definedBits(const PtxInstruction &inst,
                             const PtxValue *sources);
  void pack(const PtxInstruction &inst);
  bool unpack(const PtxInstruction &inst);
  void lanes(const PtxInstruction &inst);
  bool conversion(const PtxInstruction &inst);
  bool convertFp8(const PtxInstruction &inst);

  const PtxKernel *kernel;
  const std::vector<uint8_t> *params;
  PtxAddressSpaces *memory;
  const Special *special;
  std::vector<PtxValue> registers;
};

/// The value of an e4m3 (else e5m2) number.
double ptxDecodeFp8(bool e4m3, uint8_t byte);

/// The bytes of the parameter space; false with \p error set.
bool ptxParameters(const PtxKernel &kernel, const PtxArguments &arguments,
                   std::vector<uint8_t> &params, std::string &error);

} // namespace polytest

#endif // POLY_TEST_LIB_PTXTHREAD_H
