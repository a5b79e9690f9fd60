//! Modules of naga, parsed from our WGSL, and HLSL and MSL by naga's writers.
//! In: the input of [`text`](super::text). Out: a `naga::Module`, which wgpu accepts unchanged, or
//! text that begins with comments naming the source and the entry. Knows nothing of the IR.
//!
//! | target | contract |
//! |---|---|
//! | HLSL | entry `main`, shader model 5.1; binding n of set m is register b*n*, t*n* or u*n* in space *m* |
//! | MSL | entry [`MSL_ENTRY_POINT`], MSL 2.1; binding n is buffer n; compute forms take the sizes of their runtime arrays in buffer [`SIZES`](crate::geometry::kernel::bindings::SIZES) |
//!
//! MSL has no sets, so two blocks may not share a binding there; naga's writers know no
//! specialization constants.

pub use naga;

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{
    Arena, Block, Expression, Function, GlobalVariable, Handle, Statement, Type, TypeInner, UniqueArena,
};

use super::interface::BackendInput;
use super::text;
use crate::error::{At, Error, Kind, Result};
use crate::host::settings::Binding;

/// Name of the entry point in MSL, which reserves `main`.
pub const MSL_ENTRY_POINT: &str = "main_";

/// Returns the naga module of a program.
///
/// # Errors
/// As [`text::wgsl`]; [`Kind::Backend`] if naga rejects the text (a defect of this library).
pub fn module(source: &BackendInput<'_>) -> Result<naga::Module> {
    let wgsl = text::wgsl(source, None)?;
    let mut module = naga::front::wgsl::parse_str(&wgsl).map_err(|error| refused("WGSL reader", &error))?;
    let naga::Module { functions, entry_points, global_variables, types, .. } = &mut module;
    // In WGSL a block of words ends after the last word; hosts bind complete vectors.
    for name in ["Uniforms", "UniformsAgain"] {
        let Some((handle, ty)) = types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name)) else {
            continue;
        };
        let mut ty = ty.clone();
        if let TypeInner::Struct { span, .. } = &mut ty.inner
            && *span != source.interface.block.size
        {
            *span = source.interface.block.size;
            types.replace(handle, ty);
        }
    }
    let entries = entry_points.iter_mut().map(|entry| &mut entry.function);
    for function in functions.iter_mut().map(|(_, function)| function).chain(entries) {
        end_with_steps(&mut function.body);
        // naga's writers give each load a variable: `_e12` where it has no name.
        let name = |pointer| place_name(function, global_variables, types, pointer).map(str::to_owned);
        let names: Vec<_> = function
            .expressions
            .iter()
            .filter_map(|(expr, expression)| match *expression {
                Expression::Load { pointer } => Some((expr, name(pointer)?)),
                _ => None,
            })
            .collect();
        for (expr, name) in names {
            // Names of `let` declarations in our text take precedence.
            function.named_expressions.entry(expr).or_insert(name);
        }
        // They also make names unique, and append a `_` to those that end in a digit.
        let locals = function.local_variables.iter_mut().filter_map(|(_, local)| local.name.as_mut());
        for name in function.named_expressions.values_mut().chain(locals) {
            name.truncate(without_number(name).len());
        }
    }
    Ok(module)
}

/// Moves the step of each `for` to the end of the loop's body: no loop of ours with a step has a
/// `continue`. naga's writers give steps a variable that says whether the first iteration is over.
/// Recursion follows the nesting depth, which the text bounds.
fn end_with_steps(block: &mut Block) {
    for statement in block.iter_mut() {
        match statement {
            Statement::Block(inner) => end_with_steps(inner),
            Statement::If { accept, reject, .. } => {
                end_with_steps(accept);
                end_with_steps(reject);
            }
            Statement::Switch { cases, .. } => {
                cases.iter_mut().for_each(|case| end_with_steps(&mut case.body));
            }
            Statement::Loop { body, continuing, break_if: None } => {
                end_with_steps(body);
                body.append(continuing);
            }
            _other_statement => {}
        }
    }
}

/// Strips the number that distinguishes a name from equal ones.
fn without_number(name: &str) -> &str {
    match name.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('_') {
        Some(stem) if !stem.is_empty() && !name.ends_with('_') => stem,
        _ => name,
    }
}

/// Returns the name of the variable or member that a pointer points into.
fn place_name<'m>(
    function: &'m Function,
    globals: &'m Arena<GlobalVariable>,
    types: &'m UniqueArena<Type>,
    mut pointer: Handle<Expression>,
) -> Option<&'m str> {
    loop {
        match function.expressions[pointer] {
            Expression::GlobalVariable(global) => return globals[global].name.as_deref(),
            Expression::LocalVariable(local) => return function.local_variables[local].name.as_deref(),
            Expression::AccessIndex { base, index } => {
                if let Expression::GlobalVariable(global) = function.expressions[base]
                    && let TypeInner::Struct { members, .. } = &types[globals[global].ty].inner
                {
                    return members.get(index as usize)?.name.as_deref();
                }
                pointer = base;
            }
            Expression::Access { base, .. } => pointer = base,
            _ => return None,
        }
    }
}

/// Checks a module by all of naga's rules. Clip distances, an optional feature of devices, are
/// allowed.
///
/// # Errors
/// [`Kind::Backend`] with naga's message.
pub fn validate(module: &naga::Module) -> Result<ModuleInfo> {
    check(module, ValidationFlags::all())
}

/// Returns the module information that naga's writers need, after the checks of these flags.
fn check(module: &naga::Module, flags: ValidationFlags) -> Result<ModuleInfo> {
    let mut validator = Validator::new(flags, Capabilities::CLIP_DISTANCES);
    validator.validate(module).map_err(|error| {
        let mut text = format!("naga: {}", error.as_inner());
        let mut source = std::error::Error::source(error.as_inner());
        // naga nests its errors: the outermost names the function, the innermost the fault.
        while let Some(inner) = source {
            text.push_str(&format!(": {inner}"));
            source = inner.source();
        }
        Error::new(Kind::Backend(text), At::Whole)
    })
}

/// Returns the module information that naga's writers need. Our modules are valid: all rules are
/// checked in debug builds only.
fn info(module: &naga::Module) -> Result<ModuleInfo> {
    check(module, if cfg!(debug_assertions) { ValidationFlags::all() } else { ValidationFlags::empty() })
}

/// Returns the module as HLSL for shader model 5.1.
///
/// # Errors
/// As [`module`]; [`Kind::TargetLacks`] for specialization constants.
#[cfg(feature = "hlsl")]
pub fn hlsl(source: &BackendInput<'_>) -> Result<String> {
    use naga::back::hlsl::{BindTarget, Options, PipelineOptions, ShaderModel, Writer};
    let module = unspecialized_module(source, "HLSL")?;
    let binding_map = bindings(&module)
        .map(|binding| {
            let space = place(binding).hlsl_space().ok_or_else(|| no_place("HLSL", binding))?;
            Ok((binding, BindTarget { register: binding.binding, space, ..BindTarget::default() }))
        })
        .collect::<Result<_>>()?;
    let options = Options { shader_model: ShaderModel::V5_1, binding_map, ..Options::default() };
    let mut text = String::new();
    Writer::new(&mut text, &options, &PipelineOptions::default())
        .write(&module, &info(&module)?, None)
        .map_err(|error| refused("HLSL writer", &error))?;
    Ok(text::head::header(source.interface) + &plain_names(&text))
}

/// Returns the module as MSL 2.1.
///
/// # Errors
/// As [`module`]; [`Kind::TargetLacks`] for specialization constants and bindings that MSL does not
/// have.
#[cfg(feature = "msl")]
pub fn msl(source: &BackendInput<'_>) -> Result<String> {
    use naga::back::msl::{BindTarget, EntryPointResources, Options, PipelineOptions};
    let module = unspecialized_module(source, "MSL")?;
    text::module::no_shared_bindings("MSL", bindings(&module).map(|binding| binding.binding).collect())?;
    let resources = bindings(&module)
        .map(|binding| {
            let slot = place(binding).msl_slot().ok_or_else(|| no_place("MSL", binding))?;
            // naga derives the access of a buffer from its variable and ignores `mutable` here.
            Ok((binding, BindTarget { buffer: Some(slot), ..BindTarget::default() }))
        })
        .collect::<Result<_>>()?;
    // Vertex entries, whose bindings the host chooses, have no runtime arrays.
    let sizes_buffer = u8::try_from(crate::geometry::kernel::bindings::SIZES).ok();
    let resources = EntryPointResources { resources, sizes_buffer, ..EntryPointResources::default() };
    let options = Options {
        lang_version: (2, 1),
        per_entry_point_map: [(super::ENTRY_NAME.to_owned(), resources)].into(),
        ..Options::default()
    };
    let (text, _) =
        naga::back::msl::write_string(&module, &info(&module)?, &options, &PipelineOptions::default())
            .map_err(|error| refused("MSL writer", &error))?;
    Ok(text::head::header(source.interface) + &plain_names(&text))
}

/// Returns the naga module of a program without specialization constants.
fn unspecialized_module(source: &BackendInput<'_>, target: &'static str) -> Result<naga::Module> {
    let module = module(source)?;
    if module.overrides.is_empty() { Ok(module) } else { Err(text::module::unspecialized(target)) }
}

/// Returns the bindings that a module uses.
fn bindings(module: &naga::Module) -> impl Iterator<Item = naga::ResourceBinding> {
    module.global_variables.iter().filter_map(|(_, global)| global.binding)
}

/// Returns a binding as the host has it.
fn place(naga::ResourceBinding { group: set, binding }: naga::ResourceBinding) -> Binding {
    Binding { set, binding }
}

/// Returns the error of a binding that a language lacks.
fn no_place(target: &'static str, binding: naga::ResourceBinding) -> Error {
    text::module::lacks(target, format!("place for set {}, binding {}", binding.group, binding.binding))
}

#[cold]
fn refused(what: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(Kind::Backend(format!("naga's {what}: {error}")), At::Whole)
}

/// Removes the `_` that naga appends to names that end in a digit, unless another identifier has
/// the name already.
fn plain_names(text: &str) -> String {
    let taken: std::collections::BTreeSet<&str> = words(text).collect();
    let mut out = String::with_capacity(text.len());
    for word in words(text) {
        out.push_str(plain(word).filter(|name| !taken.contains(name)).unwrap_or(word));
    }
    out
}

/// Returns the name without the appended `_`, for our names that are not keywords in any target:
/// `r7_`, `left_i0_`, `texcoord_0_`.
fn plain(word: &str) -> Option<&str> {
    let name = word.strip_suffix('_')?;
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let register =
        matches!(stem, "r" | "o" | "v" | "c" | "a" | "i") || stem.ends_with('_') || stem.ends_with("_i");
    (register && stem.len() < name.len() && word.starts_with(|c: char| c.is_ascii_alphabetic()))
        .then_some(name)
}

/// Splits the text into tokens: identifiers and numbers, and the text between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let first = rest.chars().next()?;
        let length = if part(first) { rest.find(|c: char| !part(c)) } else { rest.find(part) };
        let (word, tail) = rest.split_at(length.unwrap_or(rest.len()));
        rest = tail;
        Some(word)
    })
}
