//! Names of the results of `translate --out-dir`.

/// A part of a [`NamePattern`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamePart {
    /// Text as it is.
    Text(String),
    /// The file's name without its last extension.
    Stem,
    /// The file's name.
    Name,
    /// The number of the executable.
    Number,
    /// The target as `--to` spells it.
    Target,
    /// The extension that belongs to the target.
    Ending,
}

impl NamePart {
    /// Fields of patterns.
    const FIELDS: [(&'static str, Self); 5] = [
        ("stem", Self::Stem),
        ("name", Self::Name),
        ("n", Self::Number),
        ("target", Self::Target),
        ("ext", Self::Ending),
    ];
}

/// Pattern of the names of results. Names of one file differ whatever its name and its number of
/// programs are, so that only files of equal names in one folder can collide:
/// * It has one `{n}`, with characters other than digits around it.
/// * The file's name is on one side of `{n}` only. Two names that were equal would have equal parts
///   of fixed length on the other side, and so equal numbers.
/// * It ends with `.{ext}`, which differs between targets and is never an input's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    /// The pattern as given.
    pub text: String,
    /// Its parts.
    pub parts: Vec<NamePart>,
}

impl NamePattern {
    /// Parses and checks a pattern.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, field)) = rest.split_once('{') {
            let (field, after) = field.split_once('}').ok_or("a { is never closed")?;
            if !before.is_empty() {
                parts.push(NamePart::Text(before.into()));
            }
            let known = NamePart::FIELDS.into_iter().find(|(name, _)| *name == field);
            let (_, part) = known.ok_or_else(|| {
                format!("{{{field}}} is not a field; use {{stem}}, {{name}}, {{n}}, {{target}} or {{ext}}")
            })?;
            parts.push(part);
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(NamePart::Text(rest.into()));
        }
        let pattern = Self { text: text.into(), parts };
        pattern.check()?;
        Ok(pattern)
    }

    /// Checks that names of one file differ, and lie inside the folder.
    fn check(&self) -> Result<(), String> {
        let mut numbers = self.parts.iter().enumerate().filter(|(_, part)| **part == NamePart::Number);
        let (Some((at, _)), None) = (numbers.next(), numbers.next()) else {
            return Err("must have one {n}, the number of the program".into());
        };
        let (before, after) = (&self.parts[..at], &self.parts[at + 1..]);
        let ends = |part: Option<&NamePart>, edge: fn(&str) -> Option<char>| match part {
            None => true,
            Some(NamePart::Text(text)) => edge(text).is_some_and(|c| !c.is_ascii_digit()),
            Some(_) => false,
        };
        let is_apart = ends(before.last(), |text| text.chars().next_back())
            && ends(after.first(), |text| text.chars().next());
        let has_name = |side: &[NamePart]| side.contains(&NamePart::Stem) || side.contains(&NamePart::Name);
        if !is_apart || has_name(before) && has_name(after) {
            return Err("{n} must stand apart from the name, as in {stem}.{n}.{ext}".into());
        }
        let is_ended = match self.parts.as_slice() {
            [.., NamePart::Text(text), NamePart::Ending] => text.ends_with('.'),
            _ => false,
        };
        if !is_ended {
            return Err("must end with .{ext}, which differs between targets".into());
        }
        let is_inside = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']);
        if !self.text.split('/').all(is_inside) {
            return Err("must be a name inside the folder, without .., \\ or :".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_with_ambiguous_names_are_refused() {
        for good in ["{stem}.{n}.{ext}", "{target}/{name}-{n}.{ext}", "{n}_{stem}.{ext}", "x/{n}.{ext}"] {
            assert_eq!(NamePattern::parse(good).map(|pattern| pattern.text), Ok(good.to_string()));
        }
        for (bad, reason) in [
            ("{stem}.{ext}", "one {n}"),
            ("{n}.{n}.{ext}", "one {n}"),
            ("{stem}{n}.{ext}", "stand apart"),
            ("{stem}.0{n}.{ext}", "stand apart"),
            ("{stem}.{n}.{stem}.{ext}", "stand apart"),
            ("{stem}.{n}", "end with .{ext}"),
            ("{stem}.{n}{ext}", "stand apart"),
            ("{stem}.{n}-{ext}", "end with .{ext}"),
            ("{stem}.{n}.{key}.{ext}", "{key} is not a field"),
            ("{stem}.{n.ext", "never closed"),
            ("/{stem}.{n}.{ext}", "inside the folder"),
            ("../{stem}.{n}.{ext}", "inside the folder"),
            ("c:{stem}.{n}.{ext}", "inside the folder"),
        ] {
            let error = NamePattern::parse(bad).expect_err("ambiguous");
            assert!(error.contains(reason), "{bad}: {error}");
        }
    }
}
