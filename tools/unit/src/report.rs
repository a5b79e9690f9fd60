//! Text of a failure: the steps that made wrong components, and what they were made from.
//! In: a shader, a trial, components of an output. Out: lines for people.

use std::fmt::Write;

use transpica::interp::{Settings, TraceRecord};
use transpica::isa::control::Test;
use transpica::isa::{Inst, Mask, Pc};
use transpica_asm::dis::Listing;
use transpica_inspect::ancestry::{Ancestry, ancestry_before};
use transpica_inspect::recording::Run;
use transpica_inspect::symbols::Symbols;

use crate::run::{Trial, Vertex, executable, run};
use crate::shader::{Executable, Shader};

/// Most steps of a trace that made the result.
const STEPS: usize = 16;
/// Most comparisons and branches between them.
const TESTS: usize = 4;

/// Returns the trace and the origin of components of an output register.
pub(crate) fn explain(
    shader: &Shader,
    trial: &Trial,
    vertex: &Vertex,
    (register, mask): (usize, Mask),
) -> String {
    let Some(number) = vertex.number else { return "no EMIT filled this vertex slot\n".into() };
    let Ok(Executable { program, symbols, outputs, .. }) = executable(shader, trial) else {
        return String::new();
    };
    let settings = Settings { budget: trial.budget, ..Settings::default() };
    let run_of_machine = Run { program, state: &trial.state, settings, outputs: *outputs };
    let recording = match run_of_machine.record(number) {
        Ok(Some(recording)) if recording.len() >= vertex.steps => recording,
        Ok(_) | Err(_) => return "the run is too long for a trace\n".into(),
    };
    // Range: registers are below 16.
    let Ancestry { steps, inputs, .. } = ancestry_before(&recording, vertex.steps, register as u8, mask);
    let mut records = Vec::new();
    let _ = run(shader, trial, &mut |of, record| {
        if of == number && records.len() < vertex.steps {
            records.push(*record);
        }
    });
    let listing = shader.listing(Some(trial.index));
    if steps.is_empty() {
        return "no instruction wrote it\n".into();
    }
    let text = trace(shader, &listing, &records, &steps);
    // Components of one name stand together.
    let (mut made, mut last) = (String::new(), None);
    for input in &inputs {
        let (register, component) = input.split_once('.').unwrap_or((input, ""));
        let declared = shader.declared.as_ref().and_then(|declared| declared.register(register));
        let (name, is_vector) = declared.unwrap_or_else(|| (named(symbols, &listing, register), true));
        let component = if is_vector { component } else { "" };
        if last.as_ref() != Some(&name) {
            let gap = if made.is_empty() { "" } else { ", " };
            let dot = if component.is_empty() { "" } else { "." };
            let _ = write!(made, "{gap}{name}{dot}");
        }
        made.push_str(component);
        last = Some(name);
    }
    format!("{text}made from {}\n", if made.is_empty() { "no input" } else { &made })
}

/// Returns the lines of a trace: the last of the steps that made a result, with a mark, and tests
/// between them.
fn trace(shader: &Shader, listing: &Option<Listing>, records: &[TraceRecord], made: &[usize]) -> String {
    let cut = made.len().saturating_sub(STEPS);
    let mut shown = made[cut..].to_vec();
    let tests = shown[0]..made[made.len() - 1];
    let tests = tests.rev().filter(|&step| records.get(step).is_some_and(|record| is_test(&record.inst)));
    shown.extend(tests.take(TESTS));
    shown.sort_unstable();
    let rows = shown.iter().filter_map(|&step| {
        let record = records.get(step)?;
        let line = listing.as_ref().and_then(|listing| listing.line(record.pc));
        let line = record.line(&line.unwrap_or_else(|| record.inst.to_string()));
        Some((step, record.pc, shader.place(record.pc), line))
    });
    let rows: Vec<_> = rows.collect();
    let width = rows.iter().map(|(_, _, place, _)| place.len()).max().unwrap_or_default();
    let mut text = String::from(if cut > 0 { "  ...\n" } else { "" });
    let mut last = None;
    for (step, pc, place, line) in rows {
        let source = shader.source_line(pc);
        if source.is_some() && source != std::mem::replace(&mut last, source) {
            let _ = writeln!(text, "  {place}: {}", source.unwrap_or_default());
        }
        let mark = if made.contains(&step) { '>' } else { ' ' };
        let _ = writeln!(text, "{mark} {place:width$}  {line}");
    }
    text
}

/// Returns whether an instruction compares, or branches by a condition or a bool.
fn is_test(inst: &Inst) -> bool {
    match inst {
        Inst::Cmp { .. } => true,
        Inst::Flow(flow) => matches!(flow.test(), Some(Test::Cmp(_) | Test::Bool { .. })),
        _other => false,
    }
}

/// Returns a register, as `c4`, by the name that the file or the source has for it.
fn named(symbols: &Symbols, listing: &Option<Listing>, register: &str) -> String {
    let find = || symbols.name(register.chars().next()?, register.get(1..)?.parse().ok()?);
    let of_source = || listing.as_ref()?.name(Pc(0), register);
    find().or_else(of_source).unwrap_or_else(|| register.to_owned())
}
