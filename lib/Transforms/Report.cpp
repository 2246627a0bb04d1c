//===- Report.cpp - The decisions of the planner --------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Transforms/Report.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::poly;

std::string mlir::poly::toString(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  std::string text;
  llvm::raw_string_ostream(text) << loc;
  return text;
}

/// JSON has no Inf or NaN; a bound that does not exist is null.
static llvm::json::Value number(double value) {
  if (!std::isfinite(value))
    return nullptr;
  return value;
}

static double rounded(double slots) { return std::round(slots * 100) / 100; }

void mlir::poly::writeReportRows(ArrayRef<ReportRow> rows,
                                 llvm::json::OStream &json) {
  json.array([&] {
    for (const ReportRow &row : rows)
      json.object([&] {
        json.attribute("function", row.function);
        json.attribute("kind", row.kind);
        json.attribute("decision", row.applied ? "applied" : "missed");
        json.attribute("reason", row.reason);
        json.attribute("program", row.applied ? llvm::json::Value(row.program)
                                              : llvm::json::Value(nullptr));
        json.attribute("from", row.from);
        json.attribute("to", row.to);
        json.attribute("lanes", row.lanes);
        if (row.certificate)
          json.attributeObject("error", [&] {
            json.attribute("maxAbs", number(row.certificate->maxAbs));
            json.attribute("maxRel", number(row.certificate->maxRel));
            json.attribute("worstInput",
                           number(row.certificate->worstAbsInput));
          });
        else
          json.attribute("error", nullptr);
        json.attributeObject("slots", [&] {
          json.attribute("before", number(rounded(row.slotsBefore)));
          json.attribute("after", number(rounded(row.slotsAfter)));
        });
        if (!row.pair.empty())
          json.attributeObject("training", [&] {
            json.attribute("pair", row.pair);
            json.attribute("agreement", row.agreement);
            json.attribute("gradientError", row.gradientError
                                                ? number(*row.gradientError)
                                                : llvm::json::Value(nullptr));
          });
        json.attribute("loc", toString(row.loc));
      });
  });
}

void mlir::poly::writeReportJson(ArrayRef<ReportRow> rows,
                                 llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  writeReportRows(rows, json);
  json.flush();
  os << "\n";
}

void mlir::poly::writeReportTable(ArrayRef<ReportRow> rows,
                                  llvm::raw_ostream &os) {
  constexpr size_t kColumns = 8;
  using Line = std::array<std::string, kColumns>;
  std::vector<Line> lines = {{"function", "kind", "decision", "program",
                              "from->to", "max abs error", "slots", "reason"}};
  for (const ReportRow &row : rows) {
    std::string error, slots;
    if (row.certificate)
      llvm::raw_string_ostream(error)
          << llvm::format("%.3g", row.certificate->maxAbs);
    llvm::raw_string_ostream(slots)
        << llvm::format("%.1f->%.1f", row.slotsBefore, row.slotsAfter);
    lines.push_back({row.function, row.kind, row.applied ? "applied" : "missed",
                     row.applied ? row.program : "-", row.from + "->" + row.to,
                     row.applied ? error : "-", slots, row.reason});
  }
  std::array<size_t, kColumns> widths = {};
  for (const Line &line : lines)
    for (size_t i = 0; i < kColumns; ++i)
      widths[i] = std::max(widths[i], line[i].size());
  for (const Line &line : lines) {
    for (size_t i = 0; i + 1 < kColumns; ++i) {
      os << line[i];
      os.indent(widths[i] - line[i].size() + 2);
    }
    os << line[kColumns - 1] << "\n";
  }
}
