//! Every form of a random program gives what the reference interpreter gives: the tree, the block dispatcher, the pc
//! dispatcher, and the intermediate form after lowering, after each pass and after legalisation, bit for bit.

use transpica::cfg::explore::{self, Explored};
use transpica::cfg::reduce::{Reduced, reduce};
use transpica::host::{EntryPoint, Layout, Options, UniformBlock, layout};
use transpica::interp::{Machine, Registers as State, Settings, Uniforms};
use transpica::ir::eval::{Evaluator, Registers, same};
use transpica::ir::{self, Module, Stage};
use transpica::isa::Program;
use transpica::lower::{self, Context, Outputs};
use transpica::passes::{self, Scratch};
use transpica::precision::{Precision, arith};
use transpica::structure::walk::{Walk, Walked};
use transpica::structure::{self, Structured};
use transpica_generate::{Generated, Kind, generate};

type Bits = [[u32; 4]; 16];

/// Instructions that one vertex may execute; what takes longer is left out, and counted.
const BUDGET: u64 = 4000;
/// Vertices for each program.
const VERTICES: usize = 3;

const OPTIONS: fn(Precision) -> Options = |precision| Options {
    precision,
    entry: EntryPoint::Compute,
    layout: Layout::Registers,
    ..Options::default()
};

/// What was compared.
#[derive(Default)]
struct Count {
    programs: usize,
    vertices: usize,
    unfinished: usize,
    forms: usize,
}

/// One random program with what the interpreter makes of its vertices.
struct Case<'a> {
    name: String,
    program: &'a Program<'a>,
    uniforms: Uniforms,
    options: Options,
    vertices: Vec<(Bits, Bits)>,
}

fn bits(registers: &[[f32; 4]; 16]) -> Bits {
    registers.map(|register| register.map(f32::to_bits))
}

impl<'a> Case<'a> {
    fn new(generated: &Generated, program: &'a Program<'a>, precision: Precision, count: &mut Count) -> Self {
        let settings = Settings { precision, budget: BUDGET, ..Settings::default() };
        let uniforms = generated.uniforms();
        let mut machine = Machine::new(program, settings).expect("a vertex program");
        machine.set_uniforms(&uniforms);
        let mut vertices = Vec::new();
        for inputs in generated.inputs(VERTICES) {
            match machine.run(&inputs) {
                Ok(outputs) => vertices.push((bits(&inputs), bits(outputs))),
                Err(_) => count.unfinished += 1,
            }
        }
        count.programs += 1;
        count.vertices += vertices.len();
        let name = format!("{:?} seed {} {precision:?}", generated.kind, generated.seed);
        Self { name, program, uniforms, options: OPTIONS(precision), vertices }
    }

    /// Compares a form of the program in the IR.
    fn check(&self, form: &str, module: &Module, stage: Stage, count: &mut Count) {
        if let Err(error) = ir::verify(module, stage) {
            let text = ir::text::print(module);
            let start: String = text.lines().take(200).map(|line| format!("{line:.200}\n")).collect();
            panic!("{} {form}: {error}\n{start}", self.name);
        }
        let evaluator = Evaluator::new(module).expect("verified");
        for (vertex, (inputs, expected)) in self.vertices.iter().enumerate() {
            let environment = self.environment(inputs);
            let found = evaluator.run(self.options.precision, &environment, 1 << 24);
            let found = found.unwrap_or_else(|error| panic!("{} {form}: {error}", self.name));
            for (register, (expected, found)) in expected.iter().zip(&found).enumerate() {
                assert!(
                    same(ir::Kind::F32, *expected, *found),
                    "{} {form} vertex {vertex} o{register}: interpreter {:?}, here {:?}",
                    self.name,
                    expected.map(f32::from_bits),
                    found.map(f32::from_bits),
                );
            }
        }
        count.forms += 1;
    }

    fn environment(&self, inputs: &Bits) -> Registers {
        // Before legalisation nothing converts what is read, so the registers hold what the precision makes of the values.
        let load = |x: f32| arith::load(self.options.precision, x).to_bits();
        let floats: Vec<[u32; 4]> = self.uniforms.floats.iter().map(|register| register.map(load)).collect();
        let ints = self.uniforms.ints.map(|register| register.map(u32::from)).to_vec();
        let bools = vec![[u32::from(self.uniforms.bools), 0, 0, 0]];
        Registers {
            inputs: inputs.map(|register| register.map(|bits| load(f32::from_bits(bits)))),
            uniforms: floats.clone(),
            ints: self.uniforms.ints,
            bools: self.uniforms.bools,
            members: vec![floats, ints, bools],
        }
    }

    /// The IR of a lowered program after each pass.
    fn passes(&self, tier: &str, mut module: Module, block: &UniformBlock, count: &mut Count) {
        self.check(&format!("{tier} lowered"), &module, Stage::Pica, count);
        let mut scratch = Scratch::default();
        passes::optimize_observed(&mut module, self.options.precision, &mut scratch, &mut |pass, main| {
            let module = Module { main: main.clone(), helpers: Vec::new() };
            self.check(&format!("{tier} after {pass}"), &module, Stage::Pica, count);
        });
        passes::legalize::run(&mut module, &self.options, block, &[None; 96]);
        self.check(&format!("{tier} after legalize"), &module, Stage::Legal, count);
        passes::tidy(&mut module, &mut scratch);
        self.check(&format!("{tier} after tidy"), &module, Stage::Legal, count);
    }

    fn walk(&self, form: &str, cfg: &transpica::cfg::Cfg, tree: &structure::tree::Tree, count: &mut Count) {
        for (vertex, (inputs, expected)) in self.vertices.iter().enumerate() {
            let mut state = State::new(self.options.precision, &self.uniforms);
            state.begin(&inputs.map(|register| register.map(f32::from_bits)));
            let walk = Walk { program: self.program, cfg, tree };
            let walked = walk.run(&mut state, 1 << 20, &mut |_, _| {});
            assert_eq!(walked, Walked::End, "{} {form} vertex {vertex}", self.name);
            for (expected, found) in expected.iter().zip(bits(state.outputs())) {
                assert!(same(ir::Kind::F32, *expected, found), "{} {form} vertex {vertex}", self.name);
            }
        }
        count.forms += 1;
    }

    fn run(&self, count: &mut Count) {
        let block = layout::registers();
        let options = &self.options;
        let context =
            Context { program: self.program, constants: &[None; 96], outputs: Outputs::Registers, options };
        let explored = explore::explore(self.program, &explore::Options::default(), &options.limits);
        if let Explored::Graph(mut cfg) = explored.expect("all opcodes are defined") {
            let reduced = reduce(&mut cfg, &options.limits);
            if reduced == Reduced::Reducible
                && let Structured::Tree(tree) = structure::structure(&cfg, &options.limits)
            {
                self.walk("tree", &cfg, &tree, count);
                self.passes(
                    "tree",
                    lower::structured(context, &cfg, &tree).expect("in limits"),
                    &block,
                    count,
                );
            }
            let tree = structure::blocks::dispatcher(&cfg);
            self.walk("block dispatcher", &cfg, &tree, count);
            let lowered = lower::structured(context, &cfg, &tree).expect("in limits");
            self.check("block dispatcher lowered", &lowered, Stage::Pica, count);
        }
        let lowered = lower::dispatched(context).expect("in limits");
        self.check("pc dispatcher lowered", &lowered, Stage::Pica, count);
    }
}

fn compare(kind: Kind, seeds: std::ops::Range<u64>, precision: Precision) -> Count {
    let mut count = Count::default();
    for seed in seeds {
        let generated = generate(kind, seed);
        let program = generated.program();
        Case::new(&generated, &program, precision, &mut count).run(&mut count);
    }
    println!(
        "{kind:?} {precision:?}: {} programs, {} vertices ({} unfinished), {} forms compared, 0 differ",
        count.programs, count.vertices, count.unfinished, count.forms
    );
    count
}

#[test]
fn clean_programs_agree_in_every_form() {
    let count = compare(Kind::Clean, 0..2000, Precision::Exact);
    assert_eq!(count.unfinished, 0, "clean programs end");
}

#[test]
fn wild_programs_agree_in_every_form() {
    let count = compare(Kind::Wild, 0..2000, Precision::Exact);
    assert!(count.vertices > 3000, "most wild programs end within the budget");
}

#[test]
fn special_values_agree_in_every_precision() {
    compare(Kind::Numeric, 0..300, Precision::Exact);
    compare(Kind::Numeric, 300..600, Precision::Fast);
    compare(Kind::Numeric, 600..900, Precision::F24);
    compare(Kind::Clean, 5000..5100, Precision::F24);
}
