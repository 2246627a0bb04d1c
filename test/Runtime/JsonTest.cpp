//===- JsonTest.cpp - The runtime's JSON reader and writer ----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include <gtest/gtest.h>

using namespace poly::runtime;

namespace {

/// The message of the error that parsing \p text gives; empty without error.
std::string errorOf(const std::string &text) {
  try {
    Json::parse(text, "f.json");
  } catch (const JsonError &error) {
    return error.what();
  }
  return "";
}

TEST(Json, ReadsEveryKind) {
  Json json = Json::parse(R"({"a": [1, -2.5e3, true, null], "b": "x\n\u00e9"})",
                          "f.json");
  const std::vector<Json> &items = json.at("a").asArray("a");
  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(items[0].asNumber("item"), 1);
  EXPECT_EQ(items[1].asNumber("item"), -2500);
  EXPECT_TRUE(items[2].asBool("item"));
  EXPECT_EQ(items[3].kind(), Json::Kind::Null);
  EXPECT_EQ(json.at("b").asString("b"), "x\n\xc3\xa9");
  EXPECT_EQ(json.find("c"), nullptr);
}

TEST(Json, JoinsSurrogatePairs) {
  EXPECT_EQ(Json::parse("\"\\ud83d\\ude00\"", "f.json").asString("text"),
            "\xf0\x9f\x98\x80");
  EXPECT_EQ(errorOf("\"\\ud83d\""), "f.json:1: half a surrogate pair");
  EXPECT_EQ(errorOf("\"\\ude00\""), "f.json:1: half a surrogate pair");
}

TEST(Json, ReplacesMembers) {
  Json object = Json::object();
  object.set("a", 1);
  object.set("b", 2);
  object.set("a", "three");
  EXPECT_EQ(object.size(), 2u);
  EXPECT_EQ(object.at("a").asString("a"), "three");
  EXPECT_EQ(Json::parse(object.dump(), "own").size(), 2u);
}

TEST(Json, LocatesErrors) {
  EXPECT_EQ(errorOf("{\n\"a\": 1,\n}"), "f.json:3: expected a key in quotes");
  EXPECT_EQ(errorOf("[1, 2"), "f.json:1: expected ']'");
  EXPECT_EQ(errorOf("01"), "f.json:1: expected a value");
  EXPECT_EQ(errorOf("1."), "f.json:1: expected a value");
  EXPECT_EQ(errorOf("nan"), "f.json:1: expected a value");
  EXPECT_EQ(errorOf(""), "f.json:1: unexpected end of the document");
  EXPECT_EQ(errorOf("[] []"), "f.json:1: text after the end of the document");
  EXPECT_EQ(errorOf(R"({"a": 1, "a": 2})"), "f.json:1: key 'a' appears twice");
  EXPECT_EQ(errorOf(std::string(100000, '[')), "f.json:1: nested too deeply");
}

TEST(Json, NamesWrongKinds) {
  Json json = Json::parse(R"({"count": "3"})", "f.json");
  try {
    json.at("count").asNumber("count");
    FAIL() << "a string passed for a number";
  } catch (const JsonError &error) {
    EXPECT_STREQ(error.what(), "count must be a number, not a string");
  }
  EXPECT_THROW(json.at("missing"), JsonError);
}

TEST(Json, WritesWhatItReads) {
  Json row = Json::object();
  row.set("name", "a\"b\\c\x01");
  row.set("count", size_t(65536));
  row.set("error", 0.001953125);
  row.set("list", Json::array());
  std::string text = row.dump();
  Json back = Json::parse(text, "f.json");
  EXPECT_EQ(back.at("name").asString("name"), "a\"b\\c\x01");
  EXPECT_EQ(back.at("count").asNumber("count"), 65536);
  EXPECT_EQ(back.at("error").asNumber("error"), 0.001953125);
  EXPECT_EQ(back.dump(), text);
}

} // namespace
