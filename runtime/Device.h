//===- Device.h - Owners of GPU resources ----------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each class owns one resource of the driver and frees it in its destructor.
/// All work goes to the default stream of the context that is current unless a
/// stream is given; create a Context first. Failures throw DriverError.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_RUNTIME_DEVICE_H
#define POLY_RUNTIME_DEVICE_H

#include "Driver.h"

#include <functional>
#include <utility>
#include <vector>

namespace poly::runtime {

/// The primary context of a GPU, current in the creating thread.
class Context {
public:
  explicit Context(int ordinal = 0);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  std::string deviceName() const;
  /// 90 for compute capability 9.0.
  int computeCapability() const;
  int multiprocessors() const;
  /// Bytes of the level-2 cache.
  size_t l2Bytes() const;
  /// Bytes of device memory that can still be allocated.
  size_t freeBytes() const;
  /// "0000:3b:00.0", by which NVML knows the GPU.
  std::string pciBusId() const;
  /// 13000 for CUDA 13.0.
  int driverVersion() const;
  /// Waits for all work; reports errors of kernels.
  void synchronize() const;

private:
  DeviceId device = 0;
};

/// A loaded PTX or cubin image.
class Module {
public:
  /// \p image is the file's content; \p name is used in messages.
  Module(const std::string &image, const std::string &name);
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  /// The kernel \p kernel, allowed to use \p dynamicSharedBytes of shared
  /// memory besides what it declares.
  FunctionHandle function(const std::string &kernel,
                          unsigned dynamicSharedBytes = 0) const;

private:
  ModuleHandle handle = nullptr;
  std::string name;
};

/// Device memory, aligned to at least 256 bytes.
class Buffer {
public:
  Buffer() = default;
  explicit Buffer(size_t bytes);
  ~Buffer();
  Buffer(Buffer &&other) noexcept
      : pointer(std::exchange(other.pointer, 0)),
        byteCount(std::exchange(other.byteCount, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(pointer, other.pointer);
    std::swap(byteCount, other.byteCount);
    return *this;
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  DevicePtr address() const { return pointer; }
  size_t bytes() const { return byteCount; }
  /// Copies the first \p count bytes; blocking.
  void upload(const void *from, size_t count);
  void download(void *to, size_t count) const;
  /// Sets every byte; blocking.
  void fill(unsigned char value);

private:
  DevicePtr pointer = 0;
  size_t byteCount = 0;
};

/// A queue of work that can be captured into a Graph.
class Stream {
public:
  Stream();
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  StreamHandle handle() const { return stream; }
  void synchronize() const;

private:
  StreamHandle stream = nullptr;
};

/// Work recorded once and replayed without the host's launch overhead.
class Graph {
public:
  /// Records what \p enqueue puts into the stream it is given.
  Graph(const Stream &stream, const std::function<void(StreamHandle)> &enqueue);
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  void launch(const Stream &stream) const;

private:
  GraphExecHandle exec = nullptr;
};

/// A point in a stream's time.
class Event {
public:
  Event();
  ~Event();
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  void record(StreamHandle stream = nullptr);
  /// Milliseconds from \p start to this event; waits for this event.
  float millisecondsSince(const Event &start) const;

private:
  EventHandle handle = nullptr;
};

/// A one-dimensional array as MLIR passes it to a kernel: the members of a
/// `memref<?xT>` descriptor, each a 64-bit parameter.
struct ArrayArgument {
  DevicePtr allocated;
  DevicePtr aligned;
  int64_t offset = 0;
  int64_t size;
  int64_t stride = 1;

  ArrayArgument(DevicePtr address, int64_t size)
      : allocated(address), aligned(address), size(size) {}
};

/// Launches `kernel(in: memref<?xT>, out: memref<?xT>, count: index)`, the
/// signature of kernels/activations.
void launchElementwise(FunctionHandle function, const ArrayArgument &in,
                       const ArrayArgument &out, int64_t count, unsigned blocks,
                       unsigned threads);

} // namespace poly::runtime

#endif // POLY_RUNTIME_DEVICE_H
