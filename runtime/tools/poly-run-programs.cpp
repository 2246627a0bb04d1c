//===- poly-run-programs.cpp - Check programs on the GPU ------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs each kernel of a manifest (see Verify.h) on the GPU and compares all
/// results with the expected bits. Exit code: 0 all equal, 1 differences, 2 an
/// error.
///
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include <cstdio>
#include <cstring>

using namespace poly::runtime;

namespace {

constexpr const char *kUsage =
    "usage: poly-run-programs MANIFEST.json [-o RESULT.json]\n";

int run(const std::string &manifestPath, const std::string &resultPath) {
  Manifest manifest = readManifest(manifestPath);
  Context context;
  Json rows = Json::array();
  size_t failures = 0;
  for (const ManifestEntry &entry : manifest.entries) {
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
  Json report = Json::object();
  report.set("device", context.deviceName());
  report.set("computeCapability", context.computeCapability());
  report.set("driver", context.driverVersion());
  report.set("chip", manifest.chip);
  report.set("failures", failures);
  report.set("programs", std::move(rows));
  if (!resultPath.empty())
    writeFile(resultPath, report.dump() + "\n");
  std::printf("%zu passed, %zu failed on %s\n",
              manifest.entries.size() - failures, failures,
              context.deviceName().c_str());
  return failures ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  std::string manifest, result;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
      result = argv[++i];
    } else if (std::strcmp(argv[i], "--help") == 0) {
      std::fputs(kUsage, stdout);
      return 0;
    } else if (argv[i][0] != '-' && manifest.empty()) {
      manifest = argv[i];
    } else {
      std::fprintf(stderr, "poly-run-programs: unexpected argument '%s'\n%s",
                   argv[i], kUsage);
      return 2;
    }
  }
  if (manifest.empty()) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  try {
    return run(manifest, result);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "poly-run-programs: error: %s\n", error.what());
    return 2;
  }
}
