//===- Expression.h - Functions given as formulas ---------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Real functions of x written as formulas: + - * / ^ (to the right), brackets,
/// numbers, pi, e, and the functions of functionNames().
///
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_EXPRESSION_H
#define POLY_PROGRAM_EXPRESSION_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace poly {

class Expression {
public:
  /// Parses \p text. On a mistake returns false with a message that names the
  /// position, counted from 1.
  static bool parse(std::string_view text, Expression &expression,
                    std::string &error);

  /// The value at \p x in double; NaN outside the functions' domains.
  double operator()(double x) const;

  /// "abs, acos, ...".
  static std::string functionNames();

private:
  friend class ExpressionParser;
  /// An operation on a stack.
  struct Code {
    enum Kind : uint8_t {
      Number,
      Variable,
      Add,
      Sub,
      Mul,
      Div,
      Power,
      Negate,
      Unary,
      Binary
    } kind;
    double number = 0;
    unsigned function = 0; ///< Index in the table of functions.
  };
  std::vector<Code> codes;
  unsigned depth = 0;
};

} // namespace poly

#endif // POLY_PROGRAM_EXPRESSION_H
