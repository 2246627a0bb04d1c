// RUN: poly-opt %s --poly-raise --remarks-filter=poly-raise --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:

// What is almost a site says why it is none.

gpu.module @misses {
  // CHECK: :[[@LINE+6]]:{{.*}}remark: {{.*}}sigmoid {{.*}}left alone: a constant differs from that of the function
  func.func @one_and_a_bit(%x: f32) -> f32 {
    %c = arith.constant 1.001 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c, %e : f32
    %q = arith.divf %c, %d : f32
    return %q : f32
  }

  // CHECK: :[[@LINE+5]]:{{.*}}remark: {{.*}}exp {{.*}}left alone: the lanes of a literal around it differ
  func.func @odd_lane(%x: vector<4xf32>) -> vector<4xf32> {
    %c1 = arith.constant dense<1.0> : vector<4xf32>
    %c = arith.constant dense<[1.0, 1.0, 1.0, 1.5]> : vector<4xf32>
    %n = arith.negf %x : vector<4xf32>
    %e = math.exp %n : vector<4xf32>
    %d = arith.addf %c, %e : vector<4xf32>
    %q = arith.divf %c1, %d : vector<4xf32>
    return %q : vector<4xf32>
  }

  // CHECK: :[[@LINE+2]]:{{.*}}remark: {{.*}}exp {{.*}}left alone: no program computes f64
  func.func @double(%x: f64) -> f64 {
    %e = math.exp %x : f64
    return %e : f64
  }

  // CHECK: :[[@LINE+2]]:{{.*}}remark: {{.*}}tanh {{.*}}left alone: scalable vectors stay
  func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
    %t = math.tanh %x : vector<[4]xf32>
    return %t : vector<[4]xf32>
  }

  // CHECK: :[[@LINE+2]]:{{.*}}remark: {{.*}}tanh {{.*}}left alone: tensors stay
  func.func @tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
    %t = math.tanh %x : tensor<4xf32>
    return %t : tensor<4xf32>
  }

  // CHECK: :[[@LINE+2]]:{{.*}}remark: {{.*}}exp2 {{.*}}left alone: volatile assembly stays as it is
  llvm.func @volatile_assembly(%x: f32) -> f32 {
    %e = llvm.inline_asm has_side_effects "ex2.approx.f32 $0, $1;", "=f,f" %x : (f32) -> f32
    llvm.return %e : f32
  }

  // CHECK: :[[@LINE+6]]:{{.*}}remark: {{.*}}sigmoid {{.*}}left alone: it is marked poly.keep
  func.func @marked(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n {poly.keep} : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %c1, %d : f32
    return %q : f32
  }

  // The maximum was somebody's, but comes back from memory.
  // CHECK: :[[@LINE+4]]:{{.*}}remark: {{.*}}no row maximum: what is subtracted is loaded from memory that others may store to
  func.func @loaded_maximum(%x: f32, %m: memref<f32>) -> f32 {
    %l = memref.load %m[] : memref<f32>
    %d = arith.subf %x, %l : f32
    %e = math.exp %d : f32
    return %e : f32
  }

  // What is a site, or has nothing of one, needs no remark.
  func.func @sites(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %q = arith.divf %c1, %d : f32
    %y = arith.mulf %q, %x : f32
    return %y : f32
  }
}
