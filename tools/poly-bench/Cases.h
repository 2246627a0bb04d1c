//===- Cases.h - Checked contenders of a piece of work ----------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_CASES_H
#define POLY_BENCH_CASES_H

#include "Session.h"
#include "TensorMaps.h"
#include "Values.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace poly::bench {

/// A compiled kernel at a piece of work, with what its check found.
struct Case {
  explicit Case(const Entry *entry);

  const Entry *entry;
  std::shared_ptr<runtime::Kernel> kernel;
  /// What the kernel's functions may be off in absolute terms: the certificates
  /// of the programs put in; 2^-20, for f32 arithmetic on numbers near one with
  /// the device's own functions, where that is more.
  double allowedError;
  /// Enqueues the timed work.
  std::function<void(runtime::StreamHandle)> enqueue;
  ErrorMeter error;
  /// Anything else that was wrong: "wrote outside its array".
  std::string fault;
  /// For the result file.
  runtime::Json details = runtime::Json::object();

  bool ok() const { return error.ok() && fault.empty(); }
  /// Blocks for \p count elements, by the kernel's elementsPerBlock.
  runtime::Dim3 grid(size_t count) const;
};

/// The suite's entries by what they work at: \p workOf makes an entry's Work,
/// or nothing; works of the same name() are one, with all their `entries`.
template <typename Work, typename WorkOf>
std::vector<Work> groupEntries(const Session &session, WorkOf workOf) {
  std::vector<Work> works;
  for (const Entry &entry : session.entries) {
    std::optional<Work> work = workOf(entry);
    if (!work || !session.wanted(work->name(), entry.name))
      continue;
    auto found = std::find_if(works.begin(), works.end(), [&](const Work &w) {
      return w.name() == work->name();
    });
    if (found == works.end())
      found = works.insert(works.end(), std::move(*work));
    found->entries.push_back(&entry);
  }
  return works;
}

/// Times the cases that were right beside copies of as many bytes as the work
/// reads and writes, \p bytes: by the suite's own copy kernel, if it has one,
/// and by the driver. Adds a row for each; cases that were wrong get a row that
/// says so.
void measureCases(Session &session, const std::string &work, size_t bytes,
                  const std::vector<Case> &cases);

/// Values by the names that a kernel's author gave its parameters (`arguments`
/// in its info).
class NamedArguments {
public:
  NamedArguments &array(const std::string &name,
                        const runtime::Buffer &buffer) {
    arrays[name] = buffer.address();
    return *this;
  }
  NamedArguments &integer(const std::string &name, int64_t value) {
    integers[name] = value;
    return *this;
  }
  NamedArguments &number(const std::string &name, double value) {
    numbers[name] = value;
    return *this;
  }
  /// What the maps called \p name are made of.
  NamedArguments &tensor(const std::string &name, runtime::TensorArray array) {
    tensors[name] = std::move(array);
    return *this;
  }
  /// Throws JsonError when the kernel has a parameter of another name.
  runtime::Arguments bind(const runtime::KernelMetadata &kernel) const;

private:
  std::map<std::string, runtime::DevicePtr> arrays;
  std::map<std::string, int64_t> integers;
  std::map<std::string, double> numbers;
  std::map<std::string, runtime::TensorArray> tensors;
};

/// Elements of a period of the timed inputs: a prime, so that no chunk, block
/// or wave always meets the same values.
constexpr size_t kPeriod = 4194301;

/// Fills arrays that kernels write to, and marks what lies behind their end.
constexpr unsigned char kPoison = 0xa5;
/// Elements behind each checked array.
constexpr size_t kPadding = 64;
/// An array for \p count results and padding, all poisoned.
runtime::Buffer poisoned(Format format, size_t count);
/// Its results. Sets \p fault when the padding was written to.
Words resultsOf(Format format, const runtime::Buffer &buffer, size_t count,
                std::string &fault);
/// \p words on the device, with padding behind them.
runtime::Buffer uploadPadded(Format format, const Words &words);

} // namespace poly::bench

#endif // POLY_BENCH_CASES_H
