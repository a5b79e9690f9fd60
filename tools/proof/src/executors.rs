//! Executors of the forms of a program on the CPU: its tree, a module of the IR, and a SPIR-V
//! module on a driver that takes licenses.
//! In: a form, a case. Out: output registers; those that a form does not have are zero.

use rspirv::dr;
use transpica::host::{HostField, HostValues, MemberType, UniformBlock, pack};
use transpica::interp::Registers as State;
use transpica::isa::Uniforms;
use transpica::stages::ir::{Module, verify};
use transpica::stages::ir::{Phase, text};
use transpica::stages::precision::arith;
use transpica::{At, Error, Job, Kind, Precision, Profile, Result, Translator};
use transpica_inspect::executor::{self, Case, Executor, Subnormals, Verdict};
use transpica_inspect::spirv;
use transpica_inspect::state::{Registers, bits};

use crate::chain::Disagreement;
use crate::ir::{Evaluator, InputValues, Lanes};
use crate::spirv_machine::{Licenses, World, run_on};
use crate::walk::{Walk, Walked};

/// Limit of items and statements per vertex.
const ITEMS: u64 = 1 << 24;

/// An error that says what a form did.
fn fault(what: impl Into<String>) -> Error {
    Error::new(Kind::Other(what.into()), At::Whole)
}

/// Checks that a form agrees. Forms before legalization keep the sign of zero; in legal modules
/// products have none.
///
/// # Errors
/// The first output that differs.
pub fn check(form: &str, verdict: &Verdict, keeps_zero_signs: bool) -> std::result::Result<(), Disagreement> {
    let first = verdict.first.or(verdict.first_signed_zero.filter(|_| keeps_zero_signs));
    first.map_or(Ok(()), |first| Err(Disagreement { form: form.to_owned(), what: first.to_string() }))
}

/// The structured tree, on the interpreter's registers.
pub struct InTree<'a> {
    /// Name of the form.
    pub form: &'a str,
    /// The tree.
    pub walk: Walk<'a>,
}

impl Executor for InTree<'_> {
    type Error = Error;
    fn name(&self) -> &str {
        self.form
    }
    fn outputs(&self, case: &Case<'_>) -> Result<Vec<Registers>> {
        let settings = case.options.settings(case.budget);
        let run = |inputs| {
            let mut state = State::new(settings.precision, case.uniforms);
            state.set_uninitialized(settings.uninitialized);
            state.set_loop_guard(settings.loop_guard.unwrap_or(0));
            state.begin(inputs);
            match self.walk.run(&mut state, 1 << 20, &mut |_, _| {}) {
                Walked::End => Ok(bits(state.outputs())),
                Walked::Budget => Err(fault("a vertex does not end")),
            }
        };
        case.inputs.iter().map(run).collect()
    }
}

/// A module of the IR on the evaluator.
pub struct Evaluated<'a> {
    /// Name of the form.
    pub form: &'a str,
    /// The module.
    pub module: &'a Module,
    /// Its uniform block.
    pub block: &'a UniformBlock,
    /// Number of its outputs.
    pub outputs: usize,
    /// The host's values at the draw.
    pub host: HostValues,
}

impl Evaluated<'_> {
    /// Checks that the module is well-formed.
    ///
    /// # Errors
    /// The defect, and the beginning of the module.
    pub fn verify(&self, phase: Phase) -> Result<()> {
        verify(self.module, phase).map_err(|error| {
            let text = text::print(self.module);
            let start: String = text.lines().take(200).map(|line| format!("{line:.200}\n")).collect();
            fault(format!("{error}\n{start}"))
        })
    }

    fn environment(&self, precision: Precision, uniforms: &Uniforms) -> InputValues {
        // Before legalization nothing converts loaded values, so round the registers here.
        let load = |x: f32| arith::load(precision, x).to_bits();
        InputValues {
            uniforms: uniforms.floats.iter().map(|register| register.map(load)).collect(),
            // Specialization constants take the values of their registers.
            ints: uniforms.ints,
            bools: uniforms.bools,
            members: members(self.block, &pack(self.block, uniforms)),
            host: fields(&self.host),
            ..InputValues::default()
        }
    }
}

impl Executor for Evaluated<'_> {
    type Error = Error;
    fn name(&self) -> &str {
        self.form
    }
    fn outputs(&self, case: &Case<'_>) -> Result<Vec<Registers>> {
        let precision = case.options.arithmetic.precision;
        let evaluator = Evaluator::new(self.module)?;
        let mut environment = self.environment(precision, case.uniforms);
        let mut all = Vec::with_capacity(case.inputs.len());
        for inputs in case.inputs {
            environment.inputs = inputs.map(|register| register.map(|x| arith::load(precision, x).to_bits()));
            let found = evaluator.run(precision, &environment, ITEMS)?;
            if found.len() != self.outputs {
                return Err(fault(format!("{} outputs, expected {}", found.len(), self.outputs)));
            }
            all.push(padded(&found));
        }
        Ok(all)
    }
}

/// Outputs as registers; there are at most 16.
pub fn padded(outputs: &[Lanes]) -> Registers {
    std::array::from_fn(|register| outputs.get(register).copied().unwrap_or_default())
}

/// Returns a shader's view of a uniform buffer: the elements of each member.
fn members(block: &UniformBlock, buffer: &[u8]) -> Vec<Vec<Lanes>> {
    let word = |at: usize| u32::from_le_bytes(buffer[at..at + 4].try_into().expect("four bytes"));
    let elements = block.members.iter().map(|member| {
        let start = member.offset as usize;
        let (elements, lanes) = match member.ty {
            MemberType::Vec4 | MemberType::IVec4 => (1, 4),
            MemberType::Vec4Array(count) | MemberType::IVec4Array(count) => (usize::from(count), 4),
            MemberType::PackedInts => (1, 4),
            MemberType::Bits => (1, 1),
        };
        let element = |element: usize| -> Lanes {
            std::array::from_fn(|lane| if lane < lanes { word(start + 16 * element + 4 * lane) } else { 0 })
        };
        (0..elements).map(element).collect()
    });
    elements.collect()
}

/// Returns the fields of the host block by index.
fn fields(host: &HostValues) -> [Lanes; HostField::ALL.len()] {
    let flag = |flag: bool| [u32::from(flag), 0, 0, 0];
    HostField::ALL.map(|field| match field {
        HostField::ClipEnabled => flag(host.clip_enabled),
        HostField::FlipY => flag(host.flip_y),
        HostField::ClipPlane => host.clip_plane.map(f32::to_bits),
        HostField::Parameter(number) => host.parameters[usize::from(number % 16)].map(f32::to_bits),
    })
}

/// A SPIR-V module in compute on a driver that takes every license that its declarations leave.
pub struct ByTheLetter {
    module: dr::Module,
    block: UniformBlock,
    /// Seed of the driver, or `None` for one that computes as IEEE 754 does.
    pub seed: Option<u64>,
}

impl ByTheLetter {
    /// Translates the program of a case.
    ///
    /// # Errors
    /// Errors of the translator.
    pub fn new(case: &Case<'_>, profile: &Profile) -> Result<Self> {
        let mut translator = Translator::new(case.options, profile.clone());
        let translated = translator.translate(case.program, case.environment, Job::Compute)?;
        let module = spirv::load(&translator.spirv(&translated)?)?;
        Ok(Self { module, block: translated.interface.block, seed: None })
    }
}

impl Executor for ByTheLetter {
    type Error = Error;
    fn name(&self) -> &str {
        "SPIR-V by the letter"
    }
    fn outputs(&self, case: &Case<'_>) -> Result<Vec<Registers>> {
        let bytes = pack(&self.block, case.uniforms);
        let words = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let block: Vec<u32> = words(&bytes);
        let run = |(inputs, vertex): (&[[f32; 4]; 16], u64)| {
            let mut world = World::default();
            world.buffers.insert(0, inputs.as_flattened().iter().map(|x| x.to_bits()).collect());
            world.buffers.insert(1, vec![0; 64]);
            world.buffers.insert(2, block.clone());
            let mut driver = match self.seed {
                Some(seed) => Licenses::of(&self.module, seed << 32 | vertex),
                None => Licenses::none(),
            };
            run_on(&self.module, &mut world, &mut driver);
            padded(world.buffers[&1].as_chunks().0)
        };
        Ok(case.inputs.iter().zip(0..).map(run).collect())
    }
}

/// Compares the module of a vertex program with the interpreter: on a driver that computes as IEEE
/// 754 does, and on this many that take licenses.
///
/// # Errors
/// The first output that differs, and errors of the translator.
pub fn compare_by_the_letter(
    case: &Case<'_>,
    profile: &Profile,
    drivers: u64,
) -> std::result::Result<Verdict, Disagreement> {
    let failed = |error: Error| Disagreement { form: "SPIR-V".into(), what: error.to_string() };
    let expected = executor::reference(case, Subnormals::Kept).map_err(failed)?;
    let mut driver = ByTheLetter::new(case, profile).map_err(failed)?;
    let mut total = Verdict::default();
    for seed in std::iter::once(None).chain((1..=drivers).map(Some)) {
        driver.seed = seed;
        let verdict = executor::compare_with(&driver, case, &expected).map_err(failed)?;
        check(&format!("{} {seed:?}", driver.name()), &verdict, false)?;
        total.add(&verdict);
    }
    Ok(total)
}
