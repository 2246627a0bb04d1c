//===- Names.h - Names of instruction classes -------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TARGET_NAMES_H
#define POLY_TARGET_NAMES_H

#include "poly/Target/Target.h"

#include <optional>

namespace poly {

/// "F32Fma": the name of the enumerator.
std::string_view name(InstrClass instrClass);
/// The class of that name, or nothing.
std::optional<InstrClass> parseInstrClass(std::string_view text);

} // namespace poly

#endif // POLY_TARGET_NAMES_H
