//===- PtxMatrix.cpp - Warpgroup products and matrix moves ----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxCluster.h"

#include "poly/Program/Formats.h"

#include <cstring>

namespace polytest {

/// Each 8x8 matrix: lanes 8i to 8i+7 hold the addresses of its rows, and lane
/// l two elements of row l/4, or transposed of column l/4.
bool PtxClusterRun::moveMatrices(PtxBlockState &block, unsigned warp,
                                 const PtxInstruction &inst, unsigned &lane) {
  bool store = inst.code == PtxCode::StMatrix;
  unsigned count = store ? inst.numSrc : inst.numDst;
  for (unsigned m = 0; m < count; ++m) {
    uint16_t rows[8][8] = {};
    uint64_t addresses[8];
    for (unsigned r = 0; r < 8; ++r) {
      lane = m * 8 + r;
      PtxThread &self = thread(block, warp, lane);
      PtxBlockState *owner;
      uint64_t address;
      if (!self.use(inst.second, address) ||
          !resolve(block, address, 16, owner, addresses[r], self.error))
        return false;
      if (address % 16 != 0)
        return self.fail("a matrix row's address " + hexAddress(address) +
                         " is no multiple of 16");
      if (!store &&
          !readShared(block, addresses[r], 16,
                      reinterpret_cast<uint8_t *>(rows[r]), false, self.error))
        return false;
    }
    for (lane = 0; lane < kPtxWarp; ++lane) {
      PtxThread &self = thread(block, warp, lane);
      uint64_t word = 0;
      if (store && !self.use(inst.src[m], 32, word))
        return false;
      for (unsigned e = 0; e < 2; ++e) {
        unsigned major = lane / 4, minor = lane % 4 * 2 + e;
        uint16_t &cell = inst.flag ? rows[minor][major] : rows[major][minor];
        if (store)
          cell = uint16_t(word >> (16 * e));
        else
          word |= uint64_t(cell) << (16 * e);
      }
      if (!store)
        self.set(inst.dst[m], word);
    }
    for (unsigned r = 0; store && r < 8; ++r) {
      lane = m * 8 + r;
      if (!writeShared(block, addresses[r], 16,
                       reinterpret_cast<const uint8_t *>(rows[r]), warp + 1,
                       thread(block, warp, lane).error))
        return false;
    }
  }
  return true;
}

/// Products in flight own their registers: accumulators may only go into
/// further products, fragments may be read.
bool PtxClusterRun::checkRegisters(PtxBlockState &block, unsigned warp,
                                   const PtxInstruction &inst) {
  PtxWarpState &state = block.warps[warp];
  auto check = [&](const PtxOperand &operand, bool written) {
    if (operand.kind != PtxOperand::Register ||
        (!state.writes[operand.reg] && !(written && state.reads[operand.reg])))
      return true;
    return fail("line " + std::to_string(inst.line) + ": warp " +
                std::to_string(warp) + (written ? " writes" : " reads") +
                " register '" + kernel.registerNames[operand.reg] +
                "', which a wgmma in flight uses; wait for its group first");
  };
  for (unsigned i = 0; i < inst.numDst; ++i)
    if (!check(inst.dst[i], true))
      return false;
  for (unsigned i = 0; i < inst.numSrc; ++i)
    if (!check(inst.src[i], false))
      return false;
  return true;
}

bool PtxClusterRun::issueProduct(PtxBlockState &block, unsigned warp,
                                 const PtxInstruction &inst) {
  PtxWarpState &state = block.warps[warp];
  PtxProduct product;
  product.wgmma = &kernel.wgmmas[inst.index];
  product.line = inst.line;
  const PtxWgmma &wgmma = *product.wgmma;
  PtxThread &first = thread(block, warp, 0);
  uint64_t scale;
  if (!first.use(wgmma.scaleD, wgmma.scaleD.width == 1 ? 1 : 32, scale) ||
      !first.use(wgmma.descriptorB, 64, product.b) ||
      (!wgmma.aInRegisters && !first.use(wgmma.descriptorA, 64, product.a)))
    return locate(block, warp, 0, inst.line, first.error);
  product.accumulates = scale != 0;
  for (unsigned lane = 1; lane < kPtxWarp; ++lane) {
    PtxThread &self = thread(block, warp, lane);
    uint64_t other;
    if (!self.use(wgmma.descriptorB, 64, other))
      return locate(block, warp, lane, inst.line, self.error);
    if (other != product.b)
      return locate(block, warp, lane, inst.line,
                    "has another descriptor than its warp");
  }
  for (const PtxOperand &operand : wgmma.fragments) {
    if (state.writes[operand.reg])
      return locate(block, warp, 0, inst.line,
                    "uses the accumulator '" +
                        kernel.registerNames[operand.reg] +
                        "' of a wgmma in flight as a fragment");
    if (operand.kind == PtxOperand::Register)
      ++state.reads[operand.reg];
  }
  for (const PtxOperand &operand : wgmma.accumulators) {
    if (state.reads[operand.reg])
      return locate(block, warp, 0, inst.line,
                    "accumulates in '" + kernel.registerNames[operand.reg] +
                        "', a fragment of a wgmma in flight");
    ++state.writes[operand.reg];
  }
  ++state.inFlight;
  state.open.push_back(product);
  return true;
}

bool PtxClusterRun::operandByte(PtxBlockState &block, uint64_t descriptor,
                                PtxElement element, bool transposed,
                                unsigned row, unsigned k, double &value) {
  bool wide = element == PtxElement::BF16 || element == PtxElement::F16;
  uint64_t start = (descriptor & 0x3fff) << 4;
  uint64_t leading = (descriptor >> 16 & 0x3fff) << 4;
  uint64_t stride = (descriptor >> 32 & 0x3fff) << 4;
  unsigned layout = unsigned(descriptor >> 62);
  unsigned span = layout == 0 ? 16 : layout == 1 ? 128 : layout == 2 ? 64 : 32;
  unsigned size = wide ? 2 : 1;
  uint64_t at = start;
  if (!transposed) {
    unsigned byte = k * size;
    at += uint64_t(row / 8) * stride + uint64_t(row % 8) * span;
    at += layout == 0 ? byte / 16 * leading + byte % 16 : byte;
  } else {
    unsigned byte = row * size;
    uint64_t across = layout == 0 ? stride : leading;
    uint64_t along = layout == 0 ? leading : stride;
    at += byte / span * across + byte % span + uint64_t(k % 8) * span +
          uint64_t(k / 8) * along;
  }
  uint64_t bits = layout == 1 ? 7 : layout == 2 ? 3 : layout == 3 ? 1 : 0;
  at ^= (at >> 7 & bits) << 4;
  std::string why;
  uint64_t offset;
  PtxBlockState *owner;
  uint8_t data[2] = {};
  if (!resolve(block, at, size, owner, offset, why) ||
      !readShared(block, offset, size, data, true, why))
    return fail(why);
  uint32_t raw = uint32_t(data[0]) | uint32_t(data[1]) << 8;
  value = element == PtxElement::BF16 ? poly::decode(poly::Format::BF16, raw)
          : element == PtxElement::F16
              ? poly::decode(poly::Format::F16, raw)
              : ptxDecodeFp8(element == PtxElement::E4M3, data[0]);
  return true;
}

bool PtxClusterRun::multiply(PtxBlockState &block, unsigned warp,
                             const PtxProduct &product) {
  const PtxWgmma &wgmma = *product.wgmma;
  unsigned n = wgmma.n, k = wgmma.k, part = warp % 4;
  std::vector<double> a(16 * k), b(size_t(n) * k);
  auto located = [&] {
    std::string why = error;
    error.clear();
    return locate(block, warp, 0, product.line, "has a wgmma that " + why);
  };
  bool wide = k == 16;
  if (wgmma.aInRegisters) {
    for (unsigned r = 0; r < 4; ++r)
      for (unsigned lane = 0; lane < kPtxWarp; ++lane) {
        PtxThread &self = thread(block, warp, lane);
        uint64_t word;
        if (!self.use(wgmma.fragments[r], 32, word))
          return locate(block, warp, lane, product.line, self.error);
        unsigned row = lane / 4 + 8 * (r % 2), per = wide ? 2 : 4;
        for (unsigned e = 0; e < per; ++e) {
          unsigned column = lane % 4 * per + 4 * per * (r / 2) + e;
          uint32_t raw =
              uint32_t(word >> (e * 32 / per)) & (wide ? 0xffff : 0xff);
          a[row * k + column] =
              wgmma.a == PtxElement::BF16
                  ? poly::decode(poly::Format::BF16, raw)
              : wgmma.a == PtxElement::F16
                  ? poly::decode(poly::Format::F16, raw)
                  : ptxDecodeFp8(wgmma.a == PtxElement::E4M3, uint8_t(raw));
        }
      }
  } else {
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned c = 0; c < k; ++c)
        if (!operandByte(block, product.a, wgmma.a, wgmma.transposeA,
                         part * 16 + row, c, a[row * k + c]))
          return located();
  }
  for (unsigned column = 0; column < n; ++column)
    for (unsigned c = 0; c < k; ++c)
      if (!operandByte(block, product.b, wgmma.b, wgmma.transposeB, column, c,
                       b[size_t(column) * k + c]))
        return located();
  double sign = wgmma.negateA != wgmma.negateB ? -1 : 1;
  for (unsigned i = 0; i < n / 2; ++i)
    for (unsigned lane = 0; lane < kPtxWarp; ++lane) {
      PtxThread &self = thread(block, warp, lane);
      unsigned row = lane / 4 + 8 * (i / 2 % 2);
      unsigned column = 8 * (i / 4) + lane % 4 * 2 + i % 2;
      double sum = 0;
      for (unsigned c = 0; c < k; ++c)
        sum += a[row * k + c] * b[size_t(column) * k + c];
      sum *= sign;
      PtxValue old = self.peek(wgmma.accumulators[i]);
      if (product.accumulates) {
        // An undefined accumulator stays so until somebody uses it.
        if (old.defined != 3) {
          self.set(wgmma.accumulators[i], PtxValue{});
          continue;
        }
        sum += poly::decode(poly::Format::F32, uint32_t(old.bits));
      }
      self.set(wgmma.accumulators[i], poly::encode(poly::Format::F32, sum));
    }
  return true;
}

bool PtxClusterRun::computeGroup(PtxBlockState &block, unsigned warp) {
  PtxWarpState &state = block.warps[warp];
  size_t index = size_t(state.groupsComputed - state.groupsWaited);
  for (const PtxProduct &product : state.groups[index])
    if (!multiply(block, warp, product))
      return false;
  ++state.groupsComputed;
  return true;
}

/// The products of a group are done for the four warps at once, when all have
/// issued it and the first of them waits.
bool PtxClusterRun::waitProducts(PtxBlockState &block, unsigned warp,
                                 uint64_t keep, bool &again) {
  PtxWarpState &state = block.warps[warp];
  uint64_t until =
      state.groupsCommitted > keep ? state.groupsCommitted - keep : 0;
  unsigned base = warp / 4 * 4;
  if (until > state.groupsWaited)
    for (unsigned w = base; w < base + 4; ++w)
      if (w >= block.warps.size() || block.warps[w].groupsCommitted < until) {
        again = true;
        return true;
      }
  for (unsigned w = base; w < base + 4 && until > state.groupsWaited; ++w)
    while (block.warps[w].groupsComputed < until)
      if (!computeGroup(block, w))
        return false;
  while (state.groupsWaited < until) {
    for (const PtxProduct &product : state.groups.front()) {
      for (const PtxOperand &operand : product.wgmma->fragments)
        if (operand.kind == PtxOperand::Register)
          --state.reads[operand.reg];
      for (const PtxOperand &operand : product.wgmma->accumulators)
        --state.writes[operand.reg];
      --state.inFlight;
    }
    state.groups.pop_front();
    ++state.groupsWaited;
    ++events;
  }
  return true;
}

} // namespace polytest
