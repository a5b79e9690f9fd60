//! Arguments of `scan`.

use std::path::PathBuf;

use clap::Args;

/// Find shaders inside any kind of file
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica scan romfs
  transpica scan romfs --extract shaders && transpica survey shaders
  transpica scan model.bcmdl pack.arc code.bin --json
  cat image | transpica scan -

Reads every file below a folder, whatever its name. Finds .shbin files (DVLB), GPU command lists that upload a program, and VBC, bare or in CGFX, BCH, MFX, SARC, darc, GARC, ExeFS, GFL packages, LZ10, \
LZ11, Yaz0 and the compressed .code, nested or not. A place such as \
pack.arc/SARC:shader/a.bcsdr/DVLB@0x40 names the containers and the offset in the innermost one. \
Nothing can be found in encrypted files.

--extract writes .shbin files, and code, descriptors and registers of command lists with outputs that a .shbin file cannot express.

Exit status 1 if nothing was found or a file could not be read; the others are still listed.")]
pub struct Scan {
    /// Files of any kind, and folders; - reads standard input
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Write each distinct file or program to this folder, created if missing
    #[arg(long, value_name = "DIR")]
    pub extract: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
