//! Sources outside of the subset.
