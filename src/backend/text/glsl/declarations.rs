//! Everything before the functions: version, blocks, attributes, varyings.
//! In: the declarations of a module. Out: text. Knows no lines.

use std::fmt::Write as _;

use super::super::Writer;
use super::super::declarations::{Content, Field, Global};
use super::super::print::Dialect as _;
use super::GlslVersion;
use super::dialect::Glsl;
use crate::backend::interface::WORKGROUP;
use crate::host::Location;
use crate::host::profile::specialized_name;

impl Writer<'_, Glsl> {
    /// What every text begins with.
    pub(super) fn head(&mut self, header: &str) {
        let version = self.dialect.version;
        self.out.push_str(match version {
            GlslVersion::Core330 => "#version 330 core\n",
            GlslVersion::Vulkan450 => "#version 450\n",
            GlslVersion::Es310 => "#version 310 es\n",
        });
        self.out.push_str(header);
        if header.is_empty() {
            self.out.push('\n');
        }
        if self.style.marks_exact {
            self.precise();
        }
        if version == GlslVersion::Es310 {
            self.out.push_str("precision highp float;\nprecision highp int;\n\n");
        }
    }

    /// Defines the macro for `precise` where the version itself lacks the word.
    fn precise(&mut self) {
        // What a driver must define, and what then makes the word known.
        let offers: &[(&str, &str)] = match self.dialect.version {
            // glslang defines GL_ARB_gpu_shader5 in 330 but has no `precise` there. Drivers that
            // have it define both.
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

    /// Specialisation constants, blocks, buffers, attributes and varyings or the size of a
    /// workgroup.
    pub(super) fn declare(&mut self) {
        let start = self.out.len();
        for id in self.declarations.specialized() {
            let (ty, value) = if id < 16 { ("bool", "false") } else { ("int", "0") };
            let name = specialized_name(id);
            let _ = writeln!(self.out, "layout(constant_id = {id}) const {ty} {name} = {value};");
        }
        if self.out.len() > start {
            self.out.push('\n');
        }
        for global in &self.declarations.globals {
            declare_global(&mut self.out, global, self.dialect.version);
        }
        if self.declarations.ports.is_empty() {
            let _ = writeln!(self.out, "layout(local_size_x = {WORKGROUP}) in;\n");
            return;
        }
        for (attribute, name) in self.declarations.attributes.iter().zip(&self.dialect.inputs) {
            let (location, ty) = (attribute.register, Glsl::ty(attribute.ty));
            let _ = writeln!(self.out, "layout(location = {location}) in {ty} {name};");
        }
        if !self.declarations.attributes.is_empty() {
            self.out.push('\n');
        }
        self.ports();
    }

    fn ports(&mut self) {
        let (out, version) = (&mut self.out, self.dialect.version);
        let mut clips = false;
        let start = out.len();
        for (port, name) in self.declarations.ports.iter().zip(&self.dialect.outputs) {
            match port.location {
                Location::Position => {}
                Location::ClipDistances => clips = true,
                Location::Varying(location) => {
                    if version != GlslVersion::Core330 {
                        let _ = write!(out, "layout(location = {location}) ");
                    }
                    let _ = writeln!(out, "out {} {name};", Glsl::ty(port.ty));
                }
            }
        }
        if out.len() > start {
            out.push('\n');
        }
        let distances = "float gl_ClipDistance[2];\n";
        // 330 takes the block anew with an extension only.
        match version {
            GlslVersion::Vulkan450 => {
                out.push_str("out gl_PerVertex {\n    vec4 gl_Position;\n");
                if clips {
                    let _ = write!(out, "    {distances}");
                }
                out.push_str("};\n");
            }
            GlslVersion::Core330 | GlslVersion::Es310 if clips => {
                let _ = write!(out, "out {distances}");
            }
            GlslVersion::Core330 | GlslVersion::Es310 => {}
        }
        let is_invariant = self.source.profile.invariant_position;
        if is_invariant {
            out.push_str("invariant gl_Position;\n");
        }
        if version == GlslVersion::Vulkan450 || clips || is_invariant {
            out.push('\n');
        }
    }
}

/// A uniform block or a storage buffer.
fn declare_global(out: &mut String, global: &Global, version: GlslVersion) {
    let (name, binding) = (global.name, global.binding);
    let place = match version {
        GlslVersion::Vulkan450 => format!("set = {}, binding = {}, ", binding.set, binding.binding),
        GlslVersion::Es310 => format!("binding = {}, ", binding.binding),
        GlslVersion::Core330 => String::new(),
    };
    match &global.content {
        Content::Block(block, fields) => {
            let _ = writeln!(out, "layout({place}std140) uniform {block} {{");
            for Field { name, ty, length } in fields {
                let ty = Glsl::ty(*ty);
                let _ = match length {
                    Some(length) => writeln!(out, "    {ty} {name}[{length}];"),
                    None => writeln!(out, "    {ty} {name};"),
                };
            }
            let _ = writeln!(out, "}} {name};\n");
        }
        Content::Buffer { element, rows, is_writable } => {
            // `Inputs` of `inputs`, `Feed` of `feed`.
            let (first, rest) = name.split_at_checked(1).unwrap_or((name, ""));
            let access = if *is_writable { "" } else { "readonly " };
            let block = first.to_ascii_uppercase();
            let _ = writeln!(out, "layout({place}std430) {access}buffer {block}{rest} {{");
            // The lengths stand behind the name: ES takes none without a number elsewhere.
            let rows = rows.map_or_else(String::new, |rows| format!("[{rows}]"));
            let _ = writeln!(out, "    {} {name}[]{rows};\n}};\n", Glsl::ty(*element));
        }
    }
}
