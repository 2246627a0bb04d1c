//===- Verify.cpp - Kernels against expected bits -------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "Files.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace poly::runtime;

namespace {

constexpr unsigned kThreads = 256;
/// Elements after the last one, checked to stay as they were.
constexpr size_t kPadding = 64;
constexpr unsigned char kFill = 0xa5;

ElementFormat parseFormat(const std::string &text) {
  if (text == "f32")
    return ElementFormat::F32;
  if (text == "bf16")
    return ElementFormat::BF16;
  if (text == "f16")
    return ElementFormat::F16;
  if (text == "e4m3")
    return ElementFormat::E4M3;
  if (text == "e5m2")
    return ElementFormat::E5M2;
  throw JsonError("format '" + text +
                  "' is none of f32, bf16, f16, e4m3, e5m2");
}

size_t parseCount(const Json &value, const std::string &what, size_t limit) {
  double number = value.asNumber(what);
  if (number != std::floor(number) || number < 0 ||
      number > static_cast<double>(limit))
    throw JsonError(what + " must be an integer from 0 to " +
                    std::to_string(limit));
  return static_cast<size_t>(number);
}

std::vector<uint32_t> readWords(const std::string &path) {
  std::string content = readFile(path);
  if (content.size() % 4 != 0)
    throw std::runtime_error(path + ": size is no multiple of 4 bytes");
  std::vector<uint32_t> words(content.size() / 4);
  if (!words.empty())
    std::memcpy(words.data(), content.data(), content.size());
  return words;
}

ManifestEntry parseEntry(const Json &json, const std::string &folder) {
  ManifestEntry entry;
  entry.program = json.at("program").asString("program");
  entry.kernel = json.at("kernel").asString("kernel");
  entry.file = json.at("file").asString("file");
  entry.from = parseFormat(json.at("from").asString("from"));
  entry.to = parseFormat(json.at("to").asString("to"));
  entry.chunk =
      static_cast<unsigned>(parseCount(json.at("chunk"), "chunk", 1024));
  if (entry.chunk == 0)
    throw JsonError("chunk must be positive");
  entry.sfuModel = json.at("sfuModel").asBool("sfuModel");
  entry.inputs = readWords(folder + json.at("inputs").asString("inputs"));
  entry.expected = readWords(folder + json.at("expected").asString("expected"));
  if (entry.inputs.size() != entry.expected.size())
    throw JsonError("inputs and expected differ in size");
  for (const Json &count : json.at("counts").asArray("counts"))
    entry.counts.push_back(parseCount(count, "count", entry.inputs.size()));
  entry.image = readFile(folder + entry.file);
  return entry;
}

/// Words as the kernel's elements.
std::vector<unsigned char> pack(const std::vector<uint32_t> &words,
                                size_t count, ElementFormat format) {
  unsigned width = byteWidth(format);
  std::vector<unsigned char> bytes(count * width);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(bytes.data() + i * width, &words[i], width);
  return bytes;
}

uint32_t element(const std::vector<unsigned char> &bytes, size_t index,
                 ElementFormat format) {
  uint32_t word = 0;
  unsigned width = byteWidth(format);
  std::memcpy(&word, bytes.data() + index * width, width);
  return word;
}

uint32_t infinityOf(ElementFormat format) {
  switch (format) {
  case ElementFormat::F32:
    return 0x7f800000;
  case ElementFormat::BF16:
    return 0x7f80;
  case ElementFormat::F16:
    return 0x7c00;
  case ElementFormat::E4M3: // The largest number: NaN is directly above.
    return 0x7e;
  case ElementFormat::E5M2:
    return 0x7c;
  }
  return 0;
}

void compare(const ManifestEntry &entry, size_t count,
             const std::vector<unsigned char> &actual, VerifyResult &result) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits = element(actual, i, entry.to);
    ++result.compared;
    if (bits == entry.expected[i])
      continue;
    if (result.mismatches++ == 0)
      result.first = Mismatch{entry.inputs[i], entry.expected[i], bits};
    result.maxUlp =
        std::max(result.maxUlp, ulpDistance(entry.to, entry.expected[i], bits));
  }
  for (size_t i = count * byteWidth(entry.to); i < actual.size(); ++i)
    result.wroteOutside |= actual[i] != kFill;
}

std::string hex(uint32_t bits) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%x", bits);
  return text;
}

} // namespace

Manifest poly::runtime::readManifest(const std::string &path) {
  Json json = Json::parse(readFile(path), path);
  std::string folder = folderOf(path);
  Manifest manifest;
  try {
    manifest.chip = json.at("chip").asString("chip");
    for (const Json &item : json.at("entries").asArray("entries"))
      manifest.entries.push_back(parseEntry(item, folder));
  } catch (const JsonError &error) {
    throw JsonError(path + ": entry " +
                    std::to_string(manifest.entries.size()) + ": " +
                    error.what());
  }
  if (manifest.entries.empty())
    throw JsonError(path + ": lists no entries");
  return manifest;
}

uint64_t poly::runtime::ulpDistance(ElementFormat format, uint32_t a,
                                    uint32_t b) {
  if (a == b)
    return 0;
  uint32_t infinity = infinityOf(format);
  uint32_t sign = 1u << (8 * byteWidth(format) - 1);
  uint32_t magnitudeA = a & (sign - 1);
  uint32_t magnitudeB = b & (sign - 1);
  if ((magnitudeA > infinity) != (magnitudeB > infinity))
    return std::numeric_limits<uint64_t>::max();
  // Sign and magnitude onto a line; the two zeros are one step apart.
  auto line = [sign](uint32_t bits, uint32_t magnitude) {
    int64_t place = magnitude;
    return bits & sign ? -place - 1 : place;
  };
  int64_t distance = line(a, magnitudeA) - line(b, magnitudeB);
  return static_cast<uint64_t>(distance < 0 ? -distance : distance);
}

VerifyResult poly::runtime::verify(const ManifestEntry &entry) {
  Module module(entry.image, entry.file);
  FunctionHandle function = module.function(entry.kernel);
  VerifyResult result;
  for (size_t count : entry.counts) {
    Buffer in((entry.inputs.size() + kPadding) * byteWidth(entry.from));
    Buffer out((entry.inputs.size() + kPadding) * byteWidth(entry.to));
    std::vector<unsigned char> source =
        pack(entry.inputs, entry.inputs.size(), entry.from);
    in.upload(source.data(), source.size());
    out.fill(kFill);
    size_t perBlock = size_t(entry.chunk) * kThreads;
    launchElementwise(
        function, ArrayArgument(in.address(), static_cast<int64_t>(count)),
        ArrayArgument(out.address(), static_cast<int64_t>(count)),
        static_cast<int64_t>(count),
        static_cast<unsigned>((count + perBlock - 1) / perBlock), kThreads);
    const Driver &driver = Driver::get();
    driver.check(driver.cuCtxSynchronize(), "cuCtxSynchronize",
                 entry.kernel + " in " + entry.file);
    std::vector<unsigned char> actual(out.bytes());
    out.download(actual.data(), actual.size());
    compare(entry, count, actual, result);
  }
  return result;
}

Json poly::runtime::toJson(const ManifestEntry &entry,
                           const VerifyResult &result) {
  Json row = Json::object();
  row.set("program", entry.program);
  row.set("kernel", entry.kernel);
  row.set("compared", result.compared);
  row.set("mismatches", result.mismatches);
  row.set("maxUlp", static_cast<double>(result.maxUlp));
  row.set("sfuModel", entry.sfuModel);
  row.set("wroteOutside", result.wroteOutside);
  row.set("ok", result.ok(entry.sfuModel));
  if (result.first) {
    Json first = Json::object();
    first.set("input", hex(result.first->input));
    first.set("expected", hex(result.first->expected));
    first.set("actual", hex(result.first->actual));
    row.set("first", std::move(first));
  }
  return row;
}
