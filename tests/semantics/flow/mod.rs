//! Control flow before the intermediate form: graphs, trees, what geometry programs carry over.

mod carried;
mod dataflow;
mod graph;
pub mod graphs;
mod tree;
