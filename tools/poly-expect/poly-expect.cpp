//===- poly-expect.cpp - What each program gives on every input -----------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes, for each shipped program, a kernel that applies it to an array
/// (NAME.mlir) and the results of Replay (NAME.out.bin), the inputs of each
/// argument format (FORMAT.in.bin), and a list of all programs (programs.json).
/// A 16-bit argument format gives all 65,536 inputs; f32 gives the 131,072
/// values of bf16 and f16 and 2^18 patterns spread over all exponents.
///
//===----------------------------------------------------------------------===//

#include "poly/Program/Cost.h"
#include "poly/Program/Exponentials.h"
#include "poly/Program/Formats.h"
#include "poly/Program/Registry.h"
#include "poly/Program/Replay.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <map>

using namespace poly;

static llvm::cl::opt<std::string> folder(llvm::cl::Positional,
                                         llvm::cl::desc("OUTPUT-FOLDER"));
static llvm::cl::opt<bool>
    table("table", llvm::cl::desc("Print all certificates as Markdown"));
static llvm::cl::list<std::string>
    only("programs", llvm::cl::CommaSeparated,
         llvm::cl::desc("Only these programs (default: all shipped ones)"));

static llvm::StringRef formatName(Format format) { return name(format); }

/// The inputs that a program of argument format \p from is checked on.
static std::vector<uint32_t> inputsFor(Format from) {
  std::vector<uint32_t> inputs;
  if (from != Format::F32) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits)
      inputs.push_back(bits);
    return inputs;
  }
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    inputs.push_back(bits << 16);
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    inputs.push_back(isNaN(Format::F16, bits)
                         ? 0x7fc00000u | bits
                         : encode(Format::F32, decode(Format::F16, bits)));
  // An odd stride visits different low bits in every binade.
  for (uint32_t i = 0; i < (1u << 18); ++i)
    inputs.push_back(i * 16381u * 4u + (i & 3u));
  return inputs;
}

/// How MLIR writes the format's type.
static llvm::StringRef typeName(Format format) {
  return format == Format::E4M3   ? "f8E4M3FN"
         : format == Format::E5M2 ? "f8E5M2"
                                  : formatName(format);
}

static std::string kernelFor(const ProgramInfo &info) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::StringRef from = typeName(info.from);
  llvm::StringRef to = typeName(info.to);
  std::string fromType = from.str(), toType = to.str();
  bool isVector = info.lanes > 1;
  if (isVector) {
    std::string lanes = std::to_string(info.lanes);
    fromType = "vector<" + lanes + "x" + fromType + ">";
    toType = "vector<" + lanes + "x" + toType + ">";
  }
  unsigned fromBytes = info.lanes * elementBits(info.from) / 8;
  unsigned toBytes = info.lanes * elementBits(info.to) / 8;
  out << "gpu.module @programs {\n"
      << "  gpu.func @run(%in: memref<?x" << from << ">, %out: memref<?x" << to
      << ">, %count: index) kernel {\n"
      << "    %chunk = arith.constant " << info.lanes << " : index\n"
      << "    %block = gpu.block_id x\n"
      << "    %width = gpu.block_dim x\n"
      << "    %lane = gpu.thread_id x\n"
      << "    %first = arith.muli %block, %width : index\n"
      << "    %thread = arith.addi %first, %lane : index\n"
      << "    %begin = arith.muli %thread, %chunk : index\n"
      << "    %end = arith.addi %begin, %chunk : index\n"
      << "    %whole = arith.cmpi ule, %end, %count : index\n"
      << "    scf.if %whole {\n";
  if (isVector)
    out << "      %x = vector.load %in[%begin] {alignment = " << fromBytes
        << "} : memref<?x" << from << ">, " << fromType << "\n";
  else
    out << "      %x = memref.load %in[%begin] : memref<?x" << from << ">\n";
  out << "      %y = poly.apply <\"" << info.name << "\"> %x : " << fromType
      << " to " << toType << "\n";
  if (isVector)
    out << "      vector.store %y, %out[%begin] {alignment = " << toBytes
        << "} : memref<?x" << to << ">, " << toType << "\n";
  else
    out << "      memref.store %y, %out[%begin] : memref<?x" << to << ">\n";
  out << "    }\n    gpu.return\n  }\n}\n";
  return text;
}

static void fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "poly-expect") << message << "\n";
  std::exit(1);
}

static void write(const llvm::Twine &fileName, llvm::StringRef content) {
  llvm::SmallString<128> path(folder.getValue());
  llvm::sys::path::append(path, fileName);
  std::error_code code;
  llvm::ToolOutputFile file(path, code, llvm::sys::fs::OF_None);
  if (code)
    fail(path + ": " + code.message());
  file.os() << content;
  file.keep();
}

static llvm::StringRef asBytes(const std::vector<uint32_t> &words) {
  // Hosts of CUDA are little-endian, like the file.
  return {reinterpret_cast<const char *>(words.data()), words.size() * 4};
}

static std::string digits(double value, const char *format) {
  char text[40];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

static void printTable() {
  const TargetModel &target = *findTarget("sm_90");
  llvm::outs()
      << "<!-- Written by poly-expect --table; do not edit -->\n\n"
         "# Shipped programs\n\n"
         "Instructions are those of one evaluation, slots are issue slots an "
         "element on sm_90.\nErrors are the largest ones over all tested "
         "inputs, against the real function. SFU marks\nprograms with "
         "special-function instructions, whose bits NVIDIA does not specify: "
         "their errors\nare bounds that follow from the documented accuracy "
         "of those instructions.\nOctaves are the least and the greatest "
         "log2(result / truth) of an exponential, over its domain.\n";
  Function function = Function::Sigmoid;
  bool first = true;
  for (const RegisteredProgram &entry : shippedPrograms()) {
    const ProgramInfo &info = entry.program.info();
    const Certificate &certificate = entry.certificate;
    if (first || info.function != function) {
      function = info.function;
      first = false;
      llvm::outs() << "\n## " << name(function)
                   << "\n\n| program | lanes | needs | instructions | slots | "
                      "max abs | max rel | max ulp | SFU |"
                   << (isExponential(info.function) ? " octaves | domain |"
                                                    : "")
                   << "\n|---|---|---|---|---|---|---|---|---|"
                   << (isExponential(info.function) ? "---|---|" : "") << "\n";
    }
    llvm::outs() << "| " << info.name << " | " << info.lanes << " | sm_"
                 << minimumSm(entry.program) << " | "
                 << instructionCount(entry.program) << " | "
                 << digits(slotsPerElement(entry.program, target), "%.2f")
                 << " | " << digits(certificate.maxAbs, "%.2e") << " | "
                 << digits(certificate.maxRel, "%.2e") << " | "
                 << digits(certificate.maxUlp, "%.3g") << " | "
                 << (certificate.sfuModel ? "yes" : "") << " |";
    if (isExponential(info.function))
      llvm::outs() << " " << digits(certificate.octaveLow, "%+.4f") << " to "
                   << digits(certificate.octaveHigh, "%+.4f") << " | "
                   << digits(info.domainLow, "%.4g") << " to "
                   << digits(info.domainHigh, "%.4g") << " |";
    llvm::outs() << "\n";
  }
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "Writes kernels, inputs and expected results of programs\n");
  if (table) {
    printTable();
    return 0;
  }
  if (folder.empty())
    fail("name an output folder, or --table");
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    fail(folder + ": " + code.message());

  std::vector<const RegisteredProgram *> programs;
  for (const RegisteredProgram &entry : shippedPrograms())
    if (only.empty())
      programs.push_back(&entry);
  for (const std::string &wanted : only) {
    const RegisteredProgram *entry = findProgram(wanted);
    if (!entry)
      fail("no shipped program is called '" + wanted + "'");
    programs.push_back(entry);
  }

  std::map<Format, std::vector<uint32_t>> inputsOf;
  for (const RegisteredProgram *entry : programs) {
    Format from = entry->program.info().from;
    if (!inputsOf.count(from)) {
      inputsOf[from] = inputsFor(from);
      write(formatName(from) + ".in.bin", asBytes(inputsOf[from]));
    }
  }

  llvm::json::Array list;
  for (const RegisteredProgram *entry : programs) {
    const ProgramInfo &info = entry->program.info();
    const std::vector<uint32_t> &inputs = inputsOf[info.from];
    std::vector<uint32_t> results(inputs.size());
    replayElements(entry->program, inputs.data(), results.data(),
                   inputs.size());
    write(info.name + ".mlir", kernelFor(info));
    write(info.name + ".out.bin", asBytes(results));
    list.push_back(llvm::json::Object{
        {"program", info.name},
        {"source", info.name + ".mlir"},
        {"kernel", "run"},
        {"from", formatName(info.from)},
        {"to", formatName(info.to)},
        {"chunk", info.lanes},
        {"minimumSm", minimumSm(entry->program)},
        {"sfuModel", entry->certificate.sfuModel},
        {"inputs", (formatName(info.from) + ".in.bin").str()},
        {"expected", info.name + ".out.bin"},
        {"counts", llvm::json::Array{static_cast<int64_t>(inputs.size())}}});
  }
  write("programs.json",
        llvm::formatv("{0:2}\n", llvm::json::Value(std::move(list))).str());
  llvm::outs() << programs.size() << " programs\n";
  return 0;
}
