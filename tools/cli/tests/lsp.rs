//! `transpica lsp` as an editor starts it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

fn write(to: &mut impl Write, message: &Value) {
    let text = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("a message sent");
    to.flush().expect("a message sent");
}

fn read(from: &mut impl BufRead) -> Value {
    let mut header = String::new();
    from.read_line(&mut header).expect("a header");
    let length = header.trim().strip_prefix("Content-Length: ").expect("a length").parse().expect("a number");
    from.read_line(&mut header).expect("an empty line");
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).expect("a message");
    serde_json::from_slice(&bytes).expect("JSON")
}

#[test]
fn an_editor_gets_problems_and_answers() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_transpica"));
    let mut server = server.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
    let (mut to, from) = (server.stdin.take().expect("input"), server.stdout.take().expect("output"));
    let mut from = BufReader::new(from);
    write(&mut to, &json!({ "id": 1, "method": "initialize", "params": { "rootUri": null } }));
    assert_eq!(read(&mut from)["result"]["serverInfo"]["name"], "transpica");
    let document = json!({ "uri": "untitled:a", "text": ".proc main\n\tmvo r0, v0\n\tend\n.end" });
    write(&mut to, &json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }));
    let problem = &read(&mut from)["params"]["diagnostics"][0];
    assert_eq!(problem["range"]["start"], json!({ "line": 1, "character": 1 }), "{problem}");
    write(&mut to, &json!({ "id": 2, "method": "shutdown" }));
    assert_eq!(read(&mut from), json!({ "jsonrpc": "2.0", "id": 2, "result": null }));
    write(&mut to, &json!({ "method": "exit" }));
    assert!(server.wait().expect("ended").success());
}
