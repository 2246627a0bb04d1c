//===- Json.h - The JSON beside a kernel -----------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A small reader and writer of JSON (RFC 8259), so that the runtime needs no
/// library. Numbers are doubles; object keys keep their order.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_RUNTIME_JSON_H
#define POLY_RUNTIME_JSON_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace poly::runtime {

/// A malformed document, or a member that is missing or of the wrong kind.
class JsonError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class Json {
public:
  enum class Kind { Null, Boolean, Number, String, Array, Object };

  Json() = default;
  Json(bool value) : valueKind(Kind::Boolean), boolean(value) {}
  Json(double value) : valueKind(Kind::Number), number(value) {}
  Json(int value) : Json(static_cast<double>(value)) {}
  Json(size_t value) : Json(static_cast<double>(value)) {}
  Json(std::string value) : valueKind(Kind::String), text(std::move(value)) {}
  Json(const char *value) : Json(std::string(value)) {}
  static Json array() { return Json(Kind::Array); }
  static Json object() { return Json(Kind::Object); }

  /// Parses a whole document; \p path names it in messages ("path:line: ...").
  static Json parse(std::string_view source, const std::string &path);

  Kind kind() const { return valueKind; }
  /// The value as the asked kind; throws JsonError naming \p what otherwise.
  bool asBool(const std::string &what) const;
  double asNumber(const std::string &what) const;
  /// A whole number from \p lowest to \p highest, which doubles must hold.
  int64_t asInteger(const std::string &what, int64_t lowest,
                    int64_t highest) const;
  const std::string &asString(const std::string &what) const;
  const std::vector<Json> &asArray(const std::string &what) const;

  /// Items of an array or members of an object.
  size_t size() const { return items.size(); }
  /// Names of an object's members, in order.
  const std::vector<std::string> &names() const { return keys; }
  /// The member \p key, or null when there is none or this is no object.
  const Json *find(std::string_view key) const;
  /// The member \p key; throws JsonError when there is none.
  const Json &at(std::string_view key) const;

  /// Adds to an array.
  void push(Json value) { items.push_back(std::move(value)); }
  /// The member of an object that is called \p key, new or in place of an old
  /// one.
  void set(std::string key, Json value);

  /// The document as text, indented by two spaces a level.
  std::string dump(unsigned indent = 0) const;

private:
  explicit Json(Kind kind) : valueKind(kind) {}

  Kind valueKind = Kind::Null;
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<Json> items;
  std::vector<std::string> keys;
};

} // namespace poly::runtime

#endif // POLY_RUNTIME_JSON_H
