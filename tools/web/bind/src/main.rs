//! `transpica-web-bind MODULE FOLDER`: writes the JavaScript that wasm-bindgen makes for a module,
//! and the module that it imports, as a page loads them.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        eprintln!("usage: transpica-web-bind MODULE FOLDER");
        return ExitCode::from(2);
    };
    match bind(module.as_ref(), folder.as_ref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn bind(module: &Path, folder: &Path) -> Result<(), String> {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(module).typescript(false);
    bindgen.web(true).map_err(|error| format!("{error:#}"))?;
    bindgen.generate(folder).map_err(|error| format!("{}: {error:#}", module.display()))
}
