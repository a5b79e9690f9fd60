//! Any input: damaged files, the worst known programs, defects of other libraries.

mod bad_input;
mod limits;
mod memory;
mod upstream;
mod worst;
