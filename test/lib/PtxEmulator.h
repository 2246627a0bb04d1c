//===- PtxEmulator.h - Runs PTX kernels on the CPU -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs one launch of a kernel in the PTX text that LLVM's NVPTX backend
/// writes, thread after thread, for elementwise kernels: no shared memory, no
/// barriers, no communication between threads.
///
/// The emulator accepts only what it implements exactly. An instruction,
/// modifier or operand form that it does not know is an error with the line;
/// so are instructions whose bits ptxas may choose (add.f32 without .rn may be
/// contracted). It tracks, in units of 16 bits, which parts of a register hold
/// a defined value: the backend legally leaves lanes that nobody reads
/// undefined, so moves, lane-wise and bitwise instructions pass undefinedness
/// on, and any other use of an undefined part is an error, storing it included.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_LIB_PTXEMULATOR_H
#define POLY_TEST_LIB_PTXEMULATOR_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace polytest {

struct PtxInstruction; // PtxInstruction.h
struct PtxWgmma;

/// Global memory: buffers at disjoint addresses with unmapped space between.
class PtxMemory {
public:
  /// Maps a new buffer of \p size bytes whose content is undefined, and
  /// returns its address, a multiple of \p alignment (a power of two) and of
  /// no larger one, so that code relying on more alignment is found out.
  uint64_t allocate(size_t size, size_t alignment = 256);

  /// Copies from or to the host. Aborts on an unmapped range (a mistake of the
  /// test itself). Reading back bytes that nobody wrote gives \p filler.
  void write(uint64_t address, const void *data, size_t size);
  void read(uint64_t address, void *data, size_t size, uint8_t filler = 0xA5);
  /// True when every byte of the range was written.
  bool isWritten(uint64_t address, size_t size);

  /// Accesses by a kernel of 1, 2, 4 or 8 bytes; false with \p error set when
  /// unmapped or (load) never written.
  bool load(uint64_t address, unsigned bytes, uint64_t &value,
            std::string &error);
  bool store(uint64_t address, unsigned bytes, uint64_t value,
             std::string &error);

private:
  struct Buffer {
    uint64_t base = 0;
    std::vector<uint8_t> bytes;
    std::vector<bool> written;
  };
  Buffer *find(uint64_t address, size_t size);

  std::map<uint64_t, Buffer> buffers;
  Buffer *recent = nullptr;
  uint64_t nextBase = uint64_t(1) << 40;
};

struct PtxDim3 {
  unsigned x = 1, y = 1, z = 1;
};

/// The parameter space of a launch, filled in declaration order.
class PtxArguments {
public:
  /// Appends \p size bytes.
  PtxArguments &add(const void *data, size_t size);
  PtxArguments &addU64(uint64_t value) { return add(&value, sizeof value); }
  PtxArguments &addU32(uint32_t value) { return add(&value, sizeof value); }

  const std::vector<std::vector<uint8_t>> &values() const { return bytes; }

private:
  std::vector<std::vector<uint8_t>> bytes;
};

struct PtxParam {
  std::string name;
  size_t size = 0;
  size_t offset = 0; ///< In the kernel's parameter space.
};

class PtxKernel {
public:
  PtxKernel();
  PtxKernel(PtxKernel &&);
  PtxKernel &operator=(PtxKernel &&);
  ~PtxKernel();

  std::string name;
  std::vector<PtxParam> params;
  size_t paramBytes = 0;
  /// .reqntid, when present.
  bool hasRequiredBlock = false;
  PtxDim3 requiredBlock;
  std::vector<PtxInstruction> body;
  /// For messages: the names of the registers, which are numbered from 0.
  std::vector<std::string> registerNames;
  std::vector<PtxWgmma> wgmmas;
  /// Blocks of a cluster (.reqnctapercluster).
  PtxDim3 cluster;
  /// Something in it needs PtxBlock.h's launch.
  bool cooperative = false;
  /// Bytes of the .shared variables of known size.
  uint64_t staticShared = 0;
};

/// How much of PTX a module may use.
enum class PtxDialect {
  /// Elementwise kernels all of whose bits are fixed.
  Exact,
  /// Kernels whose threads work together, for PtxBlock.h. Instructions that
  /// ptxas may contract (add.f32 without .rn) round here, and division's and
  /// reciprocal's approximations are their nominal values: results of such
  /// kernels are compared with bounds, not in every bit.
  WholeKernels,
};

class PtxModule {
public:
  /// Parses and decodes the whole text; null with \p error set ("line N: ...")
  /// when something in it is not understood.
  static std::unique_ptr<PtxModule> parse(std::string_view text,
                                          std::string &error,
                                          PtxDialect = PtxDialect::Exact);

  const PtxKernel *kernel(std::string_view name) const;
  const std::vector<PtxKernel> &kernels() const { return kernelList; }
  /// "sm_90".
  std::string target;
  /// 81 for .version 8.1.
  unsigned version = 0;

private:
  friend class PtxParser;
  std::vector<PtxKernel> kernelList;
};

/// Runs a launch. False with \p error set ("line N: thread (x,y,z) of block
/// (x,y,z): ...") when a thread does something undefined.
bool ptxLaunch(const PtxKernel &kernel, PtxDim3 grid, PtxDim3 block,
               const PtxArguments &arguments, PtxMemory &memory,
               std::string &error);

} // namespace polytest

#endif // POLY_TEST_LIB_PTXEMULATOR_H
