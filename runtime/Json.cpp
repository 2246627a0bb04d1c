//===- Json.cpp - The JSON beside a kernel --------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace poly::runtime;

namespace {

/// Documents nest a few levels; a limit keeps hostile ones off the stack.
constexpr unsigned kMaxDepth = 64;

class Parser {
public:
  Parser(std::string_view source, const std::string &path)
      : source(source), path(path) {}

  Json document() {
    Json value = parseValue(0);
    skipSpace();
    if (position != source.size())
      fail("text after the end of the document");
    return value;
  }

private:
  [[noreturn]] void fail(const std::string &message) const {
    size_t line =
        1 + std::count(source.begin(), source.begin() + position, '\n');
    throw JsonError(path + ":" + std::to_string(line) + ": " + message);
  }

  void skipSpace() {
    while (position < source.size() &&
           (source[position] == ' ' || source[position] == '\n' ||
            source[position] == '\t' || source[position] == '\r'))
      ++position;
  }

  bool consume(char c) {
    skipSpace();
    if (position == source.size() || source[position] != c)
      return false;
    ++position;
    return true;
  }

  void expect(char c) {
    if (!consume(c))
      fail(std::string("expected '") + c + "'");
  }

  bool consumeWord(std::string_view word) {
    if (source.substr(position, word.size()) != word)
      return false;
    position += word.size();
    return true;
  }

  Json parseValue(unsigned depth) {
    if (depth > kMaxDepth)
      fail("nested too deeply");
    skipSpace();
    if (position == source.size())
      fail("unexpected end of the document");
    if (consume('{'))
      return parseObject(depth);
    if (consume('['))
      return parseArray(depth);
    if (source[position] == '"')
      return Json(parseString());
    if (consumeWord("true"))
      return Json(true);
    if (consumeWord("false"))
      return Json(false);
    if (consumeWord("null"))
      return Json();
    return parseNumber();
  }

  Json parseObject(unsigned depth) {
    Json object = Json::object();
    if (consume('}'))
      return object;
    do {
      skipSpace();
      if (position == source.size() || source[position] != '"')
        fail("expected a key in quotes");
      std::string key = parseString();
      if (object.find(key))
        fail("key '" + key + "' appears twice");
      expect(':');
      object.set(std::move(key), parseValue(depth + 1));
    } while (consume(','));
    expect('}');
    return object;
  }

  Json parseArray(unsigned depth) {
    Json array = Json::array();
    if (consume(']'))
      return array;
    do
      array.push(parseValue(depth + 1));
    while (consume(','));
    expect(']');
    return array;
  }

  unsigned parseHex4() {
    unsigned code = 0;
    for (int i = 0; i < 4; ++i, ++position) {
      if (position == source.size())
        fail("unfinished \\u escape");
      char c = source[position];
      unsigned digit = c >= '0' && c <= '9'   ? c - '0'
                       : c >= 'a' && c <= 'f' ? c - 'a' + 10
                       : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                              : 16;
      if (digit == 16)
        fail("\\u needs four hexadecimal digits");
      code = code * 16 + digit;
    }
    return code;
  }

  void parseUnicode(std::string &text) {
    unsigned code = parseHex4();
    if (code >= 0xd800 && code < 0xdc00) {
      // A surrogate pair spells one code point beyond 0xffff.
      if (!consumeWord("\\u"))
        fail("half a surrogate pair");
      unsigned low = parseHex4();
      if (low < 0xdc00 || low > 0xdfff)
        fail("half a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
      fail("half a surrogate pair");
    }
    if (code < 0x80) {
      text += static_cast<char>(code);
      return;
    }
    if (code < 0x800) {
      text += static_cast<char>(0xc0 | (code >> 6));
    } else {
      if (code < 0x10000) {
        text += static_cast<char>(0xe0 | (code >> 12));
      } else {
        text += static_cast<char>(0xf0 | (code >> 18));
        text += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
      }
      text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    }
    text += static_cast<char>(0x80 | (code & 0x3f));
  }

  std::string parseString() {
    expect('"');
    std::string text;
    while (true) {
      if (position == source.size())
        fail("unfinished string");
      char c = source[position++];
      if (c == '"')
        return text;
      if (static_cast<unsigned char>(c) < 0x20)
        fail("control character in a string");
      if (c != '\\') {
        text += c;
        continue;
      }
      if (position == source.size())
        fail("unfinished string");
      c = source[position++];
      static constexpr std::string_view from = "\"\\/bfnrt";
      static constexpr std::string_view to = "\"\\/\b\f\n\r\t";
      size_t index = from.find(c);
      if (c == 'u')
        parseUnicode(text);
      else if (index != std::string_view::npos)
        text += to[index];
      else
        fail("unknown escape in a string");
    }
  }

  bool digits() {
    size_t begin = position;
    while (position < source.size() && source[position] >= '0' &&
           source[position] <= '9')
      ++position;
    return position != begin;
  }

  Json parseNumber() {
    size_t begin = position;
    consumeWord("-");
    size_t integer = position;
    bool good = digits() && (source[integer] != '0' || position == integer + 1);
    if (good && consumeWord("."))
      good = digits();
    if (good && (consumeWord("e") || consumeWord("E"))) {
      if (!consumeWord("+"))
        consumeWord("-");
      good = digits();
    }
    if (!good) {
      position = begin;
      fail("expected a value");
    }
    return Json(std::strtod(
        std::string(source.substr(begin, position - begin)).c_str(), nullptr));
  }

  std::string_view source;
  const std::string &path;
  size_t position = 0;
};

std::string quote(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", c);
      result += buffer;
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string formatNumber(double value) {
  if (!std::isfinite(value))
    return "null"; // JSON has no infinities.
  char buffer[40];
  if (value == std::floor(value) && std::fabs(value) < 1e15)
    std::snprintf(buffer, sizeof(buffer), "%.0f", value);
  else
    std::snprintf(buffer, sizeof(buffer), "%.9g", value);
  return buffer;
}

const char *nameOf(Json::Kind kind) {
  static constexpr const char *names[] = {"null",     "a boolean", "a number",
                                          "a string", "an array",  "an object"};
  return names[static_cast<int>(kind)];
}

void require(const Json &value, Json::Kind kind, const std::string &what) {
  if (value.kind() != kind)
    throw JsonError(what + " must be " + nameOf(kind) + ", not " +
                    nameOf(value.kind()));
}

} // namespace

Json Json::parse(std::string_view source, const std::string &path) {
  return Parser(source, path).document();
}

bool Json::asBool(const std::string &what) const {
  require(*this, Kind::Boolean, what);
  return boolean;
}

double Json::asNumber(const std::string &what) const {
  require(*this, Kind::Number, what);
  return number;
}

int64_t Json::asInteger(const std::string &what, int64_t lowest,
                        int64_t highest) const {
  double value = asNumber(what);
  if (value != std::floor(value) || value < double(lowest) ||
      value > double(highest))
    throw JsonError(what + " must be an integer from " +
                    std::to_string(lowest) + " to " + std::to_string(highest));
  return static_cast<int64_t>(value);
}

const std::string &Json::asString(const std::string &what) const {
  require(*this, Kind::String, what);
  return text;
}

const std::vector<Json> &Json::asArray(const std::string &what) const {
  require(*this, Kind::Array, what);
  return items;
}

void Json::set(std::string key, Json value) {
  auto same = std::find(keys.begin(), keys.end(), key);
  if (same != keys.end()) {
    items[size_t(same - keys.begin())] = std::move(value);
    return;
  }
  keys.push_back(std::move(key));
  items.push_back(std::move(value));
}

const Json *Json::find(std::string_view key) const {
  auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &items[found - keys.begin()];
}

const Json &Json::at(std::string_view key) const {
  if (const Json *value = find(key))
    return *value;
  throw JsonError("member '" + std::string(key) + "' is missing");
}

std::string Json::dump(unsigned indent) const {
  switch (valueKind) {
  case Kind::Null:
    return "null";
  case Kind::Boolean:
    return boolean ? "true" : "false";
  case Kind::Number:
    return formatNumber(number);
  case Kind::String:
    return quote(text);
  case Kind::Array:
  case Kind::Object:
    break;
  }
  bool isObject = valueKind == Kind::Object;
  if (items.empty())
    return isObject ? "{}" : "[]";
  std::string inner(2 * (indent + 1), ' ');
  std::string result = isObject ? "{\n" : "[\n";
  for (size_t i = 0; i < items.size(); ++i) {
    result += inner;
    if (isObject)
      result += quote(keys[i]) + ": ";
    result += items[i].dump(indent + 1);
    result += i + 1 == items.size() ? "\n" : ",\n";
  }
  return result + std::string(2 * indent, ' ') + (isObject ? '}' : ']');
}
