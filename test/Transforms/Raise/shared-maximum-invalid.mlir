// RUN: poly-opt %s --poly-raise | FileCheck %s --implicit-check-not=softmax_exp --implicit-check-not=bound
// RUN: poly-opt %s --poly-raise --remarks-filter=poly-raise --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// Maxima through shared memory that some thread does not get.

gpu.module @shared {
  func.func @other() {
    return
  }

  // A fast thread may store in the next round before a slow one has read.
  // CHECK-LABEL: gpu.func @loop_without_second_barrier
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: a thread may read a value that is not the maximum
  gpu.func @loop_without_second_barrier(%in: memref<128x8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %c8 = arith.constant 8 : index
    scf.for %round = %c0 to %c8 step %c1 {
      %y = vector.load %in[%round, %c0] : memref<128x8xf32>, vector<8xf32>
      %own = vector.reduction <maxnumf>, %y : vector<8xf32> into f32
      %all = gpu.subgroup_reduce maxnumf %own : (f32) -> f32
      scf.if %first {
        memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %at = arith.remui %tid, %c4 : index
      %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
      %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
      %q = arith.maxnumf %p, %p1 : f32
      %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
      %m = arith.maxnumf %q, %q1 : f32
      %b = vector.broadcast %m : f32 to vector<8xf32>
      %d = arith.subf %y, %b : vector<8xf32>
      %e = math.exp %d : vector<8xf32>
      vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    }
    gpu.return
  }

  // Nobody waits.
  // CHECK-LABEL: gpu.func @no_barrier
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: a thread may read a value that is not the maximum
  gpu.func @no_barrier(%x: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %all = gpu.subgroup_reduce maxnumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // Another value goes to one of the words.
  // CHECK-LABEL: gpu.func @another_store
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: a thread may read a value that is not the maximum
  gpu.func @another_store(%x: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %all = gpu.subgroup_reduce maxnumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    %x0 = vector.extract %x[0] : f32 from vector<8xf32>
    %second = arith.cmpi eq, %tid, %c1 : index
    scf.if %second {
      memref.store %x0, %buf[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // A store after the barrier may be seen or not.
  // CHECK-LABEL: gpu.func @late_store
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: a thread may read a value that is not the maximum
  gpu.func @late_store(%x: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %all = gpu.subgroup_reduce maxnumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %x0 = vector.extract %x[0] : f32 from vector<8xf32>
    %second = arith.cmpi eq, %tid, %c1 : index
    scf.if %second {
      memref.store %x0, %buf[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // Where a store goes is not known.
  // CHECK-LABEL: gpu.func @unknown_word
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: a thread may read a value that is not the maximum
  gpu.func @unknown_word(%x: vector<8xf32>, %n: index, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %all = gpu.subgroup_reduce maxnumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    %x0 = vector.extract %x[0] : f32 from vector<8xf32>
    memref.store %x0, %buf[%n] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // The maximum of something else.
  // CHECK-LABEL: gpu.func @another_row
  // CHECK:         poly.exp
  // REMARK:        no row maximum: what is subtracted was read from shared memory, and no
  gpu.func @another_row(%x: vector<8xf32>, %y: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <maxnumf>, %y : vector<8xf32> into f32
    %all = gpu.subgroup_reduce maxnumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @minimum
  // CHECK:         poly.exp
  // REMARK:        no row maximum: what is subtracted was read from shared memory, and no
  gpu.func @minimum(%x: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <minnumf>, %x : vector<8xf32> into f32
    %all = gpu.subgroup_reduce minnumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // Each thread reads what the next warp stored.
  // CHECK-LABEL: gpu.func @without_own_warp
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: a thread may read a value that is not the maximum
  gpu.func @without_own_warp(%x: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %all = gpu.subgroup_reduce maxnumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %next = arith.addi %warp, %c1 : index
    %at = arith.remui %next, %c4 : index
    %m = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // One shuffle is missing.
  // CHECK-LABEL: gpu.func @half_of_the_warps
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: a thread may read a value that is not the maximum
  gpu.func @half_of_the_warps(%x: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %all = gpu.subgroup_reduce maxnumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %m = arith.maxnumf %p, %p1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // Lane 1 does not have the maximum of lane 0.
  // CHECK-LABEL: gpu.func @wrong_lane
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: a thread may read a value that is not the maximum
  gpu.func @wrong_lane(%x: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c1 : index
    %own = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %s4 = arith.constant 4 : i32
    %s8 = arith.constant 8 : i32
    %s16 = arith.constant 16 : i32
    %t0, %u0 = gpu.shuffle down %own, %s16, %w32 : f32
    %r0 = arith.maxnumf %own, %t0 : f32
    %t1, %u1 = gpu.shuffle down %r0, %s8, %w32 : f32
    %r1 = arith.maxnumf %r0, %t1 : f32
    %t2, %u2 = gpu.shuffle down %r1, %s4, %w32 : f32
    %r2 = arith.maxnumf %r1, %t2 : f32
    %t3, %u3 = gpu.shuffle down %r2, %s2, %w32 : f32
    %r3 = arith.maxnumf %r2, %t3 : f32
    %t4, %u4 = gpu.shuffle down %r3, %s1, %w32 : f32
    %all = arith.maxnumf %r3, %t4 : f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // A NaN score makes the maximum of its warp NaN, and the next one drops it.
  // CHECK-LABEL: gpu.func @lost_nan
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: a thread may read a value that is not the maximum
  gpu.func @lost_nan(%x: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <maximumf>, %x : vector<8xf32> into f32
    %all = gpu.subgroup_reduce maximumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // The number of threads is not known.
  // CHECK-LABEL: gpu.func @unknown_size
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: the number of threads is not known
  gpu.func @unknown_size(%x: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %all = gpu.subgroup_reduce maxnumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // A function that others call.
  // CHECK-LABEL: gpu.func @no_kernel
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: this function is not a kernel
  gpu.func @no_kernel(%x: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %all = gpu.subgroup_reduce maxnumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // A call may do anything.
  // CHECK-LABEL: gpu.func @unknown_call
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: what {{.}}func.call{{.}} does to shared memory is not known
  gpu.func @unknown_call(%x: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %all = gpu.subgroup_reduce maxnumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    func.call @other() : () -> ()
    gpu.barrier
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // Not all threads wait.
  // CHECK-LABEL: gpu.func @divergent_barrier
  // CHECK:         poly.exp {{.*}}weight
  // REMARK:        no row maximum: the maximum passes through shared memory: the threads may not meet at the same barriers
  gpu.func @divergent_barrier(%x: vector<8xf32>, %out: memref<128x8xf32>)
      workgroup(%buf: memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %s1 = arith.constant 1 : i32
    %s2 = arith.constant 2 : i32
    %w32 = arith.constant 32 : i32
    %tid = gpu.thread_id x
    %lane = arith.remui %tid, %c32 : index
    %warp = arith.divui %tid, %c32 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    %own = vector.reduction <maxnumf>, %x : vector<8xf32> into f32
    %all = gpu.subgroup_reduce maxnumf %own : (f32) -> f32
    scf.if %first {
      memref.store %all, %buf[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    scf.if %first {
      gpu.barrier
    }
    %at = arith.remui %tid, %c4 : index
    %p = memref.load %buf[%at] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }
}
