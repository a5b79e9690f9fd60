//! Replays the corpus of each fuzz target, and every input that once failed.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use transpica_proof::fuzz::{TARGETS, check};

/// The files of a folder by name, or no file if it does not exist.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

#[test]
fn recorded_inputs_pass() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let mut inputs = Vec::new();
    for (target, _) in TARGETS {
        let kept = files(&fuzz.join("corpus").join(target));
        assert!(kept.len() > 10, "{target} has {} kept inputs", kept.len());
        let found = files(&fuzz.join("found").join(target));
        inputs.extend(kept.into_iter().chain(found).map(|path| (target, path)));
    }
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((target, path)) = inputs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let bytes = fs::read(path).expect("readable");
            catch_unwind(|| check(target, &bytes)).unwrap_or_else(|_| panic!("{target}: {}", path.display()));
        }
    };
    std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });
    println!("{} kept inputs", inputs.len());
}
