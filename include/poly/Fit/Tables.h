//===- Tables.h - Generated coefficient tables ------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The generated files of lib/Program/Tables and their check.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_FIT_TABLES_H
#define POLY_FIT_TABLES_H

#include "poly/Fit/PolynomialFit.h"
#include "poly/Fit/SfuFit.h"

#include <functional>
#include <string>
#include <vector>

namespace poly::fit {

/// The functions that have a table of polynomials.
std::vector<Function> tabledFunctions();

/// The polynomial programs that ship for \p function, in table order.
std::vector<PolynomialRequest> shippedRequests(Function function);

/// One line of a table, without the newline.
std::string tableRow(const PolynomialSpec &spec, bool coupled = false);
std::string tableRow(Function function, const char *part, Format format,
                     const SfuFit &fit);
std::string tableRow(const Program &program, const Certificate &certificate);

/// "Sigmoid.inc", "DGeluErf.inc", ...
std::string tableName(Function function);
/// The whole text of a function's table, of Sfu.inc, Exp2.inc and
/// Certificates.inc (every shipped program, from the tables compiled in).
std::string functionTable(Function function, const SearchOptions &options = {});
std::string sfuTable();
std::string exp2Table();
std::string certificateTable();

/// Compares the tables in \p directory with what the fitter makes now, and
/// calls \p report with a line for every difference. \p quick refits one row a
/// function instead of all. Returns the number of differences.
unsigned checkTables(const std::string &directory, bool quick,
                     const std::function<void(const std::string &)> &report);

} // namespace poly::fit

#endif // POLY_FIT_TABLES_H
