//===- Program.h - The certified instruction graph -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A Program is a straight-line dataflow graph in which every node means one
/// PTX instruction (or no instruction at all: Input, Const, Bitcast). Replay,
/// Cost, Certify, Print and the MLIR emitter read the same graph, so what is
/// certified is what is costed is what is emitted.
///
/// Every value lives in one 32-bit register. A packed value holds two 16-bit
/// lanes; lane 0 is the low half.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_PROGRAM_PROGRAM_H
#define POLY_PROGRAM_PROGRAM_H

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace poly {

/// The type of a register. Pred is a one-bit predicate register.
enum class Type : uint8_t { F32, BF16x2, F16x2, B32, Pred };

/// Scalar element formats a Program reads or writes.
/// E4M3 and E5M2 are the 8-bit formats of OCP and PTX; E4M3 has no infinity.
enum class Format : uint8_t { F32, BF16, F16, E4M3, E5M2 };

/// Functions of one real variable that Programs approximate. A D in front
/// marks the derivative.
enum class Function : uint8_t {
  Sigmoid, ///< 1 / (1 + e^-x).
  Tanh,
  Silu,     ///< x sigmoid(x).
  GeluErf,  ///< x Phi(x), Phi the normal distribution function.
  GeluTanh, ///< x sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3).
  Exp,
  Exp2,
  DSigmoid,
  DTanh,
  DSilu,
  DGeluErf,
  DGeluTanh,
  SinTurn,      ///< sin(2 pi x), x in turns; programs: -1/2 to 1/2.
  CosTurn,      ///< cos(2 pi x).
  SigmoidShift, ///< sigmoid(x - log(n)); n is the parameter.
  DSigmoidShift,
  Custom, ///< A user's expression.
};
constexpr unsigned kNumFunctions = unsigned(Function::Custom) + 1;

/// What f(-x) is.
enum class Symmetry : uint8_t {
  None,
  Odd,        ///< -f(x).
  Even,       ///< f(x).
  Complement, ///< 1 - f(x).
};

/// What is known of a function as such.
struct FunctionTraits {
  std::string_view name;
  Symmetry symmetry;
  bool increasing; ///< Nowhere decreasing on the whole line.
};
const FunctionTraits &traits(Function function);

/// One operation code per PTX instruction family. The result type selects the
/// suffix: Fma with result BF16x2 is `fma.rn.bf16x2`, with F32 `fma.rn.f32`.
/// Arithmetic keeps subnormals (no .ftz) unless the name says otherwise. A NaN
/// that arithmetic produces is the canonical one: 0x7fffffff in f32, 0x7fff in
/// the 16-bit formats (PTX ISA, "NaN payloads are not preserved").
enum class Op : uint8_t {
  Input,   ///< Program argument number `imm`.
  Const,   ///< The bit pattern `imm`.
  Bitcast, ///< Same bits under another type; no instruction.

  // Arithmetic, types F32, BF16x2 and F16x2; one rounding to nearest even.
  Fma,     ///< a * b + c.
  FmaRelu, ///< max(a * b + c, 0), NaN stays NaN; packed types only.
  FmaSat,  ///< clamp(a * b + c, 0, 1), NaN becomes +0; F32 and F16x2 only.
  Mul,
  Add,
  Sub,
  AddRm, ///< F32 only: a + b rounded down. With 1.5 * 2^23 for b the low bits
         ///< of the sum are floor(a).
  Floor, ///< F32 only: cvt.rmi.f32.f32; -0 stays -0.
  Neg,   ///< Flips the sign bit of a number. PTX leaves the payload of a NaN
         ///< open; GPUs write the canonical one.
  Abs,   ///< Clears the sign bit of a number; NaN as for Neg.
  Min,   ///< Returns the other operand when one is NaN; -0 < +0.
  Max,
  MinNaN, ///< NaN if either operand is NaN; -0 < +0.
  MaxNaN,
  MinNaNXorSignAbs, ///< min.NaN(|a|, |b|) with sign(a) ^ sign(b); packed only.

  // Special function unit. Results follow the documented model in SfuModel.h.
  Ex2Approx,    ///< 2^a. F32: ex2.approx.f32; F16x2: ex2.approx.f16x2;
                ///< BF16x2: ex2.approx.ftz.bf16x2.
  Ex2ApproxFtz, ///< F32 only: ex2.approx.ftz.f32.
  RcpApprox,    ///< F32 only: rcp.approx.f32 (keeps subnormals).
  RcpApproxFtz, ///< F32 only: rcp.approx.ftz.f32.
  SinApprox,    ///< F32 only: sin.approx.f32, of radians.
  CosApprox,    ///< F32 only: cos.approx.f32.
  TanhApprox,   ///< F32, F16x2, BF16x2.

  // Conversions.
  CvtPack,  ///< (lo, hi) f32 -> packed, cvt.rn.{bf16x2,f16x2}.f32.
  UnpackLo, ///< Lane 0 of a packed value, exactly, as f32; f16 NaNs become
            ///< canonical (bf16 is a shift, f16 a cvt).
  UnpackHi, ///< Lane 1.

  // Bitwise and integer, type B32.
  Lop3, ///< Bitwise function of (a, b, c) with truth table `imm`.
  Shl,  ///< a << imm.
  Shr,  ///< a >> imm, logical.
  IAdd, ///< a + b mod 2^32.
  IMad, ///< a * b + c mod 2^32.
  Prmt, ///< Byte i of the result is byte (imm >> 4i) & 7 of b:a, a the low
        ///< word; bit 3 of a selector nibble would copy a sign and is refused.

  // Selection.
  SetpGe, ///< F32 a >= b -> Pred (false on NaN).
  SetpLt, ///< F32 a < b -> Pred (false on NaN).
  Selp,   ///< (pred, a, b) -> pred ? a : b.
  SetGe,  ///< Packed a >= b -> B32 mask, 0xffff per true lane
          ///< (set.ge.u32.{bf16x2,f16x2}); false on NaN.
};

/// Results of a program: the value and the derivative.
constexpr unsigned kMaxResults = 2;

/// Index of a node in its Program.
using NodeId = uint32_t;

struct Node {
  Op op;
  Type type;
  uint8_t numOperands = 0;
  std::array<NodeId, 3> operands = {0, 0, 0};
  /// Const: bits. Input: argument number. Lop3: truth table. Shl/Shr: amount.
  /// Prmt: selector.
  /// UnpackLo/Hi and SetGe: the packed operand Type, so that a node alone tells
  /// its instruction.
  uint32_t imm = 0;

  bool operator==(const Node &other) const {
    return op == other.op && type == other.type &&
           numOperands == other.numOperands && operands == other.operands &&
           imm == other.imm;
  }
};

/// What a site may assume about a Program and where its constants come from.
struct ProgramInfo {
  std::string name; ///< Unique, e.g. "sigmoid-half3-bf16x2".
  Function function = Function::Sigmoid;
  std::string form;          ///< "half3", "odd5", "sfu", "tanh-packed", ...
  Format from = Format::F32; ///< Element format of the arguments.
  Format to = Format::F32;   ///< Element format of the result.
  unsigned lanes = 1;        ///< Elements per evaluation: 1, 2 or 4.
                             ///< 8-bit results are four bytes in one B32.
  /// True when f32 arguments are rounded to 16 bits before use, so the site's
  /// input must be 16-bit valued or the user must allow input rounding.
  bool roundsInput = false;
  /// The command or paper the coefficients come from.
  std::string provenance;
  /// A user's program: the entry of a program file that defines it.
  std::string definition;
  /// SigmoidShift and its derivative: n, the number of keys.
  double parameter = 0;
  /// Custom: the function as a formula in x.
  std::string expression;
  /// The arguments that the program is for, ends included. Its certificate
  /// speaks of these alone, and a site must prove that it stays inside.
  double domainLow = -std::numeric_limits<double>::infinity();
  double domainHigh = std::numeric_limits<double>::infinity();
  /// Arguments outside the domain, NaN included, give a value between the
  /// results at its ends, or an infinity: never anything else.
  bool saturates = false;
  /// For softmax weights: errors are relative to the row's maximum, results
  /// below the smallest normal f32 may vanish, and NaN need not stay NaN.
  bool weightsOnly = false;
};

/// The function of result number \p index: the function itself, then its
/// derivative (of sine, the cosine). Custom where there is none.
Function resultFunction(Function function, unsigned index);

/// A straight-line program. Nodes are in evaluation order: operands precede
/// users. Build one with ProgramBuilder, which checks every node.
class Program {
public:
  const ProgramInfo &info() const { return programInfo; }
  const std::string &name() const { return programInfo.name; }
  const std::vector<Node> &nodes() const { return nodeList; }
  const Node &node(NodeId id) const { return nodeList[id]; }
  /// Types of the arguments. A two-lane Program from f32 takes two F32
  /// registers (lane 0, lane 1); a packed one takes one register. Four lanes
  /// are four F32 registers or two packed ones.
  const std::vector<Type> &inputs() const { return inputTypes; }
  /// What the program computes. A coupled program has a second result, the
  /// function of resultFunction(); both have the same type.
  const std::vector<NodeId> &results() const { return resultIds; }
  NodeId result() const { return resultIds.front(); }
  Type resultType() const { return nodeList[result()].type; }

  /// The program of result number \p index alone, named after it when it is not
  /// the first.
  Program singleResult(unsigned index) const;

  /// The same program for arguments between \p low and \p high only.
  Program within(double low, double high) const;

  /// The same program for a lone element in lane 0: everything that serves only
  /// lane 1 is gone and lane 1 of the result is unspecified. Lane 0 is computed
  /// by the same instructions, so its bits are the same. Purely packed programs
  /// are their own scalar form.
  Program scalarForm() const;

private:
  bool joinsAt(const Node &node, unsigned operand) const;

  friend class ProgramBuilder;
  ProgramInfo programInfo;
  std::vector<Node> nodeList;
  std::vector<Type> inputTypes;
  std::vector<NodeId> resultIds = {0};
};

/// Builds a Program node by node. Structural mistakes (wrong operand type, an
/// operation that PTX lacks for a type) are recorded, and finish() reports the
/// first one. Identical constants are shared.
class ProgramBuilder {
public:
  explicit ProgramBuilder(ProgramInfo info);

  NodeId input(Type type);
  NodeId constant(Type type, uint32_t bits);
  /// A float constant; packed types hold it in both lanes, rounded to nearest.
  NodeId constant(Type type, double value);
  NodeId unary(Op op, NodeId a);
  NodeId binary(Op op, NodeId a, NodeId b);
  NodeId ternary(Op op, NodeId a, NodeId b, NodeId c);
  NodeId bitcast(Type to, NodeId a);
  NodeId lop3(NodeId a, NodeId b, NodeId c, uint8_t table);
  NodeId shift(Op op, NodeId a, unsigned amount);
  /// Selects four bytes of a (0 to 3) and b (4 to 7), lowest nibble first.
  NodeId prmt(NodeId a, NodeId b, uint16_t selector);
  /// cvt.rn to the packed type \p to.
  NodeId cvtPack(Type to, NodeId lo, NodeId hi);
  NodeId unpack(unsigned lane, NodeId packed);
  NodeId setp(Op op, NodeId a, NodeId b);
  NodeId selp(NodeId pred, NodeId a, NodeId b);

  NodeId fma(NodeId a, NodeId b, NodeId c) { return ternary(Op::Fma, a, b, c); }
  NodeId mul(NodeId a, NodeId b) { return binary(Op::Mul, a, b); }
  NodeId add(NodeId a, NodeId b) { return binary(Op::Add, a, b); }
  NodeId abs(NodeId a) { return unary(Op::Abs, a); }
  NodeId neg(NodeId a) { return unary(Op::Neg, a); }

  Type typeOf(NodeId id) const { return program.nodeList[id].type; }

  /// True when no mistake was recorded so far.
  bool ok() const { return error.empty(); }
  /// The first mistake, empty when there is none.
  const std::string &errorMessage() const { return error; }
  /// Ends the program. On a recorded mistake the returned Program has no nodes.
  Program finish(NodeId result) { return finish(std::vector<NodeId>{result}); }
  Program finish(std::vector<NodeId> results);

private:
  NodeId append(const Node &node);
  NodeId build(Op op, Type result, std::initializer_list<NodeId> operands,
               uint32_t imm = 0);
  Type operandType(NodeId id) const;
  void fail(const std::string &message);

  Program program;
  std::string error;
};

/// Names used in listings, reports and files.
std::string_view name(Type type);
std::string_view name(Format format);
std::string_view name(Function function);
std::string_view name(Op op);
/// Parse the names above; false when \p text is none of them.
bool parse(std::string_view text, Format &format);
bool parse(std::string_view text, Function &function);

/// True for sine and cosine of an argument in turns.
inline bool isTurn(Function function) {
  return function == Function::SinTurn || function == Function::CosTurn;
}

/// True for the instructions of the special function unit.
inline bool isSfu(Op op) { return op >= Op::Ex2Approx && op <= Op::TanhApprox; }

/// Bits of an element of \p format.
inline unsigned elementBits(Format format) {
  return format == Format::F32                             ? 32
         : format == Format::BF16 || format == Format::F16 ? 16
                                                           : 8;
}

/// The packed register type of a 16-bit format.
inline Type packedType(Format format) {
  return format == Format::BF16 ? Type::BF16x2 : Type::F16x2;
}
inline bool isPacked(Type type) {
  return type == Type::BF16x2 || type == Type::F16x2;
}
/// The element format of a float register type.
inline Format elementFormat(Type type) {
  return type == Type::F32      ? Format::F32
         : type == Type::BF16x2 ? Format::BF16
                                : Format::F16;
}

/// The PTX instruction a node means, e.g. "fma.rn.bf16x2"; empty for nodes that
/// emit nothing.
std::string ptxName(const Node &node);

/// True when two programs have the same signature and the same graph.
inline bool identical(const Program &a, const Program &b) {
  return a.info().function == b.info().function &&
         a.info().from == b.info().from && a.info().to == b.info().to &&
         a.nodes() == b.nodes() && a.results() == b.results();
}

/// Number of PTX instructions, constants and bitcasts not counted.
unsigned instructionCount(const Program &program);

/// The first compute capability (90 for sm_90) on which every instruction of
/// the program exists.
unsigned minimumSm(const Program &program);
/// The same for one node.
unsigned minimumSm(const Node &node);

} // namespace poly

#endif // POLY_PROGRAM_PROGRAM_H
