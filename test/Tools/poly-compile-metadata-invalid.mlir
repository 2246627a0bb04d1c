// Neither file appears after a mistake, and metadata never without its code.
// RUN: rm -rf %t.ptx %t.json %t.d && mkdir %t.d
// RUN: not poly-compile %s -o %t.ptx --metadata=%t.ptx 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not poly-compile %s -o %t.ptx --report=%t.json --metadata=%t.json 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not poly-compile %s -o %t.mlir --metadata=%t.json 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: not poly-compile %s -o %t.ptx --metadata=%t-no-folder/x.json 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not poly-compile %s -o %t-no-folder/x.ptx --metadata=%t.json 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not poly-compile %s -o %t.ptx --metadata=%t.d 2>&1 | FileCheck %s --check-prefix=ISFOLDER
// RUN: not ls %t.ptx
// RUN: not ls %t.json
// RUN: echo 'gpu.module @m { gpu.func @k() kernel attributes {poly.kernel = "x"} { gpu.return } }' > %t-bad.mlir
// RUN: not poly-compile %t-bad.mlir -o %t.ptx --metadata=%t.json 2>&1 | FileCheck %s --check-prefix=KERNEL

// SAME: error: --metadata names the same file as -o
// REPORT: error: --metadata names the same file as --report
// CODE: error: --metadata describes compiled code; name the output *.ptx or *.cubin
// FOLDER: error: cannot write '{{.*}}-no-folder/x.json'
// OUTPUT: error: cannot write '{{.*}}-no-folder/x.ptx'
// ISFOLDER: error: cannot write '{{.*}}.d'
// KERNEL: -bad.mlir:1:{{[0-9]+}}: error: {{.*}}attribute 'poly.kernel' must be a dictionary on a function
gpu.module @m {
  gpu.func @k(%x: !llvm.ptr<1>) kernel {
    gpu.return
  }
}
