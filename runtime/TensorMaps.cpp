//===- TensorMaps.cpp - Arrays for the tensor copy engine -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace poly::runtime;

namespace {

struct ElementType {
  const char *name;
  int number; ///< CUtensorMapDataType.
  unsigned bytes;
};
constexpr ElementType kElementTypes[] = {{"u8", 0, 1},   {"e4m3", 0, 1},
                                         {"e5m2", 0, 1}, {"f16", 6, 2},
                                         {"f32", 7, 4},  {"bf16", 9, 2}};

// CUtensorMapSwizzle numbers.
int swizzleNumber(unsigned bytes) {
  switch (bytes) {
  case 0:
    return 0;
  case 32:
    return 1;
  case 64:
    return 2;
  case 128:
    return 3;
  default:
    throw std::invalid_argument("a swizzle of " + std::to_string(bytes) +
                                " bytes is none of 0, 32, 64, 128");
  }
}

// CUtensorMapL2promotion: fetch 256 bytes; CUtensorMapInterleave and
// CUtensorMapFloatOOBfill: none, zeros outside.
constexpr int kPromotion256 = 3;
constexpr int kNoInterleave = 0;
constexpr int kZerosOutside = 0;

uint64_t lookUp(const std::map<std::string, uint64_t> &values,
                const std::string &dimension, const TensorMapSpec &spec,
                const char *what) {
  auto found = values.find(dimension);
  if (found == values.end())
    throw std::invalid_argument("tensor '" + spec.name + "' has no " + what +
                                " for dimension '" + dimension + "'");
  return found->second;
}

} // namespace

std::vector<TensorMapSpec>
poly::runtime::tensorMapsOf(const KernelMetadata &kernel) {
  std::vector<TensorMapSpec> specs;
  const Json *maps = kernel.info.find("tensorMaps");
  if (!maps)
    return specs;
  for (const Json &item : maps->asArray("tensorMaps")) {
    TensorMapSpec spec;
    spec.argument =
        unsigned(item.at("argument").asInteger("argument", 0, 4095));
    spec.name = item.at("name").asString("name");
    for (const Json &dimension : item.at("dims").asArray("dims"))
      spec.dims.push_back(dimension.asString("dims"));
    for (const Json &extent : item.at("box").asArray("box"))
      spec.box.push_back(unsigned(extent.asInteger("box", 1, 256)));
    spec.swizzleBytes =
        unsigned(item.at("swizzle").asInteger("swizzle", 0, 128));
    const std::string &outside = item.at("outOfBounds").asString("outOfBounds");
    if (outside != "zero")
      throw JsonError("outOfBounds of tensor map '" + spec.name + "' is '" +
                      outside + "'; only \"zero\" is known");
    if (spec.box.size() != spec.dims.size() || spec.dims.empty() ||
        spec.dims.size() > 5)
      throw JsonError("tensor map '" + spec.name +
                      "' must have as many box extents as dims, one to five");
    specs.push_back(std::move(spec));
  }
  std::sort(specs.begin(), specs.end(),
            [](const TensorMapSpec &a, const TensorMapSpec &b) {
              return a.argument < b.argument;
            });
  return specs;
}

TensorMapArguments poly::runtime::tensorMapArguments(const TensorMapSpec &spec,
                                                     const TensorArray &array) {
  TensorMapArguments result;
  std::string what = "tensor '" + spec.name + "'";
  auto type = std::find_if(
      std::begin(kElementTypes), std::end(kElementTypes),
      [&](const ElementType &t) { return array.elementType == t.name; });
  if (type == std::end(kElementTypes))
    throw std::invalid_argument(what + ": element type '" + array.elementType +
                                "' is not known");
  result.elementType = type->number;
  result.elementBytes = type->bytes;
  if (array.address % 16 != 0)
    throw std::invalid_argument(
        what + " starts at an address that is no multiple of 16 bytes; "
               "allocate it aligned");
  for (const std::string &dimension : spec.dims) {
    uint64_t size = lookUp(array.sizes, dimension, spec, "size");
    if (size == 0 || size > (uint64_t(1) << 32))
      throw std::invalid_argument(what + ": dimension '" + dimension +
                                  "' must have 1 to 2^32 elements, not " +
                                  std::to_string(size));
    result.sizes.push_back(size);
    if (&dimension == &spec.dims.front())
      continue;
    uint64_t bytes =
        lookUp(array.strides, dimension, spec, "stride") * type->bytes;
    if (bytes % 16 != 0 || bytes >= (uint64_t(1) << 40))
      throw std::invalid_argument(
          what + ": the stride of dimension '" + dimension + "', " +
          std::to_string(bytes) +
          " bytes, must be a multiple of 16 bytes below 2^40");
    result.strides.push_back(bytes);
  }
  result.box = spec.box;
  for (unsigned extent : spec.box)
    if (extent == 0 || extent > 256)
      throw std::invalid_argument(what +
                                  ": a box takes 1 to 256 elements "
                                  "along each dimension, not " +
                                  std::to_string(extent));
  result.swizzle = swizzleNumber(spec.swizzleBytes);
  if (spec.swizzleBytes && spec.box[0] * type->bytes > spec.swizzleBytes)
    throw std::invalid_argument(what +
                                ": the box is wider than the swizzle's span");
  return result;
}

TensorMap poly::runtime::encodeTensorMap(const TensorMapSpec &spec,
                                         const TensorArray &array) {
  TensorMapArguments arguments = tensorMapArguments(spec, array);
  std::vector<unsigned> elementStrides(arguments.sizes.size(), 1);
  TensorMap map{};
  const Driver &driver = Driver::get();
  driver.check(
      driver.cuTensorMapEncodeTiled(
          &map, arguments.elementType, unsigned(arguments.sizes.size()),
          reinterpret_cast<void *>(array.address), arguments.sizes.data(),
          arguments.strides.data(), arguments.box.data(), elementStrides.data(),
          kNoInterleave, arguments.swizzle, kPromotion256, kZerosOutside),
      "cuTensorMapEncodeTiled", spec.name);
  return map;
}
