//===- Interruption.cpp - Ending a run early ------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interruption.h"

#include <atomic>

using namespace poly::bench;

static constexpr int kSignals[2] = {SIGINT, SIGTERM};
// Any thread, one of the driver's too, may be the one that handles a signal.
static std::atomic<bool> noted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

Interruption::Interruption() {
  noted = false;
  struct sigaction action = {};
  action.sa_handler = [](int) { noted = true; };
  // What hangs in the driver can still be ended by a second one.
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 2; ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) // As in a shell's background.
      sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (int i = 0; i < 2; ++i)
    sigaction(kSignals[i], &before[i], nullptr);
}

bool Interruption::wanted() { return noted; }
