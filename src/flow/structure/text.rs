//! Trees as text.
//! In: [`Tree`] with its [`Cfg`], and texts of the program's instructions if those are to be
//! printed. Out: lines of text. Changes nothing.

use std::fmt::{self, Display, Formatter, Write as _};

use super::tree::{Cond, Cursor, List, Stmt, Tree};
use crate::flow::cfg::Cfg;
use crate::flow::cfg::text::{ActionText, TestText};
use crate::program::isa::Pc;
use crate::program::isa::placed::PlacedText;
use crate::program::isa::print::InstructionText;

/// A tree as text.
///
/// ```
/// use transpica::stages::{cfg::Cfg, structure::{text::TreeText, tree::Tree}};
/// assert_eq!(TreeText { tree: &Tree::default(), cfg: &Cfg::default(), program: None }.to_string(), "");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TreeText<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// The graph of the tree.
    pub cfg: &'a Cfg,
    /// Texts of its instructions.
    pub program: Option<&'a dyn InstructionText>,
}

/// Writes one line: its indentation, its text, the instruction that it executes.
type Write<'w> = &'w mut dyn FnMut(usize, &dyn Display, Option<Pc>) -> fmt::Result;

/// Remaining work, newest last.
enum Task {
    /// The statements of a list from a cursor on.
    List(Cursor),
    /// One line, indented less than the list before it.
    Line(String),
    /// The line that closes a construct.
    Close,
}

impl TreeText<'_> {
    /// Returns the text with the instructions of its lines.
    pub fn placed(&self) -> PlacedText {
        let (mut text, mut places) = (String::new(), Vec::new());
        let written = self.lines(&mut |indent, line, pc| {
            places.push(pc.into_iter().collect());
            writeln!(text, "{:indent$}{line}", "")
        });
        written.expect("writing to a string never fails");
        PlacedText { text, places }
    }

    fn actions(&self, write: Write<'_>, indent: usize, stmt: &Stmt) -> fmt::Result {
        match stmt {
            Stmt::Block(block) => {
                let mut actions = self.cfg.actions_of(*block).iter();
                actions.try_for_each(|action| write(indent, &ActionText(action, self.program), action.pc()))
            }
            Stmt::Set { var, value } => write(indent, &format_args!("{var} = {value}"), None),
            Stmt::Break => write(indent, &"break", None),
            Stmt::Continue => write(indent, &"continue", None),
            _other_statement => Ok(()),
        }
    }

    fn condition(&self, cond: Cond, negate: bool) -> String {
        match (cond, negate) {
            (Cond::Test(test), false) => TestText(test, self.program).to_string(),
            (Cond::Test(test), true) => format!("!({})", TestText(test, self.program)),
            (Cond::VarIs { var, value }, false) => format!("{var} == {value}"),
            (Cond::VarIs { var, value }, true) => format!("{var} != {value}"),
        }
    }

    /// The first line of a nesting statement, and the tasks after it, in order.
    fn open(&self, stmt: &Stmt) -> Option<(String, Vec<Task>)> {
        let list = |list: List| Task::List(self.tree.start(list));
        Some(match *stmt {
            Stmt::If { cond, negate, then, otherwise } => {
                let head = format!("if {} {{", self.condition(cond, negate));
                let mut tasks = vec![list(then)];
                if !self.tree.is_empty(otherwise) {
                    tasks.extend([Task::Line("} else {".to_string()), list(otherwise)]);
                }
                (head, tasks)
            }
            Stmt::Loop { body, .. } => ("loop {".to_string(), vec![list(body)]),
            Stmt::Breakable(body) => ("once {".to_string(), vec![list(body)]),
            Stmt::Switch { var, first, count } => {
                let mut tasks = Vec::new();
                for value in 0..count {
                    let is_last = value == count - 1;
                    let case = if is_last { "default:".to_string() } else { format!("case {value}:") };
                    tasks.extend([Task::Line(case), list(List(first.0 + value))]);
                }
                (format!("switch {var} {{"), tasks)
            }
            Stmt::Nothing | Stmt::Block(_) | Stmt::Set { .. } | Stmt::Break | Stmt::Continue => return None,
        })
    }

    /// Writes all lines.
    fn lines(&self, write: Write<'_>) -> fmt::Result {
        let root = self.tree.root.map(|root| Task::List(self.tree.start(root)));
        let mut tasks: Vec<Task> = root.into_iter().collect();
        let mut indent = 0;
        while let Some(task) = tasks.pop() {
            match task {
                Task::Line(line) => write(indent - 4, &line, None)?,
                Task::Close => {
                    indent -= 4;
                    write(indent, &"}", None)?;
                }
                Task::List(mut cursor) => {
                    while let Some(stmt) = self.tree.next(&mut cursor) {
                        if let Some((head, inner)) = self.open(stmt) {
                            write(indent, &head, None)?;
                            indent += 4;
                            // The rest of the list is printed after the construct that nests here.
                            tasks.extend([Task::List(cursor), Task::Close]);
                            tasks.extend(inner.into_iter().rev());
                            break;
                        }
                        self.actions(write, indent, stmt)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Display for TreeText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.lines(&mut |indent, line, _| writeln!(f, "{:indent$}{line}", ""))
    }
}
