//===- Driver.h - The CUDA driver, loaded at run time ----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The few calls of the CUDA driver API that poly needs, found with dlopen so
/// that everything builds and starts on machines without a GPU. Types and
/// signatures follow the CUDA driver API reference.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_RUNTIME_DRIVER_H
#define POLY_RUNTIME_DRIVER_H

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace poly::runtime {

/// A failed driver call, or a driver that cannot be loaded. The message names
/// the call and says what to do.
class DriverError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

using Result = int; ///< CUresult; 0 is success.
using DeviceId = int;
using DevicePtr = uint64_t;
using ContextHandle = struct ContextTag *;
using ModuleHandle = struct ModuleTag *;
using FunctionHandle = struct FunctionTag *;
using EventHandle = struct EventTag *;
using StreamHandle = struct StreamTag *;
using GraphHandle = struct GraphTag *;
using GraphExecHandle = struct GraphExecTag *;

/// CUlaunchAttribute: a number that says which, padding to eight bytes, and a
/// value of 64 bytes.
struct LaunchAttribute {
  int id = 0;
  int padding = 0;
  unsigned value[16] = {};
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX = 1, gridY = 1, gridZ = 1;
  unsigned blockX = 1, blockY = 1, blockZ = 1;
  unsigned sharedBytes = 0;
  StreamHandle stream = nullptr;
  LaunchAttribute *attributes = nullptr;
  unsigned numAttributes = 0;
};

/// CUtensorMap: what the bulk tensor copy engine knows of an array.
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

/// Members are named as the driver's symbols, so that errors can name them.
struct Driver {
  Result (*cuInit)(unsigned flags);
  Result (*cuDriverGetVersion)(int *version);
  Result (*cuGetErrorName)(Result result, const char **text);
  Result (*cuGetErrorString)(Result result, const char **text);
  Result (*cuDeviceGetCount)(int *count);
  Result (*cuDeviceGet)(DeviceId *device, int ordinal);
  Result (*cuDeviceGetName)(char *name, int length, DeviceId device);
  Result (*cuDeviceGetAttribute)(int *value, int attribute, DeviceId device);
  Result (*cuDeviceGetPCIBusId)(char *text, int length, DeviceId device);
  Result (*cuDevicePrimaryCtxRetain)(ContextHandle *context, DeviceId device);
  Result (*cuDevicePrimaryCtxRelease_v2)(DeviceId device);
  Result (*cuCtxSetCurrent)(ContextHandle context);
  Result (*cuCtxSynchronize)();
  Result (*cuModuleLoadDataEx)(ModuleHandle *module, const void *image,
                               unsigned numOptions, int *options,
                               void **values);
  Result (*cuModuleUnload)(ModuleHandle module);
  Result (*cuModuleGetFunction)(FunctionHandle *function, ModuleHandle module,
                                const char *name);
  Result (*cuMemAlloc_v2)(DevicePtr *pointer, size_t bytes);
  Result (*cuMemFree_v2)(DevicePtr pointer);
  Result (*cuMemcpyHtoD_v2)(DevicePtr to, const void *from, size_t bytes);
  Result (*cuMemcpyDtoH_v2)(void *to, DevicePtr from, size_t bytes);
  Result (*cuMemGetInfo_v2)(size_t *free, size_t *total);
  Result (*cuMemsetD8_v2)(DevicePtr to, unsigned char value, size_t bytes);
  Result (*cuMemsetD8Async)(DevicePtr to, unsigned char value, size_t bytes,
                            StreamHandle stream);
  Result (*cuMemcpyDtoDAsync_v2)(DevicePtr to, DevicePtr from, size_t bytes,
                                 StreamHandle stream);
  Result (*cuFuncGetAttribute)(int *value, int attribute,
                               FunctionHandle function);
  Result (*cuFuncSetAttribute)(FunctionHandle function, int attribute,
                               int value);
  Result (*cuLaunchKernelEx)(const LaunchConfig *config,
                             FunctionHandle function, void **arguments,
                             void **extra);
  Result (*cuTensorMapEncodeTiled)(TensorMap *map, int elementType,
                                   unsigned rank, void *address,
                                   const uint64_t *sizes,
                                   const uint64_t *strides, const unsigned *box,
                                   const unsigned *elementStrides,
                                   int interleave, int swizzle, int l2Promotion,
                                   int outOfBoundsFill);
  Result (*cuStreamCreate)(StreamHandle *stream, unsigned flags);
  Result (*cuStreamDestroy_v2)(StreamHandle stream);
  Result (*cuStreamSynchronize)(StreamHandle stream);
  Result (*cuStreamBeginCapture_v2)(StreamHandle stream, int mode);
  Result (*cuStreamEndCapture)(StreamHandle stream, GraphHandle *graph);
  Result (*cuGraphInstantiateWithFlags)(GraphExecHandle *exec,
                                        GraphHandle graph,
                                        unsigned long long flags);
  Result (*cuGraphLaunch)(GraphExecHandle exec, StreamHandle stream);
  Result (*cuGraphExecDestroy)(GraphExecHandle exec);
  Result (*cuGraphDestroy)(GraphHandle graph);
  Result (*cuEventCreate)(EventHandle *event, unsigned flags);
  Result (*cuEventDestroy_v2)(EventHandle event);
  Result (*cuEventRecord)(EventHandle event, StreamHandle stream);
  Result (*cuEventSynchronize)(EventHandle event);
  Result (*cuEventElapsedTime)(float *milliseconds, EventHandle start,
                               EventHandle end);

  /// The process's driver, loaded and initialised at the first call. Throws
  /// DriverError when there is none or it finds no GPU.
  static const Driver &get();

  /// Throws DriverError unless \p result is success. \p call is the symbol;
  /// \p context says what was being done.
  void check(Result result, const char *call,
             const std::string &context = {}) const;
};

} // namespace poly::runtime

#endif // POLY_RUNTIME_DRIVER_H
