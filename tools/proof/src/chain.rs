//! Compares each intermediate form of a program with the interpreter on one CPU, bit for bit: the
//! structured tree and the block dispatcher, executed directly, and the IR after lowering (of the
//! tree and of both dispatchers), after each pass, after legalization and after tidying.

use std::fmt;

use crate::executors::{self, Evaluated, InTree};
use crate::generate::Generated;
use crate::unnamed::BARE;
use transpica::host::{HostValues, RegisterLayout, UniformBlock, layout};
use transpica::interp::TraceRecord;
use transpica::isa::sizes::{FLOATS, OUTPUTS};
use transpica::isa::{DataOp, Inst, Uniforms};
use transpica::settings::{Arithmetic, Block, Layout};
use transpica::stages::cfg::Cfg;
use transpica::stages::cfg::explore::{self, Explored};
use transpica::stages::cfg::reduce::{Reduced, reduce};
use transpica::stages::ir::{Module, Phase};
use transpica::stages::lift::{self, Context, OutputSelection};
use transpica::stages::passes::analyze::ranges::Promises;
use transpica::stages::passes::{self, Scratch};
use transpica::stages::structure::tree::Tree;
use transpica::stages::structure::{self, Structured};
use transpica::{Error, Machine, Options, Precision, Program};
use transpica_inspect::executor::{self, Executor};

use crate::mutants::{Mutant, Place};
use crate::risk;
use crate::walk::Walk;

pub use transpica_inspect::state::{Registers as Bits, bits};

/// Limit of instructions per vertex; vertices beyond it are skipped and counted.
pub const BUDGET: u64 = 4000;
/// Vertices per program.
pub const VERTICES: usize = 3;

/// Statistics of comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Programs.
    pub programs: usize,
    /// Vertices that ended within the budget.
    pub vertices: usize,
    /// Vertices that did not.
    pub unfinished: usize,
    /// Forms compared with the interpreter, each on all vertices of its program.
    pub forms: usize,
}

impl Count {
    /// Adds another count.
    pub fn add(&mut self, other: Self) {
        self.programs += other.programs;
        self.vertices += other.vertices;
        self.unfinished += other.unfinished;
        self.forms += other.forms;
    }
}

/// A form of a program whose results differ from the interpreter's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Name of the form.
    pub form: String,
    /// Description of the difference.
    pub what: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.form, self.what)
    }
}

/// Result of checking one form.
pub type Checked = Result<(), Disagreement>;

/// One program with the expected outputs of its vertices.
#[derive(Clone)]
pub struct Case<'a> {
    /// The program.
    pub program: &'a Program<'a>,
    /// All uniforms.
    pub uniforms: Uniforms,
    /// As [`options`], with other rules for depth and colors if the outputs have semantics.
    pub options: Options,
    /// Outputs of the main function.
    pub outputs: OutputSelection<'a>,
    /// v0..v15 of each vertex.
    pub inputs: Vec<[[f32; 4]; 16]>,
    /// The outputs of each, padded with zeros; `None` if it does not end, or in `fast` divides by
    /// zero.
    pub expected: Vec<Option<Bits>>,
}

/// Returns options under which every register is in the uniform block.
pub fn options(precision: Precision) -> Options {
    Options {
        arithmetic: Arithmetic { precision, ..Arithmetic::default() },
        block: Block { layout: Layout::Registers, ..Block::default() },
        ..Options::default()
    }
}

/// Returns the graph of a program, and its tree if the graph is reducible, or `None` if the program
/// has too many control states.
///
/// # Errors
/// An undefined opcode, or more than the limits.
pub fn graph(program: &Program<'_>, options: &Options) -> transpica::Result<Option<(Cfg, Option<Tree>)>> {
    let explored = explore::explore(program, &options.control.exploration(), &options.limits)?;
    let Explored::Graph(mut cfg) = explored else { return Ok(None) };
    let is_reducible = reduce(&mut cfg, &options.limits) == Reduced::Reducible;
    let tree = is_reducible.then(|| structure::structure(&cfg, &options.limits));
    let tree = tree.and_then(|structured| match structured {
        Structured::Tree(tree) => Some(tree),
        _dispatched => None,
    });
    Ok(Some((cfg, tree)))
}

/// Returns the context in which a vertex program is lowered to a function of its registers.
pub fn context<'a>(program: &'a Program<'a>, options: &'a Options) -> Context<'a> {
    let outputs = OutputSelection::Registers;
    Context { program, constants: &[None; FLOATS], outputs, geometry: None, options, hooks: &[] }
}

/// Legalizes a module for a block, none of whose registers is constant.
pub fn legalize(module: &mut Module, options: &Options, block: &UniformBlock) {
    let given = passes::legalize::Given::promises(Promises::given(options));
    legalize_given(module, options, given, block);
}

/// Legalizes like [`legalize`], with what the module may rely on.
pub fn legalize_given(
    module: &mut Module,
    options: &Options,
    given: passes::legalize::Given,
    block: &UniformBlock,
) {
    let offsets = passes::analyze::offsets::run(&module.main, &options.arithmetic, &[None; FLOATS]);
    let uniforms = passes::legalize::Uniforms { block, constants: &[None; FLOATS], offsets: &offsets };
    passes::legalize::run(module, options, given, &uniforms, &mut Default::default());
}

/// Compares all forms of a program.
///
/// ```
/// use transpica::Precision;
/// use transpica_proof::generate::{Kind, generate};
/// let count = transpica_proof::chain::compare(&generate(Kind::Clean, 1), Precision::Exact)?;
/// assert_eq!((count.programs, count.vertices, count.unfinished), (1, 3, 0));
/// # Ok::<(), transpica_proof::chain::Disagreement>(())
/// ```
///
/// # Errors
/// The first form that differs.
pub fn compare(generated: &Generated, precision: Precision) -> Result<Count, Disagreement> {
    compare_with(generated, options(precision), None)
}

/// Compares all forms of a program whose main function yields registers
/// ([`Job::Compute`](transpica::Job)), under options whose layout is one of
/// registers. Uniforms that the options fix are taken from there. A mutant is in the translation.
///
/// # Errors
/// The first form that differs.
pub fn compare_with(
    generated: &Generated,
    options: Options,
    mutant: Option<Mutant>,
) -> Result<Count, Disagreement> {
    let program = generated.program();
    let mut uniforms = generated.uniforms();
    options.control.apply(&mut uniforms);
    let case = Case::new(&program, uniforms, options, &generated.inputs(VERTICES));
    let case = case.map_err(|error| fault("interpreter", error))?;
    let vertices = case.expected.iter().flatten().count();
    let forms = case.compare_forms(mutant)?;
    Ok(Count { programs: 1, vertices, unfinished: VERTICES - vertices, forms })
}

fn fault(form: &str, what: impl fmt::Display) -> Disagreement {
    Disagreement { form: form.to_string(), what: what.to_string() }
}

impl<'a> Case<'a> {
    /// Runs vertices in the interpreter and keeps those that end, with all their registers.
    ///
    /// # Errors
    /// A program that the interpreter refuses.
    pub fn new(
        program: &'a Program<'a>,
        uniforms: Uniforms,
        options: Options,
        inputs: &[[[f32; 4]; 16]],
    ) -> transpica::Result<Self> {
        let mut machine = Machine::new(program, options.settings(BUDGET))?;
        machine.set_uniforms(&uniforms);
        let is_fast = options.arithmetic.precision == Precision::Fast;
        let run = |inputs: &_| {
            let mut divides = false;
            let mut watch = |record: &TraceRecord| divides |= is_fast && divides_by_zero(record);
            let outputs = machine.run_traced(inputs, &mut watch).ok().map(bits);
            outputs.filter(|_| !divides)
        };
        let expected = inputs.iter().map(run).collect();
        let (inputs, outputs) = (inputs.to_vec(), OutputSelection::Registers);
        Ok(Self { program, uniforms, options, outputs, inputs, expected })
    }

    /// Compares every form that the program has and returns the number of forms.
    ///
    /// # Errors
    /// The first form that differs.
    pub fn compare(&self) -> Result<usize, Disagreement> {
        self.compare_forms(None)
    }

    fn compare_forms(&self, mutant: Option<Mutant>) -> Result<usize, Disagreement> {
        let mut forms = Forms { case: self, mutant, count: 0 };
        forms.run()?;
        Ok(forms.count)
    }
}

/// Returns whether an instruction made an infinite quotient: in `fast` its sign is that of a zero,
/// which modules do not keep.
fn divides_by_zero(record: &TraceRecord) -> bool {
    matches!(record.inst, Inst::Data { op: DataOp::Rcp | DataOp::Rsq, .. })
        && record.result.iter().any(|x| x.is_infinite())
}

/// The comparison of one case.
struct Forms<'a> {
    case: &'a Case<'a>,
    /// The mutant in the translation, if any.
    mutant: Option<Mutant>,
    /// Number of forms that agree.
    count: usize,
}

impl Forms<'_> {
    fn run(&mut self) -> Checked {
        let block = layout::registers(&self.layout());
        let Case { program, outputs, ref options, .. } = *self.case;
        let wrong = self.mutant.map(|mutant| mutant.program(program));
        let context = Context { outputs, ..context(wrong.as_ref().unwrap_or(program), options) };
        let mutant = self.mutant;
        let refused =
            |form: &str, module: transpica::Result<Module>| module.map_err(|error| fault(form, error));
        let lowered = |form: &str, mut cfg: Cfg, mut tree: Tree| {
            if let Some(mutant) = mutant {
                mutant.control(&mut cfg, &mut tree);
            }
            let mut module = refused(form, lift::structured(context, &cfg, &tree))?;
            if let Some(mutant) = mutant {
                mutant.module(Place::Lowered, &mut module);
            }
            Ok(module)
        };
        if let Some((cfg, tree)) = graph(program, options).map_err(|error| fault("graph", error))? {
            if let Some(tree) = tree {
                self.walk("tree", &cfg, &tree)?;
                let module = lowered("tree", cfg.clone(), tree)?;
                self.passes("tree", module, &block)?;
            }
            let tree = structure::blocks::dispatcher(&cfg);
            self.walk("block dispatcher", &cfg, &tree)?;
            let module = lowered("block dispatcher", cfg, tree)?;
            self.check("block dispatcher lowered", &module, Phase::Pica)?;
        }
        let module = refused("pc dispatcher", lift::dispatched(context))?;
        self.check("pc dispatcher lowered", &module, Phase::Pica)
    }

    fn layout(&self) -> RegisterLayout {
        self.case.options.block.layout.registers().unwrap_or(RegisterLayout::REGISTERS)
    }

    /// Executes the tree. The walker computes registers only, not the outputs of a vertex entry.
    fn walk(&mut self, form: &str, cfg: &Cfg, tree: &Tree) -> Checked {
        if let OutputSelection::Semantics(_) = self.case.outputs {
            return Ok(());
        }
        self.compare(&InTree { form, walk: Walk { program: self.case.program, cfg, tree } }, true)
    }

    /// Compares a form with the interpreter.
    fn compare(&mut self, form: &impl Executor<Error = Error>, keeps_zero_signs: bool) -> Checked {
        let Case { program, ref uniforms, options, ref inputs, ref expected, .. } = *self.case;
        let case = executor::Case { program, environment: &*BARE, uniforms, inputs, options, budget: BUDGET };
        let verdict = executor::compare_with(form, &case, expected);
        let verdict = verdict.map_err(|error| fault(form.name(), error))?;
        self.count += 1;
        executors::check(form.name(), &verdict, keeps_zero_signs)
    }

    /// Checks the IR of a lowered program after each pass.
    fn passes(&mut self, tier: &str, mut module: Module, block: &UniformBlock) -> Checked {
        self.check(&format!("{tier} lowered"), &module, Phase::Pica)?;
        let mut scratch = Scratch::default();
        let mut observed = Ok(());
        if let Some(mutant) = self.mutant {
            mutant.optimizer(&mut module, self.case.options.arithmetic.precision, &mut scratch);
        }
        passes::optimize::run_observed(
            &mut module,
            self.case.options.arithmetic.precision,
            &mut scratch,
            &mut |pass, main| {
                if observed.is_ok() {
                    let module = Module { main: main.clone(), helpers: Vec::new() };
                    observed = self.check(&format!("{tier} after {pass}"), &module, Phase::Pica);
                }
            },
        );
        observed?;
        self.plant(Place::Legalization, &mut module);
        legalize(&mut module, &self.case.options, block);
        self.plant(Place::Legal, &mut module);
        self.check(&format!("{tier} after legalize"), &module, Phase::Legal)?;
        passes::optimize::tidy(&mut module, &mut scratch);
        self.check(&format!("{tier} after tidy"), &module, Phase::Legal)?;
        // Check before `leave`, whose loop parameters start with constants that no driver can
        // propagate out of the loop.
        if let Some(risk) = risk::first_risk(&module) {
            return Err(fault(&format!("{tier} after tidy"), format!("a driver may find a zero: {risk}")));
        }
        if passes::drivers::leave::run(&mut module.main, &module.helpers, &mut scratch) {
            self.check(&format!("{tier} after leave"), &module, Phase::Legal)?;
        }
        Ok(())
    }

    fn plant(&self, place: Place, module: &mut Module) {
        if let Some(mutant) = self.mutant {
            mutant.module(place, module);
        }
    }

    fn check(&mut self, form: &str, module: &Module, phase: Phase) -> Checked {
        let outputs = match self.case.outputs {
            OutputSelection::Registers => OUTPUTS,
            OutputSelection::Semantics(outputs) => outputs.len(),
        };
        let block = &layout::registers(&self.layout());
        let form = Evaluated { form, module, block, outputs, host: HostValues::default() };
        form.verify(phase).map_err(|error| fault(form.form, error))?;
        self.compare(&form, phase == Phase::Pica)
    }
}
