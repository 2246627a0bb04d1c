//===- TablesTest.cpp - The generated tables are fresh --------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/Tables.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace poly;
using namespace poly::fit;

namespace {

std::string read(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A copy of the tables that a test may spoil.
class Tables : public testing::Test {
protected:
  void SetUp() override {
    directory =
        std::filesystem::path(testing::TempDir()) /
        ("poly-tables-" +
         std::string(
             testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    for (const auto &entry :
         std::filesystem::directory_iterator(POLY_TABLES_DIR))
      std::filesystem::copy(entry, directory);
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  void replace(const char *file, const std::string &from,
               const std::string &to) {
    std::string text = read(directory / file);
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    std::ofstream(directory / file) << text;
  }

  unsigned check() {
    lines.clear();
    return checkTables(directory.string(), /*quick=*/true,
                       [&](const std::string &line) { lines += line + "\n"; });
  }

  std::filesystem::path directory;
  std::string lines;
};

} // namespace

TEST_F(Tables, AreFresh) { EXPECT_EQ(check(), 0u) << lines; }

TEST_F(Tables, ASpoiledRowAndAMissingFileAreFound) {
  replace("Certificates.inc", "{\"tanh-half4-f16x2\", {",
          "{\"tanh-half4-f16x2\", {1");
  std::filesystem::remove(directory / "Sfu.inc");
  EXPECT_EQ(check(), 2u) << lines;
  EXPECT_NE(lines.find("Certificates.inc: row "), std::string::npos) << lines;
  EXPECT_NE(lines.find("tanh-half4-f16x2"), std::string::npos) << lines;
  EXPECT_NE(lines.find("Sfu.inc: cannot be read"), std::string::npos) << lines;
}
