//===- Parallel.h - Loops over all of the machine's threads -----*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_BENCH_PARALLEL_H
#define POLY_BENCH_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace poly::bench {

/// Calls \p body with each number below \p count, in no order, from all of the
/// machine's threads.
template <typename Body>
void inParallel(size_t count, Body body) {
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < count;)
      body(i);
  };
  size_t threads = std::min<size_t>(
      std::max(1u, std::thread::hardware_concurrency()), count);
  std::vector<std::thread> pool;
  for (size_t i = 1; i < threads; ++i)
    pool.emplace_back(work);
  work();
  for (std::thread &thread : pool)
    thread.join();
}

} // namespace poly::bench

#endif // POLY_BENCH_PARALLEL_H
