//! Invocations of the geometry program of a picture.
//! In: a scene with a geometry program. Out: the inputs of each invocation, and the one whose
//! triangle is in front at a pixel. Vertices reach invocations as in `transpica_draw`.
//! Facts: 3dbrew (modes of the geometry unit).

use transpica::geometry::GeometryInput;
use transpica::geometry::input::Primitives;
use transpica::host::{HostValues, dvle};
use transpica::interp::{GeometryMachine, Settings};
use transpica::{Error, Program, Setup};
use transpica_inspect::draw::scene::{BUDGET, ChainInput, DRAW_BUDGET, Scene};
use transpica_inspect::results::interpret;
use transpica_inspect::state::{DEFAULT_REGISTERS, Delivered, Registers, State, bits};

use super::picture::{Picked, depth};
use super::problem::Problem;

/// The geometry stage of a scene.
pub struct Invocations {
    /// Uniforms and vertices of the vertex program.
    pub vertices: State,
    /// Uniforms of the geometry program; inputs and delivered uniforms of each invocation.
    pub state: State,
    /// Vertices of the mesh that each invocation receives.
    primitives: Vec<Vec<u32>>,
    program: Program<'static>,
    /// Mask of the outputs that EMIT sends.
    outputs: u16,
}

impl Invocations {
    /// Runs the vertex program and distributes its outputs.
    ///
    /// # Errors
    /// Programs that do not fit together; a vertex program that cannot run.
    pub fn new(scene: &Scene<'_>, geometry: usize) -> Result<Self, Problem> {
        let ChainInput { setup, vertices, indices } = scene.chain(geometry)?;
        let own = setup.geometry.ok_or_else(|| Problem::error("nothing receives the vertices"))?;
        let [vertex, state] = scene.states.clone();
        let vertices = State { vertices: vertices.iter().map(bits).collect(), ..vertex };
        let program = |index| dvle::program(scene.file, index, &scene.options.limits);
        let settings = Settings { budget: scene.budget(), ..Settings::default() };
        let results = interpret(&program(scene.pick.vertex)?, &vertices, settings, None)?;
        let primitives = primitives(own.input, &setup, &indices)?;
        let fed = primitives.iter().map(|primitive| feed(own.input, &setup, primitive, &results));
        let (inputs, delivered) = fed.unzip();
        let state = State { vertices: inputs, delivered, ..state };
        Ok(Self { vertices, state, primitives, program: program(geometry)?, outputs: own.outputs })
    }

    /// Returns the invocation whose triangle is in front at a place of the screen.
    ///
    /// # Errors
    /// A program that cannot run or exceeds its budget.
    pub fn pick(&self, scene: &Scene<'_>, place: [f64; 2]) -> Result<Picked, Problem> {
        let (outputs, host) = (scene.outputs()?, HostValues::default());
        let position = &outputs[scene.choice(&outputs)?.position];
        let count = self.state.vertices.len();
        let budget = BUDGET.min(DRAW_BUDGET / count.max(1) as u64);
        let settings = Settings { budget, ..Settings::default() };
        let mut machine = GeometryMachine::new(&self.program, self.outputs, settings)?;
        machine.set_uniforms(&self.state.uniforms);
        let (mut nearest, mut picked) = (f64::INFINITY, Picked::default());
        for number in 0..count {
            let inputs = self.state.begin(number, &mut machine);
            let invocation = machine.run(&inputs)?;
            for triangle in invocation.triangles() {
                let corner = |registers: &_| position.value(registers, &scene.options, &host).map(f64::from);
                let depth = depth(triangle.vertices.map(corner), place);
                let Some(depth) = depth.filter(|&depth| depth < nearest) else { continue };
                nearest = depth;
                // Vertices of earlier invocations are not among its EMITs.
                let emit =
                    |vertex: &_| invocation.emits().position(|emit| std::ptr::eq(emit.outputs, vertex));
                let emits = triangle.vertices.into_iter().filter_map(emit).collect();
                let vertices = self.primitives.get(number).cloned().unwrap_or_default();
                picked = Picked { vertices, invocation: Some(number), emits };
            }
        }
        Ok(picked)
    }
}

/// Returns the vertices of each invocation.
fn primitives(input: GeometryInput, setup: &Setup, indices: &[u32]) -> Result<Vec<Vec<u32>>, Error> {
    let outputs = setup.vertex_outputs.count_ones().max(1) as usize;
    let size = match input {
        GeometryInput::Variable { main } => {
            let list = |first: usize, size: u32| indices.iter().skip(first).take(size as usize).copied();
            let primitives = Primitives::new(Some(indices), main, setup.vertex_outputs)?;
            return primitives.map(|one| one.map(|one| list(one.first, one.size).collect())).collect();
        }
        GeometryInput::Point { inputs, .. } => usize::from(inputs) / outputs,
        GeometryInput::Fixed { vertices, .. } => usize::from(vertices),
    };
    Ok(indices.chunks_exact(size.max(1)).map(<[u32]>::to_vec).collect())
}

/// Returns the inputs and the delivered uniforms of an invocation.
fn feed(
    input: GeometryInput,
    setup: &Setup,
    primitive: &[u32],
    results: &[Registers],
) -> (Registers, Delivered) {
    let is_forwarded = |register: &usize| setup.vertex_outputs >> register & 1 != 0;
    let vectors = |&vertex: &u32| -> Vec<[u32; 4]> {
        let registers = results.get(vertex as usize).copied().unwrap_or(DEFAULT_REGISTERS);
        (0..16).filter(is_forwarded).map(|register| registers[register]).collect()
    };
    let vertices = primitive.iter().map(vectors);
    let mut inputs = DEFAULT_REGISTERS;
    // Range: registers end at c95; the checks of the configuration and of primitives ensure it.
    let delivered = match input {
        GeometryInput::Point { registers, .. } => {
            for (register, vector) in registers.into_iter().zip(vertices.flatten()) {
                inputs[usize::from(register & 15)] = vector;
            }
            Vec::new()
        }
        GeometryInput::Variable { main } => {
            let count = [(primitive.len() as f32).to_bits(); 4];
            let kept = |n: usize| if n < usize::from(main) { usize::MAX } else { 1 };
            let rest = vertices.enumerate().flat_map(|(n, vectors)| vectors.into_iter().take(kept(n)));
            (0..).zip(std::iter::once(count).chain(rest)).collect()
        }
        GeometryInput::Fixed { first, stride, .. } => {
            let starts = (first..=u8::MAX).step_by(usize::from(stride.max(1)));
            starts.zip(vertices).flat_map(|(start, vectors)| (start..=u8::MAX).zip(vectors)).collect()
        }
    };
    (inputs, delivered)
}
