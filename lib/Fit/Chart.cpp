//===- Chart.cpp - Line charts as SVG -------------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "poly/Fit/Report.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

using namespace poly::fit;

namespace {

constexpr double kWidth = 760, kHeight = 440;
constexpr double kLeft = 76, kRight = 196, kTop = 42, kBottom = 52;
// Distinct to people who see few colours, too (P. Okabe and M. Ito, 2008).
constexpr const char *kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#000000"};

std::string print(const char *pattern, ...)
    __attribute__((format(printf, 1, 2)));
std::string print(const char *pattern, ...) {
  char text[400];
  va_list args;
  va_start(args, pattern);
  std::vsnprintf(text, sizeof(text), pattern, args);
  va_end(args);
  return text;
}

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '<'   ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '&' ? "&amp;"
                         : std::string(1, c);
  return result;
}

/// A step of 1, 2 or 5 times a power of ten, for about six ticks.
double tickStep(double span) {
  double step = std::pow(10, std::floor(std::log10(span / 6)));
  for (double factor : {5.0, 2.0})
    if (span / (step * factor) >= 5)
      return step * factor;
  return step;
}

} // namespace

std::string poly::fit::toSvg(const Chart &chart) {
  double xLow = HUGE_VAL, xHigh = -HUGE_VAL, yLow = HUGE_VAL, yHigh = 0;
  for (const Chart::Series &series : chart.series)
    for (auto [x, y] : series.points) {
      xLow = std::min(xLow, x);
      xHigh = std::max(xHigh, x);
      yHigh = std::max(yHigh, y);
      if (y > 0)
        yLow = std::min(yLow, y);
    }
  if (!(xLow < xHigh))
    xHigh = xLow + 1;
  // Four decades say enough about an error.
  yHigh = std::pow(10, std::ceil(std::log10(yHigh) * 2 + 0.05) / 2);
  yLow = std::max(std::pow(10, std::floor(std::log10(yLow))), yHigh * 1e-4);
  double right = kWidth - kRight, bottom = kHeight - kBottom;
  auto px = [&](double x) {
    return kLeft + (x - xLow) / (xHigh - xLow) * (right - kLeft);
  };
  auto py = [&](double y) {
    double share = std::log(std::max(y, yLow) / yLow) / std::log(yHigh / yLow);
    return bottom - share * (bottom - kTop);
  };

  std::string svg =
      print("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            kWidth, kHeight);
  svg += print("<text x=\"%g\" y=\"22\" font-size=\"15\">%s</text>\n", kLeft,
               escaped(chart.title).c_str());
  for (double y = std::pow(10, std::ceil(std::log10(yLow) - 1e-9));
       y <= yHigh * (1 + 1e-9); y *= 10)
    svg += print("<path d=\"M%g %.1fH%g\" stroke=\"#ddd\"/>"
                 "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                 kLeft, py(y), right, kLeft - 6, py(y) + 4, y);
  double step = tickStep(xHigh - xLow);
  for (double x = std::ceil(xLow / step) * step; x <= xHigh + step / 100;
       x += step)
    svg += print("<path d=\"M%.1f %gV%g\" stroke=\"#eee\"/>"
                 "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%g</text>\n",
                 px(x), kTop, bottom, px(x), bottom + 18,
                 std::fabs(x) < step / 100 ? 0 : x);
  svg += print("<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" "
               "fill=\"none\" stroke=\"#444\"/>\n",
               kLeft, kTop, right - kLeft, bottom - kTop);
  svg +=
      print("<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>\n",
            (kLeft + right) / 2, kHeight - 14, escaped(chart.xLabel).c_str());
  svg += print("<text transform=\"translate(18 %g) rotate(-90)\" "
               "text-anchor=\"middle\">%s</text>\n",
               (kTop + bottom) / 2, escaped(chart.yLabel).c_str());

  for (size_t i = 0; i < chart.series.size(); ++i) {
    const Chart::Series &series = chart.series[i];
    const char *colour = kColours[i % std::size(kColours)];
    if (series.markers) {
      for (auto [x, y] : series.points)
        svg += print("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
                     px(x), py(y), colour);
    } else {
      svg += "<path fill=\"none\" stroke-width=\"1.4\" stroke=\"" +
             std::string(colour) + "\" d=\"";
      for (size_t k = 0; k < series.points.size(); ++k)
        svg += print("%c%.1f %.1f", k ? 'L' : 'M', px(series.points[k].first),
                     py(series.points[k].second));
      svg += "\"/>\n";
    }
    double y = kTop + 10 + 20 * double(i);
    svg += print("<rect x=\"%g\" y=\"%g\" width=\"12\" height=\"4\" "
                 "fill=\"%s\"/><text x=\"%g\" y=\"%g\">%s</text>\n",
                 right + 12, y - 4, colour, right + 30, y + 2,
                 escaped(series.name).c_str());
  }
  return svg + "</svg>\n";
}
