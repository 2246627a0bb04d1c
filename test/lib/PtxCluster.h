//===- PtxCluster.h - The state of a running cluster ------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to PtxBlock.cpp (scheduling, barriers, warps), PtxAsync.cpp (shared
/// memory, barriers in it, copies) and PtxMatrix.cpp (products).
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_LIB_PTXCLUSTER_H
#define POLY_TEST_LIB_PTXCLUSTER_H

#include "PtxBlock.h"
#include "PtxThread.h"

#include <deque>
#include <random>

namespace polytest {

constexpr unsigned kPtxWarp = 32;

struct PtxMbarrier {
  uint32_t expected = 0;
  int64_t pending = 0, bytes = 0;
  uint32_t phase = 0;
};

enum class PtxByte : uint8_t { Undefined, Written, InFlight };

struct PtxBlockState;

/// A block's view of memory; knows who accesses it.
class PtxBlockSpaces : public PtxAddressSpaces {
public:
  bool load(PtxSpace space, uint64_t address, unsigned bytes, uint64_t &value,
            std::string &error) override;
  bool store(PtxSpace space, uint64_t address, unsigned bytes, uint64_t value,
             std::string &error) override;

  class PtxClusterRun *run = nullptr;
  PtxBlockState *block = nullptr;
  unsigned warp = 0;
};

struct PtxCopy {
  bool store = false, add = false, tensor = false;
  const PtxTensorMap *map = nullptr;
  std::array<int32_t, 5> at{};
  uint64_t global = 0, bytes = 0;
  PtxBlockState *block = nullptr; ///< Whose shared memory.
  uint64_t shared = 0, barrier = 0;
  uint32_t line = 0;
};

struct PtxProduct {
  const PtxWgmma *wgmma = nullptr;
  uint64_t a = 0, b = 0;
  bool accumulates = false;
  uint32_t line = 0;
};

struct PtxWarpState {
  enum Lane : uint8_t { Run, Sleep, Converge, Exited };
  std::array<uint32_t, kPtxWarp> pc{};
  std::array<Lane, kPtxWarp> lane{};
  int barrier = -1;          ///< Waits at this named barrier.
  bool stuck = false;        ///< Tries its instruction again next time.
  uint32_t clusterPhase = 0; ///< Of the arrival that it waits for.
  std::array<std::deque<std::vector<PtxCopy>>, kPtxWarp> committed;
  std::array<std::vector<PtxCopy>, kPtxWarp> uncommitted;
  /// Products not yet waited for: groups and the open one.
  std::deque<std::vector<PtxProduct>> groups;
  std::vector<PtxProduct> open;
  uint64_t groupsCommitted = 0, groupsComputed = 0, groupsWaited = 0;
  /// For each register: how many products in flight read and write it.
  std::vector<uint8_t> reads, writes;
  unsigned inFlight = 0;
  std::vector<uint32_t> dirty; ///< Chunks written since its last fence.
};

struct PtxBlockState {
  unsigned rank = 0;
  std::vector<uint8_t> bytes;
  std::vector<PtxByte> state;
  std::vector<uint16_t> dirtyBy; ///< By 16 bytes: a warp plus one.
  std::map<uint64_t, PtxMbarrier> mbarriers;
  struct Named {
    uint32_t arrived = 0, count = 0;
  };
  std::array<Named, 16> named;
  std::vector<PtxThread::Special> specials;
  std::vector<PtxThread> threads;
  std::vector<PtxWarpState> warps;
  PtxBlockSpaces spaces;
};

class PtxClusterRun {
public:
  PtxClusterRun(const PtxKernel &kernel, const PtxLaunch &launch,
                const std::vector<uint8_t> &params, const PtxTensorMaps &maps,
                PtxMemory &memory);

  /// Begins with the cluster whose first block is at \p origin.
  void start(PtxDim3 origin);
  enum class Progress { Failed, Finished, Ran, Waits };
  /// Lets each warp run until it waits for others.
  Progress round();
  std::string whoWaits() const;

  std::string error;

private:
  friend class PtxBlockSpaces;
  using Mask = uint32_t;

  bool fail(const std::string &message) {
    if (error.empty())
      error = message;
    return false;
  }
  void reset(PtxDim3 origin);
  bool runWarp(PtxBlockState &block, unsigned warp);
  bool pick(PtxBlockState &block, unsigned warp, Mask &group, uint32_t &at);
  bool locate(PtxBlockState &block, unsigned warp, unsigned lane, uint32_t line,
              const std::string &message);

  PtxThread &thread(PtxBlockState &block, unsigned warp, unsigned lane) {
    return block.threads[warp * kPtxWarp + lane];
  }
  /// Runs \p inst for the lanes of \p group; \p again asks to try it later.
  bool together(PtxBlockState &block, unsigned warp, Mask group,
                const PtxInstruction &inst, bool &again);
  bool warpOperation(PtxBlockState &block, unsigned warp, Mask group,
                     const PtxInstruction &inst);
  bool namedBarrier(PtxBlockState &block, unsigned warp,
                    const PtxInstruction &inst);
  bool clusterBarrier(PtxBlockState &block, unsigned warp, Mask group,
                      const PtxInstruction &inst, bool &again);

  // PtxAsync.cpp
  /// Which block and byte a shared address means.
  bool resolve(PtxBlockState &block, uint64_t address, uint64_t bytes,
               PtxBlockState *&owner, uint64_t &offset, std::string &why);
  bool readShared(PtxBlockState &block, uint64_t offset, uint64_t bytes,
                  uint8_t *data, bool async, std::string &why);
  bool writeShared(PtxBlockState &block, uint64_t offset, uint64_t bytes,
                   const uint8_t *data, unsigned writer, std::string &why);
  bool mbarrier(PtxBlockState &block, PtxThread &thread,
                const PtxInstruction &inst, bool &sleeps);
  bool settle(PtxMbarrier &barrier, std::string &why);
  bool issueCopy(PtxBlockState &block, unsigned warp, unsigned lane,
                 const PtxInstruction &inst);
  bool perform(const PtxCopy &copy, std::string &why);
  bool performTensor(const PtxCopy &copy, std::string &why);
  bool waitCopies(PtxWarpState &warp, unsigned lane, uint64_t keep,
                  std::string &why);
  bool deliver();
  void fence(PtxBlockState &block, unsigned warp);

  // PtxMatrix.cpp
  bool moveMatrices(PtxBlockState &block, unsigned warp,
                    const PtxInstruction &inst, unsigned &lane);
  bool issueProduct(PtxBlockState &block, unsigned warp,
                    const PtxInstruction &inst);
  bool waitProducts(PtxBlockState &block, unsigned warp, uint64_t keep,
                    bool &again);
  bool computeGroup(PtxBlockState &block, unsigned warp);
  bool multiply(PtxBlockState &block, unsigned warp, const PtxProduct &product);
  bool operandByte(PtxBlockState &block, uint64_t descriptor,
                   PtxElement element, bool transposed, unsigned row,
                   unsigned k, double &value);
  bool checkRegisters(PtxBlockState &block, unsigned warp,
                      const PtxInstruction &inst);

  const PtxKernel &kernel;
  const PtxLaunch &launch;
  const std::vector<uint8_t> &params;
  const PtxTensorMaps &maps;
  PtxMemory &memory;
  std::vector<std::unique_ptr<PtxBlockState>> blocks;
  std::deque<PtxCopy> copies;
  uint32_t clusterArrived = 0, clusterPhase = 0;
  uint64_t events = 0;
  std::vector<std::pair<unsigned, unsigned>> order; ///< Of blocks' warps.
  std::mt19937 random;
};

} // namespace polytest

#endif // POLY_TEST_LIB_PTXCLUSTER_H
