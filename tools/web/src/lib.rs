//! transpica in a browser and in VS Code. Each feature is an engine: a WebAssembly module of its
//! own, which `cargo xtask web` and `cargo xtask vscode` build with that feature alone. None has a
//! clock, a thread or a file, and all of them run natively, too.

#[cfg(feature = "compiler")]
pub mod compiler;
#[cfg(feature = "extension")]
pub mod extension;
#[cfg(feature = "native")]
pub mod native;
#[cfg(feature = "page")]
pub mod page;
