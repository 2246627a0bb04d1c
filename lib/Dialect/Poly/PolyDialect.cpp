//===- PolyDialect.cpp - The poly dialect ---------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Dialect/Poly/PolyDialect.h"

#include "poly/Dialect/Poly/LowerBoundAttr.h"
#include "poly/Dialect/Poly/OrderOnlyAttr.h"
#include "poly/Dialect/Poly/RescaledAttr.h"

#include "poly/Program/ProgramFile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::poly;

#include "poly/Dialect/Poly/PolyDialect.cpp.inc"
#include "poly/Dialect/Poly/PolyEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "poly/Dialect/Poly/PolyAttrs.cpp.inc"

void PolyDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "poly/Dialect/Poly/PolyAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "poly/Dialect/Poly/PolyOps.cpp.inc"
      >();
}

Operation *PolyDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

const ::poly::RegisteredProgram *PolyDialect::findProgram(StringRef name) {
  std::string_view view(name.data(), name.size());
  if (const ::poly::RegisteredProgram *shipped = ::poly::findProgram(view))
    return shipped;
  llvm::sys::SmartScopedReader<true> lock(userMutex);
  for (const auto &user : userPrograms)
    if (user->program.name() == view)
      return user.get();
  return nullptr;
}

const ::poly::RegisteredProgram *PolyDialect::findProgram(ProgramAttr attribute,
                                                          std::string &error) {
  StringRef name = attribute.getName(), definition = attribute.getDefinition();
  const ::poly::RegisteredProgram *known = findProgram(name);
  if (definition.empty() ||
      (known && known->program.info().definition == definition)) {
    if (!known)
      error = ("unknown program '" + name + "'").str();
    return known;
  }
  llvm::Expected<std::vector<::poly::Program>> programs =
      ::poly::parseProgramFile(("[" + definition + "]").str(), name);
  if (!programs) {
    error = llvm::toString(programs.takeError());
    return nullptr;
  }
  for (::poly::Program &program : *programs) {
    ::poly::Certificate certificate = ::poly::certify(program);
    if (failed(addProgram({std::move(program), certificate}))) {
      error = ("the name '" + name + "' belongs to another program").str();
      return nullptr;
    }
  }
  known = findProgram(name);
  if (!known)
    error = ("the definition is not of a program '" + name + "'").str();
  return known;
}

std::vector<const ::poly::RegisteredProgram *> PolyDialect::programs() {
  std::vector<const ::poly::RegisteredProgram *> all;
  for (const ::poly::RegisteredProgram &shipped : ::poly::shippedPrograms())
    all.push_back(&shipped);
  llvm::sys::SmartScopedReader<true> lock(userMutex);
  for (const auto &user : userPrograms)
    all.push_back(user.get());
  return all;
}

LogicalResult PolyDialect::addProgram(::poly::RegisteredProgram program) {
  if (::poly::findProgram(program.program.name()))
    return failure();
  llvm::sys::SmartScopedWriter<true> lock(userMutex);
  for (const auto &user : userPrograms)
    if (user->program.name() == program.program.name())
      // Adding the same program again, e.g. by a second run of the pipeline in
      // one context, is harmless; a different one under its name is not.
      return success(::poly::identical(user->program, program.program));
  userPrograms.push_back(
      std::make_unique<::poly::RegisteredProgram>(std::move(program)));
  return success();
}

/// What of a `poly.kernel` has no counterpart in JSON, or null.
static Attribute findUnprintable(Attribute attribute) {
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    for (NamedAttribute member : dictionary)
      if (Attribute found = findUnprintable(member.getValue()))
        return found;
    return {};
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    for (Attribute element : array)
      if (Attribute found = findUnprintable(element))
        return found;
    return {};
  }
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValue().isFinite() ? Attribute() : attribute;
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getValue().getBitWidth() <= 64 ? Attribute() : attribute;
  return isa<StringAttr, UnitAttr>(attribute) ? Attribute() : attribute;
}

static LogicalResult verifyKernel(Operation *op, Attribute attribute) {
  StringRef name = PolyDialect::kKernelAttr;
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary || !isa<FunctionOpInterface>(op))
    return op->emitOpError()
           << "attribute '" << name << "' must be a dictionary on a function";
  if (Attribute found = findUnprintable(dictionary))
    return op->emitOpError()
           << "attribute '" << name << "' cannot hold " << found
           << "; it takes strings, integers, finite numbers, booleans, units, "
              "arrays and dictionaries";
  Attribute shared = dictionary.get("dynamicSharedBytes");
  auto bytes = dyn_cast_if_present<IntegerAttr>(shared);
  if (shared && (!bytes || bytes.getValue().isNegative()))
    return op->emitOpError() << "dynamicSharedBytes of '" << name
                             << "' must be an integer and not negative";
  return success();
}

LogicalResult PolyDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kOptInAttr || name == kRoundInputsAttr ||
      name == kRoundOffsetsAttr || name == kKeepAttr || name == kRescaledAttr ||
      name == kOrderOnlyAttr) {
    if (!isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError()
             << "attribute '" << name << "' must be a unit attribute";
    return success();
  }
  if (name == kLowerBoundAttr) {
    auto bound = dyn_cast<FloatAttr>(attribute.getValue());
    if (!bound || !bound.getType().isF64() || !bound.getValue().isFinite())
      return op->emitOpError() << "attribute '" << name
                               << "' must be a finite f64, e.g. -126.0 : f64";
    return success();
  }
  if (name == kAccuracyAttr) {
    if (!isa<AccuracyAttr>(attribute.getValue()))
      return op->emitOpError()
             << "attribute '" << name
             << "' must be a #poly.accuracy, e.g. #poly.accuracy<ulps = 1.0>";
    return success();
  }
  if (name == kKernelAttr)
    return verifyKernel(op, attribute.getValue());
  if (name == kKindAttr || name == kPairAttr) {
    bool isKind = name == kKindAttr;
    if (!getFunction(op))
      return op->emitOpError()
             << "attribute '" << name << "' belongs on a poly function op";
    if (isKind ? !isa<StringAttr>(attribute.getValue())
               : !isa<IntegerAttr>(attribute.getValue()))
      return op->emitOpError() << "attribute '" << name << "' must be "
                               << (isKind ? "a string" : "an integer");
    return success();
  }
  return op->emitOpError()
         << "unknown attribute '" << name
         << "'; known are poly.optin, poly.round_inputs, "
            "poly.round_offsets, poly.lower_bound, poly.order_only, poly.keep, "
            "poly.accuracy and poly.kernel";
}

//===----------------------------------------------------------------------===//
// AccuracyAttr
//===----------------------------------------------------------------------===//

::poly::Accuracy AccuracyAttr::getAccuracy() const {
  return {getAtol().convertToDouble(), getRtol().convertToDouble(),
          getUlps().convertToDouble()};
}

AccuracyAttr AccuracyAttr::get(MLIRContext *context,
                               const ::poly::Accuracy &accuracy) {
  return get(context, APFloat(accuracy.atol), APFloat(accuracy.rtol),
             APFloat(accuracy.ulps));
}

LogicalResult AccuracyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   APFloat atol, APFloat rtol, APFloat ulps) {
  bool anyPositive = false;
  for (const APFloat *part : {&atol, &rtol, &ulps}) {
    if (&part->getSemantics() != &APFloat::IEEEdouble())
      return emitError() << "accuracy parts must be f64 numbers";
    if (!part->isFinite() || part->isNegative())
      return emitError() << "accuracy parts must be finite and not negative";
    anyPositive |= !part->isZero();
  }
  if (!anyPositive)
    return emitError() << "accuracy needs a positive atol, rtol or ulps: no "
                          "program is exact";
  return success();
}

Attribute AccuracyAttr::parse(AsmParser &parser, Type) {
  double values[3] = {0, 0, 0};
  bool seen[3] = {false, false, false};
  static constexpr StringLiteral kNames[] = {"atol", "rtol", "ulps"};
  SMLoc loc = parser.getCurrentLocation();
  auto parsePart = [&]() -> ParseResult {
    StringRef key;
    SMLoc keyLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    for (int i = 0; i < 3; ++i) {
      if (key != kNames[i])
        continue;
      if (seen[i])
        return parser.emitError(keyLoc) << "'" << key << "' given twice";
      seen[i] = true;
      return parser.parseFloat(values[i]);
    }
    return parser.emitError(keyLoc) << "expected atol, rtol or ulps";
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parsePart))
    return {};
  return AccuracyAttr::getChecked([&] { return parser.emitError(loc); },
                                  parser.getContext(), APFloat(values[0]),
                                  APFloat(values[1]), APFloat(values[2]));
}

void AccuracyAttr::print(AsmPrinter &printer) const {
  printer << '<';
  const char *separator = "";
  auto part = [&](StringRef name, const APFloat &value) {
    if (value.isZero())
      return;
    printer << separator << name << " = ";
    printer.printFloat(value);
    separator = ", ";
  };
  part("atol", getAtol());
  part("rtol", getRtol());
  part("ulps", getUlps());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Utilities
//===----------------------------------------------------------------------===//

std::optional<::poly::Function> mlir::poly::getFunction(Operation *op) {
  using Result = std::optional<::poly::Function>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<SigmoidOp>([](auto) { return ::poly::Function::Sigmoid; })
      .Case<TanhOp>([](auto) { return ::poly::Function::Tanh; })
      .Case<SiluOp>([](auto) { return ::poly::Function::Silu; })
      .Case<GeluErfOp>([](auto) { return ::poly::Function::GeluErf; })
      .Case<GeluTanhOp>([](auto) { return ::poly::Function::GeluTanh; })
      .Case<DSigmoidOp>([](auto) { return ::poly::Function::DSigmoid; })
      .Case<DTanhOp>([](auto) { return ::poly::Function::DTanh; })
      .Case<DSiluOp>([](auto) { return ::poly::Function::DSilu; })
      .Case<DGeluErfOp>([](auto) { return ::poly::Function::DGeluErf; })
      .Case<DGeluTanhOp>([](auto) { return ::poly::Function::DGeluTanh; })
      .Case<SinTurnOp>([](auto) { return ::poly::Function::SinTurn; })
      .Case<CosTurnOp>([](auto) { return ::poly::Function::CosTurn; })
      .Case<ExpOp>([](auto) { return ::poly::Function::Exp; })
      .Case<Exp2Op>([](auto) { return ::poly::Function::Exp2; })
      .Default([](Operation *) { return std::nullopt; });
}

bool mlir::poly::hasFunctionOp(::poly::Function function) {
  return function <= ::poly::Function::CosTurn;
}

Operation *mlir::poly::createFunctionOp(OpBuilder &builder, Location loc,
                                        ::poly::Function function,
                                        Value operand, Value original,
                                        arith::FastMathFlags fastmath,
                                        bool consent) {
  auto create = [&](auto tag, auto... extra) -> Operation * {
    using OpTy = decltype(tag);
    return OpTy::create(builder, loc, operand.getType(), operand, original,
                        fastmath, consent, ProgramAttr(), extra...);
  };
  switch (function) {
  case ::poly::Function::Sigmoid:
    return create(SigmoidOp());
  case ::poly::Function::Tanh:
    return create(TanhOp());
  case ::poly::Function::Silu:
    return create(SiluOp());
  case ::poly::Function::GeluErf:
    return create(GeluErfOp());
  case ::poly::Function::GeluTanh:
    return create(GeluTanhOp());
  case ::poly::Function::DSigmoid:
    return create(DSigmoidOp());
  case ::poly::Function::DTanh:
    return create(DTanhOp());
  case ::poly::Function::DSilu:
    return create(DSiluOp());
  case ::poly::Function::DGeluErf:
    return create(DGeluErfOp());
  case ::poly::Function::DGeluTanh:
    return create(DGeluTanhOp());
  case ::poly::Function::Exp:
    return create(ExpOp(), ExpRole::Plain, FloatAttr(), ProgramAttr(),
                  IntegerAttr());
  case ::poly::Function::Exp2:
    return create(Exp2Op(), ExpRole::Plain, FloatAttr(), ProgramAttr(),
                  IntegerAttr());
  case ::poly::Function::SinTurn:
    return create(SinTurnOp());
  case ::poly::Function::CosTurn:
    return create(CosTurnOp());
  case ::poly::Function::SigmoidShift:
  case ::poly::Function::DSigmoidShift:
  case ::poly::Function::Custom:
    break;
  }
  llvm_unreachable("a function without an op");
}

std::optional<::poly::Format> mlir::poly::getFormat(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isF32())
    return ::poly::Format::F32;
  if (element.isBF16())
    return ::poly::Format::BF16;
  if (element.isF16())
    return ::poly::Format::F16;
  if (isa<Float8E4M3FNType>(element))
    return ::poly::Format::E4M3;
  if (isa<Float8E5M2Type>(element))
    return ::poly::Format::E5M2;
  return std::nullopt;
}
