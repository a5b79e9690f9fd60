//! Graph of what the host computes: expressions of uniforms and constants, each once.
//! In: operations whose operands depend on no attribute. Out: a graph whose nodes come after their
//! operands, from which code of a host can be written, and its values. Constants fold at once.

use std::collections::BTreeMap;

use naga::{BinaryOperator, MathFunction, RelationalFunction, UnaryOperator};

use super::data::{Data, LaneList, Scalar, Shape};
use super::lanes::Component;
use super::math;

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Its index in [`Graph::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Part of a declared uniform: a scalar, vector or matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// Index of the uniform in [`Interface::uniforms`](super::Interface::uniforms).
    pub uniform: usize,
    /// Its first register, counted from the first one of the uniform.
    pub offset: usize,
}

/// Operation of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A constant.
    Constant(Data),
    /// Part of a uniform.
    Uniform(Part),
    /// A one-operand operation.
    Unary(UnaryOperator, NodeId),
    /// A two-operand operation.
    Binary(BinaryOperator, NodeId, NodeId),
    /// A built-in function.
    Math(MathFunction, Vec<NodeId>),
    /// `all` or `any`.
    Relational(RelationalFunction, NodeId),
    /// The second where the first is true, else the third.
    Select(NodeId, NodeId, NodeId),
    /// A conversion by value to the kind of its shape.
    Convert(NodeId),
    /// The lanes of several nodes in order.
    Compose(Vec<NodeId>),
    /// These lanes of a node.
    Lanes(NodeId, Vec<u8>),
}

/// The expressions of a program that depend on uniforms only.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<(Node, Shape)>,
    index: BTreeMap<String, NodeId>,
}

impl Node {
    /// The nodes that it reads.
    pub fn operands(&self) -> Vec<NodeId> {
        match self {
            Self::Constant(_) | Self::Uniform(_) => Vec::new(),
            Self::Unary(_, a) | Self::Relational(_, a) | Self::Convert(a) | Self::Lanes(a, _) => vec![*a],
            Self::Binary(_, a, b) => vec![*a, *b],
            Self::Select(a, b, c) => vec![*a, *b, *c],
            Self::Math(_, all) | Self::Compose(all) => all.clone(),
        }
    }

    /// The same operation of other nodes and another part.
    fn moved(
        mut self,
        node: impl Fn(NodeId) -> Option<NodeId>,
        part: impl Fn(Part) -> Option<Part>,
    ) -> Option<Self> {
        let ids = match &mut self {
            Self::Constant(_) => Vec::new(),
            Self::Uniform(own) => {
                *own = part(*own)?;
                Vec::new()
            }
            Self::Unary(_, a) | Self::Relational(_, a) | Self::Convert(a) | Self::Lanes(a, _) => vec![a],
            Self::Binary(_, a, b) => vec![a, b],
            Self::Select(a, b, c) => vec![a, b, c],
            Self::Math(_, all) | Self::Compose(all) => all.iter_mut().collect(),
        };
        for id in ids {
            *id = node(*id)?;
        }
        Some(self)
    }
}

impl Graph {
    /// All nodes with their shapes; operands come first.
    pub fn nodes(&self) -> &[(Node, Shape)] {
        &self.nodes
    }
    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()].0
    }
    /// Shape of a node.
    pub fn shape(&self, id: NodeId) -> Shape {
        self.nodes[id.index()].1
    }
    /// The value of a node that is a constant.
    pub fn constant(&self, id: NodeId) -> Option<&Data> {
        match self.node(id) {
            Node::Constant(data) => Some(data),
            _other => None,
        }
    }

    /// Adds a constant.
    pub fn data(&mut self, data: Data) -> NodeId {
        let shape = data.shape;
        self.insert(Node::Constant(data), shape)
    }

    /// Adds a node, or returns the equal one. Returns `None` for an operation of constants that the
    /// subset lacks.
    pub fn add(&mut self, node: Node, shape: Shape) -> Option<NodeId> {
        if let Some(same) = self.neutral(&node) {
            return Some(same);
        }
        let node = self.simpler(node);
        if let Node::Lanes(id, lanes) = &node
            && self.shape(*id) == shape
            && lanes.iter().enumerate().all(|(index, &lane)| index == usize::from(lane))
        {
            return Some(*id);
        }
        let operands = node.operands();
        if !operands.is_empty() && operands.iter().all(|&id| self.constant(id).is_some()) {
            let value = evaluate(&node, shape, &mut |id| self.constant(id).cloned(), &mut |_| None)?;
            return Some(self.data(value));
        }
        Some(self.insert(node, shape))
    }

    /// The operand that a logical operation with a constant, or a double negation, gives.
    fn neutral(&self, node: &Node) -> Option<NodeId> {
        let known = |id: NodeId| self.constant(id)?.truth();
        match node {
            &Node::Binary(op @ (BinaryOperator::LogicalOr | BinaryOperator::LogicalAnd), a, b) => {
                let decisive = op == BinaryOperator::LogicalOr;
                match (known(a), known(b)) {
                    (Some(truth), _) => Some(if truth == decisive { a } else { b }),
                    (_, Some(truth)) => Some(if truth == decisive { b } else { a }),
                    (None, None) => None,
                }
            }
            Node::Unary(op, a) => match self.node(*a) {
                Node::Unary(inner, b) if inner == op => Some(*b),
                _other => None,
            },
            _other => None,
        }
    }

    /// Lanes of lanes, and of what collects whole operands, are lanes of the operand.
    fn simpler(&self, node: Node) -> Node {
        let Node::Lanes(mut id, mut lanes) = node else { return node };
        loop {
            match self.node(id) {
                Node::Lanes(inner, picked) => {
                    lanes = lanes.iter().map(|&lane| picked[usize::from(lane)]).collect();
                    id = *inner;
                }
                Node::Compose(parts) => {
                    let mut start = 0;
                    let inside = parts.iter().find_map(|&part| {
                        let end = start + self.shape(part).lanes();
                        let from = start;
                        start = end;
                        let all = lanes.iter().all(|&lane| (from..end).contains(&usize::from(lane)));
                        all.then_some((part, from))
                    });
                    let Some((part, from)) = inside else { return Node::Lanes(id, lanes) };
                    lanes.iter_mut().for_each(|lane| *lane -= u8::try_from(from).unwrap_or(0));
                    id = part;
                }
                _other => return Node::Lanes(id, lanes),
            }
        }
    }

    /// For each node of another graph the same expression of this one, if there is one. `part`
    /// gives parts of uniforms here for those there.
    pub(super) fn same(&self, other: &Self, part: impl Fn(Part) -> Option<Part>) -> Vec<Option<NodeId>> {
        let mut same: Vec<Option<NodeId>> = Vec::with_capacity(other.nodes.len());
        for (node, shape) in &other.nodes {
            let own = node.clone().moved(|id| *same.get(id.index())?, &part);
            same.push(own.and_then(|node| self.index.get(&key(&node, *shape)).copied()));
        }
        same
    }

    fn insert(&mut self, node: Node, shape: Shape) -> NodeId {
        let key = key(&node, shape);
        let next = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let id = *self.index.entry(key).or_insert(next);
        if id == next {
            self.nodes.push((node, shape));
        }
        id
    }

    /// Returns whether each node depends on known parts of uniforms only.
    pub fn known(&self, is_known: impl Fn(Part) -> bool) -> Vec<bool> {
        let mut known: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for (node, _) in &self.nodes {
            known.push(match node {
                Node::Uniform(part) => is_known(*part),
                other => other.operands().iter().all(|id| known.get(id.index()) == Some(&true)),
            });
        }
        known
    }

    /// Values of all nodes for values of the uniforms, or `None` for a part that `uniform` lacks.
    pub fn evaluate<L: Component>(
        &self,
        uniform: &mut dyn FnMut(Part, Shape) -> Option<Data<L>>,
    ) -> Option<Vec<Data<L>>> {
        let mut values: Vec<Data<L>> = Vec::with_capacity(self.nodes.len());
        for (node, shape) in &self.nodes {
            let value = evaluate(node, *shape, &mut |id| values.get(id.index()).cloned(), &mut |part| {
                uniform(part, *shape)
            })?;
            values.push(value);
        }
        Some(values)
    }
}

/// A text that equal nodes share.
fn key(node: &Node, shape: Shape) -> String {
    format!("{node:?} {shape:?}")
}

fn evaluate<L: Component>(
    node: &Node,
    shape: Shape,
    value: &mut dyn FnMut(NodeId) -> Option<Data<L>>,
    uniform: &mut dyn FnMut(Part) -> Option<Data<L>>,
) -> Option<Data<L>> {
    match node {
        Node::Constant(data) => Some(Data::of(data)),
        Node::Uniform(part) => uniform(*part),
        Node::Unary(op, a) => math::unary(*op, &value(*a)?),
        Node::Binary(op, a, b) => math::binary(*op, &value(*a)?, &value(*b)?),
        Node::Math(fun, args) => {
            let args = args.iter().map(|&id| value(id)).collect::<Option<Vec<_>>>()?;
            math::math(*fun, &args.iter().collect::<Vec<_>>())
        }
        Node::Relational(fun, a) => math::relational(*fun, &value(*a)?),
        Node::Select(a, b, c) => math::select(&value(*a)?, &value(*b)?, &value(*c)?),
        Node::Convert(a) => math::convert(&value(*a)?, shape.scalar),
        Node::Compose(parts) => {
            let mut lanes = LaneList::with_capacity(shape.lanes());
            for &part in parts {
                lanes.extend(value(part)?.lanes);
            }
            (lanes.len() == shape.lanes()).then(|| Data::new(shape, lanes))
        }
        Node::Lanes(a, lanes) => Some(value(*a)?.pick(shape, lanes.iter().map(|&lane| lane.into()))),
    }
}

impl Shape {
    /// Returns whether the machine keeps it in float registers.
    pub(super) fn is_numeric(self) -> bool {
        self.scalar != Scalar::Bool
    }
}
