//===- PtxMemory.cpp - The PTX emulator's global memory -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxThread.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace polytest {

uint64_t PtxMemory::allocate(size_t size, size_t alignment) {
  // An odd multiple of the alignment, a page or more after the last buffer.
  uint64_t base = (nextBase + alignment - 1) / alignment * alignment;
  if ((base / alignment) % 2 == 0)
    base += alignment;
  Buffer &buffer = buffers[base];
  buffer.base = base;
  buffer.bytes.resize(size);
  buffer.written.resize(size);
  nextBase = base + size + 4096;
  return base;
}

PtxMemory::Buffer *PtxMemory::find(uint64_t address, size_t size) {
  auto holds = [&](const Buffer &buffer) {
    return address >= buffer.base && size <= buffer.bytes.size() &&
           address - buffer.base <= buffer.bytes.size() - size;
  };
  if (recent && holds(*recent))
    return recent;
  auto next = buffers.upper_bound(address);
  if (next == buffers.begin())
    return nullptr;
  Buffer &buffer = std::prev(next)->second;
  if (!holds(buffer))
    return nullptr;
  return recent = &buffer;
}

static void requireMapped(const void *buffer) {
  if (buffer)
    return;
  std::fputs("PtxMemory: the host accessed an unmapped range\n", stderr);
  std::abort();
}

void PtxMemory::write(uint64_t address, const void *data, size_t size) {
  Buffer *buffer = find(address, size);
  requireMapped(buffer);
  size_t at = size_t(address - buffer->base);
  std::memcpy(buffer->bytes.data() + at, data, size);
  for (size_t i = 0; i < size; ++i)
    buffer->written[at + i] = true;
}

void PtxMemory::read(uint64_t address, void *data, size_t size,
                     uint8_t filler) {
  Buffer *buffer = find(address, size);
  requireMapped(buffer);
  size_t at = size_t(address - buffer->base);
  uint8_t *to = static_cast<uint8_t *>(data);
  for (size_t i = 0; i < size; ++i)
    to[i] = buffer->written[at + i] ? buffer->bytes[at + i] : filler;
}

bool PtxMemory::isWritten(uint64_t address, size_t size) {
  Buffer *buffer = find(address, size);
  requireMapped(buffer);
  for (size_t i = 0; i < size; ++i)
    if (!buffer->written[size_t(address - buffer->base) + i])
      return false;
  return true;
}

std::string hexAddress(uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(address));
  return text;
}

bool PtxMemory::load(uint64_t address, unsigned bytes, uint64_t &value,
                     std::string &error) {
  Buffer *buffer = find(address, bytes);
  if (!buffer) {
    error = "loads outside of every buffer at " + hexAddress(address);
    return false;
  }
  size_t at = size_t(address - buffer->base);
  for (unsigned i = 0; i < bytes; ++i)
    if (!buffer->written[at + i]) {
      error = "loads memory that was never written at " + hexAddress(address);
      return false;
    }
  value = 0;
  std::memcpy(&value, buffer->bytes.data() + at, bytes);
  return true;
}

bool PtxMemory::store(uint64_t address, unsigned bytes, uint64_t value,
                      std::string &error) {
  Buffer *buffer = find(address, bytes);
  if (!buffer) {
    error = "stores outside of every buffer at " + hexAddress(address);
    return false;
  }
  size_t at = size_t(address - buffer->base);
  std::memcpy(buffer->bytes.data() + at, &value, bytes);
  for (unsigned i = 0; i < bytes; ++i)
    buffer->written[at + i] = true;
  return true;
}

PtxArguments &PtxArguments::add(const void *data, size_t size) {
  const uint8_t *from = static_cast<const uint8_t *>(data);
  bytes.emplace_back(from, from + size);
  return *this;
}

} // namespace polytest
