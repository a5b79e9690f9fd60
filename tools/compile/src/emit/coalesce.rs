//! Copies that need no instruction: variables that become one, and those that become outputs.
//! In: [`Code`] with parallel copies. Out: the same with fewer copies, and the others as MOV.
//! Rules: an output is never read and is written once on every path, so a variable becomes one
//! only if nothing reads it, it is assigned outside of loops, and never again.

use std::collections::BTreeSet;

use transpica::isa::DataOp;

use super::code::{Code, Home, Inst, Lanes, Source, Step, Target, Var};
use super::hoist;
use super::live::{interference, live};
use super::vertices;

/// Removes copies.
pub(super) fn run(code: &mut Code) {
    remove_dead(code);
    merge(code);
    let goals = goals(code);
    hoist::run(code, &|var| !goals[var.0 as usize].is_empty());
    to_outputs(code);
    expand(code);
}

fn find(parents: &mut [u32], var: Var) -> Var {
    let mut at = var.0;
    while parents[at as usize] != at {
        parents[at as usize] = parents[parents[at as usize] as usize];
        at = parents[at as usize];
    }
    Var(at)
}

/// Nesting of each step in loops.
fn depths(steps: &[Step]) -> Vec<u32> {
    let jump = |step: &Step| if let Step::JumpIf(label, _) = step { Some(*label) } else { None };
    let jumps: Vec<u32> = steps.iter().filter_map(jump).collect();
    let mut depth = 0;
    let depths = steps.iter().map(|step| {
        match step {
            Step::Loop(_) => depth += 1,
            Step::Label(label) if jumps.contains(label) => depth += 1,
            Step::EndLoop | Step::JumpIf(..) => depth -= 1,
            _other => {}
        }
        depth
    });
    depths.collect()
}

/// Removes copies to variables that nothing reads.
fn remove_dead(code: &mut Code) {
    let after = live(code);
    for (n, step) in code.steps.iter_mut().enumerate() {
        if let Step::Copy(copies) = step {
            copies.retain(|(target, _)| target.as_var().is_none_or(|var| after.has(n, var)));
        }
    }
}

/// Makes one variable of two that a copy connects, where they never exist together.
fn merge(code: &mut Code) {
    let mut graph = interference(code);
    let mut parents: Vec<u32> = (0..code.hints.len() as u32).collect();
    let depths = depths(&code.steps);
    let mut pairs: Vec<(u32, Var, Var)> = Vec::new();
    for (step, &depth) in code.steps.iter().zip(&depths) {
        if let Step::Copy(copies) = step {
            pairs.extend(copies.iter().filter_map(|&(target, source)| {
                Some((depth, target.as_var()?, source.as_var().filter(|_| !source.negate)?))
            }));
        }
    }
    pairs.sort_by_key(|&(depth, ..)| std::cmp::Reverse(depth));
    for (_, a, b) in pairs {
        let (a, b) = (find(&mut parents, a), find(&mut parents, b));
        if a == b || graph.has(a.0 as usize, b) {
            continue;
        }
        parents[b.0 as usize] = a.0;
        graph.join(a.0 as usize, b.0 as usize);
        let others: Vec<Var> = graph.members(b.0 as usize).collect();
        others.into_iter().for_each(|other| graph.insert(other.0 as usize, a));
        if code.hints[a.0 as usize].is_none() {
            code.hints[a.0 as usize] = code.hints[b.0 as usize];
        }
    }
    code.pins.iter_mut().for_each(|(var, _)| *var = find(&mut parents, *var));
    for step in &mut code.steps {
        step.for_each_source_mut(|source| {
            if let Home::Var(var) = &mut source.home {
                *var = find(&mut parents, *var);
            }
        });
        step.for_each_target_mut(|target| {
            if let Target::Var(var) = target {
                *var = find(&mut parents, *var);
            }
        });
        if let Step::Copy(copies) = step {
            copies.retain(|&(target, source)| {
                source.negate || target.as_var().is_none() || target.as_var() != source.as_var()
            });
            let mut seen = BTreeSet::new();
            copies.retain(|copy| seen.insert(*copy));
            if copies.is_empty() {
                *step = Step::Nothing;
            }
        }
    }
}

/// Writes variables that only outputs read to the outputs at once.
fn to_outputs(code: &mut Code) {
    let mut goals = goals(code);
    // All that an instruction writes is in one register.
    loop {
        let mut changed = false;
        for step in &code.steps {
            let Step::Data(inst) = step else { continue };
            let register = |target: &Target| match target {
                Target::Output { register, .. } => Some(*register),
                Target::Var(var) => goals[var.0 as usize].first().and_then(Target::output),
            };
            let first = register(&inst.targets[0]);
            if inst.targets.iter().any(|target| register(target) != first) {
                for var in inst.targets.iter().filter_map(|target| target.as_var()) {
                    changed |= !std::mem::take(&mut goals[var.0 as usize]).is_empty();
                }
            }
        }
        if !changed {
            break;
        }
    }
    for step in &mut code.steps {
        match step {
            Step::Copy(copies) => {
                let written = |target: Target| match target {
                    Target::Var(var) if !goals[var.0 as usize].is_empty() => goals[var.0 as usize].clone(),
                    other => vec![other],
                };
                let is_gone = |&(target, source): &(Target, Source)| {
                    source.as_var().is_some_and(|var| goals[var.0 as usize].contains(&target))
                };
                let left = copies.iter().filter(|copy| !is_gone(copy));
                let copied = left
                    .flat_map(|&(target, source)| written(target).into_iter().map(move |to| (to, source)));
                *copies = copied.collect();
                if copies.is_empty() {
                    *step = Step::Nothing;
                }
            }
            Step::Data(inst) => redirect(inst, &goals),
            _other => {}
        }
    }
}

/// Makes an instruction write outputs instead of variables.
fn redirect(inst: &mut Inst, goals: &[Vec<Target>]) {
    let is_each = inst.lanes() == Lanes::Each;
    let (targets, sources) = (std::mem::take(&mut inst.targets), inst.sources.clone());
    if is_each {
        inst.sources.iter_mut().for_each(Vec::clear);
    }
    for (n, target) in targets.into_iter().enumerate() {
        let goal = target.as_var().map(|var| &goals[var.0 as usize]).filter(|goals| !goals.is_empty());
        for to in goal.map_or(&[target][..], Vec::as_slice) {
            inst.targets.push(*to);
            if is_each {
                inst.sources.iter_mut().zip(&sources).for_each(|(lanes, all)| lanes.push(all[n]));
            }
        }
    }
}

/// The outputs that each variable can become, as far as it alone decides.
fn goals(code: &Code) -> Vec<Vec<Target>> {
    let count = code.hints.len();
    let mut goals: Vec<Vec<Target>> = vec![Vec::new(); count];
    let mut reads = vec![0usize; count];
    for step in &code.steps {
        step.for_each_source(|source| {
            if let Some(var) = source.as_var() {
                reads[var.0 as usize] += 1;
            }
        });
        if let Step::Copy(copies) = step {
            for &(target, source) in copies {
                if let (Target::Output { .. }, Some(var), false) = (target, source.as_var(), source.negate) {
                    goals[var.0 as usize].push(target);
                }
            }
        }
    }
    for (goals, reads) in goals.iter_mut().zip(reads) {
        let is_one = goals.windows(2).all(|pair| pair[0].output() == pair[1].output());
        if goals.len() != reads || !is_one {
            goals.clear();
        }
    }
    if vertices::send(&code.steps) {
        code.pins.iter().for_each(|(var, _)| goals[var.0 as usize].clear());
        vertices::keep_near(code, &mut goals);
        return goals;
    }
    let mut assigned = vec![false; count];
    let mut saved: Vec<Vec<bool>> = Vec::new();
    for (step, depth) in code.steps.iter().zip(depths(&code.steps)) {
        match step {
            Step::If(_) => saved.push(assigned.clone()),
            Step::Else => {
                if let Some(before) = saved.last_mut() {
                    std::mem::swap(before, &mut assigned);
                }
            }
            Step::EndIf => {
                let other = saved.pop().unwrap_or_default();
                assigned.iter_mut().zip(other).for_each(|(one, other)| *one |= other);
            }
            _other => step.for_each_target(|target| {
                let Some(var) = target.as_var() else { return };
                let is_again = std::mem::replace(&mut assigned[var.0 as usize], true);
                if is_again || depth > 0 {
                    goals[var.0 as usize].clear();
                }
            }),
        }
    }
    goals
}

/// Turns parallel copies into MOV instructions, one after the other.
fn expand(code: &mut Code) {
    let steps = std::mem::take(&mut code.steps);
    for step in steps {
        match step {
            Step::Nothing => {}
            Step::Copy(copies) => {
                let ordered = order(code, copies);
                moves(code, ordered);
            }
            other => code.steps.push(other),
        }
    }
}

/// Orders copies so that none reads what an earlier one wrote.
fn order(code: &mut Code, mut copies: Vec<(Target, Source)>) -> Vec<(Target, Source)> {
    let mut ordered = Vec::with_capacity(copies.len());
    while !copies.is_empty() {
        let is_free = |&(target, _): &(Target, Source), copies: &[(Target, Source)]| {
            let var = target.as_var();
            let readers = copies.iter().filter(|(_, source)| var.is_some() && source.as_var() == var);
            readers.filter(|&&(other, _)| other != target).count() == 0
        };
        let free: Vec<bool> = copies.iter().map(|copy| is_free(copy, &copies)).collect();
        if free.contains(&true) {
            let mut free = free.into_iter();
            copies.retain(|&copy| {
                let is_free = free.next() == Some(true);
                if is_free {
                    ordered.push(copy);
                }
                !is_free
            });
            continue;
        }
        // A cycle: one of its values moves out of the way.
        let Some(&(_, source)) = copies.first() else { break };
        let Some(var) = source.as_var() else { break };
        let away = code.var(code.hints[var.0 as usize]);
        ordered.push((Target::Var(away), Source::var(var)));
        for (_, source) in &mut copies {
            if source.as_var() == Some(var) {
                source.home = Home::Var(away);
            }
        }
    }
    ordered
}

/// Adds MOV instructions for copies; neighbors that may share one do.
fn moves(code: &mut Code, copies: Vec<(Target, Source)>) {
    let mut open: Vec<Inst> = Vec::new();
    for (target, source) in copies {
        let key = |code: &Code, target: Target, source: Source| {
            let to = match target {
                Target::Output { register, .. } => (true, Some(register)),
                Target::Var(var) => (false, code.hints[var.0 as usize].map(|(register, _)| register)),
            };
            (to, source.class())
        };
        let reads = |inst: &Inst| {
            inst.sources[0].iter().any(|lane| lane.as_var().is_some() && lane.as_var() == target.as_var())
        };
        // A copy that moves forward must not pass one that reads its target.
        let after = open.iter().rposition(reads).map_or(0, |at| at + 1);
        let fits = |inst: &Inst| {
            inst.targets.len() < 4
                && !inst.targets.contains(&target)
                && key(code, inst.targets[0], inst.sources[0][0]) == key(code, target, source)
        };
        match open.iter().skip(after).position(fits).map(|at| at + after) {
            Some(at) => {
                open[at].targets.push(target);
                open[at].sources[0].push(source);
            }
            None => {
                let (targets, sources) = (vec![target], vec![vec![source]]);
                open.push(Inst { op: DataOp::Mov, targets, sources, pc: None });
            }
        }
    }
    code.steps.extend(open.into_iter().map(Step::Data));
}
