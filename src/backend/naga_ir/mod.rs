//! IR to `naga::Module`, the base of the text targets and a form that wgpu takes as it is.
//! In: a legalized [`Module`] with its [`Interface`], [`Options`] and [`Profile`]. Out: a module that naga's validator
//! accepts with no capabilities, unless there are clip distances. Must not know control-flow graphs or instruction encodings.
//! Rules: naga 30's validator, and what its writers and Tint were measured to do beyond it: functions are appended before
//! their callers (the validator panics otherwise), no float `!=` (gfx-rs/wgpu SPIR-V output makes it ordered), no literal
//! infinity or NaN, no expression nested deeper than naga's recursion allows.
//!
//! ```text
//! struct Uniforms     one member for each member of the interface's block     where the profile has it; compute: binding(2)
//! struct Host         the fields of the host block, where one is read           where the profile has it
//! override            one for each specialisation constant that is read        its id is that of SPIR-V
//! struct VertexOutput one member for each output, position built-in            (vertex form)
//! fn main             vertex: attributes at their registers' locations; compute: 64 invocations a workgroup,
//!                     `inputs` @binding(0) and `outputs` @binding(1), sixteen vec4f a vertex;
//!                     geometry programs: see `kernel`
//! ```

mod carry;
mod control;
mod entry;
mod function;
mod kernel;
mod names;
mod ops;
mod shuffle;
#[cfg(all(test, feature = "wgsl", feature = "glsl", feature = "hlsl", feature = "msl"))]
mod tests;
mod types;

pub use naga;

pub use entry::ENTRY_POINT;
#[cfg(any(feature = "wgsl", feature = "glsl"))]
pub(crate) use function::operands;

use function::{Builder, Shared, Slot};
use naga::{Expression, Span, Statement};

use crate::error::{At, Error, Kind, Result};
use crate::host::{Binding, EntryPoint, Interface, Options, Profile};
use crate::ir::{Def, Func, HintRegister, Module, Op};

/// The naga module of a program.
///
/// # Errors
/// [`Kind::Verify`] where the program breaks the law of the IR or does not fit its interface.
pub fn build(
    module: &Module,
    interface: &Interface,
    options: &Options,
    profile: &Profile,
) -> Result<naga::Module> {
    let mut shared = Shared {
        module: naga::Module::default(),
        block: types::Block::default(),
        host: None,
        specialized: [None; 32],
        helpers: Vec::new(),
    };
    let binding = profile.uniforms(options.entry);
    shared.block = types::uniform_block(&mut shared.module, &interface.block, binding)?;
    // Operations of helpers come from registers alone.
    if reads_host(&module.main) {
        let binding = match interface.geometry {
            Some(_) => Binding { set: 0, binding: crate::host::kernel::bindings::HOST },
            None => profile.bindings.host,
        };
        if interface.block.size > 0 && interface.geometry.is_none() {
            profile.bindings.check()?;
        }
        shared.host = Some(types::host_block(&mut shared.module, binding));
    }
    for func in &module.helpers {
        let function = helper(&mut shared, func)?;
        let handle = shared.module.functions.append(function, Span::UNDEFINED);
        shared.helpers.push(handle);
    }
    let entry = match options.entry {
        EntryPoint::Vertex => entry::vertex(&mut shared, &module.main, interface, options, profile)?,
        EntryPoint::Compute => match &interface.geometry {
            Some(kernel) => kernel::entry(&mut shared, &module.main, kernel)?,
            None => entry::compute(&mut shared, &module.main, interface, options)?,
        },
        EntryPoint::Geometry => {
            let text = "naga knows no geometry stages; SPIR-V has them";
            return Err(Error::new(Kind::BadOption(text.to_string()), At::Whole));
        }
    };
    shared.module.entry_points.push(entry);
    Ok(shared.module)
}

/// Whether a function reads a field of the host block.
fn reads_host(func: &Func) -> bool {
    func.values.values().iter().any(|value| matches!(value.def, Def::Op(Op::HostField(_))))
}

/// Checks a module by all of naga's rules. Clip distances, which a device must have been asked for, are allowed.
///
/// # Errors
/// [`Kind::Backend`] with naga's words.
pub fn validate(module: &naga::Module) -> Result<naga::valid::ModuleInfo> {
    check(module, naga::valid::ValidationFlags::all())
}

/// What naga's writers want to know of a module, with the checks that these flags name.
pub(crate) fn check(
    module: &naga::Module,
    flags: naga::valid::ValidationFlags,
) -> Result<naga::valid::ModuleInfo> {
    let mut validator = naga::valid::Validator::new(flags, naga::valid::Capabilities::CLIP_DISTANCES);
    validator.validate(module).map_err(|error| {
        let mut text = format!("naga: {}", error.as_inner());
        let mut source = std::error::Error::source(error.as_inner());
        while let Some(inner) = source {
            text.push_str(&format!(": {inner}"));
            source = inner.source();
        }
        Error::new(Kind::Backend(text), At::Whole)
    })
}

/// A helper function.
fn helper(shared: &mut Shared, func: &Func) -> Result<naga::Function> {
    let mut builder = Builder::new(shared, func);
    builder.out.name = Some(if func.name.is_empty() { "helper".to_owned() } else { func.name.to_string() });
    for (index, &param) in (0u32..).zip(func.get(func.params)) {
        let data = func.values[param];
        let name = match data.hint.register {
            HintRegister::None => Some(["a", "b", "c", "d"][index as usize % 4].to_owned()),
            _ => Some(names::name(data.hint, data.ty.kind)),
        };
        let ty = types::value_type(&mut builder.shared.module, data.ty);
        builder.out.arguments.push(naga::FunctionArgument { name, ty, binding: None });
        let expr = builder.outside(Expression::FunctionArgument(index));
        builder.set(param, Slot::Whole(expr));
    }
    let Some(outputs) = builder.body()? else {
        return Err(broken(format!("helper {} never ends", func.name)));
    };
    let &[output] = outputs.as_slice() else {
        return Err(broken(format!("helper {} has {} outputs", func.name, outputs.len())));
    };
    let ty = types::value_type(&mut builder.shared.module, func.ty(output));
    builder.out.result = Some(naga::FunctionResult { ty, binding: None });
    let value = builder.operand(output)?;
    builder.used(value);
    builder.push(Statement::Return { value: Some(value) });
    Ok(builder.finish())
}

/// The error of an IR that breaks its law.
#[cold]
fn broken(what: impl Into<String>) -> Error {
    Error::new(Kind::Verify(what.into()), At::Whole)
}
