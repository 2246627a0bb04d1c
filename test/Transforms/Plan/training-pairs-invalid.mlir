// RUN: poly-opt %s --split-input-file --poly-plan --verify-diagnostics

module {
  // expected-error@+1 {{training pair 'x' has no backward function here; compile both in one module, or drop the pair's name}}
  func.func @lonely() attributes {poly.kernel = {pair = "x", direction = "forward"}} {
    return
  }
}

// -----

module {
  // expected-error@+1 {{training pair 'x' has no forward function here}}
  func.func @lonely() attributes {poly.kernel = {pair = "x", direction = "backward"}} {
    return
  }
}

// -----

module {
  // expected-error@+1 {{a training pair needs a name and a direction in poly.kernel: pair = "NAME", direction = "forward" or "backward"}}
  func.func @sideways() attributes {poly.kernel = {pair = "x", direction = "sideways"}} {
    return
  }
}

// -----

module {
  // expected-error@+1 {{a training pair needs a name and a direction}}
  func.func @undirected() attributes {poly.kernel = {pair = "x"}} {
    return
  }
}

// -----

module {
  // expected-error@+1 {{a training pair needs a name and a direction}}
  func.func @number() attributes {poly.kernel = {pair = 3, direction = "forward"}} {
    return
  }
}
