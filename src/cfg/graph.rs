//! The only file that names petgraph: dominators and strongly connected components.
