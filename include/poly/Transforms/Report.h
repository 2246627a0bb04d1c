//===- Report.h - The decisions of the planner -----------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_REPORT_H
#define POLY_TRANSFORMS_REPORT_H

#include "poly/Program/Certify.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace mlir::poly {

/// One candidate site and what became of it.
struct ReportRow {
  std::string function; ///< Symbol of the enclosing function.
  std::string kind;     ///< "sigmoid", "silu", "tanh".
  bool applied = false;
  std::string reason;   ///< Why it was applied or left.
  std::string program;  ///< Empty when left.
  std::string from, to; ///< Formats of argument and result values.
  int64_t lanes = 1;    ///< Elements of the site: 1, or the vector's length.
  /// Errors of the chosen program, from its certificate.
  std::optional<::poly::Certificate> certificate;
  /// Issue slots per element, before and after.
  double slotsBefore = 0, slotsAfter = 0;
  Location loc;
  /// Of a site in a training pair: the pair, what its directions agreed on, and
  /// backward what the derivative is off by at most, where that is known.
  std::string pair, agreement;
  std::optional<double> gradientError;

  explicit ReportRow(Location loc) : loc(loc) {}
};

/// Writes the rows as a JSON array, one object a site: into a larger document,
/// or as one.
void writeReportRows(llvm::ArrayRef<ReportRow> rows, llvm::json::OStream &json);
void writeReportJson(llvm::ArrayRef<ReportRow> rows, llvm::raw_ostream &os);

/// Writes the rows as an aligned table.
void writeReportTable(llvm::ArrayRef<ReportRow> rows, llvm::raw_ostream &os);

/// "file:line:col", or the printed form of other locations.
std::string toString(Location loc);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_REPORT_H
