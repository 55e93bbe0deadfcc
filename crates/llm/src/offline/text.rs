//! Prefixes of what people write, and keys of what is kept of it.

/// Strips a prefix, in any case.
pub(super) fn strip<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, tail) = (text.get(..prefix.len())?, text.get(prefix.len()..)?);
    (head.to_lowercase() == prefix).then_some(tail)
}

/// A key for the memory, which takes at most 64 of `a-z`, `0-9` and `_`: words joined by underscores.
pub(super) fn slug(text: &str) -> String {
    let mut lower = text.to_lowercase();
    for (letter, spelled) in [("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")] {
        lower = lower.replace(letter, spelled);
    }
    let words = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut slug = words.collect::<Vec<_>>().join("_");
    slug.truncate(64);
    slug.trim_end_matches('_').to_owned()
}
