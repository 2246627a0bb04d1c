//===- Replay.h - Bit-exact CPU evaluation of Programs ---------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_REPLAY_H
#define POLY_PROGRAM_REPLAY_H

#include "poly/Program/Program.h"
#include "poly/Program/SfuModel.h"

#include <cstddef>

namespace poly {

/// Runs \p program on raw 32-bit registers, bit for bit as the GPU would.
/// \p args has one register per entry of program.inputs().
uint32_t replay(const Program &program, const uint32_t *args);
/// The same for all of program.results().
void replay(const Program &program, const uint32_t *args, uint32_t *results);

/// Evaluates \p count elements: lane packing is done here. \p in and \p out
/// hold one element per 32-bit word in the program's own formats: f32 bits, or
/// 16-bit patterns in the low half. With a \p deviation, results of the special
/// function unit are moved by their bound.
void replayElements(const Program &program, const uint32_t *in, uint32_t *out,
                    size_t count, const sfu::Deviation &deviation = {});

/// One element through lane 0.
uint32_t replayElement(const Program &program, uint32_t bits);

} // namespace poly

#endif // POLY_PROGRAM_REPLAY_H
