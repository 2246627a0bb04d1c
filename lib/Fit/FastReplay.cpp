//===- FastReplay.cpp - Replay for a search -------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FastReplay.h"

#include "poly/Program/Formats.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace poly;
using namespace poly::fit::detail;

// The loops below are simple enough for the compiler's vectoriser. Where the
// dynamic linker can pick, a version with 256-bit vectors exists beside the
// portable one; neither has fused multiply-adds, so both give the same numbers.
#if defined(__x86_64__) && defined(__ELF__) &&                                 \
    (defined(__GNUC__) || defined(__clang__)) &&                               \
    !defined(__SANITIZE_ADDRESS__) && !defined(POLY_NO_TARGET_CLONES)
#define POLY_VECTOR __attribute__((target_clones("avx2", "default")))
#else
#define POLY_VECTOR
#endif

namespace {

inline uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline double doubleOf(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// To \p Kept fraction bits, to nearest even.
template <int Kept>
inline double roundFraction(double value) {
  constexpr int drop = 52 - Kept;
  uint64_t bits = bitsOf(value);
  bits += ((uint64_t(1) << (drop - 1)) - 1) + ((bits >> drop) & 1);
  return doubleOf(bits & ~((uint64_t(1) << drop) - 1));
}

inline double toBF16(double value) { return roundFraction<7>(value); }

inline double toF16(double value) {
  // Adding the double whose spacing is that of the subnormals rounds to it.
  constexpr double magic = 0x1.8p28;
  double subnormal = (value + magic) - magic;
  double normal = roundFraction<10>(value);
  return std::fabs(value) < 0x1p-14 ? subnormal : normal;
}

inline double toF32(double value) { return double(float(value)); }

using Row = double *__restrict;
using ConstRow = const double *__restrict;

#define POLY_LOOPS(NAME, EXPRESSION)                                           \
  POLY_VECTOR void NAME##BF16(size_t n, Row out, ConstRow a, ConstRow b,       \
                              ConstRow c) {                                    \
    (void)b, (void)c;                                                          \
    for (size_t i = 0; i < n; ++i)                                             \
      out[i] = toBF16(EXPRESSION);                                             \
  }                                                                            \
  POLY_VECTOR void NAME##F16(size_t n, Row out, ConstRow a, ConstRow b,        \
                             ConstRow c) {                                     \
    (void)b, (void)c;                                                          \
    for (size_t i = 0; i < n; ++i)                                             \
      out[i] = toF16(EXPRESSION);                                              \
  }                                                                            \
  POLY_VECTOR void NAME##F32(size_t n, Row out, ConstRow a, ConstRow b,        \
                             ConstRow c) {                                     \
    (void)b, (void)c;                                                          \
    for (size_t i = 0; i < n; ++i)                                             \
      out[i] = toF32(EXPRESSION);                                              \
  }

POLY_LOOPS(fma, a[i] * b[i] + c[i])
POLY_LOOPS(mul, a[i] * b[i])
POLY_LOOPS(add, a[i] + b[i])
POLY_LOOPS(sub, a[i] - b[i])
POLY_LOOPS(round, a[i])

#define POLY_EXACT(NAME, EXPRESSION)                                           \
  POLY_VECTOR void NAME(size_t n, Row out, ConstRow a, ConstRow b,             \
                        ConstRow c) {                                          \
    (void)b, (void)c;                                                          \
    for (size_t i = 0; i < n; ++i)                                             \
      out[i] = EXPRESSION;                                                     \
  }

POLY_EXACT(fmaExact, a[i] * b[i] + c[i])
POLY_EXACT(mulExact, a[i] * b[i])
POLY_EXACT(addExact, a[i] + b[i])
POLY_EXACT(subExact, a[i] - b[i])
POLY_EXACT(copyExact, a[i])
POLY_EXACT(absolute, std::fabs(a[i]))
POLY_EXACT(negate, -a[i])
POLY_EXACT(least, a[i] < b[i] ? a[i] : b[i])
POLY_EXACT(greatest, a[i] > b[i] ? a[i] : b[i])
POLY_EXACT(greaterEqual, a[i] >= b[i] ? 1.0 : 0.0)
POLY_EXACT(choose, a[i] != 0 ? b[i] : c[i])
POLY_EXACT(leastXorSign,
           doubleOf(bitsOf(std::fabs(a[i]) < std::fabs(b[i])
                               ? std::fabs(a[i])
                               : std::fabs(b[i])) |
                    ((bitsOf(a[i]) ^ bitsOf(b[i])) & (uint64_t(1) << 63))))
/// Of a result that is rounded already.
POLY_VECTOR void relu(size_t n, Row out) {
  for (size_t i = 0; i < n; ++i)
    out[i] = out[i] > 0 ? out[i] : 0;
}

#undef POLY_LOOPS
#undef POLY_EXACT

constexpr uint32_t kSelectTable = (0xf0 & 0xcc) | (0x0f & 0xaa);

} // namespace

FastReplay::FastReplay(const Program &program) {
  const std::vector<Node> &nodes = program.nodes();
  values.resize(nodes.size() * kBlock);
  // A bitcast is its operand's row.
  std::vector<uint16_t> rows(nodes.size());
  for (size_t id = 0; id < nodes.size(); ++id) {
    const Node &node = nodes[id];
    rows[id] = uint16_t(id);
    auto operand = [&](unsigned i) { return rows[node.operands[i]]; };
    switch (node.op) {
    case Op::Input:
      inputRows.push_back(rows[id]);
      continue;
    case Op::Const: {
      if (node.type != Type::F32 && !isPacked(node.type)) {
        supported = false;
        continue;
      }
      Format format = elementFormat(node.type);
      double value =
          decode(format, format == Format::F32 ? node.imm : node.imm & 0xffffu);
      auto slot = std::find_if(slots.begin(), slots.end(), [&](const Slot &s) {
        return s.value == std::fabs(value);
      });
      if (slot == slots.end())
        slot = slots.insert(slots.end(), {std::fabs(value), {}});
      slot->rows.emplace_back(rows[id], std::signbit(value) ? -1.0 : 1.0);
      std::fill_n(row(id), kBlock, value);
      continue;
    }
    case Op::Bitcast:
      rows[id] = operand(0);
      continue;
    case Op::Lop3:
      supported &= node.imm == kSelectTable;
      break;
    case Op::Fma:
    case Op::FmaRelu:
    case Op::Mul:
    case Op::Add:
    case Op::Sub:
    case Op::Neg:
    case Op::Abs:
    case Op::Min:
    case Op::Max:
    case Op::MinNaN:
    case Op::MaxNaN:
    case Op::MinNaNXorSignAbs:
    case Op::CvtPack:
    case Op::UnpackLo:
    case Op::UnpackHi:
    case Op::SetGe:
    case Op::SetpGe:
    case Op::Selp:
      break;
    default:
      supported = false;
      continue;
    }
    // Both lanes hold the same value.
    Format format = node.type == Type::F32 || isPacked(node.type)
                        ? elementFormat(node.type)
                        : Format::F32;
    steps.push_back({node.op, format, rows[id], operand(0),
                     operand(node.numOperands > 1 ? 1 : 0),
                     operand(node.numOperands > 2 ? 2 : 0)});
  }
  for (NodeId id : program.results())
    resultRows.push_back(rows[id]);
}

int FastReplay::findConstant(double value) const {
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].value == std::fabs(value))
      return int(i);
  return -1;
}

void FastReplay::setConstant(int slot, double value) {
  for (auto [index, sign] : slots[size_t(slot)].rows)
    std::fill_n(row(index), kBlock, sign * value);
}

void FastReplay::run(const double *x, size_t count) {
  for (uint16_t input : inputRows)
    std::copy_n(x, count, row(input));
  for (const Step &step : steps) {
    double *out = row(step.out);
    const double *a = row(step.a), *b = row(step.b), *c = row(step.c);
    using Loop = void (*)(size_t, Row, ConstRow, ConstRow, ConstRow);
    auto rounded = [&](Loop bf16, Loop f16, Loop f32, Loop exact) {
      Loop loop = !rounding                     ? exact
                  : step.format == Format::BF16 ? bf16
                  : step.format == Format::F16  ? f16
                                                : f32;
      loop(count, out, a, b, c);
    };
    switch (step.op) {
    case Op::Fma:
    case Op::FmaRelu:
      rounded(fmaBF16, fmaF16, fmaF32, fmaExact);
      if (step.op == Op::FmaRelu)
        relu(count, out);
      break;
    case Op::Mul:
      rounded(mulBF16, mulF16, mulF32, mulExact);
      break;
    case Op::Add:
      rounded(addBF16, addF16, addF32, addExact);
      break;
    case Op::Sub:
      rounded(subBF16, subF16, subF32, subExact);
      break;
    case Op::CvtPack:
      rounded(roundBF16, roundF16, roundF32, copyExact);
      break;
    case Op::UnpackLo:
    case Op::UnpackHi:
      std::copy_n(a, count, out);
      break;
    case Op::Neg:
      negate(count, out, a, b, c);
      break;
    case Op::Abs:
      absolute(count, out, a, b, c);
      break;
    case Op::Min:
    case Op::MinNaN:
      least(count, out, a, b, c);
      break;
    case Op::Max:
    case Op::MaxNaN:
      greatest(count, out, a, b, c);
      break;
    case Op::MinNaNXorSignAbs:
      leastXorSign(count, out, a, b, c);
      break;
    case Op::SetGe:
    case Op::SetpGe:
      greaterEqual(count, out, a, b, c);
      break;
    case Op::Lop3:
    case Op::Selp:
      choose(count, out, a, b, c);
      break;
    default:
      break;
    }
  }
}
