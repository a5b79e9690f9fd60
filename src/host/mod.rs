//! Environment of a program: options, profile, attributes, uniform block, outputs.
//!
//! In: a DVLE, or GPU registers. Out: [`Interface`]. Knows neither the IR nor the back ends.

// Files: `settings/` options, profile and what else a host chooses; `interface.rs` what a module
// declares; `layout/` members of the uniform block, and blocks of all registers in its
// `registers.rs`; `varying.rs` outputs and their names; `map_warnings.rs` warnings about maps that
// make no sense; `names.rs` valid identifiers; `values.rs` depth, colors and attributes on the CPU;
// `debug.rs` sources for debuggers; `hooks.rs` changes that a host makes to programs, `hooks/` what
// they do to interfaces; `dvle.rs` bindings from files; `registers/` those from GPU registers.

mod debug;
#[doc(hidden)]
pub mod dvle;
mod hooks;
#[doc(hidden)]
pub mod interface;
#[doc(hidden)]
pub mod layout;
pub(crate) mod map_warnings;
pub(crate) mod names;
#[doc(hidden)]
pub mod registers;
#[doc(hidden)]
pub mod settings;
mod values;
#[doc(hidden)]
pub mod varying;

pub use crate::support::fields::{DrawField, HostField, WORKGROUP};
pub use debug::{DebugSource, Sourced};
pub use dvle::FileEnvironment;
#[doc(hidden)]
pub use hooks::attach;
pub use hooks::{DrawEnvironment, Hook, HookOperand, Hooked, OutputHook, redirect};
pub(crate) use hooks::{check as check_hooks, redirected, tap_outputs, taps};
pub use interface::{
    ArrayName, Attribute, Bank, ComponentSource, Constants, EntryPoint, Interface, Location, Member,
    MemberType, Output, OutputValue, Padding, Procedure, Uniform, UniformBlock, Usage,
};
pub use layout::pack;
pub use layout::registers::{IntPacking, RegisterLayout};
#[doc(hidden)]
pub use registers::RegisterState;
pub use registers::RegisterView;
pub(crate) use settings::{
    Arithmetic, AttributeFormat, AttributeKind, Binding, BoolUniforms, DepthRange, DepthSnap, FlipY,
    IntUniforms, Job, Options, Profile, Promise, Reliance, Setup, UndefinedValue, VertexInput,
};
pub use values::HostValues;
pub use values::align_quaternions;
pub use varying::OutputMap;

use std::borrow::Cow;

use crate::error::Result;

/// Environment of a program: the source of its constants, outputs and names.
///
/// [`RegisterState`] gives one for each unit, a program of a file has one. A host with registers of
/// its own implements the trait:
///
/// ```
/// use transpica::host::{
///     Attribute, Constants, Environment, Interface, OutputMap, UniformBlock, Usage,
/// };
/// use transpica::isa::Pc;
/// use transpica::{Job, Options, Profile, Program, Result, Stage, Translator};
///
/// /// What a host keeps of the output registers.
/// struct Registers {
///     /// Register 0x2BD.
///     output_mask: u32,
///     /// Registers 0x50 to 0x56.
///     semantics: Vec<u32>,
/// }
///
/// impl Environment for Registers {
///     /// No constants: all uniforms are read from the block.
///     fn folded(&self, _: &Options) -> Constants {
///         Constants::default()
///     }
///     /// The first word of semantics belongs to the first output of the mask.
///     fn output_map(&self) -> OutputMap {
///         let outputs = (0..16).filter(|n| self.output_mask >> n & 1 != 0);
///         OutputMap::from_words(outputs.zip(self.semantics.iter().map(|word| word.to_le_bytes())))
///     }
///     fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface> {
///         let inputs = (0..16).filter(|n| usage.inputs >> n & 1 != 0);
///         let attribute = |register: u8| {
///             let format = options.input.formats[usize::from(register)];
///             Attribute { register, name: format!("v{register}"), format }
///         };
///         Ok(Interface {
///             attributes: inputs.map(attribute).collect(),
///             block: UniformBlock::without_symbols(usage, &options.block),
///             ..Interface::default()
///         })
///     }
/// }
///
/// let code = [0x4C00_0000, 0x8800_0000]; // mov o0, v0; end
/// let program = Program::from_raw(&code[..], &[0x36F][..], Pc(0), Stage::Vertex)?;
/// // o0 is the position: x, y, z, w.
/// let registers = Registers { output_mask: 1, semantics: vec![0x0302_0100] };
/// let mut translator = Translator::new(Options::default(), Profile::default());
/// let translated = translator.translate(&program, &registers, Job::Vertex)?;
/// assert_eq!(translated.interface.outputs[0].name, "position");
/// # Ok::<(), transpica::Error>(())
/// ```
pub trait Environment {
    /// Returns the float and int uniforms that are folded under these options.
    fn folded(&self, options: &Options) -> Constants;
    /// Returns the register component of each semantic.
    fn output_map(&self) -> OutputMap;
    /// Returns the interface of a program that uses these registers, without its outputs.
    ///
    /// # Errors
    /// A defect of the environment.
    fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface>;
    /// Returns the changes of the program that the host wants. Default: none. [`Hooked`] adds some
    /// to any environment.
    fn hooks(&self) -> Cow<'_, [Hook]> {
        Cow::Borrowed(&[])
    }
    /// Returns the vertex input of the draw; none if the translator's options have it.
    fn input(&self) -> Option<&VertexInput> {
        None
    }
    /// Returns the source of the program for debuggers. Default: none, and the translation makes a
    /// listing if [`Profile::debug_info`](crate::Profile::debug_info) requests one. [`Sourced`]
    /// adds it to any environment.
    fn debug_source(&self) -> Option<&DebugSource> {
        None
    }
    /// Returns this environment for a draw with another vertex input.
    fn with_input(&self, input: VertexInput) -> DrawEnvironment<&Self>
    where
        Self: Sized,
    {
        DrawEnvironment { environment: self, input }
    }
    /// Appends everything in the environment that a module depends on, for
    /// [keys](crate::translate::key()). Two environments that append the same bytes must give one
    /// program the same module. Header comments of texts are exempt, and so is the vertex input:
    /// keys append what the program reads of it, and `options` have the default.
    ///
    /// The default appends the interface of a program that uses every register. Environments must
    /// append more if their members or names depend on the usage in other ways than by omission.
    fn fingerprint(&self, options: &Options, out: &mut Vec<u8>) {
        self.output_map().fingerprint(out);
        self.folded(options).fingerprint(out);
        if let Ok(interface) = self.interface(&Usage::EVERYTHING, options) {
            interface.fingerprint(out);
        }
    }
}

impl<E: Environment + ?Sized> Environment for &E {
    fn folded(&self, options: &Options) -> Constants {
        (**self).folded(options)
    }
    fn output_map(&self) -> OutputMap {
        (**self).output_map()
    }
    fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface> {
        (**self).interface(usage, options)
    }
    fn hooks(&self) -> Cow<'_, [Hook]> {
        (**self).hooks()
    }
    fn input(&self) -> Option<&VertexInput> {
        (**self).input()
    }
    fn debug_source(&self) -> Option<&DebugSource> {
        (**self).debug_source()
    }
    fn fingerprint(&self, options: &Options, out: &mut Vec<u8>) {
        (**self).fingerprint(options, out);
    }
}

#[cfg(test)]
mod tests;
