//! Cases that hold a program against another one: both must compute the same.
//! In: two programs, what a case knows of bools and ints. Out: nothing, or how they differ.

use transpica::isa::Pc;
use transpica::settings::{BoolUniforms, IntUniforms};
use transpica::{Limits, Options, Shbin};
use transpica_compile::equal::matching::Matching;
use transpica_compile::equal::report::{Names, text};
use transpica_compile::equal::{Comparison, Effort, Opened, Verdict, compare};

use crate::shader::Shader;

/// Vertices on which programs run that are not proven equal.
const VERTICES: u64 = 1 << 14;
/// Limit of instructions for each.
const BUDGET: u64 = 1 << 12;

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
        let [first, second] = sides.map(|(shader, index)| {
            let file = Shbin::parse(&shader.bytes)?;
            Opened::new(&file, index, &Limits::default())
        });
        let failed = |error: transpica::Error| format!("{}: {error}", self.name);
        let (first, second) = (first.map_err(failed)?, second.map_err(failed)?);
        let matching = Matching::new([&first.symbols, &second.symbols], &[])?;
        let others =
            shader.computed_otherwise(&self.shader, |bank, own| matching.registers.number(bank, own));
        if !others.is_empty() {
            return Err(format!("{} has the host compute {} in other ways", self.name, others.join(", ")));
        }
        let mut options = Options::default();
        (options.control.bools, options.control.ints) = (self.bools, self.ints);
        let effort = Effort { vertices: VERTICES, budget: BUDGET, ..Effort::default() };
        let comparison = Comparison { effort, ..Comparison::new([&first, &second], &matching, options) };
        let verdict = compare(&comparison).map_err(failed)?;
        match &verdict {
            Verdict::Different(_) => {}
            equal if equal.is_equal() => return Ok(()),
            Verdict::Proven { .. } | Verdict::Sampled { .. } => {
                return Err(format!("nothing was compared with {}: no vertex ends", self.name));
            }
        }
        let instruction = |side: usize, pc: Pc| {
            let (shader, index) = sides[side];
            let text = shader.listing(Some(index)).and_then(|listing| listing.line(pc));
            format!("{}: {}", shader.place(pc), text.unwrap_or_default())
        };
        let names = Names { programs: ["the program", &self.name], instruction: &instruction };
        Err(format!("not equal to {}\n{}", self.name, text(&verdict, &names).trim_end()))
    }
}
