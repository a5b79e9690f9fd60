//! A shader: programs with what reports name: files and lines of the source, registers.
//! In: sources, or a container. Out: [`Shader`]. Runs nothing.

use std::fmt;
use std::path::Path;

use transpica::container::Model;
use transpica::host::dvle::{self, FileEnvironment};
use transpica::isa::{Pc, Uniforms};
use transpica::{Error, Limits, Program, Shbin, Stage};
use transpica_asm::dis::Listing;
use transpica_asm::lint::lint;
use transpica_asm::{Assembled, SourceText, assemble};
use transpica_inspect::inputs::start_values;
use transpica_inspect::symbols::Symbols;

use crate::declared::{self, Declared};
use crate::expect::Output;

/// A problem of a file, with its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The file; empty where the message names it.
    pub file: String,
    /// Line and column, from 1.
    pub place: Option<(usize, usize)>,
    /// The message.
    pub message: String,
    /// The name in `compile` that it is about.
    pub option: Option<String>,
}

impl Problem {
    pub(crate) fn new(file: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self { file: file.to_string(), message: message.to_string(), ..Self::default() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.place, self.file.as_str()) {
            (_, "") => f.write_str(&self.message),
            (None, file) => write!(f, "{file}: {}", self.message),
            (Some((line, column)), file) => write!(f, "{file}:{line}:{column}: {}", self.message),
        }
    }
}

impl std::error::Error for Problem {}

/// A program of a shader.
#[derive(Clone, Debug)]
pub struct Executable {
    /// The program.
    pub program: Program<'static>,
    /// Names of registers.
    pub symbols: Symbols,
    /// Uniforms that the file sets.
    pub start: Uniforms,
    /// Mask of the outputs that are passed on.
    pub outputs: u16,
}

/// Choices for a source in a shading language.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices {
    /// The entry point; the only one if `None`.
    pub entry: Option<String>,
    /// Semantics of outputs by their names or locations.
    pub outputs: Vec<(String, String)>,
    /// Attributes of bytes that stand for 0 to 1.
    pub scaled: Vec<String>,
    /// Promises about attributes and uniforms by their names.
    pub assume: Vec<(String, String)>,
    /// Places of these names in the file.
    pub places: Vec<(String, usize)>,
}

/// A compiled source in a shading language.
pub(crate) struct Lowered {
    /// Its program for the assembler.
    pub text: String,
    /// For each line of the program the line of the source.
    pub lines: Vec<Option<u32>>,
    /// Its names.
    pub declared: Declared,
}

/// Programs to test.
///
/// ```
/// use transpica_unit::Shader;
/// let shader = Shader::load(&["../../shaders/points.v.pica", "../../shaders/points.g.pica"])?;
/// assert_eq!(shader.executables.len(), 2);
/// # Ok::<(), transpica_unit::Problem>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shader {
    /// The container.
    pub bytes: Vec<u8>,
    /// Its content with the names of the sources, as [`Assembled::named`].
    pub named: Model,
    /// The programs.
    pub executables: Vec<Executable>,
    /// Source files of the lines.
    pub files: Vec<String>,
    /// For each code word the number of its file and its line, if they are known.
    pub lines: Vec<Option<(usize, u32)>>,
    /// Procedures and labels with their addresses.
    pub procedures: Vec<(String, u32)>,
    /// Names of the source in a shading language.
    pub(crate) declared: Option<Declared>,
}

impl Shader {
    /// Returns names of registers that the hosts of two compiled shaders compute in different ways.
    /// `first` is the number of this one's register that stands for one of the other's, in a bank.
    pub(crate) fn computed_otherwise(
        &self,
        other: &Self,
        first: impl Fn(char, usize) -> usize,
    ) -> Vec<String> {
        match (&self.declared, &other.declared) {
            (Some(own), Some(other)) => own.computed_otherwise(other, first),
            _one => Vec::new(),
        }
    }

    /// Assembles sources, each an executable.
    ///
    /// # Errors
    /// Errors of the assembler, one a line.
    pub fn assemble(sources: &[SourceText<'_>]) -> Result<Self, Problem> {
        let Assembled { bytes, named, files, places, .. } =
            assemble(sources).map_err(|report| Problem::new("", report))?;
        let executables = executables(&bytes).map_err(|error| Problem::new(files.join(", "), error))?;
        let lines = places.iter().map(|place| Some((place.file, place.line))).collect();
        let procedures = labels(&named);
        Ok(Self { bytes, named, executables, files, lines, procedures, declared: None })
    }

    /// Loads sources, or one container. Lines of a container are those of its own table.
    ///
    /// # Errors
    /// A file that cannot be read; errors of the assembler or the container.
    pub fn load<P: AsRef<Path>>(paths: &[P]) -> Result<Self, Problem> {
        Self::of_files(&paths.iter().map(|path| read(path.as_ref())).collect::<Result<Vec<_>, _>>()?)
    }

    /// Reads sources, or one container, from their contents by name. With the feature `source`, a
    /// name that ends in `.wgsl`, `.vert` or another extension of a shading language is compiled.
    ///
    /// # Errors
    /// Errors of the assembler, the container or the compiler.
    pub fn of_files(files: &[(String, Vec<u8>)]) -> Result<Self, Problem> {
        Self::chosen(files, &Choices::default())
    }

    pub(crate) fn chosen(files: &[(String, Vec<u8>)], choices: &Choices) -> Result<Self, Problem> {
        if let [(name, bytes)] = files
            && let Some(compiled) = declared::compile(name, bytes, choices)
        {
            let Lowered { text, lines, declared } = compiled?;
            let mut shader = Self::assemble(&[SourceText { name, text: &text }])?;
            for line in &mut shader.lines {
                let own = |line: u32| lines.get((line as usize).checked_sub(1)?).copied()?;
                *line = line.and_then(|(file, line)| Some((file, own(line)?)));
            }
            return Ok(Self { declared: Some(declared), ..shader });
        }
        if let [(name, bytes)] = files
            && bytes.starts_with(b"DVLB")
        {
            let file = Shbin::parse(bytes).map_err(|error| Problem::new(name, error))?;
            return Self::of_container(&file, bytes).map_err(|error| Problem::new(name, error));
        }
        let texts: Vec<_> = files.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect();
        let sources = files.iter().zip(&texts).map(|((name, _), text)| SourceText { name, text });
        Self::assemble(&sources.collect::<Vec<_>>())
    }

    fn of_container(file: &Shbin<'_>, bytes: &[u8]) -> Result<Self, Error> {
        let (mut files, mut lines) = (Vec::new(), Vec::new());
        for line in file.package.lines.iter() {
            let name = file.package.strings.get(line.file).to_string();
            let number = files.iter().position(|known| *known == name).unwrap_or_else(|| {
                files.push(name);
                files.len() - 1
            });
            lines.push(Some((number, line.line)));
        }
        let (named, executables) = (Model::from(file), executables(bytes)?);
        let (procedures, bytes) = (labels(&named), bytes.to_vec());
        Ok(Self { procedures, bytes, named, executables, files, lines, declared: None })
    }

    /// Returns the same shader with another content.
    ///
    /// # Errors
    /// The content has no programs.
    pub(crate) fn changed(&self, model: &Model) -> Result<Self, Error> {
        let bytes = transpica::container::write(model);
        let executables = executables(&bytes)?;
        Ok(Self { bytes, executables, ..self.clone() })
    }

    /// Returns the file and line of a code word, or its address.
    pub fn place(&self, pc: Pc) -> String {
        let line = self.lines.get(pc.index()).copied().flatten();
        let place = line.and_then(|(file, line)| Some(format!("{}:{line}", self.files.get(file)?)));
        place.unwrap_or_else(|| pc.to_string())
    }

    /// Returns the place of a code word, with its address where a line has several.
    pub(crate) fn word_place(&self, pc: Pc) -> String {
        let address = self.source_line(pc).map_or(String::new(), |_| format!(", {pc}"));
        self.place(pc) + &address
    }

    /// Returns the text of a line of a shading language that a code word is made for.
    pub(crate) fn source_line(&self, pc: Pc) -> Option<&str> {
        self.declared.as_ref()?.line(self.lines.get(pc.index()).copied()??.1)
    }

    /// Finds an output of a program: by its semantic, its register, or its name in the source,
    /// which it keeps.
    pub(crate) fn output(&self, program: &Executable, name: &str, place: &str) -> Result<Output, String> {
        let outputs = program.symbols.outputs();
        let is_semantic = outputs.iter().any(|(known, ..)| *known == name);
        let register = self.declared.as_ref().filter(|_| !is_semantic).and_then(|it| it.output(name));
        let own = register.and_then(|register| outputs.iter().find(|&&(_, own, _)| own == register));
        let [.., names] = self.declared.as_ref().map(Declared::names).unwrap_or_default();
        let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        let known = own.map_or(name, |(semantic, ..)| semantic);
        let found = Output::find(&program.symbols, known, &names, place)?;
        Ok(Output { name: name.to_owned(), ..found })
    }

    /// Returns the number of the first program of a stage.
    ///
    /// # Errors
    /// There is none.
    pub fn index_of(&self, stage: Stage) -> Result<usize, String> {
        let found = self.executables.iter().position(|executable| executable.program.stage() == stage);
        let name = if stage == Stage::Vertex { "vertex" } else { "geometry" };
        found.ok_or_else(|| format!("the shader has no {name} program"))
    }

    /// Returns the findings about all programs, each with its place.
    ///
    /// # Errors
    /// Errors of the container.
    pub fn findings(&self) -> Result<Vec<String>, Error> {
        let file = Shbin::parse(&self.bytes)?;
        let mut all = Vec::new();
        for (index, Executable { program, .. }) in self.executables.iter().enumerate() {
            for finding in lint(program, &file, index, &Limits::default())? {
                let place = self.place(finding.pc.unwrap_or(program.entry()));
                let text = format!("{place}: {} [{}]", finding.message, finding.rule);
                if !all.contains(&text) {
                    all.push(text);
                }
            }
        }
        Ok(all)
    }

    /// Returns the texts of instructions, with the names of a program or of each one's section.
    pub(crate) fn listing(&self, index: Option<usize>) -> Option<Listing> {
        Listing::of_model(self.named.clone(), index).ok()
    }
}

/// Reads a file, with the name that reports show.
pub(crate) fn read(path: &Path) -> Result<(String, Vec<u8>), Problem> {
    let bytes = std::fs::read(path).map_err(|error| Problem::new(path.display(), error))?;
    Ok((path.display().to_string(), bytes))
}

/// Reads the programs of a container.
fn executables(bytes: &[u8]) -> Result<Vec<Executable>, Error> {
    let file = Shbin::parse(bytes)?;
    let executable = |index| {
        let environment = FileEnvironment::new(&file, index, "")?;
        let dvle = environment.executable();
        Ok(Executable {
            program: dvle::program(&file, index, &Limits::default())?,
            symbols: Symbols::new(dvle),
            start: start_values(&environment),
            outputs: dvle.output_mask(),
        })
    };
    (0..file.executables.len()).map(executable).collect()
}

/// Returns the labels of all programs.
fn labels(model: &Model) -> Vec<(String, u32)> {
    let labels = model
        .executables
        .iter()
        .flat_map(|one| one.labels.iter().map(|label| (one.names.get(label.name), label)));
    labels.map(|(name, label)| (name.to_string(), label.address)).collect()
}
