//===- ProgramFile.cpp - Programs from JSON -------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/ProgramFile.h"

#include "poly/Program/Formats.h"
#include "poly/Program/Schemes.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <cstdio>

using namespace poly;
using namespace llvm;

/// Coefficients of q; with more the packed formats only gain rounding errors.
static constexpr size_t kMaxCoefficients = 6;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

/// llvm::json reports "[line:column, byte=offset]: message"; editors and
/// compilers write "path:line:column: message".
static Error syntaxError(Error error, StringRef text, StringRef path) {
  std::string message = toString(std::move(error));
  StringRef rest = message;
  unsigned line, column, offset;
  if (!rest.consume_front("[") || rest.consumeInteger(10, line) ||
      !rest.consume_front(":") || rest.consumeInteger(10, column) ||
      !rest.consume_front(", byte=") || rest.consumeInteger(10, offset) ||
      !rest.consume_front("]: "))
    return makeError(path + ": " + message);
  // The offset may be a few characters into the word.
  StringRef before = text.take_front(offset);
  size_t start = before.find_last_of(" \t\r\n,:[{") + 1;
  StringRef word = text.substr(start).ltrim(" \t\r\n-+").take_front(3);
  std::string hint;
  if (word.equals_insensitive("nan") || word.equals_insensitive("inf"))
    hint = "; JSON has no NaN or infinity, and a program needs finite numbers";
  return makeError(path + ":" + Twine(line) + ":" + Twine(column) + ": " +
                   rest + hint);
}

namespace {

/// Reads one object of the array. The first mistake is kept in `error`.
class ProgramReader {
public:
  ProgramReader(const json::Object &object, std::string prefix)
      : object(object), prefix(std::move(prefix)) {}

  Expected<std::vector<Program>> read();

private:
  bool fail(const Twine &message) {
    if (error.empty())
      error = (prefix + message).str();
    return false;
  }
  bool checkKeys();
  bool readString(StringRef key, std::string &value, bool required);
  bool readFormat(StringRef key, Format &format, bool required);
  bool readNumber(const json::Value &value, const Twine &what, Format format,
                  double &number);
  bool readSpec();

  const json::Object &object;
  std::string prefix;
  std::string error;
  std::string programName;
  PolynomialSpec spec;
  Format from = Format::BF16;
};

} // namespace

bool ProgramReader::checkKeys() {
  static constexpr StringLiteral known[] = {
      "name", "function", "form",         "format",
      "from", "clamp",    "coefficients", "provenance"};
  for (const auto &entry : object) {
    StringRef key = entry.first;
    if (!is_contained(known, key))
      return fail("unknown key '" + key +
                  "'; the keys are name, function, form, format, from, clamp, "
                  "coefficients, provenance");
  }
  return true;
}

bool ProgramReader::readString(StringRef key, std::string &value,
                               bool required) {
  const json::Value *found = object.get(key);
  if (!found)
    return !required || fail("the key '" + key + "' is missing");
  std::optional<StringRef> text = found->getAsString();
  if (!text)
    return fail("'" + key + "' must be a string");
  value = text->str();
  return true;
}

bool ProgramReader::readFormat(StringRef key, Format &format, bool required) {
  std::string text;
  if (!readString(key, text, required))
    return false;
  if (!object.get(key))
    return true;
  return (parse(text, format) && elementBits(format) >= 16) ||
         fail("unknown " + key + " '" + text +
              "'; use bf16, f16 or, for "
              "'from' only, f32");
}

/// A finite number that is still finite, and not zero by underflow, after
/// rounding to \p format; \p number is the rounded one.
bool ProgramReader::readNumber(const json::Value &value, const Twine &what,
                               Format format, double &number) {
  std::optional<double> parsed = value.getAsNumber();
  if (!parsed) {
    // Writers that have NaN spell it as a string or as null.
    std::optional<StringRef> text = value.getAsString();
    StringRef digits = text ? text->ltrim("+-") : "";
    if (digits.equals_insensitive("nan") || value.kind() == json::Value::Null)
      return fail(what + " is NaN" + (text ? "" : " (null)") +
                  "; run the fit again and write a finite number");
    if (digits.starts_with_insensitive("inf"))
      return fail(what + " is infinite; write a finite number");
    return fail(what + " must be a number" + (text ? ", without quotes" : ""));
  }
  if (std::isnan(*parsed))
    return fail(what + " is NaN; run the fit again and write a finite number");
  if (std::isinf(*parsed))
    return fail(what + " is infinite; write a finite number");
  uint32_t bits = encode(format, *parsed);
  if (isInf(format, bits))
    return fail(what + " = " + decimal(*parsed) + " overflows " +
                StringRef(name(format)) + "; scale it or use another format");
  number = decode(format, bits);
  if (number == 0 && *parsed != 0)
    return fail(what + " = " + decimal(*parsed) + " rounds to zero in " +
                StringRef(name(format)) + "; write 0 or use another format");
  return true;
}

bool ProgramReader::readSpec() {
  std::string function, form;
  if (!checkKeys() || !readString("name", programName, true) ||
      !readString("function", function, true) ||
      !readString("form", form, true) ||
      !readFormat("format", spec.format, true) ||
      !readString("provenance", spec.provenance, false))
    return false;

  if (programName.empty() ||
      StringRef(programName)
              .find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRS"
                                 "TUVWXYZ0123456789"
                                 "._-") != StringRef::npos)
    return fail("the name must be letters, digits, '.', '_' and '-'");
  if (!parse(function, spec.function))
    return fail("unknown function '" + function +
                "'; use sigmoid, tanh or silu");
  if (form != "half" && form != "odd")
    return fail("unknown form '" + form + "'; use half or odd");
  spec.odd = form == "odd";
  if (spec.format == Format::F32)
    return fail("'format' must be bf16 or f16: the arithmetic is packed");
  from = spec.format;
  if (!readFormat("from", from, false))
    return false;
  if (from != spec.format && from != Format::F32)
    return fail("'from' must be f32 or the format itself (" +
                Twine(StringRef(name(spec.format))) + ")");

  const json::Value *clamp = object.get("clamp");
  if (!clamp)
    return fail("the key 'clamp' is missing");
  if (!readNumber(*clamp, "the clamp", spec.format, spec.clamp))
    return false;
  if (spec.clamp <= 0)
    return fail("the clamp must be above zero");

  const json::Value *list = object.get("coefficients");
  if (!list)
    return fail("the key 'coefficients' is missing");
  const json::Array *coefficients = list->getAsArray();
  if (!coefficients)
    return fail("'coefficients' must be an array of numbers");
  if (coefficients->empty() || coefficients->size() > kMaxCoefficients)
    return fail("there must be 1 to " + Twine(kMaxCoefficients) +
                " coefficients, not " + Twine(coefficients->size()));
  for (size_t i = 0; i < coefficients->size(); ++i) {
    double number = 0;
    if (!readNumber((*coefficients)[i], "coefficient " + Twine(i), spec.format,
                    number))
      return false;
    spec.coefficients.push_back(number);
  }
  return true;
}

Expected<std::vector<Program>> ProgramReader::read() {
  if (!readSpec())
    return makeError(error);
  // The second form is for chips without min.NaN.xorsign.abs.
  std::vector<Program> programs = {
      buildPolynomial(spec, from, ClampKind::XorSign, programName),
      buildPolynomial(spec, from, ClampKind::MinMax, programName + "-sm80")};
  for (const Program &program : programs)
    if (program.nodes().empty())
      return makeError(prefix + "no instructions can be built from it");
  return programs;
}

Expected<std::vector<Program>> poly::parseProgramFile(StringRef text,
                                                      StringRef path) {
  // The JSON parser recurses; a program file is three levels deep.
  int depth = 0;
  for (char c : text) {
    depth += c == '[' || c == '{';
    depth -= c == ']' || c == '}';
    if (depth > 64)
      return makeError(path +
                       ": nested too deeply for a program file; expected "
                       "[{...}, ...]");
  }
  Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return syntaxError(parsed.takeError(), text, path);
  const json::Array *array = parsed->getAsArray();
  if (!array)
    return makeError(path + ": expected an array of programs, [{...}, ...]");
  if (array->empty())
    return makeError(path + ": the array holds no programs");

  std::vector<Program> programs;
  StringSet<> names;
  for (size_t i = 0; i < array->size(); ++i) {
    std::string prefix = (path + ": program " + Twine(i + 1)).str();
    const json::Object *object = (*array)[i].getAsObject();
    if (!object)
      return makeError(prefix + ": expected an object");
    std::optional<StringRef> programName = object->getString("name");
    if (programName)
      prefix += (" ('" + *programName + "')").str();
    prefix += ": ";
    Expected<std::vector<Program>> forms =
        ProgramReader(*object, prefix).read();
    if (!forms)
      return forms.takeError();
    for (Program &program : *forms) {
      if (!names.insert(program.name()).second)
        return makeError(prefix + "the name is used twice; give each program "
                                  "its own");
      programs.push_back(std::move(program));
    }
  }
  return programs;
}
