//===- VerifyCommand.cpp - Shipped programs against their expected bits ---===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Files.h"
#include "Verify.h"

#include <cstdio>

using namespace poly::bench;
using namespace poly::runtime;

int poly::bench::runVerify(const Options &options) {
  if (options.files.size() != 1)
    throw UsageError("verify takes one manifest; "
                     "runtime/scripts/verify_programs.py prepares one");
  // Everything that can be wrong with the files is said before a GPU is asked
  // for.
  Manifest manifest = readManifest(options.files[0]);
  Context context(options.device);
  Json rows = Json::array();
  size_t failures = 0, run = 0;
  for (const ManifestEntry &entry : manifest.entries) {
    if ((entry.program + " " + entry.kernel).find(options.only) ==
        std::string::npos)
      continue;
    ++run;
    VerifyResult result = verify(entry);
    bool ok = result.ok(entry.sfuModel);
    failures += !ok;
    std::printf("%-4s %-32s %-14s %8zu compared %6zu differ",
                ok ? "ok" : "FAIL", entry.program.c_str(), entry.kernel.c_str(),
                result.compared, result.mismatches);
    if (result.mismatches)
      std::printf(" by at most %llu ulp",
                  static_cast<unsigned long long>(result.maxUlp));
    std::printf("%s\n", result.wroteOutside ? ", wrote outside its array" : "");
    rows.push(toJson(entry, result));
  }
  if (run == 0)
    throw UsageError("--only=" + options.only + " leaves no program");
  Json report = Json::object();
  report.set("device", context.deviceName());
  report.set("computeCapability", context.computeCapability());
  report.set("driver", context.driverVersion());
  report.set("chip", manifest.chip);
  report.set("failures", failures);
  report.set("programs", std::move(rows));
  if (!options.result.empty())
    writeFile(options.result, report.dump() + "\n");
  std::printf("%zu passed, %zu failed on %s\n", run - failures, failures,
              context.deviceName().c_str());
  return failures ? 1 : 0;
}
