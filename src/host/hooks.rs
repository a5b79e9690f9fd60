//! Hooks: changes that a host makes to programs between lifting and legalization.
//! In: choices of the host. Out: plain data, and its checks. `interface/hooks.rs` has what hooks do
//! to an interface and on the CPU, `lift` the module's side. Knows no instruction's effect.

use crate::error::{At, Error, Result};
use crate::program::container::Semantic;
use crate::program::isa::sizes::FLOATS;
use crate::program::isa::{Mask, Pc, Program};
use crate::support::fields::HostField;

/// Maximum number of taps.
pub(crate) const TAPS: usize = 8;

/// An operand of a hook: four floats, which [`Precision::F24`](crate::Precision::F24) rounds as
/// those of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HookOperand {
    /// The bits of a constant, which [`constant`](Self::constant) makes.
    Constant([u32; 4]),
    /// Parameter 0..15 of the host block, read at draw time: see
    /// [`HostValues::parameters`](crate::host::HostValues::parameters).
    Parameter(u8),
}

impl HookOperand {
    /// Makes a constant.
    pub fn constant(value: [f32; 4]) -> Self {
        Self::Constant(value.map(f32::to_bits))
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
}

/// A change that a host makes to a program: widescreen, stereo, a free camera, a look inside.
///
/// Hooks come with a program's environment: see [`Hooked`](crate::host::Hooked). They apply in
/// order, before the conversions of [`Outputs`](crate::settings::Outputs) and the clip distances.
/// Constants are part of the module and its [key](crate::Key);
/// [parameters](HookOperand::Parameter) change from draw to draw.
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
    /// before a geometry program, and the registers of [`Job::Compute`](crate::Job::Compute), stay
    /// as they are.
    Output(Semantic, OutputHook),
    /// Makes reads of float uniform c0..c95 read an operand, also where a relative read selects it.
    /// The last of several redirects of one register counts.
    Redirect(u8, HookOperand),
    /// Emits a varying with the result of the instruction at an address, at a location: all of the
    /// written register as the instruction last left it; of CMP the flags as x and y, 1 or 0. Where
    /// no such instruction ran, it has the value of registers that nothing wrote. Vertex stages of
    /// vertex programs only. On the CPU the output is 0:
    /// [`Machine::run_traced`](crate::machine::interp::Machine::run_traced) has the values.
    Tap(Pc, u32),
    /// Emits a varying `position_again` of four floats at a location: the position that the program
    /// computes with the uniforms of a second block, converted as the position is, after the same
    /// hooks. Motion vectors take the block of the frame before, stereo the other eye's.
    ///
    /// The block has the layout of the uniform block and [its own
    /// binding](crate::settings::Bindings::again). Uniforms that the code holds (folded, baked,
    /// specialized, redirected ones) are the same in both, and so are attributes; promises are
    /// about both blocks. [`Job::Vertex`](crate::Job::Vertex) only, once. On the CPU
    /// [`Output::value`](crate::host::Output::value) takes the registers of a run with those
    /// uniforms.
    Again(u32),
}

impl Hook {
    /// Returns the address of the instruction whose result a tap emits.
    pub fn tapped(&self) -> Option<Pc> {
        if let Self::Tap(pc, _) = *self { Some(pc) } else { None }
    }
}

/// Returns the redirected uniforms. The last of several hooks counts.
pub(crate) fn redirected(hooks: &[Hook]) -> impl Iterator<Item = (u8, HookOperand)> + '_ {
    hooks.iter().filter_map(|hook| match *hook {
        Hook::Redirect(register, operand) => Some((register, operand)),
        Hook::Output(..) | Hook::Tap(..) | Hook::Again(_) => None,
    })
}

/// Returns the addresses and locations of taps, in order.
pub(crate) fn taps(hooks: &[Hook]) -> impl Iterator<Item = (Pc, u32)> + use<'_> {
    hooks.iter().filter_map(|hook| match *hook {
        Hook::Tap(pc, location) => Some((pc, location)),
        Hook::Output(..) | Hook::Redirect(..) | Hook::Again(_) => None,
    })
}

/// Returns the numbers and locations of second evaluations.
pub(crate) fn evaluations(hooks: &[Hook]) -> impl Iterator<Item = (usize, u32)> + '_ {
    hooks.iter().enumerate().filter_map(|(number, hook)| match *hook {
        Hook::Again(location) => Some((number, location)),
        Hook::Output(..) | Hook::Redirect(..) | Hook::Tap(..) => None,
    })
}

/// Returns whether hooks add varyings.
pub(crate) fn adds_outputs(hooks: &[Hook]) -> bool {
    taps(hooks).next().is_some() || evaluations(hooks).next().is_some()
}

/// Checks that everything that hooks name exists.
///
/// # Errors
/// Parameters, uniforms and addresses beyond the last, too many taps or second evaluations, an
/// output without a semantic.
pub(crate) fn check(hooks: &[Hook], program: &Program<'_>) -> Result<()> {
    for (number, hook) in hooks.iter().enumerate() {
        let wrong = |what: String| Err(Error::setup(format!("hook {number}: {what}")));
        let operands = match hook {
            Hook::Output(Semantic::Generic, _) => {
                return wrong("generic outputs are not inputs of the rasterizer".into());
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
            Hook::Tap(..) | Hook::Again(_) => &[],
        };
        for operand in operands {
            if let HookOperand::Parameter(parameter @ HostField::PARAMETERS..) = operand {
                return wrong(format!("parameter {parameter} does not exist; the last is 15"));
            }
        }
    }
    if let Some((number, _)) = evaluations(hooks).nth(1) {
        let text =
            format!("hook {number}: a module has one second evaluation; translate another module for it");
        return Err(Error::setup(text));
    }
    match taps(hooks).count() {
        count if count > TAPS => Err(Error::setup(format!("{count} taps exceed the limit of {TAPS}"))),
        _few => Ok(()),
    }
}
