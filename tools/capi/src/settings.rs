//! Settings: options, profile and allocator of translators and batches, set by paths and texts.
//! In: texts of the caller. Out: [`TranspicaSettings`]. Paths and values are `transpica_settings`',
//! so a new option of the library needs nothing here.

use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};

use transpica_settings::{Settings, tree};

use crate::boundary::{done, exclusive, free, shared, value};
use crate::enums::{Choice, TranspicaCode, TranspicaStatus};
use crate::memory::{Memory, TranspicaAllocator};
use crate::problem::Problem;
use crate::result::TranspicaResult;

/// Configuration of translators and batches: options, target settings, an allocator. A fresh one
/// has the defaults. Options are a tree of fields with paths such as `outputs.depth`, and values
/// are texts as the command line spells them, or JSON: transpica_settings_describe lists them.
pub struct TranspicaSettings {
    values: Settings,
    memory: Memory,
    /// The text that was returned last.
    text: CString,
}

/// Limit of the bytes of a text.
const LONGEST: usize = 1 << 16;

/// Borrows a text of the caller.
///
/// # Safety
/// `text` is NULL or ends with a zero.
pub(crate) unsafe fn text<'a>(text: *const c_char, name: &str) -> Result<&'a str, Problem> {
    if text.is_null() {
        return Err(Problem::null(name));
    }
    // SAFETY: not NULL, so a text that ends with a zero.
    let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
    if bytes.len() > LONGEST {
        let text = format!("{name} has {} bytes; the maximum is {LONGEST}", bytes.len());
        return Err(Problem::size(text));
    }
    str::from_utf8(bytes).map_err(|_| option(format!("{name} is not UTF-8")))
}

/// Builds the problem of a path or a value.
fn option(text: String) -> Problem {
    Problem::argument(TranspicaCode::BadOption, text)
}

/// Returns a copy of checked settings; the defaults for NULL.
///
/// # Safety
/// `settings` is NULL or settings that no other call changes.
pub(crate) unsafe fn read(settings: *const TranspicaSettings) -> Result<(Settings, Memory), Problem> {
    // SAFETY: guaranteed by the caller.
    let settings = unsafe { settings.as_ref() };
    let (values, memory) =
        settings.map_or_else(Default::default, |settings| (settings.values.clone(), settings.memory));
    values.check()?;
    Ok((values, memory))
}

/// Runs a call that changes settings.
///
/// # Safety
/// `settings` is NULL or settings that no other call uses; `errors` is NULL or a place for a
/// pointer.
unsafe fn change(
    settings: *mut TranspicaSettings,
    errors: *mut *mut TranspicaResult,
    work: impl FnOnce(&mut TranspicaSettings) -> Result<(), Problem>,
) -> TranspicaStatus {
    // SAFETY: guaranteed by the caller.
    unsafe { done(errors, || work(exclusive(settings, "settings")?)) }
}

/// Creates settings with the defaults. NULL only after a defect of the library.
#[unsafe(no_mangle)]
pub extern "C" fn transpica_settings_new() -> *mut TranspicaSettings {
    value(null_mut(), || {
        let (values, memory, text) = Default::default();
        Ok(Box::into_raw(Box::new(TranspicaSettings { values, memory, text })))
    })
}

/// Frees settings. Objects that were made with them do not need them. NULL is permitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_settings_free(settings: *mut TranspicaSettings) {
    // SAFETY: NULL or settings that are no longer used.
    unsafe { free(settings) }
}

/// Replaces all options by those of a known host: `azahar-vulkan`, `azahar-opengl`,
/// `azahar-opengles`, `panda3ds-opengl`, `panda3ds-opengles` or `tanuki3ds-opengl`. Fields may be
/// set after it. `errors` is NULL or receives a result if the call fails, else NULL; so below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_settings_preset(
    settings: *mut TranspicaSettings,
    name: *const c_char,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: guaranteed by the caller.
    unsafe {
        change(settings, errors, |settings| {
            settings.values = Settings::preset(text(name, "name")?).map_err(option)?;
            Ok(())
        })
    }
}

/// Sets the field at a path, or a part of the tree: `outputs.depth` to `-w..w`,
/// `control.loop_guard` to `1000` or `none`, `control.bools` to `b0=true,b3=specialized`,
/// `varyings` to `azahar` or JSON. A wrong path or value changes nothing, and the message names the
/// nearest one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_settings_set(
    settings: *mut TranspicaSettings,
    path: *const c_char,
    value: *const c_char,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: guaranteed by the caller.
    unsafe {
        change(settings, errors, |settings| {
            settings.values.set(text(path, "path")?, text(value, "value")?).map_err(option)
        })
    }
}

/// Declares the rules of float arithmetic that a Vulkan device reports in
/// `VkPhysicalDeviceFloatControlsProperties`: `shaderSignedZeroInfNanPreserveFloat32`,
/// `shaderDenormPreserveFloat32` and `shaderRoundingModeRTEFloat32`, each 0 or 1. Sets
/// `float_controls`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_settings_float_controls(
    settings: *mut TranspicaSettings,
    nan: u32,
    subnormals: u32,
    rounding: u32,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: guaranteed by the caller.
    unsafe {
        change(settings, errors, |settings| {
            let rules = [("nan", nan), ("subnormals", subnormals), ("rounding", rounding)];
            rules.into_iter().try_for_each(|(rule, is_reported)| {
                let value = if is_reported == 0 { "false" } else { "true" };
                settings.values.set(&format!("float_controls.{rule}"), value).map_err(option)
            })
        })
    }
}

/// Sets the allocator of results; NULL is the library's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_settings_set_allocator(
    settings: *mut TranspicaSettings,
    allocator: *const TranspicaAllocator,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: guaranteed by the caller.
    unsafe {
        change(settings, errors, |settings| {
            settings.memory = allocator.as_ref().map_or(Ok(Memory::default()), |it| Memory::new(it))?;
            Ok(())
        })
    }
}

/// Runs a call that returns a text of settings; NULL if it fails.
///
/// # Safety
/// As for [`change`]; `path` is NULL or ends with a zero.
unsafe fn show(
    settings: *mut TranspicaSettings,
    path: *const c_char,
    errors: *mut *mut TranspicaResult,
    make: impl FnOnce(&Settings, &str) -> Result<String, String>,
) -> *const c_char {
    let mut shown = null();
    // SAFETY: guaranteed by the caller.
    unsafe {
        change(settings, errors, |settings| {
            let made = make(&settings.values, text(path, "path")?).map_err(option)?;
            // JSON and texts of callers have no zero.
            settings.text = CString::new(made).map_err(|error| Problem::internal(error.to_string()))?;
            shown = settings.text.as_ptr();
            Ok(())
        });
    }
    shown
}

/// Returns the value at a path as a text that transpica_settings_set reads; NULL for a wrong path.
/// It lives until the next call with these settings that is not const.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_settings_get(
    settings: *mut TranspicaSettings,
    path: *const c_char,
    errors: *mut *mut TranspicaResult,
) -> *const c_char {
    // SAFETY: guaranteed by the caller.
    unsafe { show(settings, path, errors, Settings::get) }
}

/// Describes the fields at or below a path, all of them for an empty one, as JSON: a list of
/// objects with `path`, `group`, `help`, `form`, `choices`, `default`, `value`, `changed`. It lives
/// as long as the text of transpica_settings_get.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_settings_describe(
    settings: *mut TranspicaSettings,
    path: *const c_char,
    errors: *mut *mut TranspicaResult,
) -> *const c_char {
    // SAFETY: guaranteed by the caller.
    unsafe {
        show(settings, path, errors, |values, path| {
            if !path.is_empty() {
                values.get(path)?;
            }
            let mut rows = values.form();
            rows.retain(|row| tree::is_below(&row.path, path) || tree::is_below(path, &row.path));
            serde_json::to_string(&rows).map_err(|error| error.to_string())
        })
    }
}

/// Checks what no single field can violate, such as two blocks at one binding or two outputs at one
/// location. Translators and batches are not made with settings that fail.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_settings_check(
    settings: *const TranspicaSettings,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: NULL or settings that no other call changes; NULL or a place for a pointer.
    unsafe { done(errors, || Ok(shared(settings, "settings")?.values.check()?)) }
}

/// Converts a number to a value of an enumeration.
pub(crate) fn choice<T: Choice>(name: &str, number: u32) -> Result<T, Problem> {
    T::read(number).ok_or_else(|| Problem::choice(format!("{name} is {number}, which is not defined")))
}

/// Converts 0 or 1.
pub(crate) fn switch(name: &str, number: u32) -> Result<bool, Problem> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Problem::choice(format!("{name} is {number} but must be 0 or 1"))),
    }
}

/// Checks that a reserved field is 0.
pub(crate) fn reserved(name: &str, number: u32) -> Result<(), Problem> {
    match number {
        0 => Ok(()),
        _ => Err(Problem::argument(TranspicaCode::UnknownField, format!("{name} is {number} but must be 0"))),
    }
}

/// Returns a number, or what 0 stands for.
pub(crate) fn or<T: Default + PartialEq>(given: T, otherwise: T) -> T {
    if given == T::default() { otherwise } else { given }
}

/// Converts a number that the library stores in fewer bits.
pub(crate) fn narrow<T: TryFrom<u32>>(name: &str, number: u32) -> Result<T, Problem> {
    T::try_from(number)
        .map_err(|_| Problem::choice(format!("{name} is {number:#x}, which has too many bits")))
}
