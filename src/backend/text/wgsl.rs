//! WGSL as a whole.
//! In: the pieces of a module. Out: text. Knows nothing of the IR's control flow.

use super::dialect::WGSL;
use super::functions::Trace;
use super::head::header;
use super::module::Module;
use crate::backend::interface::BackendInput;
use crate::error::Result;

/// The module as WGSL. With a trace, notes what the entry point evaluates.
///
/// # Errors
/// [`Kind::Verify`](crate::error::Kind::Verify) where the program is not well-formed or does not
/// fit its interface, [`Kind::TargetLacks`](crate::error::Kind::TargetLacks) for entry points and
/// bindings that there are not.
pub fn wgsl(source: &BackendInput<'_>, trace: Option<&mut Trace>) -> Result<String> {
    let (module, names) = Module::new(source, WGSL)?;
    let mut out = header(source.interface);
    module.declarations.write_wgsl(&mut out, &module.dialect, source.profile.invariant_position);
    module.functions(&mut out, &names, trace)?;
    Ok(out)
}
