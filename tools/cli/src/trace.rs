//! Execution trace, written while the program runs, so that it is complete even if the run fails or
//! does not end.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use transpica::interp::TraceRecord;
use transpica_asm::dis::Listing;

use crate::report::Failure;

/// Log of executed instructions, followed by the result, in one file or on standard output.
pub struct Log<'a> {
    /// Texts of the program's instructions.
    listing: &'a Listing,
    path: Option<&'a Path>,
    /// Opened by the first instruction.
    out: Option<BufWriter<Box<dyn Write>>>,
    /// The first error; later output is dropped.
    error: Option<io::Error>,
}

impl<'a> Log<'a> {
    /// Builds a log that writes to the result's destination.
    pub fn new(output: Option<&'a PathBuf>, listing: &'a Listing) -> Self {
        let path = output.map(PathBuf::as_path).filter(|path| *path != Path::new("-"));
        Self { listing, path, out: None, error: None }
    }
    fn write(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if self.error.is_none() {
            self.error = self.open().and_then(write).err();
        }
    }
    fn open(&mut self) -> io::Result<&mut dyn Write> {
        if self.out.is_none() {
            let to: Box<dyn Write> = match self.path {
                Some(path) => Box::new(File::create(path)?),
                None => Box::new(io::stdout().lock()),
            };
            self.out = Some(BufWriter::new(to));
        }
        self.out.as_mut().map(|out| out as &mut dyn Write).ok_or_else(|| ErrorKind::NotFound.into())
    }
    /// Writes an executed instruction.
    pub fn record(&mut self, record: &TraceRecord) {
        let text = self.listing.line(record.pc).unwrap_or_else(|| record.inst.to_string());
        self.write(|out| writeln!(out, "{}", record.line(&text)));
    }
    /// Writes the result after the trace.
    pub fn finish(mut self, result: &str) -> Result<(), Failure> {
        self.write(|out| out.write_all(result.as_bytes()));
        self.close()
    }
    /// Ends the trace. A run without an instruction leaves no file.
    pub fn close(mut self) -> Result<(), Failure> {
        if self.out.is_some() {
            self.write(|out| out.flush());
        }
        match self.error {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::io("write", self.path.unwrap_or(Path::new("standard output")), &error))
            }
            Some(_) | None => Ok(()),
        }
    }
}
