// RUN: poly-opt %s --poly-plan="programs=silu-sfu-f32 policy=opt-in report=-" 2>&1 | FileCheck %s
// RUN: poly-opt %s --poly-plan="programs=silu-sfu-f32 policy=opt-in" | FileCheck %s --check-prefix=IR

// A function and its derivative that share work get a program both or neither.

gpu.module @m {
  // There is no program for the second of the two.
  // CHECK:      "function": "pair"
  // CHECK:      "decision": "missed"
  // CHECK:      the other of the two was left
  // CHECK:      "function": "pair"
  // CHECK:      "decision": "missed"
  // IR-LABEL: func.func @pair
  // IR-NOT:     poly.
  // IR:         return %arg1, %arg2
  func.func @pair(%x: f32, %a: f32, %b: f32) -> (f32, f32) {
    %y = poly.silu %x replaces %a {poly.pair = 0} : f32
    %d = poly.exp2 %x replaces %b {poly.pair = 0, role = #poly.exp_role<correction>} : f32
    return %y, %d : f32, f32
  }

  // Alone, the first has one.
  // CHECK:      "function": "alone"
  // CHECK-NEXT: "kind": "swish"
  // CHECK-NEXT: "decision": "applied"
  // IR-LABEL: func.func @alone
  // IR:         poly.silu {{.*}}program
  func.func @alone(%x: f32, %a: f32) -> f32 {
    %y = poly.silu %x replaces %a {poly.pair = 0, poly.kind = "swish"} : f32
    return %y : f32
  }
}
