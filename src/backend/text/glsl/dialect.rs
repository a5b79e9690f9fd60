//! What GLSL says in a way of its own: declarations with types, vectors compared by functions,
//! choices, outputs.
//! In: lines and expressions. Out: text. Knows nothing of blocks.

use std::fmt::Write as _;

use super::super::declarations::Declarations;
use super::super::draft::Operand;
use super::super::names::Names;
use super::super::operators::{Level, OnVectors};
use super::super::print::{Body, Closing, Dialect, Holder};
use super::GlslVersion;
use crate::host::Location;
use crate::host::names::is_keyword;
use crate::ir::{Kind, Type};

/// GLSL of a version.
pub(super) struct Glsl {
    pub version: GlslVersion,
    /// Names of attributes, or of the invocation.
    pub inputs: Vec<String>,
    /// Names of outputs.
    pub outputs: Vec<String>,
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

/// Words that the text calls or defines, besides keywords of the targets.
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

pub(super) fn is_reserved(name: &str) -> bool {
    name.starts_with("gl_") || name.starts_with("GL_") || WORDS.contains(&name) || is_keyword(name)
}

impl Glsl {
    /// GLSL whose inputs and outputs have names. Those of varyings are given first, so that nothing
    /// changes them.
    pub(super) fn new(version: GlslVersion, declarations: &Declarations, names: &mut Names<'_>) -> Self {
        let outputs = declarations.ports.iter().map(|port| match port.location {
            Location::ClipDistances => "gl_ClipDistance".to_owned(),
            Location::Position => "gl_Position".to_owned(),
            Location::Varying(_) => names.unique(&port.name),
        });
        let outputs: Vec<String> = outputs.collect();
        let inputs = match outputs.is_empty() {
            true => vec!["gl_GlobalInvocationID".to_owned()],
            false => {
                let attributes = declarations.attributes.iter();
                attributes.map(|attribute| names.unique(&format!("in_{}", attribute.name))).collect()
            }
        };
        let names = ["both", "either", "choose"].map(|name| names.unique(name));
        Self { version, inputs, outputs, names, called: Default::default() }
    }

    /// Notes that a helper is called for vectors of this type, and gives its name.
    fn helper(&mut self, helper: Helper, ty: Type) -> &str {
        self.called[helper as usize] |= bit(ty);
        &self.names[helper as usize]
    }

    /// The definitions of the helpers that are called.
    pub(super) fn helpers(&self) -> String {
        let mut out = String::new();
        for helper in Helper::ALL {
            for kind in [Kind::I32, Kind::U32, Kind::Bool] {
                for lanes in 2..=4 {
                    let ty = Type::new(kind, lanes);
                    if self.called[helper as usize] & bit(ty) != 0 {
                        self.define(&mut out, helper, ty);
                    }
                }
            }
        }
        out
    }

    fn define(&self, out: &mut String, helper: Helper, ty: Type) {
        let (word, name) = (Self::ty(ty), &self.names[helper as usize]);
        let _ = write!(out, "{word} {name}({word} a, {word} b");
        if helper == Helper::Choose {
            let _ = write!(out, ", {} c", Self::ty(ty.with_kind(Kind::Bool)));
        }
        let lanes: Vec<String> = ["x", "y", "z", "w"][..usize::from(ty.lanes)]
            .iter()
            .map(|lane| helper.lane().replace('L', lane))
            .collect();
        let _ = writeln!(out, ") {{\n    return {word}({});\n}}\n", lanes.join(", "));
    }
}

/// The bit of a vector type.
const fn bit(ty: Type) -> u32 {
    1 << (4 * ty.kind as u32 + (ty.lanes as u32 & 3))
}

impl Dialect for Glsl {
    const TYPES: [[&'static str; 4]; 4] = [
        ["float", "vec2", "vec3", "vec4"],
        ["int", "ivec2", "ivec3", "ivec4"],
        ["uint", "uvec2", "uvec3", "uvec4"],
        ["bool", "bvec2", "bvec3", "bvec4"],
    ];
    const CONDITION: [&'static str; 2] = ["(", ")"];
    const LOOP: &'static str = "for (;;) {\n";
    const TYPED_LITERALS: bool = false;
    const COMMA_ENDS: bool = false;
    const LEAST_INT: &'static str = "int(0x80000000u)";
    const ARGUMENT: Level = Level::Choice;
    const CASE_BREAKS: bool = true;
    const LENGTH: &'static str = "uint(outputs.length())";
    const NOT: &'static str = "not";

    fn helper(out: &mut String, name: &str, types: &[Type], names: &[&str], result: Type) {
        let _ = write!(out, "{} {name}(", Self::ty(result));
        for (index, (&ty, name)) in types.iter().zip(names).enumerate() {
            let _ = write!(out, "{}{} {name}", if index == 0 { "" } else { ", " }, Self::ty(ty));
        }
        out.push_str(") {\n");
    }

    fn entry(out: &mut String, _: &Declarations, _: &[String]) {
        out.push_str("void main() {\n");
    }

    fn declaration(body: &mut Body<'_, Self>, holder: Holder) {
        let is_exact = match holder {
            Holder::Value(expr) => body.fact(expr).size.is_exact,
            Holder::Filled(variable) | Holder::Empty(variable) => {
                body.plan.exact_variables[variable as usize]
            }
        };
        if is_exact {
            body.out.push_str(match body.dialect.version {
                GlslVersion::Vulkan450 => "precise ",
                GlslVersion::Core330 | GlslVersion::Es310 => "PRECISE ",
            });
        }
        body.out.push_str(Self::ty(body.held_type(holder)));
        body.out.push(' ');
        body.held(holder);
    }

    fn endless(_: &mut Body<'_, Self>) {}

    fn outputs(body: &mut Body<'_, Self>, values: &[Operand]) {
        if values.is_empty() {
            // Nothing gets here; the position is there for who checks that it is written.
            body.line().push_str("gl_Position = vec4(0.0);\n");
        }
        let declarations = body.declarations;
        for (index, (&value, port)) in values.iter().zip(&declarations.ports).enumerate() {
            let name = body.dialect.outputs[index].clone();
            if port.location == Location::ClipDistances {
                for lane in 0..2 {
                    let _ = write!(body.line(), "{name}[{lane}] = ");
                    body.lane(value, lane);
                    body.out.push_str(";\n");
                }
                continue;
            }
            let _ = write!(body.line(), "{name} = ");
            body.complete(value);
            body.out.push_str(";\n");
        }
    }

    fn switch(body: &mut Body<'_, Self>, selector: Operand, is_single: bool, continues: bool) -> Closing {
        // Some drivers do not take a `switch` with one body (gfx-rs/wgpu#4514).
        if is_single && !continues {
            body.line().push_str("do {\n");
            return Closing::While;
        }
        body.line().push_str("switch (");
        body.operand(selector, Level::Choice);
        body.out.push_str(") {\n");
        Closing::Brace
    }

    fn case(body: &mut Body<'_, Self>, values: &[i32]) {
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                body.out.push('\n');
                body.line();
            }
            let _ = write!(body.out, "case {value}:");
        }
        body.out.push_str(if values.is_empty() { "default: {\n" } else { " {\n" });
    }

    fn bits(out: &mut String, name: &'static str, _: Type) {
        out.push_str(name);
    }

    fn vector_function(body: &mut Body<'_, Self>, by: OnVectors, ty: Type) -> bool {
        let name = match by {
            OnVectors::Operator => return false,
            OnVectors::Function(name) => name,
            OnVectors::Both => body.dialect.helper(Helper::Both, ty),
            OnVectors::Either => body.dialect.helper(Helper::Either, ty),
        };
        body.out.push_str(name);
        true
    }

    fn select(body: &mut Body<'_, Self>, ty: Type, operands: &[Operand], level: Level) {
        let &[condition, accept, reject] = operands else { return };
        if condition.ty.lanes == 1 {
            return body.enclosed(level > Level::Choice, |body| {
                body.operand(condition, Level::Or);
                body.out.push_str(" ? ");
                body.operand(accept, Level::Or);
                body.out.push_str(" : ");
                body.operand(reject, Level::Choice);
            });
        }
        // 330 mixes floats alone.
        let is_mixed = ty.kind == Kind::F32 || body.dialect.version != GlslVersion::Core330;
        let name = if is_mixed { "mix" } else { body.dialect.helper(Helper::Choose, ty) };
        body.out.push_str(name);
        body.arguments(&[reject, accept, condition]);
    }

    fn invocation(body: &mut Body<'_, Self>) {
        body.out.push_str("gl_GlobalInvocationID.x");
    }
}
