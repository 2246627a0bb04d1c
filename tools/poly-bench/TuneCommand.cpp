//===- TuneCommand.cpp - Tables that poly-plan decides by -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes of measured results the table that poly-plan's `tuning` reads: for
/// each kernel, how long it took with which programs. What the kernel is, the
/// metadata beside its code says; kernels that were wrong are left out.
///
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "Session.h"

#include <cmath>
#include <map>
#include <unistd.h>

using namespace poly::bench;
using namespace poly::runtime;

namespace {

/// What the author says of a kernel in single values: its identity.
Json identityOf(const KernelMetadata &kernel) {
  Json identity = Json::object();
  for (const std::string &name : kernel.info.names()) {
    const Json &value = kernel.info.at(name);
    bool isSingle = value.kind() == Json::Kind::Boolean ||
                    value.kind() == Json::Kind::Number ||
                    value.kind() == Json::Kind::String;
    if (isSingle && name != "dynamicSharedBytes")
      identity.set(name, value);
  }
  return identity;
}

struct MeasuredVariant {
  Json programs = Json::array();
  /// For each work, the median.
  std::map<std::string, double> times;
};

struct MeasuredKernel {
  Json identity;
  /// By the names of the programs.
  std::map<std::string, MeasuredVariant> variants;
};

/// The time of each variant over the fastest one's, a mean over the works that
/// all variants did; empty if there is no such work.
std::map<std::string, double> relativeTimes(const MeasuredKernel &kernel) {
  std::map<std::string, double> logs;
  size_t works = 0;
  for (const auto &[work, unused] : kernel.variants.begin()->second.times) {
    double best = HUGE_VAL;
    bool hasAll = true;
    for (const auto &[name, variant] : kernel.variants) {
      auto time = variant.times.find(work);
      hasAll &= time != variant.times.end();
      if (hasAll)
        best = std::min(best, time->second);
    }
    if (!hasAll)
      continue;
    ++works;
    for (const auto &[name, variant] : kernel.variants)
      logs[name] += std::log(variant.times.at(work) / best);
  }
  for (auto &[name, value] : logs)
    value = std::exp(value / double(works));
  return logs;
}

void addRow(const Json &row, const std::vector<Entry> &entries,
            std::map<std::string, MeasuredKernel> &kernels, std::string &chip) {
  const Json *correct = row.find("correct");
  const Json *median = row.find("median");
  if (!median || (correct && !correct->asBool("correct")))
    return;
  const Json *details = row.find("details");
  const Json *kind = details ? details->find("kind") : nullptr;
  if (kind && kind->asString("kind") == "peer")
    return; // A library's, which has nothing to decide.
  const std::string &name = row.at("variant").asString("variant");
  for (const Entry &entry : entries) {
    if (entry.name != name)
      continue;
    if (!chip.empty() && chip != entry.image.chip)
      throw std::runtime_error("results of " + chip + " and " +
                               entry.image.chip +
                               "; make a table for each chip");
    chip = entry.image.chip;
    Json identity = identityOf(entry.kernel);
    MeasuredKernel &kernel = kernels[identity.dump()];
    kernel.identity = std::move(identity);
    std::string programs = entry.programs();
    MeasuredVariant &variant = kernel.variants[programs];
    if (variant.times.empty() && programs != "-")
      for (size_t begin = 0; begin <= programs.size();) {
        size_t end = std::min(programs.find('+', begin), programs.size());
        variant.programs.push(programs.substr(begin, end - begin));
        begin = end + 1;
      }
    variant.times[row.at("work").asString("work")] = median->asNumber("median");
    return;
  }
  std::fprintf(stderr,
               "poly-bench: note: the suite has no kernel '%s'; left out\n",
               name.c_str());
}

} // namespace

int poly::bench::runTune(const Options &options) {
  if (options.files.empty())
    throw UsageError("tune takes result files");
  std::map<std::string, MeasuredKernel> kernels;
  std::string chip;
  for (const std::string &path : options.files) {
    Json result = Json::parse(readFile(path), path);
    const std::string &suite = result.at("suite").asString("suite");
    std::string list = options.kernels + "/" + suite + "/suite.json";
    if (access(list.c_str(), R_OK) != 0)
      throw std::runtime_error(list +
                               ": cannot be read; name the folder of the "
                               "kernels that were measured with "
                               "--kernels");
    std::vector<Entry> entries = readSuite(options, suite);
    for (const Json &row : result.at("rows").asArray("rows"))
      addRow(row, entries, kernels, chip);
  }
  Json list = Json::array();
  for (const auto &[unused, kernel] : kernels) {
    // A single variant leaves nothing to decide.
    std::map<std::string, double> times = relativeTimes(kernel);
    if (kernel.variants.size() < 2 || times.empty())
      continue;
    Json variants = Json::array();
    for (const auto &[name, variant] : kernel.variants) {
      Json item = Json::object();
      item.set("programs", variant.programs);
      item.set("time", std::round(times.at(name) * 1e4) / 1e4);
      variants.push(std::move(item));
    }
    Json item = Json::object();
    item.set("kernel", kernel.identity);
    item.set("variants", std::move(variants));
    list.push(std::move(item));
  }
  if (list.size() == 0)
    throw std::runtime_error(
        "no kernel was measured, and right, with two sets of programs");
  Json table = Json::object();
  table.set("version", 1);
  table.set("chip", chip);
  table.set("kernels", std::move(list));
  std::string text = table.dump() + "\n";
  if (options.result.empty())
    std::fputs(text.c_str(), stdout);
  else
    writeFile(options.result, text);
  return 0;
}
