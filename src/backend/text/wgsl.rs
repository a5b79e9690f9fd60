//! WGSL: declarations with attributes, switches, and the expressions that it spells in a way of its
//! own.
//! In: the pieces of a module. Out: text that naga reads and validates. Knows nothing of the IR's
//! control flow.

use std::fmt::Write as _;

use super::declarations::{Content, Declarations, Field};
use super::draft::Operand;
use super::inline::Style;
use super::names::Names;
use super::operators::{Level, OnVectors};
use super::print::{Body, Closing, Dialect, Holder};
use super::{Writer, header};
use crate::backend::interface::{Source, WORKGROUP};
use crate::error::Result;
use crate::host::Location;
use crate::host::names::is_keyword;
use crate::host::profile::specialized_name;
use crate::ir::Type;

/// WGSL.
struct Wgsl;

/// Arguments on the line of the function's name.
const ARGUMENTS_IN_LINE: usize = 2;
/// Functions that the text calls, besides those whose names are keywords of one of the targets.
const WORDS: [&str; 3] = ["arrayLength", "exp2", "log2"];
/// Words of ours that are keywords of other targets alone.
const FREE: [&str; 2] = ["thread", "vertex"];

fn is_reserved(name: &str) -> bool {
    WORDS.contains(&name) || is_keyword(name) && !FREE.contains(&name)
}

/// The module as WGSL.
///
/// ```
/// # use transpica::stages::{backend::{Source, text}, host, ir};
/// let module = ir::text::parse("func main { %0: f32x4 = input v0 %1: f32x4 = add %0 %0 yield %1 }")?;
/// let interface = host::Interface {
///     attributes: vec![host::Attribute { register: 0, name: "place".into(), format: Default::default() }],
///     outputs: vec![host::Output {
///         name: "position".into(),
///         location: host::Location::Position,
///         components: vec![host::ComponentSource::One; 4],
///         value: host::OutputValue::Plain,
///     }],
///     ..host::Interface::default()
/// };
/// let (options, profile) = (host::Options::default(), host::Profile::default());
/// let source = Source { module: &module, interface: &interface, limits: &options.limits, profile: &profile };
/// assert_eq!(
///     text::wgsl(&source)?,
///     "struct VertexOutput {
///     @builtin(position) @invariant position: vec4f,
/// }
///
/// @vertex
/// fn main(@location(0) place: vec4f) -> VertexOutput {
///     return VertexOutput(place + place);
/// }
/// "
/// );
/// # Ok::<(), transpica::Error>(())
/// ```
///
/// # Errors
/// [`Kind::Verify`](crate::error::Kind::Verify) where the program is not well-formed or does not
/// fit its interface, [`Kind::TargetLacks`](crate::error::Kind::TargetLacks) for entry points and
/// bindings that there are not.
pub fn wgsl(source: &Source<'_>) -> Result<String> {
    let declarations = Declarations::new(source, is_reserved)?;
    let style = Style { marks_exact: false };
    let mut writer = Writer::new(source, declarations, Names::new(is_reserved), Wgsl, style);
    writer.out = header(source.interface);
    writer.declare();
    writer.helpers()?;
    writer.entry(None)?;
    Ok(writer.out)
}

impl Writer<'_, Wgsl> {
    fn declare(&mut self) {
        let (out, declarations) = (&mut self.out, &self.declarations);
        if declarations.ports.iter().any(|port| port.location == Location::ClipDistances) {
            out.push_str("enable clip_distances;\n\n");
        }
        for global in &declarations.globals {
            if let Content::Block(name, fields) = &global.content {
                structure(out, name, fields);
            }
        }
        if !declarations.ports.is_empty() {
            out.push_str("struct VertexOutput {\n");
            for port in &declarations.ports {
                let is_invariant = self.source.profile.invariant_position;
                let ty = Wgsl::ty(port.ty);
                let _ = match port.location {
                    Location::Position if is_invariant => {
                        writeln!(out, "    @builtin(position) @invariant {}: {ty},", port.name)
                    }
                    Location::Position => writeln!(out, "    @builtin(position) {}: {ty},", port.name),
                    Location::ClipDistances => {
                        writeln!(out, "    @builtin(clip_distances) {}: array<f32, 2>,", port.name)
                    }
                    Location::Varying(index) => writeln!(out, "    @location({index}) {}: {ty},", port.name),
                };
            }
            out.push_str("}\n\n");
        }
        let start = out.len();
        for id in declarations.specialized() {
            let (ty, value) = if id < 16 { ("bool", "false") } else { ("i32", "0") };
            let _ = writeln!(out, "@id({id}) override {}: {ty} = {value};", specialized_name(id));
        }
        if out.len() > start {
            out.push('\n');
        }
        for global in &declarations.globals {
            let _ = write!(out, "@group({}) @binding({}) var<", global.binding.set, global.binding.binding);
            let _ = match &global.content {
                Content::Block(name, _) => write!(out, "uniform> {}: {name}", global.name),
                Content::Buffer { element, rows, is_writable } => {
                    let access = if *is_writable { "read_write" } else { "read" };
                    let _ = write!(out, "storage, {access}> {}: array<", global.name);
                    let element = Wgsl::ty(*element);
                    match rows {
                        Some(rows) => write!(out, "array<{element}, {rows}>>"),
                        None => write!(out, "{element}>"),
                    }
                }
            };
            out.push_str(";\n");
        }
        if !declarations.globals.is_empty() {
            out.push('\n');
        }
    }
}

fn structure(out: &mut String, name: &str, fields: &[Field]) {
    let _ = writeln!(out, "struct {name} {{");
    for field in fields {
        let ty = Wgsl::ty(field.ty);
        let _ = match field.length {
            Some(length) => writeln!(out, "    {}: array<{ty}, {length}>,", field.name),
            None => writeln!(out, "    {}: {ty},", field.name),
        };
    }
    out.push_str("}\n\n");
}

impl Dialect for Wgsl {
    const TYPES: [[&'static str; 4]; 4] = [
        ["f32", "vec2f", "vec3f", "vec4f"],
        ["i32", "vec2i", "vec3i", "vec4i"],
        ["u32", "vec2u", "vec3u", "vec4u"],
        ["bool", "vec2<bool>", "vec3<bool>", "vec4<bool>"],
    ];
    const CONDITION: [&'static str; 2] = ["", ""];
    const LOOP: &'static str = "loop {\n";
    const TYPED_LITERALS: bool = true;
    const COMMA_ENDS: bool = true;
    const LEAST_INT: &'static str = "i32(-2147483648)";
    // A `<` could find its `>` in a later argument.
    const ARGUMENT: Level = Level::Bits;
    const CASE_BREAKS: bool = false;
    const LENGTH: &'static str = "arrayLength(&outputs)";
    const NOT: &'static str = "!";

    fn helper(out: &mut String, name: &str, types: &[Type], names: &[&str], result: Type) {
        let _ = write!(out, "fn {name}(");
        for (index, (&ty, name)) in types.iter().zip(names).enumerate() {
            let _ = write!(out, "{}{name}: {}", if index == 0 { "" } else { ", " }, Self::ty(ty));
        }
        let _ = writeln!(out, ") -> {} {{", Self::ty(result));
    }

    fn entry(out: &mut String, declarations: &Declarations, names: &[String]) {
        if declarations.ports.is_empty() {
            let id = names.first().map_or("id", String::as_str);
            let _ = writeln!(out, "@compute @workgroup_size({WORKGROUP})");
            let _ = writeln!(out, "fn main(@builtin(global_invocation_id) {id}: vec3u) {{");
            return;
        }
        out.push_str("@vertex\nfn main(");
        let is_long = names.len() > ARGUMENTS_IN_LINE;
        for (index, (attribute, name)) in declarations.attributes.iter().zip(names).enumerate() {
            out.push_str(match (is_long, index) {
                (true, _) => "\n    ",
                (false, 0) => "",
                (false, _) => ", ",
            });
            let _ = write!(out, "@location({}) {name}: {}", attribute.register, Self::ty(attribute.ty));
            out.push_str(if is_long { "," } else { "" });
        }
        out.push_str(if is_long { "\n) -> VertexOutput {\n" } else { ") -> VertexOutput {\n" });
    }

    fn declaration(body: &mut Body<'_, Self>, holder: Holder) {
        body.out.push_str(if matches!(holder, Holder::Value(_)) { "let " } else { "var " });
        body.held(holder);
        if let Holder::Empty(_) = holder {
            body.out.push_str(": ");
            body.out.push_str(Self::ty(body.held_type(holder)));
        }
    }

    /// An exit that is never taken: WGSL does not allow loops without one.
    fn endless(body: &mut Body<'_, Self>) {
        let result = body.result.map(Self::ty);
        let is_vertex = !body.declarations.ports.is_empty();
        // What follows the loop need not return anything.
        let _ = match result.or(is_vertex.then_some("VertexOutput")) {
            Some(ty) => writeln!(body.line(), "if false {{ return {ty}(); }}"),
            None => writeln!(body.line(), "if false {{ break; }}"),
        };
    }

    fn outputs(body: &mut Body<'_, Self>, values: &[Operand]) {
        body.line().push_str("return VertexOutput");
        let write = |body: &mut Body<'_, Self>, index: usize, level: Level| {
            let value = values[index];
            match body.declarations.ports.get(index).map(|port| port.location) {
                Some(Location::ClipDistances) => {
                    body.out.push_str("array<f32, 2>(");
                    body.lane(value, 0);
                    body.out.push_str(", ");
                    body.lane(value, 1);
                    body.out.push(')');
                }
                Some(Location::Position | Location::Varying(_)) | None => body.operand(value, level),
            }
        };
        if body.plan.is_return_broken {
            body.broken(values.len(), write);
        } else {
            body.listed(values.len(), write);
        }
        body.out.push_str(";\n");
    }

    fn switch(body: &mut Body<'_, Self>, selector: Operand, _: bool, _: bool) -> Closing {
        body.line().push_str("switch ");
        body.operand(selector, Level::Choice);
        body.out.push_str(" {\n");
        Closing::Brace
    }

    fn case(body: &mut Body<'_, Self>, values: &[i32]) {
        for (index, value) in values.iter().enumerate() {
            let _ = write!(body.out, "{}{value}", if index == 0 { "case " } else { ", " });
        }
        body.out.push_str(if values.is_empty() { "default {\n" } else { " {\n" });
    }

    fn bits(out: &mut String, _: &'static str, ty: Type) {
        let _ = write!(out, "bitcast<{}>", Self::ty(ty));
    }

    fn vector_function(_: &mut Body<'_, Self>, _: OnVectors, _: Type) -> bool {
        false
    }

    fn select(body: &mut Body<'_, Self>, _: Type, operands: &[Operand], _: Level) {
        body.out.push_str("select");
        body.arguments(&[operands[2], operands[1], operands[0]]);
    }

    fn invocation(body: &mut Body<'_, Self>) {
        let name = &body.plan.parameters[0];
        body.out.push_str(name);
        body.out.push_str(".x");
    }
}
