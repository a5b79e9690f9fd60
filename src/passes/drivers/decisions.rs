//! Decisions of which a driver may know the outcome while it compiles.
//! In: a function of the `Pica` stage. Out: the constructs and operations that could be decided.
//! Changes nothing.
//!
//! A driver replaces specialization constants and unrolls loops, and then knows what depends on
//! them, but no float: each constant one that goes into a parameter is hidden. Any condition it
//! knows inside an arm, and after one that leaves, if it is that of the arm:
//!
//! ```text
//! %3 = select %2 0 %1 ; if %2 { %4 = mulp %3 %0 .. }      =>      %3 is 0 there
//! ```

use crate::ir::{Binary, Func, Lane, Node, NodeData, Op, Resource, Unary, Value};
use crate::support::entity::Handle;

/// Number of copies that one question follows.
const FUEL: u32 = 16;
/// Number of parts of one condition.
const PARTS: usize = 8;

/// A part of a condition in a form that equal ones share: the lane that it copies, or the two that
/// it compares in any way, by ascending number.
type Part = [u64; 2];

/// Decisions of one function.
pub(super) struct Decisions {
    /// Set if code is copied or specialized.
    copies: bool,
    /// The parts of the conditions of constructs, ascending.
    parts: Vec<Part>,
    /// By construct: whether a driver may know which exit it takes.
    is_known: Vec<bool>,
}

impl Decisions {
    /// Finds them. Empty if no driver knows any.
    pub fn new(f: &Func) -> Option<Self> {
        let is_specialized = || f.reads().any(|(_, read)| matches!(read, Resource::Specialized(_)));
        let copies = f.nodes.values().iter().any(NodeData::is_loop) || is_specialized();
        let mut parts = Vec::new();
        let mut is_known = vec![false; f.nodes.len()];
        for (node, data) in f.nodes.iter() {
            if let Some(decider) = data.decider() {
                for_each_part(f, Lane::new(decider, 0), |part, is_open| {
                    parts.push((part, node));
                    is_known[node.index()] |= copies && !is_open;
                });
            }
        }
        if !copies && parts.is_empty() {
            return None;
        }
        parts.sort_unstable();
        parts.dedup();
        for pair in parts.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            pair.iter().for_each(|(_, node)| is_known[node.index()] = true);
        }
        // Which exit of a loop or block is taken others decide.
        let any = copies || is_known.contains(&true);
        for (node, _) in f.nodes.iter().filter(|(_, data)| data.decider().is_none()) {
            is_known[node.index()] = any;
        }
        Some(Self { copies, parts: parts.into_iter().map(|(part, _)| part).collect(), is_known })
    }

    /// Returns whether a driver may know which of its exits a construct takes.
    pub fn may_know(&self, node: Node) -> bool {
        self.is_known.get(node.index()).is_none_or(|&is| is)
    }

    /// Returns whether a driver may know what an operation chooses.
    pub fn may_choose(&self, f: &Func, op: Op) -> bool {
        use Binary::{MaxP, MinP, SgeP, SltP};
        let mut found = false;
        let has = |part| self.parts.binary_search(&part).is_ok();
        match op {
            Op::Select { cond, .. } => {
                for lane in 0..f.ty(cond).lanes {
                    for_each_part(f, Lane::new(cond, lane), |part, is_open| {
                        found |= self.copies && !is_open || has(part);
                    });
                }
            }
            Op::Binary(MinP | MaxP | SgeP | SltP, a, b) => {
                let lanes = (0..f.ty(a).lanes).map(|lane| [a, b].map(|operand| Lane::new(operand, lane)));
                found = lanes.map(|lanes| compared(f, lanes)).any(has);
            }
            _no_choice => {}
        }
        found
    }
}

/// Visits the parts of a condition, and says of each whether no driver knows it while it compiles,
/// but by an equal one.
fn for_each_part(f: &Func, cond: Lane, mut visit: impl FnMut(Part, bool)) {
    use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual};
    let mut work = [cond; PARTS];
    let (mut next, mut end) = (0, 1);
    while next < end {
        let lane = root(f, work[next]);
        next += 1;
        let at = |value: Value| Lane::new(value, lane.index());
        match f.op(lane.value()) {
            Some(Op::Binary(Binary::And | Binary::Or, a, b)) if end + 2 <= PARTS => {
                work[end..end + 2].copy_from_slice(&[at(a), at(b)]);
                end += 2;
            }
            Some(Op::Binary(Equal | Greater | GreaterEqual | Less | LessEqual, a, b)) => {
                visit(compared(f, [at(a), at(b)]), true);
            }
            // A read, or its legal form.
            Some(Op::Read(Resource::BoolUniform(_)) | Op::Unary(Unary::Not, _)) => {
                visit([number(lane), u64::MAX], true);
            }
            Some(_) | None => visit([number(lane), u64::MAX], false),
        }
    }
}

fn compared(f: &Func, lanes: [Lane; 2]) -> Part {
    let [a, b] = lanes.map(|lane| {
        let lane = root(f, lane);
        match f.op(lane.value()) {
            Some(Op::Const(bits)) => 1 << 40 | u64::from(bits[usize::from(lane.index())]),
            Some(_) | None => number(lane),
        }
    });
    [a.min(b), a.max(b)]
}

fn number(lane: Lane) -> u64 {
    u64::from(lane.value().0) << 2 | u64::from(lane.index())
}

/// The lane that a lane copies or negates.
fn root(f: &Func, mut lane: Lane) -> Lane {
    for _ in 0..FUEL {
        lane = match f.op(lane.value()) {
            Some(Op::Shuffle(lanes)) => lanes[usize::from(lane.index())],
            // Legalization makes a read of a bool the negation of a new value, which would be
            // another root.
            Some(Op::Unary(Unary::Not, a)) if a < lane.value() => Lane::new(a, lane.index()),
            Some(_) | None => break,
        };
    }
    lane
}
