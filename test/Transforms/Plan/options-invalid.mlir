// RUN: not poly-opt %s --poly-plan=chip=sm_42 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not poly-opt %s --poly-plan=policy=maybe 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not poly-opt %s --poly-plan=budget=ulps=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not poly-opt %s --poly-plan=budget=atol=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not poly-opt %s --poly-plan=budget=nan 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not poly-opt %s --poly-plan=programs=silu-haif3-bf16x2 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not poly-opt %s --poly-plan="programs=silu-half3-bf16x2 chip=sm_80" 2>&1 | FileCheck %s --check-prefix=SM
// RUN: not poly-opt %s --poly-plan=programs=%t-none.json 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: echo '[{"name": "bad", "function": "silu", "form": "half", "format": "bf16", "clamp": 4.0, "coefficients": [0.25, "nan"], "provenance": "none"}]' > %t-nan.json
// RUN: not poly-opt %s --poly-plan=programs=%t-nan.json 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not poly-opt %s --poly-plan=report=%t-missing/report.json 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not poly-opt %s --poly-plan=speed=11 2>&1 | FileCheck %s --check-prefix=OPTION

// CHIP: options-invalid.mlir:{{.*}}: error: unknown chip 'sm_42'; known chips are sm_70, {{.*}}sm_90
// POLICY: error: unknown policy 'maybe'; use strict, opt-in or off
// ZERO: error: bad budget 'ulps=0'
// NEGATIVE: error: bad budget 'atol=-1'
// SYNTAX: error: bad budget 'nan'
// NAME: error: unknown program 'silu-haif3-bf16x2'; did you mean 'silu-half3-bf16x2'?
// SM: error: program 'silu-half3-bf16x2' needs sm_86 or later, but the chip is sm_80
// NOFILE: error: cannot read the program file '{{.*}}-none.json'
// NAN: error: {{.*}}-nan.json: {{.*}}bad{{.*}}coefficient
// REPORT: error: cannot write the report '{{.*}}-missing/report.json'
// OPTION: no such option speed

gpu.module @m {
}
