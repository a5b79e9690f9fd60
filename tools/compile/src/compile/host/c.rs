//! C: types, and functions that fill and send registers.
//! In: an interface. Out: a header. Facts: citro3d's functions and its numbers of uniforms: c0 to
//! c95 from 0, i0 to i3 from 0x60, b0 to b15 from 0x68.

use std::fmt::Write;

use super::code::{Language, list, statements};
use super::{helpers, place, renamed};
use crate::source::interface::{Count, Layout};
use crate::source::{Interface, Scalar};

/// The header of an interface.
pub(super) fn header(interface: &Interface, name: &str) -> String {
    let uniforms = renamed(&interface.uniforms);
    let prefix = format!("{name}_host_");
    let body = statements::<C>(interface, &uniforms, &prefix);
    let count = interface.free;
    let mut out = format!(
        "// Registers of {name}, computed from its uniforms.\n#pragma once\n\n\
         #include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n\n\
         #if !defined(TRANSPICA_PLAIN) && defined(__has_include)\n#if __has_include(<citro3d.h>)\n\
         #include <citro3d.h>\n#define TRANSPICA_CITRO3D\n#endif\n#endif\n\n\
         // What the shader declares. Row r of a matrix is register r, column c its element c;\n\
         // elements beyond the columns are not read.\nstruct {name}_uniforms {{\n"
    );
    for (index, uniform) in uniforms.iter().enumerate() {
        let place = format!(" // {}", place(interface, index));
        declare(&mut out, 1, &uniform.name, &uniform.layout, &place);
    }
    // C has no structs without members.
    out.push_str(if uniforms.is_empty() { "    char none;\n" } else { "" });
    let _ = writeln!(out, "}};\n\n// Values of uniform registers.\nstruct {name}_registers {{");
    if count > 0 {
        let _ = writeln!(out, "    float c[{count}][4];");
    }
    out.push_str("    uint8_t i[4][4];\n    uint16_t b; // bit n is bn\n};\n");
    out.push_str(&helpers::used(&body, C::INDEX));
    let _ = write!(
        out,
        "\n// Comparisons are those of the shader, also if they are always true.\n\
         #ifdef __GNUC__\n#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wtype-limits\"\n\
         #pragma GCC diagnostic ignored \"-Wtautological-compare\"\n#endif\n\
         // Computes all registers.\n\
         static inline void {name}_update(const struct {name}_uniforms *in, struct {name}_registers *out) {{\n    \
         memset(out, 0, sizeof *out);\n{}{body}}}\n#ifdef __GNUC__\n#pragma GCC diagnostic pop\n#endif\n",
        if body.contains("in->") { "" } else { "    (void)in;\n" }
    );
    apply(&mut out, interface, name);
    out.replace('@', &prefix)
}

/// Declares a member; types have a limit of depth.
fn declare(out: &mut String, depth: usize, name: &str, layout: &Layout, comment: &str) {
    let indent = "    ".repeat(depth);
    let mut sizes = String::new();
    let mut layout = layout;
    while let Layout::Array(element, count) = layout {
        let _ = write!(sizes, "[{count}]");
        layout = element;
    }
    match layout {
        Layout::Struct(members) => {
            let _ = writeln!(out, "{indent}struct {{{comment}");
            for (name, member) in members {
                declare(out, depth + 1, name, member, "");
            }
            let _ = writeln!(out, "{indent}}} {name}{sizes};");
        }
        Layout::Leaf(shape) => {
            let own = match shape.is_matrix() {
                true => format!("[{}][4]", shape.rows),
                false if shape.is_scalar() => String::new(),
                false => format!("[{}]", shape.rows),
            };
            let _ = writeln!(out, "{indent}{} {name}{sizes}{own};{comment}", C::kind(shape.scalar));
        }
        Layout::Array(..) => {}
    }
}

/// Writes the functions that call citro3d.
fn apply(out: &mut String, interface: &Interface, name: &str) {
    let _ = write!(
        out,
        "\n#ifdef TRANSPICA_CITRO3D\n// Copies rows of a matrix of citro3d, whose elements go from w to x.\n\
         static inline void @rows(const C3D_Mtx *from, float (*to)[4], int rows) {{\n    \
         for (int row = 0; row < rows; row++) {{\n        \
         for (int column = 0; column < 4; column++) to[row][column] = from->m[4 * row + 3 - column];\n    }}\n}}\n\
         // Sends registers to the vertex unit.\n\
         static inline void {name}_apply(const struct {name}_registers *registers) {{\n"
    );
    let free = interface.free;
    if free > 0 {
        let _ = write!(
            out,
            "    for (int id = 0; id < {free}; id++) {{\n        const float *c = registers->c[id];\n        \
             C3D_FVUnifSet(GPU_VERTEX_SHADER, id, c[0], c[1], c[2], c[3]);\n    }}\n"
        );
    }
    for Count { register, .. } in &interface.counts {
        let lanes: Vec<String> = (0..4).map(|lane| format!("registers->i[{register}][{lane}]")).collect();
        let lanes = lanes.join(", ");
        let _ = writeln!(out, "    C3D_IVUnifSet(GPU_VERTEX_SHADER, {:#x}, {lanes});", 0x60 + register);
    }
    for flag in &interface.flags {
        let (id, register) = (0x68 + flag.register, flag.register);
        let _ = writeln!(
            out,
            "    C3D_BoolUnifSet(GPU_VERTEX_SHADER, {id:#x}, (registers->b >> {register} & 1) != 0);"
        );
    }
    if free == 0 && interface.counts.is_empty() && interface.flags.is_empty() {
        out.push_str("    (void)registers;\n");
    }
    out.push_str("}\n#endif // TRANSPICA_CITRO3D\n");
}

struct C;

impl Language for C {
    const INDEX: usize = 0;
    const INPUT: &'static str = "in->";

    fn kind(scalar: Scalar) -> &'static str {
        match scalar {
            Scalar::Float => "float",
            Scalar::Int => "int32_t",
            Scalar::Uint => "uint32_t",
            Scalar::Bool => "bool",
        }
    }

    fn literal(scalar: Scalar, bits: u32) -> String {
        match scalar {
            Scalar::Float => match f32::from_bits(bits) {
                value if value.is_nan() => "NAN".into(),
                f32::INFINITY => "INFINITY".into(),
                f32::NEG_INFINITY => "-INFINITY".into(),
                value => format!("{value:?}f"),
            },
            Scalar::Int if bits.cast_signed() == i32::MIN => "INT32_MIN".into(),
            Scalar::Int => bits.cast_signed().to_string(),
            Scalar::Uint => format!("{bits}u"),
            Scalar::Bool => (bits != 0).to_string(),
        }
    }

    fn local(name: &str, kind: Scalar, values: &[String]) -> String {
        let kind = Self::kind(kind);
        match values {
            [value] => format!("const {kind} {name} = {value};"),
            _array => list(&format!("const {kind} {name}[{}] = {{", values.len()), values, "};"),
        }
    }

    fn filled(name: &str, kind: Scalar, lanes: usize, call: &str) -> String {
        format!("{} {name}[{lanes}];\n{call};", Self::kind(kind))
    }

    fn array(name: &str, is_scalar: bool) -> String {
        if is_scalar { format!("&{name}") } else { name.into() }
    }

    fn repeat(variable: &str, count: usize) -> String {
        format!("for (int {variable} = 0; {variable} < {count}; {variable}++) {{")
    }

    fn store(register: &str, lanes: &[String; 4], row: Option<&str>) -> String {
        match row {
            Some(row) => format!("memcpy(out->c[{register}], {row}, sizeof out->c[0]);"),
            None => list(&format!("@set(out->c[{register}], "), lanes, ");"),
        }
    }

    fn flag(register: u8, condition: &str) -> String {
        format!("if ({condition}) out->b = (uint16_t)(out->b | 1u << {register});")
    }

    fn count(Count { register, start, step, .. }: &Count, rounds: &str) -> String {
        format!(
            "out->i[{register}][0] = @rounds({rounds});\nout->i[{register}][1] = {start};\nout->i[{register}][2] = {step};"
        )
    }
}
