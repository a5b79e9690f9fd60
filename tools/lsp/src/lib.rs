//! Language server for shader programs in picasso's language.
//! In: texts and questions of editors. Out: problems, help, completion, places, edits.
//!
//! * [`Analysis`] holds documents and answers with plain values. It reads no file, starts no thread
//!   and runs as WebAssembly.
//! * [`Server`] maps messages of the Language Server Protocol to it: [`Server::handle`] takes one
//!   and returns those to send.
//! * [`serve`] speaks over streams; `Folders` (feature `folders`) finds the sources and
//!   tests that go with a document.
//!
//! ```
//! use transpica_lsp::{NoHost, Server};
//! let mut server = Server::new(NoHost);
//! let open = r#"{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument":
//!     {"uri": "file:///a.v.pica", "languageId": "pica", "version": 1, "text": ".proc main\nend\n.end"}}}"#;
//! let sent = server.handle(&serde_json::from_str(open).expect("a message"));
//! assert_eq!(sent[0]["method"], "textDocument/publishDiagnostics");
//! ```
//!
//! Messages are framed and mapped here, on `serde_json` alone: crates for the protocol would add
//! threads and a dozen more crates, which this command counts, and do not support WebAssembly.
#![forbid(unsafe_code)]

mod analysis;
mod cases;
mod completion;
#[cfg(feature = "folders")]
mod folders;
mod hover;
mod mends;
mod names;
mod operands;
mod project;
mod server;
mod stream;
mod text;
mod tokens;
mod view;

pub use analysis::Analysis;
pub use completion::Completion;
#[cfg(feature = "folders")]
pub use folders::Folders;
pub use hover::{Hover, Markdown, Parameter, Signature};
pub use mends::Mend;
pub use names::{DocumentSymbol, Edits, Location, WorkspaceSymbol};
pub use project::{Linked, Problem, Severity};
pub use server::{Host, NoHost, Server};
pub use stream::serve;
pub use text::{Position, Range, Text, TextEdit, encode, join};
pub use view::{Fold, InlayHint, TOKEN_MODIFIERS, TOKEN_TYPES};

impl Analysis {
    /// Returns the problems of a document.
    pub fn problems(&mut self, uri: &str) -> Vec<Problem> {
        self.project(uri).map(|(project, source)| project.problems(source)).unwrap_or_default()
    }

    /// Returns the file that the project of a document is linked into, if it has no errors.
    pub fn linked(&mut self, uri: &str) -> Option<Linked> {
        self.project(uri)?.0.linked()
    }
}
