//! Text of a failure: the wrong component, the steps that made it, and what it was made from.
//! In: a shader, a trial, a component. Out: lines for people.

use std::fmt::Write;

use transpica::interp::{Settings, TraceRecord};
use transpica::isa::{Mask, Pc};
use transpica_asm::dis::Listing;
use transpica_inspect::ancestry::{Ancestry, ancestry_before};
use transpica_inspect::recording::Run;
use transpica_inspect::symbols::Symbols;

use crate::run::{Trial, Vertex, executable, run};
use crate::shader::{Executable, Shader};

/// Most lines of a trace.
const LINES: usize = 40;

/// Returns the trace and the origin of a component: of the steps most are those that made it, which
/// are marked.
pub(crate) fn explain(shader: &Shader, trial: &Trial, vertex: &Vertex, lane: (usize, usize)) -> String {
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
    // Range: registers and components are below 16 and 4.
    let (register, mask) = (lane.0 as u8, Mask(1 << (lane.1 & 3)));
    let Ancestry { steps, inputs, .. } = ancestry_before(&recording, vertex.steps, register, mask);
    let mut records = Vec::new();
    let _ = run(shader, trial, &mut |of, record| {
        if of == number && records.len() < vertex.steps {
            records.push(*record);
        }
    });
    let listing = shader.listing(Some(trial.index));
    let mut text = trace(shader, &listing, &records, &steps);
    // Components of one register stand together.
    let (mut made, mut last) = (String::new(), "");
    for input in &inputs {
        let (register, component) = input.split_once('.').unwrap_or((input, ""));
        if !component.is_empty() && register == last {
            made.push_str(component);
        } else {
            let gap = if made.is_empty() { "" } else { ", " };
            let dot = if component.is_empty() { "" } else { "." };
            let _ = write!(made, "{gap}{}{dot}{component}", named(symbols, &listing, register));
        }
        last = register;
    }
    let _ = writeln!(text, "made from {}", if made.is_empty() { "no input" } else { &made });
    text
}

/// Returns the lines of a trace, with a mark before these steps.
fn trace(shader: &Shader, listing: &Option<Listing>, records: &[TraceRecord], marked: &[usize]) -> String {
    // The last steps are nearest to the result.
    let mut shown: Vec<usize> = marked.iter().rev().take(LINES).copied().collect();
    let end = marked.last().map_or(records.len(), |last| last + 1);
    let others = (0..end.min(records.len())).rev().filter(|step| !marked.contains(step));
    shown.extend(others.take(LINES - shown.len()));
    shown.sort_unstable();
    let rows = shown.iter().filter_map(|&step| {
        let record = records.get(step)?;
        let line = listing.as_ref().and_then(|listing| listing.line(record.pc));
        let line = record.line(&line.unwrap_or_else(|| record.inst.to_string()));
        Some((step, record.pc, shader.place(record.pc), line))
    });
    let rows: Vec<_> = rows.collect();
    let width = rows.iter().map(|(_, _, place, _)| place.len()).max().unwrap_or_default();
    let (mut text, mut next) = (String::new(), 0);
    let mut last = None;
    for (step, pc, place, line) in rows {
        if step != next {
            let _ = writeln!(text, "  ...");
        }
        next = step + 1;
        let source = shader.source_line(pc);
        if source.is_some() && source != std::mem::replace(&mut last, source) {
            let _ = writeln!(text, "  {place}: {}", source.unwrap_or_default());
        }
        let mark = if marked.contains(&step) { '>' } else { ' ' };
        let _ = writeln!(text, "{mark} {place:width$}  {line}");
    }
    text
}

/// Returns a register, as `c4`, by the name that the file or the source has for it.
fn named(symbols: &Symbols, listing: &Option<Listing>, register: &str) -> String {
    let find = || symbols.name(register.chars().next()?, register.get(1..)?.parse().ok()?);
    let of_source = || listing.as_ref()?.name(Pc(0), register);
    find().or_else(of_source).unwrap_or_else(|| register.to_owned())
}
