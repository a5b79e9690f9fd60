//! GLSL that hosts can link with shaders of their own.
//! In: the pieces of a module, the version. Out: text under that contract. Knows nothing of the
//! IR's control flow.
//! Facts: GLSL 3.30 to 4.60 and ES 3.00 to 3.20, GL_KHR_vulkan_glsl,
//! GL_ARB_separate_shader_objects, GL_EXT_clip_cull_distance; where `precise` is taken was measured
//! with glslang 12 and Mesa 22.3.
//!
//! The contract is the section "GLSL" of [`guide::emulator`](crate::guide::emulator): names, types,
//! places, `precise`. (Of 330 both extensions are asked for because glslang defines the first
//! without knowing the word; Mesa defines both.)

use super::dialect::glsl as dialect;
use super::dialect::operators::Helper;
use super::dialect::versions::{Bindings, GlslVersion, Row};
use super::functions::Trace;
use super::head::{self, head};
use super::module::{Module, lacks, no_shared_bindings, unspecialized};
use super::names::LANES;
use super::put::put;
use super::quaternions;
use crate::backend::interface::BackendInput;
use crate::error::Result;
use crate::interface::EntryPoint;
use crate::ir::{ScalarKind, Type};

/// The module as GLSL. Names and places are as the module's documentation says. With a trace,
/// notes what the entry point evaluates.
///
/// # Errors
/// [`Kind::TargetLacks`](crate::error::Kind::TargetLacks) for what the version lacks:
/// specialization constants (all but 450 for Vulkan), the compute form (before 430 and 310 es), two
/// blocks of one binding (OpenGL). [`Kind::BadName`](crate::error::Kind::BadName) for the names of
/// the profile. [`Kind::Verify`](crate::error::Kind::Verify) where the program is not well-formed
/// or does not fit its interface.
pub fn glsl(
    source: &BackendInput<'_>,
    version: GlslVersion,
    mut trace: Option<&mut Trace>,
) -> Result<String> {
    if source.interface.entry_point == EntryPoint::Quaternions {
        return quaternions::glsl(source, version);
    }
    let row = version.row();
    let (module, names) = Module::new(source, dialect(version))?;
    check(&module, row)?;
    let mut out = String::with_capacity(1 << 12);
    head(row, &mut out, source);
    module.declarations.write_glsl(&mut out, &module.dialect, row, source);
    // Only the bodies show which functions on vectors are called, but GLSL has definitions before
    // calls.
    let start = out.len();
    let mut called = module.functions(&mut out, &names, trace.as_deref_mut())?;
    called.sort_by_cached_key(|(helper, ty)| {
        (*helper as u64) << 16 | (ty.kind as u64) << 8 | u64::from(ty.lanes)
    });
    called.dedup();
    let mut helpers = String::with_capacity(1 << 9);
    called.into_iter().for_each(|(helper, ty)| define(&mut helpers, &module, helper, ty));
    out.insert_str(start, &helpers);
    trace.into_iter().flatten().for_each(|(offset, _)| *offset += helpers.len());
    Ok(out)
}

/// The lines that the text begins with after `#version`: `#extension`, and the macro `PRECISE`.
pub fn extensions(source: &BackendInput<'_>, version: GlslVersion) -> String {
    head::extensions(version.row(), source)
}

/// Checks that a version can express the module.
fn check(module: &Module<'_>, row: &Row) -> Result<()> {
    let declarations = &module.declarations;
    if row.version.is_opengl() && declarations.reads.specialized != 0 {
        return Err(unspecialized(row.name));
    }
    if module.source.interface.stage().is_some() && !row.version.has_geometry_stages() {
        return Err(lacks(row.name, "geometry stages"));
    }
    if !row.computes && module.source.interface.entry_point.is_compute() {
        return Err(lacks(row.name, "compute form"));
    }
    match row.bindings {
        Bindings::Bound => no_shared_bindings(row.name, declarations.bindings()),
        Bindings::Named | Bindings::InSets => Ok(()),
    }
}

/// Writes the definition of a function on vectors.
fn define(out: &mut String, module: &Module<'_>, helper: Helper, ty: Type) {
    let (dialect, word) = (&module.dialect, module.dialect.ty(ty));
    put!(out, word, " ", module.lanewise[helper as usize], "(", word, " a, ", word, " b");
    if helper == Helper::Choose {
        put!(out, ", ", dialect.ty(ty.with_kind(ScalarKind::Bool)), " c");
    }
    put!(out, ") {\n    return ", word);
    for (lane, before) in LANES[..usize::from(ty.lanes)].iter().zip(["(", ", ", ", ", ", "]) {
        out.push_str(before);
        out.push_str(&Helper::ALL[helper as usize].2.replace('L', lane));
    }
    out.push_str(");\n}\n\n");
}
