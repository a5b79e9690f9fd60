//! Common parts of the tests with random programs.

use std::sync::LazyLock;

use transpica::host::OutputMap;
use transpica_proof::unnamed::Unnamed;

/// Bindings of a program without a file; o0 is the position.
pub static BARE: LazyLock<Unnamed> =
    LazyLock::new(|| Unnamed { map: OutputMap::from_words([(0, [0, 1, 2, 3])]) });
