//===- PtxDecodeAsync.cpp - Barriers in memory and bulk copies ------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxDecode.h"

#include <cstdlib>

namespace polytest {

bool PtxDecoder::decodeMbarrier(Modifiers &mods, PtxInstruction &inst) {
  auto unknown = [&] {
    return fail("unknown form of '" + mods.mnemonic + "'");
  };
  bool parity = false;
  if (mods.take("init"))
    inst.code = PtxCode::MbarInit;
  else if (mods.take("inval"))
    inst.code = PtxCode::MbarInval;
  else if (mods.take("expect_tx"))
    inst.code = PtxCode::MbarExpect;
  else if (mods.take("arrive")) {
    inst.code = PtxCode::MbarArrive;
    inst.flag = mods.take("expect_tx");
  } else if (mods.take("try_wait") || mods.take("test_wait")) {
    inst.code = PtxCode::MbarWait;
    parity = mods.take("parity");
  } else {
    return unknown();
  }
  while (mods.take("release") || mods.take("acquire") || mods.take("relaxed") ||
         mods.take("cta") || mods.take("cluster"))
    continue;
  bool remote = mods.take("shared::cluster");
  if (!remote && !mods.take("shared"))
    mods.take("shared::cta");
  if (!mods.take("b64") || !end(mods))
    return error.empty() ? unknown() : false;
  size_t at = 0;
  if (inst.code == PtxCode::MbarWait) {
    // Phases are told apart by their parity alone here.
    if (!parity)
      return unknown();
    inst.numDst = 1;
    if (operands.size() < 3 || operands.size() > 4 ||
        !parseRegister(operands[0], 1, inst.dst[0]) ||
        !parseBracket(operands[1], inst.second))
      return error.empty() ? unknown() : false;
    inst.numSrc = 1;
    return parseValue(operands[2], 32, inst.src[0]);
  }
  if (inst.code == PtxCode::MbarArrive) {
    // The state of the phase, which only waits without parity use.
    at = 1;
    if (operands.empty())
      return unknown();
    if (operands[0][0] == '[') {
      at = 0;
    } else if (operands[0] != "_") {
      inst.numDst = 1;
      if (remote || !parseRegister(operands[0], 64, inst.dst[0]))
        return error.empty() ? unknown() : false;
    }
  }
  bool needsNumber = inst.code == PtxCode::MbarInit ||
                     inst.code == PtxCode::MbarExpect || inst.flag;
  size_t numbers = operands.size() - at - 1;
  if (operands.size() < at + 1 || numbers > 1 ||
      (needsNumber && numbers != 1) ||
      (inst.code == PtxCode::MbarInval && numbers != 0))
    return unknown();
  inst.numSrc = uint8_t(numbers);
  return parseBracket(operands[at], inst.second) &&
         (numbers == 0 || parseValue(operands[at + 1], 32, inst.src[0]));
}

bool PtxDecoder::decodeTensorCopy(Modifiers &mods, PtxInstruction &inst,
                                  bool reduces) {
  auto unknown = [&] {
    return fail("unknown form of '" + mods.mnemonic + "'");
  };
  std::string dimension(mods.peek());
  if (dimension.size() != 2 || dimension[1] != 'd' || dimension[0] < '1' ||
      dimension[0] > '5')
    return unknown();
  ++mods.next;
  inst.rank = uint8_t(dimension[0] - '0');
  bool store = mods.take("global");
  inst.code = store ? PtxCode::StoreTensor : PtxCode::LoadTensor;
  if (store ? !mods.take("shared::cta")
            : !((mods.take("shared::cluster") || mods.take("shared::cta")) &&
                mods.take("global") && !reduces))
    return unknown();
  if (reduces) {
    if (!store || !mods.take("add"))
      return unknown();
    inst.reduction = PtxReduction::Add;
  }
  mods.take("tile");
  if (!mods.take(store ? "bulk_group" : "mbarrier::complete_tx::bytes"))
    return unknown();
  bool multicast = !store && mods.take("multicast::cluster");
  bool hint = mods.take("L2::cache_hint");
  // The shared array, the map, for loads the barrier, then the mask.
  size_t count = (store ? 2u : 3u) + multicast + hint;
  if (!end(mods) || !expectOperands(count))
    return false;
  std::string_view map = operands[store ? 0 : 1];
  size_t comma = map.find(',');
  if (map[0] != '[' || map.back() != ']' || comma == std::string_view::npos)
    return unknown();
  std::string address = std::string(map.substr(0, comma)) + "]";
  std::vector<PtxOperand> coordinates;
  if (!parseBracket(address, inst.second) ||
      !parseOperands(trimPtx(map.substr(comma + 1, map.size() - comma - 2)), 32,
                     coordinates))
    return false;
  if (coordinates.size() != inst.rank)
    return fail("'" + mods.mnemonic + "' needs " + std::to_string(inst.rank) +
                " coordinates");
  for (unsigned i = 0; i < inst.rank; ++i)
    inst.src[i] = coordinates[i];
  inst.numSrc = inst.rank;
  PtxAddress shared;
  if (!parseBracket(operands[store ? 1 : 0], shared) ||
      (!store && !parseBracket(operands[2], inst.third)))
    return false;
  inst.address = shared.base;
  inst.offset = shared.offset;
  inst.flag = multicast;
  if (multicast)
    return parseValue(operands[3], 16, inst.src[inst.numSrc++]);
  return true;
}

bool PtxDecoder::decodeCopy(Modifiers &mods, PtxInstruction &inst) {
  auto unknown = [&] {
    return fail("unknown form of '" + mods.mnemonic + "'");
  };
  bool reduces = mods.take("reduce");
  if (!mods.take("async") || !mods.take("bulk"))
    return unknown();
  if (mods.take("commit_group")) {
    inst.code = PtxCode::BulkCommit;
    return end(mods) && expectOperands(0);
  }
  if (mods.take("wait_group")) {
    inst.code = PtxCode::BulkWait;
    inst.flag = mods.take("read");
    inst.numSrc = 1;
    return end(mods) && expectOperands(1) &&
           parseValue(operands[0], 32, inst.src[0]);
  }
  if (mods.take("prefetch")) {
    inst.code = PtxCode::Nop;
    return true;
  }
  if (mods.take("tensor"))
    return decodeTensorCopy(mods, inst, reduces);
  bool store = mods.take("global");
  inst.code = store ? PtxCode::StoreBulk : PtxCode::LoadBulk;
  if (store ? !mods.take("shared::cta")
            : !((mods.take("shared::cluster") || mods.take("shared::cta")) &&
                mods.take("global") && !reduces))
    return unknown();
  if (!mods.take(store ? "bulk_group" : "mbarrier::complete_tx::bytes"))
    return unknown();
  bool multicast = !store && mods.take("multicast::cluster");
  bool hint = mods.take("L2::cache_hint");
  if (reduces) {
    if (!mods.take("add") || !mods.take("f32"))
      return unknown();
    inst.reduction = PtxReduction::Add;
  }
  size_t count = (store ? 3u : 4u) + multicast + hint;
  PtxAddress shared;
  if (!end(mods) || !expectOperands(count) ||
      !parseBracket(operands[store ? 1 : 0], shared) ||
      !parseBracket(operands[store ? 0 : 1], inst.second) ||
      !parseValue(operands[2], 32, inst.src[0]) ||
      (!store && !parseBracket(operands[3], inst.third)))
    return false;
  inst.address = shared.base;
  inst.offset = shared.offset;
  inst.numSrc = 1;
  inst.flag = multicast;
  if (multicast)
    return parseValue(operands[4], 16, inst.src[inst.numSrc++]);
  return true;
}

bool PtxDecoder::decodeReduction(Modifiers &mods, PtxInstruction &inst) {
  bool atom = mods.base() == "atom";
  inst.code = PtxCode::Red;
  while (mods.take("relaxed") || mods.take("release") || mods.take("acq_rel") ||
         mods.take("gpu") || mods.take("cta") || mods.take("sys"))
    continue;
  if (mods.take("global")) {
    inst.space = PtxSpace::Global;
    while (mods.take("relaxed") || mods.take("gpu") || mods.take("cta"))
      continue;
  } else if (mods.take("shared") || mods.take("shared::cta")) {
    inst.space = PtxSpace::Shared;
    kernel.cooperative = true;
  }
  unsigned count = 1;
  inst.reduction = mods.take("add")   ? PtxReduction::Add
                   : mods.take("min") ? PtxReduction::Min
                   : mods.take("max") ? PtxReduction::Max
                   : mods.take("and") ? PtxReduction::And
                   : mods.take("or")  ? PtxReduction::Or
                   : mods.take("xor") ? PtxReduction::Xor
                                      : PtxReduction::None;
  if (inst.reduction == PtxReduction::None)
    return fail("unknown form of '" + mods.mnemonic + "'");
  if (mods.take("v2"))
    count = 2;
  else if (mods.take("v4"))
    count = 4;
  if (!takeType(mods, inst.type))
    return false;
  if (count == 1 && mods.take("v2"))
    count = 2;
  else if (count == 1 && mods.take("v4"))
    count = 4;
  if (!end(mods) || !expectOperands(atom ? 3 : 2))
    return false;
  const PtxType &type = inst.type;
  bool isFloat = type.kind == PtxType::Float;
  if (type.lanes != 1 || type.bits() < 32 ||
      (isFloat && inst.reduction != PtxReduction::Add))
    return fail("unknown form of '" + mods.mnemonic + "'");
  std::vector<PtxOperand> values;
  if (atom) {
    inst.numDst = 1;
    if (count != 1 || !parseRegister(operands[0], type.bits(), inst.dst[0]))
      return fail("unknown form of '" + mods.mnemonic + "'");
  }
  if (!parseOperands(operands[atom ? 2 : 1], type.bits(), values))
    return false;
  if (values.size() != count)
    return fail("a vector operand of the wrong length");
  inst.numSrc = uint8_t(count);
  for (unsigned i = 0; i < count; ++i)
    inst.src[i] = values[i];
  return parseAddress(operands[atom ? 1 : 0], inst);
}

bool PtxDecoder::decodeFp8(Modifiers &mods, PtxInstruction &inst,
                           bool &handled) {
  // cvt.rn.satfinite.e4m3x2.f32 d, high, low; cvt.rn.f16x2.e4m3x2 d, a.
  handled = false;
  const std::string &text = mods.mnemonic;
  bool e4 = text.find(".e4m3x2") != std::string::npos;
  if (!e4 && text.find(".e5m2x2") == std::string::npos)
    return true;
  handled = true;
  inst.code = PtxCode::CvtFp8;
  inst.flag = e4;
  std::string name = e4 ? "e4m3x2" : "e5m2x2";
  inst.type.kind = PtxType::Bits;
  if (text == "cvt.rn.satfinite." + name + ".f32") {
    inst.type.laneBits = 16;
    return simple(inst, 16, 32, 2);
  }
  if (text == "cvt.rn.satfinite." + name + ".f16x2") {
    inst.type.laneBits = 16;
    return simple(inst, 16, 32, 1);
  }
  if (text == "cvt.rn.f16x2." + name) {
    inst.type.laneBits = 32;
    return simple(inst, 32, 16, 1);
  }
  return fail("unknown conversion '" + text + "'");
}

} // namespace polytest
