//===- HopperRun.cpp - Runs kernels of sm_90a in the emulator -------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HopperRun.h"

#include "CompileTool.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

using namespace polytest;
using poly::Format;

HopperKernel
polytest::buildHopperKernel(const std::string &test,
                            std::vector<std::string> kernelArguments,
                            std::vector<std::string> compileOptions) {
  HopperKernel kernel;
  CompileTool tool("hopper-" + test);
  std::string source = tool.outputPath() + ".in.mlir";
  std::string description = tool.outputPath() + ".json", output, error;
  kernelArguments.insert(kernelArguments.end(), {"-o", source});
  int status = runTool(POLY_KERNEL_PATH, kernelArguments, output);
  EXPECT_EQ(status, 0) << output;
  if (status != 0)
    return kernel;
  compileOptions.insert(compileOptions.end(),
                        {"--chip=sm_90a", "--metadata=" + description});
  CompileResult result = tool.compileFile(source, compileOptions);
  EXPECT_EQ(result.exitCode, 0) << result.messages;
  if (result.exitCode != 0)
    return kernel;
  kernel.kernels = poly::runtime::readMetadata(description).kernels;
  kernel.metadata = kernel.kernels.front();
  auto format = [](const std::string &name) {
    return name == "f16"    ? Format::F16
           : name == "e5m2" ? Format::E5M2
           // Bytes that only move.
           : name == "e4m3" || name == "u8" ? Format::E4M3
                                            : Format::BF16;
  };
  kernel.type = format(kernel.metadata.text("type"));
  kernel.outputType = kernel.type;
  kernel.keyValueType = format(
      kernel.metadata.text("keyValueType", kernel.metadata.text("type")));
  if (kernel.metadata.info.find("outputType"))
    kernel.outputType = format(kernel.metadata.text("outputType"));
  kernel.ptx = result.ptx;
  kernel.module = PtxModule::parse(kernel.ptx, error, PtxDialect::WholeKernels);
  EXPECT_TRUE(kernel.module) << error;
  std::remove(source.c_str());
  std::remove(description.c_str());
  tool.discard();
  return kernel;
}

std::vector<double> HopperRun::randomNumbers(size_t count, double spread,
                                             unsigned seed,
                                             Format format) const {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0, spread);
  std::vector<double> values(count);
  for (double &value : values)
    value = poly::decode(format, poly::encode(format, normal(engine)));
  return values;
}

uint64_t HopperRun::upload(const std::vector<double> &values, Format format) {
  size_t width = poly::elementBits(format) / 8;
  std::vector<uint8_t> bytes;
  bytes.reserve(values.size() * width);
  for (double value : values) {
    uint32_t bits = uint32_t(poly::encode(format, value));
    // The conversion makes the greatest number of it.
    if (format == Format::E5M2 && std::isinf(value))
      bits = poly::traits(format).infinity | (value < 0 ? 0x80u : 0u);
    for (size_t b = 0; b < width; ++b)
      bytes.push_back(uint8_t(bits >> (8 * b)));
  }
  uint64_t address = memory.allocate(bytes.size());
  memory.write(address, bytes.data(), bytes.size());
  return address;
}

uint64_t HopperRun::uploadFloats(const std::vector<float> &numbers) {
  uint64_t address = memory.allocate(numbers.size() * sizeof(float));
  memory.write(address, numbers.data(), numbers.size() * sizeof(float));
  return address;
}

uint64_t HopperRun::poisoned(size_t count, Format format) {
  size_t bytes = count * poly::elementBits(format) / 8;
  std::vector<uint8_t> ones(bytes, 0xFF);
  uint64_t address = memory.allocate(bytes);
  memory.write(address, ones.data(), bytes);
  return address;
}

uint64_t HopperRun::uploadWords(const std::vector<int32_t> &words) {
  uint64_t address = memory.allocate(words.size() * 4);
  memory.write(address, words.data(), words.size() * 4);
  return address;
}

std::vector<double> HopperRun::download(uint64_t address, size_t count,
                                        Format format) {
  size_t width = poly::elementBits(format) / 8;
  std::vector<uint8_t> bytes(count * width);
  memory.read(address, bytes.data(), bytes.size());
  std::vector<double> values;
  values.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits = 0;
    for (size_t b = 0; b < width; ++b)
      bits |= uint32_t(bytes[i * width + b]) << (8 * b);
    values.push_back(poly::decode(format, bits));
  }
  return values;
}

HopperRun &HopperRun::tensor(const std::string &name, uint64_t address,
                             std::map<std::string, uint64_t> sizes,
                             std::map<std::string, uint64_t> strides) {
  Format format = name == "output"                   ? kernel.outputType
                  : name == "key" || name == "value" ? kernel.keyValueType
                                                     : kernel.type;
  return tensor(name, address, format, std::move(sizes), std::move(strides));
}

HopperRun &HopperRun::tensor(const std::string &name, uint64_t address,
                             Format format,
                             std::map<std::string, uint64_t> sizes,
                             std::map<std::string, uint64_t> strides) {
  tensors[name] = {address, std::string(poly::name(format)), std::move(sizes),
                   std::move(strides)};
  return *this;
}

HopperRun &HopperRun::attentionArray(const std::string &name, uint64_t address,
                                     uint64_t batches, uint64_t length,
                                     uint64_t heads, uint64_t dim) {
  bool ofKeys = name.rfind("key", 0) == 0 || name.rfind("value", 0) == 0;
  const char *rows = ofKeys ? "keyLength" : "queryLength";
  const char *owners = ofKeys ? "keyHeads" : "heads";
  return tensor(
      name, address,
      {{"headDim", dim}, {rows, length}, {owners, heads}, {"batch", batches}},
      {{owners, dim}, {rows, heads * dim}, {"batch", length * heads * dim}});
}

HopperRun &HopperRun::pointer(const std::string &name, uint64_t address) {
  pointers[name] = address;
  return *this;
}

HopperRun &HopperRun::integer(const std::string &name, int64_t value) {
  integers[name] = value;
  return *this;
}

HopperRun &HopperRun::number(const std::string &name, double value) {
  numbers[name] = value;
  return *this;
}

std::string HopperRun::run(const poly::runtime::KernelMetadata &metadata,
                           std::array<unsigned, 3> grid, uint32_t seed) {
  auto function = std::find_if(
      kernel.module->kernels().begin(), kernel.module->kernels().end(),
      [&](const PtxKernel &each) { return each.name == metadata.name; });
  if (function == kernel.module->kernels().end())
    return "no kernel " + metadata.name;
  PtxTensorMaps maps;
  std::map<unsigned, std::array<uint8_t, 128>> encoded;
  for (const auto &spec : poly::runtime::tensorMapsOf(metadata)) {
    auto array = tensors.find(spec.name);
    if (array == tensors.end())
      return "no tensor " + spec.name;
    auto checked = poly::runtime::tensorMapArguments(spec, array->second);
    PtxTensorMap map;
    map.address = array->second.address;
    map.elementBytes = checked.elementBytes;
    map.sizes = checked.sizes;
    map.strides = checked.strides;
    map.box = checked.box;
    map.swizzleBytes = spec.swizzleBytes;
    encoded[spec.argument] = maps.add(std::move(map));
  }
  PtxArguments arguments;
  const auto &names = metadata.info.at("arguments").asArray("arguments");
  for (unsigned i = 0; i < names.size(); ++i) {
    const std::string &name = names[i].asString("argument");
    const std::string &type = metadata.parameters[i].type;
    if (encoded.count(i)) {
      arguments.add(encoded[i].data(), encoded[i].size());
    } else if (type == "ptr" && pointers.count(name)) {
      arguments.addU64(pointers[name]);
    } else if (type == "i32" && integers.count(name)) {
      arguments.addU32(uint32_t(integers[name]));
    } else if (type == "i64" && integers.count(name)) {
      arguments.addU64(uint64_t(integers[name]));
    } else if (type == "f32" && numbers.count(name)) {
      float value = float(numbers[name]);
      arguments.add(&value, sizeof value);
    } else {
      return "no value for " + name + " of type " + type;
    }
  }
  PtxLaunch launch;
  launch.grid = {grid[0], grid[1], grid[2]};
  launch.block = {metadata.blockSize->x, 1, 1};
  if (metadata.info.find("dynamicSharedBytes"))
    launch.dynamicShared = uint64_t(metadata.integer("dynamicSharedBytes"));
  launch.seed = seed;
  launch.together = together;
  std::string error;
  ptxLaunchBlocks(*function, launch, arguments, maps, memory, error);
  return error;
}

double polytest::relativeError(const std::vector<double> &results,
                               const std::vector<double> &truth) {
  double errors = 0, squares = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (!std::isfinite(results[i]))
      return HUGE_VAL;
    errors += (results[i] - truth[i]) * (results[i] - truth[i]);
    squares += truth[i] * truth[i];
  }
  return squares > 0 ? std::sqrt(errors / squares) : std::sqrt(errors);
}

std::string polytest::withoutInstructions(std::string text,
                                          const std::string &opcode) {
  size_t count = 0;
  for (size_t at = text.find(opcode); at != std::string::npos;
       at = text.find(opcode, at), ++count) {
    size_t guard = text.rfind('@', at);
    if (guard != std::string::npos &&
        text.substr(guard, at - guard).find_first_of(";\n") ==
            std::string::npos)
      at = guard;
    text.erase(at, text.find(';', at) + 1 - at);
  }
  EXPECT_GT(count, 0u) << opcode;
  return text;
}
