//===- ProgramFile.cpp - Programs from JSON -------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/ProgramFile.h"

#include "poly/Program/Certify.h"
#include "poly/Program/Expression.h"
#include "poly/Program/Formats.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <cstdio>

using namespace poly;
using namespace llvm;

/// Coefficients of q; with more the packed formats only gain rounding errors.
static constexpr size_t kMaxCoefficients = 8;
/// What this version of poly writes and reads.
static constexpr int64_t kVersion = 1;

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
  /// After read().
  ProgramFileEntry entry() const { return {programName, spec, from}; }

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
  bool readOptional(StringRef key, Format format, double &number);
  bool readCoefficients(StringRef key, std::vector<double> &coefficients);
  bool readFunction();
  bool readFormats();
  bool readForm();
  bool readDomain();
  bool readClamp();
  bool readSpec();
  bool checkContract(const Program &program);

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
      "name",      "function",  "expression", "parity",     "parameter",
      "domain",    "form",      "format",     "from",       "to",
      "clamp",     "clamp_low", "breakpoint", "upper",      "coefficients",
      "squarings", "center",    "root",       "provenance", "contract"};
  for (const auto &entry : object) {
    StringRef key = entry.first;
    if (is_contained(known, key))
      continue;
    std::string keys;
    for (StringRef name : known)
      keys += (keys.empty() ? "" : ", ") + name.str();
    return fail("unknown key '" + key + "'; the keys are " + keys);
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

bool ProgramReader::readOptional(StringRef key, Format format, double &number) {
  const json::Value *found = object.get(key);
  return !found || readNumber(*found, "'" + key + "'", format, number);
}

bool ProgramReader::readCoefficients(StringRef key,
                                     std::vector<double> &coefficients) {
  const json::Array *list = object.get(key)->getAsArray();
  if (!list)
    return fail("'" + key + "' must be an array of numbers");
  if (list->empty() || list->size() > kMaxCoefficients)
    return fail("there must be 1 to " + Twine(kMaxCoefficients) +
                " coefficients, not " + Twine(list->size()));
  for (size_t i = 0; i < list->size(); ++i) {
    double number = 0;
    if (!readNumber((*list)[i], "coefficient " + Twine(i), spec.format, number))
      return false;
    coefficients.push_back(number);
  }
  return true;
}

bool ProgramReader::readFunction() {
  std::string function, parity;
  if (!readString("function", function, true) ||
      !readString("expression", spec.expression, false) ||
      !readString("parity", parity, false))
    return false;
  if (!parse(function, spec.function))
    return fail("unknown function '" + function +
                "'; use a name such as sigmoid, tanh or silu, or custom with "
                "an expression");
  bool custom = spec.function == Function::Custom;
  if (custom != !spec.expression.empty())
    return fail(custom ? "the function 'custom' needs an expression"
                       : "an expression goes with the function 'custom'");
  if (custom) {
    Expression expression;
    std::string message;
    if (!Expression::parse(spec.expression, expression, message))
      return fail("expression '" + Twine(spec.expression) + "': " + message);
    if (!parse(parity, spec.reduction))
      return fail("unknown parity '" + parity +
                  "'; use odd, even, complement, gate or none");
  } else if (!parity.empty()) {
    return fail("a parity goes with the function 'custom'");
  }
  if (!readOptional("parameter", Format::F32, spec.parameter))
    return false;
  bool shift = spec.function == Function::SigmoidShift ||
               spec.function == Function::DSigmoidShift;
  if (shift != (spec.parameter != 0) || spec.parameter < 0)
    return fail(shift ? "the function '" + function +
                            "' needs a 'parameter', the number of keys"
                      : "the function '" + function + "' has no parameter");
  return true;
}

bool ProgramReader::readFormats() {
  if (!readFormat("format", spec.format, true))
    return false;
  Format to = spec.format;
  if (!readFormat("to", to, false))
    return false;
  if (to != spec.format) {
    bool widens = spec.format == Format::BF16 || to == Format::F32;
    if (widens)
      return fail("'to' must be narrower than the arithmetic (" +
                  Twine(StringRef(name(spec.format))) + ")");
    spec.to = to;
  }
  from = spec.format == Format::F32 ? Format::F32 : to;
  if (!readFormat("from", from, false))
    return false;
  if (from != to && from != Format::F32)
    return fail("'from' must be f32 or the format itself (" +
                Twine(StringRef(name(to))) + ")");
  if (spec.format == Format::F32 && from != Format::F32)
    return fail("'from' must be f32 where the arithmetic is");
  return true;
}

bool ProgramReader::readForm() {
  std::string form;
  if (!readString("form", form, true))
    return false;
  Reduction reduction = reductionOf(spec);
  bool whole = reduction == Reduction::Whole,
       even = reduction == Reduction::Even;
  if (form != "half" && form != "odd" && form != "even" && form != "whole")
    return fail("unknown form '" + form + "'; use half, odd, even or whole");
  if ((form == "whole") != whole || (form == "even" && !even) ||
      (form == "odd" && even))
    return fail("form '" + form +
                "' does not go with a function whose parity "
                "is '" +
                StringRef(name(reduction)) + "'");
  spec.odd = form == "odd" || form == "even";
  double squarings = 0;
  if (!readOptional("squarings", Format::F32, squarings))
    return false;
  if (squarings < 0 || squarings > 4 || squarings != std::floor(squarings) ||
      (squarings > 0 && !whole))
    return fail("'squarings' must be 0 to 4, and 0 but for form 'whole'");
  spec.squarings = unsigned(squarings);
  if (!readOptional("center", spec.format, spec.center))
    return false;
  if (spec.center != 0 && form != "half")
    return fail("a center goes with form 'half'");
  if (!readOptional("root", Format::F32, spec.root))
    return false;
  bool hasParity = reduction == Reduction::Odd || reduction == Reduction::Even;
  if (spec.root != 0 && (!spec.odd || !hasParity))
    return fail("a root goes with form 'odd' or 'even', and a function that "
                "is odd or even");
  return true;
}

bool ProgramReader::readDomain() {
  const json::Value *found = object.get("domain");
  if (!found)
    return true;
  const json::Array *list = found->getAsArray();
  if (!list || list->size() != 2)
    return fail("'domain' must be an array of two numbers");
  if (!readNumber((*list)[0], "the domain's start", Format::F32,
                  spec.domainLow) ||
      !readNumber((*list)[1], "the domain's end", Format::F32, spec.domainHigh))
    return false;
  return spec.domainLow < spec.domainHigh ||
         fail("the domain must start below its end");
}

bool ProgramReader::readClamp() {
  const json::Value *clamp = object.get("clamp");
  if (!clamp)
    return fail("the key 'clamp' is missing");
  if (!readNumber(*clamp, "the clamp", spec.format, spec.clamp))
    return false;
  if (reductionOf(spec) == Reduction::Whole) {
    if (!object.get("clamp_low"))
      return fail("the key 'clamp_low' is missing");
    return readOptional("clamp_low", spec.format, spec.clampLow) &&
           (spec.clampLow < spec.clamp ||
            fail("'clamp_low' must be below the clamp"));
  }
  if (object.get("clamp_low"))
    return fail("'clamp_low' goes with form 'whole'");
  // Turns are reduced, not clamped.
  bool unclamped = isTurn(spec.function) && spec.clamp == 0;
  return spec.clamp > 0 || unclamped || fail("the clamp must be above zero");
}

bool ProgramReader::readSpec() {
  if (!checkKeys() || !readString("name", programName, true) ||
      !readString("provenance", spec.provenance, false))
    return false;
  if (programName.empty() ||
      StringRef(programName)
              .find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRS"
                                 "TUVWXYZ0123456789"
                                 "._-") != StringRef::npos)
    return fail("the name must be letters, digits, '.', '_' and '-'");
  if (!readFunction() || !readFormats() || !readForm() || !readDomain() ||
      !readClamp())
    return false;
  if (!object.get("coefficients"))
    return fail("the key 'coefficients' is missing");
  if (!readCoefficients("coefficients", spec.coefficients))
    return false;
  if (!object.get("upper"))
    return !object.get("breakpoint") ||
           fail("'breakpoint' goes with 'upper', the second piece");
  if (!object.get("breakpoint"))
    return fail("'upper' needs a 'breakpoint', where the second piece starts");
  if (!readCoefficients("upper", spec.upper) ||
      !readOptional("breakpoint", spec.format, spec.breakpoint))
    return false;
  return spec.upper.size() == spec.coefficients.size() ||
         fail("'upper' must have as many coefficients as 'coefficients'");
}

bool ProgramReader::checkContract(const Program &program) {
  const json::Value *found = object.get("contract");
  if (!found)
    return true;
  const json::Object *contract = found->getAsObject();
  if (!contract)
    return fail("'contract' must be an object");
  Certificate certificate = certify(program);
  const std::pair<StringRef, double> values[] = {
      {"inputs", double(certificate.inputs)},
      {"max_abs", certificate.maxAbs},
      {"max_rel", certificate.maxRel},
      {"max_ulp", certificate.maxUlp}};
  for (const auto &[key, value] : values) {
    std::optional<double> stated = contract->getNumber(key);
    if (!stated)
      return fail("the contract lacks the number '" + key + "'");
    if (*stated != value)
      return fail(
          "the contract says " + key + " = " + decimal(*stated) +
          ", but the program has " + decimal(value) +
          "; was a number edited? Fit it again, or remove the contract");
  }
  return true;
}

Expected<std::vector<Program>> ProgramReader::read() {
  if (!readSpec())
    return makeError(error);
  raw_string_ostream(spec.definition) << json::Value(json::Object(object));
  std::vector<Program> programs = {
      buildPolynomial(spec, from, ClampKind::XorSign, programName)};
  // The second form is for chips without min.NaN.xorsign.abs.
  if (hasSignedClamp(spec))
    programs.push_back(
        buildPolynomial(spec, from, ClampKind::MinMax, programName + "-sm80"));
  for (const Program &program : programs)
    if (program.nodes().empty())
      return makeError(prefix + "no instructions can be built from it");
  if (!checkContract(programs.front()))
    return makeError(error);
  return programs;
}

/// The array of programs of a parsed file; null and an error otherwise.
static const json::Array *programArray(const json::Value &file, StringRef path,
                                       Error &error) {
  if (const json::Array *array = file.getAsArray())
    return array;
  const json::Object *object = file.getAsObject();
  const json::Value *version =
      object ? object->get("poly_program_file") : nullptr;
  if (!version) {
    error =
        makeError(path + ": expected an array of programs, [{...}, ...], or "
                         "{\"poly_program_file\": 1, \"programs\": [...]}");
    return nullptr;
  }
  if (version->getAsInteger() != kVersion) {
    error = makeError(path + ": 'poly_program_file' must be " +
                      Twine(kVersion) + ", the version that this poly reads");
    return nullptr;
  }
  const json::Array *array = object->getArray("programs");
  if (!array)
    error = makeError(path + ": the key 'programs' must be an array");
  return array;
}

/// Calls \p take with the programs of each entry and with what they are built
/// from.
static Error
readPrograms(StringRef text, StringRef path,
             function_ref<void(ProgramFileEntry, std::vector<Program>)> take) {
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
  Error error = Error::success();
  const json::Array *array = programArray(*parsed, path, error);
  if (error)
    return error;
  if (array->empty())
    return makeError(path + ": the array holds no programs");

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
    ProgramReader reader(*object, prefix);
    Expected<std::vector<Program>> forms = reader.read();
    if (!forms)
      return forms.takeError();
    for (const Program &program : *forms)
      if (!names.insert(program.name()).second)
        return makeError(prefix + "the name is used twice; give each program "
                                  "its own");
    take(reader.entry(), std::move(*forms));
  }
  return Error::success();
}

Expected<std::vector<Program>> poly::parseProgramFile(StringRef text,
                                                      StringRef path) {
  std::vector<Program> programs;
  if (Error error = readPrograms(
          text, path,
          [&](const ProgramFileEntry &, std::vector<Program> forms) {
            for (Program &program : forms)
              programs.push_back(std::move(program));
          }))
    return error;
  return programs;
}

Expected<std::vector<ProgramFileEntry>>
poly::parseProgramFileEntries(StringRef text, StringRef path) {
  std::vector<ProgramFileEntry> entries;
  if (Error error = readPrograms(
          text, path,
          [&](ProgramFileEntry entry, const std::vector<Program> &) {
            entries.push_back(std::move(entry));
          }))
    return error;
  return entries;
}

std::string
poly::programFileText(const std::vector<ProgramFileEntry> &entries) {
  std::string text;
  raw_string_ostream stream(text);
  json::OStream out(stream, 1);
  auto number = [](double value) { return json::Value(value); };
  auto numbers = [&](StringRef key, ArrayRef<double> values) {
    out.attributeArray(key, [&] {
      for (double value : values)
        out.value(number(value));
    });
  };
  auto string = [&](StringRef key, std::string_view value) {
    out.attribute(key, StringRef(value));
  };
  auto write = [&](const ProgramFileEntry &entry) {
    const PolynomialSpec &spec = entry.spec;
    bool custom = spec.function == Function::Custom;
    Reduction reduction = reductionOf(spec);
    string("name", entry.name);
    string("function", name(spec.function));
    if (custom) {
      string("expression", spec.expression);
      string("parity", name(reduction));
    }
    if (spec.parameter != 0)
      out.attribute("parameter", number(spec.parameter));
    if (std::isfinite(spec.domainLow) && std::isfinite(spec.domainHigh))
      numbers("domain", {spec.domainLow, spec.domainHigh});
    bool whole = reduction == Reduction::Whole;
    string("form", whole                          ? "whole"
                   : !spec.odd                    ? "half"
                   : reduction == Reduction::Even ? "even"
                                                  : "odd");
    string("format", name(spec.format));
    if (spec.to)
      string("to", name(*spec.to));
    string("from", name(entry.from));
    if (whole)
      out.attribute("clamp_low", number(spec.clampLow));
    out.attribute("clamp", number(spec.clamp));
    if (spec.squarings)
      out.attribute("squarings", int64_t(spec.squarings));
    if (spec.center != 0)
      out.attribute("center", number(spec.center));
    if (spec.root != 0)
      out.attribute("root", number(spec.root));
    numbers("coefficients", spec.coefficients);
    if (!spec.upper.empty()) {
      out.attribute("breakpoint", number(spec.breakpoint));
      numbers("upper", spec.upper);
    }
    string("provenance", spec.provenance);
    Certificate c = certify(
        buildPolynomial(spec, entry.from, ClampKind::XorSign, entry.name));
    out.attributeObject("contract", [&] {
      out.attribute("inputs", int64_t(c.inputs));
      out.attribute("max_abs", number(c.maxAbs));
      out.attribute("max_rel", number(c.maxRel));
      out.attribute("max_ulp", number(c.maxUlp));
    });
  };
  out.object([&] {
    out.attribute("poly_program_file", kVersion);
    out.attributeArray("programs", [&] {
      for (const ProgramFileEntry &entry : entries)
        out.object([&] { write(entry); });
    });
  });
  return text + "\n";
}
