//===- Replay.cpp - Bit-exact CPU evaluation of Programs ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Replay.h"

#include "FormatsImpl.h"
#include "poly/Program/Formats.h"
#include "poly/Program/SfuModel.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>

using namespace poly;
using namespace poly::detail;

namespace {

/// Evaluations done side by side. A node runs over the whole block, so that its
/// dispatch is paid once and the loops are long enough for the CPU's pipeline.
constexpr size_t kBlock = 64;
/// Elements that one evaluation may take.
constexpr size_t kMaxLanes = 4;
/// Programs up to this size keep their registers on the stack.
constexpr size_t kStackNodes = 48;

using Block = uint32_t[kBlock];

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

uint32_t fmaF32(uint32_t a, uint32_t b, uint32_t c) {
  return fromFloat(std::fmaf(asFloat(a), asFloat(b), asFloat(c)));
}

/// Orders the bit patterns of numbers by value with -0 below +0.
int32_t orderKey32(uint32_t bits) {
  return int32_t(bits) < 0 ? int32_t(bits ^ 0x7fffffffu) : int32_t(bits);
}

/// .sat: NaN becomes +0, and so do negative numbers and -0.
uint32_t saturate32(uint32_t bits) {
  if (isNaN32(bits) || (bits >> 31))
    return 0;
  return std::min(bits, 0x3f800000u);
}

//===----------------------------------------------------------------------===//
// One 16-bit lane
//===----------------------------------------------------------------------===//

template <typename Layout>
bool isNaN16(uint32_t bits) {
  return (bits & 0x7fffu) > Layout::infinity;
}

int32_t orderKey16(uint32_t bits) {
  return (bits & 0x8000u) ? -int32_t(bits & 0x7fffu) - 1
                          : int32_t(bits & 0x7fffu);
}

/// .relu: a NaN stays, negative numbers and -0 become +0.
template <typename Layout>
uint32_t fmaRelu16(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t result = fma16<Layout>(a, b, c);
  return (result & 0x8000u) ? 0 : result;
}

template <typename Layout>
uint32_t fmaSat16(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t result = fma16<Layout>(a, b, c);
  if (isNaN16<Layout>(result) || (result & 0x8000u))
    return 0;
  return std::min(result, uint32_t(Layout::bias) << Layout::mantissaBits);
}

// The product of two 16-bit numbers is exact in double.
template <typename Layout>
uint32_t mul16(uint32_t a, uint32_t b) {
  return encode16<Layout>(decode16<Layout>(a) * decode16<Layout>(b));
}

// A bf16 sum can span more bits than double holds, so that it takes the two-sum
// of fma; one is exactly representable.
template <typename Layout>
uint32_t add16(uint32_t a, uint32_t b) {
  return fma16<Layout>(a, uint32_t(Layout::bias) << Layout::mantissaBits, b);
}

template <typename Layout, bool Max>
uint32_t minMaxNaN16(uint32_t a, uint32_t b) {
  if (isNaN16<Layout>(a) || isNaN16<Layout>(b))
    return kCanonicalNaN16;
  return (orderKey16(a) < orderKey16(b)) != Max ? a : b;
}

template <typename Layout, bool Max>
uint32_t minMax16(uint32_t a, uint32_t b) {
  if (isNaN16<Layout>(a))
    return isNaN16<Layout>(b) ? kCanonicalNaN16 : b;
  if (isNaN16<Layout>(b))
    return a;
  return (orderKey16(a) < orderKey16(b)) != Max ? a : b;
}

template <typename Layout>
uint32_t minNaNXorSignAbs16(uint32_t a, uint32_t b) {
  if (isNaN16<Layout>(a) || isNaN16<Layout>(b))
    return kCanonicalNaN16;
  return std::min(a & 0x7fffu, b & 0x7fffu) | ((a ^ b) & 0x8000u);
}

template <typename Layout>
uint32_t setGe16(uint32_t a, uint32_t b) {
  // Decoding makes -0 and +0 equal and any comparison with NaN false.
  return decode16<Layout>(a) >= decode16<Layout>(b) ? 0xffffu : 0;
}

//===----------------------------------------------------------------------===//
// Loops over a block
//===----------------------------------------------------------------------===//

template <typename Fn>
void map1(size_t n, uint32_t *out, const uint32_t *a, Fn fn) {
  for (size_t i = 0; i < n; ++i)
    out[i] = fn(a[i]);
}

template <typename Fn>
void map2(size_t n, uint32_t *out, const uint32_t *a, const uint32_t *b,
          Fn fn) {
  for (size_t i = 0; i < n; ++i)
    out[i] = fn(a[i], b[i]);
}

template <typename Fn>
void map3(size_t n, uint32_t *out, const uint32_t *a, const uint32_t *b,
          const uint32_t *c, Fn fn) {
  for (size_t i = 0; i < n; ++i)
    out[i] = fn(a[i], b[i], c[i]);
}

/// Applies a function of 16-bit lanes to both halves of registers.
template <typename Fn>
auto lanes1(Fn fn) {
  return [fn](uint32_t a) {
    return uint32_t(fn(a & 0xffffu)) | uint32_t(fn(a >> 16)) << 16;
  };
}
template <typename Fn>
auto lanes2(Fn fn) {
  return [fn](uint32_t a, uint32_t b) {
    return fn(a & 0xffffu, b & 0xffffu) | fn(a >> 16, b >> 16) << 16;
  };
}
template <typename Fn>
auto lanes3(Fn fn) {
  return [fn](uint32_t a, uint32_t b, uint32_t c) {
    return fn(a & 0xffffu, b & 0xffffu, c & 0xffffu) |
           fn(a >> 16, b >> 16, c >> 16) << 16;
  };
}

/// Bit i of the result is bit 4 a_i + 2 b_i + c_i of the table.
uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (unsigned minterm = 0; minterm < 8; ++minterm)
    if ((table >> minterm) & 1)
      result |= ((minterm & 4) ? a : ~a) & ((minterm & 2) ? b : ~b) &
                ((minterm & 1) ? c : ~c);
  return result;
}

/// a + b rounded down: the nearest sum, moved when the exact rest is below it.
/// An exact zero of opposite signs is -0 in this rounding.
uint32_t addRm32(uint32_t a, uint32_t b) {
  float x = asFloat(a), y = asFloat(b), sum = x + y;
  if (!std::isfinite(sum)) {
    // An infinity that no operand is came from rounding up.
    if (std::isinf(sum) && sum > 0 && std::isfinite(x) && std::isfinite(y))
      return 0x7f7fffffu;
    return fromFloat(sum);
  }
  if (sum == 0)
    return (a >> 31) != (b >> 31) ? 0x80000000u : fromFloat(sum);
  // The rounding error of a sum is a float: subtracting the larger operand
  // first makes both steps exact.
  float big = std::fabs(x) < std::fabs(y) ? y : x;
  float small = std::fabs(x) < std::fabs(y) ? x : y;
  if (!(small - (sum - big) < 0))
    return fromFloat(sum);
  return fromFloat(std::nextafterf(sum, -INFINITY));
}

/// Bytes of the pair b:a.
uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned index = (selector >> (4 * i)) & 7;
    result |= uint32_t((bytes >> (8 * index)) & 0xff) << (8 * i);
  }
  return result;
}

struct Operands {
  const uint32_t *a, *b, *c;
};

void evaluateF32(const Node &node, size_t n, uint32_t *out, Operands v) {
  switch (node.op) {
  case Op::Fma:
    return map3(n, out, v.a, v.b, v.c, fmaF32);
  case Op::FmaSat:
    return map3(n, out, v.a, v.b, v.c, [](uint32_t a, uint32_t b, uint32_t c) {
      return saturate32(fmaF32(a, b, c));
    });
  case Op::Mul:
    return map2(n, out, v.a, v.b, [](uint32_t a, uint32_t b) {
      return fromFloat(asFloat(a) * asFloat(b));
    });
  case Op::Add:
    return map2(n, out, v.a, v.b, [](uint32_t a, uint32_t b) {
      return fromFloat(asFloat(a) + asFloat(b));
    });
  case Op::Sub:
    return map2(n, out, v.a, v.b, [](uint32_t a, uint32_t b) {
      return fromFloat(asFloat(a) - asFloat(b));
    });
  case Op::AddRm:
    return map2(n, out, v.a, v.b, addRm32);
  case Op::Floor:
    return map1(n, out, v.a,
                [](uint32_t a) { return fromFloat(std::floor(asFloat(a))); });
  case Op::Neg:
    return map1(n, out, v.a, [](uint32_t a) {
      return isNaN32(a) ? kCanonicalNaN32 : a ^ 0x80000000u;
    });
  case Op::Abs:
    return map1(n, out, v.a, [](uint32_t a) {
      return isNaN32(a) ? kCanonicalNaN32 : a & 0x7fffffffu;
    });
  case Op::Min:
  case Op::Max:
  case Op::MinNaN:
  case Op::MaxNaN: {
    bool max = node.op == Op::Max || node.op == Op::MaxNaN;
    bool propagate = node.op == Op::MinNaN || node.op == Op::MaxNaN;
    return map2(n, out, v.a, v.b, [=](uint32_t a, uint32_t b) {
      bool nanA = isNaN32(a), nanB = isNaN32(b);
      if ((nanA && nanB) || (propagate && (nanA || nanB)))
        return kCanonicalNaN32;
      if (nanA || nanB)
        return nanA ? b : a;
      return (orderKey32(a) < orderKey32(b)) != max ? a : b;
    });
  }
  case Op::Ex2Approx:
    return map1(n, out, v.a, [](uint32_t a) { return sfu::ex2F32(a, false); });
  case Op::Ex2ApproxFtz:
    return map1(n, out, v.a, [](uint32_t a) { return sfu::ex2F32(a, true); });
  case Op::RcpApprox:
    return map1(n, out, v.a, [](uint32_t a) { return sfu::rcpF32(a, false); });
  case Op::RcpApproxFtz:
    return map1(n, out, v.a, [](uint32_t a) { return sfu::rcpF32(a, true); });
  case Op::SinApprox:
    return map1(n, out, v.a, [](uint32_t a) { return sfu::sinF32(a); });
  case Op::CosApprox:
    return map1(n, out, v.a, [](uint32_t a) { return sfu::cosF32(a); });
  case Op::TanhApprox:
    return map1(n, out, v.a, [](uint32_t a) { return sfu::tanhF32(a); });
  default:
    assert(false && "not an f32 operation");
  }
}

template <typename Layout>
void evaluatePacked(const Node &node, size_t n, uint32_t *out, Operands v) {
  constexpr bool isBF16 = Layout::mantissaBits == BF16::mantissaBits;
  switch (node.op) {
  case Op::Fma:
    return map3(n, out, v.a, v.b, v.c, lanes3(fma16<Layout>));
  case Op::FmaRelu:
    return map3(n, out, v.a, v.b, v.c, lanes3(fmaRelu16<Layout>));
  case Op::FmaSat:
    return map3(n, out, v.a, v.b, v.c, lanes3(fmaSat16<Layout>));
  case Op::Mul:
    return map2(n, out, v.a, v.b, lanes2(mul16<Layout>));
  case Op::Add:
    return map2(n, out, v.a, v.b, lanes2(add16<Layout>));
  case Op::Sub:
    return map2(n, out, v.a, v.b, lanes2([](uint32_t a, uint32_t b) {
                  return add16<Layout>(a, b ^ 0x8000u);
                }));
  case Op::Neg:
    return map1(n, out, v.a, lanes1([](uint32_t a) {
                  return isNaN16<Layout>(a) ? kCanonicalNaN16 : a ^ 0x8000u;
                }));
  case Op::Abs:
    return map1(n, out, v.a, lanes1([](uint32_t a) {
                  return isNaN16<Layout>(a) ? kCanonicalNaN16 : a & 0x7fffu;
                }));
  case Op::Min:
    return map2(n, out, v.a, v.b, lanes2(minMax16<Layout, false>));
  case Op::Max:
    return map2(n, out, v.a, v.b, lanes2(minMax16<Layout, true>));
  case Op::MinNaN:
    return map2(n, out, v.a, v.b, lanes2(minMaxNaN16<Layout, false>));
  case Op::MaxNaN:
    return map2(n, out, v.a, v.b, lanes2(minMaxNaN16<Layout, true>));
  case Op::MinNaNXorSignAbs:
    return map2(n, out, v.a, v.b, lanes2(minNaNXorSignAbs16<Layout>));
  case Op::Ex2Approx:
    return map1(n, out, v.a, lanes1(isBF16 ? sfu::ex2BF16 : sfu::ex2F16));
  case Op::TanhApprox:
    return map1(n, out, v.a, lanes1(isBF16 ? sfu::tanhBF16 : sfu::tanhF16));
  case Op::CvtPack:
    return map2(n, out, v.a, v.b, [](uint32_t lo, uint32_t hi) {
      return encode16<Layout>(asFloat(lo)) | encode16<Layout>(asFloat(hi))
                                                 << 16;
    });
  default:
    assert(false && "not a packed operation");
  }
}

void unpack(Type from, unsigned lane, size_t n, uint32_t *out,
            const uint32_t *a) {
  unsigned shift = lane * 16;
  if (from == Type::BF16x2) // A shift: NaN payloads stay.
    return map1(n, out, a, [=](uint32_t v) { return v >> shift << 16; });
  map1(n, out, a, [=](uint32_t v) {
    return fromFloat(static_cast<float>(decode16<F16>((v >> shift) & 0xffffu)));
  });
}

void evaluate(const Node &node, size_t n, uint32_t *out, Operands v) {
  uint32_t imm = node.imm;
  switch (node.op) {
  case Op::Input:
  case Op::Const:
    assert(false && "inputs and constants are filled in by run()");
    return;
  case Op::Bitcast:
    return map1(n, out, v.a, [](uint32_t a) { return a; });
  case Op::UnpackLo:
  case Op::UnpackHi:
    return unpack(static_cast<Type>(imm), node.op == Op::UnpackHi, n, out, v.a);
  case Op::Lop3:
    return map3(n, out, v.a, v.b, v.c, [=](uint32_t a, uint32_t b, uint32_t c) {
      return lop3(a, b, c, imm);
    });
  case Op::Shl:
    return map1(n, out, v.a, [=](uint32_t a) { return a << imm; });
  case Op::Shr:
    return map1(n, out, v.a, [=](uint32_t a) { return a >> imm; });
  case Op::IAdd:
    return map2(n, out, v.a, v.b, [](uint32_t a, uint32_t b) { return a + b; });
  case Op::IMad:
    return map3(n, out, v.a, v.b, v.c,
                [](uint32_t a, uint32_t b, uint32_t c) { return a * b + c; });
  case Op::Prmt:
    return map2(n, out, v.a, v.b,
                [=](uint32_t a, uint32_t b) { return prmt(a, b, imm); });
  case Op::SetpGe:
    return map2(n, out, v.a, v.b, [](uint32_t a, uint32_t b) {
      return uint32_t(asFloat(a) >= asFloat(b));
    });
  case Op::SetpLt:
    return map2(n, out, v.a, v.b, [](uint32_t a, uint32_t b) {
      return uint32_t(asFloat(a) < asFloat(b));
    });
  case Op::Selp:
    return map3(n, out, v.a, v.b, v.c,
                [](uint32_t p, uint32_t a, uint32_t b) { return p ? a : b; });
  case Op::SetGe:
    if (static_cast<Type>(imm) == Type::BF16x2)
      return map2(n, out, v.a, v.b, lanes2(setGe16<BF16>));
    return map2(n, out, v.a, v.b, lanes2(setGe16<F16>));
  default:
    break;
  }
  if (node.type == Type::F32)
    return evaluateF32(node, n, out, v);
  if (node.type == Type::BF16x2)
    return evaluatePacked<BF16>(node, n, out, v);
  return evaluatePacked<F16>(node, n, out, v);
}

/// Registers of a block of evaluations.
class Machine {
public:
  explicit Machine(const Program &program, size_t width) : program(program) {
    const std::vector<Node> &nodes = program.nodes();
    if (nodes.size() > kStackNodes) {
      heap = std::make_unique<Block[]>(nodes.size());
      registers = heap.get();
    }
    for (size_t id = 0; id < nodes.size(); ++id)
      if (nodes[id].op == Op::Const)
        std::fill_n(registers[id], width, nodes[id].imm);
  }

  /// Runs \p n evaluations. inputs[i] holds n registers of argument i. The
  /// registers of node i are then in node(i).
  void run(const uint32_t *const *inputs, size_t n,
           const sfu::Deviation &deviation = {}) {
    const std::vector<Node> &nodes = program.nodes();
    for (size_t id = 0; id < nodes.size(); ++id) {
      const Node &node = nodes[id];
      if (node.op == Op::Const)
        continue;
      if (node.op == Op::Input) {
        std::copy_n(inputs[node.imm], n, registers[id]);
        continue;
      }
      evaluate(node, n, registers[id],
               {registers[node.operands[0]], registers[node.operands[1]],
                registers[node.operands[2]]});
      if (!deviation.isNone() && isSfu(node.op))
        for (size_t i = 0; i < n; ++i)
          registers[id][i] = sfu::deviate(node, registers[id][i], deviation);
    }
  }

  const uint32_t *node(NodeId id) const { return registers[id]; }

private:
  const Program &program;
  Block stack[kStackNodes];
  std::unique_ptr<Block[]> heap;
  Block *registers = stack;
};

} // namespace

uint32_t poly::replay(const Program &program, const uint32_t *args) {
  uint32_t results[kMaxResults];
  replay(program, args, results);
  return results[0];
}

void poly::replay(const Program &program, const uint32_t *args,
                  uint32_t *results) {
  assert(!program.nodes().empty() && "an invalid program");
  std::vector<const uint32_t *> inputs(program.inputs().size());
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = args + i;
  Machine machine(program, 1);
  machine.run(inputs.data(), 1);
  for (NodeId id : program.results())
    *results++ = machine.node(id)[0];
}

void poly::replayElements(const Program &program, const uint32_t *in,
                          uint32_t *out, size_t count,
                          const sfu::Deviation &deviation) {
  assert(!program.nodes().empty() && "an invalid program");
  // Elements a register of the arguments holds, and all of them hold.
  const std::vector<Type> &types = program.inputs();
  size_t perInput = isPacked(types[0]) ? 2 : 1;
  size_t lanes = perInput * types.size();
  unsigned outBits = elementBits(program.info().to);
  uint32_t outMask = outBits == 32 ? ~0u : (1u << outBits) - 1;
  assert(lanes <= kMaxLanes && (lanes == 1 || lanes * outBits <= 32) &&
         "not a program of one real variable");

  Machine machine(program, std::min(kBlock, count));
  for (size_t start = 0; start < count; start += kBlock * lanes) {
    size_t elements = std::min(count - start, kBlock * lanes);
    // A missing partner of the last element is zero.
    size_t n = (elements + lanes - 1) / lanes;
    Block arguments[kMaxLanes];
    for (size_t i = 0; i < n; ++i)
      for (size_t argument = 0; argument < types.size(); ++argument) {
        auto element = [&](size_t lane) {
          size_t index = i * lanes + argument * perInput + lane;
          return index < elements ? in[start + index] : 0;
        };
        arguments[argument][i] =
            perInput == 1 ? element(0)
                          : (element(0) & 0xffffu) | element(1) << 16;
      }
    const uint32_t *inputs[kMaxLanes] = {};
    for (size_t argument = 0; argument < types.size(); ++argument)
      inputs[argument] = arguments[argument];
    machine.run(inputs, n, deviation);
    const uint32_t *result = machine.node(program.result());
    for (size_t i = 0; i < elements; ++i) {
      uint32_t shift = outBits == 32 ? 0 : outBits * uint32_t(i % lanes);
      out[start + i] = (result[i / lanes] >> shift) & outMask;
    }
  }
}

uint32_t poly::replayElement(const Program &program, uint32_t bits) {
  uint32_t out;
  replayElements(program, &bits, &out, 1);
  return out;
}
