//! Differences between WGSL and GLSL: a table, and the constructs with different syntax.
//! In: pieces of lines and expressions. Out: text. Knows nothing of blocks and buffers.
//! Facts: the WGSL and GLSL specifications; WGSL's template rule: `a < b` in a list of arguments
//! could begin a template that a later `>` ends.

use std::fmt::Write as _;

use super::draft::Operand;
use super::glsl::GlslVersion;
use super::inline::Marks;
use super::operators::{Level, OnVectors};
use super::print::{Body, Closing, Holder};
use crate::host::names::is_keyword;
use crate::ir::{ScalarKind, Type};

/// A language.
pub struct Dialect {
    /// The version of GLSL; none for WGSL.
    pub glsl: Option<GlslVersion>,
    /// Names of scalar and vector types: a row for each [`ScalarKind`], by number of lanes.
    types: [[&'static str; 4]; 4],
    /// Text around the condition of an `if` and the selector of a `switch`.
    pub condition: [&'static str; 2],
    /// The line before the body of a loop.
    pub endless: &'static str,
    /// The least integer, which has no literal: its magnitude exceeds the largest integer.
    pub least_int: &'static str,
    /// Binding strength required of an argument before others.
    pub argument: Level,
    /// Expression for the number of vertices in the output buffer.
    pub length: &'static str,
    /// Returns whether a word is reserved.
    pub reserved: fn(&str) -> bool,
}

/// WGSL.
#[cfg(feature = "wgsl")]
pub const WGSL: Dialect = Dialect {
    glsl: None,
    types: [
        ["f32", "vec2f", "vec3f", "vec4f"],
        ["i32", "vec2i", "vec3i", "vec4i"],
        ["u32", "vec2u", "vec3u", "vec4u"],
        ["bool", "vec2<bool>", "vec3<bool>", "vec4<bool>"],
    ],
    condition: ["", ""],
    endless: "loop {\n",
    least_int: "i32(-2147483648)",
    // A `<` could find its `>` in a later argument.
    argument: Level::Bits,
    length: "arrayLength(&outputs)",
    reserved: |name| match name {
        // Functions that the text calls, besides those whose names are keywords of some target.
        "arrayLength" | "exp2" | "log2" => true,
        // Words of ours that are keywords of other targets alone.
        "thread" | "vertex" => false,
        _ => is_keyword(name),
    },
};

/// GLSL of a version.
#[cfg(feature = "glsl")]
pub const fn glsl(version: GlslVersion) -> Dialect {
    Dialect {
        glsl: Some(version),
        types: [
            ["float", "vec2", "vec3", "vec4"],
            ["int", "ivec2", "ivec3", "ivec4"],
            ["uint", "uvec2", "uvec3", "uvec4"],
            ["bool", "bvec2", "bvec3", "bvec4"],
        ],
        condition: ["(", ")"],
        endless: "for (;;) {\n",
        least_int: "int(0x80000000u)",
        argument: Level::Choice,
        length: "uint(outputs.length())",
        reserved: |name| {
            // Functions and macros that the text uses, besides keywords of the targets.
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
            name.starts_with("gl_") || name.starts_with("GL_") || WORDS.contains(&name) || is_keyword(name)
        },
    }
}

/// Functions on vectors that GLSL lacks and the text defines. They work lane by lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Helper {
    /// `a && b`
    Both,
    /// `a || b`
    Either,
    /// `c ? b : a`, for what `mix` does not take.
    Choose,
}

impl Helper {
    /// All helpers with their names and their expressions for lane `L`.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Both, "both", "a.L && b.L"),
        (Self::Either, "either", "a.L || b.L"),
        (Self::Choose, "choose", "c.L ? b.L : a.L"),
    ];
}

impl Dialect {
    /// Returns the name of a type.
    pub const fn ty(&self, ty: Type) -> &'static str {
        self.types[ty.kind as usize][(ty.lanes as usize - 1) & 3]
    }

    /// Writes a declaration without its value: a name and its type.
    pub fn pair(&self, out: &mut String, name: &str, ty: Type) {
        let ty = self.ty(ty);
        let _ = match self.glsl {
            Some(_) => write!(out, "{ty} {name}"),
            None => write!(out, "{name}: {ty}"),
        };
    }
}

impl<'w> Body<'w> {
    /// Writes the beginning of a declaration: up to the name, or up to the type if it follows the
    /// name and there is no value.
    pub fn declaration(&mut self, holder: Holder) {
        let (name, ty, is_exact) = self.name_and_type(holder);
        let dialect = &self.module.dialect;
        match dialect.glsl {
            None => {
                self.out.push_str(if matches!(holder, Holder::Value(_)) { "let " } else { "var " });
                match holder {
                    Holder::Empty(_) => dialect.pair(self.out, name, ty),
                    Holder::Value(_) | Holder::Filled(_) => self.out.push_str(name),
                }
            }
            Some(version) => {
                self.out.push_str(if is_exact { version.row().precise() } else { "" });
                dialect.pair(self.out, name, ty);
            }
        }
    }

    /// Writes the first line of a loop without exits: WGSL requires an exit, even if it is never
    /// taken.
    pub fn endless(&mut self) {
        if self.module.dialect.glsl.is_none() {
            // Behind an exit that returns, the function need not return anything.
            let _ = match self.result {
                Some(ty) => writeln!(self.line(), "if false {{ return {ty}(); }}"),
                None => writeln!(self.line(), "if false {{ break; }}"),
            };
        }
    }

    /// Writes the line before the first case of a switch; returns how the switch is closed.
    /// `is_single`: it has only a default.
    pub fn switch(&mut self, selector: Operand, is_single: bool, continues: bool) -> Closing {
        // Some drivers do not take a `switch` with one body (gfx-rs/wgpu#4514).
        if self.module.dialect.glsl.is_some() && is_single && !continues {
            self.line().push_str("do {\n");
            return Closing::While;
        }
        self.line();
        self.conditional("switch ", selector);
        Closing::Brace
    }

    /// Writes the line before the body of a case; the default has no values.
    pub fn case(&mut self, values: &[i32]) {
        self.line();
        let is_glsl = self.module.dialect.glsl.is_some();
        for (index, value) in values.iter().enumerate() {
            if is_glsl && index > 0 {
                self.out.push('\n');
                self.line();
            }
            let _ = match (is_glsl, index) {
                (true, _) => write!(self.out, "case {value}:"),
                (false, 0) => write!(self.out, "case {value}"),
                (false, _) => write!(self.out, ", {value}"),
            };
        }
        self.out.push_str(match (values.is_empty(), is_glsl) {
            (true, true) => "default: {\n",
            (true, false) => "default {\n",
            (false, _) => " {\n",
        });
    }

    /// Writes the function that reinterprets bits as another type; `function` in GLSL.
    pub fn bits(&mut self, function: &str, ty: Type) {
        let dialect = &self.module.dialect;
        let _ = match dialect.glsl {
            Some(_) => write!(self.out, "{function}"),
            None => write!(self.out, "bitcast<{}>", dialect.ty(ty)),
        };
    }

    /// Returns the function that replaces an operator on vectors of this type; none if the operator
    /// takes vectors.
    pub fn vector_function(&mut self, by: OnVectors, ty: Type) -> Option<&'w str> {
        match by {
            OnVectors::Function(name) => self.module.dialect.glsl.map(|_| name),
            OnVectors::Helper(helper) => self.module.dialect.glsl.map(|_| self.helper(helper, ty)),
            OnVectors::Operator => None,
        }
    }

    /// Records the call of a helper for vectors of this type and returns its name.
    fn helper(&mut self, helper: Helper, ty: Type) -> &'w str {
        if !self.called.contains(&(helper, ty)) {
            self.called.push((helper, ty));
        }
        &self.module.lanewise[helper as usize]
    }

    /// Returns whether a scalar is selected by `mix`: see [`Marks::Comparisons`].
    fn mixes(&self, version: GlslVersion, ty: Type, condition: Operand) -> bool {
        let marks = version.row().marks() == Marks::Comparisons;
        marks && ty == Type::F32 && self.draft.operand_size(condition).is_exact
    }

    /// Writes the selection of one of two values.
    pub fn select(&mut self, ty: Type, operands: &[Operand], level: Level) {
        let &[condition, accept, reject] = operands else { return };
        let name = match self.module.dialect.glsl {
            None => "select",
            Some(version) if condition.ty.lanes == 1 && !self.mixes(version, ty, condition) => {
                return self.enclosed(level > Level::Choice, |body| {
                    body.operand(condition, Level::Or);
                    body.out.push_str(" ? ");
                    body.operand(accept, Level::Or);
                    body.out.push_str(" : ");
                    body.operand(reject, Level::Choice);
                });
            }
            Some(version) if ty.kind != ScalarKind::F32 && !version.row().mixes_all => {
                self.helper(Helper::Choose, ty)
            }
            Some(_) => "mix",
        };
        self.out.push_str(name);
        self.arguments(&[reject, accept, condition]);
    }
}
