//! Cases: values for a program, and what is expected of its run.
//! In: a shader, a case, an executor. Out: a failure, or the code that ran. Reads no file.

use std::fmt::{self, Write};

use transpica::isa::Mask;
use transpica_inspect::executor::{Cpu, Executor};
use transpica_inspect::state::Registers;

use crate::coverage::Coverage;
use crate::expect::{Difference, Expected};
use crate::report::explain;
use crate::run::{Outcome, Trial, Vertex, others, run};
use crate::shader::Shader;
use crate::twin::Twin;

/// A case of a test file.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Its line in the file.
    pub line: usize,
    /// Its runs.
    pub rows: Vec<Row>,
    /// Procedures that must run.
    pub calls: Vec<String>,
    /// Most instructions of a vertex or an invocation.
    pub instructions: Option<u64>,
    /// The triangles of a geometry program.
    pub triangles: Option<Vec<ExpectedTriangle>>,
    /// A program that computes the same.
    pub equal: Option<Box<Twin>>,
}

/// A run of a case.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name in reports; empty for the only one.
    pub name: String,
    /// Values.
    pub trial: Trial,
    /// Expected outputs.
    pub expect: Vec<Expected>,
}

impl Row {
    /// Returns the start of its messages.
    fn head(&self) -> String {
        if self.name.is_empty() { String::new() } else { format!("{}, ", self.name) }
    }
}

/// An expected triangle.
#[derive(Clone, Debug)]
pub struct ExpectedTriangle {
    /// Outputs of its vertices.
    pub vertices: [Vec<Expected>; 3],
    /// Its winding is reversed.
    pub inverted: bool,
}

/// A deviation from a case.
enum Fault {
    /// As text.
    Text(String),
    /// Wrong components of an output, each with what the reference machine has.
    Output { row: usize, vertex: Box<Vertex>, subject: String, lanes: Vec<(Difference, Option<f32>)> },
}

/// Most wrong outputs whose steps a failure shows.
const EXPLAINED: usize = 4;
/// Most wrong outputs that a failure lists.
const LISTED: usize = 16;

/// Everything that the runs of a case gave.
#[derive(Default)]
struct Verdict {
    faults: Vec<Fault>,
    coverage: Coverage,
    most: u64,
}

/// A case that ran.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The text of its failure.
    pub failure: Option<String>,
    /// Code that ran.
    pub coverage: Coverage,
    /// Most instructions of a vertex or an invocation.
    pub steps: u64,
}

impl Case {
    /// Runs the case. `file` is the name of its file in the text of a failure.
    pub fn check<E>(&self, file: &str, shader: &Shader, executor: &E) -> Checked
    where
        E: Executor<Error: fmt::Display>,
    {
        let Verdict { faults, coverage, most } = self.verdict(shader, executor, None);
        let head = format!("{file}:{}: {}\n", self.line, self.name);
        let failure = (!faults.is_empty()).then(|| head + &self.text(shader, executor.name(), &faults));
        Checked { failure, coverage, steps: most }
    }

    /// Returns whether the case fails on the reference machine within a budget.
    pub(crate) fn fails(&self, shader: &Shader, budget: u64) -> bool {
        !self.verdict(shader, &Cpu, Some(budget)).faults.is_empty()
    }

    fn verdict<E>(&self, shader: &Shader, executor: &E, budget: Option<u64>) -> Verdict
    where
        E: Executor<Error: fmt::Display>,
    {
        let mut result = Verdict::default();
        for (number, row) in self.rows.iter().enumerate() {
            let limited = budget.map(|budget| Trial { budget, ..row.trial.clone() });
            let trial = limited.as_ref().unwrap_or(&row.trial);
            let ran = run(shader, trial, &mut |_, _| ())
                .and_then(|outcome| Ok((outcome, others(executor, shader, trial)?)));
            match ran {
                Ok((outcome, others)) => self.compare((number, row), &outcome, others, &mut result),
                Err(error) => result.faults.push(Fault::Text(format!("{}{error}", row.head()))),
            }
        }
        if let Some(Err(text)) = self.equal.as_ref().map(|twin| twin.check(shader)) {
            result.faults.push(Fault::Text(text));
        }
        for name in &self.calls {
            let mut named = shader.procedures.iter().filter(|(procedure, _)| procedure == name);
            if !named.any(|&(_, address)| result.coverage.has(address)) {
                result.faults.push(Fault::Text(format!("{name} did not run")));
            }
        }
        result
    }

    /// Compares the outcome of a row, with the outputs of another executor if there are some.
    fn compare(
        &self,
        (number, row): (usize, &Row),
        outcome: &Outcome,
        others: Option<Vec<Registers>>,
        to: &mut Verdict,
    ) {
        to.coverage.add(&outcome.coverage);
        let steps = outcome.steps.iter().copied().max().unwrap_or_default();
        to.most = to.most.max(steps);
        let head = row.head();
        if let Some(most) = self.instructions.filter(|&most| steps > most) {
            to.faults.push(Fault::Text(format!("{head}{steps} instructions, expected at most {most}")));
        }
        let mut add = |subject: &str, vertex: &Vertex, outputs: &Registers, expect: &[Expected]| {
            let lane = |difference: Difference| {
                let own =
                    vertex.outputs.get(difference.register).and_then(|own| own.get(difference.component));
                let machine = own.filter(|_| outputs != &vertex.outputs).map(|&bits| f32::from_bits(bits));
                (difference, machine)
            };
            for expected in expect {
                let lanes: Vec<_> = expected.differences(outputs).into_iter().map(lane).collect();
                if !lanes.is_empty() {
                    let (vertex, subject) = (Box::new(vertex.clone()), subject.to_owned());
                    to.faults.push(Fault::Output { row: number, vertex, subject, lanes });
                }
            }
        };
        for (place, vertex) in outcome.vertices.iter().enumerate() {
            let outputs = others.as_ref().and_then(|others| others.get(place)).unwrap_or(&vertex.outputs);
            let subject = if head.is_empty() { format!("vertex {place}, ") } else { head.clone() };
            add(&subject, vertex, outputs, &row.expect);
        }
        let Some(expected) = &self.triangles else { return };
        for (place, (triangle, expected)) in outcome.triangles.iter().zip(expected).enumerate() {
            for (corner, (vertex, expected)) in triangle.vertices.iter().zip(&expected.vertices).enumerate() {
                add(&format!("triangle {place}, vertex {corner}, "), vertex, &vertex.outputs, expected);
            }
        }
        for (place, (triangle, expected)) in outcome.triangles.iter().zip(expected).enumerate() {
            if triangle.inverted != expected.inverted {
                let (not, was) = if expected.inverted { ("", "is not") } else { (" not", "is") };
                to.faults.push(Fault::Text(format!("triangle {place}: expected{not} inverted, it {was}")));
            }
        }
        if outcome.triangles.len() != expected.len() {
            let (count, wanted) = (outcome.triangles.len(), expected.len());
            to.faults.push(Fault::Text(format!("expected {wanted} triangles, got {count}")));
        }
    }

    /// Returns the text of faults, the first outputs with what made them wrong.
    fn text(&self, shader: &Shader, executor: &str, faults: &[Fault]) -> String {
        let (mut text, mut wrong) = (String::new(), 0);
        for fault in faults {
            let (row, vertex, subject, lanes) = match fault {
                Fault::Text(message) => {
                    text += &format!("{message}\n");
                    continue;
                }
                Fault::Output { row, vertex, subject, lanes } => (*row, vertex, subject, lanes),
            };
            wrong += 1;
            let mut output = (0, Mask(0));
            for (difference, machine) in lanes.iter().filter(|_| wrong <= LISTED) {
                let _ = write!(text, "{subject}{difference}");
                if let Some(machine) = machine {
                    let _ = write!(text, " on {executor}; the reference machine has {machine:?}");
                }
                text.push('\n');
                output = (difference.register, Mask(output.1.0 | 1 << (difference.component & 3)));
            }
            if let Some(row) = self.rows.get(row).filter(|_| wrong <= EXPLAINED) {
                text += &explain(shader, &row.trial, vertex, output);
            }
        }
        if wrong > LISTED {
            let _ = writeln!(text, "and {} more", wrong - LISTED);
        }
        text
    }
}
