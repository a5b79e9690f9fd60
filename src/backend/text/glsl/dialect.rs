//! What GLSL says in a way of its own: declarations with types, vectors compared by functions, choices, outputs.
//! In: functions and expressions. Out: text. Knows nothing of blocks.

use std::fmt::Write as _;

use naga::{
    BinaryOperator, Expression, Function, Handle, ScalarKind, Statement, SwitchCase, SwitchValue, TypeInner,
    UnaryOperator,
};

use super::super::writer::statements::{Jump, has};
use super::super::writer::{Body, Dialect, Holder, Level, Names, Plan, Writer, foreign};
use super::GlslVersion;
use super::declarations::Ports;
use crate::error::Result;
use crate::host::names::is_keyword;

/// GLSL of a version.
pub(super) struct Glsl {
    pub version: GlslVersion,
    /// Whether arithmetic is to be `precise`.
    is_exact: bool,
    pub ports: Ports,
    /// Names of the helpers.
    names: [String; Helper::ALL.len()],
    /// Which helpers are called, each with a type: bit 4·kind + size.
    called: [u32; Helper::ALL.len()],
}

/// Functions on vectors that GLSL lacks. They work lane by lane.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Helper {
    /// `a && b`
    Both,
    /// `a || b`
    Either,
    /// `c ? b : a`, for what `mix` does not take.
    Choose,
}

impl Helper {
    const ALL: [Self; 3] = [Self::Both, Self::Either, Self::Choose];

    /// What it makes of lane `L`.
    const fn lane(self) -> &'static str {
        match self {
            Self::Both => "a.L && b.L",
            Self::Either => "a.L || b.L",
            Self::Choose => "c.L ? b.L : a.L",
        }
    }
}

/// What the text calls or defines, besides what is a keyword of one of the targets.
const WORDS: [&str; 16] = [
    "PRECISE",
    "VULKAN",
    "equal",
    "exp2",
    "floatBitsToInt",
    "floatBitsToUint",
    "greaterThan",
    "greaterThanEqual",
    "intBitsToFloat",
    "lessThan",
    "lessThanEqual",
    "log2",
    "mix",
    "not",
    "notEqual",
    "uintBitsToFloat",
];

impl Glsl {
    pub(super) fn new(version: GlslVersion, is_exact: bool, ports: Ports, names: &mut Names) -> Self {
        let names = ["both", "either", "choose"].map(|name| names.unique(name));
        Self { version, is_exact, ports, names, called: Default::default() }
    }

    /// The word before what must be computed as written.
    const fn precise(&self) -> &'static str {
        match self.version {
            GlslVersion::Vulkan450 => "precise ",
            GlslVersion::Core330 | GlslVersion::Es310 => "PRECISE ",
        }
    }

    /// Notes that a helper is called for vectors of this type, and gives its name.
    fn helper(&mut self, helper: Helper, size: u8, kind: ScalarKind) -> &str {
        self.called[helper as usize] |= bit(size, kind);
        &self.names[helper as usize]
    }

    /// The definitions of the helpers that are called.
    pub(super) fn helpers(&self) -> String {
        let mut out = String::new();
        for helper in Helper::ALL {
            for kind in [ScalarKind::Sint, ScalarKind::Uint, ScalarKind::Bool] {
                for size in 2..=4 {
                    if self.called[helper as usize] & bit(size, kind) != 0 {
                        self.define(&mut out, helper, size, kind);
                    }
                }
            }
        }
        out
    }

    fn define(&self, out: &mut String, helper: Helper, size: u8, kind: ScalarKind) {
        let (ty, name) = (Self::vector(size, kind), &self.names[helper as usize]);
        let _ = write!(out, "{ty} {name}({ty} a, {ty} b");
        if helper == Helper::Choose {
            let _ = write!(out, ", {} c", Self::vector(size, ScalarKind::Bool));
        }
        let lanes: Vec<String> = ["x", "y", "z", "w"][..usize::from(size)]
            .iter()
            .map(|lane| helper.lane().replace('L', lane))
            .collect();
        let _ = writeln!(out, ") {{\n    return {ty}({});\n}}\n", lanes.join(", "));
    }
}

/// The bit of a vector type.
const fn bit(size: u8, kind: ScalarKind) -> u32 {
    let kind = match kind {
        ScalarKind::Float | ScalarKind::AbstractFloat => 0,
        ScalarKind::Sint | ScalarKind::AbstractInt => 1,
        ScalarKind::Uint => 2,
        ScalarKind::Bool => 3,
    };
    1 << (4 * kind + (size as u32 & 3))
}

/// How a comparison of vectors is called.
const fn comparison(op: BinaryOperator) -> Option<&'static str> {
    Some(match op {
        BinaryOperator::Equal => "equal",
        BinaryOperator::NotEqual => "notEqual",
        BinaryOperator::Less => "lessThan",
        BinaryOperator::LessEqual => "lessThanEqual",
        BinaryOperator::Greater => "greaterThan",
        BinaryOperator::GreaterEqual => "greaterThanEqual",
        _ => return None,
    })
}

/// The function that reads the bits of one type as another; nothing where the constructor does.
const fn bits(from: ScalarKind, to: ScalarKind) -> Option<&'static str> {
    match (from, to) {
        (ScalarKind::Float, ScalarKind::Sint) => Some("floatBitsToInt"),
        (ScalarKind::Float, ScalarKind::Uint) => Some("floatBitsToUint"),
        (ScalarKind::Sint, ScalarKind::Float) => Some("intBitsToFloat"),
        (ScalarKind::Uint, ScalarKind::Float) => Some("uintBitsToFloat"),
        _ => None,
    }
}

impl Dialect for Glsl {
    const NAME: &'static str = "GLSL";
    const CONDITION: [&'static str; 2] = ["(", ")"];
    const LOOP: &'static str = "for (;;) {\n";
    // Drivers index blocks well and copies badly.
    const COPIES_ARRAYS: bool = false;
    const TYPED_LITERALS: bool = false;
    const COMMA_ENDS: bool = false;
    const LEAST_INT: &'static str = "int(0x80000000u)";
    const ARGUMENT: Level = Level::Choice;

    fn is_reserved(name: &str) -> bool {
        name.starts_with("gl_") || name.starts_with("GL_") || WORDS.contains(&name) || is_keyword(name)
    }

    fn scalar(kind: ScalarKind) -> &'static str {
        match kind {
            ScalarKind::Float | ScalarKind::AbstractFloat => "float",
            ScalarKind::Sint | ScalarKind::AbstractInt => "int",
            ScalarKind::Uint => "uint",
            ScalarKind::Bool => "bool",
        }
    }

    fn vector(size: u8, kind: ScalarKind) -> String {
        let letter = match kind {
            ScalarKind::Float | ScalarKind::AbstractFloat => "",
            ScalarKind::Sint | ScalarKind::AbstractInt => "i",
            ScalarKind::Uint => "u",
            ScalarKind::Bool => "b",
        };
        format!("{letter}vec{size}")
    }

    fn array(base: &str, length: Option<u32>) -> String {
        // The outer length stands first.
        let (element, inner) = base.split_at(base.find('[').unwrap_or(base.len()));
        match length {
            Some(length) => format!("{element}[{length}]{inner}"),
            None => format!("{element}[]{inner}"),
        }
    }

    fn marks_exact(&self) -> bool {
        self.is_exact
    }

    fn arguments(&self, function: &Function) -> Option<Vec<String>> {
        let is_entry = function.arguments.first().is_some_and(|argument| argument.binding.is_some());
        is_entry.then(|| self.ports.inputs.clone())
    }

    fn signature(writer: &mut Writer<'_, Self>, function: &Function, name: &str, plan: &Plan) -> Result<()> {
        match function.result.as_ref().filter(|result| !is_struct(writer.module, result.ty)) {
            Some(result) => writer.ty(result.ty)?,
            None => {
                let _ = writeln!(writer.out, "void {name}() {{");
                return Ok(());
            }
        }
        let _ = write!(writer.out, " {name}(");
        for (index, (argument, name)) in function.arguments.iter().zip(&plan.arguments).enumerate() {
            writer.out.push_str(if index == 0 { "" } else { ", " });
            writer.ty(argument.ty)?;
            let _ = write!(writer.out, " {name}");
        }
        writer.out.push_str(") {\n");
        Ok(())
    }

    fn declaration(body: &mut Body<'_, '_, Self>, holder: Holder) -> Result<()> {
        let is_exact = match holder {
            Holder::Value(expr) => body.plan.exact.get(expr.index()) == Some(&true),
            Holder::Filled(local) | Holder::Empty(local) => body.plan.exact_locals[local.index()],
        };
        if is_exact {
            let word = body.writer.dialect.precise();
            body.writer.out.push_str(word);
        }
        match holder {
            Holder::Value(expr) => body.own_type(expr)?,
            Holder::Filled(local) | Holder::Empty(local) => {
                body.writer.ty(body.function.local_variables[local].ty)?;
            }
        }
        let name = body.name(holder)?;
        let _ = write!(body.writer.out, " {name}");
        Ok(())
    }

    fn endless(_: &mut Body<'_, '_, Self>) -> Result<()> {
        Ok(())
    }

    fn outputs(body: &mut Body<'_, '_, Self>, value: Handle<Expression>) -> Result<bool> {
        match body.function.expressions[value] {
            Expression::Compose { ty, ref components } if is_struct(body.writer.module, ty) => {
                for (index, &component) in components.iter().enumerate() {
                    body.output(index, component)?;
                }
                Ok(true)
            }
            Expression::ZeroValue(ty) if is_struct(body.writer.module, ty) => {
                // Nothing gets here; the position is there for who checks that it is written.
                body.line().push_str("gl_Position = vec4(0.0);\n");
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn switch<'a>(
        body: &mut Body<'_, 'a, Self>,
        selector: Handle<Expression>,
        cases: &'a [SwitchCase],
    ) -> Result<()> {
        // Some drivers do not take a `switch` with one body (gfx-rs/wgpu#4514).
        if let [SwitchCase { value: SwitchValue::Default, body: only, .. }] = cases
            && !has(only, Jump::Continue)
        {
            body.line().push_str("do {\n");
            body.inner(only)?;
            body.line().push_str("} while (false);\n");
            return Ok(());
        }
        body.line().push_str("switch (");
        body.expression(selector)?;
        body.writer.out.push_str(") {\n");
        body.indent += 1;
        for case in cases {
            let _ = match case.value {
                SwitchValue::I32(value) => write!(body.line(), "case {value}:"),
                SwitchValue::U32(value) => write!(body.line(), "case {value}u:"),
                SwitchValue::Default => write!(body.line(), "default:"),
            };
            if case.fall_through {
                body.writer.out.push('\n');
                continue;
            }
            body.writer.out.push_str(" {\n");
            body.inner(&case.body)?;
            if !matches!(case.body.last(), Some(Statement::Break | Statement::Continue)) {
                body.line().push_str("    break;\n");
            }
            body.line().push_str("}\n");
        }
        body.indent -= 1;
        body.line().push_str("}\n");
        Ok(())
    }

    #[inline]
    fn own(body: &mut Body<'_, '_, Self>, expr: Handle<Expression>, level: Level) -> Result<bool> {
        match body.function.expressions[expr] {
            Expression::ZeroValue(ty) => {
                body.writer.ty(ty)?;
                body.writer.out.push_str("(0)");
            }
            Expression::As { expr: value, kind, convert } => {
                let from = body.type_of(value).scalar_kind();
                match from.and_then(|from| bits(from, kind)).filter(|_| convert.is_none()) {
                    Some(name) => body.writer.out.push_str(name),
                    None => body.own_type(expr)?,
                }
                body.arguments(&[value])?;
            }
            Expression::Select { condition, accept, reject } => {
                return body.choice(expr, [condition, accept, reject], level).map(|()| true);
            }
            Expression::ArrayLength(array) => {
                body.writer.out.push_str("uint(");
                body.place(array)?;
                body.writer.out.push_str(".length())");
            }
            Expression::Unary { op: UnaryOperator::LogicalNot, expr: value }
                if body.lanes(value).is_some() =>
            {
                body.writer.out.push_str("not");
                body.arguments(&[value])?;
            }
            Expression::Binary { op, left, right } => return body.on_vectors(op, left, right),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Body<'_, '_, Glsl> {
    /// Size and kind of a vector.
    fn lanes(&self, expr: Handle<Expression>) -> Option<(u8, ScalarKind)> {
        match *self.type_of(expr) {
            TypeInner::Vector { size, scalar } => Some((size as u8, scalar.kind)),
            _ => None,
        }
    }

    /// An operation that has no operator for vectors; false if it has one.
    fn on_vectors(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<bool> {
        let Some((size, kind)) = self.lanes(left) else { return Ok(false) };
        match (op, kind) {
            (BinaryOperator::And, ScalarKind::Bool) => self.call_helper(Helper::Both, size, kind),
            (BinaryOperator::InclusiveOr, ScalarKind::Bool) => self.call_helper(Helper::Either, size, kind),
            _ => match comparison(op) {
                Some(name) => self.writer.out.push_str(name),
                None => return Ok(false),
            },
        }
        self.arguments(&[left, right])?;
        Ok(true)
    }

    fn call_helper(&mut self, helper: Helper, size: u8, kind: ScalarKind) {
        let writer = &mut self.writer;
        writer.out.push_str(writer.dialect.helper(helper, size, kind));
    }

    /// One of two values.
    fn choice(
        &mut self,
        expr: Handle<Expression>,
        [condition, accept, reject]: [Handle<Expression>; 3],
        level: Level,
    ) -> Result<()> {
        if self.lanes(condition).is_none() {
            return self.enclosed(level > Level::Choice, |body| {
                body.write(condition, Level::Or)?;
                body.writer.out.push_str(" ? ");
                body.write(accept, Level::Or)?;
                body.writer.out.push_str(" : ");
                body.write(reject, Level::Choice)
            });
        }
        match self.lanes(expr) {
            // 330 mixes floats alone.
            Some((size, kind))
                if kind != ScalarKind::Float && self.writer.dialect.version == GlslVersion::Core330 =>
            {
                self.call_helper(Helper::Choose, size, kind);
            }
            _ => self.writer.out.push_str("mix"),
        }
        self.arguments(&[reject, accept, condition])
    }

    /// Sets the output of a member of the entry's result.
    fn output(&mut self, index: usize, value: Handle<Expression>) -> Result<()> {
        let name = self.writer.dialect.ports.outputs.get(index).cloned();
        let name = name.ok_or_else(|| foreign(Glsl::NAME, "an output"))?;
        if let (Expression::Compose { components, .. }, TypeInner::Array { .. }) =
            (&self.function.expressions[value], self.type_of(value))
        {
            for (index, &component) in components.iter().enumerate() {
                let _ = write!(self.line(), "{name}[{index}] = ");
                self.expression(component)?;
                self.writer.out.push_str(";\n");
            }
            return Ok(());
        }
        let _ = write!(self.line(), "{name} = ");
        self.expression(value)?;
        self.writer.out.push_str(";\n");
        Ok(())
    }
}

fn is_struct(module: &naga::Module, ty: Handle<naga::Type>) -> bool {
    matches!(module.types[ty].inner, TypeInner::Struct { .. })
}
