//! WGSL and GLSL by a writer of our own; HLSL and MSL by naga's.
//! In: a `naga::Module` from [`naga_ir`](super::naga_ir) and the [`Interface`] it was built for. Out: text that begins with
//! comments naming the source, the program and the entry. Must not know the IR.
//!
//! | target | contract |
//! |---|---|
//! | WGSL | entry `main`; groups and bindings as in [`naga_ir`](super::naga_ir) |
//! | GLSL | `void main()`; see [`glsl`](mod@glsl) |
//! | HLSL | entry `main`, shader model 5.1; binding n of set m is register b*n*, t*n* or u*n* in space *m* |
//! | MSL | entry [`MSL_ENTRY_POINT`], MSL 2.1; binding n is buffer n; compute forms take the sizes of their runtime arrays in buffer [`SIZES`](crate::host::kernel::bindings::SIZES) |
//!
//! GLSL ES and MSL have no sets, so two blocks may not share a binding there; naga's writers know no specialisation constants.

#[cfg(feature = "glsl")]
pub mod glsl;
#[cfg(any(feature = "hlsl", feature = "msl"))]
mod tidy;
#[cfg(feature = "wgsl")]
mod wgsl;
#[cfg(any(feature = "wgsl", feature = "glsl"))]
mod writer;

#[cfg(feature = "glsl")]
pub use glsl::{GlslVersion, glsl};
#[cfg(feature = "wgsl")]
pub use wgsl::wgsl;

#[cfg(any(feature = "hlsl", feature = "msl"))]
use super::naga_ir::check;
use crate::error::Result;
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl"))]
use crate::error::{At, Error, Kind};
#[cfg(feature = "msl")]
use crate::host::kernel;
use crate::host::{Interface, Profile};

/// Name of the entry point in MSL, where `main` is taken.
pub const MSL_ENTRY_POINT: &str = "main_";

/// The last buffer of MSL.
#[cfg(feature = "msl")]
const LAST_BUFFER: u8 = 30;

/// A text target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// WGSL.
    #[cfg(feature = "wgsl")]
    Wgsl,
    /// GLSL of a version.
    #[cfg(feature = "glsl")]
    Glsl(GlslVersion),
    /// HLSL for shader model 5.1.
    #[cfg(feature = "hlsl")]
    Hlsl,
    /// MSL.
    #[cfg(feature = "msl")]
    Msl,
}

/// The module in a language.
///
/// # Errors
/// As the function of that language.
#[cfg_attr(not(feature = "glsl"), expect(unused_variables, reason = "GLSL alone asks the profile"))]
pub fn write(
    module: &naga::Module,
    interface: &Interface,
    language: Language,
    profile: &Profile,
) -> Result<String> {
    match language {
        #[cfg(feature = "wgsl")]
        Language::Wgsl => wgsl(module, interface),
        #[cfg(feature = "glsl")]
        Language::Glsl(version) => glsl(module, interface, version, profile),
        #[cfg(feature = "hlsl")]
        Language::Hlsl => hlsl(module, interface),
        #[cfg(feature = "msl")]
        Language::Msl => msl(module, interface),
    }
}

/// The module as HLSL for shader model 5.1.
///
/// # Errors
/// [`Kind::BadOption`] for specialisation constants, [`Kind::Backend`] where naga refuses the module (a defect of this library).
#[cfg(feature = "hlsl")]
pub fn hlsl(module: &naga::Module, interface: &Interface) -> Result<String> {
    use naga::back::hlsl::{BindTarget, Options, PipelineOptions, ShaderModel, Writer};
    no_overrides(module, "HLSL")?;
    let binding_map = bindings(module)
        .map(|binding| {
            let space = u8::try_from(binding.group).map_err(|_| no_place("HLSL", binding))?;
            Ok((binding, BindTarget { register: binding.binding, space, ..BindTarget::default() }))
        })
        .collect::<Result<_>>()?;
    let options = Options { shader_model: ShaderModel::V5_1, binding_map, ..Options::default() };
    let mut text = String::new();
    Writer::new(&mut text, &options, &PipelineOptions::default())
        .write(module, &info(module)?, None)
        .map_err(|error| refused("HLSL", &error))?;
    Ok(with_header(interface, &tidy::names(&text)))
}

/// The module as MSL 2.1.
///
/// # Errors
/// [`Kind::BadOption`] for specialisation constants and bindings that MSL does not have, [`Kind::Backend`] where naga refuses
/// the module (a defect of this library).
#[cfg(feature = "msl")]
pub fn msl(module: &naga::Module, interface: &Interface) -> Result<String> {
    use naga::back::msl::{BindTarget, EntryPointResources, Options, PipelineOptions};
    no_overrides(module, "MSL")?;
    no_shared_bindings(module, "MSL")?;
    let resources = bindings(module)
        .map(|binding| {
            let slot = u8::try_from(binding.binding).ok().filter(|&slot| slot <= LAST_BUFFER);
            let slot = slot.ok_or_else(|| no_place("MSL", binding))?;
            // naga takes from the variable whether a buffer is written; of `mutable` it makes nothing there.
            Ok((binding, BindTarget { buffer: Some(slot), ..BindTarget::default() }))
        })
        .collect::<Result<_>>()?;
    // Vertex entries, whose bindings the host chooses, have no runtime arrays.
    let sizes_buffer = u8::try_from(kernel::bindings::SIZES).ok();
    let resources = EntryPointResources { resources, sizes_buffer, ..EntryPointResources::default() };
    let options = Options {
        lang_version: (2, 1),
        per_entry_point_map: [(super::naga_ir::ENTRY_POINT.to_owned(), resources)].into(),
        ..Options::default()
    };
    let (text, _) =
        naga::back::msl::write_string(module, &info(module)?, &options, &PipelineOptions::default())
            .map_err(|error| refused("MSL", &error))?;
    Ok(with_header(interface, &tidy::names(&text)))
}

/// What naga's writers want to know. Our own modules are valid: all rules are checked in debug builds only.
#[cfg(any(feature = "hlsl", feature = "msl"))]
fn info(module: &naga::Module) -> Result<naga::valid::ModuleInfo> {
    use naga::valid::ValidationFlags;
    check(module, if cfg!(debug_assertions) { ValidationFlags::all() } else { ValidationFlags::empty() })
}

/// The bindings that a module uses.
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl"))]
fn bindings(module: &naga::Module) -> impl Iterator<Item = naga::ResourceBinding> {
    module.global_variables.iter().filter_map(|(_, global)| global.binding)
}

/// In all other languages specialisation constants must be settled.
#[cfg(any(feature = "glsl", feature = "hlsl", feature = "msl"))]
fn no_overrides(module: &naga::Module, target: &str) -> Result<()> {
    if module.overrides.is_empty() {
        return Ok(());
    }
    let text =
        format!("{target} has no specialisation constants here: bake the values or read them from the block");
    Err(Error::new(Kind::BadOption(text), At::Whole))
}

/// In languages without sets two blocks may not have one binding.
#[cfg(any(feature = "glsl", feature = "msl"))]
fn no_shared_bindings(module: &naga::Module, target: &str) -> Result<()> {
    let mut seen: Vec<u32> = bindings(module).map(|binding| binding.binding).collect();
    seen.sort_unstable();
    match seen.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let text = format!("{target} has no sets: two blocks have binding {}", pair[0]);
            Err(Error::new(Kind::BadOption(text), At::Whole))
        }
    }
}

/// A binding that a language does not have.
#[cfg(any(feature = "hlsl", feature = "msl"))]
#[cold]
fn no_place(target: &str, binding: naga::ResourceBinding) -> Error {
    let text = format!("{target} has no place for set {}, binding {}", binding.group, binding.binding);
    Error::new(Kind::BadOption(text), At::Whole)
}

#[cfg(any(feature = "hlsl", feature = "msl"))]
#[cold]
fn refused(target: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(Kind::Backend(format!("naga's {target} writer: {error}")), At::Whole)
}

/// The comments at the head of every text.
fn header(interface: &Interface) -> String {
    use std::fmt::Write;
    let mut header = String::new();
    if !interface.source.is_empty() {
        header.push_str("// source: ");
        comment(&mut header, &interface.source);
        header.push('\n');
    }
    if let Some(index) = interface.executable {
        let _ = writeln!(header, "// program: DVLE {index}");
    }
    let word = interface.entry.map(|entry| format!("code word {:#x}", entry.0));
    let entry = [interface.entry_label.as_deref(), word.as_deref()];
    for (text, before) in entry.into_iter().flatten().zip(["// entry: ", ", "]) {
        header.push_str(before);
        comment(&mut header, text);
    }
    if interface.entry_label.is_some() || word.is_some() {
        header.push('\n');
    }
    if !header.is_empty() {
        header.push('\n');
    }
    header
}

/// A name from the input inside a comment, which it must not end or continue on the next line.
fn comment(out: &mut String, name: &str) {
    let harmless = |c: char| if c.is_ascii_graphic() && c != '\\' || c == ' ' { c } else { '?' };
    out.extend(name.chars().map(harmless));
}

#[cfg(any(feature = "hlsl", feature = "msl"))]
fn with_header(interface: &Interface, text: &str) -> String {
    let mut out = header(interface);
    out.push_str(text);
    out
}
