//! Rust: types, and a function that fills registers.
//! In: an interface. Out: a module.

use std::fmt::Write;

use super::code::{Language, list, statements};
use super::{helpers, place, renamed};
use crate::source::interface::{Count, Layout};
use crate::source::{Interface, Scalar};
use transpica_asm::names::snake_case;

/// Types of structs that are not written yet: name, members.
type Structs<'a> = Vec<(String, &'a [(String, Layout)])>;

/// The module of an interface.
pub(super) fn module(interface: &Interface) -> String {
    let uniforms = renamed(&interface.uniforms);
    let body = statements::<Rust>(interface, &uniforms, "");
    const DERIVES: &str = "#[derive(Clone, Copy, Debug, PartialEq)]\n";
    let mut out = format!("// Registers of {}, computed from its uniforms.\n\n", interface.entry);
    let _ = writeln!(
        out,
        "/// What the shader declares. Matrices by rows: row r is register r, and element c of it is in\n\
         /// column c; elements beyond the columns are not read.\n{DERIVES}pub struct Uniforms {{"
    );
    let mut names = vec!["Uniforms".to_owned(), "Registers".to_owned(), "Self".to_owned()];
    let mut structs = Structs::new();
    for (index, uniform) in uniforms.iter().enumerate() {
        let own = member(&uniform.name, &uniform.layout, "", &mut names, &mut structs);
        let _ = writeln!(out, "    /// {}\n{own}", place(interface, index));
    }
    out.push_str("}\n");
    while let Some((name, members)) = structs.pop() {
        let _ = writeln!(out, "\n/// Part of [`Uniforms`].\n{DERIVES}pub struct {name} {{");
        for (own, layout) in members {
            let own = member(own, layout, &name, &mut names, &mut structs);
            let _ = writeln!(out, "    /// A member.\n{own}");
        }
        out.push_str("}\n");
    }
    let count = interface.free;
    let _ = writeln!(
        out,
        "\n/// Values of uniform registers.\n{DERIVES}pub struct Registers {{\n    \
         /// c0 and those behind it.\n    pub c: [[f32; 4]; {count}],\n    \
         /// i0 to i3.\n    pub i: [[u8; 4]; 4],\n    /// Bit n is bn.\n    pub b: u16,\n}}"
    );
    out.push_str(&helpers::used(&body, Rust::INDEX));
    let mutable = if body.is_empty() { "" } else { "mut " };
    let unused = if body.contains(Rust::INPUT) { "" } else { "    let _ = uniforms;\n" };
    let _ = write!(
        out,
        "\n/// Computes all registers. Expressions are those of the shader.\n\
         #[allow(clippy::all, unused_comparisons)]\npub fn update(uniforms: &Uniforms) -> Registers {{\n{unused}    \
         let {mutable}out = Registers {{ c: [[0.0; 4]; {count}], i: [[0; 4]; 4], b: 0 }};\n{body}    out\n}}\n"
    );
    out.replace('@', "")
}

/// The declaration of a member; a struct in it gets a type of its own.
fn member<'a>(
    name: &str,
    layout: &'a Layout,
    parent: &str,
    names: &mut Vec<String>,
    structs: &mut Structs<'a>,
) -> String {
    let mut layout = layout;
    let (mut before, mut after) = (String::new(), String::new());
    while let Layout::Array(element, count) = layout {
        before.push('[');
        after.insert_str(0, &format!("; {count}]"));
        layout = element;
    }
    let own = match layout {
        Layout::Struct(members) => {
            let own = free(format!("{parent}{}", camel_case(name)), names);
            structs.push((own.clone(), members));
            own
        }
        Layout::Leaf(shape) => {
            let kind = Rust::kind(shape.scalar);
            match shape.is_matrix() {
                true => format!("[[{kind}; 4]; {}]", shape.rows),
                false if shape.is_scalar() => kind.to_owned(),
                false => format!("[{kind}; {}]", shape.rows),
            }
        }
        Layout::Array(..) => String::new(),
    };
    format!("    pub {name}: {before}{own}{after},")
}

fn camel_case(name: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    snake_case(name).split('_').filter(|part| !part.is_empty()).map(word).collect()
}

/// A name of a type that is free.
fn free(name: String, names: &mut Vec<String>) -> String {
    // A digit begins no name.
    let name =
        if name.starts_with(|first: char| first.is_ascii_digit()) { format!("Type{name}") } else { name };
    let mut all = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}{number}")));
    let name = all.find(|name| !names.contains(name)).unwrap_or_default();
    names.push(name.clone());
    name
}

struct Rust;

impl Language for Rust {
    const INDEX: usize = 1;
    const INPUT: &'static str = "uniforms.";

    fn kind(scalar: Scalar) -> &'static str {
        match scalar {
            Scalar::Float => "f32",
            Scalar::Int => "i32",
            Scalar::Uint => "u32",
            Scalar::Bool => "bool",
        }
    }

    fn literal(scalar: Scalar, bits: u32) -> String {
        match scalar {
            Scalar::Float => match f32::from_bits(bits) {
                value if value.is_nan() => "f32::NAN".into(),
                f32::INFINITY => "f32::INFINITY".into(),
                f32::NEG_INFINITY => "f32::NEG_INFINITY".into(),
                value => format!("{value:?}"),
            },
            Scalar::Int => bits.cast_signed().to_string(),
            Scalar::Uint => bits.to_string(),
            Scalar::Bool => (bits != 0).to_string(),
        }
    }

    fn local(name: &str, kind: Scalar, values: &[String]) -> String {
        let kind = Self::kind(kind);
        match values {
            [value] => format!("let {name}: {kind} = {value};"),
            _array => list(&format!("let {name}: [{kind}; {}] = [", values.len()), values, "];"),
        }
    }

    fn filled(name: &str, kind: Scalar, lanes: usize, call: &str) -> String {
        format!("let {name}: [{}; {lanes}] = {call};", Self::kind(kind))
    }

    fn array(name: &str, is_scalar: bool) -> String {
        if is_scalar { format!("&[{name}]") } else { format!("&{name}") }
    }

    fn repeat(variable: &str, count: usize) -> String {
        format!("for {variable} in 0..{count} {{")
    }

    fn store(register: &str, lanes: &[String; 4], row: Option<&str>) -> String {
        match row {
            Some(row) => format!("out.c[{register}] = {row};"),
            None => list(&format!("out.c[{register}] = ["), lanes, "];"),
        }
    }

    fn flag(register: u8, condition: &str) -> String {
        format!("if {condition} {{\n    out.b |= 1 << {register};\n}}")
    }

    fn count(Count { register, start, step, .. }: &Count, rounds: &str) -> String {
        format!("out.i[{register}] = [@rounds(i64::from({rounds})), {start}, {step}, 0];")
    }
}
