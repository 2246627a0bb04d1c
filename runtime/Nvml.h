//===- Nvml.h - Clocks, power and energy of a GPU ---------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The NVIDIA Management Library, loaded at run time. It is optional: without
/// it, measurements lack clocks and energy, and say so.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_RUNTIME_NVML_H
#define POLY_RUNTIME_NVML_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace poly::runtime {

/// What the GPU reported at one moment; a member is empty where the GPU or the
/// driver does not report it.
struct GpuState {
  std::optional<unsigned> smClockMHz;
  std::optional<unsigned> memoryClockMHz;
  std::optional<unsigned> temperatureC;
  std::optional<double> powerWatts;
  /// Joules since the driver was loaded.
  std::optional<double> energyJoules;
  /// Why the clock is not the highest: bits of nvmlClocksEventReasons.
  std::optional<uint64_t> clockReasons;

  /// The clock is held down by power, heat or hardware, not by idleness.
  bool throttled() const;
};

/// "power cap, thermal" for the bits of GpuState::clockReasons; "none" for 0.
std::string describeClockReasons(uint64_t reasons);

class Nvml {
public:
  /// The GPU at a PCI bus id ("0000:3b:00.0"); null when the library is missing
  /// or does not know the GPU.
  static std::unique_ptr<Nvml> open(const std::string &pciBusId);
  ~Nvml();
  Nvml(const Nvml &) = delete;
  Nvml &operator=(const Nvml &) = delete;

  GpuState read() const;

private:
  Nvml() = default;
  struct Api;
  std::unique_ptr<Api> api;
};

} // namespace poly::runtime

#endif // POLY_RUNTIME_NVML_H
