//! Tools of all wings that know nothing of shaders, and the names of what a host fills.
//!
//! In and out: values of any type. Must not know: every other wing.
//! Begin with `entity.rs`: handles, the arenas that they index, sets of indices, the interner.
//! `stable.rs` has values as the bytes of a digest and the spelling of serialized values,
//! `words.rs` the known name that is nearest to a wrong one, `names.rs` identifiers that no target
//! language reserves, `fields.rs` the fields of the blocks that a host fills in addition to
//! uniforms, which both the intermediate form and hosts name.

pub mod entity;
pub mod fields;
pub mod names;
pub mod stable;
pub mod words;
