//! Reflection of modules: stage, entry points, workgroups, symbols of the file.
//! In: [`EntryPoint`], the symbols of an executable. Out: plain data.

use super::places::Languages;
use crate::interface::layout::symbol_bank;
use crate::interface::{EntryPoint, Interface, Member, Uniform};
use crate::program::container::{Dvle, SymbolBank, SymbolRange};
use crate::support::fields::WORKGROUP;

/// Names of the entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct EntryPointNames {
    /// In SPIR-V.
    pub spirv: &'static str,
    /// In WGSL.
    pub wgsl: &'static str,
    /// In GLSL.
    pub glsl: &'static str,
    /// In HLSL.
    pub hlsl: &'static str,
    /// In MSL, which reserves `main`.
    pub msl: &'static str,
}

/// The module that a program became.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ModuleInfo {
    /// Stage of the host's pipeline: `vertex`, `compute` or `geometry`.
    pub stage: &'static str,
    /// Names of the entry point.
    pub entry_points: EntryPointNames,
    /// Invocations of a workgroup; none except for compute stages.
    pub workgroup: Option<[u32; 3]>,
    /// Buffer slot in MSL that a compute stage needs besides its `buffers`: a `uint` for each of
    /// them, in their order, the size in bytes of what is bound.
    pub msl_sizes: Option<u32>,
}

impl ModuleInfo {
    /// Describes an entry point.
    pub(super) fn new(entry_point: &EntryPoint, languages: Languages) -> Self {
        // The name is one constant of all generators but naga's MSL, which needs features that this
        // table does not; `tests/texts/reflection.rs` compares both.
        let main = "main";
        Self {
            stage: match entry_point {
                EntryPoint::Vertex => "vertex",
                EntryPoint::Compute | EntryPoint::Kernel(_) => "compute",
                EntryPoint::Stage(_) | EntryPoint::Quaternions => "geometry",
            },
            entry_points: EntryPointNames { spirv: main, wgsl: main, glsl: main, hlsl: main, msl: "main_" },
            workgroup: entry_point.is_compute().then_some([WORKGROUP, 1, 1]),
            msl_sizes: languages.sizes(entry_point),
        }
    }
}

/// A symbol of the file that names registers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SymbolInfo {
    /// Name as the file has it; bytes that are not UTF-8 are replaced.
    pub symbol: String,
    /// Register bank.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::text"))]
    pub bank: SymbolBank,
    /// First register.
    pub first: u8,
    /// Number of registers.
    pub count: u8,
    /// Name of the attribute or uniform of the module that stands for these registers. None if the
    /// module reads none of them, or has them in a member with others.
    pub name: Option<String>,
}

/// Returns the symbols of an executable.
pub(super) fn symbols(executable: &Dvle<'_>, interface: &Interface) -> Vec<SymbolInfo> {
    let uniforms = interface.block.uniforms();
    let symbols = executable.symbols.iter();
    let symbols = symbols.filter_map(|symbol| {
        let SymbolRange { bank, first, count } = symbol.range()?;
        let is_it = |uniform: &&Uniform| {
            let Member { bank: found, first: at, count: number, .. } = uniform.member;
            (symbol_bank(found), at, number) == (bank, first, count)
        };
        let name = match bank {
            SymbolBank::Input => {
                interface.attributes.iter().find(|one| one.register == first).map(|one| &one.name)
            }
            SymbolBank::Float | SymbolBank::Int | SymbolBank::Bool => {
                uniforms.iter().find(is_it).map(|uniform| &uniform.member.name)
            }
        };
        let symbol = executable.name(symbol.name).to_text().into_owned();
        Some(SymbolInfo { symbol, bank, first, count, name: name.cloned() })
    });
    symbols.collect()
}
