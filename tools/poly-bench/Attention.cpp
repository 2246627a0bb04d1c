//===- Attention.cpp - Fused attention ------------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels of family "attention", forward: O = P V, P from the scores
/// s = scale q k by softmax, by softmax of cap tanh(s / cap), or by
/// sigmoid(s + bias). Results are compared with float64 on all rows of small
/// problems, on some of large ones.
///
//===----------------------------------------------------------------------===//

#include "AttentionMetadata.h"
#include "AttentionRun.h"

#include <algorithm>
#include <iterator>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

/// What kernels are checked with: lengths that are no whole tiles, fewer and
/// more queries than keys, grouped heads, more tiles than multiprocessors.
static constexpr AttentionShape kChecks[] = {{1, 128, 128, 1, 1},
                                             {2, 77, 200, 4, 2},
                                             {1, 300, 129, 6, 2},
                                             {3, 1, 515, 8, 8},
                                             {2, 1111, 1111, 10, 5}};
/// Spreads of the queries with which scores are large: of kernels that are
/// promised bounded scores, and of others.
static constexpr double kBoundedSpread = 2, kWideSpread = 4;
static constexpr AttentionShape kTimed[] = {
    {4, 1024, 1024, 32, 8},    {2, 2048, 2048, 16, 16},
    {1, 4096, 4096, 32, 8},    {1, 8192, 8192, 16, 16},
    {1, 16384, 16384, 16, 16}, {1, 32768, 32768, 8, 8}};

namespace {
struct Group {
  AttentionWork work;
  std::vector<const Entry *> entries;

  std::string name() const { return work.name(); }
};
} // namespace

static void runGroup(Session &session, const Group &group) {
  session.progress(group.name() + ": checking");
  std::vector<Case> cases(group.entries.begin(), group.entries.end());
  for (AttentionShape shape : kChecks)
    for (double spread : {1.0, kBoundedSpread, kWideSpread}) {
      AttentionWork small = group.work;
      small.shape = shape;
      small.spread = spread;
      AttentionInputs inputs(small);
      for (Case &item : cases) {
        bool isBounded = item.kernel->metadata().number("scoreBound", 0) > 0;
        if (item.ok() && spread != (isBounded ? kWideSpread : kBoundedSpread))
          checkAttention(session, item, inputs, {}, 2);
      }
    }
  measureAttention(session, cases, group.work, {});
}

std::vector<AttentionShape> poly::bench::givenShapes(const Options &options) {
  std::vector<AttentionShape> shapes;
  for (auto [batches, queries, keys, heads, keyHeads] : options.shapes) {
    std::pair<const char *, unsigned> sizes[] = {{"batches", batches},
                                                 {"queries", queries},
                                                 {"keys", keys},
                                                 {"heads", heads},
                                                 {"key heads", keyHeads}};
    for (auto [name, size] : sizes)
      if (size == 0)
        throw UsageError(std::string("--shape: the number of ") + name +
                         " is 0; kernels need at least 1, so do not launch any "
                         "where there is nothing to compute");
    if (heads % keyHeads)
      throw UsageError("--shape: " + std::to_string(heads) +
                       " heads are no multiple of " + std::to_string(keyHeads) +
                       " key heads");
    // Kernels count rows in 32 bits. Factors are below 2^25 each.
    double rows = double(batches) * heads * std::max(queries, keys);
    if (rows >= 0x1p31)
      throw UsageError("--shape: batches times heads times queries or keys "
                       "must be below 2^31; kernels count them in 32 bits");
    shapes.push_back({batches, queries, keys, heads, keyHeads});
  }
  return shapes;
}

int poly::bench::runAttention(const Options &options) {
  if (options.backward)
    return runAttentionBackward(options);
  if (options.dtype == "fp8")
    return runAttention8Bit(options);
  std::vector<AttentionShape> shapes = givenShapes(options);
  if (shapes.empty() && options.quick)
    shapes = {{1, 1000, 1000, 8, 2}};
  if (shapes.empty())
    shapes = {std::begin(kTimed), std::end(kTimed)};
  Session session(options, "attention", checkAttention16Bit);
  session.results.describe(
      "what", "hot: back-to-back runs from a replayed graph; cold: single runs "
              "after the level-2 cache was overwritten; ratio is the first "
              "variant's time over the row's; inputs are normally distributed");
  for (AttentionShape shape : shapes)
    for (const Group &group :
         groupEntries<Group>(session, [&](const Entry &entry) {
           return std::optional<Group>(
               Group{AttentionWork(entry.kernel, shape), {}});
         }))
      runGroup(session, group);
  return session.finish(
      {"teraflops", "coldTeraflops", "relativeNormError", "joules", "program"});
}
