//! Registers and components of variables.
//! In: [`Code`] without parallel copies. Out: a place for each variable, such that the lanes of an
//! operand and the targets of an instruction are in one register. Where that cannot be, the
//! instruction is split or an operand copied, and everything begins again.
//!
//! Variables that must share a register form groups, as long as four colors suffice for a group.

use std::collections::BTreeSet;

use transpica::isa::{DataOp, Pc, sizes};

use super::code::{Code, Inst, Lanes, Source, Step, Target, Var, grouped};
use super::error::{Error, listed};
use super::live::{Sets, interference};

/// Most repetitions, each of which adds an instruction.
const MOST_REPAIRS: usize = 600;
/// Most steps of a search for components.
const MOST_TRIALS: usize = 4000;

/// Register and component.
pub(super) type Spot = (u8, u8);

/// Places all variables.
pub(super) fn run(code: &mut Code) -> Result<Vec<Spot>, Error> {
    for _ in 0..MOST_REPAIRS {
        let graph = interference(code);
        let mut groups = Groups::new(code, &graph);
        let broken = groups.form(code, &graph);
        if broken.is_empty() {
            return assign(code, &graph, &groups);
        }
        // From the last one on, so that steps keep their numbers.
        broken.into_iter().for_each(|broken| repair(code, &groups, broken));
    }
    Err(Error::limit("copies between temporaries", None, MOST_REPAIRS))
}

/// A set of variables that cannot share a register.
struct Broken {
    step: usize,
    /// The operand, or none for the targets.
    operand: Option<usize>,
}

struct Groups {
    parents: Vec<u32>,
    members: Vec<Vec<Var>>,
}

impl Groups {
    fn new(code: &Code, _graph: &Sets) -> Self {
        let count = code.hints.len() as u32;
        Self { parents: (0..count).collect(), members: (0..count).map(|n| vec![Var(n)]).collect() }
    }

    fn of(&self, var: Var) -> u32 {
        let mut at = var.0;
        while self.parents[at as usize] != at {
            at = self.parents[at as usize];
        }
        at
    }

    /// Forms groups; returns the sets that cannot be in one, the last step first, at most one for
    /// each step.
    fn form(&mut self, code: &Code, graph: &Sets) -> Vec<Broken> {
        let mut sets: Vec<(u32, usize, Option<usize>, Vec<Var>)> = Vec::new();
        for (step, content) in code.steps.iter().enumerate() {
            let mut add = |rank: u32, operand: Option<usize>, vars: Vec<Var>| {
                if vars.len() > 1 {
                    sets.push((rank, step, operand, vars));
                }
            };
            match content {
                Step::Data(inst) => {
                    let rank = match (inst.lanes(), inst.op) {
                        (Lanes::All, _) => 0,
                        (Lanes::Each, DataOp::Mov) => 2,
                        (Lanes::Each, _) => 1,
                    };
                    for (n, lanes) in inst.sources.iter().enumerate() {
                        add(rank, Some(n), vars(lanes));
                    }
                    let targets: Vec<Var> =
                        inst.targets.iter().filter_map(|target| target.as_var()).collect();
                    add(rank.max(1), None, targets);
                }
                Step::Compare { sources, .. } => {
                    sources.iter().enumerate().for_each(|(n, lanes)| add(0, Some(n), vars(lanes)));
                }
                Step::Address { lanes } => {
                    let lanes: Vec<Source> = lanes.iter().copied().flatten().collect();
                    add(0, Some(0), vars(&lanes));
                }
                _other => {}
            }
        }
        sets.sort_by_key(|&(rank, step, ..)| (rank, step));
        let mut broken: Vec<Broken> = Vec::new();
        for (_, step, operand, vars) in sets {
            if self.join(&vars, code, graph) {
                continue;
            }
            // Few parts are better than many.
            for (n, &var) in vars.iter().enumerate() {
                let _is_one = vars[..n].iter().any(|&other| self.join(&[other, var], code, graph));
            }
            if broken.iter().all(|broken| broken.step != step) {
                broken.push(Broken { step, operand });
            }
        }
        broken.sort_by_key(|broken| std::cmp::Reverse(broken.step));
        broken
    }

    /// Makes one group of those of some variables, if one register can hold it.
    fn join(&mut self, vars: &[Var], code: &Code, graph: &Sets) -> bool {
        let mut roots: Vec<u32> = vars.iter().map(|&var| self.of(var)).collect();
        roots.sort_unstable();
        roots.dedup();
        if roots.len() == 1 {
            return true;
        }
        let all: Vec<Var> =
            roots.iter().flat_map(|&root| self.members[root as usize].iter().copied()).collect();
        let mut pinned = all.iter().filter_map(|&var| pin(code, var)).map(|(register, _)| register);
        let first = pinned.next();
        if pinned.any(|register| Some(register) != first)
            || colors(&all, graph, &[[].as_slice(); 4].map(<[u64]>::to_vec), &|_| None, code).is_none()
        {
            return false;
        }
        for &root in &roots[1..] {
            self.parents[root as usize] = roots[0];
            self.members[root as usize].clear();
        }
        self.members[roots[0] as usize] = all;
        true
    }
}

/// The register and component that a variable must have.
fn pin(code: &Code, var: Var) -> Option<Spot> {
    code.pins.iter().find(|pin| pin.0 == var).map(|pin| pin.1)
}

fn vars(lanes: &[Source]) -> Vec<Var> {
    let mut vars: Vec<Var> = lanes.iter().filter_map(|lane| lane.as_var()).collect();
    vars.sort_unstable();
    vars.dedup();
    vars
}

/// Components for variables, none of which may be in a component with a variable that it exists
/// together with.
fn colors(
    vars: &[Var],
    graph: &Sets,
    taken: &[Vec<u64>; 4],
    hint: &dyn Fn(Var) -> Option<u8>,
    code: &Code,
) -> Option<Vec<u8>> {
    let free = |var: Var, component: usize| {
        pin(code, var).is_none_or(|(_, pinned)| usize::from(pinned) == component)
            && taken[component].iter().zip(graph.row(var.0 as usize)).all(|(a, b)| a & b == 0)
    };
    // The most entangled first.
    let mut order: Vec<usize> = (0..vars.len()).collect();
    let degree = |n: usize| vars.iter().filter(|&&other| graph.has(vars[n].0 as usize, other)).count();
    order.sort_by_cached_key(|&n| std::cmp::Reverse(degree(n)));
    let mut chosen: Vec<Option<u8>> = vec![None; vars.len()];
    let mut tried: Vec<u8> = vec![0; vars.len()];
    let (mut at, mut trials) = (0, 0);
    while at < order.len() {
        let n = order[at];
        let preferred = hint(vars[n]).unwrap_or(0);
        let mut found = None;
        while tried[at] < 4 {
            let component = (preferred + tried[at]) % 4;
            tried[at] += 1;
            let clashes = order[..at]
                .iter()
                .any(|&other| chosen[other] == Some(component) && graph.has(vars[n].0 as usize, vars[other]));
            if !clashes && free(vars[n], usize::from(component)) {
                found = Some(component);
                break;
            }
        }
        trials += 1;
        if trials > MOST_TRIALS {
            return None;
        }
        if found.is_some() {
            chosen[n] = found;
            at += 1;
            if let Some(next) = tried.get_mut(at) {
                *next = 0;
            }
        } else {
            at = at.checked_sub(1)?;
            chosen[order[at]] = None;
        }
    }
    chosen.into_iter().collect()
}

/// Splits an instruction, or copies an operand.
fn repair(code: &mut Code, groups: &Groups, broken: Broken) {
    let Broken { step, operand } = broken;
    if let Step::Data(inst) = &code.steps[step]
        && (inst.lanes() == Lanes::Each || operand.is_none())
    {
        let inst = inst.clone();
        let parts = split(code, &inst, groups, operand);
        code.steps.splice(step..=step, parts.into_iter().map(Step::Data));
        return;
    }
    let Some(operand) = operand else { return };
    let lanes: Vec<Source> = match &code.steps[step] {
        Step::Data(inst) => inst.sources[operand].clone(),
        Step::Compare { sources, .. } => sources[operand].clone(),
        Step::Address { lanes } => lanes.iter().copied().flatten().collect(),
        _other => return,
    };
    let copies: Vec<(Var, Var)> = vars(&lanes).into_iter().map(|var| (var, code.var(None))).collect();
    let is_whole =
        |lanes: &Vec<Source>| vars(lanes).iter().all(|var| copies.iter().any(|(known, _)| known == var));
    let replace = |source: &mut Source| {
        if let Some(var) = source.as_var()
            && let Some(&(_, copy)) = copies.iter().find(|(known, _)| *known == var)
        {
            *source = Source { negate: source.negate, ..Source::var(copy) };
        }
    };
    match &mut code.steps[step] {
        // Operands often read the same lanes.
        Step::Data(inst) => {
            inst.sources.iter_mut().filter(|lanes| is_whole(lanes)).flatten().for_each(replace)
        }
        Step::Compare { sources, .. } => sources[operand].iter_mut().for_each(replace),
        Step::Address { lanes } => lanes.iter_mut().flatten().for_each(replace),
        _other => {}
    }
    let (sources, targets) = copies.iter().map(|&(var, copy)| (Source::var(var), Target::Var(copy))).unzip();
    let moves = Inst { op: DataOp::Mov, targets, sources: vec![sources], pc: None };
    code.steps.insert(step, Step::Data(moves));
}

/// Parts of an instruction, by the groups of an operand or of its targets.
fn split(code: &mut Code, inst: &Inst, groups: &Groups, operand: Option<usize>) -> Vec<Inst> {
    let key = |n: usize| match operand {
        Some(operand) => inst.sources[operand][n].as_var().map(|var| groups.of(var)),
        None => inst.targets[n].as_var().map(|var| groups.of(var)),
    };
    let part = |part: &Vec<usize>| Inst {
        op: inst.op,
        targets: part.iter().map(|&n| inst.targets[n]).collect(),
        sources: match inst.lanes() {
            Lanes::All => inst.sources.clone(),
            Lanes::Each => {
                inst.sources.iter().map(|lanes| part.iter().map(|&n| lanes[n]).collect()).collect()
            }
        },
        pc: inst.pc,
    };
    ordered(code, grouped(inst.targets.len(), key).iter().map(part).collect())
}

/// Orders parts so that none reads what an earlier one wrote; in a cycle, one writes elsewhere
/// first.
fn ordered(code: &mut Code, mut parts: Vec<Inst>) -> Vec<Inst> {
    let mut last = Vec::new();
    let mut ordered = Vec::with_capacity(parts.len());
    while !parts.is_empty() {
        let reads =
            |inst: &Inst, var: Var| inst.sources.iter().flatten().any(|lane| lane.as_var() == Some(var));
        let is_free = |n: usize| {
            let mut written = parts[n].targets.iter().filter_map(|target| target.as_var());
            !written.any(|var| parts.iter().enumerate().any(|(other, inst)| other != n && reads(inst, var)))
        };
        let next = (0..parts.len()).find(|&n| is_free(n));
        let mut part = parts.remove(next.unwrap_or(0));
        if next.is_none() {
            let (mut targets, mut sources) = (Vec::new(), Vec::new());
            for target in &mut part.targets {
                if target.as_var().is_some() {
                    let away = code.var(None);
                    targets.push(std::mem::replace(target, Target::Var(away)));
                    sources.push(Source::var(away));
                }
            }
            last.push(Inst { op: DataOp::Mov, targets, sources: vec![sources], pc: None });
        }
        ordered.push(part);
    }
    ordered.extend(last);
    ordered
}

/// A rank of groups.
type Order<'a> = &'a dyn Fn(&Vec<Var>) -> (isize, usize);

/// Gives each group a register.
fn assign(code: &Code, graph: &Sets, groups: &Groups) -> Result<Vec<Spot>, Error> {
    let used = used(code);
    let mut all: Vec<Vec<Var>> = groups
        .members
        .iter()
        .map(|members| members.iter().copied().filter(|&var| used[var.0 as usize].is_some()).collect())
        .filter(|members: &Vec<Var>| !members.is_empty())
        .collect();
    let first = |members: &Vec<Var>| members.iter().filter_map(|&var| used[var.0 as usize]).min();
    let orders: [Order<'_>; 3] = [
        &|members| (-(members.len().min(4) as isize), first(members).unwrap_or_default()),
        &|members| (0, first(members).unwrap_or_default()),
        &|members| {
            let degree: usize = members.iter().map(|&var| graph.members(var.0 as usize).count()).sum();
            (-(degree as isize), 0)
        },
    ];
    let mut failed = Vec::new();
    for order in orders {
        all.sort_by_cached_key(|members| (register(code, members).is_none(), order(members)));
        match try_assign(code, graph, &all) {
            Ok(spots) => return Ok(spots),
            Err(group) => failed = group,
        }
    }
    let (taken, places) = describe(code, graph, &failed);
    Err(Error::Limit { what: "temporaries", needed: None, limit: sizes::TEMPS, taken, places })
}

/// The register that a group must have.
fn register(code: &Code, members: &[Var]) -> Option<u8> {
    members.iter().find_map(|&var| pin(code, var)).map(|(register, _)| register)
}

/// The first step that names each variable.
fn used(code: &Code) -> Vec<Option<usize>> {
    let mut used = vec![None; code.hints.len()];
    for (n, step) in code.steps.iter().enumerate() {
        let mut visit = |var: Option<Var>| {
            if let Some(var) = var {
                used[var.0 as usize].get_or_insert(n);
            }
        };
        step.for_each_target(|target| visit(target.as_var()));
        step.for_each_source(|source| visit(source.as_var()));
    }
    used
}

fn try_assign(code: &Code, graph: &Sets, groups: &[Vec<Var>]) -> Result<Vec<Spot>, Vec<Var>> {
    let words = graph.row(0).len();
    let mut taken: Vec<[Vec<u64>; 4]> = vec![[0; 4].map(|_: i32| vec![0; words]); sizes::TEMPS];
    let mut spots: Vec<Spot> = vec![(0, 0); code.hints.len()];
    let hint = |var: Var| code.hints[var.0 as usize].map(|(_, component)| component);
    for group in groups {
        let pinned = register(code, group);
        let mut registers =
            (0..sizes::TEMPS).filter(|&n| pinned.is_none_or(|pinned| usize::from(pinned) == n));
        let found = registers.find_map(|register| {
            colors(group, graph, &taken[register], &hint, code).map(|components| (register, components))
        });
        let Some((register, components)) = found else { return Err(group.clone()) };
        for (&var, component) in group.iter().zip(components) {
            spots[var.0 as usize] = (register as u8, component); // Range: sixteen.
            taken[register][usize::from(component)][var.0 as usize / 64] |= 1 << (var.0 % 64);
        }
    }
    Ok(spots)
}

/// Names what is alive beside a group, with the places that compute it.
fn describe(code: &Code, graph: &Sets, group: &[Var]) -> (String, Vec<Pc>) {
    let Some(&var) = group.first() else { return (String::new(), Vec::new()) };
    let name = |var: Var| match code.hints[var.0 as usize] {
        Some((register, component)) => {
            format!("r{register}.{}", char::from(b"xyzw"[usize::from(component & 3)]))
        }
        None => var.to_string(),
    };
    let others: Vec<Var> = graph.members(var.0 as usize).collect();
    let is_alive = |target: Target| target.as_var().is_some_and(|one| one == var || others.contains(&one));
    let computes = |step: &Step| match step {
        Step::Data(inst) if inst.targets.iter().any(|&target| is_alive(target)) => inst.pc,
        _other => None,
    };
    let places: BTreeSet<Pc> = code.steps.iter().filter_map(computes).collect();
    let others: Vec<String> = others.into_iter().map(name).collect();
    let taken = format!("{} is needed together with {}", name(var), listed(&others));
    (taken, places.into_iter().collect())
}
