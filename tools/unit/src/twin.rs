//! Cases that hold a program against another one: both must compute the same.
//! In: two programs, what a case knows of bools and ints. Out: nothing, or how they differ.

use transpica::host::dvle::constants;
use transpica::isa::Pc;
use transpica::settings::{BoolUniforms, IntUniforms};
use transpica::{Options, Shbin};
use transpica_compile::equal::matching::Matching;
use transpica_compile::equal::report::{Names, text};
use transpica_compile::equal::{Comparison, Effort, Subject, Verdict, compare};

use crate::shader::Shader;

/// Vertices on which programs run that are not proven equal.
const VERTICES: u64 = 1 << 14;

/// A program that must compute the same as that of a case.
#[derive(Clone, Debug)]
pub struct Twin {
    /// Its name in the test file.
    pub name: String,
    /// Its shader.
    pub shader: Shader,
    /// The executable there.
    pub index: usize,
    /// Executable of the case.
    pub own: usize,
    /// Bools that the case knows, by its own program's numbers.
    pub bools: BoolUniforms,
    /// Ints that it knows.
    pub ints: IntUniforms,
}

impl Twin {
    /// Compares it with the program of the case.
    ///
    /// # Errors
    /// How they differ, or why they cannot be compared.
    pub fn check(&self, shader: &Shader) -> Result<(), String> {
        let sides = [(shader, self.own), (&self.shader, self.index)];
        let both = sides.map(|(shader, index)| {
            let executable = shader.executables.get(index).ok_or("no such program")?;
            let file = Shbin::parse(&shader.bytes).map_err(|error| error.to_string())?;
            let constants = file.executables.get(index).map(constants).ok_or("no such program")?;
            Ok::<_, String>((executable, constants))
        });
        let [first, second] = both;
        let both = [first?, second?];
        let matching = Matching::new(both.each_ref().map(|(executable, _)| &executable.symbols), &[])?;
        let mut options = Options::default();
        (options.control.bools, options.control.ints) = (self.bools, self.ints);
        let subject = |side: usize| {
            let (executable, constants) = &both[side];
            Subject { program: &executable.program, constants, symbols: &executable.symbols }
        };
        let comparison = Comparison {
            subjects: [subject(0), subject(1)],
            matching: &matching,
            options,
            rounding: None,
            effort: Effort { vertices: VERTICES, ..Effort::default() },
            solver: None,
        };
        let verdict = compare(&comparison).map_err(|error| format!("{}: {error}", self.name))?;
        if !matches!(verdict, Verdict::Different(_)) {
            return Ok(());
        }
        let instruction = |side: usize, pc: Pc| sides[side].0.place(pc);
        let names = Names { programs: ["the program", &self.name], instruction: &instruction };
        Err(format!("not equal to {}\n{}", self.name, text(&verdict, &names).trim_end()))
    }
}
