//! HLSL and MSL, which naga writes, and SPIR-V as text, for the page: an engine of its own, loaded
//! when one of them is wanted, so that the first one stays small.
//! In: a `.shbin` file, a program of it, options by path. Out: a text of a pane as JSON, or the
//! problem. Knows no document and keeps nothing.

use serde_json::{Map, Value, from_str, json};
use transpica::host::dvle::{self, FileEnvironment};
use transpica::host::{DebugSource, Sourced};
use transpica::isa::Pc;
use transpica::isa::placed::PlacedText;
use transpica::{Job, Setup, Shbin, Stage, Translation, Translator};
use transpica_inspect::spirv::placed_assembly;
use transpica_settings::Settings;
use wasm_bindgen::prelude::wasm_bindgen;

/// Path of an option of the page that is not a field of the library's.
const OF_PAGE: &str = "view.";

/// Returns a program as `hlsl`, `msl` or `spirv`. `destinations` are names of registers, as JSON.
#[wasm_bindgen]
pub fn translate(
    file: &[u8],
    program: usize,
    name: &str,
    options: &str,
    destinations: &str,
    language: &str,
) -> String {
    let destinations = from_str(destinations).unwrap_or_default();
    let source = DebugSource { destinations, ..DebugSource::default() };
    let made = translation(file, (program, name), source, options);
    let text = made.and_then(|made| text(&made, language).map_err(|error| error.to_string()));
    match text {
        Ok(PlacedText { text, places }) => {
            let numbers = |pcs: &Vec<Pc>| pcs.iter().map(|pc| pc.0).collect();
            let places: Vec<Vec<u16>> = places.iter().map(numbers).collect();
            json!({ "text": text, "places": places, "problems": [] }).to_string()
        }
        Err(message) => json!({ "error": { "severity": "error", "message": message } }).to_string(),
    }
}

fn text(made: &Translation, language: &str) -> transpica::Result<PlacedText> {
    // naga does not say what a line was made from.
    let nowhere = |text: String| PlacedText { places: vec![Vec::new(); text.lines().count()], text };
    match language {
        "hlsl" => made.hlsl().map(nowhere),
        "msl" => made.msl().map(nowhere),
        _spirv => placed_assembly(&made.placed_spirv()?),
    }
}

fn translation(
    file: &[u8],
    program: (usize, &str),
    source: DebugSource,
    options: &str,
) -> Result<Translation, String> {
    let settings = settings(options)?;
    translated(file, program, source, settings).map_err(|error| error.to_string())
}

fn settings(options: &str) -> Result<Settings, String> {
    let changes: Map<String, Value> = from_str(options).map_err(|error| error.to_string())?;
    let mut settings = Settings::default();
    for (path, value) in changes.iter().filter(|(path, _)| !path.starts_with(OF_PAGE)) {
        settings.set(path, &value.as_str().map_or_else(|| value.to_string(), str::to_owned))?;
    }
    Ok(settings)
}

fn translated(
    file: &[u8],
    (index, name): (usize, &str),
    source: DebugSource,
    Settings { options, profile }: Settings,
) -> transpica::Result<Translation> {
    let file = Shbin::parse(file)?;
    let program = dvle::program(&file, index, &options.limits)?;
    let environment = Sourced { environment: FileEnvironment::new(&file, index, name)?, source };
    let mut translator = Translator::new(options, profile);
    match program.stage() {
        Stage::Vertex => translator.translate(&program, &environment, Job::Vertex),
        Stage::Geometry => {
            let setup = Setup::with_nearest(&file, index, None, None)?;
            translator.translate(&program, &environment, Job::Geometry(&setup))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(answer: &str) -> String {
        let answer: Value = from_str(answer).expect("JSON");
        answer["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    #[test]
    fn a_program_becomes_hlsl_and_msl_with_the_options_of_the_page() {
        let file = include_bytes!("../../../shaders/lights.shbin");
        let hlsl = text(&translate(file, 0, "lights.shbin", "{}", "", "hlsl"));
        assert!(hlsl.contains("cbuffer") && hlsl.contains("float4"), "{hlsl}");
        let msl = text(&translate(file, 0, "lights.shbin", "{}", "", "msl"));
        assert!(msl.contains("#include <metal_stdlib>"), "{msl}");
        let answer: Value = from_str(&translate(file, 0, "lights.shbin", "{}", "", "spirv")).expect("JSON");
        let (text_of, places) = (answer["text"].as_str(), answer["places"].as_array().expect("places"));
        assert!(text_of.is_some_and(|text| text.contains("OpEntryPoint")), "{answer}");
        assert!(places.iter().any(|line| line != &json!([])), "no line of SPIR-V has an instruction");
        let options = r#"{"arithmetic.precision": "fast", "view.glsl_version": "300es"}"#;
        assert_ne!(text(&translate(file, 0, "lights.shbin", options, "", "msl")), msl);
        let names = json!(vec!["light"; 99]).to_string();
        let named = text(&translate(file, 0, "lights.shbin", "{}", &names, "hlsl"));
        assert!(named.contains("float3 light_xyz") && !hlsl.contains("light_xyz"), "{named}");
    }

    #[test]
    fn what_cannot_be_translated_is_a_problem() {
        let file = include_bytes!("../../../shaders/lights.shbin");
        for (file, program, options) in
            [(&file[..9], 0, "{}"), (&file[..], 7, "{}"), (&file[..], 0, "[]"), (&file[..], 0, r#"{"a": 1}"#)]
        {
            let answer: Value = from_str(&translate(file, program, "", options, "", "hlsl")).expect("JSON");
            assert!(answer["error"]["message"].is_string(), "{answer}");
        }
    }
}
