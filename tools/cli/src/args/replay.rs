//! Arguments of `replay`.

use std::path::PathBuf;

use clap::Args;

/// Draw a recording in three ways and compare the pictures
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica replay menu.pclist
  transpica replay menu.pclist -o pictures    also writes the pictures of each frame
  transpica replay menu.pclist --adapter llvmpipe

A recording contains a host's register writes, vertex buffers and draws, frame by frame; transpica_draw::recording documents and writes the format. Pictures show color and tiles of texture coordinate 0; textures and fragment state are not replayed. Times include reading the picture back; the first frame also prepares the programs.

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
