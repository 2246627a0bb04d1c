//===- SharedMaximum.cpp - Maxima through shared memory -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMaximum.h"

#include "BoundProof.h"
#include "SharedAccess.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace mlir::poly::bound {

std::optional<Shuffle> viewShuffle(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
    if (value != shuffle.getShuffleResult())
      return std::nullopt;
    static constexpr std::pair<gpu::ShuffleMode, Shuffle::Mode> kModes[] = {
        {gpu::ShuffleMode::XOR, Shuffle::Xor},
        {gpu::ShuffleMode::UP, Shuffle::Up},
        {gpu::ShuffleMode::DOWN, Shuffle::Down},
        {gpu::ShuffleMode::IDX, Shuffle::Index}};
    for (auto [theirs, ours] : kModes)
      if (shuffle.getMode() == theirs)
        return Shuffle{ours, shuffle.getValue(), shuffle.getOffset(),
                       {},   shuffle.getWidth(), {}};
    return std::nullopt;
  }
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op)) {
    if (shuffle.getReturnValueAndIsValid())
      return std::nullopt;
    static constexpr std::pair<NVVM::ShflKind, Shuffle::Mode> kModes[] = {
        {NVVM::ShflKind::bfly, Shuffle::Xor},
        {NVVM::ShflKind::up, Shuffle::Up},
        {NVVM::ShflKind::down, Shuffle::Down},
        {NVVM::ShflKind::idx, Shuffle::Index}};
    for (auto [theirs, ours] : kModes)
      if (shuffle.getKind() == theirs)
        return Shuffle{ours,
                       shuffle.getVal(),
                       shuffle.getOffset(),
                       shuffle.getMaskAndClamp(),
                       {},
                       shuffle.getThreadMask()};
    return std::nullopt;
  }
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  StringRef name = call ? call.getIntrin() : "";
  if (!name.consume_front("llvm.nvvm.shfl.sync.") || op->getNumOperands() != 4)
    return std::nullopt;
  static constexpr std::pair<StringLiteral, Shuffle::Mode> kModes[] = {
      {"bfly.", Shuffle::Xor},
      {"up.", Shuffle::Up},
      {"down.", Shuffle::Down},
      {"idx.", Shuffle::Index}};
  for (auto [theirs, ours] : kModes)
    if (name == (theirs + "i32").str() || name == (theirs + "f32").str())
      return Shuffle{
          ours, op->getOperand(1), op->getOperand(2), op->getOperand(3),
          {},   op->getOperand(0)};
  return std::nullopt;
}

namespace {

constexpr unsigned kMaxDepth = 256;

/// What one thread's value covers: it is at least the scores of these threads,
/// or NaN.
struct Cover {
  llvm::BitVector threads;
  /// It is NaN only where all those scores are, so that a maximum which drops
  /// a NaN drops nothing.
  bool keepsNumbers = true;
};
using Covers = std::vector<Cover>;

/// The lane that lane \p lane reads, as PTX defines shfl; its own if that is
/// outside of the segment.
int64_t sourceLane(Shuffle::Mode mode, int64_t lane, int64_t offset,
                   int64_t clamp) {
  int64_t segment = clamp >> 8 & 31, limit = clamp & 31;
  int64_t last = (lane & segment) | (limit & ~segment & 31);
  int64_t first = lane & segment;
  offset &= 31;
  int64_t source = lane;
  switch (mode) {
  case Shuffle::Up:
    source = lane - offset;
    return source >= last ? source : lane;
  case Shuffle::Down:
    source = lane + offset;
    break;
  case Shuffle::Xor:
    source = lane ^ offset;
    break;
  case Shuffle::Index:
    source = first | (offset & ~segment);
    break;
  }
  return source <= last ? source : lane;
}

class CoverAnalysis {
public:
  CoverAnalysis(ThreadValues &values, const SharedTrace &trace,
                llvm::function_ref<bool(Value)> isAtLeast)
      : values(values), trace(trace), isAtLeast(isAtLeast),
        threads(values.numThreads()) {}

  /// Follows all accesses in order.
  void run();
  bool isCovered(Value maximum);

private:
  using Word = std::pair<SharedObject, int64_t>;
  struct Access {
    const SharedEvent *event;
    llvm::BitVector active;
    std::optional<std::vector<int64_t>> words;
  };

  Covers nothing() const {
    return Covers(threads, {llvm::BitVector(threads), true});
  }
  void runInterval(llvm::ArrayRef<SharedEvent> events, bool mayOthersStore);
  Access view(const SharedEvent &event);
  void load(const Access &access,
            const std::map<Word, llvm::BitVector> &writers,
            const std::map<Word, std::map<unsigned, Cover>> &written);

  const Covers &get(Value value, unsigned depth = 0);
  Covers compute(Value value, unsigned depth);
  Covers computeShuffle(const Shuffle &shuffle, Operation *op, unsigned depth);
  /// Where the op runs; nothing if that is not known.
  llvm::BitVector activeAt(Operation *op) const {
    auto it = trace.active.find(op->getBlock());
    return it != trace.active.end() ? it->second : llvm::BitVector(threads);
  }
  static Cover join(const Cover &a, const Cover &b, bool dropsNaN);

  ThreadValues &values;
  const SharedTrace &trace;
  llvm::function_ref<bool(Value)> isAtLeast;
  unsigned threads;
  llvm::DenseMap<Value, Covers> covers;
  std::map<Word, Cover> memory;
};

Cover CoverAnalysis::join(const Cover &a, const Cover &b, bool dropsNaN) {
  Cover result{llvm::BitVector(a.threads.size()), dropsNaN};
  // A NaN that stands for numbers gets lost.
  for (const Cover *part : {&a, &b})
    if (!dropsNaN || part->keepsNumbers)
      result.threads |= part->threads;
  return result;
}

CoverAnalysis::Access CoverAnalysis::view(const SharedEvent &event) {
  Access access{&event, event.active, std::nullopt};
  if (event.access.predicate) {
    std::optional<llvm::BitVector> isTrue =
        values.getTrue(event.access.predicate);
    if (!isTrue)
      return access;
    access.active &= *isTrue;
  }
  access.words = getWords(event.access, values, access.active);
  return access;
}

void CoverAnalysis::load(
    const Access &access, const std::map<Word, llvm::BitVector> &writers,
    const std::map<Word, std::map<unsigned, Cover>> &written) {
  Covers loaded = nothing();
  for (unsigned thread : access.active.set_bits()) {
    Word word{access.event->access.object, (*access.words)[thread]};
    auto storing = writers.find(word);
    bool isOwn = false;
    if (storing != writers.end()) {
      llvm::BitVector others = storing->second;
      others.reset(thread);
      // Whether it comes before or after is not known.
      if (others.any())
        continue;
      auto own = written.find(word);
      if (own != written.end()) {
        auto value = own->second.find(thread);
        if (value != own->second.end()) {
          loaded[thread] = value->second;
          isOwn = true;
        }
      }
    }
    auto stored = memory.find(word);
    if (!isOwn && stored != memory.end())
      loaded[thread] = stored->second;
  }
  covers[access.event->op->getResult(0)] = std::move(loaded);
}

/// What happens between two barriers, in an order among threads that is not
/// known.
void CoverAnalysis::runInterval(llvm::ArrayRef<SharedEvent> events,
                                bool mayOthersStore) {
  std::vector<Access> accesses;
  std::map<Word, llvm::BitVector> writers;
  llvm::SmallPtrSet<SharedObject, 4> spoilt;
  for (const SharedEvent &event : events) {
    mayOthersStore |= event.access.kind == SharedKind::Unknown;
    accesses.push_back(view(event));
    if (event.access.kind != SharedKind::Store)
      continue;
    if (!accesses.back().words) {
      spoilt.insert(event.access.object);
      continue;
    }
    for (unsigned thread : accesses.back().active.set_bits()) {
      llvm::BitVector &who =
          writers[{event.access.object, (*accesses.back().words)[thread]}];
      who.resize(threads);
      who.set(thread);
    }
  }
  auto isSpoilt = [&](const Access &access) {
    return mayOthersStore || spoilt.contains(access.event->access.object);
  };
  std::map<Word, std::map<unsigned, Cover>> written;
  for (const Access &access : accesses) {
    if (!access.words || isSpoilt(access))
      continue;
    SharedObject object = access.event->access.object;
    if (access.event->access.kind == SharedKind::Load) {
      load(access, writers, written);
      continue;
    }
    const Covers &stored = get(access.event->access.stored);
    for (unsigned thread : access.active.set_bits())
      written[{object, (*access.words)[thread]}][thread] = stored[thread];
  }
  if (mayOthersStore)
    memory.clear();
  for (auto it = memory.begin(); it != memory.end();)
    it = spoilt.contains(it->first.first) ? memory.erase(it) : std::next(it);
  // Of several threads' stores to one word any may be the last.
  for (const auto &[word, byThread] : written) {
    Cover cell{llvm::BitVector(threads, true), true};
    for (const auto &[thread, cover] : byThread) {
      cell.threads &= cover.threads;
      cell.keepsNumbers &= cover.keepsNumbers;
    }
    memory[word] = std::move(cell);
  }
}

void CoverAnalysis::run() {
  llvm::SmallVector<llvm::ArrayRef<SharedEvent>> intervals;
  llvm::ArrayRef<SharedEvent> rest = trace.events;
  for (;;) {
    size_t size = 0;
    while (size < rest.size() && rest[size].access.kind != SharedKind::Barrier)
      ++size;
    intervals.push_back(rest.take_front(size));
    if (size == rest.size())
      break;
    rest = rest.drop_front(size + 1);
  }
  auto stores = [](llvm::ArrayRef<SharedEvent> interval) {
    return llvm::any_of(interval, [](const SharedEvent &event) {
      return event.access.kind == SharedKind::Store ||
             event.access.kind == SharedKind::Unknown;
    });
  };
  // Some threads may still be in front of the code, or behind it already, and
  // in the next or previous round of a loop.
  for (auto [i, interval] : llvm::enumerate(intervals)) {
    bool isFirst = i == 0, isLast = i + 1 == intervals.size();
    bool mayOthersStore =
        (isFirst && !trace.isFirst &&
         (trace.hasStoresOutside ||
          (trace.isInLoop && stores(intervals.back())))) ||
        (isLast && (trace.hasStoresOutside ||
                    (trace.isInLoop && stores(intervals.front()))));
    runInterval(interval, mayOthersStore);
  }
}

bool CoverAnalysis::isCovered(Value maximum) {
  const Covers &own = get(maximum);
  llvm::BitVector active(threads, true);
  if (Operation *op = maximum.getDefiningOp())
    if (trace.active.contains(op->getBlock()))
      active = activeAt(op);
  return llvm::all_of(active.set_bits(), [&](unsigned thread) {
    return own[thread].threads.test(thread);
  });
}

const Covers &CoverAnalysis::get(Value value, unsigned depth) {
  value = skipBitcasts(value);
  if (isScalar(value)) {
    Operand resolved = resolveLane({value, -1, 1});
    if (resolved.sign > 0 && resolved.lane < 0)
      value = skipBitcasts(resolved.value);
  }
  auto it = covers.find(value);
  if (it != covers.end())
    return it->second;
  Covers result = depth < kMaxDepth ? compute(value, depth) : nothing();
  return covers[value] = std::move(result);
}

Covers CoverAnalysis::computeShuffle(const Shuffle &shuffle, Operation *op,
                                     unsigned depth) {
  Covers result = nothing();
  std::optional<int64_t> clamp;
  if (shuffle.clamp) {
    clamp = values.getUniform(shuffle.clamp);
  } else if (std::optional<int64_t> width = values.getUniform(shuffle.width)) {
    // Fewer lanes leave the others without a value.
    if (*width == kWarpSize)
      clamp = shuffle.mode == Shuffle::Up ? 0 : kWarpSize - 1;
  }
  if (!clamp || (shuffle.mask && values.getUniform(shuffle.mask) != -1))
    return result;
  ThreadIntegers offset = values.get(shuffle.offset);
  llvm::BitVector active = activeAt(op);
  const Covers &source = get(shuffle.value, depth + 1);
  for (unsigned thread : active.set_bits()) {
    if (!offset.known[thread])
      continue;
    unsigned lane = thread % kWarpSize;
    unsigned other =
        thread - lane +
        sourceLane(shuffle.mode, lane, offset.values[thread], *clamp);
    if (other < threads && active.test(other))
      result[thread] = source[other];
  }
  return result;
}

Covers CoverAnalysis::compute(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (op && op->getNumResults() != 0) {
    if (std::optional<Shuffle> shuffle = viewShuffle(value))
      return computeShuffle(*shuffle, op, depth);
    FloatView view = getFloatView(op);
    if (view.kind == FloatKind::Max && isScalar(value)) {
      Covers first = get(view.operands[0], depth + 1);
      const Covers &second = get(view.operands[1], depth + 1);
      for (unsigned thread = 0; thread < threads; ++thread)
        first[thread] = join(first[thread], second[thread], view.isNumber);
      return first;
    }
    if (auto reduce = dyn_cast<gpu::SubgroupReduceOp>(op)) {
      std::optional<Reduction> reduction = viewMaxReduction(op);
      llvm::BitVector active = activeAt(op);
      Covers result = nothing();
      if (!reduction || reduce.getClusterSize() || !isScalar(value))
        return result;
      const Covers &parts = get(reduce.getValue(), depth + 1);
      for (unsigned first = 0; first < threads; first += kWarpSize) {
        Cover joined{llvm::BitVector(threads), true};
        unsigned end = std::min(first + kWarpSize, threads);
        for (unsigned lane = first; lane < end; ++lane)
          if (active.test(lane))
            joined = join(joined, parts[lane], reduction->keepsNumbers);
        for (unsigned lane = first; lane < end; ++lane)
          if (active.test(lane))
            result[lane] = joined;
      }
      return result;
    }
    Value condition, ifTrue, ifFalse;
    if (isa<arith::SelectOp, LLVM::SelectOp>(op)) {
      condition = op->getOperand(0);
      ifTrue = op->getOperand(1);
      ifFalse = op->getOperand(2);
    } else if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      condition = ifOp.getCondition();
      ifTrue = ifOp.thenYield().getOperand(number);
      ifFalse = ifOp.elseYield().getOperand(number);
    }
    if (condition)
      if (std::optional<llvm::BitVector> isTrue = values.getTrue(condition)) {
        Covers chosen = get(ifTrue, depth + 1);
        const Covers &other = get(ifFalse, depth + 1);
        for (unsigned thread = 0; thread < threads; ++thread)
          if (!isTrue->test(thread))
            chosen[thread] = other[thread];
        return chosen;
      }
  }
  Covers result = nothing();
  if (getElementFormat(value.getType()) && isScalar(value) &&
      isAtLeast(value)) {
    bool keeps = keepsNumbers(value);
    for (unsigned thread = 0; thread < threads; ++thread) {
      result[thread].threads.set(thread);
      result[thread].keepsNumbers = keeps;
    }
  }
  return result;
}

} // namespace

SmallVector<Operation *> getSharedLoads(Value value) {
  constexpr unsigned kMaxValues = 64;
  SmallVector<Operation *> loads;
  llvm::SmallSetVector<Value, 16> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size() && i < kMaxValues; ++i) {
    Value next = skipBitcasts(resolveLane({values[i], -1, 1}).value);
    Operation *op = next.getDefiningOp();
    if (!op)
      continue;
    if (isSharedLoad(next)) {
      loads.push_back(op);
      continue;
    }
    if (std::optional<Shuffle> shuffle = viewShuffle(next)) {
      values.insert(shuffle->value);
      continue;
    }
    if (isa<arith::SelectOp, LLVM::SelectOp>(op)) {
      values.insert(op->getOperand(1));
      values.insert(op->getOperand(2));
      continue;
    }
    if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
      unsigned number = cast<OpResult>(next).getResultNumber();
      for (Region *region : ifOp.getRegions())
        if (!region->empty())
          values.insert(region->front().getTerminator()->getOperand(number));
      continue;
    }
    if (auto reduce = dyn_cast<gpu::SubgroupReduceOp>(op))
      values.insert(reduce.getValue());
    FloatView view = getFloatView(op);
    if (view.kind == FloatKind::Max)
      values.insert(view.getOperands().begin(), view.getOperands().end());
  }
  return loads;
}

std::optional<SmallVector<Value>> getSharedStores(Operation *load) {
  Operation *kernel = getKernelAround(load);
  SharedObject object = getSharedAccess(load).object;
  if (!kernel || !object)
    return std::nullopt;
  SmallVector<Value> stored;
  bool isKnown = true;
  kernel->walk([&](Operation *op) {
    SharedAccess access = getSharedAccess(op);
    if (access.kind == SharedKind::Unknown)
      isKnown = false;
    if (access.kind != SharedKind::Store || access.object != object)
      return;
    isKnown &= access.isWord;
    if (access.isWord)
      stored.push_back(skipBitcasts(access.stored));
  });
  return isKnown ? std::optional(stored) : std::nullopt;
}

bool isMaximumOfAll(Value maximum, llvm::function_ref<bool(Value)> isAtLeast,
                    std::string &whyNot) {
  SmallVector<Operation *> loads = getSharedLoads(maximum);
  if (loads.empty())
    return false;
  Operation *kernel = getKernelAround(loads.back());
  if (!kernel) {
    whyNot = "this function is not a kernel, so that others may store to "
             "shared memory as well";
    return false;
  }
  std::optional<std::array<int64_t, 3>> size = getBlockSize(kernel);
  if (!size) {
    whyNot = "the number of threads is not known (known_block_size or reqntid "
             "says it)";
    return false;
  }
  ThreadValues values(kernel, *size);
  // Among the loads, those of the last stage see what earlier ones led to.
  std::optional<SharedTrace> trace =
      traceAround(loads.back(), kernel, values, whyNot);
  if (!trace)
    return false;
  CoverAnalysis analysis(values, *trace, isAtLeast);
  analysis.run();
  if (analysis.isCovered(maximum))
    return true;
  whyNot = "a thread may read a value that is not the maximum of its own "
           "scores and others";
  return false;
}

} // namespace mlir::poly::bound
