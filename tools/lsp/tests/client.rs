//! A client that speaks the protocol with a server on another thread, over pipes.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use serde_json::{Value, json};
use transpica_lsp::{Folders, serve};

pub struct Client {
    to: PipeWriter,
    from: BufReader<PipeReader>,
    server: Option<JoinHandle<u8>>,
    next: u64,
    /// Problems of each document, as published last.
    pub problems: std::collections::BTreeMap<String, Vec<Value>>,
}

impl Client {
    pub fn new() -> Self {
        let ((input, to), (from, output)) = (pipe().expect("a pipe"), pipe().expect("a pipe"));
        let serve = move || serve(Folders, BufReader::new(input), output).expect("streams");
        let server = Some(std::thread::spawn(serve));
        let mut client =
            Self { to, from: BufReader::new(from), server, next: 0, problems: Default::default() };
        let root = format!("file://{}", root().join("shaders").display());
        assert!(client.ask("initialize", &json!({ "rootUri": root }))["capabilities"].is_object());
        client.notify("initialized", &json!({}));
        client
    }

    pub fn send(&mut self, text: &str) {
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("a message sent");
    }

    pub fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request, and returns the answer.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            if message["method"] == "textDocument/publishDiagnostics" {
                let uri = message["params"]["uri"].as_str().expect("a name").to_owned();
                let list = message["params"]["diagnostics"].as_array().expect("a list").clone();
                self.problems.insert(uri, list);
            }
        }
    }

    /// Sends a request, and returns its result.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method} {params}: {answer}");
        answer["result"].clone()
    }

    pub fn receive(&mut self) -> Value {
        let mut header = String::new();
        self.from.read_line(&mut header).expect("a header");
        let length = header.trim().strip_prefix("Content-Length: ").expect("a length");
        let length = length.parse().expect("a number");
        self.from.read_line(&mut header).expect("an empty line");
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).expect("a message");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "pica", "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    /// Returns the problems of a document, once all messages are handled.
    pub fn problems(&mut self, uri: &str) -> Vec<Value> {
        self.ask("workspace/symbol", &json!({ "query": "?" }));
        self.problems.get(uri).cloned().unwrap_or_default()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.ask("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        let status = self.server.take().expect("a server").join().expect("no panic");
        assert_eq!(status, 0);
    }
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Sources of samples: URI and text.
pub fn samples() -> Vec<(String, String)> {
    let mut all: Vec<_> = std::fs::read_dir(root().join("shaders"))
        .expect("the samples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "pica"))
        .map(|path| (format!("file://{}", path.display()), std::fs::read_to_string(&path).expect("a text")))
        .collect();
    all.sort();
    assert!(all.len() > 30, "{}", all.len());
    all
}

pub fn sample(name: &str) -> (String, String) {
    samples().into_iter().find(|(uri, _)| uri.ends_with(&format!("/{name}"))).expect("a sample")
}

/// Parameters with a document and a position.
pub fn place(uri: &str, line: usize, character: usize) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

/// Requests about a place of a document, with their parameters.
pub fn requests(uri: &str, line: usize, character: usize) -> Vec<(&'static str, Value)> {
    let mut all = Vec::new();
    for method in ["hover", "completion", "signatureHelp", "definition", "documentHighlight", "prepareRename"]
    {
        all.push((method, place(uri, line, character)));
    }
    let mut references = place(uri, line, character);
    references["context"] = json!({ "includeDeclaration": true });
    all.push(("references", references));
    for method in ["documentSymbol", "semanticTokens/full", "foldingRange", "formatting"] {
        all.push((method, json!({ "textDocument": { "uri": uri } })));
    }
    let place = json!({ "line": line, "character": character });
    let lines = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 1 << 20, "character": 0 } });
    all.push(("inlayHint", json!({ "textDocument": { "uri": uri }, "range": lines })));
    let range = json!({ "start": place, "end": place });
    all.push((
        "codeAction",
        json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } }),
    ));
    all
}

/// The name of a method about documents.
pub fn full(method: &str) -> String {
    format!("textDocument/{method}")
}

/// Applies edits to a text, whose columns are units of UTF-16.
pub fn apply(text: &str, edits: &Value) -> String {
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .expect("a list")
        .iter()
        .map(|edit| {
            let place = |place: &Value| offset(text, &edit["range"][place.as_str().expect("a name")]);
            (place(&json!("start")), place(&json!("end")), edit["newText"].as_str().expect("a text"))
        })
        .collect();
    edits.sort_by_key(|edit| edit.0);
    let mut new = text.to_owned();
    for (start, end, with) in edits.into_iter().rev() {
        new.replace_range(start..end, with);
    }
    new
}

/// The offset of a position inside the text.
pub fn offset(text: &str, position: &Value) -> usize {
    let [line, character] =
        ["line", "character"].map(|key| position[key].as_u64().expect("a number") as usize);
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut units = 0;
    for (at, letter) in text[start..].char_indices() {
        if units >= character || letter == '\n' || text[start + at..].starts_with("\r\n") {
            return start + at;
        }
        units += letter.len_utf16();
    }
    text.len()
}
