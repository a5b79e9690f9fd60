//! The readable form of a module.
//! In: a module whose tree is well-formed. Out: text. Knows the words of operations and reads from
//! their tables, and no arithmetic. No recursion.
//! `tools/proof` reads it back: printing, parsing and printing again gives the same text, to the
//! last bit of every float.
//!
//! ```text
//! module   = { func }                                         the last function is the main one, those before are helpers 0, 1, …
//! func     = "func" name [ "(" { def } ")" ] region
//! name     = word | string
//! def      = value [ hint ] ":" type                          a parameter or result
//! value    = "%" number
//! hint     = "@" ( register | "none" ) [ "." components ]     where the value came from: @r0.xyz @o2 @a0 @al @cmp @left1
//! type     = ( "f32" | "i32" | "u32" | "bool" ) [ "x2" | "x3" | "x4" ]
//! region   = "{" { item } [ exit ] "}"                        without an exit it yields nothing
//! item     = def "=" operation
//!          | "if" value region [ "else" region ] results      without "else" the other arm is empty and yields nothing
//!          | "loop" [ "(" { def "=" value } ")" ] region results
//!          | "block" region results
//!          | "switch" value "{" { "case" integer { integer } region } "default" region "}" results
//! results  = [ "->" def { def } ]
//! exit     = ( "yield" | "break" | "continue" ) { value } | "unreachable"
//! operation= "const" literal { literal }                      as many as the type has lanes
//!          | "input" "v"n | "uniform" "c"n [ "[" value "]" ] | "uniform" ( "i"n "." component | "b"n )
//!          | "member" number [ "[" ( number | value ) "]" ]
//!          | ( "host" | "draw" | "specialized" ) number | "load" ( "feed" | "state" ) "[" value "]"
//!          | "shuffle" lane { lane }                          as many as the type has lanes
//!          | "select" value value value
//!          | "call" number "(" { value } ")"                  number of the helper
//!          | "submit" "(" value { value } ")"
//!          | word value [ value ]                             the words stand in `signature.rs`
//! lane     = value "." component
//! literal  = float | "inf" | "-inf" | "0x" bits | integer | "true" | "false"
//! ```
//!
//! Commas are white space, comments run from `;` to the end of the line. Values keep their numbers.

use std::fmt::{self, Write};
use std::sync::Arc;

use super::Module;
use crate::ir::places::Places;
use crate::ir::{
    Def, Exit, Func, Hint, HintRegister, Lane, Node, NodeData, Op, Region, ScalarKind, Step, Type, Value,
    ValueList, Walk,
};
use crate::program::isa::placed::PlacedText;
use crate::support::entity::Handle;

/// Component letters by index.
pub const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Writes a module; values keep their numbers.
pub fn print(module: &Module) -> String {
    write_module(module, |_| None)
}

/// As [`print`] of a well-formed module, with the instructions that each value of the main function
/// belongs to.
pub fn print_placed(module: &Module) -> PlacedText {
    let helpers = module.helpers.iter().fold(String::new(), |out, f| write_function(f, out, None, None));
    let mut trace = Vec::new();
    let text = write_function(&module.main, helpers, None, Some(&mut trace));
    let places = Places::new(&module.main);
    PlacedText::new(text, trace.iter().map(|&(offset, value)| (offset, places.get(value))))
}

/// Writes a module with values numbered in order of definition, so that two modules of the same
/// shape give the same text.
pub fn print_renumbered(module: &Module) -> String {
    write_module(module, |f| Some(definition_order(f)))
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write_function(self, String::new(), None, None))
    }
}

fn write_module(module: &Module, numbers: impl Fn(&Func) -> Option<Vec<u32>>) -> String {
    let functions = module.helpers.iter().map(Arc::as_ref).chain([&module.main]);
    functions.fold(String::new(), |out, f| write_function(f, out, numbers(f), None))
}

/// Places in a text with the values that are evaluated there.
type Trace = Vec<(usize, Value)>;

/// Writes a function after a text.
fn write_function(f: &Func, out: String, numbers: Option<Vec<u32>>, trace: Option<&mut Trace>) -> String {
    let mut printer = Printer { f, out, numbers, depth: 0, trace };
    printer.function().expect("writing to a string never fails");
    printer.out
}

/// The rank of each value among the definitions of a function; values that it does not define come
/// after.
fn definition_order(f: &Func) -> Vec<u32> {
    let mut numbers = vec![u32::MAX; f.values.len()];
    let mut next = 0;
    let mut define = |value: Value| {
        if let Some(number) = numbers.get_mut(value.index()).filter(|number| **number == u32::MAX) {
            *number = next;
            next += 1;
        }
    };
    let list = |list: ValueList| f.pool.get(list.range()).unwrap_or_default().iter().copied();
    list(f.params).for_each(&mut define);
    let mut walk = Walk::new(f);
    while let Some(step) = walk.next(f) {
        match step {
            Step::Let(value) => define(value),
            Step::Enter(node) => {
                if let NodeData::Loop { params, .. } = f.nodes[node] {
                    list(params).for_each(&mut define);
                }
            }
            Step::Leave(node) => list(f.nodes[node].results()).for_each(&mut define),
            Step::Begin(_) | Step::End(_) => {}
        }
    }
    for number in &mut numbers {
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
    }
    numbers
}

struct Printer<'a> {
    f: &'a Func,
    out: String,
    numbers: Option<Vec<u32>>,
    depth: usize,
    /// The evaluated values, each with its place in the text, if that is noted.
    trace: Option<&'a mut Trace>,
}

impl Printer<'_> {
    fn function(&mut self) -> fmt::Result {
        self.out.push_str("func ");
        if is_word(&self.f.name) {
            self.out.push_str(&self.f.name);
        } else {
            write!(self.out, "{:?}", self.f.name)?;
        }
        if self.f.params.len != 0 {
            self.list("(", self.f.params, Self::def)?;
            self.out.push(')');
        }
        self.out.push_str(" {\n");
        self.depth += 1;
        self.body()?;
        self.depth -= 1;
        self.out.push_str("}\n");
        Ok(())
    }

    fn body(&mut self) -> fmt::Result {
        let mut walk = Walk::new(self.f);
        // By open construct: how many of its regions have begun.
        let mut begun = Vec::new();
        while let Some(step) = walk.next(self.f) {
            match step {
                Step::Let(value) => {
                    self.line();
                    if let Some(trace) = &mut self.trace {
                        trace.push((self.out.len(), value));
                    }
                    self.evaluation(value)?;
                }
                Step::Enter(node) => {
                    self.line();
                    self.head(node)?;
                    begun.push(0);
                }
                Step::Begin(region) => {
                    if let (Some(parent), Some(begun)) = (walk.parent(), begun.last_mut()) {
                        self.begin(parent, *begun, region)?;
                        *begun += 1;
                    }
                }
                Step::End(region) => {
                    self.exit(self.f.regions[region].exit)?;
                    let parent = walk.parent().map(|parent| &self.f.nodes[parent]);
                    if let Some(NodeData::Switch { .. }) = parent {
                        self.depth -= 1;
                        self.line();
                        self.out.push_str("}\n");
                    }
                }
                Step::Leave(node) => {
                    begun.pop();
                    self.depth -= 1;
                    self.line();
                    self.out.push('}');
                    self.list(" -> ", self.f.nodes[node].results(), Self::def)?;
                    self.out.push('\n');
                }
            }
        }
        Ok(())
    }

    fn line(&mut self) {
        (0..self.depth).for_each(|_| self.out.push_str("  "));
    }

    fn open(&mut self) {
        self.out.push_str(" {\n");
        self.depth += 1;
    }

    /// The line that a construct begins with.
    fn head(&mut self, node: Node) -> fmt::Result {
        match &self.f.nodes[node] {
            NodeData::If { cond, .. } => self.word("if", &[*cond])?,
            NodeData::Loop { params, inits, .. } => {
                self.out.push_str("loop");
                for index in 0..params.len {
                    self.out.push_str(if index == 0 { " (" } else { ", " });
                    self.def(self.element(*params, index))?;
                    self.out.push_str(" = ");
                    self.value(self.element(*inits, index))?;
                }
                if params.len != 0 {
                    self.out.push(')');
                }
            }
            NodeData::Block { .. } => self.out.push_str("block"),
            NodeData::Switch { selector, .. } => self.word("switch", &[*selector])?,
        }
        self.open();
        Ok(())
    }

    /// The line before region number `index` of a construct, where there is one.
    fn begin(&mut self, parent: Node, index: usize, region: Region) -> fmt::Result {
        match &self.f.nodes[parent] {
            NodeData::If { .. } => {
                let data = &self.f.regions[region];
                if index == 1 && !(data.items.is_empty() && is_empty_yield(data.exit)) {
                    self.depth -= 1;
                    self.line();
                    self.out.push_str("} else");
                    self.open();
                }
            }
            NodeData::Switch { cases, .. } => {
                self.line();
                match cases.get(index) {
                    Some((values, _)) => {
                        self.out.push_str("case");
                        for (index, value) in values.iter().enumerate() {
                            write!(self.out, "{}{value}", if index == 0 { " " } else { ", " })?;
                        }
                    }
                    None => self.out.push_str("default"),
                }
                self.open();
            }
            NodeData::Loop { .. } | NodeData::Block { .. } => {}
        }
        Ok(())
    }

    /// Writes the values of a list, separated by commas, after `before`. Writes nothing for an
    /// empty list.
    fn list(
        &mut self,
        before: &str,
        list: ValueList,
        write: impl Fn(&mut Self, Value) -> fmt::Result,
    ) -> fmt::Result {
        for index in 0..list.len {
            self.out.push_str(if index == 0 { before } else { ", " });
            write(self, self.element(list, index))?;
        }
        Ok(())
    }

    fn exit(&mut self, exit: Exit) -> fmt::Result {
        if is_empty_yield(exit) {
            return Ok(());
        }
        self.line();
        self.out.push_str(match exit {
            Exit::Yield(_) => "yield",
            Exit::Break(_) => "break",
            Exit::Continue(_) => "continue",
            Exit::Unreachable => "unreachable",
        });
        self.list(" ", exit.list(), Self::value)?;
        self.out.push('\n');
        Ok(())
    }

    /// An element of a list; the value that no function has where the list is broken.
    fn element(&self, list: ValueList, index: u32) -> Value {
        let position = list.start as usize + index as usize;
        self.f.pool.get(position).copied().unwrap_or(Value(u32::MAX))
    }

    fn value(&mut self, value: Value) -> fmt::Result {
        let number = self.numbers.as_ref().and_then(|numbers| numbers.get(value.index())).copied();
        write!(self.out, "%{}", number.unwrap_or(value.0))
    }

    fn def(&mut self, value: Value) -> fmt::Result {
        self.value(value)?;
        let Some(data) = self.f.values.get(value) else { return Ok(()) };
        self.hint(data.hint)?;
        write!(self.out, ": {}", data.ty)
    }

    fn hint(&mut self, hint: Hint) -> fmt::Result {
        if hint == Hint::default() {
            return Ok(());
        }
        match hint.register {
            HintRegister::None => self.out.push_str(" @none"),
            HintRegister::Temp(number) => write!(self.out, " @r{number}")?,
            HintRegister::Output(number) => write!(self.out, " @o{number}")?,
            HintRegister::Address => self.out.push_str(" @a0"),
            HintRegister::Counter => self.out.push_str(" @al"),
            HintRegister::Flags => self.out.push_str(" @cmp"),
            HintRegister::Invocation => self.out.push_str(" @invocation"),
            HintRegister::Count => self.out.push_str(" @count"),
            HintRegister::LoopLeft(slot) => write!(self.out, " @left{slot}")?,
            HintRegister::Named(number) => write!(self.out, " @named{number}")?,
        }
        if hint.mask & 0xF != 0 {
            self.out.push('.');
            let components = (0..4).filter(|bit| hint.mask >> bit & 1 != 0);
            self.out.extend(components.map(|bit| COMPONENTS[bit]));
        }
        Ok(())
    }

    fn evaluation(&mut self, value: Value) -> fmt::Result {
        self.def(value)?;
        self.out.push_str(" = ");
        match self.f.values.get(value).map(|data| (data.def, data.ty)) {
            Some((Def::Op(op), ty)) => self.operation(op, ty)?,
            Some((def @ (Def::Param | Def::Result | Def::Dead), _)) => write!(self.out, "{def:?}")?,
            None => self.out.push('?'),
        }
        self.out.push('\n');
        Ok(())
    }

    fn operation(&mut self, op: Op, ty: Type) -> fmt::Result {
        match op {
            Op::Const(bits) => {
                self.out.push_str("const");
                for (index, &bits) in bits.iter().take(usize::from(ty.lanes)).enumerate() {
                    self.out.push_str(if index == 0 { " " } else { ", " });
                    literal(&mut self.out, ty.kind, bits)?;
                }
                Ok(())
            }
            Op::Read(resource) => write!(self.out, "{resource}"),
            Op::ReadAt(array, index) => {
                write!(self.out, "{}[", array.row())?;
                self.value(index)?;
                self.out.push(']');
                Ok(())
            }
            Op::Submit { args } => {
                self.out.push_str("submit(");
                self.list("", args, Self::value)?;
                self.out.push(')');
                Ok(())
            }
            Op::Shuffle(lanes) => self.shuffle(lanes, ty),
            Op::Unary(op, a) => self.word(op.signature().name, &[a]),
            Op::Binary(op, a, b) => self.word(op.signature().name, &[a, b]),
            Op::Select { cond, a, b } => self.word("select", &[cond, a, b]),
            Op::Call { helper, args } => {
                write!(self.out, "call {helper}(")?;
                self.list("", args, Self::value)?;
                self.out.push(')');
                Ok(())
            }
        }
    }

    fn word(&mut self, word: &str, operands: &[Value]) -> fmt::Result {
        self.out.push_str(word);
        for &operand in operands {
            self.out.push(' ');
            self.value(operand)?;
        }
        Ok(())
    }

    fn shuffle(&mut self, lanes: [Lane; 4], ty: Type) -> fmt::Result {
        self.out.push_str("shuffle");
        for lane in lanes.into_iter().take(usize::from(ty.lanes)) {
            self.out.push(' ');
            self.value(lane.value())?;
            self.out.push('.');
            self.out.push(COMPONENTS[usize::from(lane.index())]);
        }
        Ok(())
    }
}

fn literal(out: &mut String, kind: ScalarKind, bits: u32) -> fmt::Result {
    match kind {
        // `{:?}` writes the shortest decimal that reads back as the same float, with a sign for -0.
        ScalarKind::F32 if f32::from_bits(bits).is_nan() => write!(out, "{bits:#010x}"),
        ScalarKind::F32 => write!(out, "{:?}", f32::from_bits(bits)),
        ScalarKind::I32 => write!(out, "{}", bits.cast_signed()),
        ScalarKind::U32 => write!(out, "{bits:#x}"),
        ScalarKind::Bool => match bits {
            0 => write!(out, "false"),
            1 => write!(out, "true"),
            _ => write!(out, "{bits:#x}"),
        },
    }
}

fn is_empty_yield(exit: Exit) -> bool {
    matches!(exit, Exit::Yield(ValueList { len: 0, .. }))
}

/// Returns whether a name needs no quotes.
fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
