//! Options and profile of the library by paths: the table of all settings, spellings of values, and
//! the tree that changes apply to.
//! In: texts and JSON. Out: values of the library. Knows no field by itself: a row names its fields
//! in JSON, and the library checks the values.

pub mod spelling;
pub mod table;
pub mod tree;
