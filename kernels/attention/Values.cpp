//===- Values.cpp - Values as FP8 attention reads them --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A thread reads one word, four elements of a head, of each of 16 keys, and
/// writes a 16-byte piece of each of four rows of the transpose. The lanes of a
/// warp read neighbouring words.
///
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "common/Attributes.h"
#include "hopper/Emitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace poly::kernels;
using poly::kernels::hopper::Emitter;

using mlir::arith::CmpIPredicate;

namespace {
constexpr int64_t kThreads = 128;
/// Keys and elements that a thread transposes.
constexpr int64_t kKeys = 16, kElements = 4;

class ValuesBuilder {
public:
  ValuesBuilder(MLIRContext &context, const AttentionValuesOptions &options)
      : options(options), e(UnknownLoc::get(&context), &context),
        words(options.headDim / kElements) {}

  OwningOpRef<ModuleOp> build();

private:
  void declare();
  Value block(gpu::Dimension dimension) {
    return arith::IndexCastOp::create(e, e.getI32Type(),
                                      gpu::BlockIdOp::create(e, dimension));
  }
  Value permute(Value low, Value high, int64_t selector) {
    return LLVM::CallIntrinsicOp::create(
               e, e.getI32Type(), e.getStringAttr("llvm.nvvm.prmt"),
               ValueRange{low, high, e.constant(selector)})
        .getResult(0);
  }
  Value mul64(Value a, Value b) { return arith::MulIOp::create(e, a, b); }
  Value add64(Value a, Value b) { return arith::AddIOp::create(e, a, b); }
  Value at(Value array, Value offset) {
    return LLVM::GEPOp::create(e, array.getType(), e.getI8Type(), array,
                               ArrayRef<LLVM::GEPArg>{offset});
  }
  Value loadWord(Value offset, Value isInside);

  const AttentionValuesOptions &options;
  Emitter e;
  int64_t words; ///< In a row of V.
  Value values, transposed, keyLength, paddedKeys;
  Value keyStride, headStride, batchStride;
};
} // namespace

std::string poly::kernels::validate(const AttentionValuesOptions &options) {
  if (options.headDim != 64 && options.headDim != 128 && options.headDim != 256)
    return "head dimension " + std::to_string(options.headDim) +
           " is not supported; use 64, 128 or 256, as attention does";
  if (options.name.empty())
    return "the kernel needs a name";
  return "";
}

void ValuesBuilder::declare() {
  Type array = LLVM::LLVMPointerType::get(e.getContext(), 1);
  Type integer = e.getI32Type(), stride = e.getI64Type();
  std::pair<llvm::StringRef, std::pair<Type, Value *>> arguments[] = {
      {"values", {array, &values}},
      {"transposed", {array, &transposed}},
      {"keyLength", {integer, &keyLength}},
      {"paddedKeys", {integer, &paddedKeys}},
      {"keyStride", {stride, &keyStride}},
      {"headStride", {stride, &headStride}},
      {"batchStride", {stride, &batchStride}}};
  llvm::SmallVector<Type> types;
  llvm::SmallVector<llvm::StringRef> names;
  for (auto &[name, argument] : arguments) {
    names.push_back(name);
    types.push_back(argument.first);
  }
  auto function = gpu::GPUFuncOp::create(e, options.name,
                                         e.getFunctionType(types, TypeRange()));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), e.getUnitAttr());
  function.setKnownBlockSizeAttr(
      e.getDenseI32ArrayAttr({int32_t(kThreads), 1, 1}));
  int64_t keysPerBlock = kThreads / words * kKeys;
  function->setAttr(
      kKernelAttr,
      e.getDictionaryAttr(
          {e.getNamedAttr("family", e.getStringAttr("attention-values")),
           e.getNamedAttr("type", e.getStringAttr("u8")),
           e.getNamedAttr("headDim", e.getI64IntegerAttr(options.headDim)),
           e.getNamedAttr("keysPerBlock", e.getI64IntegerAttr(keysPerBlock)),
           e.getNamedAttr("arguments", e.getStrArrayAttr(names))}));
  for (auto [argument, value] : llvm::zip(arguments, function.getArguments()))
    *argument.second.second = value;
  e.setInsertionPointToStart(&function.getBody().front());
}

/// The word at byte \p offset of V, zero outside.
Value ValuesBuilder::loadWord(Value offset, Value isInside) {
  auto branch = scf::IfOp::create(e, e.getI32Type(), isInside,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e);
  e.setInsertionPointToStart(branch.thenBlock());
  Value word = LLVM::LoadOp::create(e, e.getI32Type(), at(values, offset), 4);
  scf::YieldOp::create(e, word);
  e.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(e, e.constant(0));
  return branch.getResult(0);
}

OwningOpRef<ModuleOp> ValuesBuilder::build() {
  OwningOpRef<ModuleOp> root = ModuleOp::create(e.getLoc());
  e.setInsertionPointToStart(root->getBody());
  auto module = gpu::GPUModuleOp::create(e, options.name + "_module");
  e.setInsertionPointToStart(module.getBody());
  declare();
  Value thread = arith::IndexCastOp::create(
      e, e.getI32Type(), gpu::ThreadIdOp::create(e, gpu::Dimension::x));
  Value group = e.divide(thread, words);
  Value word = e.sub(thread, e.mul(group, words));
  Value firstKey =
      e.add(e.mul(block(gpu::Dimension::x), kThreads / words * kKeys),
            e.mul(group, kKeys));
  Value head = e.widen(block(gpu::Dimension::y));
  Value batch = e.widen(block(gpu::Dimension::z));
  Value element = e.mul(word, kElements);

  Value isGroup = e.compare(CmpIPredicate::ult, firstKey, paddedKeys);
  e.ifThen(isGroup, [&] {
    Value begin =
        add64(add64(mul64(head, headStride), mul64(batch, batchStride)),
              e.widen(element));
    Value loaded[kKeys];
    for (int64_t k = 0; k < kKeys; ++k) {
      Value key = e.add(firstKey, k);
      loaded[k] = loadWord(add64(begin, mul64(e.widen(key), keyStride)),
                           e.compare(CmpIPredicate::ult, key, keyLength));
    }
    // Word q of row d: element d of the keys 2q, 2q + 1, 8 + 2q and 9 + 2q.
    Value rows[kElements][kKeys / 4];
    for (int64_t q = 0; q < kKeys / 4; ++q) {
      Value keys[4] = {loaded[2 * q], loaded[2 * q + 1], loaded[8 + 2 * q],
                       loaded[9 + 2 * q]};
      for (int64_t half : {0, 1}) {
        // Bytes 0, 4, 1 and 5 of two words, or 2, 6, 3 and 7.
        int64_t mix = half ? 0x7362 : 0x5140;
        Value first = permute(keys[0], keys[1], mix);
        Value second = permute(keys[2], keys[3], mix);
        rows[2 * half][q] = permute(first, second, 0x5410);
        rows[2 * half + 1][q] = permute(first, second, 0x7632);
      }
    }
    Value heads = arith::IndexCastOp::create(
        e, e.getI64Type(), gpu::GridDimOp::create(e, gpu::Dimension::y));
    Value row = add64(mul64(add64(mul64(batch, heads), head),
                            e.constant64(uint64_t(options.headDim))),
                      e.widen(element));
    for (int64_t d = 0; d < kElements; ++d) {
      Value offset = add64(
          mul64(add64(row, e.constant64(uint64_t(d))), e.widen(paddedKeys)),
          e.widen(firstKey));
      auto type = VectorType::get({kKeys / 4}, e.getI32Type());
      Value piece = vector::FromElementsOp::create(e, type, rows[d]);
      LLVM::StoreOp::create(e, piece, at(transposed, offset), 16);
    }
  });
  gpu::ReturnOp::create(e);
  return root;
}

OwningOpRef<ModuleOp>
poly::kernels::buildAttentionValues(MLIRContext &context,
                                    const AttentionValuesOptions &options) {
  context.loadDialect<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                      scf::SCFDialect, vector::VectorDialect>();
  return ValuesBuilder(context, options).build();
}
