//! WGSL as one would write it by hand.
//! In: a `naga::Module` from [`naga_ir`](crate::backend::naga_ir). Out: text that reads back as a module which computes the same.
//! Must not know the IR. What WGSL shares with other languages is in `text::writer`.

use std::fmt::Write as _;

use naga::keywords::wgsl::{BUILTIN_IDENTIFIER_SET, RESERVED_SET};
use naga::{
    AddressSpace, Binding, BuiltIn, Expression, Function, Handle, ScalarKind, ShaderStage, SwitchCase,
    SwitchValue, TypeInner,
};

use super::writer::{self, Body, Dialect, Holder, Level, Names, Plan, foreign};
use crate::error::Result;
use crate::host::Interface;

/// WGSL.
struct Wgsl;

type Writer<'a> = writer::Writer<'a, Wgsl>;

/// Arguments on the line of the function's name.
const ARGUMENTS_IN_LINE: usize = 2;

/// The module as WGSL.
///
/// ```
/// # use transpica::{backend::{naga_ir, text}, host, ir};
/// let module = ir::text::parse("func main { %0: f32x4 = input v0 %1: f32x4 = add %0 %0 yield %1 }")?;
/// let interface = host::Interface {
///     attributes: vec![host::Attribute { register: 0, name: "place".into() }],
///     outputs: vec![host::Output {
///         name: "position".into(),
///         location: host::Location::Position,
///         components: vec![host::ComponentSource::One; 4],
///         value: host::OutputValue::Plain,
///     }],
///     ..host::Interface::default()
/// };
/// let module = naga_ir::build(&module, &interface, &host::Options::default(), &host::Profile::default())?;
/// assert_eq!(
///     text::wgsl(&module, &interface)?,
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
/// # Ok::<(), transpica::error::Error>(())
/// ```
///
/// # Errors
/// [`Kind::Backend`](crate::error::Kind::Backend) where the module contains what ours never do.
pub fn wgsl(module: &naga::Module, interface: &Interface) -> Result<String> {
    let names = Names::new(Wgsl::is_reserved);
    let mut writer = Writer::new(module, Wgsl, names, super::header(interface));
    writer.extensions();
    writer.structs()?;
    writer.overrides()?;
    writer.globals()?;
    writer.helpers()?;
    for entry in &module.entry_points {
        match entry.stage {
            ShaderStage::Vertex => writer.out.push_str("@vertex\n"),
            ShaderStage::Compute => {
                let _ = writeln!(writer.out, "@compute @workgroup_size({})", entry.workgroup_size[0]);
            }
            _ => return Err(foreign(Wgsl::NAME, format_args!("the stage {:?}", entry.stage))),
        }
        writer.function(&entry.function, &entry.name)?;
    }
    Ok(writer.out)
}

impl Writer<'_> {
    fn structs(&mut self) -> Result<()> {
        for (handle, ty) in self.module.types.iter() {
            let TypeInner::Struct { members, .. } = &ty.inner else { continue };
            let _ = writeln!(self.out, "struct {} {{", self.types[handle.index()]);
            for (index, member) in members.iter().enumerate() {
                self.out.push_str("    ");
                self.binding(member.binding.as_ref())?;
                let _ = write!(self.out, "{}: ", self.members[handle.index()][index]);
                self.ty(member.ty)?;
                self.out.push_str(",\n");
            }
            self.out.push_str("}\n\n");
        }
        Ok(())
    }

    /// What a device must have been asked for.
    fn extensions(&mut self) {
        let clips = |(_, ty): (_, &naga::Type)| match &ty.inner {
            TypeInner::Struct { members, .. } => members
                .iter()
                .any(|member| matches!(member.binding, Some(Binding::BuiltIn(BuiltIn::ClipDistances)))),
            _ => false,
        };
        if self.module.types.iter().any(clips) {
            self.out.push_str("enable clip_distances;\n\n");
        }
    }

    fn overrides(&mut self) -> Result<()> {
        for (handle, constant) in self.module.overrides.iter() {
            let init = self.setting(constant)?;
            if let Some(id) = constant.id {
                let _ = write!(self.out, "@id({id}) ");
            }
            let _ = write!(self.out, "override {}: ", self.overrides[handle.index()]);
            self.ty(constant.ty)?;
            let _ = writeln!(self.out, " = {init};");
        }
        if !self.module.overrides.is_empty() {
            self.out.push('\n');
        }
        Ok(())
    }

    fn globals(&mut self) -> Result<()> {
        for (handle, global) in self.module.global_variables.iter() {
            let space = match global.space {
                AddressSpace::Uniform => "uniform",
                AddressSpace::Storage { access } if access.contains(naga::StorageAccess::STORE) => {
                    "storage, read_write"
                }
                AddressSpace::Storage { .. } => "storage, read",
                _ => return Err(foreign(Wgsl::NAME, format_args!("the address space {:?}", global.space))),
            };
            if let Some(binding) = &global.binding {
                let _ = write!(self.out, "@group({}) @binding({}) ", binding.group, binding.binding);
            }
            let _ = write!(self.out, "var<{space}> {}: ", self.globals[handle.index()]);
            self.ty(global.ty)?;
            self.out.push_str(";\n");
        }
        if !self.module.global_variables.is_empty() {
            self.out.push('\n');
        }
        Ok(())
    }

    /// The attributes of a binding, each followed by a space.
    fn binding(&mut self, binding: Option<&Binding>) -> Result<()> {
        match binding {
            None => {}
            Some(Binding::BuiltIn(BuiltIn::Position { invariant })) => {
                self.out.push_str(if *invariant {
                    "@builtin(position) @invariant "
                } else {
                    "@builtin(position) "
                });
            }
            Some(Binding::BuiltIn(BuiltIn::ClipDistances)) => self.out.push_str("@builtin(clip_distances) "),
            Some(Binding::BuiltIn(BuiltIn::GlobalInvocationId)) => {
                self.out.push_str("@builtin(global_invocation_id) ");
            }
            Some(Binding::Location {
                location,
                interpolation: None | Some(naga::Interpolation::Perspective),
                sampling: None | Some(naga::Sampling::Center),
                blend_src: None,
                per_primitive: false,
            }) => {
                let _ = write!(self.out, "@location({location}) ");
            }
            Some(other) => return Err(foreign(Wgsl::NAME, format_args!("the binding {other:?}"))),
        }
        Ok(())
    }
}

impl Dialect for Wgsl {
    const NAME: &'static str = "WGSL";
    const CONDITION: [&'static str; 2] = ["", ""];
    const LOOP: &'static str = "loop {\n";
    const COPIES_ARRAYS: bool = true;
    const TYPED_LITERALS: bool = true;
    const COMMA_ENDS: bool = true;
    const LEAST_INT: &'static str = "i32(-2147483648)";
    // A `<` could find its `>` in a later argument.
    const ARGUMENT: Level = Level::Bits;

    fn is_reserved(name: &str) -> bool {
        RESERVED_SET.contains(name) || BUILTIN_IDENTIFIER_SET.contains(name)
    }

    fn scalar(kind: ScalarKind) -> &'static str {
        match kind {
            ScalarKind::Float | ScalarKind::AbstractFloat => "f32",
            ScalarKind::Sint | ScalarKind::AbstractInt => "i32",
            ScalarKind::Uint => "u32",
            ScalarKind::Bool => "bool",
        }
    }

    fn vector(size: u8, kind: ScalarKind) -> String {
        match kind {
            ScalarKind::Bool => format!("vec{size}<bool>"),
            _ => format!("vec{size}{}", &Self::scalar(kind)[..1]),
        }
    }

    fn array(base: &str, length: Option<u32>) -> String {
        match length {
            Some(length) => format!("array<{base}, {length}>"),
            None => format!("array<{base}>"),
        }
    }

    fn marks_exact(&self) -> bool {
        false
    }

    fn arguments(&self, _: &Function) -> Option<Vec<String>> {
        None
    }

    fn signature(writer: &mut Writer<'_>, function: &Function, name: &str, plan: &Plan) -> Result<()> {
        let _ = write!(writer.out, "fn {name}(");
        let lines = function.arguments.len() > ARGUMENTS_IN_LINE && function.arguments[0].binding.is_some();
        for (index, (argument, name)) in function.arguments.iter().zip(&plan.arguments).enumerate() {
            writer.out.push_str(match (lines, index) {
                (true, _) => "\n    ",
                (false, 0) => "",
                (false, _) => ", ",
            });
            writer.binding(argument.binding.as_ref())?;
            let _ = write!(writer.out, "{name}: ");
            writer.ty(argument.ty)?;
            writer.out.push_str(if lines { "," } else { "" });
        }
        writer.out.push_str(if lines { "\n)" } else { ")" });
        if let Some(result) = &function.result {
            writer.out.push_str(" -> ");
            writer.binding(result.binding.as_ref())?;
            writer.ty(result.ty)?;
        }
        writer.out.push_str(" {\n");
        Ok(())
    }

    fn declaration(body: &mut Body<'_, '_, Self>, holder: Holder) -> Result<()> {
        let name = body.name(holder)?;
        let _ = match holder {
            Holder::Value(_) => write!(body.writer.out, "let {name}"),
            Holder::Filled(_) => write!(body.writer.out, "var {name}"),
            Holder::Empty(local) => {
                let _ = write!(body.writer.out, "var {name}: ");
                return body.writer.ty(body.function.local_variables[local].ty);
            }
        };
        Ok(())
    }

    /// An exit that is never taken: WGSL does not allow loops without one.
    fn endless(body: &mut Body<'_, '_, Self>) -> Result<()> {
        let result = body.function.result.as_ref().map(|result| result.ty);
        body.line().push_str("    if false { ");
        match result {
            // What follows the loop need not return anything.
            Some(ty) => {
                body.writer.out.push_str("return ");
                body.writer.ty(ty)?;
                body.writer.out.push_str("(); }\n");
            }
            None => body.writer.out.push_str("break; }\n"),
        }
        Ok(())
    }

    fn outputs(_: &mut Body<'_, '_, Self>, _: Handle<Expression>) -> Result<bool> {
        Ok(false)
    }

    fn switch<'a>(
        body: &mut Body<'_, 'a, Self>,
        selector: Handle<Expression>,
        cases: &'a [SwitchCase],
    ) -> Result<()> {
        body.line().push_str("switch ");
        body.expression(selector)?;
        body.writer.out.push_str(" {\n");
        body.indent += 1;
        let mut values = 0;
        for case in cases {
            match (case.value, values) {
                (SwitchValue::Default, 0) if !case.fall_through => body.line().push_str("default"),
                (_, 0) => body.line().push_str("case "),
                (_, _) => body.writer.out.push_str(", "),
            }
            let _ = match case.value {
                SwitchValue::I32(value) => write!(body.writer.out, "{value}"),
                SwitchValue::U32(value) => write!(body.writer.out, "{value}u"),
                SwitchValue::Default if values > 0 || case.fall_through => write!(body.writer.out, "default"),
                SwitchValue::Default => Ok(()),
            };
            if case.fall_through {
                values += 1;
                continue;
            }
            values = 0;
            body.writer.out.push_str(" {\n");
            body.inner(&case.body)?;
            body.line().push_str("}\n");
        }
        body.indent -= 1;
        body.line().push_str("}\n");
        Ok(())
    }

    #[inline]
    fn own(body: &mut Body<'_, '_, Self>, expr: Handle<Expression>, _: Level) -> Result<bool> {
        match body.function.expressions[expr] {
            Expression::ZeroValue(ty) => {
                body.writer.ty(ty)?;
                body.writer.out.push_str("()");
            }
            Expression::As { expr: value, convert: None, .. } => {
                body.writer.out.push_str("bitcast<");
                body.own_type(expr)?;
                body.writer.out.push('>');
                body.call_with_literals(&[value])?;
            }
            Expression::As { expr: value, convert: Some(_), .. } => {
                body.own_type(expr)?;
                body.call_with_literals(&[value])?;
            }
            Expression::Select { condition, accept, reject } => {
                body.writer.out.push_str("select");
                body.arguments(&[reject, accept, condition])?;
            }
            Expression::ArrayLength(array) => {
                body.writer.out.push_str("arrayLength(&");
                body.place(array)?;
                body.writer.out.push(')');
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_modules_of_ours_never_contain_is_refused_by_name() {
        for (items, body, name) in [
            ("@fragment fn other() {}", "", "stage Fragment"),
            ("var<workgroup> word: u32;", "word = 1u;", "address space WorkGroup"),
            ("fn f(@builtin(vertex_index) a: u32) {}", "", "binding BuiltIn(VertexIndex)"),
            ("", "workgroupBarrier();", "statement ControlBarrier"),
            ("", "loop { continuing { break if true; } }", "statement Loop"),
            ("", "loop { continuing { workgroupBarrier(); } }", "statement Loop"),
            ("", "var a = 1u; var b = a % 2u;", "operator Modulo"),
        ] {
            let source = format!("{items} @compute @workgroup_size(1) fn main() {{ {body} }}");
            let module = naga::front::wgsl::parse_str(&source);
            let module = module.unwrap_or_else(|error| panic!("{error}: {source}"));
            let error = wgsl(&module, &Interface::default()).expect_err(&source).to_string();
            assert!(error.starts_with(&format!("input: WGSL writer: the {name}")), "{error}");
        }
    }
}
