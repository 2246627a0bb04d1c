//===- Interruption.cpp - Ending a run early ------------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interruption.h"

using namespace poly::bench;

static constexpr int kSignals[2] = {SIGINT, SIGTERM};
static volatile std::sig_atomic_t noted = 0;

Interruption::Interruption() {
  noted = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) { noted = 1; };
  // What hangs in the driver can still be ended by a second one.
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 2; ++i)
    sigaction(kSignals[i], &action, &before[i]);
}

Interruption::~Interruption() {
  for (int i = 0; i < 2; ++i)
    sigaction(kSignals[i], &before[i], nullptr);
}

bool Interruption::wanted() { return noted; }
