//===- Session.cpp - One run of a suite -----------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Files.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace poly::bench;
using namespace poly::runtime;

std::vector<const Json *> Entry::appliedSites() const {
  std::vector<const Json *> sites;
  for (const Json &site : image.sites.asArray("sites"))
    if (site.at("function").asString("function") == kernel.name &&
        site.at("decision").asString("decision") == "applied")
      sites.push_back(&site);
  return sites;
}

std::string Entry::programs() const {
  std::vector<std::string> names;
  for (const Json *site : appliedSites()) {
    const std::string &name = site->at("program").asString("program");
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : "+") + name;
  return text.empty() ? "-" : text;
}

double Entry::certifiedError() const {
  double largest = 0;
  for (const Json *site : appliedSites())
    if (const Json *error = site->find("error"))
      if (error->kind() == Json::Kind::Object)
        largest = std::max(largest, error->at("maxAbs").asNumber("maxAbs"));
  return largest;
}

std::vector<Entry> poly::bench::readSuite(const Options &options,
                                          const std::string &suite) {
  std::string folder = options.kernels + "/" + suite + "/";
  std::string path = folder + "suite.json";
  if (access(path.c_str(), R_OK) != 0) {
    Driver::get(); // Who has no GPU need not compile anything.
    throw std::runtime_error(
        path + ": cannot be read; compile the suites first (target "
               "poly-bench-kernels, or runtime/scripts/compile_kernels.py) or "
               "name their folder with --kernels");
  }
  Json json = Json::parse(readFile(path), path);
  std::vector<Entry> entries;
  try {
    for (const Json &item : json.at("entries").asArray("entries")) {
      Entry entry;
      entry.name = item.at("name").asString("name");
      entry.variant = item.at("variant").asString("variant");
      entry.metadata = folder + item.at("metadata").asString("metadata");
      entry.image = readMetadata(entry.metadata);
      if (const Json *limit = item.find("errorLimit")) {
        entry.errorLimit = limit->asNumber("errorLimit");
        if (!(entry.errorLimit > 0))
          throw JsonError("errorLimit must be positive");
      }
      const Json *kernel = item.find("kernel");
      entry.kernel = kernel ? entry.image.kernel(kernel->asString("kernel"))
                            : entry.image.kernels.front();
      entries.push_back(std::move(entry));
    }
  } catch (const JsonError &error) {
    throw JsonError(path + ": entry " + std::to_string(entries.size()) + ": " +
                    error.what());
  }
  if (entries.empty())
    throw JsonError(path + ": lists no entries");
  return entries;
}

/// The suite, after all that can be said against it without a GPU.
static std::vector<Entry> readChecked(const Options &options,
                                      const std::string &suite,
                                      const Session::Check &check) {
  for (const std::string &path : {options.result, options.plot})
    if (!path.empty())
      checkWritable(path);
  std::vector<Entry> entries = readSuite(options, suite);
  for (const Entry &entry : entries) {
    try {
      // What later asks for sites must find them well-formed.
      entry.certifiedError();
      entry.programs();
      if (check)
        check(entry.kernel);
    } catch (const std::exception &error) {
      throw JsonError(entry.metadata + ": " + error.what());
    }
    if (access(entry.image.image.c_str(), R_OK) != 0)
      throw std::runtime_error(entry.image.image +
                               ": cannot be read; compile the suite again");
  }
  return entries;
}

Session::Session(const Options &options, const std::string &suite,
                 const Check &check)
    : options(options), entries(readChecked(options, suite, check)),
      context(options.device), meter(context), results(suite, context) {
  results.describe("quick", options.quick);
  if (const Nvml *nvml = meter.nvml()) {
    GpuState state = nvml->read();
    if (state.temperatureC)
      results.describe("temperatureAtStartC", size_t(*state.temperatureC));
  } else {
    results.describe("clocks", "not known: no NVML");
  }
}

bool Session::wanted(const std::string &work,
                     const std::string &variant) const {
  return (work + " " + variant).find(options.only) != std::string::npos;
}

MeasureOptions Session::measureOptions(const std::string &work) const {
  MeasureOptions measure;
  if (options.quick) {
    measure.warmupRounds = 1;
    measure.minRounds = measure.maxRounds = 3;
    measure.roundMilliseconds = 0.5;
  }
  if (options.rounds) {
    measure.maxRounds = options.rounds;
    measure.minRounds = std::min(measure.minRounds, options.rounds);
  }
  measure.progress = [this, work](unsigned done, unsigned most) {
    progress(work + ": round " + std::to_string(done) + " of at most " +
             std::to_string(most));
  };
  return measure;
}

/// In place of the line before, where there is a terminal.
static void showLine(const std::string &text) {
  static const bool terminal = isatty(STDERR_FILENO);
  if (terminal)
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

void Session::progress(const std::string &text) const {
  showLine(text);
  if (Interruption::wanted())
    endEarly();
}

void Session::endEarly() const {
  showLine("");
  std::string message = "the run was interrupted";
  if (!options.result.empty() && !results.rows().empty()) {
    Json json = results.toJson();
    json.set("interrupted", true);
    writeFile(options.result, json.dump() + "\n");
    message += "; " + options.result + " has the results so far";
  }
  throw std::runtime_error(message);
}

int Session::finish(const std::vector<std::string> &columns) {
  showLine("");
  if (results.rows().empty())
    throw std::runtime_error("nothing to measure: --only=" + options.only +
                             " leaves no work");
  // Should a file not be written after all, the table is there.
  std::fputs(results.table(columns).c_str(), stdout);
  Json json = results.toJson();
  if (!options.result.empty())
    writeFile(options.result, json.dump() + "\n");
  if (!options.plot.empty())
    writeFile(options.plot, plotResults(json, options.result));
  if (results.allCorrect())
    return 0;
  std::fputs("poly-bench: some results were WRONG; see the table\n", stderr);
  return 1;
}
