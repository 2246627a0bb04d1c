//===- Device.cpp - Owners of GPU resources -------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace poly::runtime;

namespace {

// CUdevice_attribute numbers.
constexpr int kMultiprocessorCount = 16;
constexpr int kL2CacheSize = 38;
constexpr int kComputeCapabilityMajor = 75;
constexpr int kComputeCapabilityMinor = 76;
// CUfunction_attribute: the most dynamic shared memory a launch may ask for.
constexpr int kMaxDynamicSharedSize = 8;
// What a kernel may use without having asked for more.
constexpr unsigned kDefaultSharedBytes = 48 * 1024;
// CUstream_flags: no implicit order with the default stream.
constexpr unsigned kNonBlocking = 1;
// CUstreamCaptureMode: only this thread's unsafe calls end a capture.
constexpr int kCaptureThreadLocal = 1;
// CUjit_option numbers.
constexpr int kJitErrorLogBuffer = 5;
constexpr int kJitErrorLogBufferSize = 6;

int attribute(DeviceId device, int number) {
  const Driver &driver = Driver::get();
  int value = 0;
  driver.check(driver.cuDeviceGetAttribute(&value, number, device),
               "cuDeviceGetAttribute");
  return value;
}

} // namespace

Context::Context(int ordinal) {
  const Driver &driver = Driver::get();
  int count = 0;
  driver.check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (ordinal < 0 || ordinal >= count)
    throw DriverError("there is no GPU " + std::to_string(ordinal) + "; " +
                      std::to_string(count) + " visible");
  driver.check(driver.cuDeviceGet(&device, ordinal), "cuDeviceGet");
  ContextHandle handle = nullptr;
  driver.check(driver.cuDevicePrimaryCtxRetain(&handle, device),
               "cuDevicePrimaryCtxRetain");
  Result result = driver.cuCtxSetCurrent(handle);
  if (result != 0)
    driver.cuDevicePrimaryCtxRelease_v2(device);
  driver.check(result, "cuCtxSetCurrent");
}

Context::~Context() { Driver::get().cuDevicePrimaryCtxRelease_v2(device); }

std::string Context::deviceName() const {
  const Driver &driver = Driver::get();
  char text[256] = {};
  driver.check(driver.cuDeviceGetName(text, sizeof(text) - 1, device),
               "cuDeviceGetName");
  return text;
}

int Context::computeCapability() const {
  return 10 * attribute(device, kComputeCapabilityMajor) +
         attribute(device, kComputeCapabilityMinor);
}

int Context::multiprocessors() const {
  return attribute(device, kMultiprocessorCount);
}

size_t Context::l2Bytes() const {
  return static_cast<size_t>(attribute(device, kL2CacheSize));
}

size_t Context::freeBytes() const {
  const Driver &driver = Driver::get();
  size_t free = 0, total = 0;
  driver.check(driver.cuMemGetInfo_v2(&free, &total), "cuMemGetInfo_v2");
  return free;
}

std::string Context::pciBusId() const {
  const Driver &driver = Driver::get();
  char text[32] = {};
  driver.check(driver.cuDeviceGetPCIBusId(text, sizeof(text), device),
               "cuDeviceGetPCIBusId");
  return text;
}

int Context::driverVersion() const {
  const Driver &driver = Driver::get();
  int version = 0;
  driver.check(driver.cuDriverGetVersion(&version), "cuDriverGetVersion");
  return version;
}

void Context::synchronize() const {
  const Driver &driver = Driver::get();
  driver.check(driver.cuCtxSynchronize(), "cuCtxSynchronize");
}

Module::Module(const std::string &image, const std::string &name) : name(name) {
  const Driver &driver = Driver::get();
  std::vector<char> log(8192, '\0');
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSize};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  // PTX must end in a zero, which std::string guarantees.
  Result result =
      driver.cuModuleLoadDataEx(&handle, image.c_str(), 2, options, values);
  std::string context = name;
  if (result != 0 && log[0])
    context += ": " + std::string(log.data());
  driver.check(result, "cuModuleLoadDataEx", context);
}

Module::~Module() { Driver::get().cuModuleUnload(handle); }

FunctionHandle Module::function(const std::string &kernel,
                                unsigned dynamicSharedBytes) const {
  const Driver &driver = Driver::get();
  FunctionHandle function = nullptr;
  driver.check(driver.cuModuleGetFunction(&function, handle, kernel.c_str()),
               "cuModuleGetFunction", kernel + " in " + name);
  if (dynamicSharedBytes > kDefaultSharedBytes)
    driver.check(driver.cuFuncSetAttribute(function, kMaxDynamicSharedSize,
                                           int(dynamicSharedBytes)),
                 "cuFuncSetAttribute",
                 std::to_string(dynamicSharedBytes) +
                     " bytes of shared memory for " + kernel);
  return function;
}

Buffer::Buffer(size_t bytes) : byteCount(bytes) {
  const Driver &driver = Driver::get();
  // The driver refuses allocations of zero bytes.
  driver.check(driver.cuMemAlloc_v2(&pointer, bytes ? bytes : 1),
               "cuMemAlloc_v2", std::to_string(bytes) + " bytes");
}

Buffer::~Buffer() {
  if (pointer)
    Driver::get().cuMemFree_v2(pointer);
}

void Buffer::upload(const void *from, size_t count) {
  const Driver &driver = Driver::get();
  if (count > byteCount)
    throw DriverError("upload of " + std::to_string(count) +
                      " bytes into a buffer of " + std::to_string(byteCount));
  driver.check(driver.cuMemcpyHtoD_v2(pointer, from, count), "cuMemcpyHtoD_v2");
}

void Buffer::download(void *to, size_t count) const {
  const Driver &driver = Driver::get();
  if (count > byteCount)
    throw DriverError("download of " + std::to_string(count) +
                      " bytes from a buffer of " + std::to_string(byteCount));
  driver.check(driver.cuMemcpyDtoH_v2(to, pointer, count), "cuMemcpyDtoH_v2");
}

void Buffer::fill(unsigned char value) {
  const Driver &driver = Driver::get();
  driver.check(driver.cuMemsetD8_v2(pointer, value, byteCount),
               "cuMemsetD8_v2");
  driver.check(driver.cuCtxSynchronize(), "cuCtxSynchronize");
}

Stream::Stream() {
  const Driver &driver = Driver::get();
  driver.check(driver.cuStreamCreate(&stream, kNonBlocking), "cuStreamCreate");
}

Stream::~Stream() { Driver::get().cuStreamDestroy_v2(stream); }

void Stream::synchronize() const {
  const Driver &driver = Driver::get();
  driver.check(driver.cuStreamSynchronize(stream), "cuStreamSynchronize");
}

Graph::Graph(const Stream &stream,
             const std::function<void(StreamHandle)> &enqueue) {
  const Driver &driver = Driver::get();
  GraphHandle graph = nullptr;
  driver.check(
      driver.cuStreamBeginCapture_v2(stream.handle(), kCaptureThreadLocal),
      "cuStreamBeginCapture_v2");
  try {
    enqueue(stream.handle());
  } catch (...) {
    // The stream must leave the capture, or nothing else can use it.
    driver.cuStreamEndCapture(stream.handle(), &graph);
    if (graph)
      driver.cuGraphDestroy(graph);
    throw;
  }
  driver.check(driver.cuStreamEndCapture(stream.handle(), &graph),
               "cuStreamEndCapture");
  Result result = driver.cuGraphInstantiateWithFlags(&exec, graph, 0);
  driver.cuGraphDestroy(graph);
  driver.check(result, "cuGraphInstantiateWithFlags");
}

Graph::~Graph() { Driver::get().cuGraphExecDestroy(exec); }

void Graph::launch(const Stream &stream) const {
  const Driver &driver = Driver::get();
  driver.check(driver.cuGraphLaunch(exec, stream.handle()), "cuGraphLaunch");
}

Event::Event() {
  const Driver &driver = Driver::get();
  driver.check(driver.cuEventCreate(&handle, 0), "cuEventCreate");
}

Event::~Event() { Driver::get().cuEventDestroy_v2(handle); }

void Event::record(StreamHandle stream) {
  const Driver &driver = Driver::get();
  driver.check(driver.cuEventRecord(handle, stream), "cuEventRecord");
}

float Event::millisecondsSince(const Event &start) const {
  const Driver &driver = Driver::get();
  driver.check(driver.cuEventSynchronize(handle), "cuEventSynchronize");
  float milliseconds = 0;
  driver.check(driver.cuEventElapsedTime(&milliseconds, start.handle, handle),
               "cuEventElapsedTime");
  return milliseconds;
}

void poly::runtime::launchElementwise(FunctionHandle function,
                                      const ArrayArgument &in,
                                      const ArrayArgument &out, int64_t count,
                                      unsigned blocks, unsigned threads) {
  if (blocks == 0)
    return; // Nothing to do; the driver refuses empty grids.
  ArrayArgument source = in;
  ArrayArgument target = out;
  void *arguments[] = {&source.allocated, &source.aligned, &source.offset,
                       &source.size,      &source.stride,  &target.allocated,
                       &target.aligned,   &target.offset,  &target.size,
                       &target.stride,    &count};
  LaunchConfig config;
  config.gridX = blocks;
  config.blockX = threads;
  const Driver &driver = Driver::get();
  driver.check(driver.cuLaunchKernelEx(&config, function, arguments, nullptr),
               "cuLaunchKernelEx");
}
