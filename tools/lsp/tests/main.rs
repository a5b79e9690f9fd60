//! The server as editors use it: a client over pipes, every sample, random edits, odd texts.

mod client;
mod features;
mod grammar;
mod robust;
