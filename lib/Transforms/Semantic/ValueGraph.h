//===- ValueGraph.h - Code as a graph of pure nodes ------------*- C++ -*-===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The values of a function as nodes that an interpreter can evaluate. Control
/// flow becomes selection: the value that enters a block from several sides is
/// selected by the conditions of the branches between the block and its
/// immediate dominator. Every node is total, so both sides may be evaluated.
/// What has no node (memory, loops, f64, unknown calls) is a leaf.
///
/// Vectors stand for one of their lanes; ops that tell lanes apart are leaves.
///
//===----------------------------------------------------------------------===//

#ifndef POLY_TRANSFORMS_SEMANTIC_VALUEGRAPH_H
#define POLY_TRANSFORMS_SEMANTIC_VALUEGRAPH_H

#include "../RaisePatterns/FloatView.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <optional>
#include <vector>

namespace mlir::poly {

enum class GraphOp : uint8_t {
  Leaf,
  Const,
  // Float; the format is the node's.
  Add,
  Sub,
  Mul,
  Div,
  Rcp,
  Neg,
  Fma,
  FmaDown, ///< a * b + c rounded towards -Inf.
  Abs,
  CopySign,
  Max,
  Min,
  Saturate, ///< Clamped to [0, 1]; NaN gives +0.
  Exp,
  Exp2,
  Exp10,
  ExpM1,
  Sinh,
  Cosh,
  Tanh,
  Erf,
  Erfc,
  NormCdf,
  Log2,
  Sqrt,
  // To a whole number.
  RoundEven,
  RoundUp,
  RoundDown,
  RoundToZero,
  Convert, ///< From the operand's format, rounded to nearest.
  // To i1.
  FCmp,
  ICmp,
  /// a ? b : c, of any type.
  Select,
  // Integer.
  IAdd,
  ISub,
  IMul,
  And,
  Or,
  Xor,
  Shl,
  LShr,
  AShr,
  ZExt,
  SExt,
  Trunc,
  Bitcast,
  // Between float and signed integer.
  ToInteger,
  FromInteger,
};

/// Type of a node: an integer of some bits, or a float format.
struct GraphType {
  uint8_t width = 32;
  std::optional<::poly::Format> format;

  uint32_t mask() const {
    return width >= 32 ? ~uint32_t(0) : (uint32_t(1) << width) - 1;
  }
  bool operator==(const GraphType &other) const {
    return width == other.width && format == other.format;
  }
};

struct GraphNode {
  GraphOp op = GraphOp::Leaf;
  GraphType type;
  /// Subnormal operands and results count as zeros of their sign.
  bool flush = false;
  /// Max, Min: a NaN operand gives the other one.
  bool isNumber = false;
  /// FCmp: bit 0 true when equal, 1 greater, 2 less, 3 unordered. ICmp: LLVM's
  /// predicate.
  uint8_t predicate = 0;
  uint8_t numOperands = 0;
  std::array<unsigned, 3> operands = {0, 0, 0};
  uint32_t bits = 0; ///< Of a Const.
  Value value;       ///< That the node stands for; null for inner selections.
};

/// Grows as values are asked for. Operands precede their users.
class ValueGraph {
public:
  /// The node of \p value.
  unsigned get(Value value);
  const GraphNode &node(unsigned id) const { return nodes[id]; }

private:
  unsigned add(GraphNode node);
  unsigned leaf(Value value);
  unsigned constant(GraphType type, uint32_t bits);
  unsigned visitArgument(BlockArgument argument);
  std::optional<GraphNode> visitConstant(Operation *op);
  std::optional<GraphNode> visitFloat(Operation *op);
  std::optional<GraphNode> visitInteger(Operation *op);
  std::optional<GraphNode> visitOther(Operation *op);
  /// Fills in the operands of \p node.
  bool connect(GraphNode &node, ValueRange operands);

  DominanceInfo dominators;
  std::vector<GraphNode> nodes;
  llvm::DenseMap<Value, unsigned> known;
  unsigned depth = 0;
};

/// A value as a function of one other value: nodes in order, of which the first
/// is the argument and the last the result.
struct UnaryBody {
  Value argument;
  GraphType type; ///< Of the argument.
  std::vector<GraphNode> nodes;

  /// Equal for bodies that compute the same thing the same way.
  std::string key() const;
  /// Whether every number of \p bits is a constant of the body.
  bool hasConstants(ArrayRef<uint32_t> bits) const;
};

/// The float values that \p result is a function of alone, the nearest first,
/// \p limit at most.
std::vector<UnaryBody> findBodies(ValueGraph &graph, Value result,
                                  unsigned limit);

/// The body of \p result in terms of \p argument, if there is one.
std::optional<UnaryBody> findBody(ValueGraph &graph, Value result,
                                  Value argument);

/// Evaluates \p body on the bit patterns \p arguments.
std::vector<uint32_t> evaluate(const UnaryBody &body,
                               ArrayRef<uint32_t> arguments);

} // namespace mlir::poly

#endif // POLY_TRANSFORMS_SEMANTIC_VALUEGRAPH_H
