//! Messages of the Language Server Protocol, mapped to the analysis.
//! In: a message as JSON. Out: the messages to send: answers, problems. Reads no stream.
//! Facts: the Language Server Protocol 3.17.
//!
//! A message that is none, or has other members than it should, has no effect but an error answer.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::analysis::Analysis;
use crate::text::{Position, Range};
use crate::view::{TOKEN_MODIFIERS, TOKEN_TYPES};

/// What surrounds documents: other files, tests.
pub trait Host {
    /// Returns the sources that may belong to a document's project, by URI.
    fn siblings(&mut self, uri: &str) -> Vec<(String, String)>;
    /// Returns the sources below a folder, by URI.
    fn workspace(&mut self, root: &str) -> Vec<(String, String)>;
    /// Returns the text of a file that changed; nothing for one that is gone.
    fn read(&mut self, uri: &str) -> Option<String>;
    /// Runs the tests of a document's project; returns how often each line ran, by URI.
    fn counts(&mut self, uri: &str) -> BTreeMap<String, BTreeMap<u32, u64>>;
}

/// No files and no tests: only open documents are known.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn siblings(&mut self, _: &str) -> Vec<(String, String)> {
        Vec::new()
    }
    fn workspace(&mut self, _: &str) -> Vec<(String, String)> {
        Vec::new()
    }
    fn read(&mut self, _: &str) -> Option<String> {
        None
    }
    fn counts(&mut self, _: &str) -> BTreeMap<String, BTreeMap<u32, u64>> {
        BTreeMap::new()
    }
}

/// State of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Running,
    /// After `shutdown`.
    ShutDown,
    /// After `exit`.
    Exited,
}

/// A server: documents, and the host around them.
pub struct Server<H> {
    analysis: Analysis,
    host: H,
    phase: Phase,
    was_shut_down: bool,
}

/// Codes of errors.
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const INVALID_REQUEST: i32 = -32600;
const REQUEST_FAILED: i32 = -32803;

/// An answer, or the code and the message of an error.
type Answer = Result<Value, (i32, String)>;

impl<H: Host> Server<H> {
    /// Creates a server without documents.
    pub fn new(host: H) -> Self {
        Self { analysis: Analysis::default(), host, phase: Phase::default(), was_shut_down: false }
    }

    /// Returns the exit status, once the client asked for the exit.
    pub fn exit_status(&self) -> Option<u8> {
        (self.phase == Phase::Exited).then_some(u8::from(!self.was_shut_down))
    }

    /// Takes a message, and returns those to send.
    pub fn handle(&mut self, message: &Value) -> Vec<Value> {
        let (id, params) = (message.get("id"), &message["params"]);
        let Some(method) = message["method"].as_str() else { return Vec::new() };
        let Some(id) = id else { return self.notification(method, params) };
        let answer = match self.phase {
            Phase::Running => self.request(method, params),
            Phase::ShutDown | Phase::Exited => Err((INVALID_REQUEST, "the server is shut down".into())),
        };
        vec![match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err((code, message)) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        }]
    }

    fn notification(&mut self, method: &str, params: &Value) -> Vec<Value> {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        match method {
            "exit" => self.phase = Phase::Exited,
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default().to_owned();
                for (other, text) in self.host.siblings(&uri) {
                    self.analysis.know(&other, text);
                }
                self.analysis.open(&uri, text);
                self.count(&uri);
                return self.publish(&uri);
            }
            "textDocument/didChange" => {
                for change in params["contentChanges"].as_array().into_iter().flatten() {
                    let text = change["text"].as_str().unwrap_or_default();
                    self.analysis.edit(&uri, parameter::<Range>(&change["range"]).ok(), text);
                }
                return self.publish(&uri);
            }
            "textDocument/didSave" => self.count(&uri),
            "textDocument/didClose" => {
                self.analysis.close(&uri);
                return vec![problems(&uri, &json!([]))];
            }
            "workspace/didChangeWatchedFiles" => {
                let changes = params["changes"].as_array().into_iter().flatten();
                return changes.flat_map(|change| self.changed(&change["uri"])).collect();
            }
            // Notifications that are not known have no effect.
            _ => {}
        }
        Vec::new()
    }

    /// Reads a file that changed on disk.
    fn changed(&mut self, uri: &Value) -> Vec<Value> {
        let uri = uri.as_str().unwrap_or_default();
        match self.host.read(uri) {
            Some(text) => self.analysis.know(uri, text),
            None => self.analysis.forget(uri),
        }
        self.publish(uri)
    }

    /// Runs the tests of a document's project.
    fn count(&mut self, uri: &str) {
        for (uri, counts) in self.host.counts(uri) {
            // Tests ran what is on disk.
            let is_saved = self.host.read(&uri).is_some_and(|text| self.analysis.has_text(&uri, &text));
            if is_saved {
                self.analysis.set_counts(&uri, counts);
            }
        }
    }

    /// Publishes the problems of the open documents of a project.
    fn publish(&mut self, uri: &str) -> Vec<Value> {
        let Some((project, _)) = self.analysis.project(uri) else { return Vec::new() };
        let sources = project.sources.iter().enumerate().map(|(number, source)| {
            (source.uri.clone(), serde_json::to_value(project.problems(number)).unwrap_or_default())
        });
        let all: Vec<_> = sources.collect();
        let open = all.into_iter().filter(|(uri, _)| self.analysis.is_open(uri));
        open.map(|(uri, list)| problems(&uri, &list)).collect()
    }

    fn request(&mut self, method: &str, params: &Value) -> Answer {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let position = || parameter::<Position>(&params["position"]);
        let analysis = &mut self.analysis;
        match method {
            "initialize" => {
                let root = params["rootUri"].as_str().unwrap_or_default();
                for (uri, text) in self.host.workspace(root) {
                    self.analysis.know(&uri, text);
                }
                Ok(capabilities())
            }
            "shutdown" => {
                (self.phase, self.was_shut_down) = (Phase::ShutDown, true);
                Ok(Value::Null)
            }
            "textDocument/hover" => answer(analysis.hover(uri, position()?)),
            "textDocument/signatureHelp" => answer(analysis.signature(uri, position()?).map(|signature| {
                json!({ "signatures": [signature], "activeSignature": 0, "activeParameter": signature.active_parameter })
            })),
            "textDocument/completion" => answer(analysis.complete(uri, position()?)),
            "textDocument/definition" => answer(analysis.definition(uri, position()?)),
            "textDocument/references" => {
                let with = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
                answer(analysis.references(uri, position()?, with))
            }
            "textDocument/documentHighlight" => {
                let all = analysis.references(uri, position()?, true).into_iter();
                let own = all.filter(|place| place.uri == uri).map(|place| json!({ "range": place.range }));
                answer(own.collect::<Vec<_>>())
            }
            "textDocument/prepareRename" => answer(analysis.renamed_part(uri, position()?)),
            "textDocument/rename" => {
                let new = params["newName"].as_str().unwrap_or_default();
                let edits = analysis.rename(uri, position()?, new).map_err(|message| (REQUEST_FAILED, message))?;
                Ok(json!({ "changes": edits }))
            }
            "textDocument/documentSymbol" => answer(analysis.symbols(uri)),
            "workspace/symbol" => {
                answer(analysis.find_symbols(params["query"].as_str().unwrap_or_default()))
            }
            "textDocument/semanticTokens/full" => Ok(json!({ "data": analysis.semantic_tokens(uri) })),
            "textDocument/foldingRange" => answer(analysis.folds(uri)),
            "textDocument/inlayHint" => answer(analysis.inlay_hints(uri, parameter(&params["range"])?)),
            "textDocument/formatting" => answer(analysis.format(uri)),
            "textDocument/codeAction" => {
                let mends = analysis.mends(uri, parameter(&params["range"])?);
                answer(mends.into_iter().map(|mend| json!({
                    "title": mend.title,
                    "kind": "quickfix",
                    "isPreferred": true,
                    "diagnostics": [mend.problem],
                    "edit": { "changes": mend.edits },
                })).collect::<Vec<_>>())
            }
            _ => Err((METHOD_NOT_FOUND, format!("there is no method {method}"))),
        }
    }
}

/// Returns what the server can do.
fn capabilities() -> Value {
    json!({
        "serverInfo": { "name": "transpica", "version": env!("CARGO_PKG_VERSION") },
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 2, "save": true },
            "hoverProvider": true,
            "completionProvider": { "triggerCharacters": [".", " ", "\t", ",", "["] },
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": { "prepareProvider": true },
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "semanticTokensProvider": {
                "legend": { "tokenTypes": TOKEN_TYPES, "tokenModifiers": TOKEN_MODIFIERS },
                "full": true,
            },
            "foldingRangeProvider": true,
            "inlayHintProvider": true,
            "documentFormattingProvider": true,
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            "signatureHelpProvider": { "triggerCharacters": [" ", "\t", ","] },
        },
    })
}

fn problems(uri: &str, list: &Value) -> Value {
    let params = json!({ "uri": uri, "diagnostics": list });
    json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params })
}

/// Reads a parameter.
fn parameter<T: DeserializeOwned>(value: &Value) -> Result<T, (i32, String)> {
    T::deserialize(value).map_err(|error| (INVALID_PARAMS, error.to_string()))
}

fn answer(result: impl Serialize) -> Answer {
    serde_json::to_value(result).map_err(|error| (REQUEST_FAILED, error.to_string()))
}
