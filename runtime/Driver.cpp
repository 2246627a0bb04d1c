//===- Driver.cpp - The CUDA driver, loaded at run time -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <dlfcn.h>

using namespace poly::runtime;

namespace {

/// Results that users meet, and what helps. Numbers are CUresult's.
const char *adviceFor(Result result) {
  switch (result) {
  case 1:
    return "an argument is out of range for this GPU";
  case 2:
    return "the GPU is out of memory: free some or use a smaller size";
  case 3:
    return "the driver did not initialise: is a GPU visible (nvidia-smi)?";
  case 100:
    return "no GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES";
  case 200:
    return "the file is no valid PTX or cubin";
  case 209:
    return "the cubin is for another GPU: compile with --chip of this one";
  case 218:
    return "the driver's compiler rejected the PTX";
  case 222:
    return "the PTX is newer than the driver: update the driver or compile to "
           "a cubin";
  case 500:
    return "the file has no kernel of that name";
  case 700:
    return "the kernel accessed memory outside its arrays";
  case 701:
    return "a block of this kernel needs more registers or shared memory than "
           "this GPU has";
  case 716:
    return "the kernel needs arrays that start on a 16-byte boundary";
  default:
    return nullptr;
  }
}

template <typename FunctionPtr>
void load(void *library, FunctionPtr &member, const char *symbol) {
  void *address = dlsym(library, symbol);
  if (!address)
    throw DriverError(std::string("the CUDA driver has no ") + symbol +
                      ": it is too old; install a driver for CUDA 12 or newer");
  member = reinterpret_cast<FunctionPtr>(address);
}

Driver loadDriver() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw DriverError("cannot load libcuda.so.1: this machine has no NVIDIA "
                      "driver; run on a machine with a GPU");
  Driver driver;
#define POLY_LOAD(symbol) load(library, driver.symbol, #symbol)
  POLY_LOAD(cuInit);
  POLY_LOAD(cuDriverGetVersion);
  POLY_LOAD(cuGetErrorName);
  POLY_LOAD(cuGetErrorString);
  POLY_LOAD(cuDeviceGetCount);
  POLY_LOAD(cuDeviceGet);
  POLY_LOAD(cuDeviceGetName);
  POLY_LOAD(cuDeviceGetAttribute);
  POLY_LOAD(cuDeviceGetPCIBusId);
  POLY_LOAD(cuDevicePrimaryCtxRetain);
  POLY_LOAD(cuDevicePrimaryCtxRelease_v2);
  POLY_LOAD(cuCtxSetCurrent);
  POLY_LOAD(cuCtxSynchronize);
  POLY_LOAD(cuModuleLoadDataEx);
  POLY_LOAD(cuModuleUnload);
  POLY_LOAD(cuModuleGetFunction);
  POLY_LOAD(cuMemAlloc_v2);
  POLY_LOAD(cuMemFree_v2);
  POLY_LOAD(cuMemcpyHtoD_v2);
  POLY_LOAD(cuMemcpyDtoH_v2);
  POLY_LOAD(cuMemsetD8_v2);
  POLY_LOAD(cuMemGetInfo_v2);
  POLY_LOAD(cuMemsetD8Async);
  POLY_LOAD(cuMemcpyDtoDAsync_v2);
  POLY_LOAD(cuFuncGetAttribute);
  POLY_LOAD(cuFuncSetAttribute);
  POLY_LOAD(cuLaunchKernelEx);
  POLY_LOAD(cuTensorMapEncodeTiled);
  POLY_LOAD(cuStreamCreate);
  POLY_LOAD(cuStreamDestroy_v2);
  POLY_LOAD(cuStreamSynchronize);
  POLY_LOAD(cuStreamBeginCapture_v2);
  POLY_LOAD(cuStreamEndCapture);
  POLY_LOAD(cuGraphInstantiateWithFlags);
  POLY_LOAD(cuGraphLaunch);
  POLY_LOAD(cuGraphExecDestroy);
  POLY_LOAD(cuGraphDestroy);
  POLY_LOAD(cuEventCreate);
  POLY_LOAD(cuEventDestroy_v2);
  POLY_LOAD(cuEventRecord);
  POLY_LOAD(cuEventSynchronize);
  POLY_LOAD(cuEventElapsedTime);
#undef POLY_LOAD
  driver.check(driver.cuInit(0), "cuInit");
  return driver;
}

} // namespace

const Driver &Driver::get() {
  // The library is never closed: handles of it may outlive any scope.
  static const Driver driver = loadDriver();
  return driver;
}

void Driver::check(Result result, const char *call,
                   const std::string &context) const {
  if (result == 0)
    return;
  const char *errorName = nullptr;
  const char *text = nullptr;
  cuGetErrorName(result, &errorName);
  cuGetErrorString(result, &text);
  std::string message = std::string(call) + " failed";
  if (!context.empty())
    message += " (" + context + ")";
  message += ": ";
  message += errorName ? errorName : "error " + std::to_string(result);
  if (text)
    message += std::string(", ") + text;
  if (const char *advice = adviceFor(result))
    message += std::string("; ") + advice;
  throw DriverError(message);
}
