//! `transpica-web-bind MODULE FOLDER [--script]`: writes the JavaScript that wasm-bindgen makes for
//! a WebAssembly module, and the latter beside it. A page imports the JavaScript; with `--script`
//! it is not a module and declares `wasm_bindgen`.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (module, folder, is_script) = match &arguments[..] {
        [module, folder] => (module, folder, false),
        [module, folder, flag] if flag == "--script" => (module, folder, true),
        _ => {
            eprintln!("usage: transpica-web-bind MODULE FOLDER [--script]");
            return ExitCode::from(2);
        }
    };
    match bind(module.as_ref(), folder.as_ref(), is_script) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn bind(module: &Path, folder: &Path, is_script: bool) -> Result<(), String> {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(module).typescript(false);
    let chosen = if is_script { bindgen.no_modules(true) } else { bindgen.web(true) };
    chosen.map_err(|error| format!("{error:#}"))?;
    bindgen.generate(folder).map_err(|error| format!("{}: {error:#}", module.display()))
}
