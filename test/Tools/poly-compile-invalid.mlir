// Every mistake: a message that says what to do, a non-zero exit, no output.
// RUN: rm -f %t.ptx
// RUN: not poly-compile %t-none.mlir -o %t.ptx 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: not poly-compile %s -o %t.exe 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not poly-compile %s -o %t.ptx --chip=sm_1 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not poly-compile %s -o %t.ptx --budget=ulps=-3 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not poly-compile %s -o %t.ptx --budget=atol=1e-30 2>&1 | FileCheck %s --check-prefix=UNMET
// RUN: not poly-compile %s -o %t.ptx --policy=yes 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not poly-compile %s -o %t.ptx --no-such-option 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not poly-compile %s -o %t-no-folder/x.ptx 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not poly-compile %s -o %t.ptx --report=%t-no-folder/r.json 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: echo 'gpu.module @m { gpu.func @k( }' > %t-bad.mlir
// RUN: not poly-compile %t-bad.mlir -o %t.ptx 2>&1 | FileCheck %s --check-prefix=PARSE
// RUN: echo 'func.func @host() { return }' > %t-host.mlir
// RUN: not poly-compile %t-host.mlir -o %t.ptx 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not poly-compile %s -o %t.cubin --ptxas=%t-no-ptxas 2>&1 | FileCheck %s --check-prefix=PTXAS
// RUN: not poly-compile %s -o %t.ptx --features=+ptx60 2>&1 | FileCheck %s --check-prefix=OLDPTX
// RUN: not poly-compile %s -o %t.ptx --features=+foo 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not poly-compile %s -o %t.ptx --report=%t.ptx 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: echo 'module { module { gpu.module @m { } } }' > %t-nested.mlir
// RUN: not poly-compile %t-nested.mlir -o %t.ptx 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not ls %t.ptx %t.cubin

// OLDPTX: error: feature '+ptx60' is too old for sm_90; use +ptx78 or newer
// FEATURE: error: unknown feature '+foo'; use +ptxNN
// SAME: error: -o and --report name the same file
// NESTED: -nested.mlir:1:{{.*}}: error: inside another module

// NOFILE: error: cannot open input file '{{.*}}-none.mlir': No such file or directory
// FORMAT: error: cannot tell the format of '{{.*}}.exe'; name the output *.ptx, *.cubin, *.mlir, *.ll or *.bc
// CHIP: error: unknown chip 'sm_1'; known chips are sm_70
// BUDGET: error: bad budget 'ulps=-3'
// UNMET: poly-compile-invalid.mlir:{{[0-9]+}}:{{[0-9]+}}: error: no program for tanh {{.*}} meets the required accuracy
// POLICY: error: unknown policy 'yes'; use strict, opt-in or off
// OPTION: Unknown command line argument '--no-such-option'
// OUTPUT: error: cannot write '{{.*}}-no-folder/x.ptx'
// REPORT: error: cannot write the report
// PARSE: -bad.mlir:1:{{[0-9]+}}: error:
// HOST: error: the input has no gpu.module, so there is no device code to compile
// PTXAS: error: {{.*}}-no-ptxas
gpu.module @m {
  gpu.func @tanh(%x: memref<?xbf16>) kernel {
    %i = gpu.global_id x
    %v = vector.load %x[%i] {alignment = 4} : memref<?xbf16>, vector<2xbf16>
    %f = arith.extf %v : vector<2xbf16> to vector<2xf32>
    %t = math.tanh %f fastmath<afn> : vector<2xf32>
    %r = arith.truncf %t : vector<2xf32> to vector<2xbf16>
    vector.store %r, %x[%i] {alignment = 4} : memref<?xbf16>, vector<2xbf16>
    gpu.return
  }
}
