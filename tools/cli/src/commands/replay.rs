//! `transpica replay`: a host's recorded draws, on interpreter, batches and GPU.
//! In: a recording. Out: the number of pixels that differ, times of frames, pictures.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use transpica_gpu::picture::{Picture, difference};
use transpica_gpu::replay::{Recording, Replay as Replayed, Way};
use transpica_inspect::draw::Size;
use transpica_inspect::draw::picture::Picture as Image;

use crate::arguments::Arguments;
use crate::files;
use crate::gpu;
use crate::pictures::encode;
use crate::report::{Common, Failure};
use crate::streams::Streams;

/// Draw a recording in three ways and compare the pictures
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica replay menu.pclist
  transpica replay menu.pclist -o pictures    also writes the pictures of each frame
  transpica replay menu.pclist --adapter llvmpipe

A recording contains a host's register writes, vertex buffers and draws, frame by frame; transpica_draw::recording documents and writes the format. Pictures show color and tiles of texture coordinate 0; textures and fragment state are not replayed, nor are draws and attributes inside command lists, such as immediate mode, which are counted at the end. Times include reading the picture back; the first frame also prepares the programs.

Exit status 1 if any pixel differs from the interpreter's.")]
pub struct Replay {
    /// Recording (.pclist)
    pub file: PathBuf,
    /// Part of the GPU's name
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub adapter: Option<String>,
    /// Folder for pictures: NUMBER_WAY.png, and NUMBER_difference.png where pixels differ
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

impl Arguments for Replay {
    fn streams(&self) -> Streams<'_> {
        Streams::of_files([&self.file], None).on_gpu(true)
    }
}

/// Runs the command.
pub fn run(arguments: &Replay, common: &Common) -> Result<(), Failure> {
    let name = arguments.file.display();
    let fail = |error: &dyn std::fmt::Display| Failure::new(format!("{name}: {error}"));
    let recording = Recording::parse(&files::read(&arguments.file)?).map_err(|error| fail(&error))?;
    let gpu = gpu::open(arguments.adapter.as_deref(), common)?;
    if let Some(folder) = &arguments.output {
        fs::create_dir_all(folder).map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
    }
    let replayed = |way| Replayed::new(&gpu, way).map_err(|error| fail(&error));
    let mut ways = Way::ALL.into_iter().map(replayed).collect::<Result<Vec<_>, _>>()?;
    let (mut times, mut differing) = ([const { Vec::new() }; 3], 0);
    for (number, draws) in recording.frames.iter().enumerate() {
        let mut pictures = Vec::new();
        for (way, times) in ways.iter_mut().zip(&mut times) {
            let drawn = way.frame(&recording, draws);
            let (picture, time) = drawn.map_err(|error| fail(&format_args!("frame {number}: {error}")))?;
            times.push(time);
            pictures.push(picture);
        }
        let mut line = format!("frame {number}: {} draws", draws.len());
        for (way, picture) in Way::ALL.into_iter().zip(&pictures).skip(1) {
            let (shown, count) = difference(&pictures[0], picture);
            let _ = write!(line, ", {}: {count} pixels differ", way.name());
            differing += count;
            if count > 0 {
                write_picture(arguments, number, "difference", shown)?;
            }
        }
        files::write(None, format!("{line}\n").as_bytes())?;
        for (way, picture) in Way::ALL.into_iter().zip(pictures) {
            write_picture(arguments, number, way.name(), picture)?;
        }
    }
    let mut text = format!("{:<12} {:>9} {:>9} {:>9}  ms a frame\n", "", "first", "median", "longest");
    for (way, times) in Way::ALL.into_iter().zip(times) {
        let [first, median, longest] = figures(&times);
        let _ = writeln!(text, "{:<12} {first:>9.2} {median:>9.2} {longest:>9.2}", way.name());
    }
    let programs = ways.last().map_or(0, Replayed::programs);
    let _ = writeln!(text, "{} frames, {programs} programs", recording.frames.len());
    for (count, what) in recording.left_out() {
        let _ = writeln!(text, "not replayed: {count} {what} of command lists");
    }
    files::write(None, text.as_bytes())?;
    match differing {
        0 => Ok(()),
        _ => Err(fail(&format_args!("{differing} pixels differ from the interpreter's"))),
    }
}

/// Milliseconds of the first frame, and the median and the longest of the others.
fn figures(times: &[Duration]) -> [f64; 3] {
    let milliseconds = |time: Option<&Duration>| time.map_or(0.0, |time| 1e3 * time.as_secs_f64());
    let mut later = times.get(1..).unwrap_or_default().to_vec();
    later.sort();
    [times.first(), later.get(later.len() / 2), later.last()].map(milliseconds)
}

fn write_picture(arguments: &Replay, number: usize, what: &str, picture: Picture) -> Result<(), Failure> {
    let Some(folder) = &arguments.output else { return Ok(()) };
    let Picture { width, height, pixels } = picture;
    let bytes = encode(&[Image { size: Size { width, height }, pixels }]);
    let bytes = bytes.map_err(|error| Failure::new(format!("cannot encode a PNG file: {error}")))?;
    files::write(Some(&folder.join(format!("{number:04}_{what}.png"))), &bytes)
}
