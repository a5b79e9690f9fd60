//! The readable form of a module: [`print`] writes it, [`parse`](fn@parse) reads it back.
//! In and out: text and [`Module`]. Knows the words of operations and reads from their tables, and
//! no arithmetic.
//! Printing, parsing and printing again gives the same text, to the last bit of every float.
//!
//! ```text
//! module   = { func }                                         the last function is the main one, those before are helpers 0, 1, …
//! func     = "func" name [ "(" { def } ")" ] region
//! name     = word | string
//! def      = value [ hint ] ":" type                          a parameter or result
//! value    = "%" number
//! hint     = "@" ( register | "none" ) [ "." components ]     where the value came from: @r0.xyz @o2 @a0 @al @cmp @left1
//! type     = ( "f32" | "i32" | "u32" | "bool" ) [ "x2" | "x3" | "x4" ]
//! region   = "{" { item } [ exit ] "}"                        without an exit it yields nothing
//! item     = def "=" operation
//!          | "if" value region [ "else" region ] results      without "else" the other arm is empty and yields nothing
//!          | "loop" [ "(" { def "=" value } ")" ] region results
//!          | "block" region results
//!          | "switch" value "{" { "case" integer { integer } region } "default" region "}" results
//! results  = [ "->" def { def } ]
//! exit     = ( "yield" | "break" | "continue" ) { value } | "unreachable"
//! operation= "const" literal { literal }                      as many as the type has lanes
//!          | "input" "v"n | "uniform" "c"n [ "[" value "]" ] | "uniform" ( "i"n "." component | "b"n )
//!          | "member" number [ "[" ( number | value ) "]" ]
//!          | ( "host" | "draw" | "specialized" ) number | "load" ( "feed" | "state" ) "[" value "]"
//!          | "shuffle" lane { lane }                          as many as the type has lanes
//!          | "select" value value value
//!          | "call" number "(" { value } ")"                  number of the helper
//!          | "submit" "(" value { value } ")"
//!          | word value [ value ]                             the words stand in `signature.rs`
//! lane     = value "." component
//! literal  = float | "inf" | "-inf" | "0x" bits | integer | "true" | "false"
//! ```
//!
//! Commas are white space, comments run from `;` to the end of the line. Values keep their numbers.

mod lex;
mod parse;
mod print;
#[cfg(test)]
mod tests;

pub use parse::parse;
pub use print::{print, print_placed, print_renumbered};

use super::Module;
