//===- Interpreter.cpp - Evaluates bodies of one variable -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// IEEE arithmetic, one rounding an operation. Approximate instructions and
/// library functions give the correctly rounded result: what a body computes is
/// decided up to a few ulps, which is their error.
///
//===----------------------------------------------------------------------===//

#include "ValueGraph.h"

#include "poly/Program/Formats.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

namespace mlir::poly {

namespace {

using ::poly::Format;

double read(const GraphType &type, uint32_t bits) {
  return *type.format == Format::F32 ? llvm::bit_cast<float>(bits)
                                     : ::poly::decode(*type.format, bits);
}

/// Rounds once: the quotient, product or sum of 16-bit numbers is rounded
/// correctly through double, whose precision is more than twice theirs.
uint32_t write(const GraphType &type, double value) {
  return *type.format == Format::F32
             ? llvm::bit_cast<uint32_t>(static_cast<float>(value))
             : ::poly::encode(*type.format, value);
}

uint32_t flushed(const GraphType &type, uint32_t bits) {
  if (type.format != Format::F32)
    return bits;
  bool isSubnormal = (bits & 0x7f800000) == 0;
  return isSubnormal ? bits & 0x80000000 : bits;
}

double maximum(double a, double b, bool isNumber) {
  if (std::isnan(a) || std::isnan(b))
    return isNumber ? (std::isnan(a) ? b : a) : std::nan("");
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

/// a * b + c rounded to f32 towards -Inf.
float fmaDown(float a, float b, float c) {
  double product = static_cast<double>(a) * b; // Exact.
  double sum = product + c;
  if (!std::isfinite(sum))
    return static_cast<float>(sum);
  // Exact: sum + error is the true result (Knuth's two-sum).
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  auto rounded = static_cast<float>(sum);
  bool isAbove = rounded > sum || (rounded == sum && error < 0);
  return isAbove ? std::nextafter(rounded, -INFINITY) : rounded;
}

double applyFunction(GraphOp op, double x) {
  switch (op) {
  case GraphOp::Exp:
    return std::exp(x);
  case GraphOp::Exp2:
    return std::exp2(x);
  case GraphOp::Exp10:
    return std::pow(10, x);
  case GraphOp::ExpM1:
    return std::expm1(x);
  case GraphOp::Sinh:
    return std::sinh(x);
  case GraphOp::Cosh:
    return std::cosh(x);
  case GraphOp::Tanh:
    return std::tanh(x);
  case GraphOp::Erfc:
    return std::erfc(x);
  case GraphOp::NormCdf:
    return std::erfc(-x / llvm::numbers::sqrt2) / 2;
  case GraphOp::Log2:
    return std::log2(x);
  case GraphOp::Sqrt:
    return std::sqrt(x);
  case GraphOp::RoundEven:
    return std::nearbyint(x);
  case GraphOp::RoundUp:
    return std::ceil(x);
  case GraphOp::RoundDown:
    return std::floor(x);
  case GraphOp::RoundToZero:
    return std::trunc(x);
  default:
    return std::erf(x);
  }
}

/// One operation in the precision of \p T: float for f32, where double would
/// round twice, double for narrower formats.
template <typename T>
T applyArithmetic(GraphOp op, T a, T b, T c) {
  switch (op) {
  case GraphOp::Add:
    return a + b;
  case GraphOp::Sub:
    return a - b;
  case GraphOp::Mul:
    return a * b;
  case GraphOp::Div:
    return a / b;
  case GraphOp::Rcp:
    return 1 / a;
  default:
    return std::fma(a, b, c);
  }
}

bool compareFloats(uint8_t predicate, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return predicate & 8;
  return (a == b && (predicate & 1)) || (a > b && (predicate & 2)) ||
         (a < b && (predicate & 4));
}

/// \p from is the type of the first operand.
uint32_t applyNode(const GraphNode &node, const GraphType &from, uint32_t a,
                   uint32_t b, uint32_t c) {
  unsigned width = node.type.width;
  auto floats = [&](uint32_t bits) { return read(from, bits); };
  uint32_t sign = uint32_t(1) << (width - 1);
  switch (node.op) {
  case GraphOp::Leaf:
  case GraphOp::Const:
    return node.bits;
  case GraphOp::Add:
  case GraphOp::Sub:
  case GraphOp::Mul:
  case GraphOp::Div:
  case GraphOp::Rcp:
  case GraphOp::Fma:
  case GraphOp::FmaDown:
    if (node.type.format == Format::F32) {
      auto x = llvm::bit_cast<float>(a), y = llvm::bit_cast<float>(b),
           z = llvm::bit_cast<float>(c);
      return llvm::bit_cast<uint32_t>(node.op == GraphOp::FmaDown
                                          ? fmaDown(x, y, z)
                                          : applyArithmetic(node.op, x, y, z));
    }
    return write(node.type,
                 applyArithmetic(node.op, floats(a), floats(b), floats(c)));
  case GraphOp::Neg:
    return a ^ sign;
  case GraphOp::Abs:
    return a & ~sign;
  case GraphOp::CopySign:
    return (a & ~sign) | (b & sign);
  case GraphOp::Max:
    return write(node.type, maximum(floats(a), floats(b), node.isNumber));
  case GraphOp::Min:
    return write(node.type, -maximum(-floats(a), -floats(b), node.isNumber));
  case GraphOp::Saturate: {
    double x = floats(a);
    return write(node.type, x > 0 ? std::fmin(x, 1) : 0);
  }
  case GraphOp::Exp:
  case GraphOp::Exp2:
  case GraphOp::Exp10:
  case GraphOp::ExpM1:
  case GraphOp::Sinh:
  case GraphOp::Cosh:
  case GraphOp::Tanh:
  case GraphOp::Erf:
  case GraphOp::Erfc:
  case GraphOp::NormCdf:
  case GraphOp::Log2:
  case GraphOp::Sqrt:
  case GraphOp::RoundEven:
  case GraphOp::RoundUp:
  case GraphOp::RoundDown:
  case GraphOp::RoundToZero:
    return write(node.type, applyFunction(node.op, floats(a)));
  case GraphOp::Convert:
    return write(node.type, floats(a));
  case GraphOp::FCmp:
    return compareFloats(node.predicate, floats(a), floats(b));
  case GraphOp::ICmp:
    return arith::applyCmpPredicate(
        static_cast<arith::CmpIPredicate>(node.predicate), APInt(from.width, a),
        APInt(from.width, b));
  case GraphOp::Select:
    return a ? b : c;
  case GraphOp::IAdd:
    return a + b;
  case GraphOp::ISub:
    return a - b;
  case GraphOp::IMul:
    return a * b;
  case GraphOp::And:
    return a & b;
  case GraphOp::Or:
    return a | b;
  case GraphOp::Xor:
    return a ^ b;
  case GraphOp::Shl:
    return b < width ? a << b : 0;
  case GraphOp::LShr:
    return b < width ? a >> b : 0;
  case GraphOp::AShr:
    return static_cast<uint32_t>(llvm::SignExtend32(a, width) >>
                                 std::min<uint32_t>(b, width - 1));
  case GraphOp::SExt:
    return static_cast<uint32_t>(llvm::SignExtend32(a, from.width));
  case GraphOp::ToInteger: {
    // Out of range, the source says nothing; PTX gives the nearest.
    double x = floats(a), limit = std::ldexp(1.0, int(width) - 1);
    return std::isnan(x) ? 0
                         : static_cast<uint32_t>(static_cast<int64_t>(
                               std::clamp(x, -limit, limit - 1)));
  }
  case GraphOp::FromInteger:
    return write(node.type,
                 static_cast<double>(llvm::SignExtend32(a, from.width)));
  case GraphOp::ZExt:
  case GraphOp::Trunc:
  case GraphOp::Bitcast:
    return a;
  }
  return 0;
}

} // namespace

std::vector<uint32_t> evaluate(const UnaryBody &body,
                               ArrayRef<uint32_t> arguments) {
  // Columns of a few thousand stay in the cache.
  const size_t kBlock = std::min<size_t>(1024, arguments.size());
  std::vector<std::vector<uint32_t>> columns(body.nodes.size(),
                                             std::vector<uint32_t>(kBlock));
  std::vector<uint32_t> results;
  results.reserve(arguments.size());
  for (size_t start = 0; start < arguments.size(); start += kBlock) {
    size_t count = std::min(kBlock, arguments.size() - start);
    std::copy_n(arguments.begin() + start, count, columns[0].begin());
    for (size_t id = 1; id < body.nodes.size(); ++id) {
      const GraphNode &node = body.nodes[id];
      const GraphNode &first = body.nodes[node.operands[0]];
      const uint32_t *a = columns[node.operands[0]].data();
      const uint32_t *b = columns[node.operands[1]].data();
      const uint32_t *c = columns[node.operands[2]].data();
      uint32_t mask = node.type.mask();
      for (size_t i = 0; i < count; ++i) {
        uint32_t bits =
            node.flush
                ? flushed(node.type,
                          applyNode(node, first.type, flushed(first.type, a[i]),
                                    flushed(first.type, b[i]),
                                    flushed(first.type, c[i])))
                : applyNode(node, first.type, a[i], b[i], c[i]);
        columns[id][i] = bits & mask;
      }
    }
    results.insert(results.end(), columns.back().begin(),
                   columns.back().begin() + count);
  }
  return results;
}

} // namespace mlir::poly
