//===- EmitProgram.cpp - Programs as LLVM-dialect ops ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The choice of op per node keeps two promises: NVPTX selects the node's own
/// instruction (packed ones stay packed), and no upstream pass that runs on a
/// gpu.module rejects or scalarises it. math.fma and the LLVM fabs and exp2 ops
/// break one or the other, so fma goes through llvm.intr.fma and the rest
/// through call_intrinsic or, where LLVM has no intrinsic, inline PTX.
///
//===----------------------------------------------------------------------===//

#include "poly/Transforms/EmitProgram.h"

#include "FoldArgument.h"

#include "poly/Program/Formats.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

using ::poly::Node;
using NodeOp = ::poly::Op;
using ::poly::Program;
using RegType = ::poly::Type;

namespace {
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, const Program &program,
          ValueRange inputs, mlir::poly::ConstantCache *cache,
          OpBuilder *constantPoint, mlir::poly::FoldArguments fold)
      : builder(builder), loc(loc), program(program), inputs(inputs),
        cache(cache), constantPoint(constantPoint), fold(fold) {}

  SmallVector<Value> run();
  SmallVector<Value> runInTwoPlaces(ArrayRef<Operation *> points);

private:
  Type type(RegType registerType);
  Value constant(RegType registerType, uint32_t bits);
  Value emit(const Node &node);
  /// An fma or product of an argument and constants, through the op that made
  /// the argument; null when there is nothing to fold.
  Value emitFolded(const Node &node);
  /// Emits a node, folded if it can be.
  Value emitNode(const Node &node);
  Value bitcast(Value value, Type to);
  /// Calls `llvm.nvvm.<stem>.<suffix of the type>`.
  Value nvvm(const Node &node, StringRef stem, ValueRange operands);
  Value intrinsic(StringRef name, Type result, ValueRange operands);
  /// Inline PTX over 32-bit registers; packed operands travel as integers.
  Value ptx(const Node &node, ValueRange operands, StringRef immediate = "");

  OpBuilder &builder;
  Location loc;
  const Program &program;
  ValueRange inputs;
  mlir::poly::ConstantCache *cache;
  OpBuilder *constantPoint;
  mlir::poly::FoldArguments fold;
  SmallVector<Value> values;
  llvm::SmallDenseMap<std::pair<Value, Type>, Value> casts;
  /// Casts made from now on dominate what is made later.
  bool sharesCasts = true;
};
} // namespace

Type Emitter::type(RegType registerType) {
  switch (registerType) {
  case RegType::F32:
    return builder.getF32Type();
  case RegType::BF16x2:
    return VectorType::get({2}, builder.getBF16Type());
  case RegType::F16x2:
    return VectorType::get({2}, builder.getF16Type());
  case RegType::B32:
    return builder.getI32Type();
  case RegType::Pred:
    return builder.getI1Type();
  }
  llvm_unreachable("unknown register type");
}

Value Emitter::constant(RegType registerType, uint32_t bits) {
  std::pair<unsigned, uint32_t> key(static_cast<unsigned>(registerType), bits);
  if (cache)
    if (Value known = cache->lookup(key))
      return known;
  Type valueType = type(registerType);
  TypedAttr attr;
  if (auto vectorType = dyn_cast<VectorType>(valueType)) {
    auto element = cast<FloatType>(vectorType.getElementType());
    auto lane = [&](uint32_t laneBits) {
      return APFloat(element.getFloatSemantics(), APInt(16, laneBits));
    };
    attr = DenseElementsAttr::get(
        vectorType, ArrayRef<APFloat>{lane(bits & 0xffff), lane(bits >> 16)});
  } else if (valueType.isF32()) {
    attr = builder.getFloatAttr(
        valueType, APFloat(APFloat::IEEEsingle(), APInt(32, bits)));
  } else {
    attr = builder.getIntegerAttr(valueType, APInt(32, bits));
  }
  OpBuilder &point = cache && constantPoint ? *constantPoint : builder;
  Value value = LLVM::ConstantOp::create(point, loc, valueType, attr);
  if (cache)
    (*cache)[key] = value;
  return value;
}

Value Emitter::bitcast(Value value, Type to) {
  if (value.getType() == to)
    return value;
  // Both lanes of a register start from the same cast.
  if (Value known = casts.lookup({value, to}))
    return known;
  Value cast = LLVM::BitcastOp::create(builder, loc, to, value);
  if (sharesCasts)
    casts[{value, to}] = cast;
  return cast;
}

Value Emitter::intrinsic(StringRef name, Type result, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, loc, result,
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

static StringRef suffix(RegType registerType) {
  switch (registerType) {
  case RegType::F32:
    return "f";
  case RegType::BF16x2:
    return "bf16x2";
  case RegType::F16x2:
    return "f16x2";
  default:
    llvm_unreachable("no float suffix");
  }
}

Value Emitter::nvvm(const Node &node, StringRef stem, ValueRange operands) {
  return intrinsic(("llvm.nvvm." + stem + "." + suffix(node.type)).str(),
                   type(node.type), operands);
}

Value Emitter::ptx(const Node &node, ValueRange operands, StringRef immediate) {
  bool isFloat = node.type == RegType::F32;
  Type asmType = isFloat ? Type(builder.getF32Type()) : builder.getI32Type();
  std::string text = ::poly::ptxName(node) + " $0";
  std::string constraints = isFloat ? "=f" : "=r";
  SmallVector<Value> registers;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    bool floatOperand = operand.getType().isF32();
    text += ", $" + std::to_string(index + 1);
    constraints += floatOperand ? ",f" : ",r";
    registers.push_back(floatOperand ? operand
                                     : bitcast(operand, builder.getI32Type()));
  }
  text += immediate.empty() ? ";" : (", " + immediate + ";").str();
  Value result = LLVM::InlineAsmOp::create(
                     builder, loc, asmType, registers, text, constraints,
                     /*has_side_effects=*/false, /*is_align_stack=*/false,
                     LLVM::tailcallkind::TailCallKind::None,
                     LLVM::AsmDialectAttr::get(builder.getContext(),
                                               LLVM::AsmDialect::AD_ATT),
                     /*operand_attrs=*/ArrayAttr())
                     .getRes();
  return bitcast(result, type(node.type));
}

Value Emitter::emit(const Node &node) {
  Type resultType = type(node.type);
  auto operand = [&](unsigned i) { return values[node.operands[i]]; };
  SmallVector<Value, 3> operands;
  for (unsigned i = 0; i < node.numOperands; ++i)
    operands.push_back(operand(i));
  RegType operandType =
      node.numOperands ? program.node(node.operands[0]).type : node.type;

  switch (node.op) {
  case NodeOp::Input:
    return inputs[node.imm];
  case NodeOp::Const:
    return constant(node.type, node.imm);
  case NodeOp::Bitcast:
    return bitcast(operand(0), resultType);
  case NodeOp::Fma:
    return LLVM::FMAOp::create(builder, loc, resultType, operands);
  case NodeOp::FmaRelu:
    return nvvm(node, "fma.rn.relu", operands);
  case NodeOp::FmaSat:
    return nvvm(node, "fma.rn.sat", operands);
  case NodeOp::Mul:
    return LLVM::FMulOp::create(builder, loc, operand(0), operand(1));
  case NodeOp::Add:
    return LLVM::FAddOp::create(builder, loc, operand(0), operand(1));
  case NodeOp::Sub:
    return LLVM::FSubOp::create(builder, loc, operand(0), operand(1));
  case NodeOp::AddRm:
    return intrinsic("llvm.nvvm.add.rm.f", resultType, operands);
  case NodeOp::Floor:
    return intrinsic("llvm.nvvm.floor.f", resultType, operands);
  case NodeOp::Neg:
    return LLVM::FNegOp::create(builder, loc, operand(0));
  case NodeOp::Abs:
    return intrinsic("llvm.fabs", resultType, operands);
  case NodeOp::Min:
    return nvvm(node, "fmin", operands);
  case NodeOp::Max:
    return nvvm(node, "fmax", operands);
  case NodeOp::MinNaN:
    return nvvm(node, "fmin.nan", operands);
  case NodeOp::MaxNaN:
    return nvvm(node, "fmax.nan", operands);
  case NodeOp::MinNaNXorSignAbs:
    return nvvm(node, "fmin.nan.xorsign.abs", operands);
  case NodeOp::Ex2Approx:
  case NodeOp::Ex2ApproxFtz:
  case NodeOp::RcpApprox:
  case NodeOp::RcpApproxFtz:
  case NodeOp::SinApprox:
  case NodeOp::CosApprox:
  case NodeOp::TanhApprox:
  case NodeOp::SetGe:
    return ptx(node, operands);
  case NodeOp::Lop3:
    return ptx(node, operands, llvm::formatv("{0:x2}", node.imm).str());
  case NodeOp::CvtPack:
    // The intrinsic's first argument becomes the upper lane.
    return intrinsic(node.type == RegType::BF16x2 ? "llvm.nvvm.ff2bf16x2.rn"
                                                  : "llvm.nvvm.ff2f16x2.rn",
                     resultType, {operand(1), operand(0)});
  case NodeOp::UnpackLo:
  case NodeOp::UnpackHi: {
    bool high = node.op == NodeOp::UnpackHi;
    if (operandType == RegType::F16x2) {
      Value lane = LLVM::ExtractElementOp::create(builder, loc, operand(0),
                                                  constant(RegType::B32, high));
      return LLVM::FPExtOp::create(builder, loc, resultType, lane);
    }
    // A bf16 is the upper half of the f32 of the same value.
    Value bits = bitcast(operand(0), builder.getI32Type());
    Value shifted =
        high ? LLVM::AndOp::create(builder, loc, bits,
                                   constant(RegType::B32, 0xffff0000u))
                   .getResult()
             : LLVM::ShlOp::create(builder, loc, bits,
                                   constant(RegType::B32, 16))
                   .getResult();
    return bitcast(shifted, resultType);
  }
  case NodeOp::Shl:
    return LLVM::ShlOp::create(builder, loc, operand(0),
                               constant(RegType::B32, node.imm));
  case NodeOp::Shr:
    return LLVM::LShrOp::create(builder, loc, operand(0),
                                constant(RegType::B32, node.imm));
  case NodeOp::IAdd:
    return LLVM::AddOp::create(builder, loc, operand(0), operand(1));
  case NodeOp::IMad: {
    Value product = LLVM::MulOp::create(builder, loc, operand(0), operand(1));
    return LLVM::AddOp::create(builder, loc, product, operand(2));
  }
  case NodeOp::Prmt:
    operands.push_back(constant(RegType::B32, node.imm));
    return intrinsic("llvm.nvvm.prmt", resultType, operands);
  case NodeOp::SetpGe:
    return LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::oge,
                                operand(0), operand(1));
  case NodeOp::SetpLt:
    return LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::olt,
                                operand(0), operand(1));
  case NodeOp::Selp:
    return LLVM::SelectOp::create(builder, loc, operand(0), operand(1),
                                  operand(2));
  }
  llvm_unreachable("unknown operation");
}

Value Emitter::emitFolded(const Node &node) {
  // In f16, only what counts from zero: there is no magic number in it.
  bool isPair = node.type == RegType::F16x2;
  bool isFma = node.op == NodeOp::Fma || node.op == NodeOp::FmaSat ||
               node.op == NodeOp::FmaRelu;
  if (isPair ? node.op != NodeOp::FmaRelu
             : node.type != RegType::F32 || (!isFma && node.op != NodeOp::Mul))
    return {};
  auto constantOf = [&](unsigned i) -> std::optional<float> {
    const Node &operand = program.node(node.operands[i]);
    if (operand.op != NodeOp::Const)
      return std::nullopt;
    if (!isPair)
      return llvm::bit_cast<float>(operand.imm);
    if (operand.imm >> 16 != (operand.imm & 0xffff))
      return std::nullopt;
    return float(::poly::decode(::poly::Format::F16, operand.imm & 0xffff));
  };
  std::optional<float> scale = constantOf(1);
  std::optional<float> offset = isFma ? constantOf(2) : 0.0f;
  if (program.node(node.operands[0]).op != NodeOp::Input || !scale || !offset)
    return {};
  bool onlyPowers = fold == mlir::poly::FoldArguments::PowersOfTwo;
  if (onlyPowers && (node.op != NodeOp::Mul || *scale == 0 ||
                     !llvm::APFloat(*scale).getExactInverse(nullptr)))
    return {};
  // Above 2^22 an f32 counts ones or more: a magic number.
  bool integerOffset = node.op == NodeOp::Fma && *offset >= 0x1p22f &&
                       fold != mlir::poly::FoldArguments::RoundOffsets;
  std::optional<mlir::poly::FoldedFma> folded = mlir::poly::foldArgument(
      builder, loc, values[node.operands[0]], *scale, *offset, integerOffset,
      /*fixedOnly=*/onlyPowers);
  if (!folded)
    return {};
  Value operands[] = {folded->factor, folded->scale, folded->offset};
  if (node.op == NodeOp::FmaSat)
    return nvvm(node, "fma.rn.sat", operands);
  if (node.op == NodeOp::FmaRelu)
    return nvvm(node, "fma.rn.relu", operands);
  return LLVM::FMAOp::create(builder, loc, type(node.type), operands);
}

Value Emitter::emitNode(const Node &node) {
  Value folded =
      fold == mlir::poly::FoldArguments::Never ? Value() : emitFolded(node);
  return folded ? folded : emit(node);
}

SmallVector<Value> Emitter::run() {
  values.reserve(program.nodes().size());
  for (const Node &node : program.nodes())
    values.push_back(emitNode(node));
  SmallVector<Value> results;
  for (::poly::NodeId id : program.results())
    results.push_back(values[id]);
  return results;
}

SmallVector<Value> Emitter::runInTwoPlaces(ArrayRef<Operation *> points) {
  // The instruction that gives the result, and bitcasts of that, which are
  // none.
  ::poly::NodeId result = program.results().front();
  SmallVector<::poly::NodeId> last = {result};
  while (program.node(last.back()).op == NodeOp::Bitcast)
    last.push_back(program.node(last.back()).operands[0]);
  values.resize(program.nodes().size());
  for (auto [id, node] : llvm::enumerate(program.nodes()))
    if (!llvm::is_contained(last, ::poly::NodeId(id)))
      values[id] = emitNode(node);
  sharesCasts = false;
  SmallVector<Value> results;
  OpBuilder::InsertionGuard guard(builder);
  for (Operation *point : points) {
    builder.setInsertionPoint(point);
    for (::poly::NodeId id : llvm::reverse(last))
      values[id] = emitNode(program.node(id));
    results.push_back(values[result]);
  }
  return results;
}

Value mlir::poly::emitProgram(OpBuilder &builder, Location loc,
                              const Program &program, ValueRange inputs,
                              ConstantCache *cache, OpBuilder *constantPoint,
                              FoldArguments fold) {
  return emitProgramResults(builder, loc, program, inputs, cache, constantPoint,
                            fold)
      .front();
}

SmallVector<Value> mlir::poly::emitProgramInTwoPlaces(
    OpBuilder &builder, Location loc, const Program &program, ValueRange inputs,
    ArrayRef<Operation *> points, ConstantCache *cache,
    OpBuilder *constantPoint, FoldArguments fold) {
  return Emitter(builder, loc, program, inputs, cache, constantPoint, fold)
      .runInTwoPlaces(points);
}

SmallVector<Value> mlir::poly::emitProgramResults(
    OpBuilder &builder, Location loc, const Program &program, ValueRange inputs,
    ConstantCache *cache, OpBuilder *constantPoint, FoldArguments fold) {
  return Emitter(builder, loc, program, inputs, cache, constantPoint, fold)
      .run();
}
