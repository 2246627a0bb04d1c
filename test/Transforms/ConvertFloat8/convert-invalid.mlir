// RUN: poly-opt %s -split-input-file -verify-diagnostics --poly-convert-float8=chip=sm_90
// RUN: not poly-opt %s -split-input-file --poly-convert-float8=chip=sm_80 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not poly-opt %s -split-input-file --poly-convert-float8=chip=sm_1 2>&1 | FileCheck %s --check-prefix=CHIP

// OLD: error: conversions of 8-bit floats need sm_89 or newer, and the chip is sm_80
// CHIP: error: unknown chip 'sm_1'; known chips are

gpu.module @m {
  gpu.func @upward(%x: f32) -> f8E4M3FN {
    // expected-error @+1 {{conversions to 8-bit floats round to nearest even; drop the rounding mode}}
    %y = arith.truncf %x upward : f32 to f8E4M3FN
    gpu.return %y : f8E4M3FN
  }
}
