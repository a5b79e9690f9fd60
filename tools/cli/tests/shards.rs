//! The example that spreads shards with Dask, as the guide has it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::needs;
use crate::support::{folder, ran, root, transpica};

/// The script, from the root of the repository.
const SCRIPT: &str = "tools/cli/examples/dask_shards.py";

#[test]
fn shards_on_a_cluster_give_the_results_of_one_run() {
    needs!("python3", "python:dask.distributed");
    let python = crate::needs::python();
    let folder = folder("shards-dask");
    let [dumps, one, many] = ["dumps", "one", "many"].map(|name| folder.join(name));
    for copy in 0..3 {
        let to = dumps.join(format!("game{copy}"));
        fs::create_dir_all(&to).expect("writable");
        for name in ["lights", "points", "skinning", "library"] {
            fs::copy(root().join(format!("shaders/{name}.shbin")), to.join(format!("{name}.shbin")))
                .expect("a copy");
        }
    }
    fs::write(dumps.join("game1/damaged.shbin"), b"DVLB").expect("writable");
    let [dumps, one, many] = [&dumps, &one, &many].map(|path| path.to_str().expect("a name"));
    let whole = transpica(&["translate", dumps, "--to", "spirv,reflection", "--out-dir", one]);
    assert_eq!(whole.status, 1, "{}", whole.err);
    let on_cluster = || {
        let mut command = Command::new(&python);
        command.args([SCRIPT, dumps, "--out-dir", many, "--shards", "5"]);
        ran(command.args(["--transpica", env!("CARGO_BIN_EXE_transpica")]), &[])
    };
    let first = on_cluster();
    assert_eq!(first.status, 1, "one file is damaged: {}", first.err);
    let again = on_cluster();
    assert!(again.text().ends_with(" results, 0 of them written now\n"), "{}{}", again.text(), again.err);
    let read = |folder: &str, name: &str| fs::read_to_string(Path::new(folder).join(name)).expect("written");
    assert_eq!(read(one, "manifest.json"), read(many, "manifest.json"));
    assert_eq!(read(one, "game2/points.1.json"), read(many, "game2/points.1.json"));
}
