//===- Expression.cpp - Functions given as formulas -----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Program/Expression.h"

#include "poly/Program/Certify.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

using namespace poly;

namespace {

struct NamedFunction {
  std::string_view name;
  double (*one)(double);
  double (*two)(double, double);
};

double signOf(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
double sigmoidOf(double x) { return reference(Function::Sigmoid, x); }
double siluOf(double x) { return reference(Function::Silu, x); }
double geluOf(double x) { return reference(Function::GeluErf, x); }

constexpr NamedFunction kNamed[] = {
    {"abs", [](double x) { return std::fabs(x); }, nullptr},
    {"acos", [](double x) { return std::acos(x); }, nullptr},
    {"acosh", [](double x) { return std::acosh(x); }, nullptr},
    {"asin", [](double x) { return std::asin(x); }, nullptr},
    {"asinh", [](double x) { return std::asinh(x); }, nullptr},
    {"atan", [](double x) { return std::atan(x); }, nullptr},
    {"atanh", [](double x) { return std::atanh(x); }, nullptr},
    {"cbrt", [](double x) { return std::cbrt(x); }, nullptr},
    {"cos", [](double x) { return std::cos(x); }, nullptr},
    {"cosh", [](double x) { return std::cosh(x); }, nullptr},
    {"erf", [](double x) { return std::erf(x); }, nullptr},
    {"erfc", [](double x) { return std::erfc(x); }, nullptr},
    {"exp", [](double x) { return std::exp(x); }, nullptr},
    {"exp2", [](double x) { return std::exp2(x); }, nullptr},
    {"expm1", [](double x) { return std::expm1(x); }, nullptr},
    {"gelu", geluOf, nullptr},
    {"log", [](double x) { return std::log(x); }, nullptr},
    {"log10", [](double x) { return std::log10(x); }, nullptr},
    {"log1p", [](double x) { return std::log1p(x); }, nullptr},
    {"log2", [](double x) { return std::log2(x); }, nullptr},
    {"max", nullptr, [](double a, double b) { return a < b ? b : a; }},
    {"min", nullptr, [](double a, double b) { return b < a ? b : a; }},
    {"pow", nullptr, [](double a, double b) { return std::pow(a, b); }},
    {"sigmoid", sigmoidOf, nullptr},
    {"sign", signOf, nullptr},
    {"silu", siluOf, nullptr},
    {"sin", [](double x) { return std::sin(x); }, nullptr},
    {"sinh", [](double x) { return std::sinh(x); }, nullptr},
    {"sqrt", [](double x) { return std::sqrt(x); }, nullptr},
    {"tan", [](double x) { return std::tan(x); }, nullptr},
    {"tanh", [](double x) { return std::tanh(x); }, nullptr},
};

/// Brackets and signs nest no deeper; the parser recurses.
constexpr unsigned kMaxNesting = 250;
/// Of the evaluation's stack.
constexpr unsigned kMaxDepth = 128;

} // namespace

namespace poly {

/// Recursive descent: sum, product, signed factor, power, atom.
class ExpressionParser {
public:
  ExpressionParser(std::string_view text, Expression &expression)
      : text(text), expression(expression) {}

  bool parse(std::string &message) {
    if (sum() && peek() != '\0')
      fail("expected an operator");
    if (error.empty() && expression.depth > kMaxDepth)
      fail("the formula is too deep");
    message = error;
    return error.empty();
  }

private:
  using Code = Expression::Code;

  bool fail(const std::string &what) {
    if (error.empty())
      error = what + " at position " + std::to_string(at + 1);
    return false;
  }
  char peek() {
    while (at < text.size() && std::isspace((unsigned char)text[at]))
      ++at;
    return at < text.size() ? text[at] : '\0';
  }
  bool accept(char c) {
    if (peek() != c)
      return false;
    ++at;
    return true;
  }
  bool expect(char c) {
    return accept(c) || fail(std::string("expected '") + c + "'");
  }
  void push(Code code, int change) {
    expression.codes.push_back(code);
    height = unsigned(int(height) + change);
    expression.depth = std::max(expression.depth, height);
  }
  void push(Code::Kind kind) {
    Code code;
    code.kind = kind;
    push(code, kind == Code::Negate ? 0 : -1);
  }

  bool sum() {
    if (++nesting > kMaxNesting)
      return fail("too many brackets");
    bool good = product();
    while (good) {
      bool add = accept('+');
      if (!add && !accept('-'))
        break;
      good = product();
      if (good)
        push(add ? Code::Add : Code::Sub);
    }
    --nesting;
    return good;
  }
  bool product() {
    if (!factor())
      return false;
    while (true) {
      bool multiply = accept('*');
      if (!multiply && !accept('/'))
        return true;
      if (!factor())
        return false;
      push(multiply ? Code::Mul : Code::Div);
    }
  }
  /// A sign binds weaker than a power: -x^2 is -(x^2).
  bool factor() {
    if (++nesting > kMaxNesting)
      return fail("too many signs");
    bool good;
    if (accept('-')) {
      good = factor();
      if (good)
        push(Code::Negate);
    } else if (accept('+')) {
      good = factor();
    } else {
      good = atom();
      if (good && accept('^')) {
        good = factor();
        if (good)
          push(Code::Power);
      }
    }
    --nesting;
    return good;
  }
  bool atom() {
    char c = peek();
    if (accept('('))
      return sum() && expect(')');
    if (std::isdigit((unsigned char)c) || c == '.')
      return number();
    if (std::isalpha((unsigned char)c))
      return word();
    return fail(c == '\0' ? "the formula ends too early"
                          : std::string("unexpected '") + c + "'");
  }
  bool number() {
    std::string digits(text.substr(at));
    char *end = nullptr;
    Code code;
    code.kind = Code::Number;
    code.number = std::strtod(digits.c_str(), &end);
    if (end == digits.c_str() || !std::isfinite(code.number))
      return fail("bad number");
    at += size_t(end - digits.c_str());
    push(code, 1);
    return true;
  }
  bool word() {
    size_t start = at;
    while (at < text.size() && std::isalnum((unsigned char)text[at]))
      ++at;
    std::string_view name = text.substr(start, at - start);
    Code code;
    code.kind = name == "x" ? Code::Variable : Code::Number;
    if (name == "x" || name == "pi" || name == "e") {
      code.number =
          name == "pi" ? 3.14159265358979323846 : 2.71828182845904523536;
      push(code, 1);
      return true;
    }
    for (unsigned i = 0; i < std::size(kNamed); ++i) {
      if (kNamed[i].name != name)
        continue;
      code.kind = kNamed[i].one ? Code::Unary : Code::Binary;
      code.function = i;
      if (!expect('(') || !sum())
        return false;
      if (kNamed[i].two && (!expect(',') || !sum()))
        return false;
      if (!expect(')'))
        return false;
      push(code, kNamed[i].one ? 0 : -1);
      return true;
    }
    at = start;
    return fail("unknown name '" + std::string(name) + "' (known: x, pi, e, " +
                Expression::functionNames() + ")");
  }

  std::string_view text;
  Expression &expression;
  std::string error;
  size_t at = 0;
  unsigned nesting = 0, height = 0;
};

} // namespace poly

bool Expression::parse(std::string_view text, Expression &expression,
                       std::string &error) {
  expression = {};
  return ExpressionParser(text, expression).parse(error);
}

double Expression::operator()(double x) const {
  double stack[kMaxDepth + 1];
  size_t top = 0;
  for (const Code &code : codes) {
    double *last = stack + top;
    switch (code.kind) {
    case Code::Number:
      stack[top++] = code.number;
      break;
    case Code::Variable:
      stack[top++] = x;
      break;
    case Code::Negate:
      last[-1] = -last[-1];
      break;
    case Code::Unary:
      last[-1] = kNamed[code.function].one(last[-1]);
      break;
    default: {
      double a = last[-2], b = last[-1];
      --top;
      last[-2] = code.kind == Code::Add     ? a + b
                 : code.kind == Code::Sub   ? a - b
                 : code.kind == Code::Mul   ? a * b
                 : code.kind == Code::Div   ? a / b
                 : code.kind == Code::Power ? std::pow(a, b)
                                            : kNamed[code.function].two(a, b);
      break;
    }
    }
  }
  return top == 1 ? stack[0] : std::nan("");
}

std::string Expression::functionNames() {
  std::string names;
  for (const NamedFunction &named : kNamed)
    names += (names.empty() ? "" : ", ") + std::string(named.name);
  return names;
}
