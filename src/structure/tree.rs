//! The structured program: lists of statements with single-level exits.

use crate::cfg;
use crate::define_handle;
use crate::entity::Arena;
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
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
    Loop(List),
    /// Runs a list once; `Break` inside leaves it (a one-case switch in the back ends). `Continue` inside still belongs
    /// to the innermost loop.
    Breakable(List),
    /// Runs the list of the case that equals the variable, else the default; `Break` inside leaves the switch.
    Switch {
        /// The variable.
        var: Var,
        /// Values (ascending, at least one each, disjoint) and their lists.
        cases: Vec<(Vec<u32>, List)>,
        /// Run for any other value.
        default: List,
    },
    /// Leaves the innermost `Loop`, `Breakable` or `Switch`. Last in its list.
    Break,
    /// Next iteration of the innermost `Loop`. Last in its list. May stand inside a `Breakable` or `Switch` in the loop.
    Continue,
}

/// A structured program. The end of the root list is the end of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// All lists; children come before or after parents, no order is promised.
    pub lists: Arena<List, Vec<Stmt>>,
    /// The outermost list.
    pub root: Option<List>,
    /// Number of helper variables.
    pub vars: u32,
}
