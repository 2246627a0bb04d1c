// RUN: poly-opt %s --poly-plan=report=%t.json -o /dev/null
// RUN: %python -c "import json,sys; rows=json.load(open(sys.argv[1])); assert [sorted(r) for r in rows]==[sorted(['function','kind','decision','reason','program','from','to','lanes','error','slots','loc'])]*2, rows; a,b=rows; assert a['decision']=='applied' and a['lanes']==8 and a['slots']['after']<a['slots']['before'] and 0<a['error']['maxAbs']<1e-2 and a['kind']=='sigmoid' and a['from']==a['to']=='bf16' and a['loc'].endswith('report.mlir:13:10'), a; assert b['decision']=='missed' and b['program'] is None and b['error'] is None and 'no consent' in b['reason'] and b['lanes']==1 and b['from']=='f32', b" %t.json
// RUN: poly-opt %s --poly-plan=table=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: poly-opt %s --poly-plan --remarks-filter=poly-plan --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// One row and one remark for each candidate.

gpu.module @m {
  gpu.func @rows(%x: vector<8xbf16>, %v: f32) -> (vector<8xbf16>, f32) {
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %e = math.exp %f fastmath<afn> : vector<8xf32>
    %d = arith.divf %f, %e fastmath<afn> : vector<8xf32>
    %y = poly.sigmoid %f replaces %d fastmath<afn> consent : vector<8xf32>
    %r = arith.truncf %y : vector<8xf32> to vector<8xbf16>
    %t = math.tanh %v : f32
    %w = poly.tanh %v replaces %t : f32
    gpu.return %r, %w : vector<8xbf16>, f32
  }
}

// TABLE: function  kind     decision  program
// TABLE: rows      sigmoid  applied   sigmoid-
// TABLE: rows      tanh     missed    -
// REMARK: report.mlir:13:10: remark: [Passed] sigmoid | Category:poly-plan | Function=rows
// REMARK: report.mlir:16:10: remark: [Missed] tanh | Category:poly-plan | Function=rows | {{.*}}no consent
