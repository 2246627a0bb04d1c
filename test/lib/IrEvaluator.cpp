//===- IrEvaluator.cpp - Evaluates expanded programs ----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IrEvaluator.h"

#include "PtxEmulator.h"
#include "SoftFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <optional>

using namespace mlir;

namespace polytest {
namespace {

/// A type as a row of equal lanes.
struct Shape {
  unsigned lanes = 0;
  unsigned width = 0; ///< Bits of a lane.
  std::optional<SoftFormat> format;

  uint64_t mask() const {
    return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  }
  uint32_t all() const { return (1u << lanes) - 1; }
};

/// lanes is 0 for what does not fit in 64 bits or is no number.
Shape shapeOf(Type type) {
  Shape shape;
  unsigned lanes = 1;
  if (auto vectorType = dyn_cast<VectorType>(type)) {
    if (vectorType.getRank() > 1 || vectorType.isScalable())
      return shape;
    lanes = unsigned(vectorType.getNumElements());
    type = vectorType.getElementType();
  }
  if (type.isF32())
    shape.format = kF32;
  else if (type.isBF16())
    shape.format = kBF16;
  else if (type.isF16())
    shape.format = kF16;
  else if (!type.isInteger())
    return shape;
  shape.width = type.getIntOrFloatBitWidth();
  if (lanes * shape.width <= 64)
    shape.lanes = lanes;
  return shape;
}

uint64_t lane(uint64_t bits, unsigned index, const Shape &shape) {
  return bits >> (index * shape.width) & shape.mask();
}

} // namespace

bool IrEvaluator::fail(Operation *op, const std::string &message) {
  if (error.empty())
    error = op->getName().getStringRef().str() + ": " + message;
  return false;
}

bool IrEvaluator::known(Operation *op, Value value, const Column *&column) {
  auto found = columns.find(value);
  if (found == columns.end())
    return fail(op, "an operand was not evaluated");
  column = &found->second;
  return true;
}

bool IrEvaluator::defined(Operation *op, Value value, const Column *&column) {
  if (!known(op, value, column))
    return false;
  if (column->defined != shapeOf(value.getType()).all())
    return fail(op, "uses a value with a poison lane");
  return true;
}

template <typename Fn>
bool IrEvaluator::lanewise(Operation *op, unsigned operands, Fn fn) {
  Shape to = shapeOf(op->getResult(0).getType());
  const Column *sources[3] = {nullptr, nullptr, nullptr};
  Shape shapes[3];
  Column result;
  result.bits.resize(count);
  result.defined = to.all();
  for (unsigned i = 0; i < operands; ++i) {
    if (!known(op, op->getOperand(i), sources[i]))
      return false;
    shapes[i] = shapeOf(op->getOperand(i).getType());
    if (shapes[i].lanes != to.lanes)
      return fail(op, "operands of different shapes");
    result.defined &= sources[i]->defined;
  }
  for (size_t n = 0; n < count; ++n)
    for (unsigned l = 0; l < to.lanes; ++l) {
      if (!(result.defined >> l & 1))
        continue;
      uint64_t values[3] = {0, 0, 0};
      for (unsigned i = 0; i < operands; ++i)
        values[i] = lane(sources[i]->bits[n], l, shapes[i]);
      uint64_t bits = fn(values[0], values[1], values[2]) & to.mask();
      result.bits[n] |= bits << (l * to.width);
    }
  columns[op->getResult(0)] = std::move(result);
  return true;
}

/// Flags by which the backend may choose other bits than one IEEE operation's.
bool IrEvaluator::exactFlags(Operation *op) {
  if (ignoreFlags)
    return true;
  Attribute attr = op->getPropertiesAsAttribute();
  for (llvm::StringRef name : {"fastmathFlags", "fastmath"}) {
    auto dictionary = dyn_cast_or_null<DictionaryAttr>(attr);
    Attribute flags = dictionary ? dictionary.get(name) : Attribute();
    bool exact = true;
    if (auto llvmFlags = dyn_cast_or_null<LLVM::FastmathFlagsAttr>(flags))
      exact = llvmFlags.getValue() == LLVM::FastmathFlags::none;
    else if (auto arithFlags =
                 dyn_cast_or_null<arith::FastMathFlagsAttr>(flags))
      exact = arithFlags.getValue() == arith::FastMathFlags::none;
    if (!exact)
      return fail(op, "its fast-math flags leave the bits open");
  }
  return true;
}

bool IrEvaluator::constant(Operation *op) {
  Attribute attr;
  if (auto constantOp = dyn_cast<LLVM::ConstantOp>(op))
    attr = constantOp.getValue();
  else
    attr = cast<arith::ConstantOp>(op).getValue();
  Shape shape = shapeOf(op->getResult(0).getType());
  uint64_t bits = 0;
  auto place = [&](unsigned index, const APInt &value) {
    bits |= (value.getZExtValue() & shape.mask()) << (index * shape.width);
  };
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    place(0, integer.getValue());
  } else if (auto real = dyn_cast<FloatAttr>(attr)) {
    place(0, real.getValue().bitcastToAPInt());
  } else if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    unsigned index = 0;
    if (isa<FloatType>(dense.getElementType()))
      for (const APFloat &value : dense.getValues<APFloat>())
        place(index++, value.bitcastToAPInt());
    else
      for (const APInt &value : dense.getValues<APInt>())
        place(index++, value);
  } else {
    return fail(op, "an unknown kind of constant");
  }
  columns[op->getResult(0)] = {Registers(count, bits), shape.all()};
  return true;
}

bool IrEvaluator::floats(Operation *op, llvm::StringRef base) {
  Shape from = shapeOf(op->getOperand(0).getType());
  Shape to = shapeOf(op->getResult(0).getType());
  if (!exactFlags(op))
    return false;
  if (base == "select") {
    Shape condition = shapeOf(op->getOperand(0).getType());
    if (condition.lanes != to.lanes)
      return fail(op, "a scalar condition on vectors");
    return lanewise(op, 3, [](uint64_t c, uint64_t a, uint64_t b) {
      return c & 1 ? a : b;
    });
  }
  if (!from.format)
    return fail(op, "not a float of a known format");
  SoftFormat format = *from.format;
  if (base == "extf" || base == "truncf") {
    if (!to.format || (base == "extf") != (to.width > from.width))
      return fail(op, "an unknown conversion");
    if (auto truncation = dyn_cast<arith::TruncFOp>(op))
      if (truncation.getRoundingmode())
        return fail(op, "an explicit rounding mode");
    return lanewise(op, 1, [&](uint64_t a, uint64_t, uint64_t) -> uint64_t {
      return softConvert(format, *to.format, uint32_t(a));
    });
  }
  if (base == "cmpf") {
    // Only the ordered comparisons that programs have; true is all ones.
    llvm::StringRef predicate;
    if (auto compare = dyn_cast<LLVM::FCmpOp>(op))
      predicate = LLVM::stringifyFCmpPredicate(compare.getPredicate());
    else
      predicate =
          arith::stringifyCmpFPredicate(cast<arith::CmpFOp>(op).getPredicate());
    bool ge = predicate == "oge", lt = predicate == "olt";
    if (!ge && !lt)
      return fail(op, "unknown predicate " + predicate.str());
    return lanewise(op, 2, [&](uint64_t a, uint64_t b, uint64_t) -> uint64_t {
      Order order = softCompare(format, uint32_t(a), uint32_t(b));
      return lt ? order == Order::Less
                : order == Order::Greater || order == Order::Equal;
    });
  }
  if (base == "fma")
    return lanewise(op, 3, [&](uint64_t a, uint64_t b, uint64_t c) -> uint64_t {
      return softFma(format, uint32_t(a), uint32_t(b), uint32_t(c));
    });
  if (base == "negf")
    return lanewise(op, 1, [&](uint64_t a, uint64_t, uint64_t) -> uint64_t {
      return softNeg(format, uint32_t(a));
    });
  return lanewise(op, 2, [&](uint64_t a, uint64_t b, uint64_t) -> uint64_t {
    uint32_t x = uint32_t(a), y = uint32_t(b);
    return base == "mulf"   ? softMul(format, x, y)
           : base == "addf" ? softAdd(format, x, y)
           : base == "subf" ? softSub(format, x, y)
                            : softDiv(format, x, y);
  });
}

bool IrEvaluator::integers(Operation *op, llvm::StringRef base) {
  Shape to = shapeOf(op->getResult(0).getType());
  if (to.format)
    return fail(op, "not an integer");
  unsigned operands = base == "trunci" || base == "extui" ? 1 : 2;
  return lanewise(op, operands,
                  [&](uint64_t a, uint64_t b, uint64_t) -> uint64_t {
                    if (operands == 1)
                      return a; // lanewise masks both sides.
                    return llvm::StringSwitch<uint64_t>(base)
                        .Case("andi", a & b)
                        .Case("ori", a | b)
                        .Case("xori", a ^ b)
                        .Case("addi", a + b)
                        .Case("subi", a - b)
                        .Case("muli", a * b)
                        .Case("shli", b >= to.width ? 0 : a << b)
                        .Default(b >= to.width ? 0 : a >> b);
                  });
}

bool IrEvaluator::shapes(Operation *op, llvm::StringRef base) {
  Value result = op->getResult(0);
  Shape to = shapeOf(result.getType());
  Shape from = op->getNumOperands() ? shapeOf(op->getOperand(0).getType()) : to;
  const Column *source = nullptr;
  if (base == "poison") {
    columns[result] = {Registers(count, 0), 0};
    return true;
  }
  if (base == "bitcast") {
    if (from.lanes * from.width != to.lanes * to.width)
      return fail(op, "changes the size");
    if (from.lanes == to.lanes ? !known(op, op->getOperand(0), source)
                               : !defined(op, op->getOperand(0), source))
      return false;
    Column copy = *source;
    if (from.lanes != to.lanes)
      copy.defined = to.all();
    columns[result] = std::move(copy);
    return true;
  }
  if (base == "from_elements" || base == "splat") {
    Column column;
    column.bits.resize(count);
    for (unsigned l = 0; l < to.lanes; ++l) {
      if (!known(op, op->getOperand(base == "splat" ? 0 : l), source))
        return false;
      if (source->defined)
        column.defined |= 1u << l;
      for (size_t n = 0; n < count; ++n)
        column.bits[n] |= source->bits[n] << (l * to.width);
    }
    columns[result] = std::move(column);
    return true;
  }
  if (base == "to_elements") {
    if (!known(op, op->getOperand(0), source))
      return false;
    Column copy = *source; // Adding columns may move what source points to.
    for (unsigned l = 0; l < from.lanes; ++l) {
      Column column{Registers(count), copy.defined >> l & 1};
      for (size_t n = 0; n < count; ++n)
        column.bits[n] = lane(copy.bits[n], l, from);
      columns[op->getResult(l)] = std::move(column);
    }
    return true;
  }
  if (base == "shufflevector" || base == "shuffle") {
    SmallVector<int64_t> mask;
    if (auto shuffle = dyn_cast<LLVM::ShuffleVectorOp>(op))
      mask.assign(shuffle.getMask().begin(), shuffle.getMask().end());
    else
      llvm::append_range(mask, cast<vector::ShuffleOp>(op).getMask());
    const Column *second = nullptr;
    if (!known(op, op->getOperand(0), source) ||
        !known(op, op->getOperand(1), second))
      return false;
    Column column{Registers(count), 0};
    for (unsigned l = 0; l < to.lanes; ++l) {
      if (mask[l] < 0)
        continue;
      unsigned pick = unsigned(mask[l]);
      const Column *side = pick < from.lanes ? source : second;
      unsigned index = pick < from.lanes ? pick : pick - from.lanes;
      column.defined |= (side->defined >> index & 1) << l;
      for (size_t n = 0; n < count; ++n)
        column.bits[n] |= lane(side->bits[n], index, from) << (l * to.width);
    }
    columns[result] = std::move(column);
    return true;
  }

  // Extraction and insertion at a constant position.
  bool insert = base == "insert" || base == "insertelement";
  std::optional<uint64_t> position;
  Value scalar, vectorValue;
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    if (extract.getStaticPosition().size() == 1 &&
        extract.getDynamicPosition().empty())
      position = uint64_t(extract.getStaticPosition()[0]);
    vectorValue = extract.getSource();
  } else if (auto insertOp = dyn_cast<vector::InsertOp>(op)) {
    if (insertOp.getStaticPosition().size() == 1 &&
        insertOp.getDynamicPosition().empty())
      position = uint64_t(insertOp.getStaticPosition()[0]);
    scalar = insertOp.getValueToStore();
    vectorValue = insertOp.getDest();
  } else {
    const Column *index = nullptr;
    vectorValue = op->getOperand(0);
    if (insert)
      scalar = op->getOperand(1);
    if (!defined(op, op->getOperand(insert ? 2 : 1), index))
      return false;
    position = count ? index->bits[0] : 0;
    if (!llvm::all_of(index->bits,
                      [&](uint64_t bits) { return bits == *position; }))
      position.reset();
  }
  Shape vectorShape = shapeOf(vectorValue.getType());
  if (!position || *position >= vectorShape.lanes)
    return fail(op, "not at a constant position inside the vector");
  unsigned at = unsigned(*position);
  if (!known(op, vectorValue, source))
    return false;
  Column column = *source;
  if (!insert) {
    column.defined = column.defined >> at & 1;
    for (uint64_t &bits : column.bits)
      bits = lane(bits, at, vectorShape);
  } else {
    const Column *element = nullptr;
    if (!known(op, scalar, element))
      return false;
    column.defined = (column.defined & ~(1u << at)) | (element->defined & 1)
                                                          << at;
    unsigned shift = at * vectorShape.width;
    for (size_t n = 0; n < count; ++n)
      column.bits[n] = (column.bits[n] & ~(vectorShape.mask() << shift)) |
                       element->bits[n] << shift;
  }
  columns[result] = std::move(column);
  return true;
}

/// Bytes of two words, chosen by the nibbles of a third.
bool IrEvaluator::prmt(Operation *op) {
  if (op->getNumOperands() != 3)
    return fail(op, "operands do not fit the intrinsic");
  for (Value operand : op->getOperands())
    if (!operand.getType().isInteger(32))
      return fail(op, "operands do not fit the intrinsic");
  return lanewise(op, 3, [](uint64_t a, uint64_t b, uint64_t select) {
    uint64_t bytes = b << 32 | a, result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      uint64_t nibble = select >> (4 * i) & 0xf;
      uint64_t byte = bytes >> (8 * (nibble & 7)) & 0xff;
      if (nibble & 8) // The sign, eight times.
        byte = byte & 0x80 ? 0xff : 0;
      result |= byte << (8 * i);
    }
    return result;
  });
}

/// llvm.nvvm.* names spell the PTX mnemonic: split off what it contains.
bool IrEvaluator::intrinsic(Operation *op) {
  auto call = cast<LLVM::CallIntrinsicOp>(op);
  llvm::StringRef name = call.getIntrin();
  auto unknown = [&] {
    return fail(op, "unknown intrinsic " + call.getIntrin().str());
  };
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 || !exactFlags(op))
    return unknown();
  if (name == "llvm.nvvm.prmt")
    return prmt(op);
  Shape from = shapeOf(op->getOperand(0).getType());
  Shape to = shapeOf(op->getResult(0).getType());
  if (!from.format || !to.format)
    return unknown();
  SoftFormat format = *from.format;
  if (name == "llvm.fabs" || name.starts_with("llvm.fabs."))
    return lanewise(op, 1, [&](uint64_t a, uint64_t, uint64_t) -> uint64_t {
      return softAbs(format, uint32_t(a));
    });
  if (!name.consume_front("llvm.nvvm."))
    return unknown();

  if (name.consume_front("ff2")) {
    // The first operand becomes the upper lane.
    SoftFormat packed = name.starts_with("bf16x2") ? kBF16 : kF16;
    name.consume_front("b");
    Clamp clamp = Clamp::None;
    if (name == "f16x2.rn.relu")
      clamp = Clamp::Relu;
    else if (name != "f16x2.rn")
      return unknown();
    const Column *upper = nullptr, *lower = nullptr;
    if (op->getNumOperands() != 2 || format != kF32 || from.lanes != 1 ||
        to.lanes != 2 || *to.format != packed)
      return fail(op, "operands do not fit the intrinsic");
    if (!known(op, op->getOperand(0), upper) ||
        !known(op, op->getOperand(1), lower))
      return false;
    Column column{Registers(count), upper->defined << 1 | lower->defined};
    for (size_t n = 0; n < count; ++n)
      column.bits[n] =
          uint64_t(softConvert(kF32, packed, uint32_t(upper->bits[n]), clamp))
              << 16 |
          softConvert(kF32, packed, uint32_t(lower->bits[n]), clamp);
    columns[op->getResult(0)] = std::move(column);
    return true;
  }

  // What is left ends in the type.
  auto [stem, suffix] = name.rsplit('.');
  std::optional<SoftFormat> named =
      llvm::StringSwitch<std::optional<SoftFormat>>(suffix)
          .Cases({"f", "f32"}, kF32)
          .Cases({"bf16", "bf16x2"}, kBF16)
          .Cases({"f16", "f16x2"}, kF16)
          .Default(std::nullopt);
  unsigned lanes = suffix.ends_with("x2") ? 2 : 1;
  if (!named)
    return unknown();
  if (*named != format || lanes != from.lanes || lanes != to.lanes ||
      *to.format != format)
    return fail(op, "operands do not fit the intrinsic");
  if (stem.consume_front("fma.rn")) {
    std::optional<Clamp> clamp = llvm::StringSwitch<std::optional<Clamp>>(stem)
                                     .Case("", Clamp::None)
                                     .Case(".relu", Clamp::Relu)
                                     .Case(".sat", Clamp::Sat)
                                     .Default(std::nullopt);
    if (!clamp || op->getNumOperands() != 3 ||
        (*clamp == Clamp::Relu && format == kF32) ||
        (*clamp == Clamp::Sat && format == kBF16))
      return unknown();
    return lanewise(op, 3, [&](uint64_t a, uint64_t b, uint64_t c) -> uint64_t {
      return softFma(format, uint32_t(a), uint32_t(b), uint32_t(c), *clamp);
    });
  }
  if (stem == "add.rm" && format == kF32 && op->getNumOperands() == 2)
    return lanewise(op, 2, [&](uint64_t a, uint64_t b, uint64_t) -> uint64_t {
      return softAddDown(format, uint32_t(a), uint32_t(b));
    });
  if (stem == "floor" && format == kF32 && op->getNumOperands() == 1)
    return lanewise(op, 1, [&](uint64_t a, uint64_t, uint64_t) -> uint64_t {
      return softFloor(format, uint32_t(a));
    });
  MinMaxOptions options;
  options.isMax = stem.starts_with("fmax");
  if (stem.consume_front("fmin") || stem.consume_front("fmax")) {
    options.propagateNaN = stem.consume_front(".nan");
    options.xorSignAbs = stem.consume_front(".xorsign.abs");
    if (!stem.empty() || op->getNumOperands() != 2)
      return unknown();
    return lanewise(op, 2, [&](uint64_t a, uint64_t b, uint64_t) -> uint64_t {
      return softMinMax(format, uint32_t(a), uint32_t(b), options);
    });
  }
  return unknown();
}

/// Runs inline PTX in the emulator, one thread an input.
bool IrEvaluator::inlineAsm(Operation *op) {
  auto assembly = cast<LLVM::InlineAsmOp>(op);
  if (op->getNumResults() != 1)
    return fail(op, "not exactly one result");
  unsigned operands = op->getNumOperands();
  SmallVector<llvm::StringRef> constraints;
  llvm::StringRef(assembly.getConstraints()).split(constraints, ',');
  if (constraints.size() != operands + 1 || !constraints[0].consume_front("="))
    return fail(op, "unknown constraints");
  auto valueType = [&](unsigned index) {
    return index ? op->getOperand(index - 1).getType()
                 : op->getResult(0).getType();
  };
  std::string body, text = assembly.getAsmString().str();
  std::string address = "[%addr]";
  std::vector<unsigned> bytes;
  for (unsigned i = 0; i <= operands; ++i) {
    Shape shape = shapeOf(valueType(i));
    bool good =
        llvm::StringSwitch<bool>(constraints[i])
            .Case("f", shape.format == kF32 && shape.lanes == 1)
            .Case("r", !shape.format && shape.width == 32 && shape.lanes == 1)
            .Case("h", shape.width == 16 && shape.lanes == 1)
            .Default(false);
    if (!good)
      return fail(op, "constraint " + constraints[i].str() +
                          " does not fit its operand");
    std::string width = std::to_string(shape.width);
    std::string reg = "%v" + std::to_string(i);
    bytes.push_back(shape.width / 8);
    body += "\t.reg .b" + width + " " + reg + ";\n";
    if (i)
      body += "\tld.param.b64 %base, [p" + std::to_string(i) +
              "];\n\tadd.s64 %addr, %base, %offset;\n\tld.global.b" + width +
              " " + reg + ", [%addr];\n";
  }
  // $10 before $1.
  for (unsigned i = operands + 1; i-- > 0;) {
    std::string hole = "$" + std::to_string(i);
    for (size_t at; (at = text.find(hole)) != std::string::npos;)
      text.replace(at, hole.size(), "%v" + std::to_string(i));
  }
  std::string module = ".version 8.1\n.target sm_90\n.address_size 64\n"
                       ".visible .entry k(";
  for (unsigned i = 0; i <= operands; ++i)
    module += std::string(i ? ", " : "") + ".param .u64 p" + std::to_string(i);
  module += ")\n{\n\t.reg .b32 %t<4>;\n\t.reg .b64 %base, %addr, %offset;\n"
            "\tmov.u32 %t0, %tid.x;\n\tmov.u32 %t1, %ctaid.x;\n"
            "\tmad.lo.s32 %t2, %t1, 256, %t0;\n"
            "\tmul.wide.u32 %offset, %t2, 4;\n" +
            body + "\t{ " + text +
            " }\n\tld.param.b64 %base, [p0];\n"
            "\tadd.s64 %addr, %base, %offset;\n\tst.global.b" +
            std::to_string(bytes[0] * 8) + " [%addr], %v0;\n\tret;\n}\n";

  std::string message;
  auto parsed = PtxModule::parse(module, message);
  if (!parsed)
    return fail(op, "'" + assembly.getAsmString().str() + "': " + message);
  PtxMemory memory;
  PtxArguments arguments;
  size_t threads = (count + 255) / 256 * 256;
  std::vector<uint32_t> words(threads);
  uint64_t output = memory.allocate(threads * 4);
  arguments.addU64(output);
  for (unsigned i = 0; i < operands; ++i) {
    const Column *column = nullptr;
    if (!defined(op, op->getOperand(i), column))
      return false;
    std::transform(column->bits.begin(), column->bits.end(), words.begin(),
                   [](uint64_t bits) { return uint32_t(bits); });
    uint64_t buffer = memory.allocate(threads * 4);
    memory.write(buffer, words.data(), threads * 4);
    arguments.addU64(buffer);
  }
  if (!ptxLaunch(parsed->kernels().front(), {unsigned(threads / 256), 1, 1},
                 {256, 1, 1}, arguments, memory, message))
    return fail(op, "'" + assembly.getAsmString().str() + "': " + message);
  memory.read(output, words.data(), threads * 4, 0);
  Column column{Registers(words.begin(), words.begin() + count), 1};
  columns[op->getResult(0)] = std::move(column);
  return true;
}

bool IrEvaluator::extended(Operation *op) {
  if (!extension || op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  Shape to = shapeOf(op->getResult(0).getType());
  SmallVector<const Column *, 4> sources;
  SmallVector<Shape, 4> shapes;
  for (Value operand : op->getOperands()) {
    shapes.push_back(shapeOf(operand.getType()));
    auto found = columns.find(operand);
    if (found == columns.end() || shapes.back().lanes != to.lanes)
      return false;
    sources.push_back(&found->second);
  }
  Column result{Registers(count), to.all()};
  SmallVector<uint64_t, 4> lanes(sources.size());
  for (const Column *source : sources)
    result.defined &= source->defined;
  for (size_t n = 0; n < count; ++n)
    for (unsigned l = 0; l < to.lanes; ++l) {
      for (size_t i = 0; i < sources.size(); ++i)
        lanes[i] = lane(sources[i]->bits[n], l, shapes[i]);
      std::optional<uint64_t> bits = extension(op, lanes);
      if (!bits)
        return false;
      result.bits[n] |= (*bits & to.mask()) << (l * to.width);
    }
  columns[op->getResult(0)] = std::move(result);
  return true;
}

const IrEvaluator::Registers *IrEvaluator::registers(Value value) const {
  auto found = columns.find(value);
  return found == columns.end() ? nullptr : &found->second.bits;
}

bool IrEvaluator::evaluate(Operation *op) {
  for (Value result : op->getResults())
    if (shapeOf(result.getType()).lanes == 0)
      return fail(op, "a result is no register");
  for (Value operand : op->getOperands())
    if (shapeOf(operand.getType()).lanes == 0)
      return fail(op, "an operand is no register");
  if (extended(op))
    return true;
  llvm::StringRef name = op->getName().getStringRef();
  if (isa<LLVM::ConstantOp, arith::ConstantOp>(op))
    return constant(op);
  if (isa<LLVM::CallIntrinsicOp>(op))
    return intrinsic(op);
  if (isa<LLVM::InlineAsmOp>(op))
    return inlineAsm(op);

  enum Kind { Unknown, Float, Integer, Reshape };
  struct Known {
    const char *name, *base;
    Kind kind;
  };
  static const Known table[] = {
      {"llvm.intr.fma", "fma", Float},
      {"llvm.fmul", "mulf", Float},
      {"llvm.fadd", "addf", Float},
      {"llvm.fsub", "subf", Float},
      {"llvm.fdiv", "divf", Float},
      {"llvm.fneg", "negf", Float},
      {"llvm.fpext", "extf", Float},
      {"llvm.fptrunc", "truncf", Float},
      {"llvm.fcmp", "cmpf", Float},
      {"llvm.select", "select", Float},
      {"math.fma", "fma", Float},
      {"arith.mulf", "mulf", Float},
      {"arith.addf", "addf", Float},
      {"arith.subf", "subf", Float},
      {"arith.divf", "divf", Float},
      {"arith.negf", "negf", Float},
      {"arith.extf", "extf", Float},
      {"arith.truncf", "truncf", Float},
      {"arith.cmpf", "cmpf", Float},
      {"arith.select", "select", Float},
      {"llvm.and", "andi", Integer},
      {"llvm.or", "ori", Integer},
      {"llvm.xor", "xori", Integer},
      {"llvm.add", "addi", Integer},
      {"llvm.sub", "subi", Integer},
      {"llvm.mul", "muli", Integer},
      {"llvm.shl", "shli", Integer},
      {"llvm.lshr", "shrui", Integer},
      {"llvm.trunc", "trunci", Integer},
      {"llvm.zext", "extui", Integer},
      {"llvm.mlir.poison", "poison", Reshape},
      {"llvm.mlir.undef", "poison", Reshape},
      {"ub.poison", "poison", Reshape},
      {"llvm.bitcast", "bitcast", Reshape},
      {"arith.bitcast", "bitcast", Reshape},
      {"vector.bitcast", "bitcast", Reshape},
      {"llvm.extractelement", "extractelement", Reshape},
      {"llvm.insertelement", "insertelement", Reshape},
      {"llvm.shufflevector", "shufflevector", Reshape},
      {"vector.extract", "extract", Reshape},
      {"vector.insert", "insert", Reshape},
      {"vector.shuffle", "shuffle", Reshape},
      {"vector.from_elements", "from_elements", Reshape},
      {"vector.to_elements", "to_elements", Reshape},
      {"vector.broadcast", "splat", Reshape}};
  for (const Known &entry : table) {
    if (name != entry.name)
      continue;
    switch (entry.kind) {
    case Float:
      return floats(op, entry.base);
    case Integer:
      return integers(op, entry.base);
    default:
      return shapes(op, entry.base);
    }
  }
  return fail(op, "unknown op");
}

bool IrEvaluator::run(Block &block, const std::vector<Registers> &arguments,
                      std::vector<Registers> &results, std::string &message) {
  columns.clear();
  error.clear();
  count = arguments.empty() ? 1 : arguments.front().size();
  bool good = arguments.size() == block.getNumArguments();
  if (!good)
    message = "the block has another number of arguments";
  for (size_t i = 0; good && i < arguments.size(); ++i) {
    Value argument = block.getArgument(unsigned(i));
    columns[argument] = {arguments[i], shapeOf(argument.getType()).all()};
  }
  if (!good)
    return false;
  for (Operation &op : block.without_terminator())
    if (!evaluate(&op)) {
      message = error;
      return false;
    }
  results.clear();
  for (Value operand : block.getTerminator()->getOperands()) {
    const Column *column = nullptr;
    if (!defined(block.getTerminator(), operand, column)) {
      message = error;
      return false;
    }
    results.push_back(column->bits);
  }
  return true;
}

} // namespace polytest
