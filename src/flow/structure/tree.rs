//! The structured program: lists of statements with single-level exits.
//! In: statements one by one. Out: lists of them, which can be joined, taken apart and read. Knows
//! nothing about their semantics.

use crate::define_handle;
use crate::flow::cfg;
use crate::program::isa::control::Test;
use crate::support::entity::{Arena, Handle};

define_handle! {
    /// A list of statements of a [`Tree`].
    List, "list";
    /// A small integer variable of the structurer (dispatch variables and exit variables); starts
    /// at 0. The first [`Cfg::regions`](crate::flow::cfg::Cfg::regions) are the dispatch variables:
    /// `Action::SetDispatch { region, value }` sets variable number `region`.
    Var, "var";
}

/// The condition of an `if`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cond {
    /// A test of the program's own state.
    Test(Test),
    /// A helper variable equals a value.
    VarIs {
        /// The variable.
        var: Var,
        /// The value.
        value: u32,
    },
}

/// A statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Placeholder of a removed statement; finished trees have none.
    Nothing,
    /// Executes the actions of a block. (The statements around it express its terminator.)
    Block(cfg::Block),
    /// Sets a helper variable.
    Set {
        /// The variable.
        var: Var,
        /// Its new value.
        value: u32,
    },
    /// Runs one of two lists. An empty list is `otherwise`; to get there, tests of flags and bool
    /// uniforms are inverted, and only conditions without an inverse (helper variables, loop
    /// counts) use `negate`.
    If {
        /// The condition.
        cond: Cond,
        /// True if `cond` must fail instead of hold.
        negate: bool,
        /// Run if it holds.
        then: List,
        /// Run if it fails.
        otherwise: List,
    },
    /// Repeats a list until `Break`; its end continues with the next iteration.
    Loop {
        /// The list.
        body: List,
        /// True if a `Break` leaves it.
        is_left: bool,
    },
    /// Runs a list once; `Break` inside leaves it (a one-case switch in the back ends). `Continue`
    /// inside belongs to the innermost loop.
    Breakable(List),
    /// Runs one of `count` lists from `first` on: the one whose index is the value of the variable.
    /// It has no other value, so the last list needs no test. `Break` inside leaves the switch.
    Switch {
        /// The variable.
        var: Var,
        /// The list for 0.
        first: List,
        /// Number of lists, at least one.
        count: u32,
    },
    /// Leaves the innermost `Loop`, `Breakable` or `Switch`. Last in its list.
    Break,
    /// Continues with the next iteration of the innermost `Loop`. Last in its list. May be inside a
    /// `Breakable` or `Switch` of the loop.
    Continue,
}

impl Stmt {
    /// The inner lists, in order.
    #[inline]
    pub fn lists(&self) -> impl DoubleEndedIterator<Item = List> + use<> {
        let (cases, two) = match *self {
            Self::If { then, otherwise, .. } => (0..0, [Some(then), Some(otherwise)]),
            Self::Loop { body, .. } | Self::Breakable(body) => (0..0, [Some(body), None]),
            Self::Switch { first, count, .. } => (first.0..first.0 + count, [None; 2]),
            Self::Nothing | Self::Block(_) | Self::Set { .. } | Self::Break | Self::Continue => {
                (0..0, [None; 2])
            }
        };
        two.into_iter().flatten().chain(cases.map(List))
    }
}

/// A position in a list: before a statement, or at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor(u32);

/// A statement and its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link {
    stmt: Stmt,
    /// The next of the list, or [`NONE`].
    next: u32,
}

/// A list of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListData {
    pub(super) first: u32,
    pub(super) last: u32,
    /// Number of statements around it, as far as known while the tree is built.
    pub(super) depth: u32,
}

/// End of a list.
pub(super) const NONE: u32 = u32::MAX;

/// A structured program. The end of the root list is the end of the program.
///
/// Lists are linked, so that joining two is O(1). Inner lists have higher numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    links: Vec<Link>,
    pub(super) lists: Arena<List, ListData>,
    /// The outermost list.
    pub root: Option<List>,
    /// Number of helper variables.
    pub vars: u32,
    /// True if all of it is one loop, of which each iteration runs one block.
    pub is_dispatcher: bool,
}

impl Tree {
    /// Returns the statements of a list, in order.
    pub fn statements(&self, list: List) -> impl Iterator<Item = &Stmt> {
        let mut cursor = self.start(list);
        std::iter::from_fn(move || self.next(&mut cursor))
    }
    /// Returns the start of a list.
    #[inline]
    pub fn start(&self, list: List) -> Cursor {
        Cursor(self.lists.get(list).map_or(NONE, |data| data.first))
    }
    /// Returns the statement at a cursor and advances it, or `None` at the end of a list.
    #[inline]
    pub fn next(&self, cursor: &mut Cursor) -> Option<&Stmt> {
        let link = self.links.get(cursor.0 as usize)?;
        cursor.0 = link.next;
        Some(&link.stmt)
    }
    /// Returns whether a list has no statement.
    pub fn is_empty(&self, list: List) -> bool {
        self.start(list).0 == NONE
    }
    /// Returns all lists; some may belong to no statement.
    pub fn lists(&self) -> impl DoubleEndedIterator<Item = List> + ExactSizeIterator + use<> {
        self.lists.keys()
    }
    /// Returns all statements, mutable and in no order; some may belong to no list.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Stmt> {
        self.links.iter_mut().map(|link| &mut link.stmt)
    }
    /// Empties a list.
    pub fn clear(&mut self, list: List) {
        let data = &mut self.lists[list];
        (data.first, data.last) = (NONE, NONE);
    }

    /// Nesting depth. A breakable and a switch count twice: once for their case.
    pub fn depth(&self) -> u32 {
        let Some(root) = self.root else { return 0 };
        // The depth of the lists that are part of the tree; inner lists have higher numbers.
        let mut depths = vec![None; self.lists.len()];
        depths[root.index()] = Some(0);
        let mut deepest = 0;
        for list in self.lists() {
            let Some(depth) = depths[list.index()] else { continue };
            deepest = deepest.max(depth);
            for stmt in self.statements(list) {
                let levels = if matches!(stmt, Stmt::Breakable(_) | Stmt::Switch { .. }) { 2 } else { 1 };
                stmt.lists().for_each(|inner| depths[inner.index()] = Some(depth + levels));
            }
        }
        deepest
    }

    /// Sets the outermost list and the number of helper variables.
    pub(super) fn with_root(self, root: List, vars: u32) -> Self {
        Self { root: Some(root), vars, ..self }
    }

    /// Number of statements, those that were removed included.
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// Opens an empty list.
    pub(super) fn open(&mut self, depth: u32) -> List {
        self.lists.push(ListData { first: NONE, last: NONE, depth })
    }

    /// Opens the empty lists of a switch, one after another. Returns the first.
    pub(super) fn open_cases(&mut self, depth: u32, count: u32) -> List {
        let first = self.lists.next_key();
        for _ in 0..count {
            self.open(depth);
        }
        first
    }

    pub(super) fn stmt(&self, index: u32) -> Stmt {
        self.links[index as usize].stmt
    }

    pub(super) fn set(&mut self, index: u32, stmt: Stmt) {
        self.links[index as usize].stmt = stmt;
    }

    pub(super) fn next_of(&self, index: u32) -> u32 {
        self.links[index as usize].next
    }

    pub(super) fn set_next(&mut self, index: u32, next: u32) {
        self.links[index as usize].next = next;
    }

    /// Appends a statement.
    pub(super) fn push(&mut self, list: List, stmt: Stmt) {
        let index = self.links.len() as u32; // Range: a few for each block.
        self.links.push(Link { stmt, next: NONE });
        self.link(list, index, index);
    }

    /// Moves the content of a list to the end of another.
    pub(super) fn append(&mut self, to: List, from: List) {
        let ListData { first, last, .. } = self.lists[from];
        if first != NONE {
            self.link(to, first, last);
            self.clear(from);
        }
    }

    fn link(&mut self, list: List, first: u32, last: u32) {
        let data = &mut self.lists[list];
        // The first statement of a list has no predecessor to link from.
        let before = std::mem::replace(&mut data.last, last);
        if before == NONE {
            data.first = first;
        } else {
            self.links[before as usize].next = first;
        }
    }
}
