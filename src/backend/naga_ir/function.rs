//! One naga function as it grows: expressions, the statements around them, and where each IR value is found.
//! In: single expressions and statements from the other files of this folder. Out: `naga::Function`.
//! Must not know what an operation means.
//!
//! naga wants literals, variables and arguments outside every `Emit` and all else inside exactly one; expressions become
//! statements (`let`) only where they are named. So each expression remembers how often it is used and from where, and
//! [`Builder::finish`] names those that are better not written inline.

use std::collections::BTreeMap;

use naga::{Expression, Handle, Literal, Span, Statement};

use super::carry::Carriers;
use super::kernel::Kernel;
use super::types::{Block, value_type, vector_size};
use super::{broken, names};
use crate::error::Result;
use crate::ir::{Def, Func, Hint, Kind, Op, Value};

/// Operations written in one expression without a name.
const INLINE_OPERATIONS: u32 = 8;
/// Links of any kind in one expression without a name. naga's writers recurse on them, and its own parser ends at about 190
/// (gfx-rs/wgpu keeps both limits for untrusted text).
const INLINE_DEPTH: u32 = 48;

/// What naga knows under one handle.
pub(super) type Expr = Handle<Expression>;

/// Where a value is found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    /// Not defined yet.
    Unset,
    /// The expression is the value.
    Whole(Expr),
    /// Lanes of a vector expression, written anew at each use: `r1.xyz` reads better than a name for it.
    Lanes {
        /// The vector.
        base: Expr,
        /// How many lanes the vector has.
        width: u8,
        /// Which lanes; those beyond the value's are 0.
        pattern: [u8; 4],
    },
    /// A scalar expression in every lane of a vector, written anew at each use.
    Splat(Expr),
    /// A literal, written anew at each use.
    Const([u32; 4]),
    /// The negation of a condition, written anew at each use: an `if` rather exchanges its arms.
    Not(Expr),
}

/// What is known of an expression besides what naga stores.
#[derive(Clone, Copy, Debug, Default)]
struct Note {
    /// Uses by expressions and statements.
    uses: u32,
    /// The loop it is evaluated in.
    home: u32,
    /// Whether an `Emit` covers it.
    emitted: bool,
    /// Whether it must have a name.
    named: bool,
    /// Whether it compares integers.
    integers: bool,
    /// Where the value came from, for its name.
    hint: Hint,
    /// Kind of the value, for its name.
    kind: Option<Kind>,
}

/// The tables that all functions of a module share.
pub(super) struct Shared {
    /// The module so far: types, globals, earlier functions.
    pub module: naga::Module,
    /// The uniform block.
    pub block: Block,
    /// The host block, where it is read.
    pub host: Option<Handle<naga::GlobalVariable>>,
    /// Specialisation constants by their id.
    pub specialized: [Option<Handle<naga::Override>>; 32],
    /// naga's handles of the helper functions so far.
    pub helpers: Vec<Handle<naga::Function>>,
}

/// A function that is being built.
pub(super) struct Builder<'a, 'b> {
    /// What all functions share.
    pub shared: &'b mut Shared,
    /// The IR it is built from.
    pub ir: &'a Func,
    /// The function.
    pub out: naga::Function,
    /// Carriers of results and parameters.
    pub carriers: Carriers,
    /// The uniform variable as an expression.
    pub uniforms: Option<Expr>,
    /// The variable of the host block as an expression.
    pub host: Option<Expr>,
    /// The variables of a geometry program.
    pub kernel: Option<Kernel>,
    /// This thread's number, in a compute form that asks for it.
    pub thread: Option<Expr>,
    /// Inputs that are found as expressions.
    pub inputs: [Option<Expr>; 16],
    /// Loads of uniforms that are valid here, by [`BlockMember::place`](super::types::BlockMember).
    pub loads: Vec<Option<Expr>>,
    /// Loads in the order in which they became valid, to take them back.
    pub load_log: Vec<usize>,
    /// The innermost loop; 0 outside of all.
    pub home: u32,
    /// How many constructs are open.
    pub depth: u32,
    /// Number of loops so far.
    pub loops: u32,
    emitter: naga::proc::Emitter,
    open: Vec<naga::Block>,
    slots: Vec<Slot>,
    notes: Vec<Note>,
    names: BTreeMap<usize, String>,
    literals: BTreeMap<(Kind, u32), Expr>,
}

impl<'a, 'b> Builder<'a, 'b> {
    /// An empty function with the literals of `ir` in place.
    pub(super) fn new(shared: &'b mut Shared, ir: &'a Func) -> Self {
        let places = shared.block.places;
        let mut builder = Self {
            ir,
            out: naga::Function::default(),
            carriers: Carriers::default(),
            uniforms: None,
            host: None,
            kernel: None,
            thread: None,
            inputs: [None; 16],
            loads: vec![None; places],
            load_log: Vec::new(),
            home: 0,
            depth: 0,
            loops: 0,
            emitter: naga::proc::Emitter::default(),
            open: vec![naga::Block::new()],
            slots: vec![Slot::Unset; ir.values.len()],
            notes: Vec::new(),
            names: BTreeMap::new(),
            literals: BTreeMap::new(),
            shared,
        };
        if let Some(global) = builder.shared.block.global {
            builder.uniforms = Some(builder.outside(Expression::GlobalVariable(global)));
        }
        if let Some(global) = builder.shared.host {
            builder.host = Some(builder.outside(Expression::GlobalVariable(global)));
        }
        builder.prepare_literals();
        builder
    }

    /// Adds every literal at the start: each one that came later would split an `Emit`.
    fn prepare_literals(&mut self) {
        for data in self.ir.values.values() {
            if let Def::Op(Op::Const(bits)) = data.def {
                for &bits in bits.iter().take(usize::from(data.ty.lanes)) {
                    self.literal(data.ty.kind, bits);
                }
            }
        }
    }

    /// Evaluates an expression here.
    pub(super) fn emit(&mut self, expression: Expression) -> Expr {
        if !self.emitter.is_running() {
            self.emitter.start(&self.out.expressions);
        }
        self.append(expression, true)
    }

    /// Adds an expression that no `Emit` may cover.
    pub(super) fn outside(&mut self, expression: Expression) -> Expr {
        self.flush();
        self.append(expression, false)
    }

    fn append(&mut self, expression: Expression, emitted: bool) -> Expr {
        operands(&expression, |operand| self.used(operand));
        self.notes.push(Note { home: self.home, emitted, ..Note::default() });
        self.out.expressions.append(expression, Span::UNDEFINED)
    }

    /// Counts a use from here. What a loop uses from outside gets a name, else it would be computed in each iteration.
    pub(super) fn used(&mut self, expr: Expr) {
        self.notes[expr.index()].uses += 1;
        let mut source = expr;
        while self.notes[source.index()].home != self.home && self.notes[source.index()].emitted {
            match self.out.expressions[source] {
                Expression::AccessIndex { base, .. } => source = base,
                _ => {
                    self.notes[source.index()].named = true;
                    break;
                }
            }
        }
    }

    /// Asks for a name of its own for an expression that is evaluated here.
    pub(super) fn name(&mut self, expr: Expr, name: String) {
        if self.can_have_name(expr) {
            self.notes[expr.index()].named = true;
            self.names.insert(expr.index(), name);
        }
    }

    /// Whether it is evaluated in a place of its own. naga names results of calls itself, but our WGSL takes ours.
    fn can_have_name(&self, expr: Expr) -> bool {
        self.notes[expr.index()].emitted || matches!(self.out.expressions[expr], Expression::CallResult(_))
    }

    /// Asks for a name for an expression, whichever.
    pub(super) fn keep(&mut self, expr: Expr) {
        self.notes[expr.index()].named = true;
    }

    /// Says where a value came from, in case its expression gets a name.
    pub(super) fn suggest(&mut self, expr: Expr, hint: Hint, kind: Kind) {
        let note = &mut self.notes[expr.index()];
        (note.hint, note.kind) = (hint, Some(kind));
    }

    /// Ends the running `Emit`.
    fn flush(&mut self) {
        if self.emitter.is_running()
            && let Some((statement, span)) = self.emitter.finish(&self.out.expressions)
        {
            self.block().push(statement, span);
        }
    }

    fn block(&mut self) -> &mut naga::Block {
        if self.open.is_empty() {
            self.open.push(naga::Block::new());
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// Adds a statement; its operands must have been counted with [`used`](Self::used).
    pub(super) fn push(&mut self, statement: Statement) {
        self.flush();
        self.block().push(statement, Span::UNDEFINED);
    }

    /// Starts a nested block.
    pub(super) fn begin(&mut self) {
        self.flush();
        self.open.push(naga::Block::new());
    }

    /// Ends the nested block that began last.
    pub(super) fn end(&mut self) -> naga::Block {
        self.flush();
        self.open.pop().unwrap_or_default()
    }

    /// The scalar literal of these bits. A float that is no number comes from a variable: WGSL forbids constant expressions
    /// that make infinities or NaN, and Tint enforces it.
    pub(super) fn literal(&mut self, kind: Kind, bits: u32) -> Expr {
        if let Some(&expr) = self.literals.get(&(kind, bits)) {
            return expr;
        }
        let literal = match kind {
            Kind::F32 if f32::from_bits(bits).is_finite() => Literal::F32(f32::from_bits(bits)),
            Kind::F32 => {
                let expr = self.not_finite(bits);
                self.literals.insert((kind, bits), expr);
                return expr;
            }
            Kind::I32 => Literal::I32(bits as i32),
            Kind::U32 => Literal::U32(bits),
            Kind::Bool => Literal::Bool(bits != 0),
        };
        let expr = self.outside(Expression::Literal(literal));
        self.literals.insert((kind, bits), expr);
        expr
    }

    fn not_finite(&mut self, bits: u32) -> Expr {
        let name = match bits {
            0x7F80_0000 => "infinity",
            0xFF80_0000 => "negative_infinity",
            _ => "not_a_number",
        };
        let ty = value_type(&mut self.shared.module, crate::ir::Type::U32);
        let init = self.literal(Kind::U32, bits);
        let local = naga::LocalVariable { name: Some(format!("{name}_bits")), ty, init: Some(init) };
        let local = self.out.local_variables.append(local, Span::UNDEFINED);
        let pointer = self.outside(Expression::LocalVariable(local));
        let load = self.emit(Expression::Load { pointer });
        self.name(load, format!("{name}_word"));
        let expr = self.emit(Expression::As { expr: load, kind: naga::ScalarKind::Float, convert: None });
        self.name(expr, name.to_owned());
        expr
    }

    /// Says where a value is found.
    pub(super) fn set(&mut self, value: Value, slot: Slot) {
        if let Some(place) = self.slots.get_mut(value.0 as usize) {
            *place = slot;
        }
    }

    /// Where a value is found.
    pub(super) fn slot(&self, value: Value) -> Result<Slot> {
        match self.slots.get(value.0 as usize).copied() {
            Some(Slot::Unset) | None => Err(broken(format!("{value} is used before it is defined"))),
            Some(slot) => Ok(slot),
        }
    }

    /// A value as an expression.
    pub(super) fn operand(&mut self, value: Value) -> Result<Expr> {
        let slot = self.slot(value)?;
        let ty = self.ir.ty(value);
        Ok(match slot {
            Slot::Unset | Slot::Whole(_) if ty.lanes == 0 => {
                return Err(broken(format!("{value} has no lanes")));
            }
            Slot::Unset => return Err(broken(format!("{value} is used before it is defined"))),
            Slot::Whole(expr) => expr,
            Slot::Lanes { base, pattern, .. } => self.lanes(base, pattern, ty.lanes),
            Slot::Splat(value) => match vector_size(ty.lanes) {
                Some(size) => self.emit(Expression::Splat { size, value }),
                None => value,
            },
            Slot::Const(bits) => self.constant(ty, bits),
            Slot::Not(expr) => self.not(expr),
        })
    }

    /// The negation of a condition. Only comparisons of integers have an opposite: NaN compares false either way.
    pub(super) fn not(&mut self, expr: Expr) -> Expr {
        use naga::BinaryOperator as B;
        if let (true, Expression::Binary { op, left, right }) =
            (self.notes[expr.index()].integers, &self.out.expressions[expr])
        {
            let opposite = match op {
                B::Equal => Some(B::NotEqual),
                B::Less => Some(B::GreaterEqual),
                B::Greater => Some(B::LessEqual),
                _ => None,
            };
            if let Some(op) = opposite {
                let (left, right) = (*left, *right);
                return self.emit(Expression::Binary { op, left, right });
            }
        }
        self.emit(Expression::Unary { op: naga::UnaryOperator::LogicalNot, expr })
    }

    /// Notes that an expression compares integers.
    pub(super) fn compares_integers(&mut self, expr: Expr) {
        self.notes[expr.index()].integers = true;
    }

    /// The first `count` lanes of a pattern on a vector expression.
    pub(super) fn lanes(&mut self, base: Expr, pattern: [u8; 4], count: u8) -> Expr {
        const COMPONENTS: [naga::SwizzleComponent; 4] = [
            naga::SwizzleComponent::X,
            naga::SwizzleComponent::Y,
            naga::SwizzleComponent::Z,
            naga::SwizzleComponent::W,
        ];
        match vector_size(count) {
            Some(size) => {
                let pattern = pattern.map(|lane| COMPONENTS[usize::from(lane & 3)]);
                self.emit(Expression::Swizzle { size, vector: base, pattern })
            }
            None => self.emit(Expression::AccessIndex { base, index: u32::from(pattern[0]) }),
        }
    }

    fn constant(&mut self, ty: crate::ir::Type, bits: [u32; 4]) -> Expr {
        let used = &bits[..usize::from(ty.lanes.min(4))];
        let first = self.literal(ty.kind, bits[0]);
        let Some(size) = vector_size(ty.lanes) else { return first };
        if used.iter().all(|&lane| lane == bits[0]) {
            return self.emit(Expression::Splat { size, value: first });
        }
        let components = used.iter().map(|&lane| self.literal(ty.kind, lane)).collect();
        let ty = value_type(&mut self.shared.module, ty);
        self.emit(Expression::Compose { ty, components })
    }

    /// Ends the function: the statements get their block, and the expressions that need one get a name.
    pub(super) fn finish(mut self) -> naga::Function {
        self.flush();
        self.out.body = self.open.drain(..).next().unwrap_or_default();
        let mut weights: Vec<(u32, u32)> = Vec::with_capacity(self.notes.len());
        for (expr, expression) in self.out.expressions.iter() {
            let note = self.notes[expr.index()];
            if !note.emitted {
                weights.push((0, 0));
                if let Expression::CallResult(_) = expression {
                    let name = given_name(&mut self.names, expr, &note);
                    self.out.named_expressions.insert(expr, name);
                }
                continue;
            }
            let (mut operations, mut depth) = (u32::from(is_operation(expression)), 0);
            operands(expression, |operand| {
                let (inner, links) = weights[operand.index()];
                operations += inner;
                depth = depth.max(links + 1);
            });
            let inline = match expression {
                // naga gives every load a `let`, and never one to an access.
                Expression::Load { .. } => note.uses == 0,
                Expression::AccessIndex { .. } | Expression::Access { .. } => true,
                _ => note.uses < 2 && !note.named && operations <= INLINE_OPERATIONS && depth <= INLINE_DEPTH,
            };
            if inline || note.uses == 0 {
                weights.push((operations, depth));
                continue;
            }
            let name = given_name(&mut self.names, expr, &note);
            self.out.named_expressions.insert(expr, name);
            weights.push((0, 0));
        }
        self.out
    }
}

/// The name asked for, or else one that says where the value came from.
fn given_name(names: &mut BTreeMap<usize, String>, expr: Expr, note: &Note) -> String {
    names.remove(&expr.index()).unwrap_or_else(|| names::name(note.hint, note.kind.unwrap_or(Kind::F32)))
}

/// Whether a reader has to think about it: selecting lanes and repeating scalars count for nothing.
const fn is_operation(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Math { .. }
            | Expression::Select { .. }
            | Expression::As { .. }
            | Expression::Compose { .. }
    )
}

/// Calls `visit` for each operand of the kinds of expression that this folder makes.
pub(crate) fn operands(expression: &Expression, mut visit: impl FnMut(Expr)) {
    match *expression {
        Expression::Access { base, index } => {
            visit(base);
            visit(index);
        }
        Expression::AccessIndex { base, .. } => visit(base),
        Expression::Splat { value, .. } => visit(value),
        Expression::Swizzle { vector, .. } => visit(vector),
        Expression::Compose { ref components, .. } => components.iter().copied().for_each(visit),
        Expression::Load { pointer } => visit(pointer),
        Expression::Unary { expr, .. } | Expression::As { expr, .. } => visit(expr),
        Expression::Binary { left, right, .. } => {
            visit(left);
            visit(right);
        }
        Expression::Select { condition, accept, reject } => {
            visit(condition);
            visit(accept);
            visit(reject);
        }
        Expression::Math { arg, arg1, .. } => {
            visit(arg);
            arg1.into_iter().for_each(visit);
        }
        Expression::ArrayLength(array) => visit(array),
        // Not ours, or without operands.
        _ => {}
    }
}
