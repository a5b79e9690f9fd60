//! Translators: programs in, results out.
//! In: [`settings`](crate::settings), chains of [`source`](crate::source). Out:
//! [`TranspicaResult`], keys.

use transpica::reflect::Reflection;
use transpica::{Error, Translation, Translator};
use transpica_settings::Settings;

use crate::boundary::{answer, create, done, exclusive, free, plain};
use crate::chain::TranspicaHead;
use crate::enums::{TranspicaStatus, TranspicaTarget};
use crate::memory::Memory;
use crate::problem::Problem;
use crate::result::TranspicaResult;
use crate::settings::{TranspicaSettings, read};
use crate::source::{ProgramRequest, Targets, constants};

/// Translates programs under fixed options, and reuses its memory. One for each thread.
pub struct TranspicaTranslator {
    translator: Translator,
    memory: Memory,
    /// Set while a call runs, and after a panic.
    is_busy: bool,
}

/// 128-bit identifier of a module: equal keys, equal SPIR-V. A new version of the library has new
/// keys.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TranspicaKey {
    /// The bytes in the order in which to print or compare them.
    pub bytes: [u8; 16],
}

impl TranspicaTranslator {
    fn new(Settings { options, profile }: Settings, memory: Memory) -> Self {
        Self { translator: Translator::new(options, profile), memory, is_busy: false }
    }

    /// Runs `work` on the translator; after a panic it is replaced first.
    fn with_translator<R>(&mut self, work: impl FnOnce(&mut Translator) -> R) -> R {
        if self.is_busy {
            self.translator = Translator::new(*self.translator.options(), self.translator.profile().clone());
        }
        self.is_busy = true;
        let result = work(&mut self.translator);
        self.is_busy = false;
        result
    }
}

/// Translates a program and collects the requested outputs.
fn run(
    translator: &mut Translator,
    memory: Memory,
    request: &ProgramRequest<'_>,
    targets: Targets,
) -> Result<Option<TranspicaResult>, Problem> {
    let limits = translator.options().limits;
    let job = request.job.unwrap_or_default();
    request.with(&limits, &mut |program, environment, executable| {
        let translated = translator.translate(program, environment, job)?;
        let words =
            if targets.has(TranspicaTarget::Spirv) { translator.spirv(&translated)? } else { Vec::new() };
        let mut texts = texts(&translated, targets)?;
        if targets.has(TranspicaTarget::Reflection) {
            let reflection = Reflection::new(program, &translated, &constants(executable));
            let reflection = match executable {
                Some(executable) => reflection.with_symbols(executable),
                None => reflection,
            };
            let reflection =
                serde_json::to_string(&reflection).map_err(|error| Problem::internal(error.to_string()))?;
            texts.push((TranspicaTarget::Reflection, reflection));
        }
        TranspicaResult::of_program(translated, words, texts, memory).map(Some)
    })
}

/// Prints the requested texts that this build supports.
fn texts(translated: &Translation, targets: Targets) -> Result<Vec<(TranspicaTarget, String)>, Error> {
    #[cfg_attr(
        not(any(feature = "wgsl", feature = "glsl", feature = "hlsl", feature = "msl")),
        expect(unused_mut, reason = "no text is built")
    )]
    let mut texts = Vec::new();
    #[cfg(any(feature = "wgsl", feature = "glsl", feature = "hlsl", feature = "msl"))]
    {
        use transpica::stages::backend::text::Language;
        let languages = [
            #[cfg(feature = "wgsl")]
            (TranspicaTarget::Wgsl, Language::Wgsl),
            #[cfg(feature = "glsl")]
            (TranspicaTarget::Glsl, Language::Glsl(targets.glsl)),
            #[cfg(feature = "hlsl")]
            (TranspicaTarget::Hlsl, Language::Hlsl),
            #[cfg(feature = "msl")]
            (TranspicaTarget::Msl, Language::Msl),
        ];
        for (target, language) in languages {
            if targets.has(target) {
                texts.push((target, translated.text(language)?));
            }
        }
        #[cfg(feature = "glsl")]
        if targets.has(TranspicaTarget::GlslExtensions) {
            texts.push((TranspicaTarget::GlslExtensions, translated.glsl_extensions(targets.glsl)));
        }
    }
    let _ = (translated, targets);
    Ok(texts)
}

/// Creates a translator through `translator`. `settings` is NULL for the defaults, and is not
/// needed afterwards. `errors` is NULL or receives a result if the call fails, else NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_translator_create(
    settings: *const TranspicaSettings,
    translator: *mut *mut TranspicaTranslator,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    let make = || {
        // SAFETY: NULL or settings that no other call changes.
        let (settings, memory) = unsafe { read(settings)? };
        Ok(TranspicaTranslator::new(settings, memory))
    };
    // SAFETY: NULL or places for pointers.
    unsafe { create(translator, "translator", errors, make) }
}

/// Frees a translator; its results stay. NULL is permitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_translator_free(translator: *mut TranspicaTranslator) {
    // SAFETY: NULL or a translator that is no longer used.
    unsafe { free(translator) }
}

/// Runs a call on a chain; `targets` overrides the targets that it requests.
///
/// # Safety
/// The pointers are NULL or as the functions below describe.
unsafe fn call(
    translator: *mut TranspicaTranslator,
    program: *const TranspicaHead,
    result: *mut *mut TranspicaResult,
    name: &str,
    targets: Option<Targets>,
) -> TranspicaStatus {
    if result.is_null() {
        return TranspicaStatus::BadArgument;
    }
    // SAFETY: NULL or a translator that no other call uses.
    let translator = unsafe { exclusive(translator, "translator") };
    let memory = translator.as_ref().map_or(Memory::default(), |translator| translator.memory);
    let work = || {
        // SAFETY: NULL or such a chain.
        let request = unsafe { ProgramRequest::new(program, name)? };
        let targets = targets.unwrap_or(request.targets);
        translator?.with_translator(|translator| run(translator, memory, &request, targets))
    };
    // SAFETY: a place for a pointer.
    unsafe { answer(result, memory, work) }
}

/// Translates a built-in program and discards it. A host calls this while it loads: the first
/// program of a process takes several times as long as a later one. It helps no other program: what
/// makes those slow is that the host displaced the library from the processor's caches. Results are
/// the same without it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_translator_warm_up(
    translator: *mut TranspicaTranslator,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a translator that no other call uses.
        let translator = unsafe { exclusive(translator, "translator")? };
        translator.with_translator(|translator| {
            translator.warm_up();
            Ok(())
        })
    })
}

/// Translates a program. `program` is a chain of one of TranspicaRawProgram, TranspicaExecutable,
/// TranspicaRegisterProgram and TranspicaRegisterWrites, of TranspicaRequest for targets other than
/// SPIR-V, of TranspicaJob for an entry point other than the vertex stage, of TranspicaVertexInput
/// for a draw, of TranspicaHooks, and of TranspicaDebugSource; it is not needed afterwards.
/// `result` receives a result, whatever the status is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_translate(
    translator: *mut TranspicaTranslator,
    program: *const TranspicaHead,
    result: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: guaranteed by the caller.
    unsafe { call(translator, program, result, "transpica_translate", None) }
}

/// Analyzes a program like transpica_translate, but provides only reflection: structures and JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_scan(
    translator: *mut TranspicaTranslator,
    program: *const TranspicaHead,
    result: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: guaranteed by the caller.
    unsafe {
        call(translator, program, result, "transpica_scan", Some(Targets::only(TranspicaTarget::Reflection)))
    }
}

/// Computes the key of a program under the options and the profile of a translator, without
/// translating it, through `key`. `program` is a chain as for transpica_translate, and may have a
/// TranspicaSalt; targets do not count. `errors` is NULL or receives a result if the call fails,
/// else NULL.
///
/// Keys change with what the entry point reaches of code and descriptors, with outputs and their
/// map, with formats of attributes that are read, and with hooks and salt: ask again when one of
/// those was written. Uniforms are not part of it, except for baked ones of the settings. A key
/// identifies a batch for the same settings, too. For pipelines see transpica_pipeline_key.
///
/// The status is that of transpica_translate, so a caller knows immediately which programs it must
/// run in another way. Only these errors are left to transpica_translate: one of `limits`, which no
/// program exceeds with the defaults; what a text target lacks; for
/// TRANSPICA_ENTRY_POINT_GEOMETRY_STAGE a dependence on earlier invocations, and the number of
/// triangles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_key(
    translator: *mut TranspicaTranslator,
    program: *const TranspicaHead,
    key: *mut TranspicaKey,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    let work = || {
        if key.is_null() {
            return Err(Problem::null("key"));
        }
        // SAFETY: NULL or a translator that no other call uses.
        let translator = unsafe { exclusive(translator, "translator")? };
        // SAFETY: NULL or such a chain.
        let request = unsafe { ProgramRequest::new(program, "transpica_key")? };
        let bytes = translator.with_translator(|translator| {
            let limits = translator.options().limits;
            request.with(&limits, &mut |program, environment, _| {
                Ok(translator.key(program, environment, request.job.unwrap_or_default(), request.salt)?.0)
            })
        })?;
        // SAFETY: not NULL, so a place for a key.
        unsafe { key.write(TranspicaKey { bytes }) };
        Ok(())
    };
    // SAFETY: NULL or a place for a pointer.
    unsafe { done(errors, work) }
}

/// Major version * 65,536 + minor version * 256 + patch level of the library that is linked.
#[unsafe(no_mangle)]
pub extern "C" fn transpica_version() -> u32 {
    crate::VERSION_MAJOR << 16 | crate::VERSION_MINOR << 8 | crate::VERSION_PATCH
}

/// The version as text, such as `0.1.0`; ends with a zero.
#[unsafe(no_mangle)]
pub extern "C" fn transpica_version_text() -> *const std::ffi::c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns 1 if the linked library supports a TranspicaTarget, else 0.
#[unsafe(no_mangle)]
pub extern "C" fn transpica_has_target(target: u32) -> u32 {
    let is_there = |(known, built): (TranspicaTarget, bool)| known as u32 == target && built;
    u32::from(crate::source::TARGETS.into_iter().any(is_there))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_translator_works_after_a_panic() {
        let mut translator = TranspicaTranslator::new(Settings::default(), Memory::default());
        let used = std::panic::AssertUnwindSafe(|| translator.with_translator(|_| panic!("for the test")));
        assert!(std::panic::catch_unwind(used).is_err() && translator.is_busy);
        let version = translator.with_translator(|translator| translator.profile().spirv_version);
        assert!(version == (1, 3) && !translator.is_busy);
    }
}
