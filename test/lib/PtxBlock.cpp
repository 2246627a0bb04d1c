//===- PtxBlock.cpp - Runs kernels whose threads work together ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxCluster.h"

#include <algorithm>

namespace polytest {

namespace {

/// Instructions that all lanes of a warp execute at once, or those that a
/// member mask (the last operand) names.
bool isAligned(const PtxInstruction &inst) {
  switch (inst.code) {
  case PtxCode::Bar:
  case PtxCode::BarWarp:
  case PtxCode::Elect:
  case PtxCode::Shfl:
  case PtxCode::Vote:
  case PtxCode::StMatrix:
  case PtxCode::LdMatrix:
  case PtxCode::WgmmaFence:
  case PtxCode::Wgmma:
  case PtxCode::WgmmaCommit:
  case PtxCode::WgmmaWait:
    return true;
  default:
    return false;
  }
}

bool hasMask(const PtxInstruction &inst) {
  return inst.code == PtxCode::BarWarp || inst.code == PtxCode::Elect ||
         inst.code == PtxCode::Shfl || inst.code == PtxCode::Vote;
}

} // namespace

PtxClusterRun::PtxClusterRun(const PtxKernel &kernel, const PtxLaunch &launch,
                             const std::vector<uint8_t> &params,
                             const PtxTensorMaps &maps, PtxMemory &memory)
    : kernel(kernel), launch(launch), params(params), maps(maps),
      memory(memory), random(launch.seed) {
  unsigned threads = launch.block.x * launch.block.y * launch.block.z;
  unsigned size = kernel.cluster.x * kernel.cluster.y * kernel.cluster.z;
  for (unsigned rank = 0; rank < size; ++rank) {
    blocks.push_back(std::make_unique<PtxBlockState>());
    PtxBlockState &block = *blocks.back();
    block.rank = rank;
    block.specials.resize(threads);
    block.threads.reserve(threads);
    block.spaces.run = this;
    block.spaces.block = &block;
    for (unsigned t = 0; t < threads; ++t)
      block.threads.emplace_back(kernel, params, block.spaces,
                                 block.specials[t]);
  }
}

void PtxClusterRun::reset(PtxDim3 origin) {
  copies.clear();
  clusterArrived = clusterPhase = 0;
  const PtxDim3 &size = kernel.cluster, &dim = launch.block;
  uint64_t bytes = kPtxSharedBase + kernel.staticShared + launch.dynamicShared;
  for (auto &owned : blocks) {
    PtxBlockState &block = *owned;
    unsigned x = block.rank % size.x, y = block.rank / size.x % size.y,
             z = block.rank / size.x / size.y;
    block.bytes.assign(bytes, 0);
    block.state.assign(bytes, PtxByte::Undefined);
    block.dirtyBy.assign(bytes / 16 + 1, 0);
    block.mbarriers.clear();
    block.named = {};
    block.warps.assign(block.threads.size() / kPtxWarp, PtxWarpState());
    for (PtxWarpState &warp : block.warps) {
      warp.reads.assign(kernel.registerNames.size(), 0);
      warp.writes.assign(kernel.registerNames.size(), 0);
    }
    for (unsigned t = 0; t < block.threads.size(); ++t) {
      block.threads[t].reset();
      block.specials[t] = {t % dim.x,
                           t / dim.x % dim.y,
                           t / dim.x / dim.y,
                           dim.x,
                           dim.y,
                           dim.z,
                           origin.x + x,
                           origin.y + y,
                           origin.z + z,
                           launch.grid.x,
                           launch.grid.y,
                           launch.grid.z,
                           x,
                           y,
                           z,
                           block.rank,
                           size.x,
                           uint32_t(blocks.size()),
                           t % kPtxWarp,
                           t / kPtxWarp};
    }
  }
}

bool PtxClusterRun::locate(PtxBlockState &block, unsigned warp, unsigned lane,
                           uint32_t line, const std::string &message) {
  const PtxThread::Special &s = block.specials[warp * kPtxWarp + lane];
  return fail("line " + std::to_string(line) + ": thread (" +
              std::to_string(s[0]) + "," + std::to_string(s[1]) + "," +
              std::to_string(s[2]) + ") of block (" + std::to_string(s[6]) +
              "," + std::to_string(s[7]) + "," + std::to_string(s[8]) + ") " +
              message);
}

std::string PtxClusterRun::whoWaits() const {
  std::string text = "deadlock:";
  for (const auto &block : blocks)
    for (size_t w = 0; w < block->warps.size(); ++w) {
      const PtxWarpState &warp = block->warps[w];
      for (unsigned lane = 0; lane < kPtxWarp; ++lane) {
        if (warp.lane[lane] == PtxWarpState::Exited)
          continue;
        uint32_t at = warp.pc[lane] - (warp.barrier >= 0 && warp.pc[lane]);
        text +=
            " block " + std::to_string(block->rank) + " warp " +
            std::to_string(w) + " waits at line " +
            std::to_string(kernel.body[at].line) +
            (warp.barrier >= 0 ? " for barrier " + std::to_string(warp.barrier)
                               : "") +
            ";";
        break;
      }
    }
  return text;
}

void PtxClusterRun::start(PtxDim3 origin) {
  reset(origin);
  order.clear();
  for (unsigned b = 0; b < blocks.size(); ++b)
    for (unsigned w = 0; w < blocks[b]->warps.size(); ++w)
      order.emplace_back(b, w);
}

PtxClusterRun::Progress PtxClusterRun::round() {
  if (launch.seed)
    std::shuffle(order.begin(), order.end(), random);
  uint64_t before = events;
  bool alive = false;
  for (auto [b, w] : order) {
    if (!runWarp(*blocks[b], w))
      return Progress::Failed;
    for (PtxWarpState::Lane lane : blocks[b]->warps[w].lane)
      alive |= lane != PtxWarpState::Exited;
  }
  if (!alive) {
    if (copies.empty())
      return Progress::Finished;
    fail("line " + std::to_string(copies.front().line) +
         ": a copy arrives after the end of its block");
    return Progress::Failed;
  }
  if (events != before)
    return Progress::Ran;
  if (copies.empty())
    return Progress::Waits;
  return deliver() ? Progress::Ran : Progress::Failed;
}

/// The lanes at the first of the places where any could go on.
bool PtxClusterRun::pick(PtxBlockState &block, unsigned warp, Mask &group,
                         uint32_t &at) {
  PtxWarpState &state = block.warps[warp];
  group = 0;
  at = ~0u;
  for (unsigned lane = 0; lane < kPtxWarp; ++lane) {
    if (state.lane[lane] != PtxWarpState::Run || state.pc[lane] > at)
      continue;
    if (state.pc[lane] < at) {
      at = state.pc[lane];
      group = 0;
    }
    group |= 1u << lane;
  }
  return group != 0;
}

bool PtxClusterRun::runWarp(PtxBlockState &block, unsigned warp) {
  PtxWarpState &state = block.warps[warp];
  if (state.barrier >= 0)
    return true;
  block.spaces.warp = warp;
  for (PtxWarpState::Lane &lane : state.lane)
    if (lane == PtxWarpState::Sleep)
      lane = PtxWarpState::Run;
  constexpr uint64_t limit = 1u << 24;
  for (uint64_t steps = 0; steps < limit; ++steps) {
    Mask group;
    uint32_t at;
    if (!pick(block, warp, group, at))
      return true;
    const PtxInstruction &inst = kernel.body[at];
    Mask active = 0;
    for (unsigned lane = 0; lane < kPtxWarp; ++lane) {
      if (!(group >> lane & 1))
        continue;
      PtxThread &self = thread(block, warp, lane);
      bool executes;
      if (!self.guard(inst, executes))
        return locate(block, warp, lane, inst.line, self.error);
      active |= Mask(executes) << lane;
    }
    if (isAligned(inst)) {
      Mask needed = 0, here = 0;
      for (unsigned lane = 0; lane < kPtxWarp; ++lane) {
        needed |= Mask(state.lane[lane] != PtxWarpState::Exited) << lane;
        bool waits =
            state.lane[lane] == PtxWarpState::Converge && state.pc[lane] == at;
        here |= Mask(waits || group >> lane & 1) << lane;
      }
      if (inst.guarded && active != 0 && active != group)
        return fail("line " + std::to_string(inst.line) +
                    ": a part of a warp executes what all of it must");
      if (inst.guarded && active == 0) {
        for (unsigned lane = 0; lane < kPtxWarp; ++lane)
          if (group >> lane & 1)
            ++state.pc[lane];
        continue;
      }
      if (hasMask(inst)) {
        unsigned lane = 0;
        while (!(group >> lane & 1))
          ++lane;
        PtxThread &self = thread(block, warp, lane);
        uint64_t mask;
        if (!self.use(inst.src[inst.numSrc - 1], 32, mask))
          return locate(block, warp, lane, inst.line, self.error);
        needed &= Mask(mask);
        if (!(mask >> lane & 1))
          return locate(block, warp, lane, inst.line,
                        "is not in the mask of what it executes");
      }
      if ((here & needed) != needed) {
        for (unsigned lane = 0; lane < kPtxWarp; ++lane)
          if (group >> lane & 1)
            state.lane[lane] = PtxWarpState::Converge;
        continue;
      }
      group = active = needed;
      for (unsigned lane = 0; lane < kPtxWarp; ++lane)
        if (group >> lane & 1)
          state.lane[lane] = PtxWarpState::Run;
    }
    if (state.inFlight && active && !checkRegisters(block, warp, inst))
      return false;
    if (inst.code >= PtxCode::Bar && active) {
      bool again = false;
      if (!together(block, warp, active, inst, again))
        return false;
      if (again)
        return true;
      for (unsigned lane = 0; lane < kPtxWarp; ++lane)
        if (group >> lane & 1)
          ++state.pc[lane];
      if (state.barrier >= 0)
        return true;
      continue;
    }
    for (unsigned lane = 0; lane < kPtxWarp; ++lane) {
      if (!(group >> lane & 1))
        continue;
      ++state.pc[lane];
      if (!(active >> lane & 1))
        continue;
      PtxThread &self = thread(block, warp, lane);
      if (inst.code == PtxCode::Bra) {
        state.pc[lane] = inst.target;
      } else if (inst.code == PtxCode::Ret) {
        state.lane[lane] = PtxWarpState::Exited;
        ++events;
        if (!state.committed[lane].empty() || !state.uncommitted[lane].empty())
          return locate(block, warp, lane, inst.line,
                        "ends without waiting for its copies to memory");
        if (state.inFlight)
          return locate(block, warp, lane, inst.line,
                        "ends without waiting for its wgmmas");
      } else if (!self.step(inst)) {
        return locate(block, warp, lane, inst.line, self.error);
      } else if (inst.code == PtxCode::Ld && inst.flag) {
        // An acquiring load may be one of many, until another block stores.
        state.lane[lane] = PtxWarpState::Sleep;
      }
    }
  }
  return fail("line " + std::to_string(kernel.body[state.pc[0]].line) +
              ": warp " + std::to_string(warp) + " does not end");
}

bool PtxClusterRun::namedBarrier(PtxBlockState &block, unsigned warp,
                                 const PtxInstruction &inst) {
  PtxThread &self = thread(block, warp, 0);
  uint64_t id, count = block.threads.size();
  if (!self.use(inst.src[0], 32, id) ||
      (inst.numSrc == 2 && !self.use(inst.src[1], 32, count)))
    return locate(block, warp, 0, inst.line, self.error);
  if (id >= block.named.size() || count == 0 || count % kPtxWarp != 0)
    return locate(block, warp, 0, inst.line,
                  "uses barrier " + std::to_string(id) + " for " +
                      std::to_string(count) +
                      " threads, which is not possible");
  PtxBlockState::Named &barrier = block.named[id];
  if (barrier.arrived && barrier.count != count)
    return locate(block, warp, 0, inst.line,
                  "uses barrier " + std::to_string(id) + " for " +
                      std::to_string(count) + " threads, others for " +
                      std::to_string(barrier.count));
  barrier.count = uint32_t(count);
  barrier.arrived += kPtxWarp;
  ++events;
  bool complete = barrier.arrived == count;
  if (!inst.flag && !complete)
    block.warps[warp].barrier = int(id);
  if (complete) {
    barrier.arrived = 0;
    for (PtxWarpState &other : block.warps)
      if (other.barrier == int(id))
        other.barrier = -1;
  }
  return true;
}

bool PtxClusterRun::clusterBarrier(PtxBlockState &block, unsigned warp,
                                   Mask group, const PtxInstruction &inst,
                                   bool &again) {
  PtxWarpState &state = block.warps[warp];
  if (inst.code == PtxCode::ClusterArrive) {
    // The lanes of a warp must arrive at one phase; those that come apart wait
    // for the last all the same.
    state.clusterPhase = clusterPhase + 1;
    for (unsigned lane = 0; lane < kPtxWarp; ++lane)
      clusterArrived += group >> lane & 1;
    ++events;
    if (clusterArrived == blocks.size() * block.threads.size()) {
      clusterArrived = 0;
      ++clusterPhase;
    }
    return true;
  }
  again = clusterPhase < state.clusterPhase;
  return true;
}

bool PtxClusterRun::warpOperation(PtxBlockState &block, unsigned warp,
                                  Mask group, const PtxInstruction &inst) {
  auto each = [&](auto action) {
    for (unsigned lane = 0; lane < kPtxWarp; ++lane)
      if (group >> lane & 1)
        if (!action(lane))
          return locate(block, warp, lane, inst.line,
                        thread(block, warp, lane).error);
    return true;
  };
  if (inst.code == PtxCode::Elect) {
    unsigned leader = 0;
    while (!(group >> leader & 1))
      ++leader;
    return each([&](unsigned lane) {
      PtxThread &self = thread(block, warp, lane);
      self.set(inst.dst[0], leader);
      self.set(inst.dst[1], lane == leader);
      return true;
    });
  }
  if (inst.code == PtxCode::Vote) {
    uint32_t ballot = 0;
    if (!each([&](unsigned lane) {
          uint64_t value;
          PtxThread &self = thread(block, warp, lane);
          if (!self.use(inst.src[0], 1, value))
            return false;
          bool negated = false;
          ballot |= uint32_t((value != 0) != negated) << lane;
          return true;
        }))
      return false;
    return each([&](unsigned lane) {
      thread(block, warp, lane)
          .set(inst.dst[0], inst.flag    ? ballot
                            : inst.flag2 ? ballot != 0
                                         : ballot == group);
      return true;
    });
  }
  std::array<PtxValue, kPtxWarp> values;
  for (unsigned lane = 0; lane < kPtxWarp; ++lane)
    values[lane] = thread(block, warp, lane).peek(inst.src[0]);
  return each([&](unsigned lane) {
    PtxThread &self = thread(block, warp, lane);
    uint64_t b, c;
    if (!self.use(inst.src[1], 32, b) || !self.use(inst.src[2], 32, c))
      return false;
    unsigned segment = unsigned(c >> 8) & 31, clamp = unsigned(c) & 31;
    unsigned high = (lane & segment) | (clamp & ~segment);
    unsigned low = lane & segment, amount = unsigned(b) & 31;
    unsigned from = lane;
    bool inside = true;
    switch (inst.shuffle) {
    case PtxShuffle::Up:
      inside = int(lane) - int(amount) >= int(high);
      from = lane - amount;
      break;
    case PtxShuffle::Down:
      from = lane + amount;
      inside = from <= high;
      break;
    case PtxShuffle::Bfly:
      from = lane ^ amount;
      inside = from <= high;
      break;
    case PtxShuffle::Idx:
      from = low | (amount & ~segment);
      inside = from <= high;
      break;
    }
    if (!inside)
      from = lane;
    if (!(group >> from & 1))
      return self.fail("takes a value from lane " + std::to_string(from) +
                       ", which does not take part");
    self.set(inst.dst[0], values[from]);
    if (inst.numDst == 2)
      self.set(inst.dst[1], uint64_t(inside));
    return true;
  });
}

bool PtxClusterRun::together(PtxBlockState &block, unsigned warp, Mask group,
                             const PtxInstruction &inst, bool &again) {
  PtxWarpState &state = block.warps[warp];
  unsigned lane = 0;
  switch (inst.code) {
  case PtxCode::Bar:
    return namedBarrier(block, warp, inst);
  case PtxCode::BarWarp:
  case PtxCode::WgmmaFence:
    return true;
  case PtxCode::ClusterArrive:
  case PtxCode::ClusterWait:
    return clusterBarrier(block, warp, group, inst, again);
  case PtxCode::FenceAsync:
    fence(block, warp);
    return true;
  case PtxCode::Elect:
  case PtxCode::Shfl:
  case PtxCode::Vote:
    return warpOperation(block, warp, group, inst);
  case PtxCode::StMatrix:
  case PtxCode::LdMatrix:
    return moveMatrices(block, warp, inst, lane) ||
           locate(block, warp, lane, inst.line,
                  thread(block, warp, lane).error);
  case PtxCode::Wgmma:
    return issueProduct(block, warp, inst);
  case PtxCode::WgmmaCommit:
    state.groups.push_back(std::move(state.open));
    state.open.clear();
    ++state.groupsCommitted;
    ++events;
    return true;
  case PtxCode::WgmmaWait:
    return waitProducts(block, warp, inst.src[0].imm, again);
  default:
    break;
  }
  for (lane = 0; lane < kPtxWarp; ++lane) {
    if (!(group >> lane & 1))
      continue;
    PtxThread &self = thread(block, warp, lane);
    bool good = true, sleeps = false;
    uint64_t a, b;
    switch (inst.code) {
    case PtxCode::Mapa:
      good = self.use(inst.src[0], inst.type.bits(), a) &&
             self.use(inst.src[1], 32, b);
      if (good && b >= blocks.size())
        good = self.fail("maps an address to a block that the cluster has not");
      if (good)
        self.set(inst.dst[0],
                 (a & ~(0xffull << 24)) + (b + 1) * kPtxClusterUnit);
      break;
    case PtxCode::BulkCommit:
      state.committed[lane].push_back(std::move(state.uncommitted[lane]));
      state.uncommitted[lane].clear();
      break;
    case PtxCode::BulkWait:
      good = waitCopies(state, lane, inst.src[0].imm, self.error);
      break;
    case PtxCode::LoadTensor:
    case PtxCode::StoreTensor:
    case PtxCode::LoadBulk:
    case PtxCode::StoreBulk:
      good = issueCopy(block, warp, lane, inst);
      break;
    default:
      good = mbarrier(block, self, inst, sleeps);
      break;
    }
    if (!good)
      return locate(block, warp, lane, inst.line, self.error);
    if (sleeps)
      state.lane[lane] = PtxWarpState::Sleep;
  }
  return true;
}

/// Runs a cluster at each of \p origins, in turn.
static bool runTogether(std::vector<std::unique_ptr<PtxClusterRun>> &runs,
                        const PtxDim3 *origins, uint32_t seed,
                        std::string &error) {
  std::mt19937 random(seed);
  using Progress = PtxClusterRun::Progress;
  std::vector<PtxClusterRun *> running;
  for (size_t i = 0; i < runs.size(); ++i) {
    runs[i]->start(origins[i]);
    running.push_back(runs[i].get());
  }
  unsigned idle = 0;
  while (!running.empty()) {
    bool moves = false;
    if (seed)
      std::shuffle(running.begin(), running.end(), random);
    for (size_t i = 0; i < running.size();) {
      Progress progress = running[i]->round();
      if (progress == Progress::Failed) {
        error = running[i]->error;
        return false;
      }
      moves |= progress != Progress::Waits;
      if (progress == Progress::Finished)
        running.erase(running.begin() + ptrdiff_t(i));
      else
        ++i;
    }
    // Waits that alternate need a few rounds to come round.
    idle = moves ? 0 : idle + 1;
    if (idle > 8) {
      error = running.front()->whoWaits();
      return false;
    }
  }
  return true;
}

bool ptxLaunchBlocks(const PtxKernel &kernel, const PtxLaunch &launch,
                     const PtxArguments &arguments, const PtxTensorMaps &maps,
                     PtxMemory &memory, std::string &error) {
  const PtxDim3 &block = launch.block, &grid = launch.grid,
                &size = kernel.cluster;
  auto reject = [&](const std::string &message) {
    error = message;
    return false;
  };
  if (kernel.hasRequiredBlock &&
      (kernel.requiredBlock.x != block.x || kernel.requiredBlock.y != block.y ||
       kernel.requiredBlock.z != block.z))
    return reject("the block differs from the kernel's .reqntid");
  uint64_t threads = uint64_t(block.x) * block.y * block.z;
  if (threads == 0 || threads > 1024 || threads % kPtxWarp != 0)
    return reject("a block needs 32 to 1024 threads in whole warps, not " +
                  std::to_string(threads));
  if (grid.x % size.x != 0 || grid.y % size.y != 0 || grid.z % size.z != 0)
    return reject("the grid is no multiple of the kernel's cluster");
  if (kernel.staticShared + launch.dynamicShared > 227 * 1024)
    return reject("a block has at most 227 KiB of shared memory");
  std::vector<uint8_t> params;
  if (!ptxParameters(kernel, arguments, params, error))
    return false;
  std::vector<PtxDim3> origins;
  for (unsigned z = 0; z < grid.z; z += size.z)
    for (unsigned y = 0; y < grid.y; y += size.y)
      for (unsigned x = 0; x < grid.x; x += size.x)
        origins.push_back({x, y, z});
  std::vector<std::unique_ptr<PtxClusterRun>> runs;
  for (size_t i = 0; i < (launch.together ? origins.size() : 1); ++i)
    runs.push_back(
        std::make_unique<PtxClusterRun>(kernel, launch, params, maps, memory));
  for (size_t next = 0; next < origins.size(); next += runs.size())
    if (!runTogether(runs, &origins[next], launch.seed, error))
      return false;
  return true;
}

} // namespace polytest
