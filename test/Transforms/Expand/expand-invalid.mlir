// RUN: poly-opt %s --poly-expand=chip=sm_80 --split-input-file --verify-diagnostics

gpu.module @m {
  gpu.func @newer(%x: vector<2xbf16>) -> vector<2xbf16> {
    // expected-error @+1 {{program 'silu-half3-bf16x2' needs sm_86 or later, but the chip is sm_80}}
    %y = poly.apply <"silu-half3-bf16x2"> %x : vector<2xbf16> to vector<2xbf16>
    gpu.return %y : vector<2xbf16>
  }

  gpu.func @old_enough(%x: vector<2xbf16>) -> vector<2xbf16> {
    %y = poly.apply <"silu-half3-bf16x2-sm80"> %x : vector<2xbf16> to vector<2xbf16>
    gpu.return %y : vector<2xbf16>
  }
}

// -----

func.func @host(%x: vector<2xbf16>) -> vector<2xbf16> {
  // expected-error @+1 {{runs on a GPU, but this is host code; move it into a gpu.module or gpu.launch}}
  %y = poly.apply <"silu-half3-bf16x2-sm80"> %x : vector<2xbf16> to vector<2xbf16>
  return %y : vector<2xbf16>
}
