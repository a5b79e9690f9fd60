//! Everything before the functions: version, blocks, attributes, varyings.
//! In: types and variables of the module. Out: text. Knows no statements.

use std::fmt::Write as _;

use naga::{AddressSpace, Binding, BuiltIn, Handle, ShaderStage, StorageAccess, Type, TypeInner};

use super::super::writer::{self, Dialect, Names, foreign};
use super::GlslVersion;
use super::dialect::Glsl;
use crate::error::Result;

/// Names of what stages hand each other.
#[derive(Default)]
pub(super) struct Ports {
    /// Of the entry's arguments.
    pub inputs: Vec<String>,
    /// Of the members of what it returns.
    pub outputs: Vec<String>,
}

impl Ports {
    /// The names for a module's entry. Those of varyings are given first, so that nothing changes them.
    pub(super) fn new(module: &naga::Module, names: &mut Names) -> Self {
        let Some(entry) = module.entry_points.first() else { return Self::default() };
        let mut outputs = Vec::new();
        if let Some(result) = &entry.function.result
            && let TypeInner::Struct { members, .. } = &module.types[result.ty].inner
        {
            outputs.extend(members.iter().map(|member| match member.binding {
                Some(Binding::BuiltIn(BuiltIn::ClipDistances)) => "gl_ClipDistance".to_owned(),
                Some(Binding::BuiltIn(_)) => "gl_Position".to_owned(),
                Some(Binding::Location { .. }) | None => {
                    names.unique(member.name.as_deref().unwrap_or("varying_value"))
                }
            }));
        }
        let arguments = entry.function.arguments.iter();
        let inputs = arguments.map(|argument| match argument.binding {
            Some(Binding::BuiltIn(_)) => "gl_GlobalInvocationID".to_owned(),
            Some(Binding::Location { .. }) | None => {
                names.unique(&format!("in_{}", argument.name.as_deref().unwrap_or("value")))
            }
        });
        Self { inputs: inputs.collect(), outputs }
    }
}

type Writer<'a> = writer::Writer<'a, Glsl>;

impl Writer<'_> {
    /// What every text begins with.
    pub(super) fn head(&mut self, header: &str) {
        self.out.push_str(match self.dialect.version {
            GlslVersion::Core330 => "#version 330 core\n",
            GlslVersion::Vulkan450 => "#version 450\n",
            GlslVersion::Es310 => "#version 310 es\n",
        });
        self.out.push_str(header);
        if header.is_empty() {
            self.out.push('\n');
        }
        if self.dialect.marks_exact() {
            self.precise();
        }
        if self.dialect.version == GlslVersion::Es310 {
            self.out.push_str("precision highp float;\nprecision highp int;\n\n");
        }
    }

    /// Defines the macro for `precise` where the version itself lacks the word.
    fn precise(&mut self) {
        // What a driver must define, and what then makes the word known.
        let offers: &[(&str, &str)] = match self.dialect.version {
            // glslang defines GL_ARB_gpu_shader5 in 330 but has no `precise` there. Drivers that have it define both.
            GlslVersion::Core330 => {
                &[("defined(GL_ARB_gpu_shader5) && defined(GL_ARB_shader_precision)", "GL_ARB_gpu_shader5")]
            }
            GlslVersion::Vulkan450 => return,
            GlslVersion::Es310 => &[
                ("defined(GL_EXT_gpu_shader5)", "GL_EXT_gpu_shader5"),
                ("defined(GL_OES_gpu_shader5)", "GL_OES_gpu_shader5"),
            ],
        };
        self.out.push_str("#if defined(PRECISE)\n");
        for (condition, extension) in offers {
            let _ = writeln!(
                self.out,
                "#elif {condition}\n#extension {extension} : enable\n#define PRECISE precise"
            );
        }
        self.out.push_str("#else\n#define PRECISE\n#endif\n\n");
    }

    /// Specialisation constants.
    pub(super) fn settings(&mut self) -> Result<()> {
        for (handle, constant) in self.module.overrides.iter() {
            let init = self.setting(constant)?;
            if let Some(id) = constant.id {
                let _ = write!(self.out, "layout(constant_id = {id}) ");
            }
            self.out.push_str("const ");
            self.ty(constant.ty)?;
            let _ = writeln!(self.out, " {} = {init};", self.overrides[handle.index()]);
        }
        if !self.module.overrides.is_empty() {
            self.out.push('\n');
        }
        Ok(())
    }

    /// Uniform blocks and storage buffers.
    pub(super) fn blocks(&mut self) -> Result<()> {
        for (handle, global) in self.module.global_variables.iter() {
            let place = match (&global.binding, self.dialect.version) {
                (Some(binding), GlslVersion::Vulkan450) => {
                    format!("set = {}, binding = {}, ", binding.group, binding.binding)
                }
                (Some(binding), GlslVersion::Es310) => format!("binding = {}, ", binding.binding),
                (_, GlslVersion::Core330) | (None, _) => String::new(),
            };
            let name = self.globals[handle.index()].clone();
            match (global.space, &self.module.types[global.ty].inner) {
                (AddressSpace::Uniform, TypeInner::Struct { members, .. }) => {
                    let block = &self.types[global.ty.index()];
                    let _ = writeln!(self.out, "layout({place}std140) uniform {block} {{");
                    for (index, member) in members.iter().enumerate() {
                        let name = self.members[global.ty.index()][index].clone();
                        self.member(member.ty, &name)?;
                    }
                    let _ = writeln!(self.out, "}} {name};\n");
                }
                (AddressSpace::Storage { access }, _) => {
                    // `Inputs` of `inputs`, `Feed` of `feed`.
                    let (first, rest) = name.split_at_checked(1).unwrap_or((&name, ""));
                    let block = first.to_ascii_uppercase() + rest;
                    let access = if access.contains(StorageAccess::STORE) { "" } else { "readonly " };
                    let _ = writeln!(self.out, "layout({place}std430) {access}buffer {block} {{");
                    self.member(global.ty, &name)?;
                    self.out.push_str("};\n\n");
                }
                (space, _) => return Err(foreign(Glsl::NAME, format_args!("the address space {space:?}"))),
            }
        }
        Ok(())
    }

    /// A member of a block. The lengths of an array stand behind the name: ES takes none without a number elsewhere.
    fn member(&mut self, ty: Handle<Type>, name: &str) -> Result<()> {
        self.out.push_str("    ");
        let start = self.out.len();
        self.ty(ty)?;
        let at = self.out[start..].find('[').map_or(self.out.len(), |at| start + at);
        self.out.insert_str(at, &format!(" {name}"));
        self.out.push_str(";\n");
        Ok(())
    }

    /// Attributes and varyings, or the size of a workgroup.
    pub(super) fn ports(&mut self) -> Result<()> {
        let Some(entry) = self.module.entry_points.first() else { return Ok(()) };
        match entry.stage {
            ShaderStage::Vertex => {}
            ShaderStage::Compute => {
                let size = entry.workgroup_size[0];
                let _ = writeln!(self.out, "layout(local_size_x = {size}) in;\n");
                return Ok(());
            }
            _ => return Err(foreign(Glsl::NAME, format_args!("the stage {:?}", entry.stage))),
        }
        for (index, argument) in entry.function.arguments.iter().enumerate() {
            let Some(Binding::Location { location, .. }) = argument.binding else {
                return Err(foreign(Glsl::NAME, format_args!("the binding {:?}", argument.binding)));
            };
            let _ = write!(self.out, "layout(location = {location}) in ");
            self.ty(argument.ty)?;
            let _ = writeln!(self.out, " {};", self.dialect.ports.inputs[index]);
        }
        if !entry.function.arguments.is_empty() {
            self.out.push('\n');
        }
        if let Some(result) = &entry.function.result
            && let TypeInner::Struct { members, .. } = &self.module.types[result.ty].inner
        {
            self.outputs(members)?;
        }
        Ok(())
    }

    fn outputs(&mut self, members: &[naga::StructMember]) -> Result<()> {
        let (mut clips, mut is_invariant) = (false, false);
        let start = self.out.len();
        for (index, member) in members.iter().enumerate() {
            match &member.binding {
                Some(Binding::BuiltIn(BuiltIn::Position { invariant })) => is_invariant = *invariant,
                Some(Binding::BuiltIn(BuiltIn::ClipDistances)) => clips = true,
                Some(Binding::Location { location, .. }) => {
                    if self.dialect.version != GlslVersion::Core330 {
                        let _ = write!(self.out, "layout(location = {location}) ");
                    }
                    self.out.push_str("out ");
                    self.ty(member.ty)?;
                    let _ = writeln!(self.out, " {};", self.dialect.ports.outputs[index]);
                }
                other => return Err(foreign(Glsl::NAME, format_args!("the binding {other:?}"))),
            }
        }
        if self.out.len() > start {
            self.out.push('\n');
        }
        let distances = "float gl_ClipDistance[2];\n";
        // 330 takes the block anew with an extension only.
        match self.dialect.version {
            GlslVersion::Vulkan450 => {
                self.out.push_str("out gl_PerVertex {\n    vec4 gl_Position;\n");
                if clips {
                    let _ = write!(self.out, "    {distances}");
                }
                self.out.push_str("};\n");
            }
            GlslVersion::Core330 | GlslVersion::Es310 if clips => {
                let _ = write!(self.out, "out {distances}");
            }
            GlslVersion::Core330 | GlslVersion::Es310 => {}
        }
        if is_invariant {
            self.out.push_str("invariant gl_Position;\n");
        }
        if self.dialect.version == GlslVersion::Vulkan450 || clips || is_invariant {
            self.out.push('\n');
        }
        Ok(())
    }
}
