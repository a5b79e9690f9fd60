//! `transpica translate`: one vertex program to one target.

use transpica::backend::text::{GlslVersion, Language};
use transpica::host::dvle::Executable;
use transpica::host::{DepthRange, EntryPoint, Options, Profile};
use transpica::{Translated, Translator, reflect};

use super::Input;
use crate::args::{Command, Common, Entry, Target};
use crate::files;
use crate::report::Failure;

pub fn run(command: Command, common: &Common) -> Result<(), Failure> {
    let Command::Translate {
        file,
        selection,
        to,
        entry,
        output,
        reflect,
        raw_depth,
        raw_colors,
        live_constants,
        lenient,
    } = command
    else {
        unreachable!("dispatched by command")
    };
    let input = Input::read(&file)?;
    let container = input.parse()?;
    let program = input.program(&container, selection.dvle)?;
    let entry = match entry {
        Entry::Vertex => EntryPoint::Vertex,
        Entry::Compute => EntryPoint::Compute,
    };
    let options = Options {
        depth: if raw_depth { DepthRange::Raw } else { DepthRange::ZeroToW },
        clamp_colors: !raw_colors,
        fold_constants: !live_constants,
        lenient,
        ..selection.options(entry)
    };
    let name = input.name();
    let around = Executable::new(&container, selection.dvle, &name).map_err(|error| input.fail(&error))?;
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(&program, &around).map_err(|error| input.fail(&error))?;
    if !common.quiet {
        for warning in &translated.warnings {
            eprintln!("warning: {}: {warning}", file.display());
        }
    }
    if common.verbose {
        eprintln!("{}: {}", file.display(), translated.tier);
    }
    let bytes = emit(&mut translator, &translated, to).map_err(|error| input.fail(&error))?;
    let reflection = reflect.map(|path| {
        let reflection = reflect::Reflection::new(&translated, &around.constants());
        (path, serde_json::to_string_pretty(&reflection).unwrap_or_default() + "\n")
    });
    match reflection {
        Some((path, text)) => files::write_both((&path, text.as_bytes()), (output.as_deref(), &bytes)),
        None => files::write(output.as_deref(), &bytes),
    }
}

fn emit(
    translator: &mut Translator,
    translated: &Translated,
    to: Target,
) -> Result<Vec<u8>, transpica::error::Error> {
    let language = match to {
        Target::Spirv => {
            let words = translator.spirv(translated)?;
            return Ok(words.into_iter().flat_map(u32::to_le_bytes).collect());
        }
        Target::SpirvAsm => {
            let words = translator.spirv(translated)?;
            return Ok(transpica::backend::spirv::text(&words)?.into_bytes());
        }
        Target::Wgsl => Language::Wgsl,
        Target::Glsl => Language::Glsl(GlslVersion::default()),
        Target::Hlsl => Language::Hlsl,
        Target::Msl => Language::Msl,
    };
    Ok(translator.text(translated, language)?.into_bytes())
}
