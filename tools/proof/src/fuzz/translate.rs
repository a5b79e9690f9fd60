//! Any words under any options, with hooks: a module that passes the validators, within the limits,
//! or an error that blames the input.

use arbitrary::Unstructured;
use transpica::container::write;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{Environment, Hooked, dvle};
use transpica::reflect::Reflection;
use transpica::settings::FloatControls;
use transpica::stages::backend::naga::validate;
use transpica::stages::backend::text::Language;
use transpica::{GlslVersion, Job, Program, Setup, Shbin, Stage, Translation, Translator};

use super::{Input, unless_refused};

pub fn check(bytes: &[u8]) {
    let Ok(mut input) = Input::read(&mut Unstructured::new(bytes)) else { return };
    let seed = input.seed;
    for executable in &mut input.model.executables {
        let header = &mut executable.header;
        header.output_mask = (seed >> 16) as u16;
        header.geometry_mode = (seed & 3) as u8;
        header.geometry_start = (seed >> 2 & 0x7F) as u8;
        header.geometry_main_vertices = 1 + (seed >> 9 & 7) as u8;
        header.geometry_fixed_vertices = 1 + (seed >> 12 & 15) as u8;
    }
    let bytes = write(&input.model);
    let Ok(file) = Shbin::parse(&bytes) else { return };
    let Some(program) = unless_refused(dvle::program(&file, 0, &input.settings.options.limits)) else {
        return;
    };
    let environment = FileEnvironment::new(&file, 0, "any.shbin").expect("there");
    let hooked = Hooked { environment: &environment, hooks: &input.hooks };
    let mut translator = Translator::new(input.settings.options, input.settings.profile.clone());
    let translate = |translator: &mut Translator| translated(translator, &file, &program, &hooked, &input);
    let Some(translated) = unless_refused(translate(&mut translator)) else { return };
    let Some(words) = unless_refused(translator.spirv(&translated)) else { return };
    let limit = input.settings.options.limits.output_words as usize;
    assert!(words.len() <= limit, "{} words, {limit} are allowed", words.len());
    // Most inputs stop here, to save time for more inputs.
    match input.target % 16 {
        1 => wgsl(&translated),
        2 => GlslVersion::ALL.into_iter().for_each(|version| text(&translated, Language::Glsl(version))),
        3 => text(&translated, Language::Hlsl),
        4 => text(&translated, Language::Msl),
        // naga 30 does not know the capability DenormPreserve.
        5 if input.settings.profile.float_controls == FloatControls::NONE => naga_reads(&words),
        6 => {
            transpica_inspect::spirv::assembly(&words).expect("SPIR-V");
            Reflection::new(&program, &translated, &environment.constants());
        }
        7 => {
            let mut fresh = Translator::new(input.settings.options, input.settings.profile.clone());
            let again = translate(&mut fresh).expect("as before");
            assert_eq!(fresh.spirv(&again), Ok(words), "with a fresh translator");
        }
        _ => {}
    }
}

/// Translates a program of either stage; the target selects the job of a geometry program.
fn translated(
    translator: &mut Translator,
    file: &Shbin<'_>,
    program: &Program<'_>,
    environment: &dyn Environment,
    input: &Input,
) -> transpica::Result<Translation> {
    match program.stage() {
        Stage::Vertex => translator.translate(program, environment, input.job),
        Stage::Geometry => {
            let setup = Setup::of_geometry(file, 0, None)?;
            if input.target & 16 != 0 {
                let outputs = file.executable(0)?.header.output_mask;
                return translator.translate(program, environment, Job::Emits { outputs });
            }
            let translated = translator.translate(program, environment, Job::Geometry(&setup))?;
            assert!(translator.key(program, environment, Job::Geometry(&setup), b"").is_ok());
            Ok(translated)
        }
    }
}

/// Prints the text; naga checks the module by all of its rules here.
fn text(translated: &Translation, language: Language) {
    if let Some(text) = unless_refused(translated.text(language)) {
        assert!(text.contains("main"), "{text}");
        let limit = translated.options.limits.output_words as usize;
        assert!(text.len() <= limit * 4, "{} bytes, {limit} words are allowed", text.len());
    }
}

fn wgsl(translated: &Translation) {
    let Some(module) = unless_refused(translated.naga()) else { return };
    validate(&module).unwrap_or_else(|error| panic!("{error}"));
    let Some(text) = unless_refused(translated.text(Language::Wgsl)) else { return };
    let module = naga::front::wgsl::parse_str(&text)
        .unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(&text)));
    validate(&module).unwrap_or_else(|error| panic!("{error}\n{text}"));
}

fn naga_reads(words: &[u32]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let options = naga::front::spv::Options {
        adjust_coordinate_space: false,
        strict_capabilities: true,
        ..naga::front::spv::Options::default()
    };
    let module = naga::front::spv::parse_u8_slice(&bytes, &options);
    let module = module.unwrap_or_else(|error| panic!("naga cannot read it: {error}"));
    validate(&module).unwrap_or_else(|error| panic!("naga refuses it: {error}"));
}
