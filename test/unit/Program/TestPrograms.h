//===- TestPrograms.h - Small Programs for tests ----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_UNIT_PROGRAM_TESTPROGRAMS_H
#define POLY_TEST_UNIT_PROGRAM_TESTPROGRAMS_H

#include "poly/Program/Program.h"

#include "gtest/gtest.h"

#include <functional>

namespace poly {

inline ProgramInfo named(std::string name) {
  ProgramInfo info;
  info.name = std::move(name);
  return info;
}

/// A program with inputs of the given types and the node that \p build makes.
inline Program
programOf(std::initializer_list<Type> inputs,
          const std::function<NodeId(ProgramBuilder &, const NodeId *)> &build,
          ProgramInfo info = named("test")) {
  ProgramBuilder b(std::move(info));
  std::vector<NodeId> ids;
  for (Type type : inputs)
    ids.push_back(b.input(type));
  Program program = b.finish(build(b, ids.data()));
  EXPECT_TRUE(b.ok()) << b.errorMessage();
  return program;
}

/// One instruction whose operands all are inputs of one type.
inline Program single(Op op, Type type, unsigned operands) {
  if (operands == 1)
    return programOf({type}, [=](ProgramBuilder &b, const NodeId *in) {
      return b.unary(op, in[0]);
    });
  if (operands == 2)
    return programOf({type, type}, [=](ProgramBuilder &b, const NodeId *in) {
      return b.binary(op, in[0], in[1]);
    });
  return programOf({type, type, type},
                   [=](ProgramBuilder &b, const NodeId *in) {
                     return b.ternary(op, in[0], in[1], in[2]);
                   });
}

/// The sigmoid of degree 3 on the half domain, with coefficients made up for
/// tests: y = clamp(x, -L, L), fma.relu(y, q(|y|), 1/2).
inline Program halfSigmoid(Type type, bool fromF32 = false) {
  ProgramInfo info = named("sigmoid-test");
  info.function = Function::Sigmoid;
  info.form = "half3";
  info.from = fromF32 ? Format::F32 : elementFormat(type);
  info.to = elementFormat(type);
  info.lanes = 2;
  info.roundsInput = fromF32;
  ProgramBuilder b(info);
  NodeId x;
  if (fromF32) {
    NodeId lo = b.input(Type::F32), hi = b.input(Type::F32);
    x = b.cvtPack(type, lo, hi);
  } else {
    x = b.input(type);
  }
  // One node a statement: the order of arguments is the compiler's choice.
  NodeId limit = b.constant(type, 5.0);
  NodeId y = b.binary(Op::MinNaNXorSignAbs, x, limit);
  NodeId t = b.abs(y);
  NodeId c2 = b.constant(type, 0.0045), c1 = b.constant(type, -0.0595);
  NodeId q = b.fma(c2, t, c1);
  NodeId c0 = b.constant(type, 0.2852);
  q = b.fma(q, t, c0);
  NodeId half = b.constant(type, 0.5);
  Program program = b.finish(b.ternary(Op::FmaRelu, q, y, half));
  EXPECT_TRUE(b.ok()) << b.errorMessage();
  return program;
}

} // namespace poly

#endif // POLY_TEST_UNIT_PROGRAM_TESTPROGRAMS_H
