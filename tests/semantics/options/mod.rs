//! Options, promises, hooks and register state: what each of them does.

mod assume;
mod effects;
mod hooks;
mod option_modules;
mod registers;
