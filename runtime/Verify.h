//===- Verify.h - Kernels against expected bits ----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs elementwise kernels on given inputs and compares the result with
/// expected bit patterns. A manifest lists the runs:
///
///   {"chip": "sm_90", "entries": [{
///     "program": "silu-half3-bf16x2", "kernel": "run", "file": "a.cubin",
///     "from": "bf16", "to": "bf16", "chunk": 2, "sfuModel": false,
///     "inputs": "a.in.bin", "expected": "a.out.bin", "counts": [65536]}]}
///
/// Files are relative to the manifest. The .bin files hold one little-endian
/// 32-bit word an element: f32 bits, or a 16- or 8-bit pattern in the low bits.
/// A thread of the kernel does `chunk` elements. The kernel runs once for each
/// of `counts` on that many leading elements.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_RUNTIME_VERIFY_H
#define POLY_RUNTIME_VERIFY_H

#include "Device.h"
#include "Json.h"

#include <optional>

namespace poly::runtime {

enum class ElementFormat { F32, BF16, F16, E4M3, E5M2 };

/// Bytes of an element.
inline unsigned byteWidth(ElementFormat format) {
  switch (format) {
  case ElementFormat::F32:
    return 4;
  case ElementFormat::BF16:
  case ElementFormat::F16:
    return 2;
  default:
    return 1;
  }
}

struct ManifestEntry {
  std::string program;
  std::string kernel;
  std::string file;
  ElementFormat from = ElementFormat::F32;
  ElementFormat to = ElementFormat::F32;
  unsigned chunk = 1;
  /// The program has special-function nodes: expected bits are a model's, and
  /// differences are reported but are no failure.
  bool sfuModel = false;
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> expected;
  std::vector<size_t> counts;
  std::string image; ///< Content of `file`.
};

struct Manifest {
  std::string chip;
  std::vector<ManifestEntry> entries;
};

/// Reads a manifest and all files it names; checks everything that can be
/// checked without a GPU. Throws std::runtime_error with the file's name.
Manifest readManifest(const std::string &path);

struct Mismatch {
  uint32_t input, expected, actual;
};

struct VerifyResult {
  size_t compared = 0;
  size_t mismatches = 0;
  /// Largest distance in units of the last place, counted in representable
  /// values; a NaN against a number counts as the largest integer.
  uint64_t maxUlp = 0;
  std::optional<Mismatch> first;
  /// The kernel wrote past the elements it was told to write.
  bool wroteOutside = false;

  bool ok(bool sfuModel) const {
    return !wroteOutside && (sfuModel || mismatches == 0);
  }
};

/// Steps between two bit patterns of \p format; 0 for equal patterns, 1 for
/// neighbours. +0 and -0 are neighbours.
uint64_t ulpDistance(ElementFormat format, uint32_t a, uint32_t b);

/// Runs \p entry; needs a Context.
VerifyResult verify(const ManifestEntry &entry);

/// A row of the result file.
Json toJson(const ManifestEntry &entry, const VerifyResult &result);

} // namespace poly::runtime

#endif // POLY_RUNTIME_VERIFY_H
