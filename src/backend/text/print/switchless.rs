//! A `switch` of GLSL as tests in a `do`, which a `break` leaves as it leaves a `switch`.
//! In: the lines of a switch. Out: text. Why: FXC, under WebGL on Windows, refuses or unrolls a
//! `switch` in a loop (drivers.md#fxc-switches).
//!
//! ```text
//! switch (state) {             bool again = false;
//!     case 1: {                do {
//!         r0 = a;                  if (state == 1) {
//!         continue;                    r0 = a;
//!     }                   =>           again = true;
//!     default: {                       break;
//!         r0 = b;                  }
//!         break;                   r0 = b;
//!     }                        } while (false);
//! }                            if (again) {
//!                                  continue;
//!                              }
//! ```
//!
//! The tests are not a chain of `else`, whose depth would be the number of cases: each case leaves
//! the `do`.

use super::{Body, Closing};
use crate::backend::text::dialect::operators::Level;
use crate::backend::text::draft::Operand;
use crate::backend::text::put::put;

impl Body<'_> {
    /// Begins the `do`.
    pub fn begin_tests(&mut self, selector: Operand, continues: bool) {
        let again = continues.then_some(if self.is_in_tests() { "break;\n" } else { "continue;\n" });
        self.line().push_str("do {\n");
        self.begin(Closing::Tests { selector, again });
    }

    /// Writes the line before the body of a case; the default has no values, and comes last.
    pub fn test(&mut self, selector: Operand, values: &[i32]) {
        if values.is_empty() {
            self.open.push(Closing::Nothing);
            return;
        }
        self.line().push_str("if (");
        for (index, value) in values.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { " || " });
            self.operand(selector, Level::Sum);
            put!(self.out, " == ", value);
        }
        self.out.push_str(") {\n");
        self.begin(Closing::Case);
    }

    /// Writes a `continue`.
    pub fn again(&mut self) {
        if self.is_in_tests() {
            let name = &self.module.again;
            put!(self.line(), name, " = true;\n");
            self.line().push_str("break;\n");
        } else {
            self.line().push_str("continue;\n");
        }
    }

    /// Writes the jump after the `do`.
    pub fn end_tests(&mut self, jump: &str) {
        let name = &self.module.again;
        put!(self.line(), "if (", name, ") {\n");
        self.indent += 1;
        self.line().push_str(jump);
        self.indent -= 1;
        self.line().push_str("}\n");
    }

    /// Returns whether the innermost loop or `do` is a `do`.
    fn is_in_tests(&self) -> bool {
        let inner = self.open.iter().rev().find(|open| matches!(open, Closing::Loop | Closing::Tests { .. }));
        matches!(inner, Some(Closing::Tests { .. }))
    }
}
