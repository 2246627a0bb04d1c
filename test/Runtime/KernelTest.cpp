//===- KernelTest.cpp - Metadata and arguments of kernels -----------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "Files.h"
#include "MessageOf.h"

#include <cstring>

#include <gtest/gtest.h>
#include <unistd.h>

using namespace poly::runtime;

namespace {

constexpr const char *kGood = R"({
  "version": 1, "chip": "sm_90", "image": "silu.cubin", "kernels": [
    {"name": "silu", "blockSize": [256, 1, 1], "clusterSize": [2, 1, 1],
     "dynamicSharedBytes": 65536,
     "parameters": [{"type": "ptr", "bytes": 8, "align": 8},
                    {"type": "ptr", "bytes": 8, "align": 8},
                    {"type": "i64", "bytes": 8, "align": 8},
                    {"type": "i64", "bytes": 8, "align": 8},
                    {"type": "i64", "bytes": 8, "align": 8},
                    {"type": "ptr", "bytes": 8, "align": 8},
                    {"type": "i32", "bytes": 4, "align": 4},
                    {"type": "f32", "bytes": 4, "align": 4},
                    {"type": "bytes", "bytes": 128, "align": 64}],
     "info": {"family": "elementwise", "elementsPerBlock": 2048}}],
  "sites": [{"decision": "applied"}]})";

std::string write(const std::string &content) {
  // Tests run at the same time, each in a process of its own.
  const ::testing::TestInfo *test =
      ::testing::UnitTest::GetInstance()->current_test_info();
  std::string path = ::testing::TempDir() + "poly-kernel-test-" +
                     test->test_suite_name() + "-" + test->name() + ".json";
  writeFile(path, content);
  return path;
}

/// \p text with its first \p from replaced.
std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Metadata, ReadsWhatPolyCompileWrites) {
  ImageMetadata image = readMetadata(write(kGood));
  EXPECT_EQ(image.chip, "sm_90");
  EXPECT_EQ(image.image, ::testing::TempDir() + "silu.cubin");
  EXPECT_EQ(image.sites.size(), 1u);
  const KernelMetadata &kernel = image.kernel("silu");
  ASSERT_TRUE(kernel.blockSize && kernel.clusterSize);
  EXPECT_EQ(kernel.blockSize->x, 256u);
  EXPECT_EQ(kernel.clusterSize->count(), 2u);
  EXPECT_EQ(kernel.dynamicSharedBytes, 65536u);
  EXPECT_EQ(kernel.text("family"), "elementwise");
  EXPECT_EQ(kernel.integer("elementsPerBlock"), 2048);
  EXPECT_EQ(kernel.integer("vectors", 4), 4);
  EXPECT_EQ(kernel.number("elementsPerBlock", 1), 2048);
  EXPECT_EQ(kernel.number("cap", 0.5), 0.5);
  EXPECT_EQ(messageOf([&] { kernel.integer("rows"); }),
            "'rows' of kernel 'silu' is missing");
  EXPECT_NE(messageOf([&] { kernel.integer("family"); }).find("'family'"),
            std::string::npos);
  EXPECT_EQ(kernel.extent("elementsPerBlock"), 2048);
  KernelMetadata empty = kernel;
  empty.info.set("elementsPerBlock", 0);
  EXPECT_EQ(messageOf([&] { empty.extent("elementsPerBlock"); }),
            "'elementsPerBlock' of kernel 'silu' must be an integer from 1 to "
            "1048576");
  EXPECT_EQ(messageOf([&] { image.kernel("gelu"); }),
            image.image + " has no kernel 'gelu'; it has silu");
}

struct Mistake {
  const char *from, *to, *message;
};

TEST(Metadata, MistakesAreNamed) {
  const Mistake mistakes[] = {
      {"\"version\": 1", "\"version\": 2",
       "version 2 is newer than this program; it reads version 1"},
      {"\"chip\"", "\"gpu\"", "member 'chip' is missing"},
      {"\"sites\": [{\"decision\": \"applied\"}]", "\"sites\": {}",
       "sites must be an array, not an object"},
      {"[256, 1, 1]", "[256, 1]",
       "kernel 0: blockSize must have three entries"},
      {"{\"family\": \"elementwise\", \"elementsPerBlock\": 2048}", "[]",
       "kernel 0: info must be an object"},
      {"[256, 1, 1]", "[2048, 1, 1]",
       "kernel 0: blockSize must be an integer from 1 to 1024"},
      {"65536", "-1",
       "kernel 0: dynamicSharedBytes must be an integer from 0 to 1048576"},
      {"\"bytes\": 8", "\"bytes\": 0",
       "kernel 0: bytes must be an integer from 1 to 32764"},
  };
  for (const Mistake &mistake : mistakes) {
    std::string path = write(replaced(kGood, mistake.from, mistake.to));
    EXPECT_EQ(messageOf([&] { readMetadata(path); }),
              path + ": " + mistake.message);
  }
  std::string path =
      write("{\"version\": 1, \"chip\": \"sm_90\", \"image\": \"\", "
            "\"kernels\": []}");
  EXPECT_EQ(messageOf([&] { readMetadata(path); }),
            path + ": lists no kernels");
}

TEST(Files, AreReplacedAsAWholeOrNotAtAll) {
  std::string path = write("old");
  checkWritable(path);
  EXPECT_EQ(readFile(path), "old");
  writeFile(path, "new");
  EXPECT_EQ(readFile(path), "new");
  EXPECT_NE(access((path + ".tmp").c_str(), F_OK), 0);
  std::string folder = ::testing::TempDir();
  folder.erase(folder.find_last_not_of('/') + 1);
  for (const std::string &bad : {folder, path + "/none/x.json"}) {
    EXPECT_EQ(messageOf([&] { checkWritable(bad); }),
              bad + ": cannot be written");
    EXPECT_EQ(messageOf([&] { writeFile(bad, "new"); }),
              bad + ": cannot be written");
    EXPECT_NE(access((bad + ".tmp").c_str(), F_OK), 0);
  }
}

template <typename T>
T valueAt(void *pointer) {
  T value;
  std::memcpy(&value, pointer, sizeof(value));
  return value;
}

TEST(Arguments, FillParametersInOrder) {
  ImageMetadata image = readMetadata(write(kGood));
  Arguments arguments(image.kernel("silu"));
  TensorMap map{};
  map.opaque[15] = 77;
  // A memref takes five parameters, a lone pointer one.
  arguments.memref(0x1000, 99).array(0x2000).integer(-3).number(0.5);
  arguments.tensorMap(map);
  std::vector<void *> pointers = arguments.pointers();
  ASSERT_EQ(pointers.size(), 9u);
  EXPECT_EQ(valueAt<uint64_t>(pointers[0]), 0x1000u);
  EXPECT_EQ(valueAt<uint64_t>(pointers[1]), 0x1000u);
  EXPECT_EQ(valueAt<int64_t>(pointers[2]), 0);
  EXPECT_EQ(valueAt<int64_t>(pointers[3]), 99);
  EXPECT_EQ(valueAt<int64_t>(pointers[4]), 1);
  EXPECT_EQ(valueAt<uint64_t>(pointers[5]), 0x2000u);
  EXPECT_EQ(valueAt<int32_t>(pointers[6]), -3);
  EXPECT_EQ(valueAt<float>(pointers[7]), 0.5f);
  EXPECT_EQ(valueAt<TensorMap>(pointers[8]).opaque[15], 77u);
  // The copy engine wants its maps on 64-byte boundaries.
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pointers[8]) % 64, 0u);
}

TEST(Arguments, RefuseWhatTheKernelDoesNotTake) {
  ImageMetadata image = readMetadata(write(kGood));
  const KernelMetadata &kernel = image.kernel("silu");
  EXPECT_EQ(messageOf([&] { Arguments(kernel).integer(1); }),
            "argument 0 of kernel 'silu': passed a value for i64 or i32, but "
            "the parameter is ptr");
  Arguments few(kernel);
  few.memref(1, 1);
  EXPECT_EQ(messageOf([&] { few.pointers(); }),
            "kernel 'silu' takes 9 parameters; 5 were passed");
  few.array(1);
  EXPECT_EQ(messageOf([&] { few.integer(int64_t(1) << 40); }),
            "1099511627776 does not fit a 32-bit parameter of kernel 'silu'");
  few.integer(1).number(1).tensorMap(TensorMap{});
  EXPECT_EQ(messageOf([&] { few.number(1); }),
            "argument 9 of kernel 'silu': the kernel takes only 9");
}

} // namespace
