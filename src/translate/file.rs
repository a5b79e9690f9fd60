//! Programs of a file with the environment of their executable: from bytes to modules in two calls.
//! In: [`Shbin`]. Out: [`FileProgram`], from it [`Translation`] and
//! [`Reflection`](crate::translate::reflect::Reflection).

use super::{Translation, Translator};
use crate::error::Result;
use crate::host::settings::{Job, Options, Profile, Setup};
use crate::interface::FileEnvironment;
use crate::limits::Limits;
use crate::program::container::Shbin;
use crate::program::executable;
use crate::program::isa::{Program, Stage, Uniforms};

/// A program of a file with its environment: constants, outputs and names of its executable.
#[derive(Clone, Debug)]
pub struct FileProgram<'a> {
    file: &'a Shbin<'a>,
    index: usize,
    program: Program<'static>,
    environment: FileEnvironment<'a>,
}

impl Shbin<'_> {
    /// Returns the program of an executable, ready to be translated.
    ///
    /// ```
    /// use transpica::{Options, Shbin};
    /// let bytes = std::fs::read("shaders/lights.shbin")?;
    /// let file = Shbin::parse(&bytes)?;
    /// let module = file.program(0)?.translate(&Options::default())?;
    /// let words: Vec<u32> = module.spirv()?;
    /// assert_eq!(words[0], 0x0723_0203);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No such executable, an unknown shader type, code over the default limits, an entry point
    /// that its unit does not reach.
    pub fn program(&self, index: usize) -> Result<FileProgram<'_>> {
        let program = executable::program(self, index, &Limits::default())?;
        let environment = FileEnvironment::new(self, index, "")?;
        Ok(FileProgram { file: self, index, program, environment })
    }
}

impl<'a> FileProgram<'a> {
    /// Sets the file name in headers of texts and in reflections.
    ///
    /// ```
    /// let bytes = std::fs::read("shaders/lights.shbin")?;
    /// let file = transpica::Shbin::parse(&bytes)?;
    /// let program = file.program(0)?.named("lights.shbin");
    /// let reflection = program.reflect(&program.translate(&Default::default())?);
    /// assert_eq!(reflection.interface.source, "lights.shbin");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn named(self, source: &'a str) -> Self {
        Self { environment: self.environment.named(source), ..self }
    }

    /// Returns the program.
    pub fn program(&self) -> &Program<'static> {
        &self.program
    }

    /// Returns its index among the executables of the file.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns its environment.
    pub fn environment(&self) -> &FileEnvironment<'a> {
        &self.environment
    }

    /// Returns the uniforms after the console binds the executable: its constants, and zero and
    /// false elsewhere.
    ///
    /// ```
    /// let bytes = std::fs::read("shaders/textured.shbin")?;
    /// let file = transpica::Shbin::parse(&bytes)?;
    /// let uniforms = file.program(0)?.uniforms();
    /// assert_eq!(uniforms.floats[95][..3], [1.0, 0.0, 0.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn uniforms(&self) -> Uniforms {
        let mut uniforms = Uniforms::default();
        self.environment.constants().apply(&mut uniforms);
        uniforms
    }

    /// Returns the setup of a draw with this geometry program, as [`Setup::with_nearest`] does, or
    /// of a draw with this vertex program alone.
    ///
    /// # Errors
    /// As [`Setup::from_file`].
    pub fn setup(&self) -> Result<Setup> {
        match self.program.stage() {
            Stage::Vertex => Setup::from_file(self.file, self.index, None, None),
            Stage::Geometry => Setup::with_nearest(self.file, self.index, None, None),
        }
    }

    /// Translates the program for the default profile: a vertex program to a vertex stage, a
    /// geometry program to a compute stage. [`Translator`] has the other jobs and reuses memory.
    ///
    /// # Errors
    /// As [`Translator::translate`].
    pub fn translate(&self, options: &Options) -> Result<Translation> {
        let mut translator = Translator::new(*options, Profile::default());
        match self.program.stage() {
            Stage::Vertex => translator.translate(&self.program, &self.environment, Job::Vertex),
            Stage::Geometry => {
                translator.translate(&self.program, &self.environment, Job::Geometry(&self.setup()?))
            }
        }
    }
}
