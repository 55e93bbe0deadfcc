//! Leaves out the thoughts of a model.

use std::borrow::Cow;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";
/// The tags around a thought that a reply begins with.
pub const FIRST_THOUGHTS: [(&str, &str); 4] = [
    (OPEN, CLOSE),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<thought>", "</thought>"),
];

/// The text without what stands between `<think>` and `</think>`.
///
/// A thought that is never closed lasts to the end. Some models begin inside a thought, because the opening tag is
/// part of their prompt: then all before a lone closing tag is one, if anything follows it. By another name, such as
/// `<thinking>`, it is a thought only if it begins the reply, ends, and is followed by something: people talk about such
/// tags, too.
#[must_use]
pub fn without_thoughts(text: &str) -> Cow<'_, str> {
    let text = behind_first(text).unwrap_or(text);
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

/// The text behind the thought that it begins with.
fn behind_first(text: &str) -> Option<&str> {
    let text = text.trim_start();
    FIRST_THOUGHTS.iter().find_map(|(open, close)| {
        let (_, after) = text.strip_prefix(open)?.split_once(close)?;
        (!after.trim().is_empty()).then_some(after)
    })
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
            ("\n<thinking>a</thinking>\nb", "\nb"),
            ("<reasoning>a</reasoning>b<think>c</think>d", "bd"),
            ("<thought>a</thinking>b</thought>c", "c"),
            ("<thinking>a", "<thinking>a"),
            ("a <thinking> b</thinking> c", "a <thinking> b</thinking> c"),
            ("<thinker>a</thinker>b", "<thinker>a</thinker>b"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_thoughts(text), expected, "{text:?}");
        }
    }
}
