//! Programs in C and C++ that use the library of this build: compiled by the system's compilers,
//! run directly and under valgrind. A missing tool is an error that says how to install it. And the
//! header that they include.

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
