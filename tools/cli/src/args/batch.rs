//! Arguments of `translate` with a folder of results, and of `manifest`.

use std::path::PathBuf;

use clap::Args;

/// Help of `--name`. clap takes `{n}` for a line break, so an empty style stands within it.
const NAME_HELP: &str = "Names of files in --out-dir: {stem} or {name} of the input, {\u{1b}[0mn} the number of the program, {target}, {ext}; / separates folders";

/// Translation of many programs into a folder.
#[derive(Args, Debug)]
pub struct Batch {
    /// Translate all programs in the files and folders into this folder
    ///
    /// Uses all cores. Searches folders for .shbin files, and for .pica sources that have none
    /// beside them. Keeps the folder structure, leaves unchanged files alone, and lists everything
    /// in manifest.json.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "reflect", "source_map", "code", "dvle"])]
    pub out_dir: Option<PathBuf>,
    /// Names of files in --out-dir
    #[arg(
        long,
        help = NAME_HELP,
        hide_short_help = true,
        value_name = "PATTERN",
        default_value = "{stem}.{n}.{ext}",
        value_parser = NamePattern::parse
    )]
    pub name: NamePattern,
    /// Translate only part K of N (0 to N-1), chosen by a digest of each file's path in its folder;
    /// the manifest is manifest.K-of-N.json
    #[arg(long, hide_short_help = true, value_name = "K/N", value_parser = Shard::parse, requires = "out_dir")]
    pub shard: Option<Shard>,
    /// Print the summary of --out-dir as JSON
    #[arg(long, hide_short_help = true, requires = "out_dir")]
    pub json: bool,
}

/// Merge the manifests of shards into one
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica manifest out/manifest.*-of-4.json -o out/manifest.json

The manifests must have the same version and settings. A file that is listed twice must have the same results.

Exit status 1 if a shard is missing: the others are merged, and both the message and the result name the missing ones.")]
pub struct Manifest {
    /// Manifests of the shards
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// One part of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the part, below the count.
    pub index: u32,
    /// Number of parts.
    pub count: u32,
}

impl Shard {
    /// Parses `K/N`.
    fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
        let both = text.split_once('/').and_then(|(index, count)| Some((number(index)?, number(count)?)));
        match both {
            Some((index, count)) if index < count => Ok(Self { index, count }),
            Some((_, count @ 1..)) => Err(format!("shards are numbered from 0 to {}", count - 1)),
            Some((_, 0)) | None => Err("must look like 3/64: a shard and the number of shards".into()),
        }
    }
}

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

    /// Returns whether it is part of the file's name.
    fn is_of_file(&self) -> bool {
        matches!(self, Self::Stem | Self::Name)
    }
}

/// Pattern of the names of results. Names of one file differ whatever its name and its number of
/// programs are, so that only files of equal names in one folder can collide:
/// * It has one `{n}`, with characters other than digits around it.
/// * The file's name is on one side of `{n}` only. Two names that were equal would have equal parts
///   of fixed length on the other side, and so equal numbers.
/// * It ends with `.{ext}`, which differs between targets and is never that of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    /// The pattern as given.
    pub text: String,
    /// Its parts.
    pub parts: Vec<NamePart>,
}

impl NamePattern {
    /// Parses and checks a pattern.
    fn parse(text: &str) -> Result<Self, String> {
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
        if !is_apart || [before, after].iter().all(|side| side.iter().any(NamePart::is_of_file)) {
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

    #[test]
    fn shards_count_from_zero() {
        assert_eq!(Shard::parse("3/64"), Ok(Shard { index: 3, count: 64 }));
        for bad in ["64/64", "1/0", "0/0", "1", "-1/2", "+1/2", "a/b", ""] {
            assert!(Shard::parse(bad).is_err(), "{bad}");
        }
    }
}
