//! Comparison of two programs: whether they give the same bits for inputs of many kinds.
//! In: programs, constants of both files, known uniforms. Out: the first difference, if one was
//! found. It is no proof.

use transpica::host::Constants;
use transpica::isa::{Mask, Uniforms};
use transpica::settings::Control;
use transpica::{Options, Program};
use transpica_draw::batch::{Batch, LANES};

/// Instructions of one vertex.
const BUDGET: u64 = 50_000;
/// Sets of uniforms, with as many vertices as a batch has lanes for each.
const ROUNDS: u32 = 8;

/// Numbers that arithmetic treats in ways of their own.
const SPECIAL: [f32; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    1e-30,
    -1e-30,
    1e30,
    3.0,
    127.5,
    -128.0,
    1e-40,
];

/// A program with the constants that binding it sets.
pub(super) struct Bound<'a> {
    pub program: &'a Program<'a>,
    pub constants: &'a Constants,
}

/// Compares two programs; returns a component that differs.
pub(super) fn difference(before: &Bound<'_>, after: &Bound<'_>, known: &Control) -> Option<(u8, u8)> {
    let settings = Options::default().settings(BUDGET);
    let mut batches = [before, after].map(|bound| Batch::new(bound.program, settings).ok());
    let [Some(first), Some(second)] = &mut batches else { return None };
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..ROUNDS {
        let is_special = round % 2 == 1;
        let mut uniforms = Uniforms::default();
        for value in uniforms.floats.iter_mut().flatten() {
            *value = random.number(is_special);
        }

        uniforms.ints = std::array::from_fn(|_| [3, 90, 2, 0].map(|most| (random.next() % (most + 1)) as u8));
        (0..16).for_each(|id| uniforms.set_bool(id, random.next() & 1 != 0));
        for (batch, bound) in [(&mut *first, before), (&mut *second, after)] {
            let mut own = uniforms.clone();
            bound.constants.apply(&mut own);
            set_known(&mut own, known);
            batch.set_uniforms(&own);
        }
        for (register, component) in
            (0..16).flat_map(|register| (0..4).map(move |component| (register, component)))
        {
            let values: [f32; LANES] = std::array::from_fn(|_| random.number(is_special));
            for batch in [&mut *first, &mut *second] {
                if let Some(lanes) = batch.input_mut(register, component) {
                    *lanes = values;
                }
            }
        }
        if first.run(LANES).is_ok() {
            let is_other = second.run(LANES).is_err();
            let found = components(first)
                .find(|&(register, component)| is_other || differs(first, second, register, component));
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// Sets the uniforms with known values, which take precedence over constants of files.
fn set_known(uniforms: &mut Uniforms, known: &Control) {
    for (register, value) in known.ints.baked.iter().enumerate() {
        uniforms.ints[register] = value.unwrap_or(uniforms.ints[register]);
    }
    for id in (0..16).filter(|id| known.bools.baked >> id & 1 != 0) {
        uniforms.set_bool(id, known.bools.values >> id & 1 != 0);
    }
}

/// The components that a program may write.
fn components(batch: &Batch) -> impl Iterator<Item = (u8, u8)> + '_ {
    let all =
        (0..16).flat_map(|register| Mask::XYZW.iter().map(move |component| (register, component as u8)));
    all.filter(|&(register, component)| batch.is_written(register.into(), component.into()))
}

fn differs(one: &Batch, other: &Batch, register: u8, component: u8) -> bool {
    let values = [one, other].map(|batch| batch.output(register.into(), component.into()));
    let [Some(a), Some(b)] = values else { return true };
    a.iter().zip(b).any(|(a, b)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()))
}

/// xorshift64*
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn number(&mut self, is_special: bool) -> f32 {
        let bits = self.next();
        if is_special && bits & 3 != 0 {
            return SPECIAL[(bits >> 8) as usize % SPECIAL.len()];
        }
        // Range: 24 bits.
        ((bits >> 8 & 0xFF_FFFF) as f32 / 8_388_608.0 - 1.0)
            * [1.0, 4.0, 40.0, 400.0][(bits >> 2 & 3) as usize]
    }
}
