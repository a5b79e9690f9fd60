//! State of a lowering: variables, frames of functions that are inlined, budgets.
//! In: a validated module of naga. Out: IR with PICA200 arithmetic and the interface. Functions are
//! inlined, what the host computes stays a node of its graph until an operation on lanes needs it.

use std::collections::BTreeMap;

use super::ir::{Lane, Module, Phase, Region, Value as IrValue, verify};
use super::passes::{Scratch, optimize};
use naga::{Arena, Expression, Handle, LocalVariable, Span};
use transpica::isa::Pc;

use super::build::Builder;
use super::data::{Data, Scalar, Shape};
use super::error::{self, Error, Kind, Result};
use super::host::{Graph, Node, NodeId};
use super::interface::{Interface, Layout};
use super::uniforms::Uniforms;
use super::value::{Place, Root, Slot, Value};
use super::{Lowered, Options};

/// Statements and calls inside each other; each costs stack.
pub(super) const DEPTH: usize = 48;
/// Statements and expressions, those of unrolled rounds and inlined calls counted each time.
const STEPS: usize = 100_000;
/// Values of the IR. A program of 4,096 words has far fewer.
const VALUES: usize = 60_000;

/// A function that is being inlined.
pub(super) struct Frame<'a> {
    pub(super) expressions: &'a Arena<Expression>,
    pub(super) values: Vec<Option<Value>>,
    pub(super) arguments: Vec<Value>,
    /// Slots of its variables, by index.
    pub(super) locals: Vec<Slot>,
    /// Its result, and whether it has returned.
    pub(super) result: Slot,
    pub(super) returned: Slot,
    /// Truth values that say that the rest of a block does not run.
    pub(super) flags: Vec<Slot>,
    /// The flags of what `break` and `continue` leave.
    pub(super) breaks: Vec<Slot>,
    pub(super) continues: Vec<Slot>,
    /// Names of `let`s.
    pub(super) names: Option<&'a naga::FastIndexMap<Handle<Expression>, String>>,
    pub(super) variables: Option<&'a Arena<LocalVariable>>,
}

impl<'a> Frame<'a> {
    pub(super) fn new(expressions: &'a Arena<Expression>) -> Self {
        Self {
            expressions,
            values: vec![None; expressions.len()],
            arguments: Vec::new(),
            locals: Vec::new(),
            result: Slot(0),
            returned: Slot(0),
            flags: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            names: None,
            variables: None,
        }
    }
}

/// The innermost loop that stays a loop.
#[derive(Clone)]
pub(super) struct LoopContext {
    pub(super) body: Region,
    /// Depth of frames at its body.
    pub(super) frame: usize,
    pub(super) broke: Slot,
    /// Variables that it changes, and those that only its last round sets.
    pub(super) carried: Vec<Slot>,
    pub(super) last: Vec<Slot>,
    /// A round always leaves it.
    pub(super) ended: bool,
    /// Lane of the variable that counts, the value of aL, its start and step, and the entry of the
    /// interface.
    pub(super) counter: Option<Counter>,
}

#[derive(Clone, Copy)]
pub(super) struct Counter {
    pub(super) lane: Lane,
    pub(super) address: IrValue,
    pub(super) start: i64,
    pub(super) step: i64,
    pub(super) count: usize,
    /// Registers for each round, once an index has decided.
    pub(super) stride: Option<i64>,
}

pub(super) struct Lowering<'a> {
    pub(super) module: &'a naga::Module,
    pub(super) text: &'a str,
    pub(super) options: &'a Options,
    pub(super) b: Builder,
    pub(super) host: Graph,
    pub(super) variables: Vec<Value>,
    /// The first one has the constants of the module.
    pub(super) frames: Vec<Frame<'a>>,
    /// Private variables, by index of the global.
    pub(super) globals: BTreeMap<usize, Root>,
    pub(super) uniforms: Uniforms,
    pub(super) interface: Interface,
    pub(super) materialized: BTreeMap<NodeId, Vec<Lane>>,
    /// Names of the source for nodes of the host.
    pub(super) names: BTreeMap<NodeId, String>,
    /// The lines where nodes of the host come first.
    pub(super) node_lines: BTreeMap<NodeId, usize>,
    pub(super) loops: Vec<LoopContext>,
    pub(super) has_loops: bool,
    /// Whole parts, each with the number that it is the whole part of.
    pub(super) parts: BTreeMap<Lane, Lane>,
    /// Values that statements stored, and their lines.
    pub(super) stored: Vec<(Value, Option<Pc>)>,
    pub(super) span: Span,
    /// Offsets of the lines of the text, and the number of the current one, from 1.
    lines: Vec<usize>,
    line: usize,
    depth: usize,
    steps: usize,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(module: &'a naga::Module, text: &'a str, options: &'a Options) -> Self {
        Self {
            module,
            text,
            options,
            b: Builder::new(),
            host: Graph::default(),
            variables: Vec::new(),
            frames: vec![Frame::new(&module.global_expressions)],
            globals: BTreeMap::new(),
            uniforms: Uniforms::default(),
            interface: Interface::default(),
            materialized: BTreeMap::new(),
            names: BTreeMap::new(),
            node_lines: BTreeMap::new(),
            loops: Vec::new(),
            has_loops: false,
            parts: BTreeMap::new(),
            stored: Vec::new(),
            span: Span::UNDEFINED,
            lines: text
                .split_inclusive('\n')
                .scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())))
                .collect(),
            line: 0,
            depth: 0,
            steps: 0,
        }
    }

    /// Lowers an entry point.
    pub(super) fn entry(mut self, entry: &'a naga::EntryPoint) -> Result<Lowered> {
        self.interface.entry.clone_from(&entry.name);
        self.declare_globals()?;
        let inputs = self.inputs(entry)?;
        let result = self.inline(&entry.function, inputs)?;
        let outputs = self.outputs(entry, result)?;
        self.span = self.entry_span(entry);
        let function = std::mem::replace(&mut self.b, Builder::new()).finish(outputs);
        let mut module = Module { main: function, helpers: Vec::new() };
        let internal = |error: transpica::Error| Error { kind: Kind::Internal(error.to_string()), at: None };
        verify(&module, Phase::Pica).map_err(internal)?;
        let arithmetic = transpica::Options::default().arithmetic;
        optimize::run(&mut module, &arithmetic, &mut Scratch::default());
        // What is dead takes no registers.
        self.allocate(&mut module.main)?;
        verify(&module, Phase::Pica).map_err(internal)?;
        let mut interface = self.interface;
        interface.derived.retain(|derived| !derived.nodes.is_empty());
        let (tables, derived) =
            interface.derived.into_iter().partition(|derived| derived.is_table(&self.host));
        (interface.tables, interface.derived) = (tables, derived);
        interface.host = self.host;
        Ok(Lowered { module, interface, has_loops: self.has_loops })
    }

    pub(super) fn error(&self, kind: Kind) -> Error {
        error::at(kind, self.span, self.text)
    }

    pub(super) fn operation<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(self.error(Kind::Operation(what.into())))
    }

    pub(super) fn limit<T>(&self, subject: &'static str, needed: usize, limit: usize) -> Result<T> {
        Err(self.error(Kind::limit(subject, needed, limit)))
    }

    /// A defect of this package, as an error.
    pub(super) fn internal<T>(&self, message: &str) -> Result<T> {
        Err(self.error(Kind::Internal(message.into())))
    }

    /// Counts a statement or expression and notes its place.
    pub(super) fn step(&mut self, span: Span) -> Result<()> {
        self.begin(span);
        self.count_step()?;
        let values = self.b.f.values.len();
        if values > VALUES { self.limit("values", values, VALUES) } else { Ok(()) }
    }

    /// Begins the values of a place: lines of the source are their addresses.
    pub(super) fn begin(&mut self, span: Span) {
        let Some(range) = span.to_range() else { return };
        self.span = span;
        let line = self.lines.partition_point(|&line| line <= range.start);
        if line != self.line {
            self.line = line;
            self.b.begin_place(u16::try_from(line).ok().filter(|&line| line > 0).map(Pc));
        }
    }

    /// The line where a node of the host comes first.
    pub(super) fn line_of(&self, node: NodeId) -> Option<u32> {
        u32::try_from(*self.node_lines.get(&node)?).ok()
    }

    fn count_step(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps > STEPS { self.limit("steps of lowering", self.steps, STEPS) } else { Ok(()) }
    }

    /// Runs what nests, to a limited depth.
    pub(super) fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEPTH {
            return self.limit("nested statements and calls", self.depth + 1, DEPTH);
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }

    pub(super) fn frame(&mut self) -> &mut Frame<'a> {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// A new variable.
    pub(super) fn variable(&mut self, value: Value) -> Slot {
        self.variables.push(value);
        Slot(self.variables.len() - 1)
    }

    /// A constant of the host.
    pub(super) fn data(&mut self, data: Data) -> Value {
        Value::Host(self.host.data(data))
    }

    pub(super) fn truth(&mut self, value: bool) -> Value {
        self.data(Data::bool(value))
    }

    /// The truth value of a value that is a constant.
    pub(super) fn known_truth(&self, value: &Value) -> Option<bool> {
        match value {
            Value::Host(id) => self.host.constant(*id)?.truth(),
            Value::Lanes(..) | Value::Many(_) | Value::Pointer(_) => None,
        }
    }

    /// Adds a node of the host.
    pub(super) fn node(&mut self, node: Node, shape: Shape) -> Result<Value> {
        // A step may copy a whole array.
        self.count_step()?;
        // What the message says if the subset lacks it.
        let what = format!("{node:?}").chars().take_while(|letter| *letter != ',').collect::<String>();
        match self.host.add(node, shape) {
            Some(id) => {
                if self.line > 0 {
                    self.node_lines.entry(id).or_insert(self.line);
                }
                Ok(Value::Host(id))
            }
            None => self.operation(what.replace('(', " ")),
        }
    }

    /// Shape of a scalar, vector or matrix.
    pub(super) fn shape(&self, value: &Value) -> Result<Shape> {
        match value {
            Value::Host(id) => Ok(self.host.shape(*id)),
            Value::Lanes(shape, _) => Ok(*shape),
            Value::Many(_) | Value::Pointer(_) => {
                self.operation("an operation on a struct, array or pointer")
            }
        }
    }

    /// The nodes of values that the host computes, or `None` if it does not compute them all.
    pub(super) fn nodes<'v>(&self, values: impl IntoIterator<Item = &'v Value>) -> Option<Vec<NodeId>> {
        let node = |value: &Value| if let Value::Host(id) = value { Some(*id) } else { None };
        values.into_iter().map(node).collect()
    }

    /// Zero of a type.
    pub(super) fn zero(&mut self, ty: Handle<naga::Type>) -> Result<Value> {
        let layout = super::uniforms::layout(self.module, ty).map_err(|kind| self.error(kind))?;
        self.zero_of(&layout)
    }

    fn zero_of(&mut self, layout: &Layout) -> Result<Value> {
        match layout {
            Layout::Leaf(shape) => {
                self.count_step()?;
                Ok(self.data(Data::splat(*shape, 0)))
            }
            Layout::Struct(members) => Value::many(members.iter().map(|(_, member)| self.zero_of(member))),
            Layout::Array(_, count @ 1025..) => self.limit("elements of a local array", *count, 1024),
            Layout::Array(element, count) => {
                let element = self.zero_of(element)?;
                Ok(Value::Many(vec![element; *count].into()))
            }
        }
    }

    /// The place of a variable of the current function.
    pub(super) fn local(&mut self, local: Handle<LocalVariable>) -> Result<Value> {
        match self.frame().locals.get(local.index()) {
            Some(&slot) => Ok(Value::Pointer(Place { root: Root::Variable(slot), path: Vec::new() }.into())),
            None => self.internal("a variable without slot"),
        }
    }

    /// A scalar bool that is not a constant, as a value of one lane.
    pub(super) fn condition(&mut self, value: &Value) -> Result<IrValue> {
        let (shape, lanes) = self.lanes(value)?;
        match (shape == Shape::scalar(Scalar::Bool), lanes.first()) {
            (true, Some(&lane)) => Ok(self.b.gather(&[lane])),
            _other => self.internal("a condition that is no truth value"),
        }
    }
}
