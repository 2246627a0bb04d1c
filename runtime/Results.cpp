//===- Results.cpp - Result sets: JSON, table, comparison -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"

#include "Table.h"

#include <cmath>
#include <ctime>

using namespace poly::runtime;

namespace {

std::string now() {
  std::time_t seconds = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// A detail as a table cell.
std::string cell(const Json &details, const std::string &key) {
  const Json *value = details.find(key);
  if (!value)
    return "-";
  switch (value->kind()) {
  case Json::Kind::Number: {
    double number = value->asNumber(key);
    if (number == std::floor(number) && std::fabs(number) < 1e15)
      return grouped(static_cast<long long>(number));
    return print("%.4g", number);
  }
  case Json::Kind::String:
    return value->asString(key);
  case Json::Kind::Boolean:
    return value->asBool(key) ? "yes" : "no";
  default:
    return "-";
  }
}

Json rowToJson(const ResultRow &row) {
  Json json = Json::object();
  json.set("work", row.work);
  json.set("variant", row.variant);
  json.set("metric", row.metric);
  json.set("correct", row.correct);
  if (!row.samples.empty()) {
    Summary summary = summarize(row.samples);
    json.set("median", summary.median);
    json.set("lowest", summary.lowest);
    json.set("lower", summary.lower);
    json.set("upper", summary.upper);
    json.set("highest", summary.highest);
    json.set("rounds", summary.count);
    double uncertainty = medianUncertainty(row.samples);
    if (std::isfinite(uncertainty))
      json.set("uncertainty", uncertainty);
    json.set("ratio", row.ratio);
    Json samples = Json::array();
    for (double sample : row.samples)
      samples.push(sample);
    json.set("samples", std::move(samples));
  }
  if (row.details.size())
    json.set("details", row.details);
  return json;
}

/// A row of a result file.
struct FileRow {
  std::string work, variant, metric;
  double median, uncertainty;
};

} // namespace

ResultSet::ResultSet(std::string suite, const Context &context)
    : suite(std::move(suite)) {
  device.set("name", context.deviceName());
  device.set("computeCapability", context.computeCapability());
  device.set("multiprocessors", context.multiprocessors());
  device.set("l2Bytes", context.l2Bytes());
  device.set("driver", context.driverVersion());
}

ResultRow &ResultSet::add(ResultRow row) {
  // The first row of the work is what the others are compared with.
  const ResultRow *first = nullptr;
  for (const ResultRow &other : results)
    if (other.work == row.work && !first)
      first = &other;
  if (!first)
    row.ratio = 1;
  else if (!row.samples.empty() && row.samples.size() == first->samples.size())
    row.ratio = row.lessIsBetter() ? medianRatio(first->samples, row.samples)
                                   : medianRatio(row.samples, first->samples);
  results.push_back(std::move(row));
  return results.back();
}

ResultRow &ResultSet::add(const std::string &work,
                          const Measurement &measurement) {
  ResultRow row;
  row.work = work;
  row.variant = measurement.name;
  row.samples = measurement.microseconds;
  row.details.set("repetitions", size_t(measurement.repetitions));
  if (!measurement.smClockMHz.empty())
    row.details.set("smClockMHz", summarize(measurement.smClockMHz).median);
  row.details.set("throttledRounds", size_t(measurement.throttledRounds));
  return add(std::move(row));
}

bool ResultSet::allCorrect() const {
  for (const ResultRow &row : results)
    if (!row.correct)
      return false;
  return true;
}

Json ResultSet::toJson() const {
  Json json = Json::object();
  json.set("version", 1);
  json.set("suite", suite);
  json.set("date", now());
  json.set("device", device);
  json.set("protocol", protocol);
  Json rows = Json::array();
  for (const ResultRow &row : results)
    rows.push(rowToJson(row));
  json.set("rows", std::move(rows));
  return json;
}

std::string ResultSet::table(const std::vector<std::string> &details) const {
  std::vector<std::string> header = {"work", "variant", "median",
                                     "unit", "spread",  "ratio"};
  header.insert(header.end(), details.begin(), details.end());
  Table table(header);
  std::string previous;
  for (const ResultRow &row : results) {
    Summary summary = summarize(row.samples);
    std::vector<std::string> cells = {row.work == previous ? "" : row.work,
                                      row.variant};
    if (!row.correct)
      cells.insert(cells.end(), {"WRONG", "", "", ""});
    else
      cells.insert(cells.end(), {print("%.5g", summary.median),
                                 row.lessIsBetter() ? "us" : row.metric,
                                 print("%.1f %%", summary.spread() * 100),
                                 print("%.3f", row.ratio)});
    for (const std::string &key : details)
      cells.push_back(cell(row.details, key));
    table.add(cells);
    previous = row.work;
  }
  return table.text();
}

static std::vector<FileRow> fileRows(const Json &json,
                                     const std::string &path) {
  std::vector<FileRow> rows;
  try {
    if (json.at("version").asNumber("version") != 1)
      throw JsonError("this program reads version 1");
    for (const Json &item : json.at("rows").asArray("rows")) {
      const Json *median = item.find("median");
      if (!median)
        continue; // Wrong results have no time.
      const Json *uncertainty = item.find("uncertainty");
      rows.push_back(
          {item.at("work").asString("work"),
           item.at("variant").asString("variant"),
           item.at("metric").asString("metric"), median->asNumber("median"),
           uncertainty ? uncertainty->asNumber("uncertainty") : HUGE_VAL});
    }
  } catch (const JsonError &error) {
    throw JsonError(path + ": is no result set: " + error.what());
  }
  return rows;
}

std::string poly::runtime::compareResults(const Json &before,
                                          const std::string &beforePath,
                                          const Json &after,
                                          const std::string &afterPath) {
  std::vector<FileRow> old = fileRows(before, beforePath);
  Table table({"work", "variant", "before", "after", "change", "verdict"});
  size_t matched = 0;
  for (const FileRow &row : fileRows(after, afterPath))
    for (const FileRow &other : old) {
      if (other.work != row.work || other.variant != row.variant ||
          other.metric != row.metric)
        continue;
      ++matched;
      double change = row.median / other.median - 1;
      bool better = row.metric == "microseconds" ? change < 0 : change > 0;
      double noise = row.uncertainty + other.uncertainty;
      // Rounds of one run agree better than runs do: a percent is no finding.
      constexpr double kBetweenRuns = 0.01;
      bool significant = std::fabs(change) > std::max(noise, kBetweenRuns);
      table.add({row.work, row.variant, print("%.5g", other.median),
                 print("%.5g", row.median), print("%+.1f %%", change * 100),
                 !significant ? "same"
                 : better     ? "better"
                              : "worse"});
      break;
    }
  if (matched == 0)
    throw JsonError(beforePath + " and " + afterPath +
                    " have no row in common");
  return table.text();
}

std::string
poly::runtime::tableOfResults(const Json &results, const std::string &path,
                              const std::string &only,
                              const std::vector<std::string> &details) {
  std::vector<std::string> header = {"work", "variant", "median", "ratio"};
  header.insert(header.end(), details.begin(), details.end());
  Table table(header);
  std::string previous;
  bool any = false;
  try {
    for (const Json &row : results.at("rows").asArray("rows")) {
      const std::string &work = row.at("work").asString("work");
      const std::string &variant = row.at("variant").asString("variant");
      const Json *median = row.find("median");
      if (!median || (work + " " + variant).find(only) == std::string::npos)
        continue;
      const std::string &metric = row.at("metric").asString("metric");
      any = true;
      std::vector<std::string> cells = {
          work == previous ? "" : work, variant,
          print("%.4g", median->asNumber("median")) +
              (metric == "microseconds" ? " µs" : ""),
          print("%.2f", row.at("ratio").asNumber("ratio"))};
      const Json *found = row.find("details");
      for (const std::string &key : details)
        cells.push_back(found ? cell(*found, key) : "-");
      table.add(std::move(cells));
      previous = work;
    }
  } catch (const JsonError &error) {
    throw JsonError(path + ": is no result set: " + error.what());
  }
  if (!any)
    throw JsonError(path + ": has no timed row for '" + only + "'");
  return table.markdown();
}
