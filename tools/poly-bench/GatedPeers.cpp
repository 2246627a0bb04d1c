//===- GatedPeers.cpp - A library's product, then the activation ----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatedPeers.h"

#include <cmath>
#include <cstring>

using namespace poly;
using namespace poly::bench;
using namespace poly::runtime;

/// The rows of all experts, or of expert \p which, as a product.
static CublasProduct productOf(const GatedData &data, const Buffer &both,
                               int64_t expert, int64_t first, int64_t end) {
  const GatedGemmShape &shape = data.problem.shape;
  uint64_t bytes = bytesOf(data.problem.type);
  CublasProduct product;
  product.rows = int(end - first);
  product.columns = int(2 * shape.columns);
  product.depth = int(shape.depth);
  product.a = data.input.address() + uint64_t(first * shape.depth) * bytes;
  product.b = data.weight.address() +
              uint64_t(expert * 2 * shape.columns * shape.depth) * bytes;
  product.c = both.address() + uint64_t(first * 2 * shape.columns) * bytes;
  return product;
}

GatedPeers::GatedPeers(Cublas *cublas, const Entry *activationEntry,
                       GatedData &data, const Session &session)
    : data(data), session(session) {
  if (!cublas)
    return;
  const GatedGemmShape &shape = data.problem.shape;
  Format type = data.problem.type;
  if (activationEntry)
    activation.emplace(activationEntry);
  both.emplace(size_t(shape.rows) * size_t(2 * shape.columns) * bytesOf(type));
  if (shape.offsets.empty()) {
    CublasProduct product = productOf(data, *both, 0, 0, shape.rows);
    add("cublas",
        [=](StreamHandle stream) { cublas->multiply(stream, type, product); });
    return;
  }
  std::vector<CublasProduct> products;
  for (int64_t i = 0; i < shape.experts(); ++i) {
    int64_t first = shape.offsets[size_t(i)],
            end = shape.offsets[size_t(i) + 1];
    if (first < end)
      products.push_back(productOf(data, *both, i, first, end));
  }
  if (cublas->hasGroups()) {
    groups.emplace(*cublas, type, products);
    add("cublas-grouped",
        [this](StreamHandle stream) { groups->multiply(stream); });
  }
  add("cublas-loop", [=](StreamHandle stream) {
    for (const CublasProduct &product : products)
      cublas->multiply(stream, type, product);
  });
}

void GatedPeers::activate(StreamHandle stream) {
  const GatedGemmShape &shape = data.problem.shape;
  uint64_t bytes = bytesOf(data.problem.type);
  uint64_t first = uint64_t(shape.firstRow() * shape.columns);
  int64_t rows = shape.endRow() - shape.firstRow();
  Arguments arguments(activation->kernel->metadata());
  arguments.array(both->address() + 2 * first * bytes)
      .array(data.output.address() + first * bytes)
      .integer(rows)
      .integer(shape.columns);
  activation->kernel->launch(
      stream, activation->grid(size_t(rows) * size_t(shape.columns)),
      arguments);
}

void GatedPeers::add(const std::string &name,
                     std::function<void(StreamHandle)> product) {
  GatedPeer alone{name, product, {}, {}};
  check(alone, /*isWhole=*/false);
  GatedPeer whole{name + "+activation",
                  [this, product](StreamHandle stream) {
                    product(stream);
                    activate(stream);
                  },
                  {},
                  {}};
  // Ratios refer to the first row: what a gated GEMM replaces.
  if (activation) {
    check(whole, /*isWhole=*/true);
    peers.push_back(std::move(whole));
  }
  peers.push_back(std::move(alone));
}

/// Of the product alone: how far gate and up are off what rounding them gives.
static GatedError compareProducts(const GatedData &data, const Buffer &both) {
  const GatedProducts &products = data.products;
  Format type = data.problem.type;
  std::vector<uint16_t> words(both.bytes() / sizeof(uint16_t));
  both.download(words.data(), both.bytes());
  GatedError error;
  size_t columns = size_t(products.columns);
  for (size_t i = 0; i < products.count(); ++i) {
    size_t row = size_t(products.rows[i / columns]);
    const double truths[] = {products.gate[i], products.up[i]};
    for (size_t half : {0, 1}) {
      double truth = truths[half];
      double result =
          decode(type, words[(2 * row + half) * columns + i % columns]);
      double rounded = decode(type, encode(type, truth));
      if (std::isnan(result))
        ++error.notNumbers;
      else
        error.errors += (result - truth) * (result - truth);
      error.unavoidable += (rounded - truth) * (rounded - truth);
      error.truths += truth * truth;
    }
  }
  error.outputs = error.unavoidable;
  return error;
}

/// From a replayed graph, as it will be timed.
void GatedPeers::check(GatedPeer &peer, bool isWhole) {
  const Stream &stream = session.meter.stream();
  both->fill(0xff);
  data.poison();
  try {
    peer.enqueue(stream.handle());
    stream.synchronize();
    both->fill(0xff);
    data.poison();
    Graph graph(stream, peer.enqueue);
    graph.launch(stream);
    stream.synchronize();
  } catch (const std::runtime_error &error) {
    peer.fault = error.what();
    return;
  }
  if (isWhole) {
    GatedOperator op;
    op.type = data.problem.type;
    op.roundInputs = true;
    peer.error = compare(op, data.products, data.sampled(data.download()));
  } else {
    peer.error = compareProducts(data, *both);
  }
  if (peer.error.notNumbers || !(peer.error.margin() <= kMarginLimit))
    peer.fault = "error " + std::to_string(peer.error.margin()) +
                 " times the unavoidable one, " +
                 std::to_string(peer.error.notNumbers) + " NaN";
}
