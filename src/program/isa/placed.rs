//! Texts whose lines belong to instructions, for tools that show a program in several forms.
//! In: a text and marks in it. Out: the addresses of each line. Knows no language.

use super::Pc;

/// A text with the instructions of each of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacedText {
    /// The text.
    pub text: String,
    /// For each line the addresses of the instructions that it implements, ascending.
    pub places: Vec<Vec<Pc>>,
}

impl PlacedText {
    /// Collects marks: byte offsets in the text, each with the instructions that the text there
    /// implements.
    ///
    /// ```
    /// use transpica::isa::Pc;
    /// use transpica::isa::placed::PlacedText;
    /// let text = "a = b;\nc = a;\n".to_owned();
    /// let placed = PlacedText::new(text, [(11, &[Pc(7)][..]), (7, &[Pc(9), Pc(7)])]);
    /// assert_eq!(placed.places, [vec![], vec![Pc(7), Pc(9)]]);
    /// ```
    pub fn new<'a>(text: String, marks: impl IntoIterator<Item = (usize, &'a [Pc])>) -> Self {
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        let mut places = vec![Vec::new(); text.lines().count()];
        for (offset, pcs) in marks {
            let line = ends.partition_point(|&end| end < offset);
            if let Some(line) = places.get_mut(line) {
                line.extend_from_slice(pcs);
            }
        }
        places.iter_mut().for_each(sort);
        Self { text, places }
    }
}

/// Sorts addresses and removes the repeated ones.
pub fn sort(pcs: &mut Vec<Pc>) {
    pcs.sort_by_cached_key(|pc| u64::from(pc.0));
    pcs.dedup();
}
