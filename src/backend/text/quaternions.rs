//! The geometry stage that brings the quaternions of a triangle to one side, as GLSL.
//! In: the outputs of the vertex stage before it. Out: text. Knows no program; the arithmetic is
//! [`align_quaternions`](crate::host::align_quaternions)'s.
//!
//! Inputs and outputs of a stage cannot have one name, so versions whose varyings link by name have
//! no such stage between two others.

use std::fmt::Write as _;

use super::dialect::versions::GlslVersion;
use super::head::{clips, head};
use super::module::lacks;
use crate::backend::interface::{BackendInput, is_quaternion, output_type};
use crate::error::Result;
use crate::interface::Location;

/// The stage as GLSL.
///
/// # Errors
/// [`Kind::TargetLacks`](crate::error::Kind::TargetLacks) for versions without geometry stages, or
/// whose varyings have no location.
pub(super) fn glsl(source: &BackendInput<'_>, version: GlslVersion) -> Result<String> {
    let row = version.row();
    if version.is_es() {
        return Err(lacks(row.name, "geometry stages"));
    }
    if !version.has_varying_locations() {
        return Err(lacks(row.name, "locations of varyings, which a stage between two others needs"));
    }
    let outputs = &source.interface.outputs;
    let clips = clips(source);
    let mut out = String::new();
    head(row, &mut out, source);
    out.push_str("layout(triangles) in;\nlayout(triangle_strip, max_vertices = 3) out;\n\n");
    let fields = if clips {
        "    vec4 gl_Position;\n    float gl_ClipDistance[2];\n"
    } else {
        "    vec4 gl_Position;\n"
    };
    let _ = write!(out, "in gl_PerVertex {{\n{fields}}} gl_in[];\n\nout gl_PerVertex {{\n{fields}}};\n");
    if source.profile.invariant_position {
        out.push_str("invariant gl_Position;\n");
    }
    out.push('\n');
    let precise = if source.profile.no_contraction { "precise " } else { "" };
    let mut body = String::new();
    for output in outputs {
        let name = &output.name;
        match output.location {
            Location::Position => body.push_str("        gl_Position = gl_in[n].gl_Position;\n"),
            Location::ClipDistances => {
                for plane in 0..2 {
                    let distance = format!("gl_ClipDistance[{plane}]");
                    let _ = writeln!(body, "        {distance} = gl_in[n].{distance};");
                }
            }
            Location::Varying(location) => {
                let ty = ["float", "vec2", "vec3", "vec4"][usize::from(output_type(output)?.lanes - 1) & 3];
                let _ = writeln!(out, "layout(location = {location}) in {ty} in_{name}[];");
                let _ = writeln!(out, "layout(location = {location}) out {ty} {name};");
                let _ = if is_quaternion(output) {
                    write!(
                        body,
                        "        {precise}vec4 products = in_{name}[0] * in_{name}[n];\n\
                         \x20       {precise}float side = products.x + products.y + products.z + products.w;\n\
                         \x20       {name} = side < 0.0 ? -in_{name}[n] : in_{name}[n];\n"
                    )
                } else {
                    writeln!(body, "        {name} = in_{name}[n];")
                };
            }
        }
    }
    let _ = write!(
        out,
        "\nvoid main() {{\n    for (int n = 0; n < 3; n++) {{\n{body}        EmitVertex();\n    }}\n    EndPrimitive();\n}}\n"
    );
    Ok(out)
}
