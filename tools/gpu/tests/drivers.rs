//! The example of an emulator host, run as its users run it. The example exits with success only if
//! no pixel differs between GPU and interpreter. This test adds that the pictures show something,
//! that they move, that a second run translates nothing, and that frames which begin on the CPU
//! equal the frames of a run that waits for its pipelines.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use image::RgbaImage;
use transpica_gpu::Gpu;
use transpica_gpu::replay::{Recording, Replay, Way};

use crate::needs;

/// Path of the example's executable, which cargo builds with the tests, next to the folder of
/// this one.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("this program");
    let folder = test.ancestors().nth(2).expect("a target folder");
    folder.join("examples").join(format!("emulator_host{}", std::env::consts::EXE_SUFFIX))
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    run_frames(folder, 3, arguments)
}

fn run_frames(folder: &Path, frames: u32, arguments: &[&str]) -> String {
    let mut command = Command::new(example());
    command.arg(format!("--frames={frames}")).arg("--out").arg(folder).args(arguments);
    let output = command.output().expect("the example is built");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

fn picture(folder: &Path, what: &str, frame: u32) -> RgbaImage {
    let path = folder.join(format!("{what}_{frame:02}.png"));
    image::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).to_rgba8()
}

/// Number in front of some words of the report.
fn number(said: &str, words: &str) -> usize {
    let line = said.lines().find_map(|line| line.split_once(words));
    line.expect("a line of the report").0.parse().expect("a number")
}

/// Number of draws with vertices from the CPU.
fn drawn_on_cpu(said: &str) -> usize {
    number(said, " draws on the CPU")
}

#[test]
fn frames_that_begin_on_the_cpu_are_those_that_wait() {
    needs!("vulkan");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpu_first");
    let _ = std::fs::remove_dir_all(&folder);
    let [first, waiting] = ["first", "waiting"].map(|name| folder.join(name));
    // Pipelines take over at the start of a frame, so all nine draws of the first are on the CPU.
    assert!(drawn_on_cpu(&run(&first, &[])) >= 9);
    assert_eq!(drawn_on_cpu(&run(&waiting, &["--wait"])), 0);
    for frame in 0..3 {
        assert_eq!(picture(&first, "gpu", frame), picture(&waiting, "gpu", frame), "frame {frame}");
    }
}

#[test]
fn pipelines_that_are_late_come_at_normal_priority() {
    needs!("vulkan");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("late");
    let _ = std::fs::remove_dir_all(&folder);
    // The thread of lowest priority does nothing here, as on a loaded machine.
    let said = run_frames(&folder, 60, &["--starve", "--patience", "0"]);
    assert!((1..=3).contains(&number(&said, " pipelines were late")), "{said}");
    assert!(said.contains("3 translated, 0 read from the cache on disk"), "{said}");
    let (on_cpu, draws) = (drawn_on_cpu(&said), number(&said, " draws, "));
    assert!(on_cpu < draws, "all {draws} draws are on the CPU: {said}");
    let patient = run(&folder, &["--starve", "--patience", "3600000"]);
    assert_eq!(drawn_on_cpu(&patient), number(&patient, " draws, "), "{patient}");
}

#[test]
fn hooks_show_more_of_the_scene_and_both_eyes() {
    needs!("vulkan");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("views");
    let _ = std::fs::remove_dir_all(&folder);
    let views = ["plain", "widescreen", "stereo"].map(|view| {
        let folder = folder.join(view);
        // The example succeeds only if no pixel differs from the interpreter's.
        assert!(drawn_on_cpu(&run(&folder, &["--view", view])) >= 3);
        assert_eq!(drawn_on_cpu(&run(&folder, &["--view", view, "--wait"])), 0);
        picture(&folder, "gpu", 2)
    });
    let [plain, wide, stereo] = &views;
    let (width, height) = plain.dimensions();
    // The wide view is the plain one, 3/4 as wide around the middle.
    let (mut compared, mut close) = (0, 0);
    for (x, y) in (0..width).step_by(3).flat_map(|x| (0..height).step_by(3).map(move |y| (x, y))) {
        let place = (f64::from(x) + 0.5 - f64::from(width) / 2.0) * 0.75 + f64::from(width) / 2.0;
        let near = |(a, b): (u8, u8)| a.abs_diff(b) < 40;
        let [plain, wide] = [plain.get_pixel(x, y), wide.get_pixel(place as u32, y)].map(|pixel| pixel.0);
        close += u32::from(plain.into_iter().zip(wide).all(near));
        compared += 1;
    }
    assert!(close * 10 > compared * 9, "{close} of {compared} pixels are those of the plain view");
    let tinted = |pixel: &image::Rgba<u8>| pixel.0[0].abs_diff(pixel.0[1]) > 40;
    let count = |picture: &RgbaImage| picture.pixels().filter(|pixel| tinted(pixel)).count();
    let (plain, stereo) = (count(plain), count(stereo));
    assert!(2 * stereo > 3 * plain, "{stereo} tinted pixels in stereo, {plain} in the plain view");
}

#[test]
fn the_pictures_of_gpu_and_interpreter_are_one() {
    needs!("vulkan");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emulator_host");
    let _ = std::fs::remove_dir_all(&folder);
    let file = folder.with_extension("pclist");
    let said = run(&folder, &["--record", file.to_str().expect("a path")]);
    assert!(
        said.contains("3 translated, 0 read from the cache on disk, 24 pipelines found by key"),
        "{said}"
    );
    let picture = |what: &str, frame: u32| picture(&folder, what, frame);
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
    let recording = Recording::parse(&std::fs::read(&file).expect("the recording")).expect("valid");
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    let mut replay = Replay::new(&gpu, Way::Gpu).expect("a device");
    assert_eq!(recording.frames.len(), 3);
    for (frame, draws) in (0..).zip(&recording.frames) {
        let (replayed, _) = replay.frame(&recording, draws).expect("drawn");
        assert_eq!(replayed.pixels.as_flattened(), picture("gpu", frame).as_raw(), "frame {frame}");
    }
    let again = run(&folder, &[]);
    assert!(
        again.contains("0 translated, 3 read from the cache on disk, 24 pipelines found by key"),
        "{again}"
    );
}
