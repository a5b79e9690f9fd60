//! Drops ring entries that can never fire again, so that equal situations become equal states.
//! In: a control state. Out: the same state without its dead entries. Knows which instructions open
//! scopes, not how scopes act. Facts (hardware tests): only the newest entry of a ring is compared,
//! an overflow loses the oldest, leaving a loop restores aL only while another loop remains.
//!
//! An entry is live if it may fire. That is decided on the plain graph of addresses, for each
//! address at which scopes end, in two modes: *top*, where the entry may be the newest of its ring,
//! and *covered*, where an entry that ends at the same address lies above it and so fires first.
//! Pushing such an entry covers, its firing uncovers.
//!
//! Below a dead entry of a CALL or IF ring no entry can become the newest again, and an overflow
//! would lose those first: all of them are dropped. The same holds for LOOP entries, but their
//! number still matters as long as any loop can be left: they become [`State::hidden_loops`].

use std::collections::BTreeMap;

use petgraph::Direction::Incoming;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, EdgeRef, Reversed};

use super::ExploreOptions;
use super::scan::{Scan, answers};
use crate::program::isa::control::{CallEntry, ScopeKind, State};
use crate::program::isa::{Flow, Pc};

/// Mode bit: the entry may fire, perhaps being the newest of its ring now.
const TOP: u8 = 1;
/// Mode bit: the entry may fire after one above it that ends at the same address.
const COVERED: u8 = 2;

/// Limit on the scope ends that are analyzed. Beyond it every entry counts as live, which is safe.
/// No sensible program comes near.
const MOST_QUESTIONS: usize = 128;

/// The liveness analysis; its graph is built when the first entry is in doubt.
pub(super) struct Live<'a> {
    scan: &'a Scan,
    options: &'a ExploreOptions,
    graph: Option<Graph>,
    /// For each kind and end: the modes in which an entry is live, by address.
    modes: BTreeMap<(ScopeKind, Pc), Vec<u8>>,
    /// By address: whether a loop may still be entered.
    loops_ahead: Option<Vec<bool>>,
}

/// An entry in doubt.
struct Entry<'a> {
    kind: ScopeKind,
    /// First word of its scope, if known.
    start: Option<Pc>,
    end: Pc,
    /// The calls that return before it is compared again.
    calls: &'a [CallEntry],
}

impl<'a> Live<'a> {
    pub(super) fn new(scan: &'a Scan, options: &'a ExploreOptions) -> Self {
        Self { scan, options, graph: None, modes: BTreeMap::new(), loops_ahead: None }
    }

    /// Drops the dead entries of a state.
    #[inline]
    pub(super) fn canonicalize(&mut self, state: &mut State) {
        let is_empty = state.calls.is_empty() && state.ifs.is_empty() && state.loops.is_empty();
        if !is_empty || state.hidden_loops != 0 {
            self.drop_dead(state);
        }
    }

    fn drop_dead(&mut self, state: &mut State) {
        let (pc, scan) = (state.pc, self.scan);
        let entries = state.calls;
        let calls = entries.entries();
        let entry = |kind, end, calls| Entry { kind, start: scan.scope_start(kind, end), end, calls };
        let count =
            self.count_dead(pc, calls.len(), |k| entry(ScopeKind::Call, calls[k].end, &calls[k + 1..]));
        state.calls.drop_oldest(count);

        let (calls, ifs, loops) = (state.calls.entries(), state.ifs.entries(), state.loops.entries());
        let dead_ifs = self.count_dead(pc, ifs.len(), |k| entry(ScopeKind::If, ifs[k].end, calls));
        let dead_loops = self.count_dead(pc, loops.len(), |k| {
            let (start, end) = (Some(loops[k].start), loops[k].end);
            Entry { kind: ScopeKind::Loop, start, end, calls }
        });
        state.ifs.drop_oldest(dead_ifs);
        state.loops.drop_oldest(dead_loops);
        state.hidden_loops += dead_loops as u8; // Range: at most four loops.
        // The number of loops is observable only when a loop ends, so without one it is dropped,
        // too.
        if state.hidden_loops != 0 && state.loops.is_empty() && !self.reaches_loop(pc) {
            state.hidden_loops = 0;
        }
    }

    /// Counts the entries of a ring up to the newest dead one: none of them can fire.
    fn count_dead<'e>(&mut self, pc: Pc, len: usize, entry: impl Fn(usize) -> Entry<'e>) -> usize {
        let dead = (0..len).rfind(|&k| {
            let one = entry(k);
            let is_covered = (k + 1..len).any(|above| entry(above).end == one.end);
            self.is_dead(pc, &one, is_covered)
        });
        dead.map_or(0, |dead| dead + 1)
    }

    /// Returns whether an entry can never fire from here on.
    fn is_dead(&mut self, pc: Pc, entry: &Entry<'_>, is_covered: bool) -> bool {
        // Where scopes nest, execution is inside, or will be when callees have returned: no
        // analysis is needed for programs that an assembler made.
        let inside = |pc: Pc| entry.start.is_some_and(|start| start <= pc) && pc < entry.end;
        if !is_covered && (inside(pc) || entry.calls.iter().any(|call| inside(call.ret))) {
            return false;
        }
        let mode = if is_covered { COVERED } else { TOP };
        let key = (entry.kind, entry.end);
        if !self.modes.contains_key(&key) {
            // Each question walks the whole graph, so their number bounds the time.
            if self.modes.len() >= MOST_QUESTIONS {
                return false;
            }
            let graph = self.graph.get_or_insert_with(|| Graph::new(self.scan, self.options));
            self.modes.insert(key, graph.modes(entry.kind, entry.end));
        }
        self.modes[&key].get(pc.index()).is_none_or(|modes| modes & mode == 0)
    }

    /// Returns whether a loop may be entered from here on.
    fn reaches_loop(&mut self, pc: Pc) -> bool {
        let graph = self.graph.get_or_insert_with(|| Graph::new(self.scan, self.options));
        let ahead = self.loops_ahead.get_or_insert_with(|| graph.reaches_loop(self.scan));
        ahead.get(pc.index()).copied().unwrap_or(false)
    }
}

/// The plain graph: a node for each address, then one for BREAK leaving some loop, then one for the
/// firing of entries of each kind at each address where such scopes end. It has every step that
/// some rings allow, and more.
struct Graph {
    /// The steps. The weight is the firing node of the entry that the step pushes, if it does.
    steps: DiGraph<(), Option<NodeIndex>>,
    breaks: NodeIndex,
    fires: BTreeMap<(ScopeKind, Pc), NodeIndex>,
}

impl Graph {
    fn new(scan: &Scan, options: &ExploreOptions) -> Self {
        let mut steps = DiGraph::with_capacity(scan.words.len() + 32, scan.count + 64);
        for _ in &scan.words {
            steps.add_node(());
        }
        let breaks = steps.add_node(());
        let mut graph = Self { steps, breaks, fires: BTreeMap::new() };
        for (pc, word) in (0..).map(Pc).zip(&scan.words) {
            if word.always_falls_through() {
                graph.step(address(pc), pc.next(), None);
            }
        }
        let mut returns = Vec::new();
        for &(pc, flow) in &scan.flows {
            graph.flow(pc, flow, options, &mut returns);
        }
        graph.fire(scan, &returns);
        graph
    }

    /// Adds a step to an address, or returns `None` where the code ends before it.
    fn step(&mut self, from: NodeIndex, to: Pc, pushes: Option<NodeIndex>) {
        if address(to) < self.breaks {
            self.steps.add_edge(from, address(to), pushes);
        }
    }

    /// The firing node of scopes that end at `end`.
    fn firing(&mut self, kind: ScopeKind, end: Pc) -> NodeIndex {
        *self.fires.entry((kind, end)).or_insert_with(|| self.steps.add_node(()))
    }

    /// Adds the steps of a control-flow instruction and of the entry that it pushes; notes in
    /// `returns` the firing node of a call and where it returns to.
    fn flow(&mut self, pc: Pc, flow: Flow, options: &ExploreOptions, returns: &mut Vec<(NodeIndex, Pc)>) {
        let (holds, fails) = answers(flow.test(), options);
        if holds {
            let pushes = flow.scope(pc).map(|scope| {
                let fire = self.firing(scope.kind, scope.end);
                self.step(fire, scope.exit, None);
                match scope.kind {
                    ScopeKind::Call => returns.push((fire, scope.exit)),
                    ScopeKind::If => {}
                    ScopeKind::Loop => {
                        self.step(fire, scope.start, None);
                        self.step(self.breaks, scope.exit, None);
                    }
                }
                fire
            });
            self.step(address(pc), flow.target_if_true(pc), pushes);
        }
        if fails {
            self.step(address(pc), flow.target_if_false(pc), None);
        }
        if matches!(flow, Flow::Break | Flow::BreakC(_)) {
            self.steps.add_edge(address(pc), self.breaks, None);
        }
    }

    /// Adds the steps to firing nodes: from the word before the end, and from returns to that very
    /// address, which at once end the call that ends there.
    fn fire(&mut self, scan: &Scan, returns: &[(NodeIndex, Pc)]) {
        for (&(_, end), &fire) in &self.fires {
            let before = end.0.checked_sub(1).map(Pc);
            if let Some(before) = before.filter(|before| scan.continues(*before)) {
                self.steps.add_edge(address(before), fire, None);
                // A BREAK leaves its loop even where another scope ends.
                if scan.is_break(before) {
                    self.steps.add_edge(fire, self.breaks, None);
                }
            }
        }
        // Scopes of several kinds may end in one step; the last kind decides where it leads.
        for (&(kind, end), &fire) in &self.fires {
            for later in [ScopeKind::If, ScopeKind::Loop].into_iter().filter(|later| *later > kind) {
                if let Some(&last) = self.fires.get(&(later, end)) {
                    self.steps.add_edge(fire, last, None);
                }
            }
        }
        for &(fire, ret) in returns {
            if let Some(&outer) = self.fires.get(&(ScopeKind::Call, ret)) {
                self.steps.add_edge(fire, outer, None);
            }
        }
    }

    /// The modes in which an entry of this kind and end is live, by address: a fixpoint from its
    /// firing backwards.
    fn modes(&self, kind: ScopeKind, end: Pc) -> Vec<u8> {
        let mut modes = vec![0; self.steps.node_count()];
        let Some(&fire) = self.fires.get(&(kind, end)) else { return modes };
        // BREAK fires the newest loop entry wherever that ends.
        let firing = [fire, if kind == ScopeKind::Loop { self.breaks } else { fire }];
        let mut work = firing.map(|node| (node, TOP)).to_vec();
        while let Some((node, mode)) = work.pop() {
            if modes[node.index()] & mode != 0 {
                continue;
            }
            modes[node.index()] |= mode;
            for edge in self.steps.edges_directed(node, Incoming) {
                let from = edge.source();
                let (pushes, fires) = (*edge.weight() == Some(fire), firing.contains(&from));
                // From the top, pushing such an entry covers; covered, its firing uncovers.
                let (is_top, is_covered) = if mode == TOP { (!pushes, fires) } else { (pushes, !fires) };
                work.extend(is_top.then_some((from, TOP)));
                work.extend(is_covered.then_some((from, COVERED)));
            }
        }
        modes.truncate(self.breaks.index());
        modes
    }

    /// By node: whether a LOOP may be reached.
    fn reaches_loop(&self, scan: &Scan) -> Vec<bool> {
        let mut ahead = vec![false; self.steps.node_count()];
        let mut search = Dfs::empty(&self.steps);
        let loops = scan.flows.iter().filter(|(_, flow)| matches!(flow, Flow::Loop { .. }));
        search.stack = loops.map(|&(pc, _)| address(pc)).collect();
        while let Some(node) = search.next(Reversed(&self.steps)) {
            ahead[node.index()] = true;
        }
        ahead
    }
}

/// The node of an address.
fn address(pc: Pc) -> NodeIndex {
    NodeIndex::new(pc.index())
}
