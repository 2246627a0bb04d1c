//===- Plot.cpp - Result sets as bar charts in SVG ------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"

#include "Table.h"

#include <algorithm>
#include <cmath>

using namespace poly::runtime;

namespace {

constexpr double kBarHeight = 18, kBarGap = 5, kTitleHeight = 30;
constexpr double kLabelWidth = 230, kBarWidth = 420, kValueWidth = 170;
constexpr double kMargin = 14;
// Distinct to people who see few colours, too (P. Okabe and M. Ito, 2008).
constexpr const char *kColours[] = {"#999999", "#0072b2", "#d55e00", "#009e73",
                                    "#cc79a7", "#e69f00", "#56b4e9"};
constexpr size_t kNumColours = sizeof(kColours) / sizeof(kColours[0]);

struct Bar {
  std::string label;
  std::string metric;
  double median, lower, upper, ratio;
};

struct Panel {
  std::string title;
  std::vector<Bar> bars;
};

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '<'   ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '&' ? "&amp;"
                         : std::string(1, c);
  return result;
}

std::string fixed(double value) { return print("%.1f", value); }

void addText(std::string &svg, double x, double y, const std::string &text,
             const char *attributes) {
  svg += "<text x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" " + attributes +
         ">" + escaped(text) + "</text>\n";
}

void addBar(std::string &svg, const Bar &bar, double y, double scale,
            const char *colour) {
  double left = kMargin + kLabelWidth;
  double middle = y + kBarHeight * 0.72;
  addText(svg, left - 8, middle, bar.label, "text-anchor=\"end\"");
  double length = bar.median * scale;
  svg += "<rect x=\"" + fixed(left) + "\" y=\"" + fixed(y) + "\" width=\"" +
         fixed(length) + "\" height=\"" + fixed(kBarHeight) + "\" fill=\"" +
         colour + "\"/>\n";
  // Half of the rounds lie between the ends of this line.
  svg += "<line x1=\"" + fixed(left + bar.lower * scale) + "\" x2=\"" +
         fixed(left + bar.upper * scale) + "\" y1=\"" +
         fixed(y + kBarHeight / 2) + "\" y2=\"" + fixed(y + kBarHeight / 2) +
         "\" stroke=\"black\"/>\n";
  std::string unit = bar.metric == "microseconds" ? "\u00b5s" : bar.metric;
  addText(svg, left + std::max(length, bar.upper * scale) + 6, middle,
          print("%.4g ", bar.median) + unit + print(" (%.2f\u00d7)", bar.ratio),
          "");
}

std::vector<Panel> panelsOf(const Json &results) {
  std::vector<Panel> panels;
  for (const Json &row : results.at("rows").asArray("rows")) {
    if (!row.find("median"))
      continue;
    const std::string &work = row.at("work").asString("work");
    auto panel = std::find_if(panels.begin(), panels.end(),
                              [&](const Panel &p) { return p.title == work; });
    if (panel == panels.end())
      panel = panels.insert(panels.end(), Panel{work, {}});
    auto number = [&](const char *key) { return row.at(key).asNumber(key); };
    panel->bars.push_back({row.at("variant").asString("variant"),
                           row.at("metric").asString("metric"),
                           number("median"), number("lower"), number("upper"),
                           number("ratio")});
  }
  return panels;
}

} // namespace

std::string poly::runtime::plotResults(const Json &results,
                                       const std::string &path) {
  std::vector<Panel> panels;
  std::string title;
  try {
    title = results.at("suite").asString("suite") + " on ";
    title += results.at("device").at("name").asString("name");
    panels = panelsOf(results);
  } catch (const JsonError &error) {
    throw JsonError(path + ": is no result set: " + error.what());
  }
  if (panels.empty())
    throw JsonError(path + ": has no timed rows");

  double height = kMargin + kTitleHeight;
  for (const Panel &panel : panels)
    height += kTitleHeight +
              double(panel.bars.size()) * (kBarHeight + kBarGap) + kMargin;
  double width = 2 * kMargin + kLabelWidth + kBarWidth + kValueWidth;
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
                    fixed(width) + "\" height=\"" + fixed(height) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  double y = kMargin + 14;
  addText(svg, kMargin, y, title, "font-size=\"16\" font-weight=\"bold\"");
  y += kTitleHeight / 2;
  std::vector<std::string> known; // A variant has one colour in all panels.
  for (const Panel &panel : panels) {
    y += kTitleHeight;
    addText(svg, kMargin, y - 9, panel.title, "font-weight=\"bold\"");
    double longest = 0;
    for (const Bar &bar : panel.bars)
      longest = std::max({longest, bar.median, bar.upper});
    for (const Bar &bar : panel.bars) {
      auto at = std::find(known.begin(), known.end(), bar.label);
      if (at == known.end())
        at = known.insert(known.end(), bar.label);
      addBar(svg, bar, y, longest > 0 ? kBarWidth / longest : 0,
             kColours[size_t(at - known.begin()) % kNumColours]);
      y += kBarHeight + kBarGap;
    }
    y += kMargin;
  }
  return svg + "</svg>\n";
}
