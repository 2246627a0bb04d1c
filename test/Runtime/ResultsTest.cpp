//===- ResultsTest.cpp - Tables, comparisons and charts -------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"
#include "MessageOf.h"
#include "Table.h"

#include <gtest/gtest.h>

using namespace poly::runtime;

namespace {

Json resultFile(const std::string &rows) {
  return Json::parse("{\"version\": 1, \"suite\": \"s\", \"device\": "
                     "{\"name\": \"GPU <1>\"}, \"rows\": [" +
                         rows + "]}",
                     "r.json");
}

std::string row(const std::string &variant, const std::string &metric,
                double value, double uncertainty = 0.001) {
  std::string number = print("%.6f", value);
  return "{\"work\": \"w\", \"variant\": \"" + variant + "\", \"metric\": \"" +
         metric + "\", \"median\": " + number + ", \"lower\": " + number +
         ", \"upper\": " + number +
         ", \"ratio\": 1, \"uncertainty\": " + print("%.6f", uncertainty) + "}";
}

TEST(Table, ColumnsAreAligned) {
  Table table({"name", "µs"});
  table.add({"a", "10.25"});
  table.add({"long name", "9"});
  EXPECT_EQ(table.text(), "name          µs\n"
                          "----------------\n"
                          "a          10.25\n"
                          "long name      9\n");
  EXPECT_EQ(table.markdown(), "| name | µs |\n"
                              "| --- | ---: |\n"
                              "| a | 10.25 |\n"
                              "| long name | 9 |\n");
  EXPECT_THROW(table.add({"one cell"}), std::invalid_argument);
}

TEST(Table, NumbersInGroups) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(268435456), "268,435,456");
  EXPECT_EQ(grouped(-1000), "-1,000");
}

// What became better depends on the unit; what lies within the noise of both
// runs, or within a percent, is the same.
TEST(Compare, SaysWhatChanged) {
  Json before = resultFile(row("time", "microseconds", 100) + "," +
                           row("rate", "elements/clock/SM", 100) + "," +
                           row("small", "microseconds", 100) + "," +
                           row("noisy", "microseconds", 100, 0.2) + "," +
                           row("gone", "microseconds", 100));
  Json after = resultFile(row("time", "microseconds", 90) + "," +
                          row("rate", "elements/clock/SM", 90) + "," +
                          row("small", "microseconds", 100.9) + "," +
                          row("noisy", "microseconds", 120) + "," +
                          row("new", "microseconds", 1));
  EXPECT_EQ(compareResults(before, "a.json", after, "b.json"),
            "work  variant  before  after   change  verdict\n"
            "----------------------------------------------\n"
            "w        time     100     90  -10.0 %   better\n"
            "w        rate     100     90  -10.0 %    worse\n"
            "w       small     100  100.9   +0.9 %     same\n"
            "w       noisy     100    120  +20.0 %     same\n");
}

TEST(Compare, RefusesWhatCannotBeCompared) {
  Json good = resultFile(row("a", "microseconds", 1));
  Json other = resultFile(row("b", "microseconds", 1));
  EXPECT_EQ(messageOf([&] { compareResults(good, "a", other, "b"); }),
            "a and b have no row in common");
  EXPECT_EQ(messageOf([&] { compareResults(Json::object(), "a", good, "b"); }),
            "a: is no result set: member 'version' is missing");
}

TEST(Table, OfAResultFile) {
  Json json = resultFile(row("a", "microseconds", 12.345) + "," +
                         row("b", "elements/clock/SM", 16));
  EXPECT_EQ(tableOfResults(json, "r.json", "", {"program"}),
            "| work | variant | median | ratio | program |\n"
            "| --- | ---: | ---: | ---: | ---: |\n"
            "| w | a | 12.35 µs | 1.00 | - |\n"
            "|  | b | 16 | 1.00 | - |\n");
  EXPECT_EQ(messageOf([&] { tableOfResults(json, "r.json", "none", {}); }),
            "r.json: has no timed row for 'none'");
}

TEST(Plot, BarsAreAsLongAsTheirMedians) {
  Json json = resultFile(row("first", "microseconds", 40) + "," +
                         row("second & last", "microseconds", 10));
  std::string svg = plotResults(json, "r.json");
  EXPECT_NE(svg.find("s on GPU &lt;1&gt;"), std::string::npos);
  EXPECT_NE(svg.find("second &amp; last"), std::string::npos);
  // The longest fills the 420 pixels of its panel.
  EXPECT_NE(svg.find("width=\"420.0\""), std::string::npos);
  EXPECT_NE(svg.find("width=\"105.0\""), std::string::npos);
  EXPECT_NE(svg.find("40 µs (1.00×)"), std::string::npos);
  EXPECT_EQ(messageOf([&] { plotResults(resultFile(""), "r.json"); }),
            "r.json: has no timed rows");
  EXPECT_EQ(messageOf([&] { plotResults(Json::array(), "r.json"); }),
            "r.json: is no result set: member 'suite' is missing");
}

} // namespace
