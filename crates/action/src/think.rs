//! Leaves out the thoughts of a model.

use std::borrow::Cow;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The text without what stands between `<think>` and `</think>`.
///
/// A thought that is never closed lasts to the end. Some models begin inside a thought, because the opening tag is
/// part of their prompt: then all before a lone closing tag is one, if anything follows it.
#[must_use]
pub fn without_thoughts(text: &str) -> Cow<'_, str> {
    if !text.contains(OPEN) && !text.contains(CLOSE) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, thought)) = rest.split_once(OPEN) {
        kept.push_str(before);
        rest = thought.split_once(CLOSE).map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    match kept.rsplit_once(CLOSE) {
        Some((_, after)) if !after.trim().is_empty() => Cow::Owned(after.to_owned()),
        _ => Cow::Owned(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::without_thoughts;

    #[test]
    fn thoughts_are_left_out() {
        let cases = [
            ("", ""),
            ("plain", "plain"),
            ("<think>a</think>b", "b"),
            ("a<think>b\n</think>c<think></think>d", "acd"),
            ("a<think>b", "a"),
            ("<think>", ""),
            ("<think>a<think>b</think>c", "c"),
            ("a</think>b", "b"),
            ("a</think>b</think>c", "c"),
            ("a</think> \n", "a</think> \n"),
            ("<thinking>a</thinking>", "<thinking>a</thinking>"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_thoughts(text), expected, "{text:?}");
        }
    }
}
