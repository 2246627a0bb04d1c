//===- TensorMapTest.cpp - What tensor maps are encoded from --------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MessageOf.h"
#include "TensorMaps.h"

#include <functional>
#include <gtest/gtest.h>

using namespace poly::runtime;

namespace {

KernelMetadata kernelWith(const std::string &maps) {
  KernelMetadata kernel;
  kernel.name = "k";
  kernel.info = Json::parse("{\"tensorMaps\": " + maps + "}", "k.json");
  return kernel;
}

constexpr const char *kQuery =
    R"({"argument": 1, "name": "query", "dims": ["headDim", "length", "heads"],
        "box": [64, 128, 1], "swizzle": 128, "outOfBounds": "zero"})";

TensorArray queryArray() {
  return {0x1000,
          "bf16",
          {{"headDim", 128}, {"length", 333}, {"heads", 5}},
          {{"length", 640}, {"heads", 128}}};
}

TEST(TensorMaps, AreReadInTheOrderOfTheirArguments) {
  std::string second = kQuery;
  second.replace(second.find("1"), 1, "0");
  std::vector<TensorMapSpec> specs =
      tensorMapsOf(kernelWith("[" + std::string(kQuery) + ", " + second + "]"));
  ASSERT_EQ(specs.size(), 2u);
  EXPECT_EQ(specs[0].argument, 0u);
  EXPECT_EQ(specs[1].argument, 1u);
  EXPECT_EQ(specs[1].dims.back(), "heads");
  EXPECT_TRUE(tensorMapsOf(KernelMetadata()).empty());
}

// Strides are bytes, one fewer than dimensions; numbers are the driver's.
TEST(TensorMaps, StridesBecomeBytes) {
  TensorMapSpec spec =
      tensorMapsOf(kernelWith("[" + std::string(kQuery) + "]"))[0];
  TensorMapArguments arguments = tensorMapArguments(spec, queryArray());
  EXPECT_EQ(arguments.elementType, 9);
  EXPECT_EQ(arguments.sizes, (std::vector<uint64_t>{128, 333, 5}));
  EXPECT_EQ(arguments.strides, (std::vector<uint64_t>{1280, 256}));
  EXPECT_EQ(arguments.box, (std::vector<unsigned>{64, 128, 1}));
  EXPECT_EQ(arguments.swizzle, 3);
}

TEST(TensorMaps, WhatTheHardwareCannotDoIsSaid) {
  TensorMapSpec spec =
      tensorMapsOf(kernelWith("[" + std::string(kQuery) + "]"))[0];
  auto message = [&](const std::function<void(TensorArray &)> &change) {
    TensorArray array = queryArray();
    change(array);
    return messageOf([&] { tensorMapArguments(spec, array); });
  };
  EXPECT_EQ(message([](TensorArray &a) { a.address = 0x1008; }),
            "tensor 'query' starts at an address that is no multiple of 16 "
            "bytes; allocate it aligned");
  EXPECT_EQ(message([](TensorArray &a) { a.strides["length"] = 129; }),
            "tensor 'query': the stride of dimension 'length', 258 bytes, must "
            "be a multiple of 16 bytes below 2^40");
  EXPECT_EQ(message([](TensorArray &a) { a.sizes["length"] = 0; }),
            "tensor 'query': dimension 'length' must have 1 to 2^32 elements, "
            "not 0");
  EXPECT_EQ(message([](TensorArray &a) { a.sizes.erase("heads"); }),
            "tensor 'query' has no size for dimension 'heads'");
  EXPECT_EQ(message([](TensorArray &a) { a.elementType = "f64"; }),
            "tensor 'query': element type 'f64' is not known");
  EXPECT_EQ(message([](TensorArray &a) { a.elementType = "f32"; }),
            "tensor 'query': the box is wider than the swizzle's span");
}

TEST(TensorMaps, MistakesInTheKernelsInfoAreSaid) {
  auto message = [](const std::string &from, const std::string &to) {
    std::string text = kQuery;
    text.replace(text.find(from), from.size(), to);
    return messageOf([&] { tensorMapsOf(kernelWith("[" + text + "]")); });
  };
  EXPECT_EQ(
      message("\"zero\"", "\"nan\""),
      "outOfBounds of tensor map 'query' is 'nan'; only \"zero\" is known");
  EXPECT_EQ(message("[64, 128, 1]", "[64, 128]"),
            "tensor map 'query' must have as many box extents as dims, one to "
            "five");
  EXPECT_EQ(message("\"swizzle\"", "\"twist\""), "member 'swizzle' is missing");
  EXPECT_EQ(message("\"argument\": 1", "\"argument\": -1"),
            "argument must be an integer from 0 to 4095");
  EXPECT_EQ(message("[64,", "[1e30,"), "box must be an integer from 1 to 256");
  EXPECT_EQ(message("128, \"outOf", "0.5, \"outOf"),
            "swizzle must be an integer from 0 to 128");
}

} // namespace
