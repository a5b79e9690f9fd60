//! `transpica lint`: what hangs a console in the command lists of a recording.
//! In: a recording. Out: the findings of each draw. Draws nothing.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use transpica::{At, RegisterState};
use transpica_gpu::replay::Recording;

use crate::arguments::Arguments;
use crate::files;
use crate::report::{Common, Failure};
use crate::streams::Streams;

/// A command that draws, as lists have it.
const DRAW: [u32; 2] = [1, 0xF << 16 | 0x22E];

/// Check the command lists of a recording for what hangs a console
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica lint menu.pclist

Reported are draws without a geometry program behind one with it, counts of vertex outputs that contradict their mask or the geometry program, uniforms of a geometry program that a vertex program overwrote, and commands that go on past the end of a list. A frame counts as one list. Programs are checked by info --lint and asm --lint.

Findings do not change the exit status, except with --deny.")]
pub struct Lint {
    /// Recording (.pclist)
    pub file: PathBuf,
    /// Exit with 1 if anything is found
    #[arg(long)]
    pub deny: bool,
}

impl Arguments for Lint {
    fn streams(&self) -> Streams<'_> {
        Streams::of_files([&self.file], None)
    }
}

/// Runs the command.
pub fn run(Lint { file, deny }: &Lint, common: &Common) -> Result<(), Failure> {
    let failure = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", file.display()));
    let recording = Recording::parse(&files::read(file)?).map_err(|error| {
        failure(&error)
            .hint("a recording is a .pclist file; programs are checked by `info --lint` and `asm --lint`")
    })?;
    let (mut state, mut text, mut count) = (RegisterState::default(), String::new(), 0);
    for (number, draws) in recording.frames.iter().enumerate() {
        let (mut list, mut ends) = (Vec::new(), Vec::new());
        for draw in draws {
            list.extend(&draw.commands);
            list.extend(DRAW);
            ends.push(4 * list.len());
        }
        for warning in state.check_commands(&list) {
            let is_before = |end: &usize| matches!(warning.at, At::Offset(at) if *end <= at as usize);
            let draw = ends.iter().filter(|end| is_before(end)).count();
            let _ = writeln!(text, "frame {number}, draw {draw}: {}", warning.text);
            count += 1;
        }
    }
    files::write(None, text.as_bytes())?;
    common.detail(format_args!("{} frames, {count} findings", recording.frames.len()));
    match (count, deny) {
        (1.., true) => Err(failure(&format_args!("{count} findings"))),
        _ => Ok(()),
    }
}
