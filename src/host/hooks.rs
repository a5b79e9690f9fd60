//! Hooks: changes that a host makes to programs between lowering and legalization.
//! In: choices of the host. Out: plain data, and the same changes on the CPU. The module's side is
//! `lower`. Knows no instruction's effect.

use std::borrow::Cow;

use super::interface::{ComponentSource, Interface, Location, Output, OutputValue};
use super::settings::options::Options;
use super::settings::vertex_input::VertexInput;
use super::values::HostValues;
use super::varying::OutputMap;
use super::{Constants, Environment, Usage};
use crate::error::{At, Error, Result};
use crate::machine::precision::{Precision, arith};
use crate::program::container::Semantic;
use crate::program::isa::limits::FLOATS;
use crate::program::isa::{Mask, Pc, Program, Uniforms};
use crate::support::fields::HostField;
use crate::support::stable;

/// Names of the varyings of taps. They end in a letter, so that no target renames them.
const TAPS: [&str; 8] = ["tap_a", "tap_b", "tap_c", "tap_d", "tap_e", "tap_f", "tap_g", "tap_h"];

/// An operand of a hook: four floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HookOperand {
    /// The bits of a constant, which [`constant`](Self::constant) makes.
    Constant([u32; 4]),
    /// Parameter 0..15 of the host block, read at draw time: see [`HostValues::parameters`].
    Parameter(u8),
}

impl HookOperand {
    /// Makes a constant.
    pub fn constant(value: [f32; 4]) -> Self {
        Self::Constant(value.map(f32::to_bits))
    }

    /// Returns the value at draw time.
    pub fn value(self, host: &HostValues) -> [f32; 4] {
        match self {
            Self::Constant(bits) => bits.map(f32::from_bits),
            Self::Parameter(number) => host.parameter(number),
        }
    }
}

/// Change of the components of an output. The arithmetic is the program's: products with 0, and
/// float24 where the precision is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputHook {
    /// Multiplies by a matrix: component n becomes the dot product of row n and all components.
    /// Those beyond the width of the output count as 0.
    Transform([HookOperand; 4]),
    /// Replaces the components of a mask.
    Set(Mask, HookOperand),
    /// Adds to the components of a mask.
    Add(Mask, HookOperand),
    /// Multiplies the components of a mask.
    Multiply(Mask, HookOperand),
}

impl OutputHook {
    fn operands(&self) -> &[HookOperand] {
        match self {
            Self::Transform(rows) => rows,
            Self::Set(_, operand) | Self::Add(_, operand) | Self::Multiply(_, operand) => {
                std::slice::from_ref(operand)
            }
        }
    }

    /// Changes the components of several vertices.
    pub(crate) fn apply<const N: usize>(
        &self,
        columns: &mut [[f32; N]; 4],
        precision: Precision,
        host: &HostValues,
    ) {
        let mut each = |mask: Mask, operand: HookOperand, op: fn(Precision, f32, f32) -> f32| {
            let operand = operand.value(host);
            for component in mask.iter() {
                let (column, operand) = (&mut columns[component.index()], operand[component.index()]);
                column.iter_mut().for_each(|value| *value = op(precision, *value, operand));
            }
        };
        match *self {
            Self::Set(mask, operand) => each(mask, operand, |_, _, operand| operand),
            Self::Add(mask, operand) => each(mask, operand, arith::add),
            Self::Multiply(mask, operand) => each(mask, operand, arith::mul),
            Self::Transform(rows) => {
                let rows = rows.map(|row| row.value(host));
                for vertex in 0..N {
                    let old = columns.map(|column| column[vertex]);
                    for (column, row) in columns.iter_mut().zip(rows) {
                        column[vertex] = arith::dot(precision, row, old);
                    }
                }
            }
        }
    }
}

/// A change that a host makes to a program: widescreen, stereo, a free camera, a look inside.
///
/// Hooks come with a program's environment: see [`Hooked`]. They apply in order, before the
/// conversions of [`Outputs`](crate::settings::Outputs) and the clip distances. Constants are part
/// of the module and its [key](crate::Key); [parameters](HookOperand::Parameter) change from draw
/// to draw.
///
/// ```
/// use transpica::container::Semantic;
/// use transpica::host::{Hook, HookOperand, Hooked, OutputHook};
/// use transpica::isa::Mask;
/// use transpica::{Job, Options, Profile, Shbin, Translator};
/// use transpica::host::HostValues;
///
/// let bytes = std::fs::read("shaders/lights.shbin")?;
/// let file = Shbin::parse(&bytes)?;
/// let program = file.program(0)?;
/// // From 5:3 to 16:9: all that lies between the sides moves closer to the middle.
/// let narrow = HookOperand::constant([0.9375, 1.0, 1.0, 1.0]);
/// let widescreen = Hook::Output(Semantic::Position, OutputHook::Multiply(Mask::X, narrow));
/// let hooked = Hooked { environment: program.environment(), hooks: &[widescreen] };
///
/// let mut translator = Translator::new(Options::default(), Profile::default());
/// let module = translator.translate(program.program(), &hooked, Job::Vertex)?;
/// let mut registers = [[0.0; 4]; 16];
/// registers[0] = [2.0, 1.0, -1.0, 4.0];
/// let position = module.interface.outputs[0].value(&registers, &module.options, &HostValues::default());
/// assert_eq!(position, [1.875, 1.0, 1.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hook {
    /// Changes an output of vertex stages and of geometry programs. The outputs of a vertex program
    /// before a geometry program, and the registers of [`Job::Compute`](super::Job::Compute), stay
    /// as they are.
    Output(Semantic, OutputHook),
    /// Makes reads of float uniform c0..c95 read an operand, also where a relative read selects it.
    /// Of several redirects of one register the last one counts.
    Redirect(u8, HookOperand),
    /// Emits a varying with the result of the instruction at an address, at a location: all of the
    /// written register as the instruction last left it; of CMP the flags as x and y, 1 or 0. Where
    /// no such instruction ran, it has the value of registers that nothing wrote. Vertex stages of
    /// vertex programs only. On the CPU the output is 0:
    /// [`Machine::run_traced`](crate::machine::interp::Machine::run_traced) has the values.
    Tap(Pc, u32),
}

impl Hook {
    /// Returns the address of the instruction whose result is emitted, of taps.
    pub fn tapped(&self) -> Option<Pc> {
        match *self {
            Self::Tap(pc, _) => Some(pc),
            Self::Output(..) | Self::Redirect(..) => None,
        }
    }
}

/// An environment with hooks. Inner hooks apply first where several are nested.
///
/// It takes both as values or as references: values need no variable of their own.
///
/// ```
/// use transpica::host::{Environment, Hook, HookOperand, Hooked};
/// let state = transpica::RegisterState::default();
/// let white = Hook::Redirect(5, HookOperand::constant([1.0; 4]));
/// let hooked = Hooked { environment: state.vertex(), hooks: vec![white] };
/// assert_eq!(hooked.hooks().len(), 1);
/// ```
#[derive(Clone, Copy)]
pub struct Hooked<E, H> {
    /// The environment of the program.
    pub environment: E,
    /// The hooks, first to last: an array, a slice, a vector.
    pub hooks: H,
}

impl<E: Environment, H: AsRef<[Hook]>> Environment for Hooked<E, H> {
    fn folded(&self, options: &Options) -> Constants {
        self.environment.folded(options)
    }
    fn output_map(&self) -> OutputMap {
        self.environment.output_map()
    }
    fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface> {
        self.environment.interface(usage, options)
    }
    fn hooks(&self) -> Cow<'_, [Hook]> {
        let mut hooks = self.environment.hooks();
        if hooks.is_empty() {
            Cow::Borrowed(self.hooks.as_ref())
        } else {
            hooks.to_mut().extend_from_slice(self.hooks.as_ref());
            hooks
        }
    }
    fn input(&self) -> Option<&VertexInput> {
        self.environment.input()
    }
    fn fingerprint(&self, options: &Options, out: &mut Vec<u8>) {
        self.environment.fingerprint(options, out);
        let hooks = self.hooks.as_ref();
        // No hooks leave the key as it is.
        if !hooks.is_empty() {
            stable::append(out, &("hooks", hooks));
        }
    }
}

/// An environment with the vertex input of a draw.
#[derive(Clone, Copy)]
pub struct DrawEnvironment<E> {
    /// The environment of the program, or a reference to it.
    pub environment: E,
    /// The vertex input.
    pub input: VertexInput,
}

impl<E: Environment> Environment for DrawEnvironment<E> {
    fn folded(&self, options: &Options) -> Constants {
        self.environment.folded(options)
    }
    fn output_map(&self) -> OutputMap {
        self.environment.output_map()
    }
    fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface> {
        self.environment.interface(usage, options)
    }
    fn fingerprint(&self, options: &Options, out: &mut Vec<u8>) {
        self.environment.fingerprint(options, out);
    }
    fn hooks(&self) -> Cow<'_, [Hook]> {
        self.environment.hooks()
    }
    fn input(&self) -> Option<&VertexInput> {
        Some(&self.input)
    }
}

/// Sets the uniforms that hooks redirect to what modules read instead.
///
/// ```
/// use transpica::host::{Hook, HookOperand, redirect};
/// use transpica::host::HostValues;
/// use transpica::isa::Uniforms;
/// let mut uniforms = Uniforms::default();
/// let hook = Hook::Redirect(5, HookOperand::constant([1.0; 4]));
/// redirect(&[hook], &mut uniforms, &HostValues::default());
/// assert_eq!(uniforms.floats[5], [1.0; 4]);
/// ```
pub fn redirect(hooks: &[Hook], uniforms: &mut Uniforms, host: &HostValues) {
    for (register, operand) in redirected(hooks) {
        if let Some(uniform) = uniforms.floats.get_mut(usize::from(register)) {
            *uniform = operand.value(host);
        }
    }
}

/// The redirected uniforms. The last of several hooks counts.
pub(crate) fn redirected(hooks: &[Hook]) -> impl Iterator<Item = (u8, HookOperand)> + '_ {
    hooks.iter().filter_map(|hook| match *hook {
        Hook::Redirect(register, operand) => Some((register, operand)),
        Hook::Output(..) | Hook::Tap(..) => None,
    })
}

/// The addresses and locations of taps, in order.
pub(crate) fn taps(hooks: &[Hook]) -> impl Iterator<Item = (Pc, u32)> + use<'_> {
    hooks.iter().filter_map(|hook| match *hook {
        Hook::Tap(pc, location) => Some((pc, location)),
        Hook::Output(..) | Hook::Redirect(..) => None,
    })
}

/// Checks that hooks name what there is.
///
/// # Errors
/// Parameters, uniforms and addresses beyond the last, too many taps, an output without a semantic.
pub(crate) fn check(hooks: &[Hook], program: &Program<'_>) -> Result<()> {
    for (number, hook) in hooks.iter().enumerate() {
        let wrong = |what: String| Err(Error::setup(format!("hook {number}: {what}")));
        let operands = match hook {
            Hook::Output(Semantic::Generic, _) => {
                return wrong("generic outputs are no input of the rasterizer".into());
            }
            Hook::Redirect(register, _) if usize::from(*register) >= FLOATS => {
                return wrong(format!("c{register} does not exist; the last float uniform is c95"));
            }
            Hook::Tap(pc, _) if pc.index() >= program.code().len() => {
                let text = format!("hook {number}: the program has {} words", program.code().len());
                return Err(Error { at: At::Pc(pc.0), ..Error::setup(text) });
            }
            Hook::Output(_, hook) => hook.operands(),
            Hook::Redirect(_, operand) => std::slice::from_ref(operand),
            Hook::Tap(..) => &[],
        };
        for operand in operands {
            if let HookOperand::Parameter(parameter @ HostField::PARAMETERS..) = operand {
                return wrong(format!("parameter {parameter} does not exist; the last is 15"));
            }
        }
    }
    match taps(hooks).count() {
        count if count > TAPS.len() => {
            Err(Error::setup(format!("{count} taps are more than {}", TAPS.len())))
        }
        _few => Ok(()),
    }
}

/// Adds hooks to the outputs that they change.
pub fn attach<'a>(hooks: &[Hook], outputs: impl Iterator<Item = &'a mut Output>) {
    for output in outputs {
        let changes = hooks.iter().filter_map(|hook| match *hook {
            Hook::Output(semantic, change) if output.semantic == Some(semantic) => Some(change),
            Hook::Output(..) | Hook::Redirect(..) | Hook::Tap(..) => None,
        });
        output.hooks.extend(changes);
    }
}

/// The outputs of taps.
pub(crate) fn tap_outputs(hooks: &[Hook]) -> impl Iterator<Item = Output> + '_ {
    (0u8..).zip(taps(hooks).zip(TAPS)).map(|(number, ((_, location), name))| Output {
        name: name.to_string(),
        location: Location::Varying(location),
        components: vec![ComponentSource::Zero; 4],
        value: OutputValue::Tap(number),
        semantic: None,
        hooks: Vec::new(),
    })
}
