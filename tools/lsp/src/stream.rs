//! Messages over streams: a header with the length, an empty line, JSON.
//! In: bytes. Out: the same. Knows no method.

use std::io::{self, BufRead, Read, Write};

use serde_json::{Value, json};

use crate::server::{Host, Server};

/// Largest message in bytes.
const MOST: u64 = 64 << 20;

/// Longest line of a header in bytes.
const MOST_LINE: u64 = 1 << 12;

/// Serves until the client asks for the exit or the input ends; returns the exit status.
///
/// # Errors
/// Streams that fail; an input that is not framed as messages are.
pub fn serve(host: impl Host, mut input: impl BufRead, mut output: impl Write) -> io::Result<u8> {
    let mut server = Server::new(host);
    while let Some(bytes) = read(&mut input)? {
        let sent = match serde_json::from_slice::<Value>(&bytes) {
            Ok(message) => server.handle(&message),
            Err(error) => {
                let error = json!({ "code": -32700, "message": error.to_string() });
                vec![json!({ "jsonrpc": "2.0", "id": null, "error": error })]
            }
        };
        for message in sent {
            let text = message.to_string();
            write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        }
        output.flush()?;
        if let Some(status) = server.exit_status() {
            return Ok(status);
        }
    }
    Ok(1)
}

/// Reads a message, or returns `None` at the end of the input.
fn read(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let invalid = |text: &str| io::Error::new(io::ErrorKind::InvalidData, text);
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MOST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if !line.ends_with(b"\n") {
            return Err(invalid("a header line is too long, or cut off"));
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<u64>().ok();
        }
    }
    let length = length.ok_or_else(|| invalid("a message without Content-Length"))?;
    if length > MOST {
        return Err(invalid("the message is too long"));
    }
    let mut bytes = Vec::new();
    // Memory grows with what arrives, not with what the header says.
    input.by_ref().take(length).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 == length))
}
