//===- Program.cpp - Building and describing Programs ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Program.h"

#include "poly/Program/Formats.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace poly;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string_view poly::name(Type type) {
  switch (type) {
  case Type::F32:
    return "f32";
  case Type::BF16x2:
    return "bf16x2";
  case Type::F16x2:
    return "f16x2";
  case Type::B32:
    return "b32";
  case Type::Pred:
    return "pred";
  }
  return "";
}

std::string_view poly::name(Format format) {
  switch (format) {
  case Format::F32:
    return "f32";
  case Format::BF16:
    return "bf16";
  case Format::F16:
    return "f16";
  case Format::E4M3:
    return "e4m3";
  case Format::E5M2:
    return "e5m2";
  }
  return "";
}

const FunctionTraits &poly::traits(Function function) {
  static constexpr FunctionTraits table[kNumFunctions] = {
      {"sigmoid", Symmetry::Complement, true},
      {"tanh", Symmetry::Odd, true},
      {"silu", Symmetry::None, false},
      {"gelu_erf", Symmetry::None, false},
      {"gelu_tanh", Symmetry::None, false},
      {"exp", Symmetry::None, true},
      {"exp2", Symmetry::None, true},
      {"dsigmoid", Symmetry::Even, false},
      {"dtanh", Symmetry::Even, false},
      {"dsilu", Symmetry::Complement, false},
      {"dgelu_erf", Symmetry::Complement, false},
      {"dgelu_tanh", Symmetry::Complement, false},
      {"sin_turn", Symmetry::Odd, false},
      {"cos_turn", Symmetry::Even, false},
      {"sigmoid_shift", Symmetry::None, true},
      {"dsigmoid_shift", Symmetry::None, false},
      {"custom", Symmetry::None, false},
  };
  return table[unsigned(function)];
}

Function poly::resultFunction(Function function, unsigned index) {
  if (index == 0)
    return function;
  switch (function) {
  case Function::Sigmoid:
    return Function::DSigmoid;
  case Function::Tanh:
    return Function::DTanh;
  case Function::Silu:
    return Function::DSilu;
  case Function::GeluErf:
    return Function::DGeluErf;
  case Function::GeluTanh:
    return Function::DGeluTanh;
  case Function::SinTurn:
    return Function::CosTurn;
  case Function::SigmoidShift:
    return Function::DSigmoidShift;
  default:
    return Function::Custom;
  }
}

std::string_view poly::name(Function function) { return traits(function).name; }

bool poly::parse(std::string_view text, Format &format) {
  for (Format candidate :
       {Format::F32, Format::BF16, Format::F16, Format::E4M3, Format::E5M2})
    if (text == name(candidate)) {
      format = candidate;
      return true;
    }
  return false;
}

bool poly::parse(std::string_view text, Function &function) {
  for (unsigned i = 0; i < kNumFunctions; ++i)
    if (text == name(Function(i))) {
      function = Function(i);
      return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// The operations
//===----------------------------------------------------------------------===//

namespace {

/// Sets of register types as bits.
enum TypeSet : unsigned {
  kF32 = 1u << unsigned(Type::F32),
  kBF16x2 = 1u << unsigned(Type::BF16x2),
  kF16x2 = 1u << unsigned(Type::F16x2),
  kB32 = 1u << unsigned(Type::B32),
  kPred = 1u << unsigned(Type::Pred),
  kPacked = kBF16x2 | kF16x2,
  kFloat = kF32 | kPacked,
  kRegister = kFloat | kB32,
};

bool contains(unsigned set, Type type) { return (set >> unsigned(type)) & 1; }

/// What PTX has: the operation's name in listings and reports, the number of
/// operands, and the types that it exists for.
struct OpTraits {
  Op op;
  std::string_view name;
  uint8_t arity;
  unsigned types; ///< Of the operands.
};

constexpr OpTraits kOps[] = {
    {Op::Input, "input", 0, kRegister},
    {Op::Const, "const", 0, kRegister},
    {Op::Bitcast, "bitcast", 1, kRegister},
    {Op::Fma, "fma", 3, kFloat},
    {Op::FmaRelu, "fma.relu", 3, kPacked},
    {Op::FmaSat, "fma.sat", 3, kF32 | kF16x2},
    {Op::Mul, "mul", 2, kFloat},
    {Op::Add, "add", 2, kFloat},
    {Op::Sub, "sub", 2, kFloat},
    {Op::AddRm, "add.rm", 2, kF32},
    {Op::Floor, "floor", 1, kF32},
    {Op::Neg, "neg", 1, kFloat},
    {Op::Abs, "abs", 1, kFloat},
    {Op::Min, "min", 2, kFloat},
    {Op::Max, "max", 2, kFloat},
    {Op::MinNaN, "min.nan", 2, kFloat},
    {Op::MaxNaN, "max.nan", 2, kFloat},
    {Op::MinNaNXorSignAbs, "min.nan.xorsign.abs", 2, kPacked},
    {Op::Ex2Approx, "ex2.approx", 1, kFloat},
    {Op::Ex2ApproxFtz, "ex2.approx.ftz", 1, kF32},
    {Op::RcpApprox, "rcp.approx", 1, kF32},
    {Op::RcpApproxFtz, "rcp.approx.ftz", 1, kF32},
    {Op::SinApprox, "sin.approx", 1, kF32},
    {Op::CosApprox, "cos.approx", 1, kF32},
    {Op::TanhApprox, "tanh.approx", 1, kFloat},
    {Op::CvtPack, "cvt.pack", 2, kF32},
    {Op::UnpackLo, "unpack.lo", 1, kPacked},
    {Op::UnpackHi, "unpack.hi", 1, kPacked},
    {Op::Lop3, "lop3", 3, kB32},
    {Op::Shl, "shl", 1, kB32},
    {Op::Shr, "shr", 1, kB32},
    {Op::IAdd, "iadd", 2, kB32},
    {Op::IMad, "imad", 3, kB32},
    {Op::Prmt, "prmt", 2, kB32},
    {Op::SetpGe, "setp.ge", 2, kF32},
    {Op::SetpLt, "setp.lt", 2, kF32},
    {Op::Selp, "selp", 3, kRegister},
    {Op::SetGe, "set.ge", 2, kPacked},
};

constexpr bool inEnumOrder() {
  unsigned index = 0;
  for (const OpTraits &entry : kOps)
    if (unsigned(entry.op) != index++)
      return false;
  return index == unsigned(Op::SetGe) + 1;
}
static_assert(inEnumOrder(), "kOps is indexed by Op");

const OpTraits &traitsOf(Op op) { return kOps[unsigned(op)]; }

/// The suffix of a PTX instruction, ".bf16x2"; predicates have none.
std::string suffix(Type type) {
  return type == Type::Pred ? "" : "." + std::string(name(type));
}

/// The packed operand type that UnpackLo, UnpackHi and SetGe keep in `imm`.
Type operandType(const Node &node) { return static_cast<Type>(node.imm); }

} // namespace

std::string_view poly::name(Op op) { return traitsOf(op).name; }

std::string poly::ptxName(const Node &node) {
  std::string type = suffix(node.type);
  switch (node.op) {
  case Op::Input:
  case Op::Const:
  case Op::Bitcast:
    return "";
  case Op::Fma:
    return "fma.rn" + type;
  case Op::FmaRelu:
    return "fma.rn.relu" + type;
  case Op::FmaSat:
    return "fma.rn.sat" + type;
  // Without .rn ptxas may fuse a product and a sum.
  case Op::Mul:
    return "mul.rn" + type;
  case Op::Add:
    return "add.rn" + type;
  case Op::Sub:
    return "sub.rn" + type;
  case Op::AddRm:
    return "add.rm.f32";
  case Op::Floor:
    return "cvt.rmi.f32.f32";
  case Op::Neg:
    return "neg" + type;
  case Op::Abs:
    return "abs" + type;
  case Op::Min:
    return "min" + type;
  case Op::Max:
    return "max" + type;
  case Op::MinNaN:
    return "min.NaN" + type;
  case Op::MaxNaN:
    return "max.NaN" + type;
  case Op::MinNaNXorSignAbs:
    return "min.NaN.xorsign.abs" + type;
  case Op::Ex2Approx:
    // PTX has the bf16 form only with .ftz.
    return (node.type == Type::BF16x2 ? "ex2.approx.ftz" : "ex2.approx") + type;
  case Op::Ex2ApproxFtz:
    return "ex2.approx.ftz.f32";
  case Op::RcpApprox:
    return "rcp.approx.f32";
  case Op::RcpApproxFtz:
    return "rcp.approx.ftz.f32";
  case Op::SinApprox:
    return "sin.approx.f32";
  case Op::CosApprox:
    return "cos.approx.f32";
  case Op::TanhApprox:
    return "tanh.approx" + type;
  case Op::CvtPack:
    return "cvt.rn" + type + ".f32";
  case Op::UnpackLo:
    return operandType(node) == Type::BF16x2 ? "shl.b32" : "cvt.f32.f16";
  case Op::UnpackHi:
    return operandType(node) == Type::BF16x2 ? "and.b32" : "cvt.f32.f16";
  case Op::Lop3:
    return "lop3.b32";
  case Op::Shl:
    return "shl.b32";
  case Op::Shr:
    return "shr.u32";
  case Op::IAdd:
    return "add.s32";
  case Op::IMad:
    return "mad.lo.s32";
  case Op::Prmt:
    return "prmt.b32";
  case Op::SetpGe:
    return "setp.ge.f32";
  case Op::SetpLt:
    return "setp.lt.f32";
  case Op::Selp:
    return node.type == Type::F32 ? "selp.f32" : "selp.b32";
  case Op::SetGe:
    return "set.ge.u32" + suffix(operandType(node));
  }
  return "";
}

unsigned poly::instructionCount(const Program &program) {
  return unsigned(
      std::count_if(program.nodes().begin(), program.nodes().end(),
                    [](const Node &node) { return !ptxName(node).empty(); }));
}

// Compute capabilities from the target notes of the PTX ISA's instructions.
unsigned poly::minimumSm(const Node &node) {
  constexpr unsigned any = 70; // The oldest chip that poly knows.
  bool f32 = node.type == Type::F32;
  bool bf16 = node.type == Type::BF16x2;
  switch (node.op) {
  case Op::Fma:
  case Op::Neg:
  case Op::Abs:
    return bf16 ? 80 : any;
  case Op::FmaRelu:
    return 80;
  case Op::Mul:
  case Op::Add:
  case Op::Sub:
    // mul, add and sub have .bf16x2 from sm_90 on. On sm_80 they are written as
    // one fma with the same result bits: a * b is fma(a, b, -0), which leaves
    // the product and the sign of a zero product alone (x + -0 = x for every
    // x, +0 and -0 included); a + b is fma(a, 1, b) and a - b is fma(b, -1, a),
    // whose products are exact. There is one rounding either way, and the NaN
    // is the canonical one.
    return bf16 ? 80 : any;
  case Op::Min:
  case Op::Max:
    return f32 ? any : 80;
  case Op::MinNaN:
  case Op::MaxNaN:
    return 80;
  case Op::MinNaNXorSignAbs:
    return 86;
  case Op::Ex2Approx:
    return bf16 ? 90 : f32 ? any : 75;
  case Op::TanhApprox:
    return bf16 ? 90 : 75;
  case Op::CvtPack:
    return 80;
  case Op::SetGe:
    return operandType(node) == Type::BF16x2 ? 90 : any;
  default:
    return any;
  }
}

unsigned poly::minimumSm(const Program &program) {
  unsigned sm = 0;
  for (const Node &node : program.nodes())
    sm = std::max(sm, minimumSm(node));
  return sm;
}

//===----------------------------------------------------------------------===//
// ProgramBuilder
//===----------------------------------------------------------------------===//

ProgramBuilder::ProgramBuilder(ProgramInfo info) {
  program.programInfo = std::move(info);
}

void ProgramBuilder::fail(const std::string &message) {
  if (error.empty())
    error = "program '" + program.name() + "': node " +
            std::to_string(program.nodeList.size()) + ": " + message;
}

NodeId ProgramBuilder::append(const Node &node) {
  program.nodeList.push_back(node);
  return NodeId(program.nodeList.size() - 1);
}

/// The type of an operand that may not be a node, before build() checks it.
Type ProgramBuilder::operandType(NodeId id) const {
  return id < program.nodeList.size() ? typeOf(id) : Type::F32;
}

/// Appends a node after checking it. After a mistake a constant of the expected
/// type stands in, so that building can go on and the first mistake is kept.
NodeId ProgramBuilder::build(Op op, Type result,
                             std::initializer_list<NodeId> operands,
                             uint32_t imm) {
  const OpTraits &traits = traitsOf(op);
  std::string opName(traits.name);
  Node node{op, result};
  node.imm = imm;
  std::string mistake;
  if (operands.size() != traits.arity)
    mistake = opName + " takes " + std::to_string(traits.arity) +
              " operands, not " + std::to_string(operands.size());
  for (NodeId id : operands) {
    if (!mistake.empty())
      break;
    unsigned index = node.numOperands;
    if (id >= program.nodeList.size()) {
      mistake =
          opName + ": operand " + std::to_string(index) + " is not a node";
      break;
    }
    Type type = typeOf(id);
    // Operands are of a type in the table and agree, but for selp's first one.
    bool predicate = op == Op::Selp && index == 0;
    unsigned first = op == Op::Selp ? 1 : 0;
    unsigned accepted = predicate ? unsigned(kPred) : traits.types;
    if (!contains(accepted, type))
      mistake = opName + " does not take " + std::string(name(type)) +
                " as operand " + std::to_string(index);
    else if (index > first && type != typeOf(node.operands[first]))
      mistake = opName + " mixes " +
                std::string(name(typeOf(node.operands[first]))) + " and " +
                std::string(name(type));
    node.operands[node.numOperands++] = id;
  }
  if (mistake.empty())
    return append(node);
  fail(mistake);
  return append(Node{Op::Const, result});
}

NodeId ProgramBuilder::input(Type type) {
  if (type == Type::Pred)
    fail("an input cannot be a predicate");
  Node node{Op::Input, type};
  node.imm = uint32_t(program.inputTypes.size());
  program.inputTypes.push_back(type);
  return append(node);
}

NodeId ProgramBuilder::constant(Type type, uint32_t bits) {
  if (type == Type::Pred)
    fail("a constant cannot be a predicate");
  for (NodeId id = 0; id < program.nodeList.size(); ++id) {
    const Node &node = program.nodeList[id];
    if (node.op == Op::Const && node.type == type && node.imm == bits)
      return id;
  }
  Node node{Op::Const, type};
  node.imm = bits;
  return append(node);
}

NodeId ProgramBuilder::constant(Type type, double value) {
  if (!contains(kFloat, type)) {
    fail("a number needs a float type, not " + std::string(name(type)));
    return append(Node{Op::Const, type});
  }
  Format format = elementFormat(type);
  uint32_t bits = encode(format, value);
  if (poly::isNaN(format, bits)) {
    fail("a constant is NaN");
  } else if (isInf(format, bits) && std::isfinite(value)) {
    char text[32];
    std::snprintf(text, sizeof(text), "%g", value);
    fail("the constant " + std::string(text) + " overflows " +
         std::string(name(format)));
  }
  return constant(type, isPacked(type) ? bits | bits << 16 : bits);
}

/// Operations that unary, binary and ternary build: one type for all operands
/// and the result, and nothing in `imm`.
static bool isUniform(Op op) {
  switch (op) {
  case Op::Input:
  case Op::Const:
  case Op::Bitcast:
  case Op::CvtPack:
  case Op::UnpackLo:
  case Op::UnpackHi:
  case Op::Lop3:
  case Op::Shl:
  case Op::Shr:
  case Op::Prmt:
  case Op::SetpGe:
  case Op::SetpLt:
  case Op::Selp:
  case Op::SetGe:
    return false;
  default:
    return true;
  }
}

NodeId ProgramBuilder::unary(Op op, NodeId a) {
  if (!isUniform(op))
    fail(std::string(name(op)) + " is not built by unary()");
  return build(op, operandType(a), {a});
}

NodeId ProgramBuilder::binary(Op op, NodeId a, NodeId b) {
  if (op == Op::SetGe)
    return build(op, Type::B32, {a, b}, uint32_t(operandType(a)));
  if (!isUniform(op))
    fail(std::string(name(op)) + " is not built by binary()");
  return build(op, operandType(a), {a, b});
}

NodeId ProgramBuilder::ternary(Op op, NodeId a, NodeId b, NodeId c) {
  if (!isUniform(op))
    fail(std::string(name(op)) + " is not built by ternary()");
  return build(op, operandType(a), {a, b, c});
}

NodeId ProgramBuilder::bitcast(Type to, NodeId a) {
  if (to == Type::Pred)
    fail("bitcast cannot make a predicate");
  return build(Op::Bitcast, to, {a});
}

NodeId ProgramBuilder::lop3(NodeId a, NodeId b, NodeId c, uint8_t table) {
  return build(Op::Lop3, Type::B32, {a, b, c}, table);
}

NodeId ProgramBuilder::shift(Op op, NodeId a, unsigned amount) {
  if (op != Op::Shl && op != Op::Shr)
    fail(std::string(name(op)) + " is not a shift");
  if (amount > 31)
    fail("a shift by " + std::to_string(amount) + " is not below 32");
  return build(op, Type::B32, {a}, amount);
}

NodeId ProgramBuilder::prmt(NodeId a, NodeId b, uint16_t selector) {
  if (selector & 0x8888)
    fail("a prmt selector copies whole bytes: its nibbles are 0 to 7");
  return build(Op::Prmt, Type::B32, {a, b}, selector);
}

NodeId ProgramBuilder::cvtPack(Type to, NodeId lo, NodeId hi) {
  if (!isPacked(to))
    fail("cvt.pack makes packed values, not " + std::string(name(to)));
  return build(Op::CvtPack, to, {lo, hi});
}

NodeId ProgramBuilder::unpack(unsigned lane, NodeId packed) {
  if (lane > 1)
    fail("a packed value has no lane " + std::to_string(lane));
  return build(lane == 0 ? Op::UnpackLo : Op::UnpackHi, Type::F32, {packed},
               uint32_t(operandType(packed)));
}

NodeId ProgramBuilder::setp(Op op, NodeId a, NodeId b) {
  if (op != Op::SetpGe && op != Op::SetpLt)
    fail(std::string(name(op)) + " is not a comparison");
  return build(op, Type::Pred, {a, b});
}

NodeId ProgramBuilder::selp(NodeId pred, NodeId a, NodeId b) {
  return build(Op::Selp, operandType(a), {pred, a, b});
}

Program Program::within(double low, double high) const {
  Program program = *this;
  program.programInfo.domainLow = std::max(programInfo.domainLow, low);
  program.programInfo.domainHigh = std::min(programInfo.domainHigh, high);
  return program;
}

/// Nodes where two lanes come together such that lane 0 of the result does not
/// depend on operand \p operand.
bool Program::joinsAt(const Node &node, unsigned operand) const {
  switch (node.op) {
  case Op::CvtPack:
    return operand == 1;
  case Op::Prmt: // Bytes 0 and 1 come from the first operand.
    return operand == 1 && (node.imm & 0x44) == 0;
  case Op::IMad: { // A multiple of 2^16 is added.
    const Node &factor = nodeList[node.operands[1]];
    return operand == 0 && factor.op == Op::Const &&
           (factor.imm & 0xffffu) == 0;
  }
  default:
    return false;
  }
}

Program Program::scalarForm() const {
  if (programInfo.lanes != 2)
    return *this;
  // What depends on lane 1 and constants alone, and on anything else.
  size_t count = nodeList.size();
  std::vector<bool> upper(count), constant(count);
  for (NodeId id = 0; id < count; ++id) {
    const Node &n = nodeList[id];
    if (n.op == Op::Const) {
      constant[id] = true;
      continue;
    }
    if (n.op == Op::UnpackHi || (n.op == Op::Input && n.imm == 1)) {
      upper[id] = true;
      continue;
    }
    bool anyUpper = false, anyLower = false, joins = true;
    for (unsigned i = 0; i < n.numOperands; ++i) {
      anyUpper |= upper[n.operands[i]];
      joins &= !upper[n.operands[i]] || joinsAt(n, i);
      anyLower |= !upper[n.operands[i]] && !constant[n.operands[i]];
    }
    // Lanes that meet elsewhere than in a packing are not separable.
    if (anyUpper && anyLower && !joins)
      return *this;
    upper[id] = anyUpper && !anyLower;
    constant[id] = n.numOperands > 0 && !anyUpper && !anyLower;
  }
  std::vector<bool> live(count);
  for (NodeId id : resultIds)
    live[id] = true;
  for (NodeId id = static_cast<NodeId>(count); id-- > 0;) {
    const Node &n = nodeList[id];
    for (unsigned i = 0; live[id] && i < n.numOperands; ++i)
      if (!(upper[n.operands[i]] && joinsAt(n, i)))
        live[n.operands[i]] = true;
  }
  Program scalar;
  scalar.programInfo = programInfo;
  scalar.programInfo.lanes = 1;
  scalar.inputTypes = inputTypes;
  std::vector<NodeId> renamed(count);
  for (NodeId id = 0; id < count; ++id) {
    if (!live[id])
      continue;
    Node n = nodeList[id];
    if (n.op == Op::IMad && !live[n.operands[0]]) {
      renamed[id] = renamed[n.operands[2]]; // Zero times something.
      continue;
    }
    for (unsigned i = 0; i < n.numOperands; ++i) {
      NodeId operand = n.operands[i];
      if (live[operand]) {
        n.operands[i] = renamed[operand];
        continue;
      }
      Node zero{Op::Const, nodeList[operand].type};
      n.operands[i] = static_cast<NodeId>(scalar.nodeList.size());
      scalar.nodeList.push_back(zero);
    }
    renamed[id] = static_cast<NodeId>(scalar.nodeList.size());
    scalar.nodeList.push_back(n);
  }
  scalar.resultIds.clear();
  for (NodeId id : resultIds)
    scalar.resultIds.push_back(renamed[id]);
  return scalar;
}

Program Program::singleResult(unsigned index) const {
  std::vector<bool> live(nodeList.size());
  live[resultIds[index]] = true;
  for (size_t id = nodeList.size(); id-- > 0;)
    for (unsigned i = 0; live[id] && i < nodeList[id].numOperands; ++i)
      live[nodeList[id].operands[i]] = true;
  Program single;
  single.programInfo = programInfo;
  single.inputTypes = inputTypes;
  if (index > 0) {
    Function function = resultFunction(programInfo.function, index);
    single.programInfo.function = function;
    single.programInfo.name += "-" + std::string(poly::name(function));
  }
  std::vector<NodeId> renamed(nodeList.size());
  for (size_t id = 0; id < nodeList.size(); ++id) {
    // Arguments stay: a program takes all of them.
    if (!live[id] && nodeList[id].op != Op::Input)
      continue;
    Node node = nodeList[id];
    for (unsigned i = 0; i < node.numOperands; ++i)
      node.operands[i] = renamed[node.operands[i]];
    renamed[id] = static_cast<NodeId>(single.nodeList.size());
    single.nodeList.push_back(node);
  }
  single.resultIds = {renamed[resultIds[index]]};
  return single;
}

Program ProgramBuilder::finish(std::vector<NodeId> results) {
  if (results.empty() || results.size() > kMaxResults)
    fail("a program has one or two results");
  for (NodeId result : results) {
    if (result >= program.nodeList.size())
      fail("the result is not a node");
    else if (typeOf(result) == Type::Pred)
      fail("the result cannot be a predicate");
    else if (typeOf(result) != typeOf(results.front()))
      fail("the results differ in type");
  }
  if (!ok()) {
    Program empty;
    empty.programInfo = program.programInfo;
    return empty;
  }
  program.resultIds = std::move(results);
  return std::move(program);
}
