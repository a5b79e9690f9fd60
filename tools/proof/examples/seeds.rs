//! Writes seeds for every fuzz target: `cargo run --example seeds -- FOLDER`. The corpus in
//! `tools/fuzz/corpus` started from them; they are needed again only if the input format changes.

#[path = "../../containers/tests/support/mod.rs"]
mod writers;

use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

use transpica::container::Model;
use transpica::host::dvle;
use transpica::isa::sizes::FLOATS;
use transpica::stages::{
    cfg::{explore, reduce::reduce},
    ir,
    lift::{self, Context, OutputSelection},
    structure::{self, Structured},
};
use transpica::{Options, Shbin, isa};
use transpica_proof::fuzz::Input;

fn main() -> Result<()> {
    let to = PathBuf::from(std::env::args().nth(1).expect("usage: seeds FOLDER"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in ["shaders", "tests/cases/picasso", "tests/cases/peers", "tests/cases/dis"] {
        for entry in fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            let bytes = fs::read(&path)?;
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            match path.extension().and_then(|end| end.to_str()) {
                Some("pica") => write_seed(&to, "assembler", &name, &bytes)?,
                Some("shbin") if !bytes.is_empty() => binary(&to, &name, &bytes)?,
                _ => {}
            }
        }
    }
    containers(&to)
}

/// Writes containers of every format with a small program.
fn containers(to: &Path) -> Result<()> {
    use writers::models::{bch, cgfx, gf_pack, gf_shader, mfx};
    let mut content = writers::sample("textured");
    write_seed(to, "scan", "bare", &content)?;
    // Zeros, so that every compression has copies to make.
    content.resize(content.len() + 512, 0);
    for (name, wrap) in writers::wrappings() {
        let name = name.replace(['/', ':', '.'], "_");
        write_seed(to, "scan", &name, &wrap(&content))?;
        write_seed(
            to,
            "scan",
            &format!("{name}_in_SARC"),
            &writers::archives::sarc(&[("a", &wrap(&content))]),
        )?;
    }
    let commands = writers::bytes_of(&writers::list_of("textured"));
    write_seed(to, "scan", "commands", &commands)?;
    write_seed(to, "scan", "pack", &gf_pack(&[("sky", &gf_shader("Sky", &commands))]))?;
    write_seed(to, "scan", "cgfx", &cgfx(&[("sky", &content)]))?;
    write_seed(to, "scan", "bch", &bch(&[&content], &[("sky", 0, 0, -1)]))?;
    write_seed(to, "scan", "mfx", &mfx(&content))?;
    let mut file = transpica_containers::vbc::Vbc::default();
    file.stages[0] = vec![0x0723_0203, 0x0001_0300, 0, 1, 0];
    write_seed(to, "scan", "vbc", &file.write().expect("small"))
}

fn write_seed(to: &Path, target: &str, name: &str, bytes: &[u8]) -> Result<()> {
    let folder = to.join(target);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(name), bytes)
}

fn binary(to: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    write_seed(to, "container", name, bytes)?;
    write_seed(to, "round_trip", name, bytes)?;
    let Ok(file) = Shbin::parse(bytes) else { return Ok(()) };
    let model = Model::from(&file);
    for index in 0..model.executables.len() {
        let name = format!("{name}.{index}");
        let input = Input::write(&model, index);
        for target in ["translate", "round_trip", "interpreter"] {
            write_seed(to, target, &name, &input)?;
        }
        if let Some(text) = lower(&file, index) {
            write_seed(to, "ir_text", &name, text.as_bytes())?;
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
    lift::structured(context, &cfg, &tree).ok().map(|module| ir::text::print(&module))
}
