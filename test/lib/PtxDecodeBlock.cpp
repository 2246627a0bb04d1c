//===- PtxDecodeBlock.cpp - Statements of threads that work together ------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxDecode.h"

#include <cstdio>

namespace polytest {

std::vector<std::string_view>
PtxDecoder::elementsOf(std::string_view text) const {
  std::vector<std::string_view> list;
  if (text.size() >= 2 && text[0] == '{' && text.back() == '}')
    text = text.substr(1, text.size() - 2);
  while (true) {
    size_t comma = text.find(',');
    list.push_back(trimPtx(text.substr(0, comma)));
    if (comma == std::string_view::npos)
      return list;
    text.remove_prefix(comma + 1);
  }
}

bool PtxDecoder::parseOperands(std::string_view text, unsigned width,
                               std::vector<PtxOperand> &list) {
  for (std::string_view element : elementsOf(text)) {
    list.emplace_back();
    if (!parseValue(element, width, list.back()))
      return false;
  }
  return true;
}

bool PtxDecoder::parseBracket(std::string_view text, PtxAddress &address) {
  // Shared and generic addresses alike: a register may have 32 or 64 bits.
  PtxInstruction inst;
  inst.code = PtxCode::Ld;
  inst.space = PtxSpace::Shared;
  if (!parseAddress(text, inst))
    return false;
  address.base = inst.address;
  address.offset = inst.offset;
  return true;
}

bool PtxDecoder::decodeCooperative(Modifiers &mods, PtxInstruction &inst,
                                   bool &handled) {
  std::string_view base = mods.base();
  handled = true;
  if (base == "setmaxnreg" || base == "prefetch" || base == "griddepcontrol" ||
      base == "nanosleep" || base == "membar") {
    inst.code = PtxCode::Nop;
    return true;
  }
  if (base == "red" || base == "atom")
    return decodeReduction(mods, inst);
  bool before = kernel.cooperative;
  kernel.cooperative = true;
  if (base == "mbarrier")
    return decodeMbarrier(mods, inst);
  if (base == "cp")
    return decodeCopy(mods, inst);
  if (base == "wgmma")
    return decodeWgmma(mods, inst);
  if (base == "stmatrix" || base == "ldmatrix")
    return decodeMatrixMove(mods, inst);
  if (base == "bar" || base == "barrier" || base == "fence")
    return decodeBarrier(mods, inst, handled);
  if (base == "elect" || base == "shfl" || base == "vote" || base == "mapa")
    return decodeWarp(mods, inst, handled);
  kernel.cooperative = before;
  handled = false;
  return true;
}

bool PtxDecoder::decodeBarrier(Modifiers &mods, PtxInstruction &inst,
                               bool &handled) {
  auto unknown = [&] {
    return fail("unknown form of '" + mods.mnemonic + "'");
  };
  handled = true;
  if (mods.base() == "fence") {
    if (mods.take("proxy")) {
      if (!mods.take("async"))
        return unknown();
      inst.code = PtxCode::FenceAsync;
      if (!mods.take("shared::cta"))
        mods.take("global");
      return end(mods);
    }
    // Orders this thread's accesses, which all see at once here.
    inst.code = PtxCode::Nop;
    return true;
  }
  if (mods.take("warp")) {
    inst.code = PtxCode::BarWarp;
    inst.numSrc = 1;
    return mods.take("sync") && end(mods) && expectOperands(1)
               ? parseValue(operands[0], 32, inst.src[0])
               : unknown();
  }
  if (mods.take("cluster")) {
    bool arrive = mods.take("arrive");
    if (!arrive && !mods.take("wait"))
      return unknown();
    inst.code = arrive ? PtxCode::ClusterArrive : PtxCode::ClusterWait;
    if (!mods.take("release") && !mods.take("acquire"))
      mods.take("relaxed");
    mods.take("aligned");
    return end(mods) && expectOperands(0);
  }
  mods.take("cta");
  inst.code = PtxCode::Bar;
  inst.flag = mods.take("arrive");
  if (!inst.flag && !mods.take("sync"))
    return unknown();
  mods.take("aligned");
  mods.take("all");
  if (!end(mods) || operands.empty() || operands.size() > 2 ||
      (inst.flag && operands.size() != 2))
    return unknown();
  inst.numSrc = uint8_t(operands.size());
  for (size_t i = 0; i < operands.size(); ++i)
    if (!parseValue(operands[i], 32, inst.src[i]))
      return false;
  return true;
}

bool PtxDecoder::decodeWarp(Modifiers &mods, PtxInstruction &inst,
                            bool &handled) {
  auto unknown = [&] {
    return fail("unknown form of '" + mods.mnemonic + "'");
  };
  handled = true;
  std::string_view base = mods.base();
  if (base == "mapa") {
    inst.code = PtxCode::Mapa;
    bool shared = mods.take("shared::cluster");
    if (!takeType(mods, inst.type) || !end(mods) || !expectOperands(3) ||
        inst.type.kind != PtxType::Unsigned)
      return unknown();
    inst.flag = !shared; // A generic address in and out.
    unsigned width = inst.type.bits();
    inst.numDst = 1;
    inst.numSrc = 2;
    return parseRegister(operands[0], width, inst.dst[0]) &&
           parseValue(operands[1], width, inst.src[0]) &&
           parseValue(operands[2], 32, inst.src[1]);
  }
  if (!mods.take("sync"))
    return unknown();
  size_t count = base == "elect" ? 2 : base == "vote" ? 3 : 5;
  PtxType type;
  if (base == "elect") {
    inst.code = PtxCode::Elect;
  } else if (base == "vote") {
    inst.code = PtxCode::Vote;
    inst.flag = mods.take("ballot");
    inst.flag2 = !inst.flag && mods.take("any");
    if (!inst.flag && !inst.flag2 && !mods.take("all"))
      return unknown();
    if (!mods.take(inst.flag ? "b32" : "pred"))
      return unknown();
  } else {
    inst.code = PtxCode::Shfl;
    inst.shuffle = mods.take("up")     ? PtxShuffle::Up
                   : mods.take("down") ? PtxShuffle::Down
                   : mods.take("bfly") ? PtxShuffle::Bfly
                                       : PtxShuffle::Idx;
    if (inst.shuffle == PtxShuffle::Idx && !mods.take("idx"))
      return unknown();
    if (!mods.take("b32"))
      return unknown();
  }
  if (!end(mods) || !expectOperands(count))
    return false;
  std::string_view dst = operands[0];
  size_t bar = dst.find('|');
  unsigned width = base == "vote" && !inst.flag ? 1 : 32;
  inst.numDst = 1;
  if (dst.substr(0, bar) == "_")
    inst.dst[0].kind = PtxOperand::Sink;
  else if (!parseRegister(trimPtx(dst.substr(0, bar)), width, inst.dst[0]))
    return false;
  if (bar != std::string_view::npos) {
    inst.numDst = 2;
    if (!parseRegister(trimPtx(dst.substr(bar + 1)), 1, inst.dst[1]))
      return false;
  }
  inst.numSrc = uint8_t(count - 1);
  for (size_t i = 1; i < count; ++i)
    if (!parseValue(operands[i], base == "vote" && i == 1 ? 1 : 32,
                    inst.src[i - 1]))
      return false;
  // The member mask stands last in all of them.
  return true;
}

bool PtxDecoder::decodeMatrixMove(Modifiers &mods, PtxInstruction &inst) {
  bool store = mods.base() == "stmatrix";
  inst.code = store ? PtxCode::StMatrix : PtxCode::LdMatrix;
  unsigned count = 0;
  if (mods.take("sync") && mods.take("aligned") && mods.take("m8n8"))
    count = mods.take("x1") ? 1 : mods.take("x2") ? 2 : mods.take("x4") ? 4 : 0;
  inst.flag = mods.take("trans");
  if (count == 0 || !(mods.take("shared") || mods.take("shared::cta")) ||
      !mods.take("b16") || !end(mods) || !expectOperands(2))
    return fail("unknown form of '" + mods.mnemonic + "'");
  std::vector<PtxOperand> list;
  PtxAddress address;
  if (!parseOperands(operands[store ? 1 : 0], 32, list) ||
      !parseBracket(operands[store ? 0 : 1], address))
    return false;
  if (list.size() != count)
    return fail("'" + mods.mnemonic + "' needs " + std::to_string(count) +
                " registers");
  inst.second = address;
  (store ? inst.numSrc : inst.numDst) = uint8_t(count);
  for (unsigned i = 0; i < count; ++i)
    (store ? inst.src : inst.dst)[i] = list[i];
  return true;
}

bool PtxDecoder::decodeWgmma(Modifiers &mods, PtxInstruction &inst) {
  auto unknown = [&] {
    return fail("unknown form of '" + mods.mnemonic + "'");
  };
  const std::string &text = mods.mnemonic;
  if (text == "wgmma.fence.sync.aligned") {
    inst.code = PtxCode::WgmmaFence;
    return expectOperands(0);
  }
  if (text == "wgmma.commit_group.sync.aligned") {
    inst.code = PtxCode::WgmmaCommit;
    return expectOperands(0);
  }
  if (text == "wgmma.wait_group.sync.aligned") {
    inst.code = PtxCode::WgmmaWait;
    inst.numSrc = 1;
    return expectOperands(1) && parseValue(operands[0], 32, inst.src[0]);
  }
  inst.code = PtxCode::Wgmma;
  if (!mods.take("mma_async") || !mods.take("sync") || !mods.take("aligned"))
    return unknown();
  PtxWgmma wgmma;
  std::string shape(mods.peek());
  ++mods.next;
  if (std::sscanf(shape.c_str(), "m64n%uk%u", &wgmma.n, &wgmma.k) != 2 ||
      wgmma.n % 8 != 0 || wgmma.n < 8 || wgmma.n > 256 || !mods.take("f32"))
    return unknown();
  for (PtxElement *element : {&wgmma.a, &wgmma.b}) {
    if (mods.take("bf16"))
      *element = PtxElement::BF16;
    else if (mods.take("f16"))
      *element = PtxElement::F16;
    else if (mods.take("e4m3"))
      *element = PtxElement::E4M3;
    else if (mods.take("e5m2"))
      *element = PtxElement::E5M2;
    else
      return unknown();
  }
  bool wide = wgmma.a == PtxElement::BF16 || wgmma.a == PtxElement::F16;
  bool wideB = wgmma.b == PtxElement::BF16 || wgmma.b == PtxElement::F16;
  if (wide != wideB || (wide && wgmma.a != wgmma.b) ||
      wgmma.k != (wide ? 16u : 32u) || !end(mods))
    return unknown();
  // d, a, b, scale-d, imm-scale-a, imm-scale-b and for 16 bits the transposes:
  // of both, or of B alone when A is in registers.
  if (operands.size() < 6 ||
      !parseOperands(operands[0], 32, wgmma.accumulators))
    return error.empty() ? unknown() : false;
  if (wgmma.accumulators.size() != wgmma.n / 2)
    return fail("'" + text + "' needs " + std::to_string(wgmma.n / 2) +
                " accumulators");
  wgmma.aInRegisters = operands[1][0] == '{';
  if (wgmma.aInRegisters ? !parseOperands(operands[1], 32, wgmma.fragments)
                         : !parseValue(operands[1], 64, wgmma.descriptorA))
    return false;
  if (wgmma.aInRegisters && wgmma.fragments.size() != 4)
    return fail("'" + text + "' takes A in 4 registers");
  size_t transposes = wide ? (wgmma.aInRegisters ? 1 : 2) : 0;
  if (!parseValue(operands[2], 64, wgmma.descriptorB) ||
      !expectOperands(6 + transposes) ||
      !parseOperand(operands[3], wgmma.scaleD))
    return false;
  if (wgmma.scaleD.kind == PtxOperand::Register && wgmma.scaleD.width != 1)
    return fail("scale-d must be a predicate");
  PtxOperand numbers[4];
  for (size_t i = 0; i + 4 < operands.size(); ++i)
    if (!parseOperand(operands[i + 4], numbers[i]) ||
        numbers[i].kind != PtxOperand::Immediate)
      return unknown();
  for (unsigned i = 0; i < 2; ++i)
    if (int64_t(numbers[i].imm) != 1 && int64_t(numbers[i].imm) != -1)
      return fail("the scales of '" + text + "' are 1 or -1");
  wgmma.negateA = int64_t(numbers[0].imm) == -1;
  wgmma.negateB = int64_t(numbers[1].imm) == -1;
  if (transposes == 2)
    wgmma.transposeA = numbers[2].imm != 0;
  if (transposes)
    wgmma.transposeB = numbers[1 + transposes].imm != 0;
  inst.index = uint32_t(kernel.wgmmas.size());
  kernel.wgmmas.push_back(std::move(wgmma));
  return true;
}

} // namespace polytest
