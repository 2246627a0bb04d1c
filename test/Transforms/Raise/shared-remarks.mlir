// RUN: poly-opt %s --poly-raise --remarks-filter=poly-raise --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:

// Where one function is part of another, one of the two is the site; the other
// is told why it is not.

gpu.module @shared {
  // The sigmoid that another product needs takes SiLU away.
  // CHECK: :[[@LINE+7]]:{{.*}}remark: {{.*}}silu {{.*}}left alone: the sigmoid inside it has other uses, which must see the same value: the sigmoid is the site
  func.func @sigmoid_takes_silu(%x: f32, %y: f32) -> (f32, f32) {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %p = arith.mulf %x, %s : f32
    %q = arith.mulf %y, %s : f32
    return %p, %q : f32, f32
  }

  // The other way around: a sigmoid that is only stored stays.
  // CHECK: :[[@LINE+6]]:{{.*}}remark: {{.*}}sigmoid {{.*}}left alone: its other uses keep the exact value; the silu around it is the site
  func.func @silu_takes_sigmoid(%x: f32) -> (f32, f32) {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %p = arith.mulf %x, %s : f32
    return %p, %s : f32, f32
  }

  // CHECK: :[[@LINE+8]]:{{.*}}remark: {{.*}}dsigmoid {{.*}}left alone: it is computed from the sigmoid, which is a result as well: the sigmoid is the site
  func.func @value_and_derivative(%x: f32) -> (f32, f32) {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %m = arith.subf %c1, %s : f32
    %p = arith.mulf %s, %m : f32
    return %p, %s : f32, f32
  }

  // CHECK: :[[@LINE+8]]:{{.*}}remark: {{.*}}dsigmoid {{.*}}left alone: the arithmetic around the sigmoid inside it has no permission (afn): the sigmoid is the site
  func.func @permission(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x fastmath<afn> : f32
    %e = math.exp %n fastmath<afn> : f32
    %d = arith.addf %c1, %e fastmath<afn> : f32
    %s = arith.divf %c1, %d fastmath<afn> : f32
    %m = arith.subf %c1, %s : f32
    %p = arith.mulf %s, %m : f32
    return %p : f32
  }

  // Nothing is taken away from anyone: no remark.
  func.func @silu(%x: f32) -> f32 {
    %c1 = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %d = arith.addf %c1, %e : f32
    %s = arith.divf %c1, %d : f32
    %p = arith.mulf %x, %s : f32
    return %p : f32
  }
}
