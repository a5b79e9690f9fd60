//! Drops stack entries that can never do anything again, so that equal situations become equal states.
//! In: a control state. Out: the same state without its dead entries. Knows what opens and ends scopes, not how they act.
//! Facts: only the newest entry of a stack is compared, an overflow loses the oldest, leaving a loop restores aL only while
//! another loop remains (hardware tests).
//!
//! An entry is live if it may come to fire. "May" is decided on the plain graph of addresses, for each address at which
//! scopes end, in two modes: *top*, where the entry may be the newest of its stack, and *covered*, where an entry that ends
//! at the same address lies above it and so fires first. Pushing such an entry covers, its firing uncovers.
//!
//! If an entry of a CALL or IF stack is dead, those below it can never be the newest again, and they would be lost first in
//! an overflow: all of them go. With LOOP entries it is the same, but how many there were still matters, as long as any
//! loop can be left: they become [`State::hidden_loops`].

use std::collections::BTreeMap;

use super::explore::Options;
use super::scan::{Kind, Scan, answers};
use crate::isa::control::{CallEntry, State};
use crate::isa::{Flow, Pc};

/// The entry may fire, perhaps being the newest of its stack now.
const TOP: u8 = 1;
/// The entry may fire after one above it that ends at the same address.
const COVERED: u8 = 2;

/// How many ends are looked into. Beyond it every entry counts as live, which is safe; no sensible program comes near.
const MOST_QUESTIONS: usize = 128;

/// What has been found out so far; nothing until an entry is in doubt.
#[derive(Default)]
pub(super) struct Live {
    graph: Option<Graph>,
    /// For each kind and end: the modes in which an entry is live, by address.
    modes: BTreeMap<(Kind, Pc), Vec<u8>>,
    /// Whether a loop may still be entered, by address.
    loops_ahead: Option<Vec<bool>>,
}

/// An entry in doubt.
struct Entry<'a> {
    kind: Kind,
    /// First word of its scope, if known.
    start: Option<Pc>,
    end: Pc,
    /// Whether an entry with the same end lies above it.
    covered: bool,
    /// The calls that return before it is looked at again.
    calls: &'a [CallEntry],
}

impl Live {
    /// Drops what is dead from a state.
    #[inline]
    pub(super) fn canonicalise(&mut self, state: &mut State, scan: &Scan, options: &Options) {
        if !state.calls.is_empty()
            || !state.ifs.is_empty()
            || !state.loops.is_empty()
            || state.hidden_loops != 0
        {
            self.drop_dead(state, scan, options);
        }
    }

    fn drop_dead(&mut self, state: &mut State, scan: &Scan, options: &Options) {
        let pc = state.pc;
        let calls = state.calls.entries();
        let dead = (0..calls.len()).rfind(|&k| {
            let (end, above) = (calls[k].end, &calls[k + 1..]);
            let covered = above.iter().any(|entry| entry.end == end);
            let start = scan.scope_start(Kind::Call, end);
            self.dead(pc, &Entry { kind: Kind::Call, start, end, covered, calls: above }, scan, options)
        });
        state.calls.drop_oldest(dead.map_or(0, |dead| dead + 1));

        let (calls, ifs) = (state.calls.entries(), state.ifs.entries());
        let dead = (0..ifs.len()).rfind(|&k| {
            let end = ifs[k].end;
            let covered = ifs[k + 1..].iter().any(|entry| entry.end == end);
            let start = scan.scope_start(Kind::If, end);
            self.dead(pc, &Entry { kind: Kind::If, start, end, covered, calls }, scan, options)
        });
        state.ifs.drop_oldest(dead.map_or(0, |dead| dead + 1));

        let loops = state.loops.entries();
        let dead = (0..loops.len()).rfind(|&k| {
            let end = loops[k].end;
            let covered = loops[k + 1..].iter().any(|entry| entry.end == end);
            let start = Some(loops[k].start);
            self.dead(pc, &Entry { kind: Kind::Loop, start, end, covered, calls }, scan, options)
        });
        let count = dead.map_or(0, |dead| dead + 1);
        state.loops.drop_oldest(count);
        state.hidden_loops += count as u8; // Range: at most four loops.
        if state.hidden_loops != 0 && state.loops.is_empty() && !self.loops_ahead(pc, scan, options) {
            state.hidden_loops = 0;
        }
    }

    /// Whether an entry can never fire from here on.
    fn dead(&mut self, pc: Pc, entry: &Entry<'_>, scan: &Scan, options: &Options) -> bool {
        // Where scopes nest as they should, execution is inside, or will be when callees have returned.
        let inside = |pc: Pc| entry.start.is_some_and(|start| start <= pc) && pc < entry.end;
        if !entry.covered && (inside(pc) || entry.calls.iter().any(|call| inside(call.ret))) {
            return false;
        }
        let mode = if entry.covered { COVERED } else { TOP };
        let key = (entry.kind, entry.end);
        if !self.modes.contains_key(&key) {
            if self.modes.len() >= MOST_QUESTIONS {
                return false;
            }
            let graph = self.graph.get_or_insert_with(|| Graph::new(scan, options));
            self.modes.insert(key, graph.modes(entry.kind, entry.end));
        }
        self.modes[&key].get(pc.index()).is_none_or(|modes| modes & mode == 0)
    }

    /// Whether a loop may be entered from here on.
    fn loops_ahead(&mut self, pc: Pc, scan: &Scan, options: &Options) -> bool {
        let graph = self.graph.get_or_insert_with(|| Graph::new(scan, options));
        let ahead = self.loops_ahead.get_or_insert_with(|| graph.loops_ahead(scan));
        ahead.get(pc.index()).copied().unwrap_or(false)
    }
}

/// Not a node.
const NONE: u32 = u32::MAX;

/// An edge, seen from where it leads.
#[derive(Clone, Copy, Default)]
struct Edge {
    from: u32,
    /// The firing node of the entry that is pushed on the way, or [`NONE`].
    pushes: u32,
}

/// The plain graph: addresses, and one node for each kind of scope and address where such scopes end, which stands for the
/// firing of an entry. It has every step that some stacks allow, and more.
struct Graph {
    /// Number of addresses, which are the first nodes.
    addresses: u32,
    /// The firing nodes.
    fires: BTreeMap<(Kind, Pc), u32>,
    /// The edges to node n are `edges[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

impl Graph {
    fn new(scan: &Scan, options: &Options) -> Self {
        let mut build = Build::new(scan, options);
        build.words(scan);
        build.firing(scan);
        build.finish()
    }

    fn edges_to(&self, node: u32) -> &[Edge] {
        let range = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        &self.edges[range]
    }

    /// The node that stands for BREAK(C) leaving some loop.
    fn break_node(&self) -> u32 {
        self.addresses
    }

    /// The modes in which an entry of this kind and end is live, by address: a fixpoint from its firing backwards.
    fn modes(&self, kind: Kind, end: Pc) -> Vec<u8> {
        let mut modes = vec![0; self.starts.len() - 1];
        let Some(&fire) = self.fires.get(&(kind, end)) else { return modes };
        let breaks = match kind {
            Kind::Loop => self.break_node(),
            Kind::Call | Kind::If => NONE,
        };
        let fires = |node: u32| node == fire || node == breaks;
        let mut work = vec![(fire, TOP)];
        if breaks != NONE {
            work.push((breaks, TOP));
        }
        while let Some((node, mode)) = work.pop() {
            if modes[node as usize] & mode != 0 {
                continue;
            }
            modes[node as usize] |= mode;
            for &Edge { from, pushes } in self.edges_to(node) {
                // From the top, pushing such an entry covers; covered, its firing uncovers.
                let (from_top, from_covered) = match mode {
                    TOP => (pushes != fire, fires(from)),
                    _ => (pushes == fire, !fires(from)),
                };
                if from_top {
                    work.push((from, TOP));
                }
                if from_covered {
                    work.push((from, COVERED));
                }
            }
        }
        modes.truncate(self.addresses as usize);
        modes
    }

    /// The addresses from which a LOOP may be reached.
    fn loops_ahead(&self, scan: &Scan) -> Vec<bool> {
        let mut ahead = vec![false; self.starts.len() - 1];
        let loops = scan.flows.iter().filter(|(_, flow)| matches!(flow, Flow::Loop { .. }));
        let mut work: Vec<u32> = loops.map(|(pc, _)| u32::from(pc.0)).collect();
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut ahead[node as usize], true) {
                work.extend(self.edges_to(node).iter().map(|edge| edge.from));
            }
        }
        ahead
    }
}

/// A graph in the making.
struct Build {
    addresses: u32,
    fires: BTreeMap<(Kind, Pc), u32>,
    /// The firing nodes of the calls and where they return to.
    returns: Vec<(u32, Pc)>,
    /// Edges with the node they lead to.
    edges: Vec<(u32, Edge)>,
    options: Options,
}

impl Build {
    fn new(scan: &Scan, options: &Options) -> Self {
        let addresses = scan.words.len() as u32; // Range: the code has at most 4096 words.
        Self { addresses, fires: BTreeMap::new(), returns: Vec::new(), edges: Vec::new(), options: *options }
    }

    /// The firing node of scopes that end at `end`.
    fn fire(&mut self, kind: Kind, end: Pc) -> u32 {
        let next = self.addresses + 1 + self.fires.len() as u32;
        *self.fires.entry((kind, end)).or_insert(next)
    }

    fn edge(&mut self, from: u32, to: Pc, pushes: u32) {
        if u32::from(to.0) < self.addresses {
            self.edges.push((u32::from(to.0), Edge { from, pushes }));
        }
    }

    /// Steps that no entry changes, and what entries lead to when they fire.
    fn words(&mut self, scan: &Scan) {
        for (pc, word) in (0..).map(Pc).zip(&scan.words) {
            if word.reached() && !word.steers() {
                self.edge(pc.0.into(), pc.next(), NONE);
            }
        }
        for &(pc, flow) in &scan.flows {
            self.flow(pc, flow);
        }
    }

    fn flow(&mut self, pc: Pc, flow: Flow) {
        let from = u32::from(pc.0);
        let next = pc.next();
        let (holds, fails) = answers(flow.test(), &self.options);
        match flow {
            Flow::Nop | Flow::End => {}
            Flow::Break | Flow::BreakC(_) => {
                self.edge(from, next, NONE);
                self.edges.push((self.addresses, Edge { from, pushes: NONE }));
            }
            Flow::Call { target, length }
            | Flow::CallC { target, length, .. }
            | Flow::CallU { target, length, .. } => {
                if holds {
                    let end = target.plus(length);
                    let fire = self.fire(Kind::Call, end);
                    self.edge(from, target, fire);
                    self.edge(fire, next, NONE);
                    self.returns.push((fire, next));
                }
                if fails {
                    self.edge(from, next, NONE);
                }
            }
            Flow::IfU { target, length, .. } | Flow::IfC { target, length, .. } => {
                if holds {
                    let fire = self.fire(Kind::If, target);
                    self.edge(from, next, fire);
                    self.edge(fire, target.plus(length), NONE);
                }
                if fails {
                    self.edge(from, target, NONE);
                }
            }
            Flow::Loop { last, .. } => {
                let fire = self.fire(Kind::Loop, last.next());
                self.edge(from, next, fire);
                self.edge(fire, next, NONE);
                self.edge(fire, last.next(), NONE);
                self.edge(self.addresses, last.next(), NONE);
            }
            Flow::JmpC { target, .. } | Flow::JmpU { target, .. } => {
                if holds {
                    self.edge(from, target, NONE);
                }
                if fails {
                    self.edge(from, next, NONE);
                }
            }
        }
    }

    /// Steps to firing nodes: from the word before the end, and from returns to that very address, which at once end the
    /// call that ends there.
    fn firing(&mut self, scan: &Scan) {
        let fires: Vec<_> = self.fires.iter().map(|(&(_, end), &fire)| (end, fire)).collect();
        for (end, fire) in fires {
            let before = end.0.checked_sub(1).map(usize::from);
            if let Some(before) = before.filter(|&before| scan.words.get(before).is_some_and(|w| w.goes_on()))
            {
                self.edges.push((fire, Edge { from: before as u32, pushes: NONE })); // Range: an address.
            }
        }
        for (fire, ret) in std::mem::take(&mut self.returns) {
            if let Some(&outer) = self.fires.get(&(Kind::Call, ret)) {
                self.edges.push((outer, Edge { from: fire, pushes: NONE }));
            }
        }
    }

    /// Sorts the edges by where they lead.
    fn finish(self) -> Graph {
        let nodes = (self.addresses + 1) as usize + self.fires.len();
        let mut starts = vec![0; nodes + 1];
        for &(to, _) in &self.edges {
            starts[to as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut places = starts.clone();
        let mut edges = vec![Edge::default(); self.edges.len()];
        for (to, edge) in self.edges {
            let place = &mut places[to as usize];
            edges[*place as usize] = edge;
            *place += 1;
        }
        Graph { addresses: self.addresses, fires: self.fires, starts, edges }
    }
}
