//! Programs in C and C++ that use the library of this build: compiled by the system's compilers,
//! run directly and under valgrind; and the header that they include.

#[macro_use]
extern crate transpica_proof;

mod geometry;
mod header;
mod host;
mod hostile;
mod installed;
mod opengl;
mod pipelines;
mod settings;
mod smoke;
mod support;
