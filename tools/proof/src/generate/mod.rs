//! Random PICA200 programs, with inputs and uniforms, for tests and measurements.
//! In: a kind and a seed. Out: code words, descriptors, entry point; values. Equal seeds give equal
//! results everywhere.
//! Knows no translation: it depends only on the library's instruction tables, so every executor can
//! run its programs.
//!
//! ```
//! use transpica::Machine;
//! use transpica::interp::Settings;
//! let generated = transpica_proof::generate::generate(transpica_proof::generate::Kind::Clean, 1);
//! let settings = Settings { budget: transpica_proof::generate::BUDGET, ..Settings::default() };
//! let mut machine = Machine::new(&generated.program(), settings)?;
//! machine.set_uniforms(&generated.uniforms());
//! for inputs in generated.inputs(4) {
//!     machine.run(&inputs)?;
//! }
//! # Ok::<(), transpica::Error>(())
//! ```

mod clean;
mod data;
mod geometry;
mod numeric;
mod wild;

use std::ops::RangeInclusive;

use transpica::interp::Uniforms;
use transpica::isa::Pc;
use transpica::{Limits, Program, Stage};

use data::DataMaker;
pub use geometry::{Dependence, GeneratedGeometry, GeometryDraw, generate_geometry};
pub use transpica_inspect::values::{Random, inputs, special_inputs, special_uniforms, uniforms};

/// Largest number of instructions that one vertex of a clean or numeric program executes, with
/// [`uniforms`] or [`special_uniforms`] and up to 200 words. Wild programs may not end; give them a
/// smaller budget.
pub const BUDGET: u64 = 1 << 20;

/// Default size of a program in words.
pub const USUAL_SIZE: RangeInclusive<u16> = 8..=60;

/// Kind of a random program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Like the output of an assembler: properly nested scopes up to the depth of the stacks,
    /// procedures, forward jumps, END on every path. Always ends. BREAK may leave a loop from
    /// inside an IF, as it does in shipped programs.
    Clean,
    /// Anything that can be encoded with defined opcodes: jumps everywhere, scopes that overlap or
    /// end together, overflowing stacks, code that runs off its end. May run forever.
    Wild,
    /// Straight code through every opcode, to run on special values.
    Numeric,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Clean, Self::Wild, Self::Numeric];
}

/// A random vertex program in which every opcode is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Kind of the program.
    pub kind: Kind,
    /// Seed of the program.
    pub seed: u64,
    /// Code words.
    pub code: Vec<u32>,
    /// Operand descriptors.
    pub descriptors: Vec<u32>,
    /// Entry point.
    pub entry: Pc,
}

impl Generated {
    /// Returns the program in the library's form.
    pub fn program(&self) -> Program<'_> {
        Program::new(&self.code[..], &self.descriptors[..], self.entry, Stage::Vertex, &Limits::default())
            .expect("generated programs are within the limits")
    }
    /// Returns inputs for this kind, from the same seed: [`inputs`] or [`special_inputs`].
    pub fn inputs(&self, vertices: usize) -> Vec<[[f32; 4]; 16]> {
        match self.kind {
            Kind::Clean | Kind::Wild => inputs(self.seed, vertices),
            Kind::Numeric => special_inputs(self.seed, vertices),
        }
    }
    /// Returns uniforms for this kind, from the same seed: [`uniforms`] or [`special_uniforms`].
    pub fn uniforms(&self) -> Uniforms {
        match self.kind {
            Kind::Clean | Kind::Wild => uniforms(self.seed),
            Kind::Numeric => special_uniforms(self.seed),
        }
    }
}

/// Generates a program of [`USUAL_SIZE`].
///
/// ```
/// use transpica_proof::generate::{Kind, generate};
/// assert_eq!(generate(Kind::Wild, 5), generate(Kind::Wild, 5));
/// assert_ne!(generate(Kind::Wild, 5).code, generate(Kind::Wild, 6).code);
/// ```
pub fn generate(kind: Kind, seed: u64) -> Generated {
    generate_sized(kind, seed, USUAL_SIZE)
}

/// Generates a [`Kind::Numeric`] program with more roots and logarithms of numbers of any sign, and
/// products of them with what is made of the same numbers.
pub fn generate_entangled(seed: u64) -> Generated {
    let mut generated = generate(Kind::Numeric, seed);
    let mut random = Random::new(seed, "entangled");
    let mut data = DataMaker::new(&mut random);
    data.descriptors = generated.descriptors.clone();
    numeric::entangle(&mut random, &data, &mut generated.code);
    generated
}

/// Generates a program whose size is about in this range, at most 400 words; padding, results and
/// END may come on top.
pub fn generate_sized(kind: Kind, seed: u64, size: RangeInclusive<u16>) -> Generated {
    let mut random = Random::new(seed, ["clean", "wild", "numeric"][kind as usize]);
    let size = random.between(u32::from(*size.start()), u32::from(*size.end())).min(400);
    let data = DataMaker::new(&mut random);
    let (code, entry) = match kind {
        Kind::Clean => clean::code(&mut random, &data, size),
        Kind::Wild => wild::code(&mut random, &data, size),
        Kind::Numeric => (numeric::code(&mut random, &data, size), 0),
    };
    Generated { kind, seed, code, descriptors: data.descriptors, entry: Pc(entry) }
}
