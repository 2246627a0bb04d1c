//===- PtxAsync.cpp - Shared memory, its barriers, bulk copies ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxCluster.h"

#include <cstring>

namespace polytest {

std::array<uint8_t, 128> PtxTensorMaps::add(PtxTensorMap map) {
  maps.push_back(std::move(map));
  std::array<uint8_t, 128> bytes{};
  uint64_t handle = 0x7e50a000 + maps.size();
  std::memcpy(bytes.data(), &handle, sizeof handle);
  return bytes;
}

const PtxTensorMap *PtxTensorMaps::find(uint64_t handle) const {
  uint64_t index = handle - 0x7e50a000;
  return index >= 1 && index <= maps.size() ? &maps[index - 1] : nullptr;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

bool PtxClusterRun::resolve(PtxBlockState &block, uint64_t address,
                            uint64_t bytes, PtxBlockState *&owner,
                            uint64_t &offset, std::string &why) {
  uint64_t plain = address;
  if (plain >> 40 == kPtxSharedWindow >> 40)
    plain -= kPtxSharedWindow;
  uint64_t unit = plain / kPtxClusterUnit;
  offset = plain % kPtxClusterUnit;
  owner = unit == 0               ? &block
          : unit <= blocks.size() ? blocks[unit - 1].get()
                                  : nullptr;
  if (!owner || offset < kPtxSharedBase ||
      offset + bytes > owner->bytes.size()) {
    why = "accesses " + std::to_string(bytes) +
          " bytes outside of shared memory at " + hexAddress(address);
    return false;
  }
  return true;
}

bool PtxClusterRun::readShared(PtxBlockState &block, uint64_t offset,
                               uint64_t bytes, uint8_t *data, bool async,
                               std::string &why) {
  for (uint64_t i = 0; i < bytes; ++i) {
    if (block.state[offset + i] != PtxByte::Written) {
      why = block.state[offset + i] == PtxByte::InFlight
                ? "reads shared memory that a copy in flight writes, at " +
                      hexAddress(offset + i)
                : "reads shared memory that was never written, at " +
                      hexAddress(offset + i);
      return false;
    }
  }
  if (async)
    for (uint64_t chunk = offset / 16; chunk * 16 < offset + bytes; ++chunk)
      if (block.dirtyBy[chunk]) {
        why = "reads shared memory that warp " +
              std::to_string(block.dirtyBy[chunk] - 1) +
              " wrote without fence.proxy.async since, at " +
              hexAddress(chunk * 16);
        return false;
      }
  std::memcpy(data, block.bytes.data() + offset, bytes);
  return true;
}

/// \p writer: a warp plus one, 0 for the asynchronous units.
bool PtxClusterRun::writeShared(PtxBlockState &block, uint64_t offset,
                                uint64_t bytes, const uint8_t *data,
                                unsigned writer, std::string &why) {
  for (uint64_t i = 0; i < bytes; ++i) {
    PtxByte &state = block.state[offset + i];
    if (writer && state == PtxByte::InFlight) {
      why = "writes shared memory that a copy in flight writes, at " +
            hexAddress(offset + i);
      return false;
    }
    state = PtxByte::Written;
  }
  std::memcpy(block.bytes.data() + offset, data, bytes);
  for (uint64_t chunk = offset / 16; chunk * 16 < offset + bytes; ++chunk) {
    if (writer && block.dirtyBy[chunk] != writer)
      block.warps[writer - 1].dirty.push_back(uint32_t(chunk));
    block.dirtyBy[chunk] = uint16_t(writer);
  }
  ++events;
  return true;
}

void PtxClusterRun::fence(PtxBlockState &block, unsigned warp) {
  for (uint32_t chunk : block.warps[warp].dirty)
    if (block.dirtyBy[chunk] == warp + 1)
      block.dirtyBy[chunk] = 0;
  block.warps[warp].dirty.clear();
}

bool PtxBlockSpaces::load(PtxSpace space, uint64_t address, unsigned bytes,
                          uint64_t &value, std::string &error) {
  bool shared =
      space == PtxSpace::Shared || address >> 40 == kPtxSharedWindow >> 40;
  if (!shared)
    return run->memory.load(address, bytes, value, error);
  PtxBlockState *owner;
  uint64_t offset;
  value = 0;
  uint8_t data[8] = {};
  if (!run->resolve(*block, address, bytes, owner, offset, error) ||
      !run->readShared(*owner, offset, bytes, data, false, error))
    return false;
  std::memcpy(&value, data, bytes);
  return true;
}

bool PtxBlockSpaces::store(PtxSpace space, uint64_t address, unsigned bytes,
                           uint64_t value, std::string &error) {
  ++run->events;
  bool shared =
      space == PtxSpace::Shared || address >> 40 == kPtxSharedWindow >> 40;
  if (!shared)
    return run->memory.store(address, bytes, value, error);
  PtxBlockState *owner;
  uint64_t offset;
  uint8_t data[8];
  std::memcpy(data, &value, 8);
  if (!run->resolve(*block, address, bytes, owner, offset, error))
    return false;
  if (owner != block) {
    error = "stores to the shared memory of another block, which is not "
            "emulated";
    return false;
  }
  return run->writeShared(*owner, offset, bytes, data, warp + 1, error);
}

//===----------------------------------------------------------------------===//
// Barriers in shared memory
//===----------------------------------------------------------------------===//

bool PtxClusterRun::settle(PtxMbarrier &barrier, std::string &why) {
  ++events;
  if (barrier.pending < 0) {
    why = "arrives at a barrier more often than it expects";
    return false;
  }
  if (barrier.pending == 0 && barrier.bytes == 0) {
    barrier.phase ^= 1;
    barrier.pending = barrier.expected;
  }
  return true;
}

bool PtxClusterRun::mbarrier(PtxBlockState &block, PtxThread &thread,
                             const PtxInstruction &inst, bool &sleeps) {
  uint64_t address, offset, number = 1;
  PtxBlockState *owner;
  if (!thread.use(inst.second, address) ||
      (inst.numSrc && !thread.use(inst.src[0], 32, number)) ||
      !resolve(block, address, 8, owner, offset, thread.error))
    return false;
  if (offset % 8 != 0)
    return thread.fail("uses a barrier at the misaligned address " +
                       hexAddress(address));
  if (inst.code == PtxCode::MbarInit) {
    if (number == 0 || number >= (1u << 20))
      return thread.fail("initialises a barrier with a count that is none");
    owner->mbarriers[offset] = {uint32_t(number), int64_t(number), 0, 0};
    ++events;
    return true;
  }
  auto found = owner->mbarriers.find(offset);
  if (found == owner->mbarriers.end())
    return thread.fail("uses a barrier that was not initialised, at " +
                       hexAddress(address));
  PtxMbarrier &barrier = found->second;
  switch (inst.code) {
  case PtxCode::MbarInval:
    owner->mbarriers.erase(found);
    return true;
  case PtxCode::MbarExpect:
    barrier.bytes += int64_t(number);
    ++events;
    return true;
  case PtxCode::MbarArrive:
    if (inst.flag) {
      barrier.bytes += int64_t(number);
      number = 1;
    }
    barrier.pending -= int64_t(number);
    if (inst.numDst)
      thread.set(inst.dst[0], barrier.phase);
    return settle(barrier, thread.error);
  default: {
    // The phase of this parity is over when the current one has the other.
    bool over = barrier.phase != (number & 1);
    thread.set(inst.dst[0], over);
    sleeps = !over;
    return true;
  }
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static uint64_t swizzled(uint64_t address, unsigned span) {
  uint64_t bits = span == 128 ? 7 : span == 64 ? 3 : span == 32 ? 1 : 0;
  return address ^ ((address >> 7 & bits) << 4);
}

static uint64_t boxBytes(const PtxTensorMap &map) {
  uint64_t bytes = map.elementBytes;
  for (unsigned extent : map.box)
    bytes *= extent;
  return bytes;
}

bool PtxClusterRun::issueCopy(PtxBlockState &block, unsigned warp,
                              unsigned lane, const PtxInstruction &inst) {
  PtxThread &self = thread(block, warp, lane);
  PtxCopy copy;
  copy.line = inst.line;
  copy.tensor =
      inst.code == PtxCode::LoadTensor || inst.code == PtxCode::StoreTensor;
  copy.store =
      inst.code == PtxCode::StoreTensor || inst.code == PtxCode::StoreBulk;
  copy.add = inst.reduction == PtxReduction::Add;
  uint64_t shared, barrier = 0, mask = 0, value;
  if (!self.use(PtxAddress{inst.address, inst.offset}, shared) ||
      !self.use(inst.second, copy.global) ||
      (!copy.store && !self.use(inst.third, barrier)) ||
      (inst.flag && !self.use(inst.src[inst.numSrc - 1], 16, mask)))
    return false;
  if (copy.tensor) {
    for (unsigned i = 0; i < inst.rank; ++i) {
      if (!self.use(inst.src[i], 32, value))
        return false;
      copy.at[i] = int32_t(uint32_t(value));
    }
    // The map lies among the parameters or in global memory.
    uint64_t handle = 0;
    if (copy.global >> 40 == kPtxParamWindow >> 40) {
      uint64_t at = copy.global - kPtxParamWindow;
      if (at % 64 == 0 && at + 128 <= params.size())
        std::memcpy(&handle, params.data() + at, 8);
    } else if (!memory.load(copy.global, 8, handle, self.error)) {
      return false;
    }
    copy.map = maps.find(handle);
    if (!copy.map || copy.map->sizes.size() != inst.rank)
      return self.fail("copies with something that is no tensor map of " +
                       std::to_string(inst.rank) + " dimensions");
    copy.bytes = boxBytes(*copy.map);
  } else {
    if (!self.use(inst.src[0], 32, copy.bytes))
      return false;
    if (copy.bytes % 16 != 0 || copy.global % 16 != 0)
      return self.fail("bulk copies need sizes and addresses that are "
                       "multiples of 16 bytes");
  }
  if (shared % (copy.tensor ? 128 : 16) != 0)
    return self.fail("a copy's shared address " + hexAddress(shared) +
                     " is misaligned");
  if (!resolve(block, shared, copy.bytes, copy.block, copy.shared, self.error))
    return false;
  if (copy.store) {
    std::vector<uint8_t> data(copy.bytes);
    if (!readShared(*copy.block, copy.shared, copy.bytes, data.data(), true,
                    self.error))
      return false;
    block.warps[warp].uncommitted[lane].push_back(copy);
    return true;
  }
  PtxBlockState *owner;
  if (!resolve(block, barrier, 8, owner, copy.barrier, self.error))
    return false;
  if (owner != copy.block)
    return self.fail("a copy and its barrier are in different blocks");
  for (unsigned rank = 0; rank < blocks.size(); ++rank) {
    if (inst.flag ? !(mask >> rank & 1) : blocks[rank].get() != copy.block)
      continue;
    PtxCopy one = copy;
    one.block = blocks[rank].get();
    if (!one.block->mbarriers.count(one.barrier))
      return self.fail("a copy's barrier was not initialised, at " +
                       hexAddress(barrier));
    for (uint64_t i = 0; i < one.bytes; ++i) {
      PtxByte &state = one.block->state[one.shared + i];
      if (state == PtxByte::InFlight)
        return self.fail("copies over a copy in flight, at " +
                         hexAddress(one.shared + i));
      state = PtxByte::InFlight;
    }
    copies.push_back(one);
  }
  ++events;
  return true;
}

bool PtxClusterRun::performTensor(const PtxCopy &copy, std::string &why) {
  const PtxTensorMap &map = *copy.map;
  size_t rank = map.sizes.size();
  uint64_t rows = boxBytes(map) / (map.box[0] * map.elementBytes);
  std::vector<unsigned> index(rank, 0);
  uint64_t to = copy.shared;
  for (uint64_t row = 0; row < rows; ++row) {
    uint64_t from = map.address;
    bool inside = true;
    for (size_t d = 1; d < rank; ++d) {
      int64_t at = int64_t(copy.at[d]) + index[d];
      inside &= at >= 0 && uint64_t(at) < map.sizes[d];
      if (inside)
        from += uint64_t(at) * map.strides[d - 1];
    }
    for (unsigned i = 0; i < map.box[0]; ++i, to += map.elementBytes) {
      int64_t at = int64_t(copy.at[0]) + i;
      bool element = inside && at >= 0 && uint64_t(at) < map.sizes[0];
      uint64_t address = from + uint64_t(at) * map.elementBytes;
      uint64_t where = swizzled(to, map.swizzleBytes), value = 0;
      uint8_t data[8] = {};
      if (copy.store) {
        if (!element)
          continue;
        if (!readShared(*copy.block, where, map.elementBytes, data, true, why))
          return false;
        std::memcpy(&value, data, map.elementBytes);
        if (copy.add) {
          uint64_t old = 0;
          if (map.elementBytes != 4) {
            why = "adds a type that is not emulated";
            return false;
          }
          if (!memory.load(address, 4, old, why))
            return false;
          value = softAdd(kF32, uint32_t(old), uint32_t(value));
        }
        if (!memory.store(address, map.elementBytes, value, why))
          return false;
        continue;
      }
      if (element && !memory.load(address, map.elementBytes, value, why))
        return false;
      std::memcpy(data, &value, 8);
      if (!writeShared(*copy.block, where, map.elementBytes, data, 0, why))
        return false;
    }
    for (size_t d = 1; d < rank && ++index[d] == map.box[d]; ++d)
      index[d] = 0;
  }
  return true;
}

bool PtxClusterRun::perform(const PtxCopy &copy, std::string &why) {
  if (copy.tensor) {
    if (!performTensor(copy, why))
      return false;
  } else {
    for (uint64_t i = 0; i < copy.bytes; i += 4) {
      uint64_t value = 0;
      uint8_t data[8] = {};
      if (copy.store) {
        if (!readShared(*copy.block, copy.shared + i, 4, data, true, why))
          return false;
        std::memcpy(&value, data, 4);
        if (copy.add) {
          uint64_t old = 0;
          if (!memory.load(copy.global + i, 4, old, why))
            return false;
          value = softAdd(kF32, uint32_t(old), uint32_t(value));
        }
        if (!memory.store(copy.global + i, 4, value, why))
          return false;
        continue;
      }
      if (!memory.load(copy.global + i, 4, value, why))
        return false;
      std::memcpy(data, &value, 8);
      if (!writeShared(*copy.block, copy.shared + i, 4, data, 0, why))
        return false;
    }
  }
  if (copy.store)
    return true;
  PtxMbarrier &barrier = copy.block->mbarriers[copy.barrier];
  barrier.bytes -= int64_t(copy.bytes);
  return settle(barrier, why);
}

bool PtxClusterRun::waitCopies(PtxWarpState &warp, unsigned lane, uint64_t keep,
                               std::string &why) {
  auto &groups = warp.committed[lane];
  while (groups.size() > keep) {
    for (const PtxCopy &copy : groups.front())
      if (!perform(copy, why))
        return false;
    groups.pop_front();
  }
  return true;
}

bool PtxClusterRun::deliver() {
  while (!copies.empty()) {
    PtxCopy copy = copies.front();
    copies.pop_front();
    std::string why;
    if (!perform(copy, why))
      return fail("line " + std::to_string(copy.line) + ": a copy of block " +
                  std::to_string(copy.block->rank) + " of the cluster " + why);
    // With a seed they arrive one at a time.
    if (launch.seed)
      return true;
  }
  return true;
}

} // namespace polytest
