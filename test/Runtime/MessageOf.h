//===- MessageOf.h - Messages of thrown errors ------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_RUNTIME_MESSAGEOF_H
#define POLY_TEST_RUNTIME_MESSAGEOF_H

#include <exception>
#include <string>

/// What \p action throws, or "no error".
template <typename Action>
std::string messageOf(Action action) {
  try {
    action();
  } catch (const std::exception &error) {
    return error.what();
  }
  return "no error";
}

#endif // POLY_TEST_RUNTIME_MESSAGEOF_H
