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
  Result (*cuMemsetD8_v2)(DevicePtr to, unsigned char value, size_t bytes);
  Result (*cuLaunchKernel)(FunctionHandle function, unsigned gridX,
                           unsigned gridY, unsigned gridZ, unsigned blockX,
                           unsigned blockY, unsigned blockZ,
                           unsigned sharedBytes, StreamHandle stream,
                           void **arguments, void **extra);
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
