//===- CompileTool.cpp - Runs poly-compile for a test
//----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileTool.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <fstream>
#include <sstream>

namespace polytest {

std::string readFile(const std::string &path, bool &good) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  good = bool(file);
  return good ? text.str() : std::string();
}

int runTool(const std::string &path, const std::vector<std::string> &arguments,
            std::string &output) {
  llvm::SmallString<128> log;
  if (llvm::sys::fs::createTemporaryFile("poly-test", "log", log))
    return -1;
  std::vector<llvm::StringRef> argv{path};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(""), llvm::StringRef(log), llvm::StringRef(log)};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(path, argv, std::nullopt, redirects,
                                       /*SecondsToWait=*/300,
                                       /*MemoryLimit=*/0, &message);
  bool good = false;
  output = readFile(std::string(log), good) + message;
  llvm::sys::fs::remove(log);
  return code;
}

CompileTool::CompileTool(std::string name) {
  llvm::sys::fs::create_directories(POLY_TEST_OUTPUT_DIR);
  // Tests of one name may run at a time, each in a process of its own.
  base = std::string(POLY_TEST_OUTPUT_DIR) + "/" + name + "-" +
         std::to_string(llvm::sys::Process::getProcessId());
}

CompileResult CompileTool::compile(const std::string &mlir,
                                   std::vector<std::string> options) {
  std::ofstream(base + ".mlir") << mlir;
  return compileFile(base + ".mlir", std::move(options));
}

CompileResult CompileTool::compileFile(const std::string &path,
                                       std::vector<std::string> options) {
  std::string reportPath = base + ".json";
  std::vector<std::string> arguments{path, "-o", outputPath(),
                                     "--report=" + reportPath};
  arguments.insert(arguments.end(), options.begin(), options.end());
  CompileResult result;
  result.exitCode = runTool(POLY_COMPILE_PATH, arguments, result.messages);
  if (result.exitCode != 0)
    return result;
  bool good = false;
  result.ptx = readFile(outputPath(), good);
  std::string report = readFile(reportPath, good);
  auto json = llvm::json::parse(report);
  if (!json || !json->getAsArray()) {
    llvm::consumeError(json.takeError());
    result.messages += "\nthe report is no JSON array";
    result.exitCode = -1;
    return result;
  }
  for (const llvm::json::Value &value : *json->getAsArray()) {
    Decision decision;
    if (const llvm::json::Object *object = value.getAsObject()) {
      auto field = [&](llvm::StringRef name) {
        return object->getString(name).value_or("").str();
      };
      decision = {field("function"), field("kind"), field("decision"),
                  field("program"), field("reason")};
    }
    result.decisions.push_back(decision);
  }
  return result;
}

void CompileTool::discard() {
  for (const char *suffix : {".mlir", ".ptx", ".json"})
    llvm::sys::fs::remove(base + suffix);
}

} // namespace polytest
