//===- SharedAccess.cpp - Who touches shared memory, and when -------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedAccess.h"

#include "../RaisePatterns/FloatView.h"
#include "../RaisePatterns/InlineAsm.h"

#include "poly/Dialect/Poly/PolyDialect.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::poly::bound {

namespace {

enum class Space { Shared, Elsewhere, Generic };

Space spaceOf(Value pointer) {
  if (auto memref = dyn_cast<MemRefType>(pointer.getType())) {
    constexpr unsigned kNumberedShared = 3;
    if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref) ||
        memref.getMemorySpaceAsInt() == kNumberedShared)
      return Space::Shared;
    // Nobody can make the one from the other without memory_space_cast.
    return Space::Elsewhere;
  }
  auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
  if (!type)
    return Space::Generic;
  if (type.getAddressSpace() == NVVM::NVVMMemorySpace::Shared)
    return Space::Shared;
  constexpr unsigned kGlobal = 1, kConstant = 4, kLocal = 5;
  if (type.getAddressSpace() == kGlobal ||
      type.getAddressSpace() == kConstant || type.getAddressSpace() == kLocal)
    return Space::Elsewhere;
  for (unsigned step = 0; step < 16; ++step) {
    Operation *op = pointer.getDefiningOp();
    // The host has no address of shared memory to pass.
    if (auto argument = dyn_cast<BlockArgument>(pointer))
      return argument.getOwner()->isEntryBlock() &&
                     isa<FunctionOpInterface>(
                         argument.getOwner()->getParentOp()) &&
                     getKernelAround(argument.getOwner()->getParentOp())
                 ? Space::Elsewhere
                 : Space::Generic;
    if (op && isa<LLVM::GEPOp>(op)) {
      pointer = op->getOperand(0);
    } else if (op && isa<LLVM::AddrSpaceCastOp>(op)) {
      return spaceOf(op->getOperand(0));
    } else if (op && isa<LLVM::AllocaOp>(op)) {
      return Space::Elsewhere;
    } else {
      return Space::Generic;
    }
  }
  return Space::Generic;
}

/// Marks all memory whose size the launch decides.
const char kDynamicMemory = 0;

/// The memory that a pointer or memref points into.
SharedObject objectOf(Value pointer) {
  for (unsigned step = 0; step < 32; ++step) {
    Operation *op = pointer.getDefiningOp();
    if (!op) {
      // The workgroup memory of a gpu.func or gpu.launch.
      auto argument = cast<BlockArgument>(pointer);
      Operation *parent = argument.getOwner()->getParentOp();
      ArrayRef<BlockArgument> attributions;
      if (auto function = dyn_cast_or_null<gpu::GPUFuncOp>(parent))
        attributions = function.getWorkgroupAttributions();
      else if (auto launch = dyn_cast_or_null<gpu::LaunchOp>(parent))
        attributions = launch.getWorkgroupAttributions();
      return llvm::is_contained(attributions, argument)
                 ? pointer.getAsOpaquePointer()
                 : nullptr;
    }
    if (isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp, LLVM::BitcastOp>(op) ||
        isa<ViewLikeOpInterface>(op)) {
      pointer = op->getOperand(0);
      continue;
    }
    if (isa<gpu::DynamicSharedMemoryOp>(op))
      return &kDynamicMemory;
    if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
      auto global = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(
          op, address.getGlobalNameAttr());
      if (!global)
        return nullptr;
      auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
      bool isDynamic = array && array.getNumElements() == 0;
      return isDynamic ? SharedObject(&kDynamicMemory)
                       : SharedObject(global.getOperation());
    }
    if (auto get = dyn_cast<memref::GetGlobalOp>(op))
      return SymbolTable::lookupNearestSymbolFrom(op, get.getNameAttr());
    if (isa<memref::AllocOp, memref::AllocaOp>(op))
      return pointer.getAsOpaquePointer();
    return nullptr;
  }
  return nullptr;
}

bool isWordType(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    if (vector.getNumElements() == 1 && !vector.isScalable())
      type = vector.getElementType();
  return type.isF32() || type.isInteger(32);
}

SharedAccess accessOf(SharedKind kind, Value pointer) {
  switch (spaceOf(pointer)) {
  case Space::Elsewhere:
    return {};
  case Space::Shared:
    break;
  case Space::Generic:
    // A load of anything does no harm.
    return {kind == SharedKind::Store ? SharedKind::Unknown : SharedKind::None};
  }
  SharedAccess access;
  access.kind = kind;
  access.object = objectOf(pointer);
  access.pointer = pointer;
  if (!access.object && kind == SharedKind::Store)
    access.kind = SharedKind::Unknown;
  return access;
}

bool isZero(Value value) {
  IntegerAttr attr;
  return matchPattern(value, m_Constant(&attr)) && attr.getValue().isZero();
}

//===----------------------------------------------------------------------===//
// Inline assembly
//===----------------------------------------------------------------------===//

/// "$3" as an operand of \p op that is no result.
Value asmOperand(LLVM::InlineAsmOp op, StringRef text) {
  // No result may be spelled as one of no type.
  bool hasResult = op->getNumResults() != 0 &&
                   !isa<LLVM::LLVMVoidType>(op->getResult(0).getType());
  unsigned number = 0, results = hasResult;
  text = text.trim();
  if (!text.consume_front("$") || text.getAsInteger(10, number) ||
      number < results || number - results >= op->getNumOperands())
    return {};
  return op->getOperand(number - results);
}

/// "[ $0 + 16 ]" as the address of \p access.
bool parseAddress(LLVM::InlineAsmOp op, StringRef text, SharedAccess &access) {
  text = text.trim();
  if (!text.consume_front("[") || !text.consume_back("]"))
    return false;
  auto [base, offset] = text.split('+');
  offset = offset.trim();
  if (!offset.empty() && offset.getAsInteger(10, access.offset))
    return false;
  access.pointer = asmOperand(op, base);
  return bool(access.pointer);
}

/// Whether the instruction neither stores to shared memory nor waits.
bool isHarmless(StringRef instruction) {
  static constexpr StringLiteral kPrefixes[] = {
      "mov.",      "cvt.",      "ld.global",    "ld.param", "ld.const",
      "ld.local",  "ld.shared", "st.global",    "st.local", "add.",
      "sub.",      "mul.",      "mad.",         "fma.",     "min.",
      "max.",      "and.",      "or.",          "xor.",     "not.",
      "neg.",      "abs.",      "shl.",         "shr.",     "lop3.",
      "prmt.",     "setp.",     "selp.",        "set.",     "ex2.",
      "lg2.",      "rcp.",      "tanh.",        "sqrt.",    "rsqrt.",
      "div.",      "bfe.",      "bfi.",         "shfl.",    "ldmatrix.",
      "mma.sync.", ".reg",      "createpolicy."};
  return llvm::any_of(kPrefixes, [&](StringRef prefix) {
    return instruction.starts_with(prefix);
  });
}

SharedAccess accessOfAsm(LLVM::InlineAsmOp op) {
  SmallVector<StringRef, 8> instructions;
  std::string code = getAsmText(op);
  StringRef(code).split(instructions, ';');
  SmallVector<StringRef, 8> others;
  for (StringRef instruction : instructions) {
    instruction = instruction.trim(" \t\n\r{}");
    StringRef bare = instruction;
    if (bare.starts_with("@"))
      bare = bare.drop_until([](char c) { return c == ' '; }).trim();
    if (!bare.empty() && (!isHarmless(bare) || bare.starts_with("ld.shared")))
      others.push_back(instruction);
  }
  if (others.empty())
    return {};
  if (others.size() > 1 && llvm::all_of(others, [](StringRef other) {
        return other.contains("ld.shared");
      }))
    return {};
  if (others.size() > 1)
    return {SharedKind::Unknown};
  StringRef text = others[0];
  for (StringRef barrier :
       {"bar.sync 0", "barrier.sync 0", "barrier.sync.aligned 0"})
    if (text == barrier)
      return {SharedKind::Barrier};

  SharedAccess access;
  bool isWhole = true;
  if (text.consume_front("@")) {
    auto [predicate, rest] = text.split(' ');
    access.predicate = asmOperand(op, predicate);
    isWhole = bool(access.predicate);
    text = rest.trim();
  }
  auto [mnemonic, operands] = text.split(' ');
  bool isStore = mnemonic.starts_with("st.shared");
  if (!isStore && !mnemonic.starts_with("ld.shared"))
    return {SharedKind::Unknown};
  access.kind = isStore ? SharedKind::Store : SharedKind::Load;
  isWhole &= mnemonic == "st.shared.b32" || mnemonic == "st.shared.f32" ||
             mnemonic == "st.shared.u32" || mnemonic == "ld.shared.b32" ||
             mnemonic == "ld.shared.f32" || mnemonic == "ld.shared.u32";
  auto [first, second] = operands.split(',');
  if (isWhole && isStore) {
    access.stored = asmOperand(op, second);
    isWhole = parseAddress(op, first, access) && access.stored &&
              isWordType(access.stored.getType());
  } else if (isWhole) {
    isWhole = op->getNumResults() == 1 && first.trim() == "$0" &&
              isWordType(op->getResult(0).getType()) &&
              parseAddress(op, second, access);
  }
  if (!access.pointer)
    for (Value operand : op->getOperands())
      if (isa<LLVM::LLVMPointerType>(operand.getType()))
        access.pointer = operand;
  access.object = access.pointer ? objectOf(access.pointer) : nullptr;
  access.isWord = isWhole && access.object && instructions.size() <= 2;
  if (!access.object && isStore)
    access.kind = SharedKind::Unknown;
  return access;
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

bool isHarmlessIntrinsic(StringRef name) {
  if (!name.consume_front("llvm.nvvm."))
    return false;
  static constexpr StringLiteral kPrefixes[] = {
      "shfl.",   "vote.",     "read.ptx.sreg",
      "ex2.",    "lg2.",      "rcp.",
      "tanh.",   "div.",      "sqrt.",
      "rsqrt.",  "fma.",      "f",
      "add.",    "mul.",      "ldmatrix.",
      "mma.",    "isspacep.", "prmt",
      "sin.",    "cos.",      "ceil.",
      "floor.",  "round.",    "ldg.",
      "ldu.",    "ui2",       "i2",
      "d2",      "bitcast.",  "saturate.",
      "ull2",    "ll2",       "bf16",
      "reflect", "abs"};
  // fence.* has nothing to store, but async ones belong to async stores.
  return !name.starts_with("fence") &&
         llvm::any_of(kPrefixes, [&](StringRef prefix) {
           return name.starts_with(prefix);
         });
}

/// Of an op whose stores are done when it is: copies that run on beside the
/// threads are none of these.
SharedAccess accessByEffects(Operation *op) {
  bool isKnown = isa<vector::VectorDialect>(op->getDialect()) ||
                 isa<memref::AtomicRMWOp, memref::CopyOp, memref::AllocOp,
                     memref::AllocaOp, memref::DeallocOp, LLVM::AtomicRMWOp,
                     LLVM::AllocaOp, LLVM::MemcpyOp, LLVM::MemsetOp>(op);
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return {SharedKind::Unknown};
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  SharedAccess access;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (!isa<MemoryEffects::Write>(effect.getEffect()))
      continue;
    if (!effect.getValue() || !isKnown)
      return {SharedKind::Unknown};
    SharedAccess one = accessOf(SharedKind::Store, effect.getValue());
    if (one.kind == SharedKind::Unknown ||
        (access.kind == SharedKind::Store && one.kind == SharedKind::Store))
      return {SharedKind::Unknown};
    if (one.kind == SharedKind::Store)
      access = one;
  }
  return access;
}

bool isBarrier(Operation *op) {
  if (isa<gpu::BarrierOp, NVVM::Barrier0Op>(op))
    return true;
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op))
    return !barrier.getNumberOfThreads() &&
           (!barrier.getBarrierId() || isZero(barrier.getBarrierId()));
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call &&
         (call.getIntrin() == "llvm.nvvm.barrier0" ||
          (call.getIntrin() == "llvm.nvvm.barrier.cta.sync.aligned.all" &&
           isZero(call->getOperand(0))));
}

} // namespace

SharedAccess getSharedAccess(Operation *op) {
  if (isBarrier(op))
    return {SharedKind::Barrier};
  if (auto inlineAsm = dyn_cast<LLVM::InlineAsmOp>(op))
    return accessOfAsm(inlineAsm);
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    SharedAccess access = accessOf(SharedKind::Load, load.getAddr());
    access.isWord = access.object && isWordType(load.getType());
    return access;
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    SharedAccess access = accessOf(SharedKind::Store, store.getAddr());
    access.stored = store.getValue();
    access.isWord = access.object && isWordType(store.getValue().getType());
    return access;
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    SharedAccess access = accessOf(SharedKind::Load, load.getMemRef());
    access.isWord = access.object && isWordType(load.getType());
    access.indices = load.getIndices();
    return access;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    SharedAccess access = accessOf(SharedKind::Store, store.getMemRef());
    access.stored = store.getValue();
    access.indices = store.getIndices();
    access.isWord = access.object && isWordType(store.getValue().getType());
    return access;
  }
  // Another name for shared memory in a space that says nothing of it.
  if (auto castOp = dyn_cast<memref::MemorySpaceCastOp>(op))
    return {spaceOf(castOp.getSource()) == Space::Shared ? SharedKind::Unknown
                                                         : SharedKind::None};
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return {isHarmlessIntrinsic(call.getIntrin()) ||
                    getFloatView(op).kind != FloatKind::Opaque
                ? SharedKind::None
                : SharedKind::Unknown};
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    return {call.getCallee().value_or("").starts_with("__nv")
                ? SharedKind::None
                : SharedKind::Unknown};
  if (isa<gpu::ShuffleOp, gpu::SubgroupReduceOp, gpu::AllReduceOp,
          gpu::PrintfOp, NVVM::ShflOp, NVVM::VoteSyncOp, NVVM::ReduxOp,
          NVVM::MmaOp, NVVM::LdMatrixOp, NVVM::SyncWarpOp, BranchOpInterface,
          RegionBranchTerminatorOpInterface, FunctionOpInterface>(op) ||
      isa<PolyDialect>(op->getDialect()) ||
      // What is inside counts, and is seen by itself.
      (op->getNumRegions() != 0 &&
       isa<scf::SCFDialect, gpu::GPUDialect, vector::VectorDialect>(
           op->getDialect())) ||
      (op->getNumResults() == 0 && op->getNumSuccessors() == 0 &&
       op->getBlock()->mightHaveTerminator() &&
       op->getBlock()->getTerminator() == op) ||
      isMemoryEffectFree(op))
    return {};
  return accessByEffects(op);
}

Value skipBitcasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    Value next;
    if (isa<LLVM::BitcastOp, arith::BitcastOp>(op))
      next = op->getOperand(0);
    else if (auto insert = dyn_cast<LLVM::InsertElementOp>(op))
      next = insert.getValue(); // Of one lane, if the vector is a word.
    if (!next || !isWordType(value.getType()) || !isWordType(next.getType()))
      break;
    value = next;
  }
  return value;
}

bool isSharedLoad(Value value) {
  Operation *op = skipBitcasts(value).getDefiningOp();
  return op && getSharedAccess(op).kind == SharedKind::Load;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

namespace {

/// Adds scale * index to each thread's offset.
bool addIndex(std::vector<int64_t> &offsets, const ThreadIntegers &index,
              int64_t scale, const llvm::BitVector &active) {
  for (unsigned thread : active.set_bits()) {
    if (!index.known[thread])
      return false;
    offsets[thread] += scale * index.values[thread];
  }
  return true;
}

bool addPointer(Value pointer, std::vector<int64_t> &offsets,
                ThreadValues &values, const llvm::BitVector &active) {
  for (unsigned step = 0; step < 32; ++step) {
    Operation *op = pointer.getDefiningOp();
    if (!op)
      return false;
    if (isa<LLVM::AddrSpaceCastOp, LLVM::BitcastOp>(op)) {
      pointer = op->getOperand(0);
      continue;
    }
    auto gep = dyn_cast<LLVM::GEPOp>(op);
    if (!gep)
      return isa<LLVM::AddressOfOp>(op);
    Type type = gep.getElemType();
    DataLayout layout = DataLayout::closest(gep);
    for (auto [i, index] : llvm::enumerate(gep.getIndices())) {
      if (i != 0) {
        auto array = dyn_cast<LLVM::LLVMArrayType>(type);
        if (!array)
          return false;
        type = array.getElementType();
      }
      int64_t size = layout.getTypeSize(type).getFixedValue();
      if (auto constant = dyn_cast<IntegerAttr>(index)) {
        for (int64_t &offset : offsets)
          offset += size * constant.getInt();
      } else if (!addIndex(offsets, values.get(cast<Value>(index)), size,
                           active)) {
        return false;
      }
    }
    pointer = gep.getBase();
  }
  return false;
}

} // namespace

std::optional<std::vector<int64_t>> getWords(const SharedAccess &access,
                                             ThreadValues &values,
                                             const llvm::BitVector &active) {
  if (!access.isWord)
    return std::nullopt;
  std::vector<int64_t> offsets(values.numThreads(), access.offset);
  if (auto memref = dyn_cast<MemRefType>(access.pointer.getType())) {
    // A view would need its own offset.
    Operation *source = access.pointer.getDefiningOp();
    if (!memref.hasStaticShape() || !memref.getLayout().isIdentity() ||
        (source && isa<ViewLikeOpInterface>(source)))
      return std::nullopt;
    int64_t stride = 1;
    for (auto [index, extent] :
         llvm::reverse(llvm::zip_equal(access.indices, memref.getShape()))) {
      if (!addIndex(offsets, values.get(index), stride, active))
        return std::nullopt;
      stride *= extent;
    }
    return offsets;
  }
  if (!addPointer(access.pointer, offsets, values, active))
    return std::nullopt;
  for (unsigned thread : active.set_bits()) {
    if (offsets[thread] % kWordBytes != 0)
      return std::nullopt;
    offsets[thread] /= kWordBytes;
  }
  return offsets;
}
} // namespace mlir::poly::bound
