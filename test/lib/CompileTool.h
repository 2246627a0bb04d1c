//===- CompileTool.h - Runs poly-compile for a test -------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POLY_TEST_LIB_COMPILETOOL_H
#define POLY_TEST_LIB_COMPILETOOL_H

#include <string>
#include <vector>

namespace polytest {

/// One object of the report.
struct Decision {
  std::string function, kind, decision, program, reason;
};

struct CompileResult {
  int exitCode = -1;
  std::string messages; ///< Standard error, and why a file was not readable.
  std::string ptx;
  std::vector<Decision> decisions;
};

/// Runs another program and waits for it; its standard output and error go to
/// \p output. -1 when it cannot be started.
int runTool(const std::string &path, const std::vector<std::string> &arguments,
            std::string &output);

/// A file's content, or "" with \p good cleared.
std::string readFile(const std::string &path, bool &good);

/// Files in the build folder named after one test.
class CompileTool {
public:
  explicit CompileTool(std::string name);

  /// Compiles MLIR text, or a file, to PTX with a report.
  CompileResult compile(const std::string &mlir,
                        std::vector<std::string> options);
  CompileResult compileFile(const std::string &path,
                            std::vector<std::string> options);
  std::string outputPath() const { return base + ".ptx"; }
  /// Removes the files. A failed test leaves them for whoever looks.
  void discard();

private:
  std::string base;
};

} // namespace polytest

#endif // POLY_TEST_LIB_COMPILETOOL_H
