//! Statements that compute the registers.
//! In: an interface whose names are identifiers, a language. Out: lines of a function: copies of
//! declared uniforms, a local for each value that is read more than once, then derived registers,
//! flags and counts. Knows a language as a [`Language`] only.
//!
//! Statements are written twice: the first time each value is a local, and its reads are counted.

use std::collections::BTreeMap;

use naga::{BinaryOperator, MathFunction};

use super::operations::{self, Form, Part, fill, form};
use super::{Names, helpers};
use crate::source::host::{Graph, Node, NodeId, Part as UniformPart};
use crate::source::interface::{Count, Layout, Uniform};
use crate::source::operations::{Operation, texts};
use crate::source::{Interface, Scalar, Shape};

/// Expressions of more letters are locals, so that neither lines nor nesting grow without end.
const LONGEST: usize = 80;

/// The syntax of a language.
pub(super) trait Language {
    /// Index of its text in the tables.
    const INDEX: usize;
    /// The uniforms, up to the name of one.
    const INPUT: &'static str;
    /// Type of a number.
    fn kind(scalar: Scalar) -> &'static str;
    /// A constant.
    fn literal(scalar: Scalar, bits: u32) -> String;
    /// A local of one value, or an array.
    fn local(name: &str, kind: Scalar, values: &[String]) -> String;
    /// A local array that a call fills.
    fn filled(name: &str, kind: Scalar, lanes: usize, call: &str) -> String;
    /// A local as an array.
    fn array(name: &str, is_scalar: bool) -> String;
    /// Opens a loop.
    fn repeat(variable: &str, count: usize) -> String;
    /// Writes a register; `row` is the array with the same lanes, if there is one.
    fn store(register: &str, lanes: &[String; 4], row: Option<&str>) -> String;
    /// Sets a b register if a condition holds.
    fn flag(register: u8, condition: &str) -> String;
    /// Sets an i register.
    fn count(count: &Count, rounds: &str) -> String;
}

/// Writes the statements; `prefix` is that of helpers.
pub(super) fn statements<L: Language>(interface: &Interface, uniforms: &[Uniform], prefix: &str) -> String {
    let nodes = interface.host.nodes();
    let mut reads = Reads::default();
    reads.lanes.extend(nodes.iter().map(|(_, shape)| vec![0; shape.lanes()]));
    reads.arrays.resize(nodes.len(), false);
    let first = Code::<L>::new(interface, uniforms, prefix, None, reads.clone()).write();
    Code::<L>::new(interface, uniforms, prefix, Some(first.reads), reads).write().text
}

/// How often nodes are read.
#[derive(Clone, Default)]
struct Reads {
    lanes: Vec<Vec<usize>>,
    arrays: Vec<bool>,
}

struct Code<'a, L> {
    interface: &'a Interface,
    uniforms: &'a [Uniform],
    /// Reads that were counted, or `None` while they are.
    known: Option<Reads>,
    reads: Reads,
    names: Names,
    /// Names of nodes in the source.
    given: BTreeMap<usize, &'a str>,
    /// Text of each lane of the nodes, and of each node as an array.
    lanes: Vec<Vec<String>>,
    arrays: Vec<String>,
    text: String,
    depth: usize,
    language: std::marker::PhantomData<L>,
}

/// Lanes of a register, and the names of the values in it.
type Row<'a> = ([Option<String>; 4], Vec<&'a str>);

impl<'a, L: Language> Code<'a, L> {
    fn new(
        interface: &'a Interface,
        uniforms: &'a [Uniform],
        prefix: &str,
        known: Option<Reads>,
        reads: Reads,
    ) -> Self {
        let mut names = Names::new();
        names.0.extend(helpers::names().map(|name| format!("{prefix}{name}")));
        let single = interface.derived.iter().filter(|derived| derived.nodes.len() == 1);
        let derived = single.map(|derived| (derived.nodes[0], &derived.name));
        let flags = interface.flags.iter().map(|flag| (flag.node, &flag.name));
        let counts = interface.counts.iter().map(|count| (count.node, &count.name));
        let given = derived.chain(flags).chain(counts).map(|(node, name)| (node.index(), name.as_str()));
        Self {
            interface,
            uniforms,
            known,
            names,
            given: given.collect(),
            lanes: vec![Vec::new(); reads.lanes.len()],
            arrays: vec![String::new(); reads.lanes.len()],
            reads,
            text: String::new(),
            depth: 1,
            language: std::marker::PhantomData,
        }
    }

    fn write(mut self) -> Self {
        let (interface, uniforms) = (self.interface, self.uniforms);
        for uniform in uniforms {
            if let Some(register) = uniform.register {
                let path = format!("{}{}", L::INPUT, uniform.name);
                self.copy(&uniform.layout, &path, register.into(), "");
            }
        }
        let live = live(interface);
        for (index, _) in live.iter().enumerate().filter(|(_, live)| **live) {
            self.node(index);
        }
        self.derived();
        for flag in &interface.flags {
            let condition = self.lane(flag.node, 0);
            self.line(&L::flag(flag.register, &condition));
        }
        for count in &interface.counts {
            let rounds = self.lane(count.node, 0);
            self.line(&L::count(count, &rounds));
        }
        self
    }

    fn line(&mut self, text: &str) {
        for line in text.lines() {
            self.text.push_str(&"    ".repeat(self.depth));
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// Copies a declared uniform; types have a limit of depth.
    fn copy(&mut self, layout: &Layout, path: &str, register: usize, terms: &str) {
        match layout {
            Layout::Leaf(shape) => self.copy_leaf(*shape, path, register, terms),
            Layout::Struct(members) => {
                let mut register = register;
                for (name, member) in members {
                    self.copy(member, &format!("{path}.{name}"), register, terms);
                    register += member.registers();
                }
            }
            Layout::Array(element, count) => {
                let variable = match self.depth {
                    1 => "i".to_owned(),
                    2 => "j".to_owned(),
                    depth => format!("k{}", depth - 2),
                };
                self.line(&L::repeat(&variable, *count));
                let terms = match element.registers() {
                    1 => format!("{terms} + {variable}"),
                    stride => format!("{terms} + {stride} * {variable}"),
                };
                self.depth += 1;
                self.copy(element, &format!("{path}[{variable}]"), register, &terms);
                self.depth -= 1;
                self.line("}");
            }
        }
    }

    fn copy_leaf(&mut self, shape: Shape, path: &str, register: usize, terms: &str) {
        let rows = if shape.is_matrix() { shape.rows } else { 1 };
        for row in 0..rows {
            let (path, lanes) = match shape.is_matrix() {
                true => (format!("{path}[{row}]"), shape.columns),
                false => (path.to_owned(), shape.rows),
            };
            let lane = |lane: usize| match lane {
                _scalar if shape.is_scalar() => path.clone(),
                lane => format!("{path}[{lane}]"),
            };
            let is_row = shape.scalar == Scalar::Float && lanes == 4;
            let values: [String; 4] = std::array::from_fn(|index| match index < usize::from(lanes) {
                true => self.number(shape.scalar, lane(index)),
                false => L::literal(Scalar::Float, 0),
            });
            let register = format!("{}{terms}", register + usize::from(row));
            let register = register.strip_prefix("0 + ").unwrap_or(&register);
            self.line(&L::store(register, &values, is_row.then_some(path.as_str())));
        }
    }

    /// A number as registers hold it.
    fn number(&self, kind: Scalar, text: String) -> String {
        let texts = texts(Operation::Convert(Scalar::Float), kind).unwrap_or_default();
        fill(&texts[L::INDEX], &mut |_| text.clone())
    }

    /// Writes a node: its local, if it needs one.
    fn node(&mut self, index: usize) {
        let graph: &'a Graph = &self.interface.host;
        let (node, shape) = &graph.nodes()[index];
        let mut filled = None;
        let mut lanes: Vec<String> = match node {
            Node::Constant(data) => data.lanes.iter().map(|&bits| L::literal(shape.scalar, bits)).collect(),
            Node::Uniform(part) => self.uniform(index, *part, *shape),
            _operation => match form(graph, node, *shape, L::INDEX) {
                Form::Lanes(all) => all.iter().map(|lane| self.fill(node, lane)).collect(),
                Form::Call(text) => {
                    let name = self.name(index);
                    let call = self.fill(node, &text.replace('%', &name));
                    self.line(&L::filled(&name, shape.scalar, shape.lanes(), &call));
                    filled = Some(name);
                    Vec::new()
                }
            },
        };
        let is_atom = matches!(node, Node::Constant(_) | Node::Uniform(_));
        // A call fills arrays, also of one lane.
        let is_scalar = shape.is_scalar() && filled.is_none();
        if filled.is_none() && self.needs_local(index, &lanes, is_atom) {
            let name = self.name(index);
            self.line(&L::local(&name, shape.scalar, &lanes));
            filled = Some(name);
        }
        if let Some(name) = filled {
            self.arrays[index] = L::array(&name, is_scalar);
            let lane = |lane: usize| if is_scalar { name.clone() } else { format!("{name}[{lane}]") };
            lanes = (0..shape.lanes()).map(lane).collect();
        }
        self.lanes[index] = lanes;
    }

    fn needs_local(&self, index: usize, lanes: &[String], is_atom: bool) -> bool {
        // A vector of the uniforms is an array already.
        let is_array = !self.arrays[index].is_empty();
        let Some(known) = &self.known else { return !is_atom };
        let is_name = |lane: &String| operations::level(lane) == 3 && !lane.contains('(');
        let is_read_again = known.lanes[index].iter().any(|&reads| reads > 1);
        let is_long = lanes.iter().any(|lane| lane.len() > LONGEST);
        let is_simple = is_atom || lanes.iter().all(is_name);
        known.arrays[index] && !is_array || !is_simple && (is_read_again || is_long)
    }

    fn fill(&mut self, node: &Node, template: &str) -> String {
        let operands = node.operands();
        fill(template, &mut |part| match part {
            Part::Lane(operand, lane) => self.lane(operands[operand], lane),
            Part::Array(operand) => {
                self.reads.arrays[operands[operand].index()] = true;
                self.arrays[operands[operand].index()].clone()
            }
        })
    }

    fn lane(&mut self, id: NodeId, lane: usize) -> String {
        self.reads.lanes[id.index()][lane] += 1;
        self.lanes[id.index()][lane].clone()
    }

    /// Lanes of part of a uniform.
    fn uniform(&mut self, index: usize, part: UniformPart, shape: Shape) -> Vec<String> {
        let path = L::INPUT.to_owned() + &path(&self.uniforms[part.uniform], part.offset);
        let rows = usize::from(shape.rows);
        if shape.is_scalar() {
            return vec![path];
        }
        if !shape.is_matrix() {
            self.arrays[index] = L::array(&path, false);
            return (0..rows).map(|lane| format!("{path}[{lane}]")).collect();
        }
        (0..shape.lanes()).map(|lane| format!("{path}[{}][{}]", lane % rows, lane / rows)).collect()
    }

    /// A name for a local: that of the source, or of the operation.
    fn name(&mut self, index: usize) -> String {
        let (node, _) = &self.interface.host.nodes()[index];
        let name = match (self.given.get(&index), node) {
            (Some(&given), _) => given.to_owned(),
            (None, Node::Uniform(part)) => path(&self.uniforms[part.uniform], part.offset),
            (None, Node::Binary(BinaryOperator::Add, ..)) => "sum".to_owned(),
            (None, Node::Binary(BinaryOperator::Subtract, ..)) => "difference".to_owned(),
            (None, Node::Binary(BinaryOperator::Multiply, ..)) => "product".to_owned(),
            (None, Node::Binary(BinaryOperator::Divide, ..)) => "quotient".to_owned(),
            (None, Node::Math(MathFunction::Normalize, _)) => "normal".to_owned(),
            (None, Node::Math(fun, _)) => format!("{fun:?}"),
            (None, Node::Constant(_)) => "constant".to_owned(),
            (None, _) => "value".to_owned(),
        };
        self.names.add(&name)
    }

    /// Writes the derived registers.
    fn derived(&mut self) {
        let interface = self.interface;
        let mut all: BTreeMap<usize, Row<'a>> = BTreeMap::new();
        for derived in &interface.derived {
            let mut register = usize::from(derived.register);
            for &node in &derived.nodes {
                let shape = interface.host.shape(node);
                let rows = usize::from(shape.rows);
                for lane in 0..shape.lanes() {
                    let text = self.lane(node, lane);
                    let (row, column) = match shape.is_matrix() {
                        true => (lane % rows, lane / rows),
                        false => (0, usize::from(derived.lane) + lane),
                    };
                    let (values, names) = all.entry(register + row).or_default();
                    values[column & 3] = Some(self.number(shape.scalar, text));
                    if !names.contains(&derived.name.as_str()) {
                        names.push(&derived.name);
                    }
                }
                register += shape.registers();
            }
        }
        let mut before = Vec::new();
        for (register, (values, names)) in all {
            if names != before {
                self.line(&format!("// {}", names.join(", ")));
                before = names;
            }
            let values = values.map(|value| value.unwrap_or_else(|| L::literal(Scalar::Float, 0)));
            self.line(&L::store(&register.to_string(), &values, None));
        }
    }
}

/// Nodes that registers depend on.
fn live(interface: &Interface) -> Vec<bool> {
    let nodes = interface.host.nodes();
    let mut live = vec![false; nodes.len()];
    let derived = interface.derived.iter().flat_map(|derived| &derived.nodes);
    let flags = interface.flags.iter().map(|flag| &flag.node);
    let counts = interface.counts.iter().map(|count| &count.node);
    derived.chain(flags).chain(counts).for_each(|node| live[node.index()] = true);
    for (index, (node, _)) in nodes.iter().enumerate().rev() {
        if live[index] {
            node.operands().iter().for_each(|operand| live[operand.index()] = true);
        }
    }
    live
}

/// Path of the leaf of a uniform at an offset.
fn path(uniform: &Uniform, offset: usize) -> String {
    let mut path = uniform.name.clone();
    let (mut layout, mut offset) = (&uniform.layout, offset);
    loop {
        match layout {
            Layout::Leaf(_) => return path,
            Layout::Array(element, _) => {
                let stride = element.registers().max(1);
                path.push_str(&format!("[{}]", offset / stride));
                offset %= stride;
                layout = element;
            }
            Layout::Struct(members) => {
                let mut all = members.iter();
                let Some((name, member)) = all.find(|(_, member)| {
                    let is_before = offset >= member.registers();
                    if is_before {
                        offset -= member.registers();
                    }
                    !is_before
                }) else {
                    return path;
                };
                path.push_str(&format!(".{name}"));
                layout = member;
            }
        }
    }
}

/// A list: in one line if it fits, short items in rows of four, else one a line.
pub(super) fn list(open: &str, items: &[String], close: &str) -> String {
    let line = format!("{open}{}{close}", items.join(", "));
    if line.len() <= 96 {
        return line;
    }
    let size = if items.iter().all(|item| item.len() <= 22) { 4 } else { 1 };
    let rows: Vec<String> = items.chunks(size).map(|row| row.join(", ")).collect();
    format!("{}\n    {}\n{}", open.trim_end(), rows.join(",\n    "), close.trim_start())
}
