module {
gpu.module @corpus {
  func.func @miscounted(%x: f32) -> f32 attributes {corpus.expect = "silu:1"} {
    %t = math.tanh %x : f32
    return %t : f32
  }
  func.func @unmarked(%x: f32) -> f32 {
    return %x : f32
  }
  func.func @unbounded(%x: f32) -> f32 attributes {corpus.expect = "exp:1"} {
    %e = math.exp %x : f32
    %p = poly.exp %x replaces %e {bound = 0.0 : f64} : f32
    return %p : f32
  }
  func.func @unknown_op(%x: f32) -> f32 attributes {corpus.expect = "tanh:1"} {
    %t = math.tanh %x : f32
    %y = math.atan %t : f32
    return %y : f32
  }
}
}
