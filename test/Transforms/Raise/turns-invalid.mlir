// RUN: poly-opt %s --poly-raise | FileCheck %s
// RUN: poly-opt %s --poly-raise --remarks-filter=poly-raise --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What is no phase of half a turn at most stays, and the remark says why.

// CHECK-NOT: poly.{{sin|cos}}_turn

gpu.module @look_alikes {
  // REMARK: remark: {{.*}}sin{{.*}}the angle is not proved to be a phase within half a turn
  func.func @any_angle(%x: f32) -> f32 {
    %s = math.sin %x fastmath<afn> : f32
    return %s : f32
  }

  // REMARK: remark: {{.*}}cos{{.*}}the angle is not proved to be a phase
  func.func @position_times_frequency(%p: i32, %w: f32) -> f32 {
    %f = arith.sitofp %p : i32 to f32
    %a = arith.mulf %f, %w fastmath<afn> : f32
    %c = math.cos %a fastmath<afn> : f32
    return %c : f32
  }

  // Five ulps more than 2 pi.
  // REMARK: remark: {{.*}}sin{{.*}}not 2 pi times a power of two
  func.func @wrong_constant(%t: i32) -> f32 {
    %ulp = arith.constant 2.3283064365386963e-10 : f32
    %tau = arith.constant 6.2831879 : f32
    %i = arith.sitofp %t : i32 to f32
    %x = arith.mulf %i, %ulp fastmath<afn> : f32
    %a = arith.mulf %x, %tau fastmath<afn> : f32
    %s = math.sin %a fastmath<afn> : f32
    return %s : f32
  }

  // A quarter of the scale short: up to two turns.
  // REMARK: remark: {{.*}}sin{{.*}}the phase is not reduced: it lies between -2.00 and 2.00 turns
  func.func @too_far(%t: i32) -> f32 {
    %k = arith.constant 5.8516723e-9 : f32
    %i = arith.sitofp %t : i32 to f32
    %a = arith.mulf %i, %k fastmath<afn> : f32
    %s = math.sin %a fastmath<afn> : f32
    return %s : f32
  }

  // Masked, so that it is not negative and wraps at half the sign's place.
  // REMARK: remark: {{.*}}sin{{.*}}the phase is not reduced: it lies between 0.00 and 1.00 turns
  func.func @masked(%t: i32) -> f32 {
    %mask = arith.constant 65535 : i32
    %k = arith.constant 9.5873799e-05 : f32
    %m = arith.andi %t, %mask : i32
    %i = arith.sitofp %m : i32 to f32
    %a = arith.mulf %i, %k fastmath<afn> : f32
    %s = math.sin %a fastmath<afn> : f32
    return %s : f32
  }

  // The nearest integer of another number.
  // REMARK: remark: {{.*}}sin{{.*}}the angle is not proved
  func.func @other_integer(%t: f32, %u: f32) -> f32 {
    %tau = arith.constant 6.2831855 : f32
    %n = math.roundeven %u : f32
    %x = arith.subf %t, %n fastmath<afn> : f32
    %a = arith.mulf %x, %tau fastmath<afn> : f32
    %s = math.sin %a fastmath<afn> : f32
    return %s : f32
  }

  // REMARK: remark: {{.*}}sin{{.*}}the angle is not proved
  func.func @floor(%t: f32) -> f32 {
    %tau = arith.constant 6.2831855 : f32
    %n = math.floor %t : f32
    %x = arith.subf %t, %n fastmath<afn> : f32
    %a = arith.mulf %x, %tau fastmath<afn> : f32
    %s = math.sin %a fastmath<afn> : f32
    return %s : f32
  }

  // Half turns are exact: five ulps off are another function.
  // REMARK: remark: {{.*}}sin{{.*}}not 2 times a power of two
  func.func private @__nv_sinpif(f32) -> f32
  func.func @half_turns(%t: i32) -> f32 {
    %k = arith.constant 4.6566156e-10 : f32
    %i = arith.sitofp %t : i32 to f32
    %y = arith.mulf %i, %k fastmath<afn> : f32
    %s = func.call @__nv_sinpif(%y) : (f32) -> f32
    return %s : f32
  }

  // Reduced, and doubled again.
  // REMARK: remark: {{.*}}sin{{.*}}it is 2.00 times a number within half a turn
  func.func @doubled(%t: f32) -> f32 {
    %tau = arith.constant 12.566371 : f32
    %n = math.roundeven %t : f32
    %x = arith.subf %t, %n fastmath<afn> : f32
    %a = arith.mulf %x, %tau fastmath<afn> : f32
    %s = math.sin %a fastmath<afn> : f32
    return %s : f32
  }

  func.func @kept(%t: i32) -> f32 attributes {poly.keep} {
    %k = arith.constant 1.46291808e-9 : f32
    %i = arith.sitofp %t : i32 to f32
    %a = arith.mulf %i, %k fastmath<afn> : f32
    %s = math.sin %a fastmath<afn> : f32
    return %s : f32
  }
}

// Host code.
func.func @host(%t: i32) -> f32 {
  %k = arith.constant 1.46291808e-9 : f32
  %i = arith.sitofp %t : i32 to f32
  %a = arith.mulf %i, %k fastmath<afn> : f32
  %s = math.sin %a fastmath<afn> : f32
  return %s : f32
}
