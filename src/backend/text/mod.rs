//! WGSL and GLSL in the form of hand-written code.
//! In: a [`BackendInput`]: a legalized module of the intermediate form, the host interface and
//! profile. Out: text that begins with comments naming the source, the program and the entry. Knows
//! neither PICA200 encodings nor control-flow graphs.
//!
//! | file | what it does |
//! |---|---|
//! | `functions.rs`, `module.rs` | the functions one by one; what they share |
//! | `build/` | the draft of a function: `region.rs`, `carry.rs` control flow and its variables, `loops.rs` loops as `for` and `while`, `entry.rs` attributes, buffers, outputs, `operations.rs` an expression for each operation |
//! | `draft/` | the lines and expressions that these build; `uses.rs`, `scopes.rs`, `stores.rs` what `facts.rs` holds about them; `inline.rs` which expressions get a name, decided once |
//! | `names/` | identifiers; `labels.rs` names of expressions that come from no register |
//! | `print/` | lines as text; `expressions.rs`, `syntax.rs` what is in them; `switchless.rs` a `switch` as tests, for GLSL that has none in loops |
//! | `head.rs`, `declarations.rs` | comments and `#extension` lines; types, blocks and buffers |
//! | `glsl.rs`, `quaternions.rs` | GLSL as a whole; the one stage without a program |
//! | `dialect/` | the languages as tables: spellings, `versions.rs` of GLSL, `operators.rs` a row for each operation |

mod build;
mod declarations;
mod dialect;
mod draft;
mod functions;
#[cfg(feature = "glsl")]
mod glsl;
mod head;
mod module;
mod names;
mod print;
#[cfg(feature = "glsl")]
mod quaternions;

#[cfg(feature = "glsl")]
pub use dialect::versions::GlslVersion;
#[cfg(feature = "glsl")]
pub use glsl::{extensions, glsl};

pub use super::{Language, write};

pub(super) use functions::{Trace, placed};
#[cfg(feature = "wgsl")]
pub(super) use head::header;
#[cfg(feature = "msl")]
pub(super) use module::no_shared_bindings;
#[cfg(any(feature = "hlsl", feature = "msl"))]
pub(super) use module::unspecialized;

#[cfg(feature = "wgsl")]
use self::dialect::versions::Marks;
#[cfg(feature = "wgsl")]
use self::module::Module;
#[cfg(feature = "wgsl")]
use super::interface::BackendInput;
#[cfg(feature = "wgsl")]
use crate::error::Result;

/// The module as WGSL. With a trace, notes what the entry point evaluates.
///
/// # Errors
/// [`Kind::Verify`](crate::error::Kind::Verify) where the program is not well-formed or does not
/// fit its interface, [`Kind::TargetLacks`](crate::error::Kind::TargetLacks) for entry points and
/// bindings that there are not.
#[cfg(feature = "wgsl")]
pub fn wgsl(source: &BackendInput<'_>, trace: Option<&mut Trace>) -> Result<String> {
    let (module, names) = Module::new(source, dialect::WGSL)?;
    let mut out = header(source.interface);
    module.declarations.write_wgsl(&mut out, &module.dialect, source.profile.invariant_position);
    module.functions(&mut out, &names, Marks::Nothing, trace)?;
    Ok(out)
}
