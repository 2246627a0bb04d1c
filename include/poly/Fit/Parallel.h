//===- Parallel.h - Work on all cores ---------------------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_FIT_PARALLEL_H
#define POLY_FIT_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace poly::fit {

/// Calls \p work(i) for every i below \p count, in no order; \p threads 0
/// means one a core.
template <typename Work>
void parallelFor(size_t count, unsigned threads, Work work) {
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next{0};
  auto worker = [&] {
    for (size_t i; (i = next++) < count;)
      work(i);
  };
  std::vector<std::thread> pool;
  for (size_t t = 1; t < std::min<size_t>(threads, count); ++t)
    pool.emplace_back(worker);
  worker();
  for (std::thread &thread : pool)
    thread.join();
}

} // namespace poly::fit

#endif // POLY_FIT_PARALLEL_H
