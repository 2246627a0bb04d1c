// RUN: poly-opt %s --poly-substitute=budget=atol=1e-2 | FileCheck %s

// The pair stands after the load of its own block, wherever the positions of
// the elements are defined.

module attributes {llvm.target_triple = "nvptx64-nvidia-cuda"} {
  // CHECK-LABEL: llvm.func @loop
  llvm.func @loop(%p: !llvm.ptr, %q: !llvm.ptr, %n: i32) {
    %i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^body(%i0 : i32)
  ^body(%i: i32):
    // CHECK: %[[V:.*]] = llvm.load
    // CHECK: %[[A:.*]] = llvm.extractelement %[[V]][%{{.*}} : i32] : vector<2xbf16>
    // CHECK: %[[B:.*]] = llvm.extractelement %[[V]][%{{.*}} : i32] : vector<2xbf16>
    // CHECK: vector.from_elements %[[A]], %[[B]]
    // CHECK: llvm.store
    %v = llvm.load %p : !llvm.ptr -> vector<2xbf16>
    %f = llvm.fpext %v : vector<2xbf16> to vector<2xf32>
    %a = llvm.extractelement %f[%i0 : i32] : vector<2xf32>
    %b = llvm.extractelement %f[%i1 : i32] : vector<2xf32>
    %one = llvm.mlir.constant(1.0 : f32) : f32
    %na = llvm.fneg %a {fastmathFlags = #llvm.fastmath<fast>} : f32
    %ea = llvm.intr.exp(%na) {fastmathFlags = #llvm.fastmath<fast>} : (f32) -> f32
    %da = llvm.fadd %ea, %one {fastmathFlags = #llvm.fastmath<fast>} : f32
    %sa = llvm.fdiv %one, %da {fastmathFlags = #llvm.fastmath<fast>} : f32
    %ra = llvm.fptrunc %sa : f32 to bf16
    %nb = llvm.fneg %b {fastmathFlags = #llvm.fastmath<fast>} : f32
    %eb = llvm.intr.exp(%nb) {fastmathFlags = #llvm.fastmath<fast>} : (f32) -> f32
    %db = llvm.fadd %eb, %one {fastmathFlags = #llvm.fastmath<fast>} : f32
    %sb = llvm.fdiv %one, %db {fastmathFlags = #llvm.fastmath<fast>} : f32
    %rb = llvm.fptrunc %sb : f32 to bf16
    llvm.store %ra, %q : bf16, !llvm.ptr
    llvm.store %rb, %p : bf16, !llvm.ptr
    %c = llvm.icmp "slt" %i, %n : i32
    llvm.cond_br %c, ^body(%i : i32), ^exit
  ^exit:
    llvm.return
  }
}
