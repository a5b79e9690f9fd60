//! The sample programs.

use std::fs;
use std::path::Path;

use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::{Options, Program, Shbin, Stage};
use transpica_proof::daily;

/// A vertex program of a sample.
pub struct Sample<'a> {
    pub name: &'a str,
    pub file: &'a Shbin<'a>,
    pub index: usize,
    pub program: &'a Program<'a>,
    pub environment: &'a FileEnvironment<'a>,
}

/// One sample in so many is taken daily.
const STEP: usize = 5;

/// Returns how many programs a test must have met at least: `all` of all samples, a part of them
/// daily.
pub fn least(all: u64) -> u64 {
    if daily::takes_all() { all } else { all / STEP as u64 }
}

/// Calls `run` with every vertex program of the samples, by name; with a part of them each day.
pub fn for_each(mut run: impl FnMut(&Sample<'_>)) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders"));
    let entries = fs::read_dir(folder).expect("samples").map(|entry| entry.expect("entry").path());
    let mut paths: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "shbin")).collect();
    paths.sort();
    for path in daily::some("samples of a test on a driver", STEP, paths) {
        let bytes = fs::read(&path).expect("readable");
        let file = Shbin::parse(&bytes).expect("a sample");
        for index in 0..file.executables.len() {
            let program = dvle::program(&file, index, &Options::default().limits).expect("a program");
            if program.stage() == Stage::Vertex {
                let name = format!("{}#{index}", path.display());
                let environment = FileEnvironment::new(&file, index, &name).expect("there");
                run(&Sample {
                    name: &name,
                    file: &file,
                    index,
                    program: &program,
                    environment: &environment,
                });
            }
        }
    }
}
