//===- Nvml.cpp - Clocks, power and energy of a GPU -----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nvml.h"

#include <dlfcn.h>

using namespace poly::runtime;

// Signatures and numbers follow the NVML API reference.
struct Nvml::Api {
  using Handle = struct DeviceTag *;
  int (*nvmlInit_v2)();
  int (*nvmlShutdown)();
  int (*nvmlDeviceGetHandleByPciBusId_v2)(const char *id, Handle *device);
  int (*nvmlDeviceGetClockInfo)(Handle device, int type, unsigned *mhz);
  int (*nvmlDeviceGetTemperature)(Handle device, int sensor, unsigned *celsius);
  int (*nvmlDeviceGetPowerUsage)(Handle device, unsigned *milliwatts);
  int (*nvmlDeviceGetTotalEnergyConsumption)(Handle device,
                                             unsigned long long *millijoules);
  int (*nvmlDeviceGetCurrentClocksThrottleReasons)(Handle device,
                                                   unsigned long long *reasons);
  Handle device = nullptr;
};

namespace {

constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;

struct ClockReason {
  uint64_t bit;
  const char *name;
  bool throttles;
};
constexpr ClockReason kReasons[] = {
    {0x1, "idle", false},
    {0x2, "application setting", false},
    {0x4, "power cap", true},
    {0x8, "hardware slowdown", true},
    {0x10, "sync boost", false},
    {0x20, "thermal", true},
    {0x40, "hardware thermal", true},
    {0x80, "power brake", true},
    {0x100, "display setting", false},
};

/// What \p call writes, or nothing when it fails.
template <typename T, typename Call>
std::optional<T> query(Call call) {
  T value{};
  if (call(&value) != 0)
    return std::nullopt;
  return value;
}

} // namespace

bool GpuState::throttled() const {
  for (const ClockReason &reason : kReasons)
    if (reason.throttles && clockReasons && (*clockReasons & reason.bit))
      return true;
  return false;
}

std::string poly::runtime::describeClockReasons(uint64_t reasons) {
  std::string text;
  for (const ClockReason &reason : kReasons)
    if (reasons & reason.bit) {
      text += (text.empty() ? "" : ", ") + std::string(reason.name);
      reasons &= ~reason.bit;
    }
  if (reasons)
    text += (text.empty() ? "" : ", ") + std::string("other");
  return text.empty() ? "none" : text;
}

std::unique_ptr<Nvml> Nvml::open(const std::string &pciBusId) {
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return nullptr;
  auto api = std::make_unique<Api>();
  bool complete = true;
  auto load = [&](auto &member, const char *symbol) {
    void *address = dlsym(library, symbol);
    complete &= address != nullptr;
    member = reinterpret_cast<std::decay_t<decltype(member)>>(address);
  };
#define POLY_LOAD(symbol) load(api->symbol, #symbol)
  POLY_LOAD(nvmlInit_v2);
  POLY_LOAD(nvmlShutdown);
  POLY_LOAD(nvmlDeviceGetHandleByPciBusId_v2);
  POLY_LOAD(nvmlDeviceGetClockInfo);
  POLY_LOAD(nvmlDeviceGetTemperature);
  POLY_LOAD(nvmlDeviceGetPowerUsage);
  POLY_LOAD(nvmlDeviceGetTotalEnergyConsumption);
  POLY_LOAD(nvmlDeviceGetCurrentClocksThrottleReasons);
#undef POLY_LOAD
  if (!complete || api->nvmlInit_v2() != 0)
    return nullptr;
  if (api->nvmlDeviceGetHandleByPciBusId_v2(pciBusId.c_str(), &api->device)) {
    api->nvmlShutdown();
    return nullptr;
  }
  std::unique_ptr<Nvml> nvml(new Nvml);
  nvml->api = std::move(api);
  return nvml;
}

Nvml::~Nvml() { api->nvmlShutdown(); }

GpuState Nvml::read() const {
  GpuState state;
  auto device = api->device;
  state.smClockMHz = query<unsigned>([&](unsigned *value) {
    return api->nvmlDeviceGetClockInfo(device, kSmClock, value);
  });
  state.memoryClockMHz = query<unsigned>([&](unsigned *value) {
    return api->nvmlDeviceGetClockInfo(device, kMemoryClock, value);
  });
  state.temperatureC = query<unsigned>([&](unsigned *value) {
    return api->nvmlDeviceGetTemperature(device, 0, value);
  });
  if (auto milliwatts = query<unsigned>([&](unsigned *value) {
        return api->nvmlDeviceGetPowerUsage(device, value);
      }))
    state.powerWatts = *milliwatts * 1e-3;
  if (auto millijoules =
          query<unsigned long long>([&](unsigned long long *value) {
            return api->nvmlDeviceGetTotalEnergyConsumption(device, value);
          }))
    state.energyJoules = static_cast<double>(*millijoules) * 1e-3;
  if (auto reasons = query<unsigned long long>([&](unsigned long long *value) {
        return api->nvmlDeviceGetCurrentClocksThrottleReasons(device, value);
      }))
    state.clockReasons = *reasons;
  return state;
}
