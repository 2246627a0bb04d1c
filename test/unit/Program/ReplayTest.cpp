//===- ReplayTest.cpp - Bit-exact evaluation against MPFR -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Replay.h"

#include "Oracle.h"
#include "TestPrograms.h"
#include "poly/Program/Formats.h"

#include <random>

using namespace poly;

namespace {

uint32_t run(const Program &program, std::initializer_list<uint32_t> args) {
  return replay(program, args.begin());
}

uint32_t both(uint32_t lane) { return lane | lane << 16; }

uint32_t run(Op op, Type type, std::initializer_list<uint32_t> args) {
  return run(single(op, type, unsigned(args.size())), args);
}

class Packed : public testing::TestWithParam<Type> {
protected:
  Type type() const { return GetParam(); }
  Format format() const { return elementFormat(type()); }
  uint32_t infinity() const { return traits(format()).infinity; }
  uint32_t one() const { return encode(format(), 1.0); }
  bool nan(uint32_t bits) const { return (bits & 0x7fffu) > infinity(); }
  double value(uint32_t bits) const { return oracle::decode(format(), bits); }

  /// Zeros, subnormals, the ends of the normals, infinities, NaNs and numbers
  /// around one.
  std::vector<uint32_t> partners() const {
    uint32_t inf = infinity(), o = one();
    uint32_t minNormal = 1u << traits(format()).mantissaBits;
    std::vector<uint32_t> all = {0,       1,     minNormal - 1,
                                 inf - 1, inf,   inf + 1,
                                 o,       o + 1, o - 5 * minNormal};
    for (size_t i = 0, n = all.size(); i < n; ++i)
      all.push_back(all[i] | 0x8000u);
    return all;
  }

  /// Runs all 65,536 patterns in one operand, two lanes at a time and different
  /// ones, against each partner in the other.
  template <typename Expected>
  void compareBinary(Op op, Expected expected) {
    Program program = single(op, type(), 2);
    for (uint32_t partner : partners())
      for (uint32_t bits = 0; bits < 0x10000u; bits += 2) {
        uint32_t args[] = {bits | (bits + 1) << 16, both(partner)};
        uint32_t result = replay(program, args);
        ASSERT_EQ(result & 0xffffu, expected(bits, partner))
            << std::hex << bits << " " << partner;
        ASSERT_EQ(result >> 16, expected(bits + 1, partner))
            << std::hex << bits + 1 << " " << partner;
        std::swap(args[0], args[1]);
        ASSERT_EQ(replay(program, args) & 0xffffu, expected(partner, bits))
            << std::hex << partner << " " << bits;
      }
  }
};

INSTANTIATE_TEST_SUITE_P(Types, Packed,
                         testing::Values(Type::BF16x2, Type::F16x2),
                         [](const auto &info) {
                           return std::string(name(info.param));
                         });

TEST_P(Packed, MulIsCorrectlyRounded) {
  oracle::Rounder rounder(format());
  compareBinary(Op::Mul, [&](uint32_t a, uint32_t b) {
    return rounder.mul(value(a), value(b));
  });
}

TEST_P(Packed, AddIsCorrectlyRounded) {
  oracle::Rounder rounder(format());
  compareBinary(Op::Add, [&](uint32_t a, uint32_t b) {
    return rounder.add(value(a), value(b));
  });
}

TEST_P(Packed, SubIsCorrectlyRounded) {
  oracle::Rounder rounder(format());
  compareBinary(Op::Sub, [&](uint32_t a, uint32_t b) {
    return rounder.sub(value(a), value(b));
  });
}

TEST_P(Packed, MinMaxFamily) {
  auto less = [&](uint32_t a, uint32_t b) { // -0 before +0.
    double x = value(a), y = value(b);
    return x < y || (x == y && (a >> 15) > (b >> 15));
  };
  compareBinary(Op::Min, [&](uint32_t a, uint32_t b) -> uint32_t {
    if (nan(a) || nan(b))
      return nan(a) && nan(b) ? 0x7fffu : nan(a) ? b : a;
    return less(b, a) ? b : a;
  });
  compareBinary(Op::Max, [&](uint32_t a, uint32_t b) -> uint32_t {
    if (nan(a) || nan(b))
      return nan(a) && nan(b) ? 0x7fffu : nan(a) ? b : a;
    return less(a, b) ? b : a;
  });
  compareBinary(Op::MinNaN, [&](uint32_t a, uint32_t b) -> uint32_t {
    return nan(a) || nan(b) ? 0x7fffu : less(b, a) ? b : a;
  });
  compareBinary(Op::MaxNaN, [&](uint32_t a, uint32_t b) -> uint32_t {
    return nan(a) || nan(b) ? 0x7fffu : less(a, b) ? b : a;
  });
  compareBinary(Op::MinNaNXorSignAbs, [&](uint32_t a, uint32_t b) -> uint32_t {
    if (nan(a) || nan(b))
      return 0x7fffu;
    double smaller = std::min(std::fabs(value(a)), std::fabs(value(b)));
    return oracle::pattern(format(), smaller) | ((a ^ b) & 0x8000u);
  });
  compareBinary(Op::SetGe, [&](uint32_t a, uint32_t b) -> uint32_t {
    return value(a) >= value(b) ? 0xffffu : 0;
  });
}

TEST_P(Packed, NegAndAbs) {
  Program neg = single(Op::Neg, type(), 1), abs = single(Op::Abs, type(), 1);
  for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
    uint32_t expected = nan(bits) ? 0x7fffu : bits ^ 0x8000u;
    ASSERT_EQ(run(neg, {bits | one() << 16}), expected | (one() | 0x8000u)
                                                             << 16);
    expected = nan(bits) ? 0x7fffu : bits & 0x7fffu;
    ASSERT_EQ(run(abs, {both(bits)}), both(expected));
  }
}

/// Triples near each other in exponent, where cancellation and ties happen, and
/// arbitrary ones.
template <typename Check>
void forFmaTriples(Format format, Check check) {
  std::mt19937 random(20240229);
  int mantissa = traits(format).mantissaBits;
  uint32_t one = encode(format, 1.0);
  for (int i = 0; i < 400000; ++i) {
    uint32_t v[3];
    for (uint32_t &bits : v) {
      bits = random() & 0xffffu;
      if (i % 4 != 0)
        bits = (bits & 0x8000u) |
               (one + (random() % (24u << mantissa)) - (12u << mantissa));
    }
    check(v[0], v[1], v[2]);
  }
}

TEST_P(Packed, FmaRoundsOnce) {
  oracle::Rounder rounder(format());
  Program fma = single(Op::Fma, type(), 3);
  forFmaTriples(format(), [&](uint32_t a, uint32_t b, uint32_t c) {
    uint32_t expected = rounder.fma(value(a), value(b), value(c));
    ASSERT_EQ(run(fma, {both(a), both(b), both(c)}), both(expected))
        << std::hex << a << " " << b << " " << c;
  });
  // Every special value against every other, three ways.
  for (uint32_t a : partners())
    for (uint32_t b : partners())
      for (uint32_t c : partners())
        ASSERT_EQ(run(fma, {a, b, c}) & 0xffffu,
                  rounder.fma(value(a), value(b), value(c)))
            << std::hex << a << " " << b << " " << c;
}

TEST_P(Packed, FmaRelu) {
  oracle::Rounder rounder(format());
  Program relu = single(Op::FmaRelu, type(), 3);
  forFmaTriples(format(), [&](uint32_t a, uint32_t b, uint32_t c) {
    uint32_t expected = rounder.fma(value(a), value(b), value(c));
    if (expected & 0x8000u)
      expected = 0;
    ASSERT_EQ(run(relu, {both(a), both(b), both(c)}), both(expected));
  });
  uint32_t o = one();
  EXPECT_EQ(run(relu, {both(0x7fffu), both(o), both(o)}), both(0x7fffu));
  EXPECT_EQ(run(relu, {both(0), both(0x8000u), both(0x8000u)}), 0u); // -0.
}

TEST(Replay, AddRoundedDown) {
  Program add = single(Op::AddRm, Type::F32, 2);
  auto bits = [](double value) { return encode(Format::F32, value); };
  auto sum = [&](uint32_t a, uint32_t b) { return run(add, {a, b}); };
  mpfr_t exact, rounded;
  mpfr_init2(exact, 400);
  mpfr_init2(rounded, 24);
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    uint32_t a = random(), b = random();
    if (i % 2) // Near each other in exponent.
      b = (b & 0x80ffffffu) | (a & 0x7f000000u);
    double x = decode(Format::F32, a), y = decode(Format::F32, b);
    // Subnormal sums are exact and need no rounding.
    if (!std::isfinite(x) || !std::isfinite(y) || std::fabs(x + y) < 0x1p-120 ||
        std::fabs(x + y) > 0x1p127)
      continue;
    mpfr_set_d(exact, x, MPFR_RNDN);
    mpfr_add_d(exact, exact, y, MPFR_RNDN);
    mpfr_set(rounded, exact, MPFR_RNDD);
    ASSERT_EQ(sum(a, b), bits(mpfr_get_d(rounded, MPFR_RNDN)))
        << x << " + " << y;
  }
  mpfr_clear(exact);
  mpfr_clear(rounded);
  // An exact zero of two signs is -0, an overflow upwards the largest number.
  EXPECT_EQ(sum(bits(1), bits(-1)), 0x80000000u);
  EXPECT_EQ(sum(0, 0x80000000u), 0x80000000u);
  EXPECT_EQ(sum(0, 0), 0u);
  EXPECT_EQ(sum(0x7f7fffffu, 0x7f7fffffu), 0x7f7fffffu);
  EXPECT_EQ(sum(0xff7fffffu, 0xff7fffffu), 0xff800000u);
  EXPECT_EQ(sum(0x7f800000u, bits(-3)), 0x7f800000u);
  EXPECT_EQ(sum(0x7f800000u, 0xff800000u), 0x7fffffffu);
  EXPECT_EQ(sum(0x7fc00001u, 0), 0x7fffffffu);
  EXPECT_EQ(sum(1, 0x80000001u), 0x80000000u);
  EXPECT_EQ(sum(bits(12582912.0), bits(-0x1p-100)), bits(12582911.0));
}

TEST(Replay, FloorAndBytes) {
  Program floor = single(Op::Floor, Type::F32, 1);
  auto bits = [](double value) { return encode(Format::F32, value); };
  const std::pair<double, double> cases[] = {{1.5, 1},        {-1.5, -2},
                                             {-0x1p-149, -1}, {0x1p-149, 0},
                                             {-3, -3},        {1e30, 1e30}};
  for (auto [x, expected] : cases)
    EXPECT_EQ(run(floor, {bits(x)}), bits(expected)) << x;
  EXPECT_EQ(run(floor, {0x80000000u}), 0x80000000u);
  EXPECT_EQ(run(floor, {0xff800000u}), 0xff800000u);
  EXPECT_EQ(run(floor, {0xffc00001u}), 0x7fffffffu);
  Program bytes = programOf({Type::B32, Type::B32},
                            [](ProgramBuilder &b, const NodeId *in) {
                              return b.prmt(in[0], in[1], 0x0761);
                            });
  EXPECT_EQ(run(bytes, {0x33221100u, 0x77665544u}), 0x00776611u);
}

TEST(Replay, FmaSat) {
  oracle::Rounder rounder(Format::F16);
  Program sat = single(Op::FmaSat, Type::F16x2, 3);
  forFmaTriples(Format::F16, [&](uint32_t a, uint32_t b, uint32_t c) {
    double exact = oracle::decode(Format::F16,
                                  rounder.fma(oracle::decode(Format::F16, a),
                                              oracle::decode(Format::F16, b),
                                              oracle::decode(Format::F16, c)));
    double clamped = exact > 0 ? std::min(exact, 1.0) : 0.0; // NaN becomes +0.
    ASSERT_EQ(run(sat, {both(a), both(b), both(c)}),
              both(oracle::pattern(Format::F16, clamped)));
  });
  Program sat32 = single(Op::FmaSat, Type::F32, 3);
  uint32_t one = 0x3f800000u;
  EXPECT_EQ(run(sat32, {0x7fffffffu, one, one}), 0u);
  EXPECT_EQ(run(sat32, {one, one, one}), one);
  EXPECT_EQ(run(sat32, {one, one, 0xbf800000u}), 0u);
  EXPECT_EQ(run(sat32, {0, 0x80000000u, 0x80000000u}), 0u); // -0.
  EXPECT_EQ(run(sat32, {one, 0x3f000000u, 0}), 0x3f000000u);
  EXPECT_EQ(run(sat32, {0x7f800000u, one, 0}), one);
}

// Triples where rounding to f32 first, as an emulation of bf16 in f32 does, or
// to double first gives the other neighbour.
TEST(Replay, FmaWhereTwoRoundingsFail) {
  struct Case {
    Format format;
    uint32_t a, b, c, result;
    bool throughDouble;
  };
  const Case cases[] = {
      {Format::BF16, 0x3740, 0xd9fe, 0xc4f4, 0xd1bf, false},
      {Format::BF16, 0xa140, 0x6615, 0x3675, 0xc7df, false},
      {Format::BF16, 0x3a70, 0x5b48, 0xaa24, 0x563b, true},
      {Format::BF16, 0xc8b8, 0xdf18, 0x3676, 0x685b, true},
      {Format::F16, 0xe070, 0x5340, 0x0ecf, 0xf805, false},
      {Format::F16, 0x4e00, 0xe825, 0x1748, 0xfa37, false},
  };
  for (const Case &c : cases) {
    double x = decode(c.format, c.a), y = decode(c.format, c.b),
           z = decode(c.format, c.c);
    uint32_t naive = encode(c.format, std::fmaf(float(x), float(y), float(z)));
    if (c.throughDouble)
      naive = encode(c.format, x * y + z);
    EXPECT_NE(naive, c.result);
    EXPECT_EQ(oracle::Rounder(c.format).fma(x, y, z), c.result);
    Type type = packedType(c.format);
    EXPECT_EQ(run(Op::Fma, type, {both(c.a), both(c.b), both(c.c)}),
              both(c.result));
  }
}

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

TEST(Replay, F32ArithmeticIsCorrectlyRounded) {
  oracle::Rounder rounder(Format::F32);
  Program fma = single(Op::Fma, Type::F32, 3);
  Program mul = single(Op::Mul, Type::F32, 2);
  Program add = single(Op::Add, Type::F32, 2);
  Program sub = single(Op::Sub, Type::F32, 2);
  std::mt19937 random(7);
  const uint32_t special[] = {0,           0x80000000u, 1,
                              0x807fffffu, 0x00800000u, 0x7f7fffffu,
                              0x7f800000u, 0xff800000u, 0x7fc00001u,
                              0xffffffffu, 0x3f800000u, 0xbf800001u};
  for (int i = 0; i < 200000; ++i) {
    uint32_t v[3];
    for (uint32_t &bits : v) {
      bits = uint32_t(random());
      if (i % 8 == 0)
        bits = special[random() % std::size(special)];
      else if (i % 2)
        bits = (bits & 0x80000000u) | (0x3f800000u + (bits & 0x03ffffffu));
    }
    double x = oracle::decode(Format::F32, v[0]),
           y = oracle::decode(Format::F32, v[1]),
           z = oracle::decode(Format::F32, v[2]);
    ASSERT_EQ(run(fma, {v[0], v[1], v[2]}), rounder.fma(x, y, z))
        << std::hex << v[0] << " " << v[1] << " " << v[2];
    ASSERT_EQ(run(mul, {v[0], v[1]}), rounder.mul(x, y));
    ASSERT_EQ(run(add, {v[0], v[1]}), rounder.add(x, y));
    ASSERT_EQ(run(sub, {v[0], v[1]}), rounder.sub(x, y));
  }
}

TEST(Replay, F32MinMaxNegAbs) {
  constexpr uint32_t nan = 0xffc00123u, canonical = 0x7fffffffu;
  constexpr uint32_t zero = 0, minusZero = 0x80000000u;
  constexpr uint32_t one = 0x3f800000u, minusTwo = 0xc0000000u;
  auto check = [](Op op, uint32_t a, uint32_t b, uint32_t expected) {
    EXPECT_EQ(run(op, Type::F32, {a, b}), expected) << name(op);
    EXPECT_EQ(run(op, Type::F32, {b, a}), expected) << name(op);
  };
  check(Op::Min, nan, one, one);
  check(Op::Max, nan, minusTwo, minusTwo);
  check(Op::Min, nan, nan, canonical);
  check(Op::Max, nan, nan, canonical);
  check(Op::MinNaN, nan, one, canonical);
  check(Op::MaxNaN, nan, one, canonical);
  check(Op::Min, zero, minusZero, minusZero);
  check(Op::Max, zero, minusZero, zero);
  check(Op::MinNaN, zero, minusZero, minusZero);
  check(Op::MaxNaN, zero, minusZero, zero);
  check(Op::Min, one, minusTwo, minusTwo);
  check(Op::Max, one, minusTwo, one);
  check(Op::MinNaN, 0xff800000u, minusTwo, 0xff800000u);
  check(Op::MaxNaN, 0x7f800000u, one, 0x7f800000u);
  EXPECT_EQ(run(Op::Neg, Type::F32, {zero}), minusZero);
  EXPECT_EQ(run(Op::Abs, Type::F32, {minusTwo}), 0x40000000u);
  EXPECT_EQ(run(Op::Neg, Type::F32, {nan}), canonical);
  EXPECT_EQ(run(Op::Abs, Type::F32, {nan}), canonical);
}

TEST(Replay, ComparisonAndSelection) {
  auto select = [](Op op, uint32_t x, uint32_t y) {
    return run(programOf({Type::F32, Type::F32},
                         [=](ProgramBuilder &b, const NodeId *in) {
                           return b.selp(b.setp(op, in[0], in[1]),
                                         b.constant(Type::B32, uint32_t(1)),
                                         b.constant(Type::B32, uint32_t(2)));
                         }),
               {x, y});
  };
  constexpr uint32_t one = 0x3f800000u, nan = 0x7fc00000u;
  EXPECT_EQ(select(Op::SetpGe, one, one), 1u);
  EXPECT_EQ(select(Op::SetpLt, one, one), 2u);
  EXPECT_EQ(select(Op::SetpGe, 0x80000000u, 0), 1u); // -0 == +0.
  EXPECT_EQ(select(Op::SetpLt, 0x80000000u, 0), 2u);
  EXPECT_EQ(select(Op::SetpGe, nan, one), 2u);
  EXPECT_EQ(select(Op::SetpLt, one, nan), 2u);
  EXPECT_EQ(select(Op::SetpLt, 0xff800000u, one), 1u);
}

//===----------------------------------------------------------------------===//
// Conversions, bits
//===----------------------------------------------------------------------===//

TEST_P(Packed, ConversionsFromAndToF32) {
  Program pack = programOf({Type::F32, Type::F32},
                           [&](ProgramBuilder &b, const NodeId *in) {
                             return b.cvtPack(type(), in[0], in[1]);
                           });
  for (uint32_t lane = 0; lane < 2; ++lane) {
    Program unpack =
        programOf({type()}, [&](ProgramBuilder &b, const NodeId *in) {
          return b.unpack(lane, in[0]);
        });
    for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
      uint32_t other = 0x1234u;
      uint32_t packed = lane ? other | bits << 16 : bits | other << 16;
      uint32_t wide = run(unpack, {packed});
      if (nan(bits)) {
        // bf16 is a shift, f16 a conversion.
        ASSERT_EQ(wide, type() == Type::BF16x2 ? bits << 16 : 0x7fffffffu);
        ASSERT_EQ(run(pack, {wide, wide}), both(0x7fffu));
        continue;
      }
      ASSERT_EQ(oracle::decode(Format::F32, wide), value(bits));
      ASSERT_EQ(wide >> 31, bits >> 15);
      ASSERT_EQ(run(pack, {wide, 0}), bits);
      ASSERT_EQ(run(pack, {0, wide}), bits << 16);
    }
  }
  // Ties to even, and overflow to infinity rather than the largest number.
  uint32_t o = one();
  auto f32 = [](double x) { return oracle::pattern(Format::F32, x); };
  double half = ulp(format(), 1.0) / 2;
  EXPECT_EQ(run(pack, {f32(1 + half), f32(1 + 3 * half)}), o | (o + 2) << 16);
  EXPECT_EQ(run(pack, {f32(1 + half * 1.001), f32(-1 - half)}),
            (o + 1) | (o | 0x8000u) << 16);
  EXPECT_EQ(run(pack, {0x7f7fffffu, 0xff7fffffu}),
            infinity() | (infinity() | 0x8000u) << 16);
}

TEST(Replay, BitwiseAndInteger) {
  std::mt19937 random(3);
  for (uint32_t table = 0; table < 256; ++table) {
    Program program =
        programOf({Type::B32, Type::B32, Type::B32},
                  [=](ProgramBuilder &b, const NodeId *in) {
                    return b.lop3(in[0], in[1], in[2], uint8_t(table));
                  });
    uint32_t a = uint32_t(random()), b = uint32_t(random()),
             c = uint32_t(random()), expected = 0;
    for (int bit = 0; bit < 32; ++bit) {
      uint32_t index = (a >> bit & 1) * 4 + (b >> bit & 1) * 2 + (c >> bit & 1);
      expected |= (table >> index & 1) << bit;
    }
    EXPECT_EQ(run(program, {a, b, c}), expected) << table;
  }
  auto shift = [](Op op, unsigned amount, uint32_t value) {
    return run(programOf({Type::B32},
                         [=](ProgramBuilder &b, const NodeId *in) {
                           return b.shift(op, in[0], amount);
                         }),
               {value});
  };
  EXPECT_EQ(shift(Op::Shl, 16, 0x12345678u), 0x56780000u);
  EXPECT_EQ(shift(Op::Shr, 4, 0xf0000000u), 0x0f000000u);
  EXPECT_EQ(run(Op::IAdd, Type::B32, {0xffffffffu, 2}), 1u);
  EXPECT_EQ(run(Op::IMad, Type::B32, {0x10001u, 0x10001u, 7}), 0x20008u);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

TEST_P(Packed, ElementsDoNotDependOnLaneOrCount) {
  for (bool fromF32 : {false, true}) {
    Program program = halfSigmoid(type(), fromF32);
    std::vector<uint32_t> in(301), out(301);
    std::mt19937 random(5);
    for (uint32_t &bits : in)
      bits = fromF32 ? uint32_t(random()) : random() & 0xffffu;
    replayElements(program, in.data(), out.data(), in.size());
    for (size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(replayElement(program, in[i]), out[i]);
    std::vector<uint32_t> shifted(300);
    replayElements(program, in.data() + 1, shifted.data(), shifted.size());
    for (size_t i = 0; i < shifted.size(); ++i)
      ASSERT_EQ(shifted[i], out[i + 1]);
    replayElements(program, in.data(), out.data(), 0);
  }
}

TEST(Replay, LongProgramsAndUnusedInputs) {
  Program program = programOf(
      {Type::F32, Type::F32}, [](ProgramBuilder &b, const NodeId *in) {
        NodeId x = in[0];
        for (int i = 0; i < 200; ++i)
          x = b.add(x, b.constant(Type::F32, double(i)));
        return x;
      });
  EXPECT_GT(program.nodes().size(), 300u);
  EXPECT_EQ(run(program, {0, 0x7fffffffu}), encode(Format::F32, 19900));
}

TEST(Replay, BitcastKeepsBits) {
  Program program =
      programOf({Type::F16x2}, [](ProgramBuilder &b, const NodeId *in) {
        return b.bitcast(Type::BF16x2, b.bitcast(Type::B32, in[0]));
      });
  EXPECT_EQ(run(program, {0xffc17f81u}), 0xffc17f81u);
}

} // namespace
