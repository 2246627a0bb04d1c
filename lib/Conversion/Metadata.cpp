//===- Metadata.cpp - What a host needs to launch compiled code -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Conversion/Metadata.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace mlir;
using namespace mlir::poly;

//===----------------------------------------------------------------------===//
// Reading LLVM IR
//===----------------------------------------------------------------------===//

static std::string numberName(const llvm::Type &type) {
  if (type.isIntegerTy())
    return "i" + std::to_string(type.getIntegerBitWidth());
  if (type.isBFloatTy())
    return "bf16";
  return "f" + std::to_string(type.getPrimitiveSizeInBits().getFixedValue());
}

static KernelParameter describeParameter(const llvm::Argument &argument,
                                         const llvm::DataLayout &layout) {
  llvm::Type *type = argument.getType();
  if (llvm::Type *pointee = argument.getParamByValType()) {
    llvm::Align align =
        argument.getParamAlign().value_or(layout.getABITypeAlign(pointee));
    return {"bytes", layout.getTypeAllocSize(pointee), align.value()};
  }
  uint64_t bytes = layout.getTypeAllocSize(type);
  uint64_t align = layout.getABITypeAlign(type).value();
  if (type->isPointerTy())
    return {"ptr", bytes, align};
  bool isNumber = type->isFloatingPointTy() ||
                  (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
  return {isNumber ? numberName(*type) : "bytes", bytes, align};
}

/// The numbers of a launch-bound attribute such as "nvvm.maxntid"="256,1,1".
/// Missing ones are 1.
static std::vector<int64_t> dimensions(const llvm::Function &function,
                                       llvm::StringRef name) {
  if (!function.hasFnAttribute(name))
    return {};
  llvm::SmallVector<llvm::StringRef, 3> parts;
  function.getFnAttribute(name).getValueAsString().split(parts, ',');
  std::vector<int64_t> sizes;
  for (llvm::StringRef part : parts)
    if (part.trim().getAsInteger(10, sizes.emplace_back()))
      return {}; // Not written by a compiler.
  sizes.resize(3, 1);
  return sizes;
}

std::vector<KernelDescription>
mlir::poly::describeKernels(const llvm::Module &module) {
  std::vector<KernelDescription> kernels;
  for (const llvm::Function &function : module) {
    if (function.isDeclaration() ||
        function.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    KernelDescription &kernel = kernels.emplace_back();
    kernel.name = function.getName().str();
    for (const llvm::Argument &argument : function.args())
      kernel.parameters.push_back(
          describeParameter(argument, module.getDataLayout()));
    kernel.blockSize = dimensions(function, "nvvm.reqntid");
    kernel.maxBlockSize = dimensions(function, "nvvm.maxntid");
    kernel.clusterSize = dimensions(function, "nvvm.cluster_dim");
  }
  return kernels;
}

//===----------------------------------------------------------------------===//
// Writing JSON
//===----------------------------------------------------------------------===//

/// Attributes of the kinds that the dialect allows in `poly.kernel`.
static llvm::json::Value toJson(Attribute attribute) {
  return llvm::TypeSwitch<Attribute, llvm::json::Value>(attribute)
      .Case([](StringAttr text) { return text.getValue().str(); })
      .Case([](BoolAttr flag) { return flag.getValue(); })
      .Case([](IntegerAttr number) {
        return number.getType().isUnsignedInteger()
                   ? llvm::json::Value(number.getValue().getZExtValue())
                   : llvm::json::Value(number.getValue().getSExtValue());
      })
      .Case([](FloatAttr number) { return number.getValueAsDouble(); })
      .Case([](ArrayAttr array) {
        llvm::json::Array values;
        for (Attribute element : array)
          values.push_back(toJson(element));
        return values;
      })
      .Case([](DictionaryAttr dictionary) {
        llvm::json::Object members;
        for (NamedAttribute member : dictionary)
          members[member.getName().strref()] = toJson(member.getValue());
        return members;
      })
      .Default([](Attribute) { return true; }); // A unit attribute.
}

static void writeSizes(llvm::json::OStream &os, llvm::StringRef name,
                       const std::vector<int64_t> &sizes) {
  if (!sizes.empty())
    os.attribute(name, llvm::json::Array(sizes));
}

void mlir::poly::writeKernelJson(const KernelDescription &kernel,
                                 llvm::json::OStream &os) {
  int64_t dynamicSharedBytes = 0;
  if (kernel.info)
    if (auto bytes = kernel.info.getAs<IntegerAttr>("dynamicSharedBytes"))
      dynamicSharedBytes = bytes.getValue().getSExtValue();
  os.object([&] {
    os.attribute("name", kernel.name);
    os.attributeArray("parameters", [&] {
      for (const KernelParameter &parameter : kernel.parameters)
        os.object([&] {
          os.attribute("type", parameter.type);
          os.attribute("bytes", parameter.bytes);
          os.attribute("align", parameter.align);
        });
    });
    writeSizes(os, "blockSize", kernel.blockSize);
    writeSizes(os, "maxBlockSize", kernel.maxBlockSize);
    writeSizes(os, "clusterSize", kernel.clusterSize);
    os.attribute("dynamicSharedBytes", dynamicSharedBytes);
    os.attribute("info", kernel.info ? toJson(kernel.info)
                                     : llvm::json::Value(llvm::json::Object()));
  });
}
