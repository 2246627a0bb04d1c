//===- TuningTable.cpp - Measured times of kernels with programs ----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Transforms/TuningTable.h"

#include "poly/Dialect/Poly/PolyDialect.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace mlir;
using namespace mlir::poly;

using ::poly::RegisteredProgram;

namespace {
/// A variant as the file has it.
struct Variant {
  std::vector<std::string> programs;
  double time = 0;
};

/// Reads values, and fails with the path of what is wrong.
bool readVariant(const llvm::json::Value &value, Variant &variant,
                 llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("programs", variant.programs) ||
      !mapper.map("time", variant.time))
    return false;
  if (std::isfinite(variant.time) && variant.time > 0)
    return true;
  path.field("time").report("expected a positive number");
  return false;
}
} // namespace

static llvm::Error errorIn(StringRef path, const llvm::Twine &what) {
  return llvm::createStringError("%s: %s", path.str().c_str(),
                                 what.str().c_str());
}

llvm::Expected<TuningTable> TuningTable::parse(StringRef text, StringRef path,
                                               PolyDialect &dialect) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  if (!json)
    return errorIn(path, "not JSON: " + llvm::toString(json.takeError()));
  TuningTable table;
  llvm::json::Path::Root root("the table");
  llvm::json::ObjectMapper mapper(*json, root);
  int64_t version = 0;
  if (!mapper || !mapper.map("version", version) ||
      !mapper.map("chip", table.chipName))
    return errorIn(path, llvm::toString(root.getError()));
  if (version != 1)
    return errorIn(path, "version " + llvm::Twine(version) +
                             " is not known; write the table again with "
                             "poly-bench tune");
  const llvm::json::Array *kernels = json->getAsObject()->getArray("kernels");
  if (!kernels)
    return errorIn(path, "expected an array 'kernels'");
  // Paths point at their parents.
  llvm::json::Path rootPath(root), kernelsPath = rootPath.field("kernels");
  for (auto [i, value] : llvm::enumerate(*kernels)) {
    llvm::json::Path kernelPath = kernelsPath.index(unsigned(i)),
                     variantsPath = kernelPath.field("variants");
    const llvm::json::Object *object = value.getAsObject();
    const llvm::json::Object *description =
        object ? object->getObject("kernel") : nullptr;
    const llvm::json::Array *variants =
        object ? object->getArray("variants") : nullptr;
    if (!description || description->empty() || !variants) {
      kernelPath.report("expected an object 'kernel' that says which and an "
                        "array 'variants'");
      return errorIn(path, llvm::toString(root.getError()));
    }
    Kernel kernel{*description, {}};
    std::vector<std::map<::poly::Function, std::string>> used;
    std::vector<double> times;
    std::set<::poly::Function> functions;
    for (auto [j, entry] : llvm::enumerate(*variants)) {
      Variant variant;
      if (!readVariant(entry, variant, variantsPath.index(unsigned(j))))
        return errorIn(path, llvm::toString(root.getError()));
      auto &programs = used.emplace_back();
      times.push_back(variant.time);
      for (const std::string &name : variant.programs) {
        const RegisteredProgram *registered = dialect.findProgram(name);
        if (!registered)
          return errorIn(path, "unknown program '" + name +
                                   "'; write the table again with the programs "
                                   "of this version");
        ::poly::Function function = registered->program.info().function;
        programs[function] = name;
        functions.insert(function);
      }
    }
    // What a variant has no program for is as the source has it; where several
    // variants share a program, the fastest of them counts.
    for (::poly::Function function : functions)
      for (auto [programs, time] : llvm::zip_equal(used, times)) {
        auto own = programs.find(function);
        std::string name = own == programs.end() ? "" : own->second;
        auto [it, isNew] = kernel.times[function].try_emplace(name, time);
        it->second = std::min(it->second, time);
      }
    table.kernels.push_back(std::move(kernel));
  }
  return table;
}

static bool isEqual(Attribute attribute, const llvm::json::Value &value) {
  if (auto flag = dyn_cast_or_null<BoolAttr>(attribute))
    return value.getAsBoolean() == flag.getValue();
  if (auto text = dyn_cast_or_null<StringAttr>(attribute))
    return value.getAsString() == text.getValue();
  if (auto number = dyn_cast_or_null<IntegerAttr>(attribute))
    return value.getAsInteger() == number.getValue().getSExtValue();
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute))
    return value.getAsNumber() == number.getValueAsDouble();
  return false;
}

const TuningTable::Times *TuningTable::find(Operation *op,
                                            ::poly::Function function) const {
  auto parent = dyn_cast<FunctionOpInterface>(op);
  if (!parent)
    parent = op->getParentOfType<FunctionOpInterface>();
  auto description =
      parent ? parent->getAttrOfType<DictionaryAttr>("poly.kernel") : nullptr;
  if (!description)
    return nullptr;
  for (const Kernel &kernel : kernels) {
    auto times = kernel.times.find(function);
    if (times != kernel.times.end() &&
        llvm::all_of(kernel.description, [&](const auto &entry) {
          return isEqual(description.get(entry.first.str()), entry.second);
        }))
      return &times->second;
  }
  return nullptr;
}
