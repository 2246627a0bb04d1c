//===- Kernel.cpp - Compiled kernels and how to launch them ---------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "Files.h"

#include <cmath>
#include <cstring>

using namespace poly::runtime;

namespace {

// CUlaunchAttributeID and CUfunction_attribute numbers.
constexpr int kClusterDimension = 4;
constexpr int kNumRegisters = 4;
constexpr int kLocalSizeBytes = 3;

std::optional<Dim3> parseDim3(const Json &json, const std::string &key) {
  const Json *found = json.find(key);
  if (!found)
    return std::nullopt;
  const std::vector<Json> &items = found->asArray(key);
  if (items.size() != 3)
    throw JsonError(key + " must have three entries");
  // Limits of CUDA: no dimension of a block or cluster is above 1,024.
  auto extent = [&](size_t i) {
    return unsigned(items[i].asInteger(key, 1, 1024));
  };
  return Dim3{extent(0), extent(1), extent(2)};
}

KernelParameter parseParameter(const Json &json) {
  KernelParameter parameter;
  parameter.type = json.at("type").asString("type");
  // A kernel takes 4 KiB of parameters, from CUDA 12.1 on 32,764 bytes.
  parameter.bytes = unsigned(json.at("bytes").asInteger("bytes", 1, 32764));
  parameter.align = unsigned(json.at("align").asInteger("align", 1, 256));
  return parameter;
}

KernelMetadata parseKernel(const Json &json) {
  KernelMetadata kernel;
  kernel.name = json.at("name").asString("name");
  for (const Json &item : json.at("parameters").asArray("parameters"))
    kernel.parameters.push_back(parseParameter(item));
  kernel.blockSize = parseDim3(json, "blockSize");
  kernel.clusterSize = parseDim3(json, "clusterSize");
  if (const Json *bytes = json.find("dynamicSharedBytes"))
    kernel.dynamicSharedBytes =
        unsigned(bytes->asInteger("dynamicSharedBytes", 0, 1 << 20));
  if (const Json *info = json.find("info")) {
    if (info->kind() != Json::Kind::Object)
      throw JsonError("info must be an object");
    kernel.info = *info;
  }
  return kernel;
}

} // namespace

static std::string memberOf(const KernelMetadata &kernel,
                            std::string_view key) {
  return "'" + std::string(key) + "' of kernel '" + kernel.name + "'";
}

static const Json &memberAt(const KernelMetadata &kernel,
                            std::string_view key) {
  const Json *value = kernel.info.find(key);
  if (!value)
    throw JsonError(memberOf(kernel, key) + " is missing");
  return *value;
}

const std::string &KernelMetadata::text(std::string_view key) const {
  return memberAt(*this, key).asString(memberOf(*this, key));
}

int64_t KernelMetadata::integer(std::string_view key) const {
  constexpr int64_t kExact = int64_t(1) << 53;
  return memberAt(*this, key).asInteger(memberOf(*this, key), -kExact, kExact);
}

int64_t KernelMetadata::extent(std::string_view key) const {
  constexpr int64_t kMost = 1 << 20;
  return memberAt(*this, key).asInteger(memberOf(*this, key), 1, kMost);
}

bool KernelMetadata::flag(std::string_view key) const {
  const Json *value = info.find(key);
  return value && value->asBool(memberOf(*this, key));
}

std::string KernelMetadata::text(std::string_view key,
                                 const std::string &missing) const {
  return info.find(key) ? text(key) : missing;
}

int64_t KernelMetadata::integer(std::string_view key, int64_t missing) const {
  return info.find(key) ? integer(key) : missing;
}

double KernelMetadata::number(std::string_view key, double missing) const {
  const Json *value = info.find(key);
  return value ? value->asNumber(memberOf(*this, key)) : missing;
}

const KernelMetadata &ImageMetadata::kernel(const std::string &name) const {
  std::string known;
  for (const KernelMetadata &kernel : kernels) {
    if (kernel.name == name)
      return kernel;
    known += (known.empty() ? "" : ", ") + kernel.name;
  }
  throw JsonError(image + " has no kernel '" + name + "'; it has " + known);
}

ImageMetadata poly::runtime::readMetadata(const std::string &path) {
  Json json = Json::parse(readFile(path), path);
  ImageMetadata metadata;
  std::string where;
  try {
    int64_t version = json.at("version").asInteger("version", 1, 1000);
    if (version != 1)
      throw JsonError("version " + std::to_string(version) +
                      " is newer than this program; it reads version 1");
    metadata.chip = json.at("chip").asString("chip");
    metadata.image = folderOf(path) + json.at("image").asString("image");
    if (const Json *sites = json.find("sites")) {
      sites->asArray("sites");
      metadata.sites = *sites;
    }
    for (const Json &item : json.at("kernels").asArray("kernels")) {
      where = "kernel " + std::to_string(metadata.kernels.size()) + ": ";
      metadata.kernels.push_back(parseKernel(item));
    }
  } catch (const JsonError &error) {
    throw JsonError(path + ": " + where + error.what());
  }
  if (metadata.kernels.empty())
    throw JsonError(path + ": lists no kernels");
  return metadata;
}

const KernelParameter &
Arguments::next(std::initializer_list<const char *> types) {
  std::string what = "argument " + std::to_string(values.size()) +
                     " of kernel '" + kernel->name + "'";
  if (values.size() == kernel->parameters.size())
    throw std::invalid_argument(what + ": the kernel takes only " +
                                std::to_string(values.size()));
  const KernelParameter &parameter = kernel->parameters[values.size()];
  std::string wanted;
  for (const char *type : types) {
    if (parameter.type == type)
      return parameter;
    wanted += (wanted.empty() ? "" : " or ") + std::string(type);
  }
  throw std::invalid_argument(what + ": passed a value for " + wanted +
                              ", but the parameter is " + parameter.type);
}

void Arguments::store(const KernelParameter &parameter, const void *value) {
  Slot slot{};
  if (parameter.bytes > sizeof(slot.bytes))
    throw std::invalid_argument("a parameter of kernel '" + kernel->name +
                                "' is larger than a tensor map");
  std::memcpy(slot.bytes, value, parameter.bytes);
  values.push_back(slot);
}

Arguments &Arguments::array(DevicePtr address) {
  store(next({"ptr"}), &address);
  return *this;
}

Arguments &Arguments::memref(DevicePtr address, int64_t size) {
  array(address).array(address);
  for (int64_t value : {int64_t(0), size, int64_t(1)})
    store(next({"i64"}), &value);
  return *this;
}

Arguments &Arguments::integer(int64_t value) {
  const KernelParameter &parameter = next({"i64", "i32"});
  if (parameter.type == "i32" &&
      (value < INT32_MIN || value > int64_t(UINT32_MAX)))
    throw std::invalid_argument(std::to_string(value) +
                                " does not fit a 32-bit parameter of kernel '" +
                                kernel->name + "'");
  store(parameter, &value); // Little-endian: the low bytes come first.
  return *this;
}

Arguments &Arguments::number(double value) {
  const KernelParameter &parameter = next({"f32", "f64"});
  float single = static_cast<float>(value);
  if (parameter.type == "f32")
    store(parameter, &single);
  else
    store(parameter, &value);
  return *this;
}

Arguments &Arguments::tensorMap(const TensorMap &map) {
  const KernelParameter &parameter = next({"bytes"});
  if (parameter.bytes != sizeof(map))
    throw std::invalid_argument("a parameter of kernel '" + kernel->name +
                                "' has not the size of a tensor map");
  store(parameter, &map);
  return *this;
}

std::vector<void *> Arguments::pointers() {
  if (values.size() != kernel->parameters.size())
    throw std::invalid_argument("kernel '" + kernel->name + "' takes " +
                                std::to_string(kernel->parameters.size()) +
                                " parameters; " +
                                std::to_string(values.size()) + " were passed");
  std::vector<void *> pointers;
  for (Slot &slot : values)
    pointers.push_back(slot.bytes);
  return pointers;
}

Kernel::Kernel(std::shared_ptr<Module> module, KernelMetadata metadata)
    : module(std::move(module)), description(std::move(metadata)),
      function(this->module->function(description.name,
                                      description.dynamicSharedBytes)) {}

static int functionAttribute(FunctionHandle function, int number) {
  const Driver &driver = Driver::get();
  int value = 0;
  driver.check(driver.cuFuncGetAttribute(&value, number, function),
               "cuFuncGetAttribute");
  return value;
}

int Kernel::registers() const {
  return functionAttribute(function, kNumRegisters);
}

int Kernel::localBytes() const {
  return functionAttribute(function, kLocalSizeBytes);
}

void Kernel::launch(StreamHandle stream, Dim3 grid, Dim3 block,
                    Arguments &arguments) const {
  if (grid.count() == 0)
    return; // Nothing to do; the driver refuses empty grids.
  const std::optional<Dim3> &fixed = description.blockSize;
  if (fixed &&
      (fixed->x != block.x || fixed->y != block.y || fixed->z != block.z))
    throw std::invalid_argument(
        "kernel '" + description.name + "' was compiled for blocks of " +
        std::to_string(fixed->x) + " x " + std::to_string(fixed->y) + " x " +
        std::to_string(fixed->z) + " threads");
  std::vector<void *> pointers = arguments.pointers();
  LaunchAttribute cluster;
  LaunchConfig config;
  config.gridX = grid.x;
  config.gridY = grid.y;
  config.gridZ = grid.z;
  config.blockX = block.x;
  config.blockY = block.y;
  config.blockZ = block.z;
  config.sharedBytes = description.dynamicSharedBytes;
  config.stream = stream;
  if (description.clusterSize) {
    cluster.id = kClusterDimension;
    cluster.value[0] = description.clusterSize->x;
    cluster.value[1] = description.clusterSize->y;
    cluster.value[2] = description.clusterSize->z;
    config.attributes = &cluster;
    config.numAttributes = 1;
  }
  const Driver &driver = Driver::get();
  driver.check(
      driver.cuLaunchKernelEx(&config, function, pointers.data(), nullptr),
      "cuLaunchKernelEx", description.name);
}

void Kernel::launch(StreamHandle stream, Dim3 grid,
                    Arguments &arguments) const {
  if (!description.blockSize)
    throw std::invalid_argument("the metadata of kernel '" + description.name +
                                "' has no blockSize");
  launch(stream, grid, *description.blockSize, arguments);
}

Kernel poly::runtime::loadKernel(const ImageMetadata &metadata,
                                 const std::string &name) {
  return Kernel(
      std::make_shared<Module>(readFile(metadata.image), metadata.image),
      metadata.kernel(name));
}
