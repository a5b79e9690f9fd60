//! The structured program: lists of statements with single-level exits.
//! In: statements one by one. Out: lists of them, which can be joined, taken apart and read. Knows nothing about what they
//! mean.

use crate::cfg;
use crate::define_handle;
use crate::entity::{Arena, Handle};
use crate::isa::control::Test;

define_handle!(
    /// A list of statements of a [`Tree`].
    List,
    "list"
);
define_handle!(
    /// A small integer variable that the structurer introduced (dispatch variables and exit codes); starts at 0. The first
    /// [`Cfg::regions`](crate::cfg::Cfg::regions) of them are the dispatch variables: `Action::SetDispatch { region, value }`
    /// sets variable number `region`.
    Var,
    "var"
);

/// What an `if` depends on.
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
    /// Left over from a statement that was not needed; finished trees have none.
    Nothing,
    /// Does the actions of a block (its terminator is expressed by the statements around it).
    Block(cfg::Block),
    /// Sets a helper variable.
    Set {
        /// The variable.
        var: Var,
        /// Its new value.
        value: u32,
    },
    /// Runs one of two lists. Empty arms stand in `otherwise`; to get there, tests of flags and bool uniforms are turned
    /// into their opposite, and only tests that have none (helper variables, loop counts) use `negate`.
    If {
        /// What decides.
        cond: Cond,
        /// Whether `cond` must fail instead of hold.
        negate: bool,
        /// Run if it holds.
        then: List,
        /// Run if not.
        otherwise: List,
    },
    /// Repeats a list until `Break`; reaching its end continues with the next iteration.
    Loop {
        /// The list.
        body: List,
        /// Whether a `Break` leaves it.
        is_left: bool,
    },
    /// Runs a list once; `Break` inside leaves it (a one-case switch in the back ends). `Continue` inside still belongs
    /// to the innermost loop.
    Breakable(List),
    /// Runs one of `count` lists, from `first` on: the one whose place the variable says, from 0 on. It has no other value,
    /// so the last needs no test. `Break` inside leaves the switch.
    Switch {
        /// The variable.
        var: Var,
        /// The list for 0.
        first: List,
        /// How many lists, at least one.
        count: u32,
    },
    /// Leaves the innermost `Loop`, `Breakable` or `Switch`. Last in its list.
    Break,
    /// Next iteration of the innermost `Loop`. Last in its list. May stand inside a `Breakable` or `Switch` in the loop.
    Continue,
}

impl Stmt {
    /// The lists inside, in order.
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

/// A place in a list: before a statement, or at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor(u32);

/// A statement and the one behind it.
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
    /// In how many statements it stands, as far as known while the tree is made.
    pub(super) depth: u32,
}

/// Ends a list.
pub(super) const NONE: u32 = u32::MAX;

/// A structured program. The end of the root list is the end of the program.
///
/// Lists are linked, so that joining two takes no time. What stands in a list has only lists with higher numbers inside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    links: Vec<Link>,
    lists: Arena<List, ListData>,
    /// The outermost list.
    pub root: Option<List>,
    /// Number of helper variables.
    pub vars: u32,
}

impl Tree {
    /// The statements of a list, in order.
    pub fn statements(&self, list: List) -> impl Iterator<Item = &Stmt> {
        let mut cursor = self.start(list);
        std::iter::from_fn(move || self.next(&mut cursor))
    }
    /// The start of a list.
    #[inline]
    pub fn start(&self, list: List) -> Cursor {
        Cursor(self.lists.get(list).map_or(NONE, |data| data.first))
    }
    /// The statement at a cursor, which moves behind it; nothing at the end of a list.
    #[inline]
    pub fn next(&self, cursor: &mut Cursor) -> Option<&Stmt> {
        let link = self.links.get(cursor.0 as usize)?;
        cursor.0 = link.next;
        Some(&link.stmt)
    }
    /// Whether a list has no statement.
    pub fn is_empty(&self, list: List) -> bool {
        self.start(list).0 == NONE
    }
    /// All lists; some may belong to no statement.
    pub fn lists(&self) -> impl DoubleEndedIterator<Item = List> + ExactSizeIterator + use<> {
        self.lists.keys()
    }
    /// All statements, to change, in no order; some may belong to no list.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Stmt> {
        self.links.iter_mut().map(|link| &mut link.stmt)
    }
    /// Empties a list.
    pub fn clear(&mut self, list: List) {
        let data = &mut self.lists[list];
        (data.first, data.last) = (NONE, NONE);
    }

    /// How deep statements nest. A breakable and a switch count twice: they and their case.
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

    /// The tree with this outermost list and so many helper variables.
    pub(super) fn with_root(self, root: List, vars: u32) -> Self {
        Self { root: Some(root), vars, ..self }
    }

    /// How many statements there are, those that were removed included.
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// An empty list.
    pub(super) fn open(&mut self, depth: u32) -> List {
        self.lists.push(ListData { first: NONE, last: NONE, depth })
    }

    /// As many empty lists as a switch has cases, one after another. Returns the first.
    pub(super) fn open_cases(&mut self, depth: u32, count: u32) -> List {
        let first = self.lists.next_key();
        for _ in 0..count {
            self.open(depth);
        }
        first
    }

    pub(super) fn list(&self, list: List) -> &ListData {
        &self.lists[list]
    }

    pub(super) fn list_mut(&mut self, list: List) -> &mut ListData {
        &mut self.lists[list]
    }

    pub(super) fn stmt(&self, index: u32) -> Stmt {
        self.links[index as usize].stmt
    }

    pub(super) fn set(&mut self, index: u32, stmt: Stmt) {
        self.links[index as usize].stmt = stmt;
    }

    pub(super) fn behind(&self, index: u32) -> u32 {
        self.links[index as usize].next
    }

    pub(super) fn set_behind(&mut self, index: u32, next: u32) {
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
        let ListData { first, last, .. } = *self.list(from);
        if first != NONE {
            self.link(to, first, last);
            self.clear(from);
        }
    }

    fn link(&mut self, list: List, first: u32, last: u32) {
        let data = &mut self.lists[list];
        let before = std::mem::replace(&mut data.last, last);
        if before == NONE {
            data.first = first;
        } else {
            self.links[before as usize].next = first;
        }
    }
}
