//! Inputs and uniforms as games feed them: unit positions and directions, matrices near the
//! identity, colors in 0..1.
//! In: a seed, and the names that a file has for registers. Out: values. Knows no program: the name
//! and the number of registers decide. Registers without a name are in 0..1.

use transpica::container::SymbolBank;
use transpica::interp::{Registers, Uniforms};
use transpica::isa::sizes::FLOATS;

use super::Random;

/// A named range of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The bank of its registers.
    pub bank: SymbolBank,
    /// Its first register.
    pub first: usize,
    /// Number of registers, at least 1.
    pub count: usize,
}

/// Use of a vector, as its name suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Rows of matrices.
    Matrix {
        /// Rows of each.
        rows: usize,
        /// True for a projection, whose last row selects w.
        is_projection: bool,
    },
    /// A point.
    Position,
    /// A unit vector.
    Direction,
    /// A unit quaternion.
    Quaternion,
    /// A color.
    Color,
    /// Texture coordinates.
    Texcoord,
    /// Shares that add up to 1.
    Weights,
    /// Small whole numbers.
    Index,
    /// A factor near 1.
    Scale,
    /// 0..1
    Other,
}

/// Parts of names, in lower case, and what they mean. The first that occurs decides.
const WORDS: &[(&str, Use)] = &[
    ("color", Use::Color),
    ("col", Use::Color),
    ("tint", Use::Color),
    ("ambient", Use::Color),
    ("diffuse", Use::Color),
    ("specular", Use::Color),
    ("weight", Use::Weights),
    ("wgt", Use::Weights),
    ("index", Use::Index),
    ("idx", Use::Index),
    ("joint", Use::Index),
    ("mvp", Use::Matrix { rows: 4, is_projection: true }),
    ("proj", Use::Matrix { rows: 4, is_projection: true }),
    ("bone", Use::Matrix { rows: 3, is_projection: false }),
    ("palette", Use::Matrix { rows: 3, is_projection: false }),
    ("matrix", Use::Matrix { rows: 4, is_projection: false }),
    ("matrices", Use::Matrix { rows: 3, is_projection: false }),
    ("mtx", Use::Matrix { rows: 4, is_projection: false }),
    ("model", Use::Matrix { rows: 4, is_projection: false }),
    ("world", Use::Matrix { rows: 4, is_projection: false }),
    ("quat", Use::Quaternion),
    ("pos", Use::Position),
    ("eye", Use::Position),
    ("dir", Use::Direction),
    ("norm", Use::Direction),
    ("nrm", Use::Direction),
    ("tangent", Use::Direction),
    ("intan", Use::Direction),
    ("light", Use::Direction),
    ("uv", Use::Texcoord),
    ("tex", Use::Texcoord),
    ("scale", Use::Scale),
    ("size", Use::Scale),
];

/// Returns the use that a name and a number of registers suggest.
pub fn use_of(named: &Named) -> Use {
    let name = named.name.to_lowercase();
    let found = WORDS.iter().find(|(word, _)| name.contains(word)).map(|&(_, found)| found);
    match (found, named.count) {
        // A single row is not a matrix, whatever its name.
        (Some(Use::Matrix { .. }), 1) if named.bank == SymbolBank::Input => Use::Index,
        (Some(Use::Matrix { .. }), 1) => Use::Other,
        (Some(Use::Matrix { rows, is_projection }), count) => {
            let rows = [rows, 4, 3, 2].into_iter().find(|rows| count % rows == 0).unwrap_or(count);
            Use::Matrix { rows, is_projection }
        }
        (Some(Use::Scale | Use::Texcoord) | None, count @ 2..=4) if named.bank == SymbolBank::Float => {
            Use::Matrix { rows: count, is_projection: false }
        }
        (Some(found), _) => found,
        (None, _) => Use::Other,
    }
}

/// A number in -1..1.
fn signed(random: &mut Random) -> f32 {
    random.unit() * 2.0 - 1.0
}

/// A vector of length 1.
fn unit_vector<const N: usize>(random: &mut Random) -> [f32; N] {
    let vector = [0.0; N].map(|_: f32| signed(random));
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    // Shorter ones lose their digits.
    if length < 0.01 {
        let mut first = [0.0; N];
        first[0] = 1.0;
        return first;
    }
    vector.map(|x| x / length)
}

/// A row of a matrix that moves points of the unit cube a little. A projection moves its z to the
/// middle of the clip volume, -1..0.
fn row(random: &mut Random, row: usize, is_projection: bool) -> [f32; 4] {
    if is_projection {
        return [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.25, -0.5], [0.0, 0.0, 0.0, 1.0]]
            [row & 3];
    }
    let mut vector = [0.0; 4].map(|_: f32| signed(random) * 0.125);
    match row & 3 {
        3 => [0.0, 0.0, 0.0, 1.0],
        row => {
            vector[row] += 1.0;
            vector
        }
    }
}

/// Register `place` of a range with this use.
fn vector(random: &mut Random, what: Use, place: usize) -> [f32; 4] {
    match what {
        Use::Matrix { rows, is_projection } => row(random, place % rows.max(1), is_projection),
        Use::Position => {
            let [x, y, z] = [0.0; 3].map(|_: f32| signed(random));
            [x, y, z, 1.0]
        }
        Use::Direction => {
            let [x, y, z] = unit_vector(random);
            [x, y, z, 1.0]
        }
        Use::Quaternion => unit_vector(random),
        Use::Texcoord => [random.unit(), random.unit(), 0.0, 1.0],
        Use::Weights => {
            let shares = [0.0; 4].map(|_: f32| random.unit() + 0.01);
            let sum: f32 = shares.iter().sum();
            shares.map(|share| share / sum)
        }
        Use::Index => [0.0; 4].map(|_: f32| random.below(3) as f32),
        Use::Scale => [0.0; 4].map(|_: f32| 0.5 + random.unit()),
        Use::Color | Use::Other => unit_value(random),
    }
}

/// A vector in 0..1 whose last component is 1.
fn unit_value(random: &mut Random) -> [f32; 4] {
    [random.unit(), random.unit(), random.unit(), 1.0]
}

/// Returns the values of float registers that nothing names: in 0..1, and 1.
pub fn unit_values(seed: u64) -> [[f32; 4]; FLOATS] {
    let mut random = Random::new(seed, "unit values");
    [[0.0; 4]; FLOATS].map(|_| unit_value(&mut random))
}

/// Returns uniforms as a game would set them: matrices near the identity, directions of length 1,
/// colors in 0..1, as names and numbers of registers suggest. Loops run at most four times.
///
/// ```
/// use transpica::container::SymbolBank;
/// use transpica_inspect::values::{Named, plausible_uniforms};
/// let name = "projection".to_owned();
/// let projection = Named { name, bank: SymbolBank::Float, first: 0, count: 4 };
/// let uniforms = plausible_uniforms(7, &[projection]);
/// assert_eq!(uniforms.floats[3], [0.0, 0.0, 0.0, 1.0]);
/// ```
pub fn plausible_uniforms(seed: u64, names: &[Named]) -> Uniforms {
    let mut uniforms = Uniforms { floats: unit_values(seed), ..Uniforms::default() };
    let mut random = Random::new(seed, "plausible uniforms");
    for int in &mut uniforms.ints {
        // Ranges: below 256. From aL 0 in steps of 1, as lists are read.
        *int = [random.below(4) as u8, 0, 1, 0];
    }
    uniforms.bools = random.bits() as u16;
    for named in names.iter().filter(|named| named.bank == SymbolBank::Float) {
        let what = use_of(named);
        for place in 0..named.count {
            if let Some(register) = uniforms.floats.get_mut(named.first + place) {
                *register = vector(&mut random, what, place);
            }
        }
    }
    uniforms
}

/// Returns attributes of some vertices as a game would feed them: positions in the unit cube,
/// directions of length 1, colors and texture coordinates in 0..1, as names suggest. v0 is the
/// position if nothing names it.
pub fn plausible_inputs(seed: u64, vertices: usize, names: &[Named]) -> Vec<[[f32; 4]; 16]> {
    let mut uses = [Use::Other; 16];
    uses[0] = Use::Position;
    for named in names.iter().filter(|named| named.bank == SymbolBank::Input) {
        for register in named.first..named.first + named.count {
            if let Some(place) = uses.get_mut(register) {
                *place = use_of(&Named { count: 1, ..named.clone() });
            }
        }
    }
    let mut random = Random::new(seed, "plausible inputs");
    let vertex = |_| {
        let mut inputs = Registers::DEFAULT_INPUTS;
        for (register, what) in inputs.iter_mut().zip(uses) {
            *register = vector(&mut random, what, 0);
        }
        inputs
    };
    (0..vertices).map(vertex).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, bank: SymbolBank, first: usize, count: usize) -> Named {
        Named { name: name.to_owned(), bank, first, count }
    }

    fn length(vector: &[f32]) -> f32 {
        vector.iter().map(|x| x * x).sum::<f32>().sqrt()
    }

    #[test]
    fn names_and_numbers_of_registers_decide_uniforms() {
        let float = |name, first, count| named(name, SymbolBank::Float, first, count);
        let names = [
            float("projection", 0, 4),
            float("modelView", 4, 3),
            float("bones", 7, 36),
            float("lightPos", 43, 4),
            float("lightColor", 47, 4),
            float("sunDir", 51, 1),
            float("unit", 52, 4),
            float("world", 56, 1),
            float("beyond", 94, 4),
        ];
        for seed in 0..20 {
            let floats = plausible_uniforms(seed, &names).floats;
            assert_eq!(floats[2], [0.0, 0.0, 0.25, -0.5]);
            // Columns 0 to 2 of rows 0 to 2, of matrices with three and four rows.
            for (first, rows) in [(4, 3), (7, 3), (7 + 33, 3), (52, 4)] {
                for row in 0..rows {
                    let diagonal = floats[first + row][row];
                    assert!((0.875..=1.125).contains(&diagonal), "c{} {diagonal}", first + row);
                }
            }
            assert_eq!(floats[55], [0.0, 0.0, 0.0, 1.0]);
            assert!(floats[43..47].iter().all(|light| light[3] == 1.0 && light[0].abs() <= 1.0));
            let is_unit = |x: &f32| (0.0..=1.0).contains(x);
            assert!(floats[47..51].as_flattened().iter().chain(&floats[90]).all(is_unit));
            assert!((length(&floats[51][..3]) - 1.0).abs() < 1e-5);
            assert!(floats[56].iter().all(is_unit));
        }
    }

    #[test]
    fn names_decide_attributes() {
        let input = |name, first| named(name, SymbolBank::Input, first, 1);
        let names =
            [input("innrm", 1), input("incol", 2), input("inuv", 3), input("inidx", 4), input("weights", 5)];
        for inputs in plausible_inputs(3, 50, &names) {
            assert!(inputs[0][3] == 1.0 && inputs[0].iter().all(|x| x.abs() <= 1.0));
            assert!((length(&inputs[1][..3]) - 1.0).abs() < 1e-5);
            assert!(inputs[2].iter().all(|x| (0.0..=1.0).contains(x)));
            assert_eq!(inputs[3][2..], [0.0, 1.0]);
            assert!(inputs[4].iter().all(|x| [0.0, 1.0, 2.0].contains(x)));
            assert!((inputs[5].iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
        assert_eq!(plausible_inputs(3, 2, &names), plausible_inputs(3, 2, &names));
        assert_ne!(plausible_inputs(3, 2, &names), plausible_inputs(4, 2, &names));
    }

    #[test]
    fn loops_end_soon() {
        for seed in 0..50 {
            let ints = plausible_uniforms(seed, &[]).ints;
            assert!(ints.iter().all(|[count, start, step, _]| *count < 4 && *start == 0 && *step == 1));
        }
    }
}
