//! Names that are nearly right.
//! In: a word and the known ones. Out: a hint. Knows no language.

/// Returns the hint to write the known name that is most similar to `name`, if one is near.
pub fn did_you_mean<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    if name.len() > 40 {
        return None;
    }
    // Short names are all similar, so the permitted distance grows with the length.
    let most = 1 + name.len() / 4;
    let near = known.into_iter().map(|known| (distance(name, known, most), known));
    let (_, best) = near.filter(|&(distance, _)| distance <= most.min(2)).min()?;
    Some(format!("did you mean `{best}`?"))
}

/// Number of letters to insert, remove, replace or swap with their neighbor to turn `a` into `b`,
/// not counted beyond `most`. Upper and lower case are the same.
fn distance(a: &str, b: &str, most: usize) -> usize {
    if a.len().abs_diff(b.len()) > most {
        return usize::MAX;
    }
    let a = a.to_ascii_lowercase().into_bytes();
    let b = b.to_ascii_lowercase().into_bytes();
    // Row by row through the table of distances between prefixes. A swap looks two rows back.
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut next = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            next[j + 1] = replaced.min(last[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                next[j + 1] = next[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, next);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_suggested_only_when_it_is_near() {
        let known = ["mov", "mova", "mul", "projection"];
        assert_eq!(did_you_mean("MVO", known).as_deref(), Some("did you mean `mov`?"));
        assert_eq!(did_you_mean("projektion", known).as_deref(), Some("did you mean `projection`?"));
        assert_eq!(did_you_mean("view", known), None);
        assert_eq!(did_you_mean("", known), None);
    }
}
