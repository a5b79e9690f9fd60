//! Arguments of `scan`.

use std::path::PathBuf;

use clap::Args;

/// Find every shader inside of any files
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica scan romfs
  transpica scan romfs --extract shaders && transpica survey shaders
  transpica scan model.bcmdl pack.arc code.bin --json
  cat image | transpica scan -

Every file below a folder is read, whatever its name. Found are .shbin files (DVLB), GPU command lists \
that upload a program, and VBC; bare, and in CGFX, BCH, MFX, SARC, darc, GARC, ExeFS, GFL packages, LZ10, \
LZ11, Yaz0 and the compressed .code, also inside of each other. A place like \
pack.arc/SARC:shader/a.bcsdr/DVLB@0x40 names the containers and the offset in the innermost one. \
Encrypted files hold nothing to find.

--extract writes .shbin files; of command lists whose outputs no .shbin can say also code, descriptors \
and registers.

Exit status 1 if nothing was found or a file could not be read; the others are listed all the same.")]
pub struct Scan {
    /// Files of any kind, and folders; - reads standard input
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Folder that receives each distinct file or program; created if missing
    #[arg(long, value_name = "DIR")]
    pub extract: Option<PathBuf>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Output file; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
