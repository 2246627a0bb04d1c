//===- AttentionQuantiser.cpp - Operands of 8 bits ------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionQuantiser.h"

#include "AttentionReference.h"

#include "poly/Program/Formats.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

using namespace poly;
using namespace poly::bench;

size_t ArrayShape::row(int64_t head, int64_t place) const {
  int64_t batchIndex = head / heads;
  return size_t(((batchIndex * length + place) * heads + head % heads) *
                headDim);
}

std::vector<float> Quantised::expanded(int64_t heads) const {
  return factors.size() == 1 ? std::vector<float>(size_t(heads), factors[0])
                             : factors;
}

namespace {
struct Extent {
  double element = 0, norm = 0;
};
} // namespace

/// Of one head. \p valueOf gives the number at an index, and is called with
/// what is not finite in \p others.
template <typename ValueOf, typename Others>
static Extent extentOf(const ArrayShape &shape, int64_t head, ValueOf valueOf,
                       Others others) {
  Extent extent;
  for (int64_t place = 0; place < shape.length; ++place) {
    size_t first = shape.row(head, place);
    double squares = 0;
    for (size_t d = first; d < first + size_t(shape.headDim); ++d) {
      double value = valueOf(d);
      // A NaN must not hide behind a comparison.
      if (!std::isfinite(value)) {
        others(d);
        continue;
      }
      extent.element = std::max(extent.element, std::fabs(value));
      squares += value * value;
    }
    extent.norm = std::max(extent.norm, std::sqrt(squares));
  }
  return extent;
}

Quantised poly::bench::quantise(const std::vector<float> &values,
                                const ArrayShape &shape, Format format,
                                FactorsFor share, double greatestNorm) {
  std::vector<Extent> extents;
  auto refuse = [](size_t i) {
    throw std::runtime_error(
        "element " + std::to_string(i) +
        " is not finite; 8-bit operands have no factor for it");
  };
  for (int64_t head = 0; head < shape.allHeads(); ++head)
    extents.push_back(extentOf(
        shape, head, [&](size_t i) { return double(values[i]); }, refuse));
  if (share == FactorsFor::Tensor) {
    Extent whole;
    for (const Extent &extent : extents) {
      whole.element = std::max(whole.element, extent.element);
      whole.norm = std::max(whole.norm, extent.norm);
    }
    extents = {whole};
  }
  const FormatTraits &form = traits(format);
  double greatest = decode(format, format == Format::E4M3 ? form.infinity
                                                          : form.infinity - 1);
  // Rounding lengthens no element by more than this.
  double growth = 1 + std::ldexp(1, -form.mantissaBits - 1);
  Quantised result;
  for (const Extent &extent : extents) {
    double factor = extent.element / greatest;
    if (greatestNorm > 0)
      factor = std::max(factor, extent.norm * growth / greatestNorm);
    // Rounded up, so that the promises hold.
    float stored = float(factor);
    if (double(stored) < factor)
      stored = std::nextafter(stored, INFINITY);
    result.factors.push_back(factor > 0 ? stored : 1);
  }
  result.elements.resize(values.size());
  inParallel(size_t(shape.allHeads()), [&](size_t head) {
    double factor = result.factors[share == FactorsFor::Tensor ? 0 : head];
    for (int64_t place = 0; place < shape.length; ++place) {
      size_t first = shape.row(int64_t(head), place);
      for (size_t d = first; d < first + size_t(shape.headDim); ++d)
        result.elements[d] = encode(format, double(values[d]) / factor);
    }
  });
  return result;
}

std::vector<double> poly::bench::rowNorms(const std::vector<uint32_t> &elements,
                                          const ArrayShape &shape,
                                          Format format) {
  std::vector<double> norms;
  for (int64_t head = 0; head < shape.allHeads(); ++head)
    norms.push_back(extentOf(
                        shape, head,
                        [&](size_t i) { return decode(format, elements[i]); },
                        [](size_t) {})
                        .norm);
  return norms;
}

double poly::bench::productBound(const std::vector<double> &queryNorms,
                                 const std::vector<double> &keyNorms,
                                 int64_t heads, int64_t keyHeads) {
  AttentionProblem problem;
  problem.heads = heads;
  problem.keyHeads = keyHeads;
  double bound = 0;
  for (size_t head = 0; head < queryNorms.size(); ++head)
    bound =
        std::max(bound, queryNorms[head] *
                            keyNorms[size_t(problem.keyHeadOf(int64_t(head)))]);
  return bound;
}
