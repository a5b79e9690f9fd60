//! The face for tests in Rust: a vertex program, values, a result.
//! In: values by name. Out: outputs, or a panic with the report of a test file.

use serde_json::{Map, Value, json};
use transpica::Stage;
use transpica_inspect::json::word;
use transpica_inspect::state;

use crate::case::{Case, Row};
use crate::expect::{Expectation, Expected, Output};
use crate::run::{BUDGET, Cpu, Outcome, Trial, executable, run};
use crate::shader::{Executable, Problem, Shader};

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

/// A run of a vertex program to be.
#[derive(Clone, Debug)]
#[must_use]
pub struct VertexRun<'s> {
    shader: &'s Shader,
    uniforms: Map<String, Value>,
    attributes: Map<String, Value>,
    budget: u64,
}

impl Shader {
    /// Begins a run of its first vertex program. Uniforms of the file keep their values, and
    /// attributes without a value are (0, 0, 0, 1).
    pub fn vertex(&self) -> VertexRun<'_> {
        VertexRun { shader: self, uniforms: Map::new(), attributes: Map::new(), budget: BUDGET }
    }
}

impl<'s> VertexRun<'s> {
    /// Sets a uniform by its name, or a register as `c4`. Of four rows a uniform of three registers
    /// takes the first three.
    pub fn uniform(mut self, name: &str, value: impl Into<Argument>) -> Self {
        let Argument(mut value) = value.into();
        let symbols = self.shader.index_of(Stage::Vertex).ok();
        let symbols = symbols.and_then(|index| Some(&self.shader.executables.get(index)?.symbols));
        let named = symbols.and_then(|symbols| symbols.uniforms().find(|named| named.name == name));
        if let (Some(3), Some(rows)) = (named.map(|named| named.count), value.as_array_mut()) {
            rows.truncate(3);
        }
        let register = name.split_at_checked(1).filter(|(bank, number)| {
            named.is_none() && ["c", "i", "b"].contains(bank) && number.parse::<u8>().is_ok()
        });
        let (key, member) = register.map_or((name, None), |(bank, number)| (bank, Some(number)));
        match (member, self.uniforms.entry(key).or_insert_with(|| json!({}))) {
            (Some(number), Value::Object(bank)) => drop(bank.insert(number.to_owned(), value)),
            (_, own) => *own = value,
        }
        self
    }
    /// Sets an attribute by its name, or a register as `v0`.
    pub fn attribute(mut self, name: &str, value: [f32; 4]) -> Self {
        self.attributes.insert(name.to_owned(), vector(value));
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
        let Self { shader, uniforms, attributes, budget } = self;
        let index = shader.index_of(Stage::Vertex).map_err(fail)?;
        let text = json!({ "uniforms": uniforms, "vertices": [attributes] }).to_string();
        let start = shader.executables.get(index).ok_or_else(|| fail(String::new()))?;
        let Executable { start, symbols, .. } = start;
        let state = state::parse(&text, start.clone(), Stage::Vertex, symbols).map_err(fail)?;
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
        self.try_run().unwrap_or_else(|problem| panic!("{problem}"))
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
        Output::find(&executable(self.shader, &self.trial)?.symbols, name, "outputs")
    }

    /// Returns the components of an output, by the name of its semantics or as `o0`.
    ///
    /// # Panics
    /// The program has no such output.
    #[track_caller]
    pub fn output(&self, name: &str) -> Vec<f32> {
        let output = self.find(name).unwrap_or_else(|error| panic!("{error}"));
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
        position.try_into().unwrap_or_else(|_| panic!("the position has not four components"))
    }

    /// Compares an output with its expected values.
    ///
    /// # Panics
    /// They differ: the text has the difference, the steps that made the wrong component, and what
    /// it was made from.
    #[track_caller]
    pub fn assert(&self, name: &str, values: impl Into<Expectation>) -> &Self {
        let expected = self.find(name).and_then(|output| Expected::new(output, values.into()));
        let expected = expected.unwrap_or_else(|error| panic!("{error}"));
        let row = Row { name: String::new(), trial: self.trial.clone(), expect: vec![expected] };
        let case = Case {
            name: String::new(),
            line: 0,
            rows: vec![row],
            calls: Vec::new(),
            instructions: None,
            triangles: None,
        };
        if let Some(text) = case.check("", self.shader, &Cpu).failure {
            let (_, text) = text.split_once('\n').unwrap_or_default();
            panic!("{text}");
        }
        self
    }
}
