//===- RaiseTest.cpp - Raised idioms are what they claim to be ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs the recogniser over the lit inputs of poly-raise and evaluates every
/// idiom it finds as written, op by op in double, against the function it is
/// said to be. The evaluator goes by op names and shares nothing with the
/// recogniser.
///
//===----------------------------------------------------------------------===//

#include "Idioms.h"

#include "poly/Dialect/Poly/PolyDialect.h"
#include "poly/Program/Certify.h"
#include "poly/Transforms/DeviceCode.h"

#include "mlir/IR/Matchers.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace mlir::poly;
using ::poly::Function;

namespace {

/// Evaluates ops that depend on one value, and on another that is 1.
class Evaluator {
public:
  Evaluator(Value base, double x, Value one) : base(base), one(one), x(x) {}

  double get(Value value) {
    if (value == base)
      return x;
    if (value == one)
      return 1;
    Operation *op = value.getDefiningOp();
    if (!op) {
      ADD_FAILURE() << "an idiom depends on two arguments";
      return NAN;
    }
    Attribute attr;
    if (matchPattern(op, m_Constant(&attr)))
      return getNumber(attr);
    StringRef name = op->getName().getStringRef();
    if (auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee"))
      name = callee.getValue();
    if (auto intrinsic = op->getAttrOfType<StringAttr>("intrin"))
      name = intrinsic.getValue();
    // Of one instruction: its name.
    if (auto assembly = op->getAttrOfType<StringAttr>("asm_string"))
      name = assembly.getValue().split(' ').first;
    return compute(op, name);
  }

private:
  static double getNumber(Attribute attr) {
    if (auto elements = dyn_cast<DenseElementsAttr>(attr))
      attr = *elements.getValues<Attribute>().begin();
    if (auto number = dyn_cast<FloatAttr>(attr))
      return number.getValueAsDouble();
    return cast<IntegerAttr>(attr).getValue().signedRoundToDouble();
  }

  /// -1, 0 or 1 where a comparison is true of less, equal and greater.
  bool compare(Operation *op) {
    double a = get(op->getOperand(0)), b = get(op->getOperand(1));
    std::string text;
    llvm::raw_string_ostream(text) << *op;
    auto says = [&](const char *predicate) {
      return StringRef(text).contains(std::string(" o") + predicate) ||
             StringRef(text).contains(std::string(" u") + predicate) ||
             StringRef(text).contains(std::string("\"o") + predicate) ||
             StringRef(text).contains(std::string("\"u") + predicate);
    };
    if (says("lt") || says("le"))
      return a < b;
    EXPECT_TRUE(says("gt") || says("ge")) << text;
    return a > b;
  }

  double compute(Operation *op, StringRef name) {
    if (name.ends_with(".select"))
      return get(
          op->getOperand(compare(op->getOperand(0).getDefiningOp()) ? 1 : 2));
    std::vector<double> v;
    for (Value operand : op->getOperands())
      v.push_back(get(operand));
    auto is = [&](std::initializer_list<StringRef> names) {
      return llvm::is_contained(names, name);
    };
    if (is({"arith.addf", "llvm.fadd"}))
      return v[0] + v[1];
    if (is({"arith.subf", "llvm.fsub"}))
      return v[0] - v[1];
    if (is({"arith.mulf", "llvm.fmul"}))
      return v[0] * v[1];
    if (is({"arith.divf", "llvm.fdiv", "__nv_fast_fdividef",
            "llvm.nvvm.div.full"}))
      return v[0] / v[1];
    if (is({"__nv_frcp_rn", "nvvm.rcp.approx.ftz.f", "rcp.approx.ftz.f32"}))
      return 1 / v[0];
    if (is({"arith.negf", "llvm.fneg"}))
      return -v[0];
    if (is({"arith.extf", "arith.truncf", "arith.sitofp", "llvm.fpext",
            "vector.broadcast"}))
      return v[0];
    if (is({"math.fma", "vector.fma", "llvm.intr.fma", "llvm.intr.fmuladd",
            "__nv_fmaf_rn"}))
      return v[0] * v[1] + v[2];
    if (is({"math.exp", "llvm.intr.exp", "__nv_expf", "__nv_fast_expf"}))
      return std::exp(v[0]);
    if (is({"math.exp2", "llvm.intr.exp2", "llvm.nvvm.ex2.approx.f",
            "llvm.nvvm.ex2.approx.ftz.f", "llvm.nvvm.ex2.approx.ftz.f32",
            "ex2.approx.ftz.f32"}))
      return std::exp2(v[0]);
    if (is({"math.expm1"}))
      return std::expm1(v[0]);
    if (is({"math.tanh", "llvm.intr.tanh", "__nv_tanhf", "__nv_fast_tanhf",
            "llvm.nvvm.tanh.approx.f", "tanh.approx.f32"}))
      return std::tanh(v[0]);
    if (is({"math.erf", "__nv_erff"}))
      return std::erf(v[0]);
    if (is({"math.erfc"}))
      return std::erfc(v[0]);
    if (is({"math.powf", "math.fpowi"}))
      return std::pow(v[0], v[1]);
    if (is({"math.absf", "llvm.intr.fabs", "__nv_fabsf"}))
      return std::abs(v[0]);
    if (is({"math.copysign", "llvm.intr.copysign", "__nv_copysignf"}))
      return std::copysign(v[0], v[1]);
    if (is({"arith.maximumf", "arith.maxnumf"}))
      return std::max(v[0], v[1]);
    if (is({"arith.minimumf", "arith.minnumf"}))
      return std::min(v[0], v[1]);
    ADD_FAILURE() << "unknown op in an idiom: " << name.str();
    return NAN;
  }

  Value base, one;
  double x;
};

/// How far a spelling may be off: its literals are rounded to its type.
double getTolerance(Type type) {
  return getElementFormat(type) == ::poly::Format::F32 ? 1e-5 : 0.05;
}

void checkIdiom(const Idiom &idiom) {
  Value result = idiom.root->getResult(0);
  for (double x = -16.0; x <= 16.0; x += 0.34375) {
    double argument = idiom.target.scale * (idiom.target.negated ? -x : x);
    double expected = idiom.target.factor *
                      ::poly::reference(idiom.target.function, argument);
    // Of a quotient, what its numerator is multiplied by.
    if (idiom.numerator == idiom.base)
      expected *= x;
    double got = Evaluator(idiom.base, x, idiom.numerator).get(result);
    // 1 - t^2 cancels where it is small.
    ASSERT_NEAR(got, expected,
                getTolerance(result.getType()) * std::abs(expected) + 1e-12)
        << "at " << x;
  }
}

std::vector<std::string> getInputs() {
  std::vector<std::string> paths;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(POLY_RAISE_INPUTS, error), end;
       it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".mlir"))
      paths.push_back(it->path());
  llvm::sort(paths);
  return paths;
}

TEST(Raise, EvaluatesToItsFunction) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<PolyDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  unsigned checked = 0;
  for (const std::string &path : getInputs()) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    ASSERT_TRUE(buffer) << path;
    SmallVector<StringRef> parts;
    (*buffer)->getBuffer().split(parts, "// -----");
    for (StringRef part : parts) {
      OwningOpRef<ModuleOp> module =
          parseSourceString<ModuleOp>(part, &context);
      ASSERT_TRUE(module) << path;
      for (Operation *root : collectDeviceRoots(*module))
        for (const Idiom &idiom : findIdioms(root)) {
          SCOPED_TRACE(path);
          checkIdiom(idiom);
          ++checked;
        }
    }
  }
  EXPECT_GT(checked, 90u);
}

/// Parses \p body as the body of a device function of one f32 argument %x.
OwningOpRef<ModuleOp> parseBody(MLIRContext &context, const std::string &body) {
  return parseSourceString<ModuleOp>(
      "gpu.module @m {\nfunc.func @f(%x: f32, %m: memref<f32>) {\n" + body +
          "return\n}\n}\n",
      &context);
}

TEST(Raise, CoversAllOpsBetweenArgumentAndResult) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<PolyDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parseBody(context, R"mlir(
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x fastmath<afn> : f32
    %e = math.exp %n fastmath<afn, nsz> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %y = arith.divf %x, %d fastmath<afn> : f32
    memref.store %y, %m[] : memref<f32>
  )mlir");
  ASSERT_TRUE(module);
  SmallVector<Operation *> roots = collectDeviceRoots(*module);
  ASSERT_EQ(roots.size(), 1u);
  std::vector<Idiom> idioms = findIdioms(roots.front());
  ASSERT_EQ(idioms.size(), 1u);
  EXPECT_EQ(idioms[0].ops.size(), 4u);
  EXPECT_EQ(idioms[0].target.function, Function::Silu);
  EXPECT_TRUE(hasConsent(idioms[0]));
  EXPECT_EQ(getCommonFlags(idioms[0]), arith::FastMathFlags::afn);
}

/// One value that feeds very many exponentials, and one exponential with very
/// many users, must not make the search slow or change what is found first.
TEST(Raise, IsBoundedByTheNumberOfOps) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<PolyDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string body = "%c1 = arith.constant 1.0 : f32\n";
  constexpr int kCount = 3000;
  for (int i = 0; i < kCount; ++i) {
    std::string k = std::to_string(i);
    body += "%n" + k +
            " = arith.negf %x : f32\n" //
            "%e" +
            k + " = math.exp %n" + k +
            " : f32\n"
            "%d" +
            k + " = arith.addf %c1, %e" + k +
            " : f32\n"
            "%s" +
            k + " = arith.divf %c1, %d" + k +
            " : f32\n"
            "memref.store %s" +
            k + ", %m[] : memref<f32>\n";
  }
  // A long chain above and below.
  body += "%p0 = math.exp %x : f32\n";
  for (int i = 0; i < kCount; ++i) {
    std::string k = std::to_string(i);
    body += "%p" + std::to_string(i + 1) + " = arith.mulf %p" + k + ", %e" + k +
            " : f32\nmemref.store %p" + std::to_string(i + 1) +
            ", %m[] : memref<f32>\n";
  }
  OwningOpRef<ModuleOp> module = parseBody(context, body);
  ASSERT_TRUE(module);
  std::vector<Idiom> idioms = findIdioms(collectDeviceRoots(*module).front());
  // The exponential that starts the chain is a site of its own.
  EXPECT_EQ(idioms.size(), size_t(kCount) + 1);
}

} // namespace
