//! `glue MODULE FOLDER NAME [--script]`: writes `NAME.js`, the JavaScript that wasm-bindgen makes
//! for a WebAssembly module, and the module itself as `NAME_bg.wasm`. A page imports the
//! JavaScript; with `--script` it is not a module and declares `wasm_bindgen`.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (module, folder, name, is_script) = match &arguments[..] {
        [module, folder, name] => (module, folder, name, false),
        [module, folder, name, flag] if flag == "--script" => (module, folder, name, true),
        _ => {
            eprintln!("usage: glue MODULE FOLDER NAME [--script]");
            return ExitCode::from(2);
        }
    };
    match bind(module.as_ref(), folder.as_ref(), name, is_script) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn bind(module: &Path, folder: &Path, name: &str, is_script: bool) -> Result<(), String> {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(module).out_name(name).typescript(false);
    let chosen = if is_script { bindgen.no_modules(true) } else { bindgen.web(true) };
    chosen.map_err(|error| format!("{error:#}"))?;
    bindgen.generate(folder).map_err(|error| format!("{}: {error:#}", module.display()))
}
