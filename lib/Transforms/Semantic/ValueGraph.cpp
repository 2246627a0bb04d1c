//===- ValueGraph.cpp - Code as a graph of pure nodes ---------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueGraph.h"

#include "../RaisePatterns/InlineAsm.h"

#include "poly/Transforms/DeviceCode.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

namespace mlir::poly {

namespace {

/// Longer chains of operands are cut at a leaf: the bodies of interest have a
/// few dozen nodes, and the walk is recursive.
constexpr unsigned kMaxDepth = 400;
/// Nodes looked at for one result.
constexpr unsigned kMaxBodyNodes = 128;

std::optional<GraphType> getType(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.isScalable())
      return std::nullopt;
    type = vector.getElementType();
  }
  GraphType result;
  if (std::optional<::poly::Format> format = getElementFormat(type)) {
    result.format = format;
    result.width = type.getIntOrFloatBitWidth();
    return result;
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() > 32)
    return std::nullopt;
  result.width = integer.getWidth();
  return result;
}

GraphOp getGraphOp(FloatKind kind) {
  switch (kind) {
  case FloatKind::Add:
    return GraphOp::Add;
  case FloatKind::Sub:
    return GraphOp::Sub;
  case FloatKind::Mul:
    return GraphOp::Mul;
  case FloatKind::Div:
    return GraphOp::Div;
  case FloatKind::Rcp:
    return GraphOp::Rcp;
  case FloatKind::Neg:
    return GraphOp::Neg;
  case FloatKind::Fma:
    return GraphOp::Fma;
  case FloatKind::Exp:
    return GraphOp::Exp;
  case FloatKind::Exp2:
    return GraphOp::Exp2;
  case FloatKind::Exp10:
    return GraphOp::Exp10;
  case FloatKind::ExpM1:
    return GraphOp::ExpM1;
  case FloatKind::Sinh:
    return GraphOp::Sinh;
  case FloatKind::Cosh:
    return GraphOp::Cosh;
  case FloatKind::Tanh:
    return GraphOp::Tanh;
  case FloatKind::Erf:
    return GraphOp::Erf;
  case FloatKind::Erfc:
    return GraphOp::Erfc;
  case FloatKind::NormCdf:
    return GraphOp::NormCdf;
  case FloatKind::Abs:
    return GraphOp::Abs;
  case FloatKind::CopySign:
    return GraphOp::CopySign;
  case FloatKind::Max:
    return GraphOp::Max;
  case FloatKind::Min:
    return GraphOp::Min;
  case FloatKind::Ext:
    return GraphOp::Convert;
  default:
    // Comparisons are nodes of their own here.
    return GraphOp::Leaf;
  }
}

/// The instruction or intrinsic behind \p op, for its modifiers.
/// Roundings to whole numbers, logarithms and roots: steps of library functions
/// that are part of no idiom.
GraphOp getStep(Operation *op) {
  static const llvm::DenseMap<TypeID, GraphOp> table = {
      {TypeID::get<math::RoundEvenOp>(), GraphOp::RoundEven},
      {TypeID::get<math::CeilOp>(), GraphOp::RoundUp},
      {TypeID::get<math::FloorOp>(), GraphOp::RoundDown},
      {TypeID::get<math::TruncOp>(), GraphOp::RoundToZero},
      {TypeID::get<math::Log2Op>(), GraphOp::Log2},
      {TypeID::get<math::SqrtOp>(), GraphOp::Sqrt},
      {TypeID::get<LLVM::RoundEvenOp>(), GraphOp::RoundEven},
      {TypeID::get<LLVM::RintOp>(), GraphOp::RoundEven},
      {TypeID::get<LLVM::NearbyintOp>(), GraphOp::RoundEven},
      {TypeID::get<LLVM::FCeilOp>(), GraphOp::RoundUp},
      {TypeID::get<LLVM::FFloorOp>(), GraphOp::RoundDown},
      {TypeID::get<LLVM::FTruncOp>(), GraphOp::RoundToZero},
      {TypeID::get<LLVM::Log2Op>(), GraphOp::Log2},
      {TypeID::get<LLVM::SqrtOp>(), GraphOp::Sqrt},
      {TypeID::get<arith::FPToSIOp>(), GraphOp::ToInteger},
      {TypeID::get<arith::SIToFPOp>(), GraphOp::FromInteger},
      {TypeID::get<LLVM::FPToSIOp>(), GraphOp::ToInteger},
      {TypeID::get<LLVM::SIToFPOp>(), GraphOp::FromInteger},
  };
  return table.lookup_or(op->getName().getTypeID(), GraphOp::Leaf);
}

StringRef getCalledName(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return call.getIntrin();
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
    return assembly.getAsmString();
  return "";
}

/// What nvvm-reflect answers for "__CUDA_FTZ": a flag of the module.
std::optional<uint32_t> getReflected(LLVM::CallOp call) {
  if (call.getCallee() != StringRef("__nvvm_reflect") ||
      call.getArgOperands().size() != 1)
    return std::nullopt;
  auto address = call.getArgOperands()[0].getDefiningOp<LLVM::AddressOfOp>();
  Operation *symbols = call->getParentOp();
  while (symbols && !isSymbolTable(symbols))
    symbols = symbols->getParentOp();
  if (!address || !symbols)
    return std::nullopt;
  auto global = dyn_cast_or_null<LLVM::GlobalOp>(
      SymbolTable::lookupSymbolIn(symbols, address.getGlobalName()));
  auto name =
      global ? dyn_cast_or_null<StringAttr>(global.getValueOrNull()) : nullptr;
  if (!name || name.getValue().rtrim('\0') != "__CUDA_FTZ")
    return std::nullopt;
  for (Operation &op : symbols->getRegion(0).front())
    if (auto flags = dyn_cast<LLVM::ModuleFlagsOp>(op))
      for (auto flag : flags.getFlags().getAsRange<LLVM::ModuleFlagAttr>())
        if (flag.getKey().getValue() == "nvvm-reflect-ftz")
          if (auto value = dyn_cast<IntegerAttr>(flag.getValue()))
            return static_cast<uint32_t>(value.getInt());
  return 0;
}

/// Which of equal (1), greater (2), less (4) and unordered (8) hold. arith and
/// the LLVM dialect number their predicates alike: from oeq on, three bits of
/// the ordered ones, then the unordered ones, then uno.
template <typename Predicate>
uint8_t getConditions(Predicate predicate) {
  auto number = static_cast<uint8_t>(predicate);
  constexpr uint8_t kOrdered = 7, kUnordered = 14, kTrue = 15;
  if (number <= kOrdered || number == kTrue)
    return number;
  return number == kUnordered ? 8 : 8 | (number - kOrdered);
}

/// arith and LLVM number integer predicates alike.
template <typename OpTy>
uint8_t getIntegerPredicate(OpTy op) {
  return static_cast<uint8_t>(op.getPredicate());
}

} // namespace

//===----------------------------------------------------------------------===//
// Nodes of values
//===----------------------------------------------------------------------===//

unsigned ValueGraph::add(GraphNode node) {
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

unsigned ValueGraph::leaf(Value value) {
  GraphNode node;
  node.value = value;
  if (std::optional<GraphType> type = getType(value.getType()))
    node.type = *type;
  else
    node.type.width = 0;
  return add(node);
}

unsigned ValueGraph::constant(GraphType type, uint32_t bits) {
  GraphNode node;
  node.op = GraphOp::Const;
  node.type = type;
  node.bits = bits & type.mask();
  return add(node);
}

bool ValueGraph::connect(GraphNode &node, ValueRange operands) {
  node.numOperands = operands.size();
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!getType(operand.getType()))
      return false;
    node.operands[i] = get(operand);
  }
  return true;
}

unsigned ValueGraph::get(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  if (depth >= kMaxDepth)
    return leaf(value); // Not remembered: it may be near for another query.
  ++depth;
  unsigned id = 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    id = visitArgument(argument);
  } else {
    Operation *op = value.getDefiningOp();
    std::optional<GraphType> type = getType(value.getType());
    std::optional<GraphNode> node;
    if (type && op->getNumResults() == 1 && op->getNumRegions() == 0) {
      for (auto visit : {&ValueGraph::visitConstant, &ValueGraph::visitFloat,
                         &ValueGraph::visitInteger, &ValueGraph::visitOther})
        if ((node = (this->*visit)(op)))
          break;
    }
    if (node) {
      node->type = *type;
      node->value = value;
      id = add(*node);
    } else {
      id = leaf(value);
    }
  }
  --depth;
  known[value] = id;
  return id;
}

std::optional<GraphNode> ValueGraph::visitConstant(Operation *op) {
  Attribute attr;
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    attr = constantOp.getValue();
  else if (auto constantOp = dyn_cast<LLVM::ConstantOp>(op))
    attr = constantOp.getValue();
  else if (isa<LLVM::ZeroOp>(op))
    attr = Builder(op->getContext()).getI32IntegerAttr(0);
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(attr))
    attr =
        elements.isSplat() ? elements.getSplatValue<Attribute>() : Attribute();
  GraphNode node;
  node.op = GraphOp::Const;
  GraphType type = *getType(op->getResult(0).getType());
  if (auto number = dyn_cast_or_null<FloatAttr>(attr)) {
    if (number.getValue().bitcastToAPInt().getBitWidth() != type.width)
      return std::nullopt;
    node.bits = number.getValue().bitcastToAPInt().getZExtValue();
    return node;
  }
  if (auto number = dyn_cast_or_null<IntegerAttr>(attr)) {
    node.bits = static_cast<uint32_t>(
                    number.getValue().zextOrTrunc(32).getZExtValue()) &
                type.mask();
    return node;
  }
  return std::nullopt;
}

std::optional<GraphNode> ValueGraph::visitFloat(Operation *op) {
  FloatView view = getFloatView(op);
  GraphNode node;
  node.op = getGraphOp(view.kind);
  node.isNumber = view.isNumber;
  StringRef name = getCalledName(op);
  node.flush = name.contains(".ftz");
  if (node.op != GraphOp::Leaf)
    return connect(node, view.getOperands()) ? std::optional(node)
                                             : std::nullopt;
  node.op = getStep(op);
  if (node.op != GraphOp::Leaf)
    return connect(node, op->getOperands()) ? std::optional(node)
                                            : std::nullopt;
  if (isa<arith::TruncFOp, LLVM::FPTruncOp>(op)) {
    auto trunc = dyn_cast<arith::TruncFOp>(op);
    if (trunc && trunc.getRoundingmode())
      return std::nullopt;
    node.op = GraphOp::Convert;
    return connect(node, op->getOperands()) ? std::optional(node)
                                            : std::nullopt;
  }
  if (!isa<LLVM::CallIntrinsicOp>(op))
    return std::nullopt;
  // Steps of libdevice that are no arithmetic of their own elsewhere.
  node.op =
      llvm::StringSwitch<GraphOp>(name)
          .Cases({"llvm.nvvm.round.f", "llvm.nvvm.round.ftz.f"},
                 GraphOp::RoundEven)
          .Cases({"llvm.nvvm.ceil.f", "llvm.nvvm.ceil.ftz.f"}, GraphOp::RoundUp)
          .Cases({"llvm.nvvm.floor.f", "llvm.nvvm.floor.ftz.f"},
                 GraphOp::RoundDown)
          .Cases({"llvm.nvvm.trunc.f", "llvm.nvvm.trunc.ftz.f"},
                 GraphOp::RoundToZero)
          .Cases({"llvm.nvvm.lg2.approx.f", "llvm.nvvm.lg2.approx.ftz.f"},
                 GraphOp::Log2)
          .Cases({"llvm.nvvm.saturate.f", "llvm.nvvm.saturate.ftz.f"},
                 GraphOp::Saturate)
          .Cases({"llvm.nvvm.fma.rm.f", "llvm.nvvm.fma.rm.ftz.f"},
                 GraphOp::FmaDown)
          .Default(GraphOp::Leaf);
  if (node.op == GraphOp::Leaf)
    return std::nullopt;
  return connect(node, op->getOperands()) ? std::optional(node) : std::nullopt;
}

std::optional<GraphNode> ValueGraph::visitInteger(Operation *op) {
  GraphNode node;
  node.op = llvm::StringSwitch<GraphOp>(op->getName().stripDialect())
                .Cases({"add", "addi"}, GraphOp::IAdd)
                .Cases({"sub", "subi"}, GraphOp::ISub)
                .Cases({"mul", "muli"}, GraphOp::IMul)
                .Cases({"and", "andi"}, GraphOp::And)
                .Cases({"or", "ori"}, GraphOp::Or)
                .Cases({"xor", "xori"}, GraphOp::Xor)
                .Cases({"shl", "shli"}, GraphOp::Shl)
                .Cases({"lshr", "shrui"}, GraphOp::LShr)
                .Cases({"ashr", "shrsi"}, GraphOp::AShr)
                .Cases({"zext", "extui"}, GraphOp::ZExt)
                .Cases({"sext", "extsi"}, GraphOp::SExt)
                .Cases({"trunc", "trunci"}, GraphOp::Trunc)
                .Default(GraphOp::Leaf);
  StringRef dialect = op->getName().getDialectNamespace();
  if (node.op == GraphOp::Leaf || (dialect != "llvm" && dialect != "arith"))
    return std::nullopt;
  return connect(node, op->getOperands()) ? std::optional(node) : std::nullopt;
}

std::optional<GraphNode> ValueGraph::visitOther(Operation *op) {
  GraphNode node;
  if (isa<arith::BitcastOp, LLVM::BitcastOp>(op)) {
    // Between types of as many lanes.
    std::optional<GraphType> from = getType(op->getOperand(0).getType());
    std::optional<GraphType> to = getType(op->getResult(0).getType());
    if (!from || !to || from->width != to->width)
      return std::nullopt;
    node.op = GraphOp::Bitcast;
  } else if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    node.op = GraphOp::FCmp;
    node.predicate = getConditions(compare.getPredicate());
  } else if (auto compare = dyn_cast<LLVM::FCmpOp>(op)) {
    node.op = GraphOp::FCmp;
    node.predicate = getConditions(compare.getPredicate());
  } else if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    node.op = GraphOp::ICmp;
    node.predicate = getIntegerPredicate(compare);
  } else if (auto compare = dyn_cast<LLVM::ICmpOp>(op)) {
    node.op = GraphOp::ICmp;
    node.predicate = getIntegerPredicate(compare);
  } else if (isa<arith::SelectOp, LLVM::SelectOp>(op)) {
    node.op = GraphOp::Select;
  } else if (auto call = dyn_cast<LLVM::CallOp>(op)) {
    std::optional<uint32_t> reflected = getReflected(call);
    if (!reflected)
      return std::nullopt;
    node.op = GraphOp::Const;
    node.bits = *reflected;
    return node;
  } else {
    return std::nullopt;
  }
  return connect(node, op->getOperands()) ? std::optional(node) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Control flow as selection
//===----------------------------------------------------------------------===//

namespace {
/// What a block argument is, seen from the end of a block on the way to it.
class PathSelector {
public:
  PathSelector(
      ValueGraph &graph, BlockArgument argument,
      llvm::function_ref<unsigned(unsigned, unsigned, unsigned)> select)
      : graph(graph), argument(argument), select(select) {}

  /// The node of the argument at the end of \p block; nullopt when a path from
  /// there does not lead to it, loops, or branches in an unknown way.
  std::optional<unsigned> atEndOf(Block *block);

private:
  std::optional<unsigned> alongEdge(BranchOpInterface branch, unsigned index);

  ValueGraph &graph;
  BlockArgument argument;
  llvm::function_ref<unsigned(unsigned, unsigned, unsigned)> select;
  /// Absent while a block is being looked at.
  llvm::DenseMap<Block *, std::optional<unsigned>> atEnd;
};
} // namespace

std::optional<unsigned> PathSelector::atEndOf(Block *block) {
  auto [it, isNew] = atEnd.try_emplace(block, std::nullopt);
  if (!isNew)
    return it->second;
  auto branch = dyn_cast<BranchOpInterface>(block->getTerminator());
  if (!branch)
    return std::nullopt;
  std::optional<unsigned> result;
  if (branch->getNumSuccessors() == 1) {
    result = alongEdge(branch, 0);
  } else if (isa<LLVM::CondBrOp, cf::CondBranchOp>(branch)) {
    unsigned condition = graph.get(branch->getOperand(0));
    std::optional<unsigned> ifTrue = alongEdge(branch, 0);
    std::optional<unsigned> ifFalse = alongEdge(branch, 1);
    if (ifTrue && ifFalse)
      result = select(condition, *ifTrue, *ifFalse);
  }
  atEnd[block] = result;
  return result;
}

std::optional<unsigned> PathSelector::alongEdge(BranchOpInterface branch,
                                                unsigned index) {
  Block *successor = branch->getSuccessor(index);
  if (successor != argument.getOwner())
    return atEndOf(successor);
  Value passed = branch.getSuccessorOperands(index)[argument.getArgNumber()];
  if (!passed)
    return std::nullopt;
  return graph.get(passed);
}

unsigned ValueGraph::visitArgument(BlockArgument argument) {
  Block *block = argument.getOwner();
  Operation *parent = block->getParentOp();
  if (block->isEntryBlock() || !parent || !isIsolated(parent) ||
      !getType(argument.getType()))
    return leaf(argument);
  auto *treeNode = dominators.getNode(block);
  if (!treeNode || !treeNode->getIDom())
    return leaf(argument);
  for (Block *predecessor : block->getPredecessors())
    if (dominators.dominates(block, predecessor))
      return leaf(argument); // Carried around a loop.
  GraphType type = *getType(argument.getType());
  auto select = [&](unsigned condition, unsigned ifTrue, unsigned ifFalse) {
    if (ifTrue == ifFalse)
      return ifTrue;
    GraphNode node;
    node.op = GraphOp::Select;
    node.type = type;
    node.numOperands = 3;
    node.operands = {condition, ifTrue, ifFalse};
    return add(node);
  };
  PathSelector selector(*this, argument, select);
  std::optional<unsigned> id =
      selector.atEndOf(treeNode->getIDom()->getBlock());
  if (!id)
    return leaf(argument);
  // The outermost selection is the argument itself.
  if (nodes[*id].op == GraphOp::Select && !nodes[*id].value)
    nodes[*id].value = argument;
  return *id;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

namespace {
/// The nodes that a result depends on, as far as they are looked at.
class Cone {
public:
  Cone(const ValueGraph &graph, unsigned result);

  /// The nodes through which every path from a leaf to the result passes, the
  /// nearest to the result first.
  std::vector<unsigned> chokePoints() const;
  /// The body of the result with \p argument for its argument.
  UnaryBody cut(unsigned argument) const;
  bool contains(unsigned id) const { return members.count(id); }

private:
  struct Member {
    /// The next node towards the result that all paths pass.
    unsigned dominator = 0;
    bool isLeaf = false;
  };

  unsigned meet(unsigned a, unsigned b) const {
    while (a != b)
      (a < b ? a : b) = members.at(a < b ? a : b).dominator;
    return a;
  }

  const ValueGraph &graph;
  unsigned result;
  std::map<unsigned, Member> members;
};
} // namespace

Cone::Cone(const ValueGraph &graph, unsigned result)
    : graph(graph), result(result) {
  members[result].dominator = result;
  // Users have higher numbers than their operands: going downwards, all users
  // of a node are seen before the node. Nodes below the iterator may be added.
  unsigned count = 0;
  for (auto it = members.end(); it != members.begin();) {
    --it;
    auto [id, member] = *it;
    const GraphNode &node = graph.node(id);
    if (node.op == GraphOp::Const)
      continue;
    if (node.op == GraphOp::Leaf || ++count > kMaxBodyNodes) {
      it->second.isLeaf = true;
      continue;
    }
    for (unsigned i = 0; i < node.numOperands; ++i) {
      auto [found, isNew] = members.try_emplace(node.operands[i]);
      found->second.dominator = isNew ? id : meet(found->second.dominator, id);
    }
  }
}

std::vector<unsigned> Cone::chokePoints() const {
  std::optional<unsigned> last;
  for (const auto &[id, member] : members)
    if (member.isLeaf)
      last = last ? meet(*last, id) : id;
  std::vector<unsigned> points;
  if (!last)
    return points;
  for (unsigned id = *last; id != result; id = members.at(id).dominator)
    points.push_back(id);
  std::reverse(points.begin(), points.end());
  return points;
}

UnaryBody Cone::cut(unsigned argument) const {
  UnaryBody body;
  body.argument = graph.node(argument).value;
  body.type = graph.node(argument).type;
  GraphNode input;
  input.type = body.type;
  body.nodes.push_back(input);
  // Only what the result reaches without passing the argument.
  llvm::DenseSet<unsigned> needed = {result};
  for (const auto &[id, member] : llvm::reverse(members)) {
    if (!needed.contains(id) || id == argument || member.isLeaf)
      continue;
    const GraphNode &node = graph.node(id);
    needed.insert(node.operands.begin(),
                  node.operands.begin() + node.numOperands);
  }
  llvm::DenseMap<unsigned, unsigned> renumbered = {{argument, 0}};
  for (const auto &[id, member] : members) {
    if (!needed.contains(id) || id == argument)
      continue;
    GraphNode node = graph.node(id);
    if (member.isLeaf)
      node.op = GraphOp::Leaf;
    for (unsigned i = 0; i < node.numOperands; ++i)
      node.operands[i] = renumbered.lookup(node.operands[i]);
    renumbered[id] = body.nodes.size();
    body.nodes.push_back(node);
  }
  return body;
}

std::vector<UnaryBody> findBodies(ValueGraph &graph, Value result,
                                  unsigned limit) {
  unsigned id = graph.get(result);
  std::vector<UnaryBody> bodies;
  if (graph.node(id).op == GraphOp::Leaf || graph.node(id).value != result)
    return bodies;
  Cone cone(graph, id);
  for (unsigned point : cone.chokePoints()) {
    const GraphNode &node = graph.node(point);
    if (!node.value || !node.type.format || node.type.width == 0)
      continue;
    bodies.push_back(cone.cut(point));
    if (bodies.size() == limit)
      break;
  }
  return bodies;
}

std::optional<UnaryBody> findBody(ValueGraph &graph, Value result,
                                  Value argument) {
  unsigned id = graph.get(result), argumentId = graph.get(argument);
  if (argumentId > id || graph.node(argumentId).type.width == 0)
    return std::nullopt;
  Cone cone(graph, id);
  if (!cone.contains(argumentId))
    return std::nullopt;
  UnaryBody body = cone.cut(argumentId);
  body.argument = argument;
  // Whatever else it depends on is a leaf of the cut, or was cut off.
  for (auto [i, node] : llvm::enumerate(body.nodes))
    if (i != 0 && (node.op == GraphOp::Leaf || node.type.width == 0))
      return std::nullopt;
  return body;
}

std::string UnaryBody::key() const {
  std::string key;
  auto put = [&](uint32_t number) {
    key.append(reinterpret_cast<const char *>(&number), sizeof(number));
  };
  for (const GraphNode &node : nodes) {
    put(static_cast<uint32_t>(node.op) | uint32_t(node.type.width) << 8 |
        uint32_t(node.type.format ? 1 + static_cast<uint32_t>(*node.type.format)
                                  : 0)
            << 16 |
        uint32_t(node.predicate) << 20 | uint32_t(node.flush) << 24 |
        uint32_t(node.isNumber) << 25);
    put(node.bits);
    for (unsigned i = 0; i < node.numOperands; ++i)
      put(node.operands[i]);
  }
  return key;
}

bool UnaryBody::hasConstants(ArrayRef<uint32_t> wanted) const {
  return llvm::all_of(wanted, [&](uint32_t bits) {
    return llvm::any_of(nodes, [&](const GraphNode &node) {
      return node.op == GraphOp::Const && node.bits == bits;
    });
  });
}

} // namespace mlir::poly
