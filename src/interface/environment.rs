//! Environment of a program: what the host knows of its constants, outputs and names.
//! In: a program's use of registers, options. Out: [`EnvironmentInterface`]. Knows no instruction.

use std::borrow::{Borrow, Cow};

use super::module::EnvironmentInterface;
use super::usage::Usage;
use crate::error::Result;
use crate::host::constants::Constants;
use crate::host::debug_source::DebugSource;
use crate::host::hooks::Hook;
use crate::host::registers::OutputMap;
use crate::host::settings::{Options, VertexInput};
use crate::support::stable;

/// Environment of a program: the source of its constants, outputs and names.
///
/// [`RegisterState`](crate::RegisterState) gives one for each unit, a program of a file has one. A
/// host with registers of its own implements the trait:
///
/// ```
/// use transpica::host::{
///     Attribute, Constants, Environment, EnvironmentInterface, OutputMap, UniformBlock, Usage,
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
///     fn interface(&self, usage: &Usage, options: &Options) -> Result<EnvironmentInterface> {
///         let inputs = (0..16).filter(|n| usage.inputs >> n & 1 != 0);
///         let attribute = |register: u8| {
///             let format = options.input.formats[usize::from(register)];
///             Attribute { register, name: format!("v{register}"), format }
///         };
///         Ok(EnvironmentInterface {
///             attributes: inputs.map(attribute).collect(),
///             block: UniformBlock::without_symbols(usage, &options.block),
///             ..EnvironmentInterface::default()
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
    /// Returns what the environment knows of the interface of a program that uses these registers.
    /// `usage` is without the float uniforms that are [folded](Self::folded).
    ///
    /// # Errors
    /// A defect of the environment.
    fn interface(&self, usage: &Usage, options: &Options) -> Result<EnvironmentInterface>;
    /// Returns the changes of the program that the host wants. Default: none. [`Hooked`] adds some
    /// to any environment.
    fn hooks(&self) -> Cow<'_, [Hook]> {
        Cow::Borrowed(&[])
    }
    /// Returns the vertex input of the draw, or `None` if the translator's options have it.
    fn input(&self) -> Option<&VertexInput> {
        None
    }
    /// Returns the source of the program, for debuggers and for names in texts. Default: none, and
    /// the translation makes a listing if [`Profile::debug_info`](crate::Profile::debug_info)
    /// requests one. [`Sourced`] adds it to any environment.
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

/// Defines methods of an environment that forward to the environment of an expression.
macro_rules! forward {
    ($this:ident => $to:expr; $($method:ident)*) => { $(forward!(@$method $this => $to);)* };
    (@folded $($to:tt)*) => {
        forward!($($to)*; folded(options: &Options) -> Constants);
    };
    (@output_map $($to:tt)*) => {
        forward!($($to)*; output_map() -> OutputMap);
    };
    (@interface $($to:tt)*) => {
        forward!($($to)*; interface(usage: &Usage, options: &Options) -> Result<EnvironmentInterface>);
    };
    (@hooks $($to:tt)*) => {
        forward!($($to)*; hooks() -> Cow<'_, [Hook]>);
    };
    (@input $($to:tt)*) => {
        forward!($($to)*; input() -> Option<&VertexInput>);
    };
    (@debug_source $($to:tt)*) => {
        forward!($($to)*; debug_source() -> Option<&DebugSource>);
    };
    (@fingerprint $($to:tt)*) => {
        forward!($($to)*; fingerprint(options: &Options, out: &mut Vec<u8>) -> ());
    };
    ($this:ident => $to:expr; $method:ident($($name:ident: $type:ty),*) -> $result:ty) => {
        fn $method(&self, $($name: $type),*) -> $result {
            let $this = self;
            $to.$method($($name),*)
        }
    };
}

impl<E: Environment + ?Sized> Environment for &E {
    forward!(this => (**this); folded output_map interface hooks input debug_source fingerprint);
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
    forward!(this => this.environment; folded output_map interface input debug_source);
    fn hooks(&self) -> Cow<'_, [Hook]> {
        let mut hooks = self.environment.hooks();
        if hooks.is_empty() {
            Cow::Borrowed(self.hooks.as_ref())
        } else {
            hooks.to_mut().extend_from_slice(self.hooks.as_ref());
            hooks
        }
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
    forward!(this => this.environment; folded output_map interface hooks debug_source fingerprint);
    fn input(&self) -> Option<&VertexInput> {
        Some(&self.input)
    }
}

/// An environment with the source of its program.
///
/// ```
/// use transpica::host::{DebugSource, Sourced};
/// use transpica::{Job, Options, Profile, Shbin, Translator};
/// let bytes = std::fs::read("shaders/textured.shbin")?;
/// let file = Shbin::parse(&bytes)?;
/// let program = file.program(0)?;
/// let lines = (1..=13).collect();
/// let source = DebugSource { name: "textured.pica".into(), text: "…".into(), lines, ..DebugSource::default() };
/// let environment = Sourced { environment: program.environment(), source };
/// let profile = Profile { debug_info: true, ..Profile::default() };
/// let mut translator = Translator::new(Options::default(), profile);
/// let translated = translator.translate(program.program(), &environment, Job::Vertex)?;
/// assert_eq!(translated.debug_source.as_ref(), Some(&environment.source));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Sourced<E, S> {
    /// The environment of the program, or a reference to it.
    pub environment: E,
    /// The source, or a reference to it.
    pub source: S,
}

impl<E: Environment, S: Borrow<DebugSource>> Environment for Sourced<E, S> {
    forward!(this => this.environment; folded output_map interface hooks input fingerprint);
    fn debug_source(&self) -> Option<&DebugSource> {
        Some(self.source.borrow())
    }
}
