//! Findings about programs that hardware does not tolerate or that their author hardly intended.
//!
//! In: a program and the file around it. Out: findings with a rule, a place and an explanation.
//! Changes nothing; programs with findings still translate. Knows no arithmetic.
//!
//! Facts: 3dbrew and homebrew reports (two MOVA in a row, outputs written once), the padding that
//! picasso inserts at block ends, hardware tests (ring depths, BREAK outside a loop). One
//! exploration of the control states serves all checks: `trace` checks the states, `outputs`
//! and `temporaries` which components are written and read, `registers` single instructions,
//! `tables` the tables of the executable.

mod assignment;
mod outputs;
mod registers;
mod tables;
mod temporaries;
#[cfg(test)]
mod tests;
mod trace;

use std::fmt;

use crate::cfg::explore;
use transpica::isa::Pc;
use transpica::{At, Limits, Program, Result, Shbin};

macro_rules! rules {
    ($($(#[$attr:meta])* $name:ident $id:literal $explanation:literal,)*) => {
        /// The rules.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule { $($(#[$attr])* $name),* }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
            /// Its identifier in reports.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id),* }
            }
            /// Why it matters and what to do.
            pub const fn explanation(self) -> &'static str {
                match self { $(Self::$name => $explanation),* }
            }
        }
    };
}

rules! {
    /// Two MOVA in a row.
    MovaPair "mova-pair"
        "Hardware hangs on two consecutive MOVA. Put a NOP or any other instruction between them.",
    /// A jump or call is the last word of a block, a block is empty, or two blocks end at the same
    /// word.
    MissingNop "missing-nop"
        "Hardware checks for the end of a block only after the word before it, whatever that word does, and ends one block of a kind at a time. Put a NOP at the end of the block; picasso does so by default.",
    /// More scopes are open than the rings hold.
    Nesting "nesting"
        "The unit holds 4 calls, 8 IFs and 4 LOOPs; one more overwrites the oldest, which then never ends. Nest less deeply.",
    /// BREAK outside a loop.
    BreakOutside "break-outside-loop"
        "Hardware hangs on BREAK outside a LOOP. Jump to the end of the program instead.",
    /// BREAK in an IF of a loop, with an else part around the loop.
    BreakInIf "break-leaves-if"
        "BREAK closes the LOOP and not the IF around the BREAK, so an IF around the loop no longer ends where its first part does, and its else part runs too. Set a flag, and BREAK outside the IF.",
    /// The program never reaches an END, or runs off the end of its code or entry procedure.
    NoEnd "no-end"
        "Every path must reach an END: the unit continues with the next procedure, and after the program's last word with old words in its memory. Put `end` before the procedure's `.end`.",
    /// Vertex code that the vertex unit cannot hold.
    BeyondUnit "beyond-unit"
        "The vertex unit holds 512 words; words after them are never loaded. Make the program shorter, or put procedures that \
         only geometry programs call last.",
    /// An undefined opcode.
    Unassigned "unassigned-opcode"
        "The instruction set does not define this opcode; translation stops here unless the option `permissive` is set.",
    /// An output component is written more than once on a path.
    OutputTwice "output-written-twice"
        "Hardware misbehaves when a vertex program writes a component of a mapped output more than once. Collect the value in a \
         temporary and write it once. (Paths that exist only if one flag changes between two tests count as well.)",
    /// A mapped output component is not written on some path.
    OutputMissing "output-not-written"
        "Hardware hangs or misbehaves when a vertex program ends without having written every component of every mapped output. \
         Write it, or take it out of the output map. (A geometry program has to write a component once: it stays for later vertices. \
         One that is never written is what an earlier program left, often 0 in emulators, and with a w of 0 nothing is drawn.)",
    /// One instruction reads two input registers.
    TwoInputs "two-inputs"
        "An instruction can read only one input register; hardware reads the same one for both. Copy one to a temporary first.",
    /// A uniform that nothing in the file sets.
    UnboundUniform "unbound-uniform"
        "No symbol names this uniform and no constant sets it: unless the application sets it by number, it contains what an earlier program left there.",
    /// A temporary register that is read before it is written.
    UnsetTemporary "temporary-not-written"
        "Until the program writes it, a temporary register contains what an earlier vertex left there. Write each component before reading it.",
    /// No output is the position.
    NoPosition "no-position"
        "Without a position nothing is drawn. Declare one: `.out name position`. (A vertex program needs none if a geometry program follows it in the same file, or if it has generic outputs for one in another file.)",
    /// Two outputs with the same semantic.
    OutputKindTwice "output-kind-twice"
        "It is not known which of two outputs with the same meaning the rasterizer uses (translated programs: the higher register). Take one out of the output map, or give it another meaning.",
    /// A named uniform that no instruction reads.
    UnusedUniform "unused-uniform"
        "No instruction reads it. Remove the declaration, or begin its name with `_` to keep it out of the file's symbols.",
    /// A named input that no instruction reads.
    UnusedInput "unused-input"
        "No instruction reads it, and yet the GPU fetches it for every vertex. Remove the declaration, and the attribute from the application.",
    /// A procedure that is neither called nor an entry point.
    UnusedProcedure "unused-procedure"
        "No call and no `.entry` names it, and its words still take room in the unit. Remove it.",
    /// A label without a jump.
    UnusedLabel "unused-label"
        "No jump names it. Remove it.",
    /// Two inputs in one register.
    InputTwice "input-twice"
        "Both names stand for the same attribute. Give one of them its own register, or none to use the next free one.",
    /// A declared vertex format that the program does not read as it is.
    VertexFormat "vertex-format"
        "Components that a format lacks are 0, and w is 1; those that nothing reads cost bytes of every vertex. Declare the components that the program reads.",
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The address, or none where it concerns the whole program.
    pub pc: Option<Pc>,
    /// The rule that is broken.
    pub rule: Rule,
    /// The description.
    pub message: String,
    /// The name whose declaration it is about.
    pub declared: Option<String>,
}

impl Finding {
    /// Returns its place.
    pub fn place(&self) -> At {
        self.pc.map_or(At::Whole, |pc| At::Pc(pc.0))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.place(), self.message, self.rule)
    }
}

/// Checks the program of executable `index` of a file. Findings are in the order of their places,
/// those about the whole program first.
///
/// Only reachable code counts. Very large state spaces are explored partly: findings are true, but
/// may be incomplete.
///
/// ```
/// use transpica_asm::lint::lint;
/// use transpica::{Limits, Shbin};
/// let bytes = std::fs::read("../../shaders/textured.shbin")?;
/// let file = Shbin::parse(&bytes)?;
/// let program = file.program(0)?;
/// assert_eq!(lint(program.program(), &file, 0, &Limits::default())?, []);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The file has no such executable.
pub fn lint(program: &Program<'_>, file: &Shbin<'_>, index: usize, limits: &Limits) -> Result<Vec<Finding>> {
    let executable = file.executable(index)?;
    let mut findings = Findings::default();
    let options = explore::ExploreOptions { permissive: true, ..explore::ExploreOptions::default() };
    let trace = explore::trace(program, &options, limits)?;
    let reached = trace::run(program, executable.header.endmain, &trace, &mut findings);
    registers::run(program, file, executable, &reached, &mut findings);
    registers::unused(program, file, executable, &reached, &mut findings);
    tables::run(program.stage(), file, executable, &mut findings);
    if trace.is_complete {
        let cfg = trace.graph();
        outputs::run(program, executable, &cfg, &mut findings);
        temporaries::run(program, executable, &cfg, &mut findings);
    }
    findings.list.sort();
    findings.list.dedup();
    Ok(findings.list)
}

/// The findings so far.
#[derive(Default)]
struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    fn add(&mut self, pc: Pc, rule: Rule, message: impl Into<String>) {
        self.list.push(Finding { pc: Some(pc), rule, message: message.into(), declared: None });
    }
    fn add_without_place(&mut self, rule: Rule, message: impl Into<String>) {
        self.list.push(Finding { pc: None, rule, message: message.into(), declared: None });
    }
    fn add_unused(&mut self, rule: Rule, what: &str, name: String) {
        let message = format!("nothing reads the {what} {name}");
        self.list.push(Finding { pc: None, rule, message, declared: Some(name) });
    }
}
