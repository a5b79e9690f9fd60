//! WGSL as one would write it by hand.
//! In: a `naga::Module` from [`naga_ir`](crate::backend::naga_ir). Out: text that reads back as a module which computes the same.
//! Must not know the IR. Modules from elsewhere are refused where they contain what ours never do.
//!
//! Why not naga's writer: it gives a `let` to every load and every call (`let _e12 = …`), encloses every operation in
//! parentheses, and makes names unique over the whole module. Here a load, a call or an operation is written where it is used,
//! if it is used once, in the loop it stands in, and the line stays short ([`choice`]); parentheses stand where WGSL's
//! precedence asks for them ([`expressions`]); variables are declared where they are first set ([`statements`]).

mod choice;
mod expressions;
mod names;
mod plan;
mod statements;

use std::fmt::Write as _;

use naga::{AddressSpace, ArraySize, Binding, BuiltIn, Handle, ScalarKind, ShaderStage, TypeInner};

use self::names::Names;
use crate::error::{At, Error, Kind, Result};
use crate::host::Interface;

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
    let mut writer = Writer::new(module, super::header(interface));
    writer.extensions();
    writer.structs()?;
    writer.overrides()?;
    writer.globals()?;
    for (handle, function) in module.functions.iter() {
        let name = writer.functions[handle.index()].clone();
        writer.function(function, &name)?;
        writer.out.push('\n');
    }
    for entry in &module.entry_points {
        match entry.stage {
            ShaderStage::Vertex => writer.out.push_str("@vertex\n"),
            ShaderStage::Compute => {
                let _ = writeln!(writer.out, "@compute @workgroup_size({})", entry.workgroup_size[0]);
            }
            _ => return Err(foreign(format_args!("the stage {:?}", entry.stage))),
        }
        writer.function(&entry.function, &entry.name)?;
    }
    Ok(writer.out)
}

/// The error for a module that is not ours.
#[cold]
fn foreign(what: impl std::fmt::Display) -> Error {
    Error::new(Kind::Backend(format!("WGSL writer: {what} is nothing that this library makes")), At::Whole)
}

/// The text so far, and the names that all functions see.
struct Writer<'a> {
    module: &'a naga::Module,
    out: String,
    /// Names that functions may not give again.
    global_names: Names,
    /// Names by index of the type; empty for types that WGSL cannot name.
    types: Vec<String>,
    /// Names of the members by index of the type.
    members: Vec<Vec<String>>,
    globals: Vec<String>,
    overrides: Vec<String>,
    functions: Vec<String>,
}

impl<'a> Writer<'a> {
    fn new(module: &'a naga::Module, out: String) -> Self {
        let mut names = Names::default();
        for entry in &module.entry_points {
            names.unique(&entry.name);
        }
        let mut give = |name: Option<&str>, other: &str| names.unique(name.unwrap_or(other));
        let mut types: Vec<String> = Vec::with_capacity(module.types.len());
        for (_, ty) in module.types.iter() {
            let name = match &ty.inner {
                TypeInner::Struct { .. } => give(ty.name.as_deref(), "Struct"),
                TypeInner::Scalar(scalar) => scalar_name(scalar.kind).to_owned(),
                TypeInner::Vector { size, scalar } => vector_name(*size as u8, scalar.kind),
                TypeInner::Array { base, size, .. } => match (types.get(base.index()), size) {
                    (Some(base), ArraySize::Constant(length)) => format!("array<{base}, {length}>"),
                    (Some(base), ArraySize::Dynamic) => format!("array<{base}>"),
                    (None, _) | (_, ArraySize::Pending(_)) => String::new(),
                },
                _ => String::new(),
            };
            types.push(name);
        }
        let members = module.types.iter().map(|(_, ty)| match &ty.inner {
            TypeInner::Struct { members, .. } => member_names(members),
            _ => Vec::new(),
        });
        let members = members.collect();
        let globals = module
            .global_variables
            .iter()
            .map(|(_, global)| give(global.name.as_deref(), "global"))
            .collect();
        let overrides =
            module.overrides.iter().map(|(_, constant)| give(constant.name.as_deref(), "setting")).collect();
        let functions =
            module.functions.iter().map(|(_, function)| give(function.name.as_deref(), "helper")).collect();
        Self { module, out, global_names: names, types, members, globals, overrides, functions }
    }

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
            let init = constant.init.map(|init| &self.module.global_expressions[init]);
            let init = match init {
                Some(naga::Expression::Literal(naga::Literal::Bool(value))) => value.to_string(),
                Some(naga::Expression::Literal(naga::Literal::I32(value))) => value.to_string(),
                _ => return Err(foreign("the value of an override")),
            };
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
                _ => return Err(foreign(format_args!("the address space {:?}", global.space))),
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
            Some(other) => return Err(foreign(format_args!("the binding {other:?}"))),
        }
        Ok(())
    }

    /// Writes a type: `vec4f`, `array<vec4f, 4>`, `VertexOutput`.
    fn ty(&mut self, ty: Handle<naga::Type>) -> Result<()> {
        let name = &self.types[ty.index()];
        if name.is_empty() {
            return Err(foreign(format_args!("the type {:?}", self.module.types[ty].inner)));
        }
        self.out.push_str(name);
        Ok(())
    }
}

/// The names of a struct's members.
fn member_names(members: &[naga::StructMember]) -> Vec<String> {
    let mut names = Names::default();
    members.iter().map(|member| names.unique(member.name.as_deref().unwrap_or("member"))).collect()
}

/// The name of a scalar type; abstract types do not occur.
const fn scalar_name(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Float | ScalarKind::AbstractFloat => "f32",
        ScalarKind::Sint | ScalarKind::AbstractInt => "i32",
        ScalarKind::Uint => "u32",
        ScalarKind::Bool => "bool",
    }
}

fn vector_name(size: u8, kind: ScalarKind) -> String {
    match kind {
        ScalarKind::Bool => format!("vec{size}<bool>"),
        _ => format!("vec{size}{}", &scalar_name(kind)[..1]),
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
