//! Evaluator of modules on the CPU: the reference for translated programs.
//! In: a [`Module`] of either stage and the values of its inputs. Out: its outputs. Knows neither
//! host nor encodings. For tests: a value costs some nanoseconds, nothing is cached. No recursion.

use transpica::isa::sizes::{FLOATS, INPUTS, INTS};
use transpica::stages::entity::Handle;
use transpica::stages::fields::HostField;
use transpica::stages::ir::op::scalar;
use transpica::stages::ir::{
    Array, Binary, Buffer, Exit, Func, Item, Module, Node, NodeData, Op, Phase, Region, Resource, ScalarKind,
    Shape, Target, Targets, Type, Unary, Value, ValueList, verify,
};
use transpica::stages::precision::arith;
use transpica::stages::precision::bits::{ONE, SIGN};
use transpica::{At, Error, Kind, Precision, Result};

/// Bits of the lanes of one value; those beyond its type are 0.
pub type Lanes = [u32; 4];

/// The environment of a program.
pub trait ModuleInputs {
    /// Returns the value of a resource, or `None` if it has no value. Specialization constants are
    /// never requested: they have the values of their registers.
    fn read(&self, resource: Resource) -> Option<Lanes>;
    /// Returns an element of a buffer of a kernel, or `None` outside of the buffer.
    fn load(&self, buffer: Buffer, index: i32) -> Option<Lanes> {
        let _ = (buffer, index);
        None
    }
    /// Takes a triangle: how many there were before, and the outputs of its vertices one after the
    /// other.
    fn submit(&self, count: i32, outputs: &[Lanes]) {
        let _ = (count, outputs);
    }
}

/// An environment of plain tables. Everything that they do not hold reads as zero, except for
/// members.
#[derive(Clone, Debug, Default)]
pub struct InputValues {
    /// v0..v15
    pub inputs: [Lanes; INPUTS],
    /// c0..c95
    pub uniforms: Vec<Lanes>,
    /// i0..i3
    pub ints: [[u8; 4]; INTS],
    /// Bit k is bk.
    pub bools: u16,
    /// Elements of the members of the uniform block.
    pub members: Vec<Vec<Lanes>>,
    /// Fields of the host block.
    pub host: [Lanes; HostField::ALL.len()],
}

impl ModuleInputs for InputValues {
    fn read(&self, resource: Resource) -> Option<Lanes> {
        Some(match resource {
            Resource::Input(register) => self.inputs[usize::from(register)],
            Resource::Uniform(register) => {
                self.uniforms.get(usize::from(register)).copied().unwrap_or_default()
            }
            Resource::IntUniform { index, component } => {
                [self.ints[usize::from(index)][usize::from(component)].into(), 0, 0, 0]
            }
            Resource::BoolUniform(register) => [u32::from(self.bools >> register & 1), 0, 0, 0],
            Resource::Member { member, element } => {
                *self.members.get(usize::from(member))?.get(usize::from(element))?
            }
            Resource::Index { element, .. } => [element.into(), 0, 0, 0],
            Resource::Host(field) => self.host[field.index() % HostField::ALL.len()],
            Resource::Draw(_) | Resource::Specialized(_) => [0; 4],
        })
    }
}

/// Runs a module: the outputs of its main function, in order. `budget` is the number of items it
/// may take.
///
/// ```
/// use transpica_proof::ir::{InputValues, eval, parse};
/// use transpica::Precision;
/// let module = parse("func main { %0: f32x4 = const 0 1 2 3 %1: f32 = dotp %0 %0 yield %1 }")?;
/// let outputs = eval(&module, Precision::Exact, &InputValues::default(), 100)?;
/// assert_eq!(outputs, [[14f32.to_bits(), 0, 0, 0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The module is not well-formed, takes more items than the budget, or reads a value that the
/// environment lacks.
pub fn eval(
    module: &Module,
    precision: Precision,
    environment: &dyn ModuleInputs,
    budget: u64,
) -> Result<Vec<Lanes>> {
    Evaluator::new(module)?.run(precision, environment, budget)
}

/// A verified module, to be run several times.
pub struct Evaluator<'a> {
    module: &'a Module,
}

impl<'a> Evaluator<'a> {
    /// Takes a module of either stage.
    ///
    /// # Errors
    /// The module is not well-formed.
    pub fn new(module: &'a Module) -> Result<Self> {
        verify(module, Phase::Pica)?;
        Ok(Self { module })
    }

    /// Runs it once, as [`eval`] does.
    ///
    /// # Errors
    /// It takes more items than the budget, or reads what the environment does not have.
    pub fn run(
        &self,
        precision: Precision,
        environment: &dyn ModuleInputs,
        budget: u64,
    ) -> Result<Vec<Lanes>> {
        self.run_observed(precision, environment, budget, &mut |_, _| {})
    }

    /// As [`run`](Self::run), and shows the values of the main function: those that an item reads,
    /// and the one that it evaluates.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_observed(
        &self,
        precision: Precision,
        environment: &dyn ModuleInputs,
        budget: u64,
        observe: &mut dyn FnMut(Value, Lanes),
    ) -> Result<Vec<Lanes>> {
        let mut machine = Machine { module: self.module, precision, environment, calls: Vec::new(), observe };
        machine.call(&self.module.main, &[], None);
        // A loop of the program need not end.
        for _ in 0..budget {
            if let Some(outputs) = machine.step()? {
                return Ok(outputs);
            }
        }
        Err(Error::new(Kind::StepBudget(budget), At::Whole))
    }
}

/// A region that is running. (No [`Walk`](super::Walk): the program decides what runs next.)
struct Frame {
    region: Region,
    next: usize,
    targets: Targets<Target>,
}

/// A function that is running.
struct Activation<'a> {
    f: &'a Func,
    values: Vec<Lanes>,
    frames: Vec<Frame>,
    /// The value of the caller that the call computes.
    result: Option<Value>,
}

struct Machine<'a> {
    module: &'a Module,
    precision: Precision,
    environment: &'a dyn ModuleInputs,
    calls: Vec<Activation<'a>>,
    observe: &'a mut dyn FnMut(Value, Lanes),
}

impl<'a> Machine<'a> {
    fn call(&mut self, f: &'a Func, args: &[Lanes], result: Option<Value>) {
        let mut activation =
            Activation { f, values: vec![[0; 4]; f.values.len()], frames: Vec::new(), result };
        activation.assign(f.params, args);
        activation.frames.extend(f.body.map(|region| Frame { region, next: 0, targets: Targets::default() }));
        self.calls.push(activation);
    }

    /// Executes one item or exit. Returns the outputs when the main function ends.
    fn step(&mut self) -> Result<Option<Vec<Lanes>>> {
        let Some(top) = self.calls.last_mut() else { return Err(broken("nothing runs")) };
        let Some(Frame { region, next, .. }) = top.frames.last_mut() else {
            return Err(broken("no region runs"));
        };
        let (region, index) = (&top.f.regions[*region], *next);
        *next += 1;
        match region.items.get(index) {
            Some(&Item::Let(value)) => self.evaluate(value)?,
            Some(&Item::Node(node)) => top.enter(node),
            None => {
                if let Some(outputs) = top.exit(region.exit)? {
                    return Ok(self.end_call(outputs));
                }
            }
        }
        Ok(None)
    }

    /// Ends the innermost call.
    fn end_call(&mut self, outputs: Vec<Lanes>) -> Option<Vec<Lanes>> {
        let done = self.calls.pop()?;
        let (Some(caller), Some(result)) = (self.calls.last_mut(), done.result) else { return Some(outputs) };
        caller.values[result.index()] = outputs.first().copied().unwrap_or_default();
        None
    }

    fn evaluate(&mut self, value: Value) -> Result<()> {
        let Some(top) = self.calls.last() else { return Err(broken("nothing runs")) };
        let f = top.f;
        let Some(op) = f.op(value) else { return Err(broken("an item evaluates no operation")) };
        // The value is filled in when the call ends.
        if let Op::Call { helper, args } = op {
            let args = top.read(args);
            self.call(&self.module.helpers[usize::from(helper)], &args, Some(value));
            return Ok(());
        }
        if let Op::Submit { args } = op {
            let args = top.read(args);
            let (count, outputs) = args.split_first().ok_or_else(|| broken("a submission of nothing"))?;
            let count = count[0].cast_signed();
            self.environment.submit(count, outputs);
            let top = self.calls.last_mut().ok_or_else(|| broken("nothing runs"))?;
            top.values[value.index()] = [count.wrapping_add(1).cast_unsigned(), 0, 0, 0];
            return Ok(());
        }
        let ty = f.ty(value);
        let get = |value: Value| top.values[value.index()];
        let mut lanes = self.operation(f, op, ty, get)?;
        // Lanes beyond the type are 0 everywhere, so that values compare as a whole.
        lanes[usize::from(ty.lanes)..].fill(0);
        if self.calls.len() == 1 {
            op.for_each(&f.pool, |operand| (self.observe)(operand, top.values[operand.index()]));
            (self.observe)(value, lanes);
        }
        self.calls.last_mut().ok_or_else(|| broken("nothing runs"))?.values[value.index()] = lanes;
        Ok(())
    }

    fn operation(&self, f: &Func, op: Op, ty: Type, get: impl Fn(Value) -> Lanes) -> Result<Lanes> {
        let precision = self.precision;
        Ok(match op {
            Op::Const(bits) => bits,
            Op::Read(resource) => self.read(resource)?,
            Op::ReadAt(array, index) => self.read_at(array, get(index)[0].cast_signed())?,
            Op::Shuffle(lanes) => lanes.map(|lane| get(lane.value())[usize::from(lane.index())]),
            Op::Unary(op, a) => unary(op, precision, get(a)),
            Op::Binary(op, a, b) => binary(op, precision, get(a), get(b), f.ty(a).lanes),
            Op::Select { cond, a, b } => select(get(cond), get(a), get(b)),
            Op::Call { .. } | Op::Submit { .. } => {
                return Err(broken(&format!("a call of {ty} is not a plain operation")));
            }
        })
    }

    fn read(&self, resource: Resource) -> Result<Lanes> {
        let from = match resource {
            Resource::Specialized(id) => Resource::specialized(id),
            register => register,
        };
        self.environment.read(from).ok_or_else(|| missing(format_args!("`{resource}`")))
    }

    fn read_at(&self, array: Array, index: i32) -> Result<Lanes> {
        match array {
            Array::Uniform(base) => match arith::uniform_index(base, index) {
                register if usize::from(register) < FLOATS => self.read(Resource::Uniform(register)),
                _ => Ok([ONE; 4]),
            },
            Array::Member(member) => match u16::try_from(index) {
                Ok(element) => self.read(Resource::Member { member, element }),
                Err(_) => Err(missing(format_args!("element {index} of member {member}"))),
            },
            Array::Buffer(buffer) => (self.environment.load(buffer, index))
                .ok_or_else(|| missing(format_args!("element {index} of `{}`", buffer.name()))),
        }
    }
}

impl Activation<'_> {
    fn read(&self, list: ValueList) -> Vec<Lanes> {
        self.f.get(list).iter().map(|value| self.values[value.index()]).collect()
    }

    fn assign(&mut self, list: ValueList, lanes: &[Lanes]) {
        for (value, &lanes) in self.f.get(list).iter().zip(lanes) {
            self.values[value.index()] = lanes;
        }
    }

    fn enter(&mut self, node: Node) {
        let region = match &self.f.nodes[node] {
            NodeData::If { cond, then, .. } if self.values[cond.index()][0] != 0 => *then,
            NodeData::If { otherwise, .. } => *otherwise,
            NodeData::Loop { params, inits, body, .. } => {
                let inits = self.read(*inits);
                self.assign(*params, &inits);
                *body
            }
            NodeData::Block { body, .. } => *body,
            NodeData::Switch { selector, cases, default, .. } => {
                let selector = self.values[selector.index()][0].cast_signed();
                let case = cases.iter().find(|(values, _)| values.contains(&selector));
                case.map_or(*default, |(_, region)| *region)
            }
        };
        self.begin(region, node);
    }

    /// Begins a region of a construct of the region on top.
    fn begin(&mut self, region: Region, node: Node) {
        let Some(outer) = self.frames.last() else { return };
        let target = Target { depth: self.frames.len() - 1, node };
        let targets = outer.targets.inside(&self.f.nodes[node], target);
        self.frames.push(Frame { region, next: 0, targets });
    }

    /// Leaves a region. Returns the outputs if that ends the main function.
    fn exit(&mut self, exit: Exit) -> Result<Option<Vec<Lanes>>> {
        if exit == Exit::Unreachable {
            return Err(broken("the unreachable was reached"));
        }
        // Before anything is assigned: a loop may exchange its parameters.
        let given = self.read(exit.list());
        let Some(target) = self.frames.last().and_then(|frame| frame.targets.resolve(exit)) else {
            return Ok(Some(given));
        };
        // The region in which the target stands is on top again.
        self.frames.truncate(target.depth + 1);
        let data = &self.f.nodes[target.node];
        self.assign(data.takers(exit), &given);
        if let (NodeData::Loop { body, .. }, Exit::Continue(_)) = (data, exit) {
            self.begin(*body, target.node);
        }
        Ok(None)
    }
}

fn unary(op: Unary, precision: Precision, a: Lanes) -> Lanes {
    a.map(|a| scalar::unary(op, precision, a))
}

fn binary(op: Binary, precision: Precision, a: Lanes, b: Lanes, lanes: u8) -> Lanes {
    match op.shape() {
        Shape::Each => std::array::from_fn(|lane| scalar::binary(op, precision, a[lane], b[lane])),
        Shape::Dot => [scalar::dot(op, precision, a, b, lanes), 0, 0, 0],
    }
}

fn select(cond: Lanes, a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|lane| if cond[lane] != 0 { a[lane] } else { b[lane] })
}

/// Returns whether two values of a kind are equal: bit by bit, but all NaN are one.
pub fn same(kind: ScalarKind, a: Lanes, b: Lanes) -> bool {
    let is_nan = |bits: u32| kind == ScalarKind::F32 && f32::from_bits(bits).is_nan();
    a.into_iter().zip(b).all(|(a, b)| a == b || is_nan(a) && is_nan(b))
}

/// As [`same`], and both zeros are one: no instruction of a program can tell them apart, and
/// products of legal modules keep no sign of zero.
pub fn same_numbers(kind: ScalarKind, a: Lanes, b: Lanes) -> bool {
    let number = |bits: u32| if kind == ScalarKind::F32 && bits == SIGN { 0 } else { bits };
    same(kind, a.map(number), b.map(number))
}

#[cold]
fn missing(what: std::fmt::Arguments<'_>) -> Error {
    Error::new(Kind::Other(format!("there is nothing to read: {what}")), At::Whole)
}

#[cold]
fn broken(text: &str) -> Error {
    Error::new(Kind::Verify(text.into()), At::Whole)
}
