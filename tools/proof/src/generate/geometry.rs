//! Random geometry programs with a vertex program, configuration, uniforms and draws.
//! In: a seed. Out: [`GeneratedGeometry`]. Knows which state carries over between invocations and
//! how vertices are delivered, but executes nothing.

use transpica::geometry::{GeometryInput, GeometrySetup, Topology};
use transpica::host::OutputMap;
use transpica::interp::Uniforms;
use transpica::isa::word::{Field, Word};
use transpica::isa::{Opcode, Pc};
use transpica::{Limits, Program, Setup, Stage};

use super::clean::{Maker, ROUNDS, Scope, Style, code_with};
use super::data::DataMaker;
use super::{Random, inputs, uniforms};
use transpica::isa::sizes::FLOATS;

/// Largest number of EMITs per invocation.
const MOST_EMITS: u32 = 24;
/// Largest number of triangles per draw.
const MOST_TRIANGLES: u32 = 400;
/// Largest number of invocations per draw.
const MOST_INVOCATIONS: u32 = 40;
/// Number of r12, as an operand: r12 to r15 may carry a value to the next invocation.
const KEPT: u32 = 0x1C;

/// State that an invocation reads from earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dependence {
    /// None: everything is written before it is read.
    None,
    /// State of the last one or two, on every path: outputs that are not written before each EMIT,
    /// slots, the SETEMIT state, registers that hold inputs of the last invocation.
    Bounded,
    /// Anything, including b15.
    Any,
}

/// A draw.
#[derive(Clone, Debug, PartialEq)]
pub struct GeometryDraw {
    /// New uniforms of the vertex and the geometry unit, set before the draw. They may reset b15,
    /// the mark of earlier invocations.
    pub uniforms: Option<[Uniforms; 2]>,
    /// v0..v15 of each vertex.
    pub vertices: Vec<[[f32; 4]; 16]>,
    /// The index buffer; always present in variable mode.
    pub indices: Option<Vec<u32>>,
}

/// A random geometry program and two consecutive draws with it.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratedGeometry {
    /// Seed of the program.
    pub seed: u64,
    /// Upper bound of the state that its invocations read from earlier ones.
    pub dependence: Dependence,
    vertex: Code,
    geometry: Code,
    /// Configuration of both programs.
    pub setup: Setup,
    /// Two draws, the first with uniforms.
    pub draws: Vec<GeometryDraw>,
}

/// Code words, descriptors, entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Code {
    words: Vec<u32>,
    descriptors: Vec<u32>,
    entry: u16,
}

impl Code {
    fn program(&self, stage: Stage) -> Program<'_> {
        Program::new(&self.words[..], &self.descriptors[..], Pc(self.entry), stage, &Limits::default())
            .expect("generated programs are within the limits")
    }
}

impl GeneratedGeometry {
    /// The vertex program.
    pub fn vertex(&self) -> Program<'_> {
        self.vertex.program(Stage::Vertex)
    }
    /// The geometry program.
    pub fn geometry(&self) -> Program<'_> {
        self.geometry.program(Stage::Geometry)
    }
}

/// Generates a block-structured geometry program of 8 to 60 words or somewhat more, with draws of
/// at most 40 invocations and 400 triangles.
///
/// ```
/// use transpica::Stage;
/// use transpica_draw::cpu::Pipeline;
/// let generated = transpica_proof::generate::generate_geometry(1);
/// let (vertex, geometry) = (generated.vertex(), generated.geometry());
/// let mut pipeline = Pipeline::new(&vertex, Some(&geometry), generated.setup, &Default::default())?;
/// for draw in &generated.draws {
///     if let Some([vertex, geometry]) = &draw.uniforms {
///         pipeline.set_uniforms(Stage::Vertex, vertex);
///         pipeline.set_uniforms(Stage::Geometry, geometry);
///     }
///     let drawn = pipeline.draw(&draw.vertices, draw.indices.as_deref())?;
///     assert!(drawn.triangles().len() <= 400);
/// }
/// # Ok::<(), transpica::Error>(())
/// ```
pub fn generate_geometry(seed: u64) -> GeneratedGeometry {
    let mut random = Random::new(seed, "geometry");
    let dependence = random.pick(&[Dependence::None, Dependence::Bounded, Dependence::Any]);
    let setup = setup(&mut random);
    let vertex = vertex(&mut random, setup.vertex_outputs);
    let (geometry, emits) = geometry(&mut random, dependence, &setup);
    // Every EMIT may submit a triangle; with a strip or a fan, each of its vertices makes one.
    let fewer = if matches!(setup.topology, Topology::Strip | Topology::Fan) { 3 } else { 1 };
    let most = (MOST_TRIANGLES / (fewer * emits.max(1))).clamp(1, MOST_INVOCATIONS);
    let draws = (0..2).map(|number| draw(&mut random, seed, number, &setup, most)).collect();
    GeneratedGeometry { seed, dependence, vertex, geometry, setup, draws }
}

/// Some of the registers 0 to 7 as bits.
fn registers(random: &mut Random, count: u32) -> u16 {
    let mut mask = 0u16;
    while mask.count_ones() < count {
        mask |= 1 << random.below_some(&[(3, count), (2, 8)]);
    }
    mask
}

fn setup(random: &mut Random) -> Setup {
    let count = random.between(1, 4);
    let vertex_outputs = registers(random, count);
    let input = match random.below(3) {
        0 => {
            let inputs = count * random.between(1, (16 / count).min(4));
            let mut registers: [u8; 16] = std::array::from_fn(|number| number as u8);
            if random.chance(60) {
                (1..16)
                    .rev()
                    .for_each(|last| registers.swap(last as usize, random.between(0, last) as usize));
            }
            if random.chance(15) {
                registers[random.below(16) as usize] = random.below(16) as u8;
            }
            GeometryInput::Point { inputs: inputs as u8, registers }
        }
        1 => GeometryInput::Variable { main: random.between(1, 4) as u8 },
        _ => {
            let vertices = random.between(1, 6);
            let any = random.between(1, 16);
            let less = random.between(1, count);
            let stride = random.weighted(&[(5, count), (3, any), (2, less)]);
            let last = FLOATS as u32 - (vertices - 1) * stride - count;
            let near = random.below(8).min(last);
            let any = random.between(0, last);
            let first = random.weighted(&[(6, near), (2, any), (1, last)]);
            GeometryInput::Fixed { first: first as u8, vertices: vertices as u8, stride: stride as u8 }
        }
    };
    let count = random.between(1, 4);
    let outputs = registers(random, count);
    let topologies = [Topology::List, Topology::Strip, Topology::Fan, Topology::Geometry, Topology::Geometry];
    let topology = random.pick(&topologies);
    let map = map(random, outputs);
    Setup { vertex_outputs, geometry: Some(GeometrySetup { input, outputs }), map, topology }
}

/// Maps the position from some register, and other semantics from the others.
fn map(random: &mut Random, outputs: u16) -> OutputMap {
    const NONE: u8 = 31;
    const POSITION: [u8; 4] = [0, 1, 2, 3];
    let mut left = vec![
        [8, 9, 10, 11],
        [12, 13, 16, NONE],
        [4, 5, 6, 7],
        [18, 19, 20, NONE],
        [14, 15, 22, 23],
        [NONE, 9, 8, NONE],
        [NONE; 4],
    ];
    let position = random.below(outputs.count_ones());
    let registers = (0..16u8).filter(|register| outputs >> register & 1 != 0);
    let words: Vec<(u8, [u8; 4])> = (0..)
        .zip(registers)
        .map(|(number, register)| {
            let other = left.remove(random.below(left.len() as u32) as usize);
            (register, if number == position { POSITION } else { other })
        })
        .collect();
    OutputMap::from_words(words)
}

/// Straight code that writes the outputs that are passed on, mostly copies.
fn vertex(random: &mut Random, outputs: u16) -> Code {
    let data = DataMaker::new(random);
    let mut words: Vec<u32> = (0..random.below(4)).map(|_| data.write(random).0).collect();
    for output in (0..16).filter(|output| outputs >> output & 1 != 0) {
        let word =
            if random.chance(70) { data.copy(output, random.below(16)) } else { data.whole(random, output) };
        words.push(word.0);
    }
    words.push(Word::new(Opcode::End).0);
    Code { words, descriptors: data.descriptors, entry: 0 }
}

/// Returns the geometry program, and the largest number of EMITs per invocation.
fn geometry(random: &mut Random, dependence: Dependence, setup: &Setup) -> (Code, u32) {
    let outputs = setup.geometry.map_or(0, |geometry| geometry.outputs);
    // First register with vertex data: an input register or a uniform.
    let from = match setup.geometry.map(|geometry| geometry.input) {
        Some(GeometryInput::Fixed { first, .. }) => 0x20 + u32::from(first),
        Some(GeometryInput::Variable { .. }) => 0x21,
        Some(GeometryInput::Point { .. }) | None => 0,
    };
    let data = DataMaker::new(random);
    let size = random.between(8, 60);
    let style = Style {
        emit: 0,
        vertex: 12,
        most_emits: MOST_EMITS,
        outputs,
        written: 100,
        may_end: true,
        keeps: false,
        ran: Some(0),
    };
    let (words, entry, emits) = match dependence {
        // EMIT may come alone after both banks and all slots have been written.
        Dependence::None if random.chance(40) => {
            let style = Style { emit: 12, ..style };
            code_with(random, &data, size, style, |maker, size| {
                maker.writes_all(from, 100);
                maker.fill(3);
                maker.outputs(outputs);
                maker.body(size);
            })
        }
        Dependence::None => code_with(random, &data, size, style, |maker, size| {
            maker.writes_all(from, 100);
            maker.fill(3);
            maker.body(size);
        }),
        Dependence::Bounded => {
            let style = Style { vertex: 0, may_end: false, keeps: true, ..style };
            code_with(random, &data, size, style, |maker, size| maker.bounded(from, size))
        }
        Dependence::Any => {
            let written = random.pick(&[100, 70, 40]);
            let style = Style { emit: random.pick(&[0, 3, 15]), written, ran: Some(25), ..style };
            code_with(random, &data, size, style, |maker, size| maker.any(from, size))
        }
    };
    (Code { words, descriptors: data.descriptors, entry }, emits)
}

impl Maker<'_> {
    /// Writes each register that random instructions use, with this chance in percent: r, a0, cmp,
    /// aL.
    fn writes_all(&mut self, from: u32, percent: u32) {
        if self.random.chance(percent) {
            // A loop with an empty body, and padding after it.
            let word = Word::new(Opcode::Loop).with(Field::Id, self.random.below(4));
            self.push_local(word, self.here() as u32 + 1);
            self.push(Word::new(Opcode::Nop));
            self.push(Word::new(Opcode::Nop));
        }
        for number in 0..=self.data.reach() {
            if self.random.chance(percent) {
                let source = from + self.random.below(6);
                self.push(self.data.copy(0x10 + number, source.min(0x7F)));
            }
        }
        if self.random.chance(percent) {
            // Write all components of a0 and of cmp, without an index: the first descriptor has
            // identity swizzles.
            let word = self.data.address(self.random).with(Field::Descriptor, 0);
            self.push(word.with(Field::Index, 0));
            let word = self.data.compare(self.random);
            self.push(word);
        }
    }

    /// Builds vertices for this number of slots, perhaps with a triangle at the last.
    fn fill(&mut self, slots: u32) {
        let first = self.random.below(3);
        for number in 0..slots {
            self.outputs(self.style.outputs);
            let prim = number + 1 == slots && self.random.chance(50);
            self.emit((first + number) % 3, prim);
        }
    }

    /// Builds statements, a last vertex with a triangle, END.
    fn body(&mut self, size: u32) {
        self.block(Scope::default(), size);
        self.outputs(self.style.outputs);
        let slot = self.random.below(3);
        self.emit(slot, true);
        self.push(Word::new(Opcode::End));
    }

    /// Builds EMITs on a single path, between blocks without EMIT, so that each invocation leaves
    /// the same kind of state.
    fn bounded(&mut self, from: u32, size: u32) {
        let kept = self.random.below(3);
        self.writes_all(from, 100);
        // Values carried over replace registers that were just written.
        for number in 0..kept {
            let dest = 0x10 + self.random.below(self.data.reach().min(11) + 1);
            self.push(self.data.copy(dest, KEPT + number));
        }
        let inherits = self.random.chance(30);
        let vertices = self.random.between(1, 6);
        let all = self.style.outputs;
        for number in 0..vertices {
            if self.random.chance(60) {
                self.block(Scope::default(), size / vertices + 1);
            }
            // The first vertex writes all outputs, so that none stays undefined.
            let some = if number == 0 { all } else { all & self.random.bits() as u16 };
            self.outputs(some);
            let any = self.random.below(4);
            let slot = self.random.weighted(&[(9, number % 3), (2, any)]);
            if number == 0 && inherits {
                self.push(Word::new(Opcode::Emit));
                self.piece.emits += 1;
            } else {
                let prim = self.random.chance(if number + 1 == vertices { 90 } else { 40 });
                self.emit(slot, prim);
            }
        }
        for number in 0..kept {
            let source = from + self.random.below(4);
            self.push(self.data.copy(KEPT + number, source.min(0x7F)));
        }
        if inherits && self.random.chance(50) {
            let word = Word::new(Opcode::Setemit).with(Field::Vertex, self.random.below(3));
            let word = word.with(Field::Prim, self.random.below(2));
            self.push(word);
        }
        self.push(Word::new(Opcode::End));
    }

    /// Builds a program without restrictions: perhaps b15 guards a register that counts from the
    /// first invocation on.
    fn any(&mut self, from: u32, size: u32) {
        let percent = self.random.pick(&[0, 50, 95]);
        self.writes_all(from, percent);
        if self.random.chance(40) {
            let register = 0x10 + self.random.below(self.data.reach() + 1);
            let source = from + self.random.below(4);
            let then = self.here() as u32 + 3;
            let word = Word::new(Opcode::Ifu).with(Field::Id, 15).with(Field::Num, 1);
            self.push_local(word, then);
            let add = Word::new(Opcode::Add).with(Field::Dest, register);
            // Only the first source may be a uniform.
            self.push(add.with(Field::Source1, source.min(0x7F)).with(Field::Source2, register));
            self.push(Word::new(Opcode::Nop));
            self.push(self.data.copy(register, source.min(0x7F)));
            self.push(Word::new(Opcode::Nop));
        }
        if self.random.chance(50) {
            let slots = self.random.between(1, 3);
            self.fill(slots);
        }
        self.body(size);
    }
}

/// Builds vertices for some invocations, up to `most`, and sometimes a few too many.
fn draw(random: &mut Random, seed: u64, number: u64, setup: &Setup, most: u32) -> GeometryDraw {
    let purpose = seed.wrapping_mul(4).wrapping_add(number);
    let units = [0, 1].map(|unit| {
        let mut uniforms = uniforms(purpose ^ unit << 63);
        for int in &mut uniforms.ints {
            int[0] = int[0].min(ROUNDS as u8 - 1);
        }
        if random.chance(80) {
            uniforms.bools &= 0x7FFF;
        }
        uniforms
    });
    let uniforms = (number == 0 || random.chance(30)).then_some(units);
    let count = setup.vertex_outputs.count_ones();
    let few = random.pick(&[1, 8]);
    let invocations = random.between(few.min(most), most);
    let (vertices, indices) = match setup.geometry.map(|geometry| geometry.input) {
        Some(GeometryInput::Variable { main }) => {
            let vertices = random.between(1, 24);
            let mut indices = Vec::new();
            for _ in 0..invocations {
                let size = u32::from(main) + random.below_some(&[(1, 1), (3, 7)]);
                indices.push(size);
                indices.extend((0..size).map(|_| random.below(vertices)));
            }
            (vertices, Some(indices))
        }
        input => {
            let each = match input {
                Some(GeometryInput::Point { inputs, .. }) => u32::from(inputs) / count,
                Some(GeometryInput::Fixed { vertices, .. }) => u32::from(vertices),
                Some(GeometryInput::Variable { .. }) | None => 3,
            };
            // An incomplete last invocation is dropped.
            let all = invocations * each + if random.chance(20) { random.below(each) } else { 0 };
            if random.chance(40) {
                let vertices = random.between(1, 24);
                (vertices, Some((0..all).map(|_| random.below(vertices)).collect()))
            } else {
                (all, None)
            }
        }
    };
    GeometryDraw { uniforms, vertices: inputs(purpose, vertices as usize), indices }
}
