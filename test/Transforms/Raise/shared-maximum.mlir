// RUN: poly-opt %s --poly-raise | FileCheck %s

// Maxima that the warps of a block exchange through shared memory. Every thread
// is proved to subtract at least its own scores.

gpu.module @shared {
  // Each warp stores its maximum; every group of four lanes reduces the four.
  // CHECK-LABEL: gpu.func @reduced_again
  // CHECK:         poly.exp {{.*}} {bound = 0.000000e+00 : f64, poly.kind = "softmax_exp", role = #poly.exp_role<weight>}
  gpu.func @reduced_again(%x: vector<8xf32>, %out: memref<128x8xf32>)
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
    %q = arith.maxnumf %p, %p1 : f32
    %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
    %m = arith.maxnumf %q, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // Every thread reads what all warps stored.
  // CHECK-LABEL: gpu.func @all_read
  // CHECK:         poly.exp {{.*}} {bound = 0.000000e+00 : f64, poly.kind = "softmax_exp", role = #poly.exp_role<weight>}
  gpu.func @all_read(%x: vector<8xf32>, %out: memref<128x8xf32>)
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
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %p0 = memref.load %buf[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    %p1 = memref.load %buf[%c1] : memref<4xf32, #gpu.address_space<workgroup>>
    %p2 = memref.load %buf[%c2] : memref<4xf32, #gpu.address_space<workgroup>>
    %p3 = memref.load %buf[%c3] : memref<4xf32, #gpu.address_space<workgroup>>
    %q0 = arith.maxnumf %p0, %p1 : f32
    %q1 = arith.maxnumf %p2, %p3 : f32
    %m = arith.maxnumf %q0, %q1 : f32
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // Lane 0 has the maximum of its warp; the first warp reduces them, and all
  // read its result.
  // CHECK-LABEL: gpu.func @first_warp
  // CHECK:         poly.exp {{.*}} {bound = 0.000000e+00 : f64, poly.kind = "softmax_exp", role = #poly.exp_role<weight>}
  gpu.func @first_warp(%x: vector<8xf32>, %out: memref<128x8xf32>)
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
    %isWarp0 = arith.cmpi ult, %tid, %c32 : index
    scf.if %isWarp0 {
      %has = arith.cmpi ult, %lane, %c4 : index
      %low = arith.constant 0xFF800000 : f32
      %p = scf.if %has -> f32 {
        %one = memref.load %buf[%lane] : memref<4xf32, #gpu.address_space<workgroup>>
        scf.yield %one : f32
      } else {
        scf.yield %low : f32
      }
      %p1, %v1 = gpu.shuffle xor %p, %s1, %w32 : f32
      %q = arith.maxnumf %p, %p1 : f32
      %q1, %v2 = gpu.shuffle xor %q, %s2, %w32 : f32
      %r = arith.maxnumf %q, %q1 : f32
      scf.if %first {
        memref.store %r, %buf[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
      }
    }
    gpu.barrier
    %m = memref.load %buf[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    %b = vector.broadcast %m : f32 to vector<8xf32>
    %d = arith.subf %x, %b : vector<8xf32>
    %e = math.exp %d : vector<8xf32>
    vector.store %e, %out[%tid, %c0] : memref<128x8xf32>, vector<8xf32>
    gpu.return
  }

  // A second barrier keeps the next round out.
  // CHECK-LABEL: gpu.func @in_a_loop
  // CHECK:         poly.exp {{.*}} {bound = 0.000000e+00 : f64, poly.kind = "softmax_exp", role = #poly.exp_role<weight>}
  gpu.func @in_a_loop(%in: memref<128x8xf32>, %out: memref<128x8xf32>)
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
      gpu.barrier
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
}
