gpu.module @kernels {
  gpu.func @silu(%in: memref<?xbf16>, %i: index) kernel {
    %x = vector.load %in[%i] {alignment = 16} : memref<?xbf16>, vector<8xbf16>
    %f = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %n = arith.negf %f fastmath<afn> : vector<8xf32>
    %e = math.exp %n fastmath<afn> : vector<8xf32>
    %d = arith.addf %e, %one fastmath<afn> : vector<8xf32>
    %s = arith.divf %f, %d fastmath<afn> : vector<8xf32>
    %y = arith.truncf %s : vector<8xf32> to vector<8xbf16>
    vector.store %y, %in[%i] {alignment = 16} : memref<?xbf16>, vector<8xbf16>
    gpu.return
  }
}
