// RUN: poly-opt %s --poly-check-access --verify-diagnostics

gpu.module @m {
  gpu.func @narrow(%x: memref<?xbf16>, %o: memref<?xbf16>, %i: index) {
    // expected-warning @+1 {{'vector<8xbf16>' moves 2 bytes at a time: no larger alignment is stated; if the address is a multiple of 16, add alignment = 16}}
    %v = vector.load %x[%i] : memref<?xbf16>, vector<8xbf16>
    // expected-warning @+1 {{moves 8 bytes at a time}}
    vector.store %v, %o[%i] {alignment = 8} : memref<?xbf16>, vector<8xbf16>
    // expected-warning @+1 {{'vector<2xbf16>' moves 2 bytes at a time: no larger alignment is stated; if the address is a multiple of 4, add alignment = 4}}
    %w = vector.load %x[%i] : memref<?xbf16>, vector<2xbf16>
    vector.store %w, %o[%i] {alignment = 4} : memref<?xbf16>, vector<2xbf16>
    gpu.return
  }

  // As wide as the vector allows, scalars, and other element types: silent.
  gpu.func @wide(%x: memref<?xf16>, %y: memref<?xf32>, %o: memref<?xf16>, %i: index) {
    %v = vector.load %x[%i] {alignment = 16} : memref<?xf16>, vector<8xf16>
    vector.store %v, %o[%i] {alignment = 16} : memref<?xf16>, vector<8xf16>
    %w = vector.load %x[%i] : memref<?xf16>, vector<5xf16>
    vector.store %w, %o[%i] : memref<?xf16>, vector<5xf16>
    %s = memref.load %x[%i] : memref<?xf16>
    memref.store %s, %o[%i] : memref<?xf16>
    %f = vector.load %y[%i] : memref<?xf32>, vector<4xf32>
    vector.store %f, %y[%i] : memref<?xf32>, vector<4xf32>
    gpu.return
  }
}

// Host code is not this pass's business.
func.func @host(%x: memref<?xbf16>, %i: index) -> vector<8xbf16> {
  %v = vector.load %x[%i] : memref<?xbf16>, vector<8xbf16>
  return %v : vector<8xbf16>
}
