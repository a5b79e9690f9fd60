//! The sample programs.

use std::fs;
use std::path::Path;

use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::{Options, Program, Shbin, Stage};

/// A vertex program of a sample.
pub struct Sample<'a> {
    pub name: &'a str,
    pub file: &'a Shbin<'a>,
    pub index: usize,
    pub program: &'a Program<'a>,
    pub environment: &'a FileEnvironment<'a>,
}

/// Calls `run` with every vertex program of the samples, by name; with a part of them each day.
pub fn for_each(mut run: impl FnMut(&Sample<'_>)) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders"));
    let entries = fs::read_dir(folder).expect("samples").map(|entry| entry.expect("entry").path());
    let mut paths: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "shbin")).collect();
    paths.sort();
    for path in transpica_proof::daily::some("samples of a test on a driver", 5, paths) {
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
