//===- AttentionRun.cpp - Attention launched, checked and timed -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRun.h"

#include "AttentionGates.h"

#include "poly/Program/Registry.h"

#include <algorithm>
#include <cmath>
#include <sstream>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

ValuesKernels poly::bench::valuesKernels(const Session &session) {
  ValuesKernels kernels;
  for (const Entry &entry : session.entries)
    if (entry.kernel.text("family", "") == "attention-values")
      kernels.try_emplace(entry.kernel.extent("headDim"), &entry);
  return kernels;
}

const Program *poly::bench::exponentialOf(const Case &item) {
  const std::string score = item.kernel->metadata().text("score");
  if (score != "softmax" && score != "softcap")
    return nullptr;
  std::istringstream names(item.entry->programs());
  for (std::string name; std::getline(names, name, '+');)
    if (const RegisteredProgram *found = findProgram(name))
      if (found->program.info().function == Function::Exp2)
        return &found->program;
  return nullptr;
}

static AttentionForm formOf(const Case &item) {
  const KernelMetadata &kernel = item.kernel->metadata();
  return {AttentionTypes(kernel).areFloat8(), kernel.flag("runningSum"),
          exponentialOf(item), item.entry->errorLimit};
}

static std::string nameOf(const AttentionWork &work) {
  if (work.spread == 1)
    return work.name();
  return work.name() + ", spread " +
         std::to_string(int(std::lround(work.spread)));
}

void poly::bench::runOnce(const Session &session, const Case &item,
                          const AttentionData &data,
                          const ValuesKernels &values) {
  const Stream &stream = session.meter.stream();
  if (data.types.areFloat8()) {
    auto found = values.find(data.work.headDim);
    if (found == values.end())
      throw JsonError("the suite has no kernel of family attention-values for "
                      "head dimension " +
                      std::to_string(data.work.headDim));
    data.transpose(found->second, stream.handle());
  }
  Arguments arguments = data.bind(item);
  unsigned blocks = unsigned(session.context.multiprocessors());
  item.kernel->launch(stream.handle(), Dim3{blocks, 1, 1}, arguments);
  stream.synchronize();
}

/// Compares with the operator that the kernel's program defines, whatever its
/// error: with the maxima of the tiles so far only the output's rounding may
/// differ. Notes what the error is of the operator with the final maximum.
static void checkOperator(Case &item, AttentionInputs::Typed &input,
                          const std::vector<AttentionRow> &actual) {
  const KernelMetadata &kernel = item.kernel->metadata();
  const Program *program = exponentialOf(item);
  bool areFloat8 = input.data.types.areFloat8();
  if (!program || kernel.text("score") != "softmax" ||
      !kernel.flag("matrixSum") ||
      (!areFloat8 && program->info().from != Format::F32))
    return;
  // A program for bounded scores leaves tiles with hidden columns to another.
  if (!areFloat8 && kernel.number("scoreBound", 0) > 0)
    return;
  std::string name = nameOf(input.data.work);
  int64_t tileKeys = kernel.extent("keyRows");
  double distance = relativeError(
      actual, input.sample.replayed(*program, RowMaximum::Running, tileKeys));
  if (!(distance <= operatorLimit(areFloat8, actual.size())))
    item.fault = "is off by " + std::to_string(distance) +
                 " from what its program computes on " + name;
  item.details.set("operatorDistance:" + name, distance);
  item.details.set("wholeRowOperatorError:" + name,
                   relativeError(input.sample.replayed(
                                     *program, RowMaximum::Final, tileKeys),
                                 input.sample.truth(0)));
}

/// The sampled rows of the results, and what else is wrong with them: a row
/// without keys is zero, with a log-sum-exp of minus infinity.
static std::vector<AttentionRow>
rowsOf(Case &item, AttentionInputs::Typed &input, const Words &results,
       const std::vector<AttentionRow> &truth) {
  const AttentionData &data = input.data;
  const KernelMetadata &kernel = item.kernel->metadata();
  const std::vector<double> &numbers = numbersOf(AttentionTypes(kernel).output);
  AttentionReference places(data.work.problem(0), {}, {}, {});
  bool hasSum = kernel.flag("logSumExp");
  Words sums = download(Format::F32, data.logSumExp,
                        data.work.queryCount() / size_t(data.work.headDim));
  std::vector<AttentionRow> rows;
  double worstSum = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    int64_t index = input.sample.indices[i];
    AttentionRow row;
    const uint32_t *bits = results.data() + places.offset(index);
    for (int64_t d = 0; d < data.work.headDim; ++d)
      row.output.push_back(numbers[bits[d]]);
    // The rows' order is the log-sum-exp's.
    row.logSumExp = decode(Format::F32, sums[size_t(index)]);
    bool isEmpty =
        data.work.problem(0).visible(index % data.work.shape.queryLength) == 0;
    if (isEmpty && std::any_of(row.output.begin(), row.output.end(),
                               [](double element) { return element != 0; }))
      item.fault = "a row without keys is not zero on " + nameOf(data.work);
    if (hasSum)
      worstSum = std::max(worstSum,
                          logSumExpDistance(row.logSumExp, truth[i].logSumExp));
    rows.push_back(std::move(row));
  }
  if (!(worstSum <= logSumExpLimit(formOf(item))))
    item.fault = "log-sum-exp off by " + std::to_string(worstSum) + " on " +
                 nameOf(data.work);
  return rows;
}

void poly::bench::checkAttention(const Session &session, Case &item,
                                 AttentionInputs &inputs,
                                 const ValuesKernels &values, unsigned reruns) {
  AttentionInputs::Typed &input = inputs.of(item);
  AttentionData &data = input.data;
  std::string name = nameOf(data.work);
  data.output.fill(0xff); // NaN in all types.
  data.logSumExp.fill(0xff);
  Format type = AttentionTypes(item.kernel->metadata()).output;
  auto run = [&] {
    runOnce(session, item, data, values);
    std::vector<unsigned char> bytes(data.work.queryCount() * bytesOf(type));
    data.output.download(bytes.data(), bytes.size());
    return bytes;
  };
  std::vector<unsigned char> bytes = run();
  Words results = fromBytes(type, bytes);
  const std::vector<double> &numbers = numbersOf(type);
  for (uint32_t bits : results)
    if (std::isnan(numbers[bits])) {
      item.fault = "left results unwritten, or NaN, on " + name;
      return;
    }
  for (unsigned i = 0; i < reruns && item.fault.empty(); ++i)
    if (run() != bytes)
      item.fault = "differs from run to run on " + name;

  const std::vector<AttentionRow> &truth =
      input.sample.truth(item.kernel->metadata().number("cap", kAttentionCap));
  std::vector<AttentionRow> rows = rowsOf(item, input, results, truth);
  double relative = relativeError(rows, truth);
  if (!(relative <= errorLimit(formOf(item))))
    item.fault = "relative error " + std::to_string(relative) + " on " + name;
  item.details.set("relativeNormError:" + name, relative);
  checkOperator(item, input, rows);
}

/// The row of a case; of one that was right with its times.
static ResultRow rowOf(const Case &item, const std::string &work) {
  ResultRow row;
  row.work = work;
  row.variant = item.entry->name;
  row.details.set("program", item.entry->programs());
  row.details.set("registers", item.kernel->registers());
  for (const std::string &name : item.details.names())
    row.details.set(name, item.details.at(name));
  if (const Json *error = item.details.find("relativeNormError:" + work))
    row.details.set("relativeNormError", *error);
  row.correct = item.ok();
  if (!item.ok())
    row.details.set("fault", item.fault);
  return row;
}

static void addTimes(ResultRow &row, double flops, const Measurement &hot,
                     const Measurement &cold) {
  row.samples = hot.microseconds;
  if (flops > 0) {
    row.details.set("teraflops", flops / hot.median() * 1e-6);
    row.details.set("coldTeraflops", flops / cold.median() * 1e-6);
  }
  row.details.set("coldMicroseconds", cold.median());
  row.details.set("throttledRounds", size_t(hot.throttledRounds));
  if (!hot.smClockMHz.empty())
    row.details.set("smClockMHz", summarize(hot.smClockMHz).median);
}

void poly::bench::measureAttention(Session &session, std::vector<Case> &cases,
                                   const AttentionWork &work,
                                   const ValuesKernels &values) {
  std::string name = work.name();
  unsigned blocks = unsigned(session.context.multiprocessors());
  AttentionInputs inputs(work);
  std::vector<Contender> contenders;
  std::vector<ResultRow> rows;
  std::vector<double> flops;
  const AttentionData *float8 = nullptr;
  for (Case &item : cases) {
    if (item.ok())
      checkAttention(session, item, inputs, values, 20);
    rows.push_back(rowOf(item, name));
    flops.push_back(item.ok() ? work.flops() : 0);
    if (!item.ok())
      continue;
    const AttentionData &data = inputs.of(item).data;
    if (data.types.areFloat8())
      float8 = &data;
    auto arguments = std::make_shared<Arguments>(data.bind(item));
    contenders.push_back(
        {item.entry->name, [&item, arguments, blocks](StreamHandle handle) {
           item.kernel->launch(handle, Dim3{blocks, 1, 1}, *arguments);
         }});
  }
  // What preparing V costs stands beside.
  if (float8) {
    const Case &item = values.at(work.headDim);
    rows.push_back(rowOf(item, name));
    flops.push_back(0);
    contenders.push_back({item.entry->name, [&](StreamHandle handle) {
                            float8->transpose(item, handle);
                          }});
  }
  std::vector<Measurement> hot, cold;
  if (!contenders.empty()) {
    MeasureOptions options = session.measureOptions(name);
    options.roundMilliseconds *= 5; // Long enough to reach the power limit.
    options.shuffle = true;
    hot = session.meter.measure(contenders, options);
    options.temperature = Temperature::Cold;
    options.maxRounds = std::min(options.maxRounds, 25u);
    cold = session.meter.measure(contenders, options);
  }
  size_t next = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].correct) {
      addTimes(rows[i], flops[i], hot[next], cold[next]);
      if (!session.options.quick && !session.options.noEnergy)
        if (auto joules = session.meter.energy(contenders[next], 1))
          rows[i].details.set("joules", *joules);
      ++next;
    }
    session.results.add(std::move(rows[i]));
  }
}
