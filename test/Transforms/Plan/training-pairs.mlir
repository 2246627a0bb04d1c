// RUN: poly-opt %s --poly-plan="programs=tanh-tanh32-f32,sigmoid-sfu-f32,dtanh-sfu-f32 policy=opt-in report=%t.json" -o - | FileCheck %s
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
// RUN: poly-opt %s --poly-plan="programs=tanh-tanh32-f32,sigmoid-sfu-f32,dtanh-sfu-f32 policy=opt-in" --remarks-filter=poly-plan --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: poly-opt %s --poly-plan="programs=tanh-tanh32-f32,sigmoid-sfu-f32,dtanh-sfu-f32 policy=opt-in budget=atol=1e-2" -o - | FileCheck %s --check-prefix=BUDGET

// The directions of a pair evaluate a function by the same program, or neither
// by one.

gpu.module @m {
  // The backward pass makes the derivative of the same value: 1 - t^2 is off by
  // twice what t is.
  // CHECK-LABEL: @forward_same
  // CHECK: poly.tanh {{.*}}program <"tanh-tanh32-f32">
  // CHECK-LABEL: @backward_same
  // CHECK: poly.tanh {{.*}}program <"tanh-tanh32-f32">
  // JSON: "function": "forward_same"
  // JSON: "training": {
  // JSON-NEXT: "pair": "same",
  // JSON-NEXT: "agreement": "same program",
  // JSON-NEXT: "gradientError": null
  // JSON: "function": "backward_same"
  // JSON: "training": {
  // JSON-NEXT: "pair": "same",
  // JSON-NEXT: "agreement": "same program",
  // JSON-NEXT: "gradientError": 0.00{{[0-9]+}}
  func.func @forward_same(%x: f32, %a: f32) -> f32
      attributes {poly.kernel = {pair = "same", direction = "forward"}} {
    %y = poly.tanh %x replaces %a consent : f32
    return %y : f32
  }
  func.func @backward_same(%x: f32, %a: f32) -> f32
      attributes {poly.kernel = {pair = "same", direction = "backward"}} {
    %y = poly.tanh %x replaces %a consent : f32
    return %y : f32
  }

  // Backward the number may not change, so forward it does not either, unless a
  // budget says how far the derivative may be off: it is exact. Another function
  // of the pair is not concerned.
  // CHECK-LABEL: @forward_apart
  // CHECK-NOT: poly.tanh
  // CHECK: poly.sigmoid {{.*}}program
  // CHECK-NOT: poly.tanh
  // CHECK-LABEL: @backward_apart
  // CHECK-NOT: poly.tanh
  // JSON: "function": "forward_apart"
  // JSON-NEXT: "kind": "tanh"
  // JSON-NEXT: "decision": "missed"
  // JSON-NEXT: "reason": "training pair 'apart': the forward pass evaluates tanh by tanh-tanh32-f32, the backward pass natively"
  // JSON: "agreement": "native"
  // JSON: "function": "forward_apart"
  // JSON-NEXT: "kind": "sigmoid"
  // JSON-NEXT: "decision": "applied"
  // JSON: "function": "backward_apart"
  // JSON: "agreement": "native",
  // JSON-NEXT: "gradientError": 0
  // BUDGET-LABEL: @forward_apart
  // BUDGET: poly.tanh {{.*}}program
  // REMARK: [Missed] tanh | Category:poly-plan | Function=forward_apart | {{.*}}the backward pass natively
  func.func @forward_apart(%x: f32, %a: f32) -> (f32, f32)
      attributes {poly.kernel = {pair = "apart", direction = "forward"}} {
    %y = poly.tanh %x replaces %a consent : f32
    %z = poly.sigmoid %x replaces %a consent : f32
    return %y, %z : f32, f32
  }
  func.func @backward_apart(%x: f32, %a: f32) -> f32
      attributes {poly.kernel = {pair = "apart", direction = "backward"}} {
    %y = poly.tanh %x replaces %a consent {poly.keep} : f32
    return %y : f32
  }

  // A derivative with a program needs a budget that its error meets.
  // CHECK-LABEL: @forward_derivative
  // CHECK-NOT: poly.{{d?}}tanh
  // CHECK-LABEL: @backward_derivative
  // CHECK-NOT: poly.{{d?}}tanh
  // JSON: "function": "backward_derivative"
  // JSON: "reason": "training pair 'derivative': the error of dtanh-{{.*}} against the true derivative meets no budget, as none is given; state one, or name no program"
  // BUDGET-LABEL: @forward_derivative
  // BUDGET: poly.tanh {{.*}}program
  // BUDGET-LABEL: @backward_derivative
  // BUDGET: poly.dtanh {{.*}}program
  func.func @forward_derivative(%x: f32, %a: f32) -> f32
      attributes {poly.kernel = {pair = "derivative", direction = "forward"}} {
    %y = poly.tanh %x replaces %a consent : f32
    return %y : f32
  }
  func.func @backward_derivative(%x: f32, %a: f32) -> f32
      attributes {poly.kernel = {pair = "derivative", direction = "backward"}} {
    %y = poly.dtanh %x replaces %a consent : f32
    return %y : f32
  }

  // What is in no pair is decided alone, and has no such part in its row.
  // CHECK-LABEL: @alone
  // CHECK: poly.tanh {{.*}}program
  // JSON: "function": "alone"
  // JSON-NOT: "training"
  func.func @alone(%x: f32, %a: f32) -> f32
      attributes {poly.kernel = {direction = "backward"}} {
    %y = poly.tanh %x replaces %a consent : f32
    return %y : f32
  }
}
