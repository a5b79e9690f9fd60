//! A small but complete emulator host: GPU registers, program upload by register writes, a pipeline
//! cache by key, an animated scene.
//!
//! ```sh
//! cargo run --release -p transpica-gpu --example emulator_host -- --out frames
//! ```
//!
//! The console's side (`console.rs`, `scene.rs`) builds command lists, as programs on the console
//! do, and provides vertex data.
//! The host's side (here, and `transpica_gpu::picture`) uses nothing else. It executes the lists on
//! a [`RegisterState`], translates the uploaded program at each draw, and draws.
//! A new program's first frames come from the CPU: a [`Batch`](transpica_draw::batch::Batch) runs
//! the program, and a stage of the library draws the vertices, while a thread translates the
//! program and creates its pipeline. `--wait` waits for the pipeline instead. The thread has the
//! lowest priority; where that does not get on, one of normal priority helps (`--patience`).
//! Each frame is written with a reference, for which the interpreter runs the vertex programs and a
//! plain vertex stage passes its results to the same rasterizer. A third picture shows differences
//! in white; it is black.
//! Draws whose numbers keep a promise have modules that rely on it, others have exact ones.
//! SPIR-V modules are stored in `OUT/cache` under their keys; a second run translates nothing.
//!
//! `--view widescreen` and `--view stereo` show the scene as its programs cannot: hooks change the
//! positions, in modules and in batches.
//!
//! `--record FILE` writes the frames as a recording, which `transpica replay FILE` draws again.
//!
//! `--trace` times 300 frames with 200 new programs, once with CPU first and once with waiting, and
//! writes `OUT/frame_times.png`. It says which share of the machine other processes took.

mod console;
mod creation;
mod host;
mod load;
mod plot;
mod scene;
mod trace;
mod view;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use creation::Pacing;
use host::{Counts, Host};
use image::ExtendedColorType;
use scene::Scene;
use trace::Way;
use transpica_draw::recording::Recording;
use transpica_gpu::Gpu;
use transpica_gpu::picture::{Frame, Picture, difference};
use view::{View, combine};

/// Draws an animated scene through translated programs and through the interpreter, and compares
/// the pictures.
#[derive(Parser)]
struct Arguments {
    /// Folder for the pictures and the cache
    #[arg(long, default_value = "target/emulator_host", value_name = "DIR")]
    out: PathBuf,
    /// Number of frames
    #[arg(long, default_value_t = 8, value_name = "N")]
    frames: u32,
    /// Part of the GPU's name
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Wait for pipelines instead of drawing on the CPU meanwhile
    #[arg(long)]
    wait: bool,
    /// Time without a new pipeline after which a thread of normal priority helps
    #[arg(long, default_value_t = 250, value_name = "MILLISECONDS")]
    patience: u64,
    /// Keep the thread of lowest priority from working, as a loaded machine does
    #[arg(long, hide = true)]
    starve: bool,
    /// View of the scene
    #[arg(long, value_enum, default_value_t = View::Plain, value_name = "VIEW")]
    view: View,
    /// File for a recording of the frames
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Time frames in which new programs appear, and plot the times
    #[arg(long)]
    trace: bool,
    /// Time frames in one way only, as `--trace` does for each
    #[arg(long, hide = true, value_name = "WAY")]
    trace_way: Option<Way>,
}

impl Arguments {
    fn pacing(&self) -> Pacing {
        let Self { wait, patience, starve, .. } = *self;
        Pacing { waits: wait, patience: Duration::from_millis(patience), starves: starve }
    }
}

fn run(arguments: &Arguments) -> Result<usize, Box<dyn Error>> {
    let cache = arguments.out.join("cache");
    fs::create_dir_all(&cache)?;
    let gpu = Arc::new(Gpu::open(arguments.adapter.as_deref())?);
    println!("on {}", gpu.name());
    let mut host = Host::new(&gpu, [None, None], &cache, arguments.pacing())?;
    let plain = host.plain(&gpu)?;
    let scene = Scene::new()?;
    let (mut differing, mut recording) = (0, Recording::default());
    for number in 0..arguments.frames {
        host.begin_frame()?;
        if arguments.record.is_some() {
            host.record(&scene.frame(f64::from(number) / f64::from(arguments.frames)), &mut recording);
        }
        let (mut drawn, mut expected) = (Vec::new(), Vec::new());
        for hooks in arguments.view.eyes() {
            let (mut shown, mut reference) = (Frame::new(&gpu), Frame::new(&gpu));
            host.hooks = hooks;
            for draw in scene.frame(f64::from(number) / f64::from(arguments.frames)) {
                host.draw(&draw, &mut shown)?;
                reference.draw(&plain, &host.interpreted(&draw)?, &[]);
            }
            drawn.push(shown.finish()?);
            expected.push(reference.finish()?);
        }
        let none = "the view has no eye";
        let (drawn, expected) = (combine(drawn).ok_or(none)?, combine(expected).ok_or(none)?);
        let (picture, count) = difference(&drawn, &expected);
        let save = |Picture { width, height, pixels }: &Picture, what: &str| {
            let path = file(&arguments.out, what, number);
            image::save_buffer(path, pixels.as_flattened(), *width, *height, ExtendedColorType::Rgba8)
        };
        save(&drawn, "gpu")?;
        save(&expected, "cpu")?;
        save(&picture, "difference")?;
        println!("frame {number}: {count} of {} pixels differ", drawn.pixels.len());
        differing += count;
    }
    if let Some(path) = &arguments.record {
        fs::write(path, recording.to_bytes())?;
    }
    let programs = host.programs();
    let Counts { draws, vertices, on_cpu, promised, translated, from_disk, hurried, known } =
        host.finish()?;
    println!("{draws} draws, {vertices} vertices, {programs} programs seen");
    println!("{on_cpu} draws on the CPU, before their pipelines were ready");
    for ([relied_on, all], promise) in promised.into_iter().zip(host::PROMISES) {
        println!("{relied_on} draws keep the promise where the module needs it, {all} everywhere: {promise}");
    }
    println!("{hurried} pipelines were late and created at normal priority");
    println!(
        "{translated} translated, {from_disk} read from the cache on disk, {known} pipelines found by key"
    );
    println!("pictures: {}", file(&arguments.out, "{gpu,cpu,difference}", 0).display());
    Ok(differing)
}

fn file(folder: &Path, what: &str, number: u32) -> PathBuf {
    folder.join(format!("{what}_{number:02}.png"))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let (out, adapter, pacing) = (&arguments.out, arguments.adapter.as_deref(), arguments.pacing());
    let result = match (arguments.trace_way, arguments.trace) {
        (Some(way), _) => trace::record(out, adapter, way, pacing).map(|()| 0),
        (None, true) => trace::compare(out, adapter, pacing),
        (None, false) => run(&arguments),
    };
    match result {
        Ok(0) => ExitCode::SUCCESS,
        Ok(differing) => {
            eprintln!("{differing} pixels differ");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
