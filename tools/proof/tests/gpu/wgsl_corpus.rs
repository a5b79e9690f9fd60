//! Writes the WGSL of every sample and of some random programs, in every form, checks it with naga,
//! and leaves it in the target folder for other validators (`cargo xtask validate`).
//! Forms: vertex and compute entries, both layouts, three precisions. Random programs have no
//! output map, so only their compute entries.

use std::error::Error;
use std::fs;
use std::path::Path;

use crate::drivers::Language;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{Environment, dvle};
use transpica::settings::{Arithmetic, Block, Layout};
use transpica::{Job, Options, Precision, Profile, Program, Shbin, Stage, Translator};
use transpica_proof::generate::{Kind, generate};

use transpica_proof::unnamed::BARE;

const LAYOUTS: [Layout; 2] = [Layout::Symbols, Layout::Registers];
const PRECISIONS: [Precision; 3] = [Precision::Exact, Precision::Fast, Precision::F24];
/// Random programs of each kind.
const RANDOM: [(Kind, u64); 3] = [(Kind::Clean, 60), (Kind::Wild, 40), (Kind::Numeric, 20)];

#[test]
fn naga_reads_every_form_of_every_text() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wgsl");
    // Forms that no longer exist must not remain from an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    for samples in ["shaders", "tests/cases/picasso"] {
        let mut paths: Vec<_> =
            fs::read_dir(root.join(samples))?.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "shbin"));
        paths.sort();
        for path in paths {
            file(&folder, &path)?;
        }
    }
    for (kind, seeds) in RANDOM {
        for seed in 0..seeds {
            let generated = generate(kind, seed);
            for precision in PRECISIONS {
                let options = Options {
                    arithmetic: Arithmetic { precision, ..Arithmetic::default() },
                    block: Block { layout: Layout::Registers, ..Block::default() },
                    ..Options::default()
                };
                write(
                    &folder,
                    &format!("{kind:?}-{seed}"),
                    &generated.program(),
                    &*BARE,
                    Job::Compute,
                    options,
                )?;
            }
        }
    }
    Ok(())
}

/// Writes every vertex program of a file in every form.
fn file(folder: &Path, path: &Path) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let file = Shbin::parse(&bytes)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    for index in 0..file.executables.len() {
        let program = dvle::program(&file, index, &Options::default().limits)?;
        if program.stage() != Stage::Vertex {
            continue;
        }
        let environment = FileEnvironment::new(&file, index, &stem)?;
        for job in [Job::Vertex, Job::Compute] {
            for layout in LAYOUTS {
                for precision in PRECISIONS {
                    let options = Options {
                        arithmetic: Arithmetic { precision, ..Arithmetic::default() },
                        block: Block { layout, ..Block::default() },
                        ..Options::default()
                    };
                    write(folder, &format!("{stem}-{index}"), &program, &environment, job, options)?;
                }
            }
        }
    }
    Ok(())
}

fn write(
    folder: &Path,
    name: &str,
    program: &Program<'_>,
    environment: &dyn Environment,
    job: Job<'_>,
    options: Options,
) -> Result<(), Box<dyn Error>> {
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(program, environment, job)?;
    let text = translated.text(Language::Wgsl)?;
    let (precision, layout) = (options.arithmetic.precision, options.block.layout);
    let name = format!("{name}-{job:?}-{layout:?}-{precision:?}.wgsl");
    let module = naga::front::wgsl::parse_str(&text);
    let module = module.map_err(|error| format!("{name}: {}", error.emit_to_string(&text)))?;
    let capabilities = naga::valid::Capabilities::empty();
    naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities).validate(&module)?;
    fs::write(folder.join(name), text)?;
    Ok(())
}
