//! Reflection of modules: stage, entry points, workgroups, symbols of the file.
//! In: [`EntryPoint`], the symbols of an executable. Out: plain data.

use super::UniformInfo;
use super::places::Languages;
use crate::container::{Dvle, SymbolBank};
use crate::host::{EntryPoint, WORKGROUP};

/// Names of the entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EntryPointNames {
    /// In SPIR-V.
    pub spirv: String,
    /// In WGSL.
    pub wgsl: String,
    /// In GLSL.
    pub glsl: String,
    /// In HLSL.
    pub hlsl: String,
    /// In MSL, which reserves `main`.
    pub msl: String,
}

/// The module that a program became.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModuleInfo {
    /// Stage of the host's pipeline: `vertex`, `compute` or `geometry`.
    pub stage: String,
    /// Names of the entry point.
    pub entry_points: EntryPointNames,
    /// Invocations of a workgroup; none but for compute stages.
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
        let main = || "main".to_owned();
        Self {
            stage: match entry_point {
                EntryPoint::Vertex => "vertex",
                EntryPoint::Compute { .. } | EntryPoint::Kernel(_) => "compute",
                EntryPoint::Stage(_) | EntryPoint::Quaternions => "geometry",
            }
            .into(),
            entry_points: EntryPointNames {
                spirv: main(),
                wgsl: main(),
                glsl: main(),
                hlsl: main(),
                msl: "main_".into(),
            },
            workgroup: entry_point.is_compute().then_some([WORKGROUP, 1, 1]),
            msl_sizes: languages.sizes(entry_point),
        }
    }
}

/// A symbol of the file that names registers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SymbolInfo {
    /// Name as the file has it; bytes that are no UTF-8 are replaced.
    pub symbol: String,
    /// Register bank: `v`, `c`, `i` or `b`.
    pub bank: String,
    /// First register.
    pub first: u8,
    /// Number of registers.
    pub count: u8,
    /// Name of the attribute or uniform of the module that stands for these registers. None if the
    /// module reads none of them, or has them in a member with others.
    pub name: Option<String>,
}

/// Returns the symbols of an executable.
pub(super) fn symbols(
    executable: &Dvle<'_>,
    attributes: &[super::AttributeInfo],
    uniforms: &[UniformInfo],
) -> Vec<SymbolInfo> {
    let symbols = executable.symbols.iter();
    let symbols = symbols.filter_map(|symbol| {
        let range = symbol.range()?;
        let bank = match range.bank {
            SymbolBank::Input => "v",
            SymbolBank::Float => "c",
            SymbolBank::Int => "i",
            SymbolBank::Bool => "b",
        };
        let name = match range.bank {
            SymbolBank::Input => {
                attributes.iter().find(|a| a.register == range.first).map(|a| a.name.clone())
            }
            SymbolBank::Float | SymbolBank::Int | SymbolBank::Bool => {
                let is_it =
                    |u: &&UniformInfo| u.bank == bank && u.first == range.first && u.count == range.count;
                uniforms.iter().find(is_it).map(|u| u.name.clone())
            }
        };
        let symbol = executable.name(symbol.name).to_text().into_owned();
        Some(SymbolInfo { symbol, bank: bank.into(), first: range.first, count: range.count, name })
    });
    symbols.collect()
}
