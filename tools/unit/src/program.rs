//! The face for tests in Rust: a program, values, a result.
//! In: values by name. Out: outputs, or a panic with the report of a test file.

use serde_json::{Map, Value, json};
use transpica::Stage;
use transpica_inspect::json::word;
use transpica_inspect::state;

use crate::case::{Case, ExpectedTriangle, Row};
use crate::expect::{Expectation, Expected, Output};
use transpica_inspect::executor::Cpu;

use crate::run::{BUDGET, Outcome, Trial, Triangle, executable, run};
use crate::shader::{Executable, Problem, Shader};
use crate::values::insert;

/// A value of a uniform or an attribute.
#[derive(Clone, Debug)]
pub struct Argument(Value);

fn vector(value: [f32; 4]) -> Value {
    value.map(|component| word(component.to_bits())).to_vec().into()
}

impl From<[f32; 4]> for Argument {
    fn from(value: [f32; 4]) -> Self {
        Self(vector(value))
    }
}
impl<const N: usize> From<[[f32; 4]; N]> for Argument {
    fn from(rows: [[f32; 4]; N]) -> Self {
        Self(rows.map(vector).to_vec().into())
    }
}
impl From<[u8; 4]> for Argument {
    fn from(value: [u8; 4]) -> Self {
        Self(json!(value))
    }
}
impl From<bool> for Argument {
    fn from(value: bool) -> Self {
        Self(value.into())
    }
}

/// A run of a program to be.
#[derive(Clone, Debug)]
#[must_use]
pub struct ProgramRun<'s> {
    shader: &'s Shader,
    stage: Stage,
    uniforms: Map<String, Value>,
    /// Attributes of each vertex or invocation.
    attributes: Vec<Map<String, Value>>,
    budget: u64,
}

impl Shader {
    /// Begins a run of its first vertex program. Uniforms of the file keep their values, and
    /// attributes without a value are (0, 0, 0, 1).
    pub fn vertex(&self) -> ProgramRun<'_> {
        self.program(Stage::Vertex)
    }

    /// Begins a run of its first geometry program, which has v registers in place of attributes.
    ///
    /// ```
    /// use transpica_unit::Shader;
    /// let shader = Shader::load(&["../../shaders/points.v.pica", "../../shaders/points.g.pica"])?;
    /// let run = shader
    ///     .geometry()
    ///     .uniform("pointSize", [0.5, 0.5, 0.0, 0.0])
    ///     .attribute("v0", [0.0, 0.0, 0.0, 1.0])
    ///     .next()
    ///     .attribute("v0", [8.0, 0.0, 0.0, 1.0])
    ///     .run();
    /// assert_eq!(run.outcome.triangles.len(), 4);
    /// run.assert_triangle(2, "texcoord0", [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]);
    /// # Ok::<(), transpica_unit::Problem>(())
    /// ```
    pub fn geometry(&self) -> ProgramRun<'_> {
        self.program(Stage::Geometry)
    }

    fn program(&self, stage: Stage) -> ProgramRun<'_> {
        let (uniforms, attributes) = (Map::new(), vec![Map::new()]);
        ProgramRun { shader: self, stage, uniforms, attributes, budget: BUDGET }
    }
}

impl<'s> ProgramRun<'s> {
    /// Sets a uniform by its name, or a register as `c4`. A uniform of three registers takes the
    /// first three of four rows.
    pub fn uniform(mut self, name: &str, value: impl Into<Argument>) -> Self {
        let Argument(mut value) = value.into();
        let symbols = self.shader.index_of(self.stage).ok();
        let symbols = symbols.and_then(|index| Some(&self.shader.executables.get(index)?.symbols));
        let named = symbols.and_then(|symbols| symbols.uniforms().find(|named| named.name == name));
        if let (Some(3), Some(rows)) = (named.map(|named| named.count), value.as_array_mut()) {
            rows.truncate(3);
        }
        let register = name.split_at_checked(1).filter(|(bank, number)| {
            named.is_none() && ["c", "i", "b"].contains(bank) && number.parse::<u8>().is_ok()
        });
        let path = register.map_or(vec![name], |(bank, number)| vec![bank, number]);
        insert(&mut self.uniforms, &path, value);
        self
    }
    /// Sets an attribute by its name, or a register as `v0`.
    pub fn attribute(mut self, name: &str, value: [f32; 4]) -> Self {
        if let Some(attributes) = self.attributes.last_mut() {
            attributes.insert(name.to_owned(), vector(value));
        }
        self
    }
    /// Begins a further vertex or invocation, whose attributes follow.
    pub fn next(mut self) -> Self {
        self.attributes.push(Map::new());
        self
    }
    /// Sets the limit of instructions.
    pub fn budget(self, budget: u64) -> Self {
        Self { budget, ..self }
    }

    /// Runs the program on the reference machine.
    ///
    /// # Errors
    /// A name that the program does not have, a value of another form, a program without an end.
    pub fn try_run(self) -> Result<Ran<'s>, Problem> {
        let fail = |error: String| Problem::new("", error);
        let Self { shader, stage, uniforms, attributes, budget } = self;
        let index = shader.index_of(stage).map_err(fail)?;
        let text = json!({ "uniforms": uniforms, "vertices": attributes }).to_string();
        let start = shader.executables.get(index).ok_or_else(|| fail(String::new()))?;
        let Executable { start, symbols, .. } = start;
        let state = state::parse(&text, start.clone(), stage, symbols).map_err(fail)?;
        let trial = Trial { index, state, budget };
        let outcome = run(shader, &trial, &mut |_, _| ()).map_err(fail)?;
        Ok(Ran { shader, trial, outcome })
    }

    /// Runs the program on the reference machine.
    ///
    /// # Panics
    /// As [`try_run`](Self::try_run) has errors.
    #[track_caller]
    pub fn run(self) -> Ran<'s> {
        must(self.try_run())
    }
}

/// Returns a value, or panics at the line of the test: a closure would panic at its own.
#[track_caller]
fn must<T>(result: Result<T, impl std::fmt::Display>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// A result.
#[derive(Clone, Debug)]
pub struct Ran<'s> {
    shader: &'s Shader,
    trial: Trial,
    /// The outcome.
    pub outcome: Outcome,
}

impl Ran<'_> {
    fn find(&self, name: &str) -> Result<Output, String> {
        self.shader.output(executable(self.shader, &self.trial)?, name, "outputs")
    }

    /// Returns the components of an output, by the name of its semantics or as `o0`.
    ///
    /// # Panics
    /// The program has no such output.
    #[track_caller]
    pub fn output(&self, name: &str) -> Vec<f32> {
        let output = must(self.find(name));
        let vertex = self.outcome.vertices.first();
        let register = vertex.and_then(|vertex| vertex.outputs.get(output.register));
        let component = |&component| register.and_then(|register| register.get::<usize>(component).copied());
        output.components.iter().filter_map(component).map(f32::from_bits).collect()
    }

    /// Returns the position.
    ///
    /// # Panics
    /// The program has none, or one with fewer than four components.
    #[track_caller]
    pub fn position(&self) -> [f32; 4] {
        let position = self.output("position");
        must(position.try_into().map_err(|_| "the position does not have four components"))
    }

    /// Compares an output with its expected values.
    ///
    /// # Panics
    /// Nothing is expected: no number, or an infinite tolerance. They differ: the text has the
    /// difference, the steps that made the wrong component, and what it was made from.
    #[track_caller]
    pub fn assert(&self, name: &str, values: impl Into<Expectation>) -> &Self {
        let expected = self.find(name).and_then(|output| Expected::new(output, values.into()));
        let expected = must(expected);
        assert!(expected.values.can_fail(), "{name}: nothing is expected, so every result would pass");
        self.check(vec![expected], None)
    }

    /// Compares an output of the three vertices of a triangle of a geometry program.
    ///
    /// # Panics
    /// As [`assert`](Self::assert), or there is no such triangle.
    #[track_caller]
    pub fn assert_triangle(&self, number: usize, name: &str, vertices: [impl Into<Expectation>; 3]) -> &Self {
        let count = self.outcome.triangles.len();
        assert!(number < count, "triangle {number} of {count}");
        let mut expected = [const { Vec::new() }; 3];
        for (expected, values) in expected.iter_mut().zip(vertices) {
            expected.push(must(self.find(name).and_then(|output| Expected::new(output, values.into()))));
        }
        let can_fail = expected.iter().flatten().any(|expected| expected.values.can_fail());
        assert!(can_fail, "{name}: nothing is expected, so every result would pass");
        let any = |triangle: &Triangle| ExpectedTriangle {
            vertices: [const { Vec::new() }; 3],
            inverted: triangle.inverted,
        };
        let mut triangles: Vec<ExpectedTriangle> = self.outcome.triangles.iter().map(any).collect();
        if let Some(triangle) = triangles.get_mut(number) {
            triangle.vertices = expected;
        }
        self.check(Vec::new(), Some(triangles))
    }

    #[track_caller]
    fn check(&self, expect: Vec<Expected>, triangles: Option<Vec<ExpectedTriangle>>) -> &Self {
        let row = Row { name: String::new(), trial: self.trial.clone(), expect };
        let case = Case { rows: vec![row], triangles, ..Case::default() };
        if let Some(text) = case.check("", self.shader, &Cpu).failure {
            let (_, text) = text.split_once('\n').unwrap_or_default();
            panic!("{text}");
        }
        self
    }
}
