//===- Cluster.cpp - Blocks that share their memory -----------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace mlir;
using namespace poly::kernels::hopper;

void poly::kernels::hopper::declareCluster(Emitter &e, gpu::GPUFuncOp function,
                                           int64_t size) {
  function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                    e.getDenseI32ArrayAttr({int32_t(size), 1, 1}));
}

void poly::kernels::hopper::syncCluster(Emitter &e, bool converged) {
  UnitAttr aligned = converged ? e.getUnitAttr() : UnitAttr();
  NVVM::ClusterArriveOp::create(e, aligned);
  NVVM::ClusterWaitOp::create(e, aligned);
}

Cluster::Cluster(Emitter &e, int64_t size)
    : blocks(size),
      number(NVVM::BlockInClusterIdXOp::create(e, e.getI32Type())) {}

void Cluster::prepareArrivals(Emitter &e, const SharedMemory &memory,
                              Value lane) {
  isSender = e.compare(arith::CmpIPredicate::ult, lane, e.constant(blocks));
  Value here = memory.at(e, 0);
  Value block = e.select(isSender, lane, e.constant(0));
  Value there = e.ptx(e.getI32Type(), {here, block},
                      "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r")
                    .getResult(0);
  distance = e.sub(there, here);
}

void Cluster::arrive(Emitter &e, Value address) const {
  e.ptx(Type(), {isSender, e.add(address, distance)},
        "@$0 mbarrier.arrive.shared::cluster.b64 _, [$1];", "b,r");
}
