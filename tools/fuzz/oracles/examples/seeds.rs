//! Writes seeds for every fuzz target: `cargo run --example seeds -- FOLDER`. The corpus in
//! `tools/fuzz/corpus` started from them; they are needed again only if the input format changes.

use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

use transpica::stages::cfg::explore;
use transpica::stages::cfg::reduce::reduce;
use transpica::stages::container::{Model, Shbin};
use transpica::stages::host::Options;
use transpica::stages::host::dvle;
use transpica::stages::isa::limits::FLOATS;
use transpica::stages::lower::{self, Context, OutputSelection};
use transpica::stages::structure::{self, Structured};
use transpica::stages::{ir, isa};
use transpica_oracles::Input;

fn main() -> Result<()> {
    let to = PathBuf::from(std::env::args().nth(1).expect("usage: seeds FOLDER"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    for folder in ["shaders", "tests/cases/picasso", "tests/cases/peers", "tests/cases/dis"] {
        for entry in fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            let bytes = fs::read(&path)?;
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            match path.extension().and_then(|end| end.to_str()) {
                Some("pica") => put(&to, "assembler", &name, &bytes)?,
                Some("shbin") if !bytes.is_empty() => binary(&to, &name, &bytes)?,
                _ => {}
            }
        }
    }
    Ok(())
}

fn put(to: &Path, target: &str, name: &str, bytes: &[u8]) -> Result<()> {
    let folder = to.join(target);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(name), bytes)
}

fn binary(to: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    put(to, "container", name, bytes)?;
    put(to, "round_trip", name, bytes)?;
    let Ok(file) = Shbin::parse(bytes) else { return Ok(()) };
    let model = Model::from(&file);
    for index in 0..model.executables.len() {
        let name = format!("{name}.{index}");
        let input = Input::write(&model, index);
        for target in ["translate", "round_trip", "interpreter"] {
            put(to, target, &name, &input)?;
        }
        if let Some(text) = lower(&file, index) {
            put(to, "ir_text", &name, text.as_bytes())?;
        }
    }
    Ok(())
}

/// Returns the IR text of a program after lowering.
fn lower(file: &Shbin<'_>, index: usize) -> Option<String> {
    let options = Options::default();
    let program: isa::Program<'_> = dvle::program(file, index, &options.limits).ok()?;
    let explored = explore::explore(&program, &explore::ExploreOptions::default(), &options.limits).ok()?;
    let explore::Explored::Graph(mut cfg) = explored else { return None };
    reduce(&mut cfg, &options.limits);
    let Structured::Tree(tree) = structure::structure(&cfg, &options.limits) else { return None };
    let outputs = OutputSelection::Registers;
    let context = Context {
        program: &program,
        constants: &[None; FLOATS],
        outputs,
        geometry: None,
        options: &options,
        hooks: &[],
    };
    lower::structured(context, &cfg, &tree).ok().map(|module| ir::text::print(&module))
}
