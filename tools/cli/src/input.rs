//! Opens anything with programs in it, for every command.
//! In: the path or the bytes of a file. Out: the bytes of a container: the file itself, the
//! assembled or compiled source, or the only container in a file of another format.

use std::path::{Path, PathBuf};

use crate::limits::check;
use clap::Args;
use transpica::container::{Model, ShaderType};
use transpica::host::{DebugSource, dvle};
use transpica::{At, Error, Limits, Program, Shbin};
use transpica_asm::dis::Listing;
use transpica_asm::vertex::VertexFormat;
use transpica_asm::{Assembled, Place, SourceText, assemble};
#[cfg(feature = "compile")]
use transpica_compile::source::{Interface, Language};
use transpica_containers::{Kind, Scanner};
use transpica_inspect::symbols::Symbols;

use crate::files;
use crate::json::ProgramName;
#[cfg(feature = "compile")]
use crate::languages;
use crate::report::{Common, Failure, Text, print_diagnostics};

/// Selection of a program within a file.
#[derive(Args, Clone, Debug)]
pub struct Selection {
    /// Number of the executable (DVLE) in the file [default: 0]
    #[arg(long, value_name = "N")]
    pub dvle: Option<usize>,
}

/// First bytes of a container.
const MAGIC: &[u8] = b"DVLB";

/// A file in memory with its name.
#[derive(Default)]
pub struct Input {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// The place of the container in the file, if that is another format.
    place: Option<String>,
    /// The source, and its assembled form.
    source: Option<(Text, Assembled)>,
    /// The interface of a shader that was compiled.
    #[cfg(feature = "compile")]
    pub interface: Option<Interface>,
}

impl Input {
    /// Reads a file as it is.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Ok(Self { path: path.to_path_buf(), bytes: files::read(path)?, ..Self::default() })
    }

    /// Opens a file with programs.
    ///
    /// # Errors
    /// The file cannot be read or assembled, or has several containers. Others are left to the
    /// parser.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Self::read(path)?.opened()
    }

    /// Opens a file with programs whose bytes are known.
    pub fn of_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self, Failure> {
        Self { path: path.to_path_buf(), bytes, ..Self::default() }.opened()
    }

    /// Replaces the bytes by the container's.
    fn opened(self) -> Result<Self, Failure> {
        match self.bytes.as_slice() {
            bytes if bytes.starts_with(MAGIC) => Ok(self),
            #[cfg(feature = "compile")]
            _shader if Language::of(&self.path).is_some() => {
                let compiled = languages::compile(&self.path, &self.bytes, |options| options)?;
                Ok(Self { bytes: compiled.bytes, interface: Some(compiled.interface), ..self })
            }
            bytes if files::is_source(&self.path) || has_procedure(bytes) => self.assembled(),
            _other_format => self.unpacked(),
        }
    }

    /// Assembles a source.
    fn assembled(self) -> Result<Self, Failure> {
        let text = self.text();
        match assemble(&[SourceText { name: &text.name, text: &text.text }]) {
            Ok(result) => Ok(Self { bytes: result.bytes.clone(), source: Some((text, result)), ..self }),
            Err(report) => Err(Failure::of_source(report.errors, text)),
        }
    }

    /// Takes the only container of a file of another format; a file without one stays as it is.
    fn unpacked(self) -> Result<Self, Failure> {
        let mut digests = Vec::new();
        let mut first = None;
        let mut scanner = Scanner::new(transpica_containers::Limits::default());
        let scanned = scanner.scan(&self.bytes[..], &mut |found| {
            let hit = &found.hit;
            if matches!(hit.kind, Kind::Dvlb | Kind::Commands) && !digests.contains(&hit.digest) {
                digests.push(hit.digest);
                first.get_or_insert_with(|| (hit.kind, hit.place(), found.bytes.to_vec()));
            }
        });
        match (scanned, first, digests.len()) {
            (Ok(_), Some((Kind::Dvlb, place, bytes)), 1) => Ok(Self { bytes, place: Some(place), ..self }),
            (Ok(_), Some((_, first, _)), count) => {
                let path = self.path.display();
                let found =
                    if count == 1 { "a command list".into() } else { format!("{count} files of programs") };
                let message = format!("{path} is not a .shbin file, but contains {found}, first {first}");
                let hint = format!("`transpica scan {path} --extract DIR` writes .shbin files");
                Err(Failure::new(message).hint(hint))
            }
            (Ok(_), None, _) | (Err(_), ..) => Ok(self),
        }
    }

    /// Prints the notes and warnings of opening it, unless `-q` is given.
    pub fn remarked(self, common: &Common) -> Self {
        if let Some(place) = &self.place {
            common.note(format_args!("{}: this is {place}", self.path.display()));
        }
        if let Some((text, assembled)) = &self.source
            && !common.quiet
        {
            print_diagnostics(&[], &assembled.warnings, std::slice::from_ref(text), common.color);
        }
        self
    }

    /// Returns the content as text. Comments may be in any encoding; everything else is ASCII.
    pub fn text(&self) -> Text {
        let is_stream = self.path == Path::new("-");
        let name = if is_stream { self.name() } else { self.path.display().to_string() };
        Text { name, text: String::from_utf8_lossy(&self.bytes).into_owned() }
    }

    /// Returns the source that was assembled, with the line of each word that comes from it and the
    /// names of registers.
    pub fn debug_source(&self) -> Option<DebugSource> {
        let (text, assembled) = self.source.as_ref()?;
        let own = |place: &Place| if place.file == 0 { place.line } else { 0 };
        let lines = assembled.places.iter().map(own).collect();
        let destinations = assembled.destinations.clone();
        Some(DebugSource { name: self.name(), text: text.text.clone(), lines, destinations })
    }

    /// Returns the formats of attributes that the source declares, for each executable.
    pub fn formats(&self) -> &[Vec<VertexFormat>] {
        self.source.as_ref().map_or(&[], |(_, assembled)| &assembled.formats)
    }

    /// Returns whether it is a container as it stands.
    pub fn is_container(&self) -> bool {
        self.bytes.starts_with(MAGIC)
    }

    /// Returns the name for header comments: the file name without folders.
    pub fn name(&self) -> String {
        files::name(&self.path)
    }

    pub fn parse(&self) -> Result<Shbin<'_>, Failure> {
        Shbin::parse(&self.bytes).map_err(|error| self.fail(&error))
    }

    /// Returns the number of the selected executable. Without a selection it is the first, and a
    /// note mentions any others.
    pub fn chosen(&self, file: &Shbin<'_>, selection: &Selection, common: &Common) -> usize {
        let count = file.executables.len();
        if let (None, Some(first), 2..) = (selection.dvle, file.executables.first(), count) {
            let stage = match first.header.shader_type() {
                Some(ShaderType::Vertex) => "vertex",
                Some(ShaderType::Geometry) => "geometry",
                None => "unknown",
            };
            let entry = first.entry_label().map_or(String::new(), |label| format!(", {label}"));
            common.note(format_args!(
                "{} has {count} programs, and this is DVLE 0 ({stage}{entry}); --dvle N selects another, transpica info lists them",
                self.name()
            ));
        }
        selection.dvle.unwrap_or(0)
    }

    pub fn program(
        &self,
        file: &Shbin<'_>,
        index: usize,
        limits: &Limits,
    ) -> Result<Program<'static>, Failure> {
        let program = check("executables", file.executables.len(), limits.executables, At::Whole)
            .and_then(|()| dvle::program(file, index, limits));
        program.map_err(|error| self.fail(&error))
    }

    /// Returns the names of an executable.
    pub fn symbols(&self, file: &Shbin<'_>, index: usize) -> Result<Symbols, Failure> {
        file.executable(index).map(Symbols::new).map_err(|error| self.fail(&error))
    }

    /// Returns the texts of instructions, with the names of the source if one was assembled.
    pub fn listing(&self, file: &Shbin<'_>, index: usize) -> Result<Listing, Failure> {
        let named = self.source.as_ref().map(|(_, assembled)| assembled.named.clone());
        let listing = Listing::of_model(named.unwrap_or_else(|| Model::from(file)), Some(index));
        listing.map_err(|error| self.fail(&error))
    }

    pub fn fail(&self, error: &Error) -> Failure {
        Failure::from_error(&self.path, error)
    }
}

/// Visits every program of a file that was opened.
///
/// # Errors
/// The reason for which the file has no programs, without its path.
pub fn programs<R>(
    opened: Result<Input, Failure>,
    mut visit: impl FnMut(&Input, &Shbin<'_>, ProgramName) -> R,
) -> Result<Vec<R>, String> {
    let input = opened.map_err(|failure| failure.message().to_owned())?;
    let file = Shbin::parse(&input.bytes).map_err(|error| error.to_string())?;
    let named = file.executables.iter().enumerate();
    let named = named.map(|(index, executable)| ProgramName::new(index, executable));
    Ok(named.map(|name| visit(&input, &file, name)).collect())
}

/// Returns whether bytes are the text of a program, whatever the name of their file.
fn has_procedure(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    !bytes.contains(&0) && lines.any(|line| line.trim_ascii_start().starts_with(b".proc"))
}
