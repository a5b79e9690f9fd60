//! Programs in C and C++ that use the library as this build made it: compiled by the system's compilers, run as they are and
//! under valgrind. A tool that is missing is an error that says how to install it.

mod host;
mod installed;
mod smoke;
mod support;
