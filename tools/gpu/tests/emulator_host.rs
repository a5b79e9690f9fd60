//! The example of an emulator host, run as its users run it. The example exits with success only if
//! no pixel differs between GPU and interpreter. This test adds that the pictures show something,
//! that they move, and that a second run translates nothing.
//! Without a Vulkan driver this fails and says how to install one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use image::RgbaImage;

/// Path of the example's executable, which cargo builds with the tests, beside the folder of this
/// one.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("this program");
    let folder = test.ancestors().nth(2).expect("a target folder");
    folder.join("examples").join(format!("emulator_host{}", std::env::consts::EXE_SUFFIX))
}

fn run(folder: &Path) -> String {
    let arguments = ["--frames", "3", "--out"];
    let output = Command::new(example()).args(arguments).arg(folder).output().expect("the example is built");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

#[test]
fn the_pictures_of_gpu_and_interpreter_are_one() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emulator_host");
    let _ = std::fs::remove_dir_all(&folder);
    let said = run(&folder);
    assert!(
        said.contains("3 translated, 0 read from the cache on disk, 24 pipelines found by key"),
        "{said}"
    );
    let picture = |what: &str, frame: u32| -> RgbaImage {
        let path = folder.join(format!("{what}_{frame:02}.png"));
        image::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).to_rgba8()
    };
    for frame in 0..3 {
        let (gpu, cpu) = (picture("gpu", frame), picture("cpu", frame));
        assert_eq!(gpu, cpu, "frame {frame}");
        assert!(
            picture("difference", frame).pixels().all(|pixel| pixel.0 == [0, 0, 0, 255]),
            "frame {frame}"
        );
        let colors: BTreeSet<_> = gpu.pixels().map(|pixel| pixel.0).collect();
        assert!(colors.len() > 500, "frame {frame} shows {} colors", colors.len());
    }
    assert_ne!(picture("gpu", 0), picture("gpu", 1));
    let again = run(&folder);
    assert!(
        again.contains("0 translated, 3 read from the cache on disk, 24 pipelines found by key"),
        "{again}"
    );
}
