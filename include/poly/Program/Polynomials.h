//===- Polynomials.h - The polynomials that ship ----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The specs behind shipped programs, for tools that make programs from them.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_POLYNOMIALS_H
#define POLY_PROGRAM_POLYNOMIALS_H

#include "poly/Program/Schemes.h"

#include <vector>

namespace poly {

/// The polynomials of one result that ship for \p function: Sigmoid, Tanh,
/// Silu, GeluErf or GeluTanh. None for other functions.
std::vector<PolynomialSpec> shippedPolynomials(Function function);

} // namespace poly

#endif // POLY_PROGRAM_POLYNOMIALS_H
