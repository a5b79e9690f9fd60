//! Engine of the extension: the language server, tests of shaders and the engine of the page, for
//! the process or the worker that VS Code has for extensions.
//! In: texts by URI, messages and calls of the scripts in `tools/lsp/vscode/extension`. Out: JSON
//! texts.

mod texts;

use serde_json::{Value, json};
use transpica_lsp::{Linked, Server};
use transpica_unit::coverage::{Coverage, by_file};
use transpica_unit::{Case, Checked, Cpu, Problem, TestFile};
use wasm_bindgen::prelude::wasm_bindgen;

use texts::{Texts, load};

/// A language server over the texts of a workspace, which JavaScript sees as a class.
#[wasm_bindgen]
pub struct Language {
    server: Server<Texts>,
    linked: Option<Linked>,
}

impl Default for Language {
    fn default() -> Self {
        Self { server: Server::new(Texts::default()), linked: None }
    }
}

#[wasm_bindgen]
impl Language {
    /// Creates a server without texts.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the content of a source, a container or a test file; `None` removes it.
    pub fn file(&mut self, uri: &str, bytes: Option<Vec<u8>>) {
        self.server.host_mut().set(uri, bytes);
    }

    /// Takes a message of the Language Server Protocol; returns a list of those to send.
    pub fn handle(&mut self, message: &str) -> String {
        let message: Value = serde_json::from_str(message).unwrap_or_default();
        Value::from(self.server.handle(&message)).to_string()
    }

    /// Links the sources of a document's project; returns them with the place of each code word.
    pub fn link(&mut self, uri: &str) -> String {
        self.linked = self.server.analysis_mut().linked(uri);
        let Some(Linked { uris, places, .. }) = &self.linked else { return "null".into() };
        json!({ "uris": uris, "places": places }).to_string()
    }

    /// Returns the file that was linked last, or no bytes without one.
    pub fn linked(&self) -> Vec<u8> {
        self.linked.as_ref().map(|linked| linked.bytes.clone()).unwrap_or_default()
    }

    /// Lists the cases of a test file, or its problem. A filter takes the name of a case.
    pub fn cases(&mut self, uri: &str) -> String {
        let file = load(self.server.host_mut(), uri);
        let cases = file.map(|file| {
            let case = |case: &Case| json!({ "name": case.name, "line": case.line });
            let lint = file.findings.as_ref().map(|_| json!({ "name": LINT, "line": 1 }));
            json!({ "cases": lint.into_iter().chain(file.cases.iter().map(case)).collect::<Vec<_>>() })
        });
        cases.unwrap_or_else(|problem| failed(&problem)).to_string()
    }

    /// Runs a case; returns its failure and how often each line ran.
    pub fn test(&mut self, uri: &str, name: &str) -> String {
        let Ok(file) = load(self.server.host_mut(), uri) else { return "null".into() };
        let case = file.cases.iter().find(|case| case.name == name);
        let Checked { failure, coverage, steps } = match case {
            Some(case) => case.check(&file.name, &file.shader, &Cpu),
            None if name == LINT => file.lint(),
            None => return "null".into(),
        };
        json!({ "failure": failure, "steps": steps, "lines": lines(&file, coverage) }).to_string()
    }
}

/// Name of the findings of lint as a test.
const LINT: &str = "lint";

fn failed(problem: &Problem) -> Value {
    let (line, column) = problem.place.unwrap_or((1, 1));
    json!({ "problem": problem.to_string(), "line": line, "column": column })
}

/// Returns how often each line ran, by URI.
fn lines(file: &TestFile, coverage: Coverage) -> Value {
    by_file(&[(&file.shader, coverage)]).into_iter().map(|(name, file)| (name, json!(file.lines))).collect()
}
