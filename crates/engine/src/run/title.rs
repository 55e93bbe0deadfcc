//! Titles of conversations that nobody named: what was asked first, as the person wrote it. Words that stand there for
//! the model alone (quotes, the speaker's name, marks of files, of forwarded texts and of spoken words) are left out.

use clifford_chat::inbound::FORWARDED;
use clifford_store::messages::replies::without_quotes;

/// The most characters of a title.
const MOST: usize = 48;
/// The mark before words that were spoken.
pub(super) const SPOKEN: &str = "Spoken: ";

/// The title after a run's input; `is_shared`: each message in it begins with its speaker's name.
pub(crate) fn of(input: &str, is_shared: bool) -> String {
    let (lines, file) = written(input, is_shared);
    let words = shortened(&lines.join("\n"));
    match file {
        Some(file) if words.is_empty() => shortened(&file),
        _ => words,
    }
}

/// A run's input as its person wrote it.
pub fn as_written(input: &str, is_shared: bool) -> String {
    written(input, is_shared).0.join("\n").trim().to_owned()
}

/// The lines that were written, and the first file among them.
fn written(input: &str, is_shared: bool) -> (Vec<String>, Option<String>) {
    let own = without_quotes(input);
    let mut file = None;
    let lines = own.lines().filter_map(|line| {
        let line = line.trim();
        let line = match line.split_once("] ") {
            Some((speaker, said)) if is_shared && speaker.starts_with('[') && !is_mark(line) => said,
            _ => line,
        };
        let line = line.strip_prefix(FORWARDED).unwrap_or(line);
        let line = line.strip_prefix(SPOKEN).unwrap_or(line);
        match mark(line) {
            Some(named) => {
                file.get_or_insert(named);
                None
            }
            None => Some(line.to_owned()),
        }
    });
    (lines.collect(), file)
}

/// All titles that a conversation may have been given after a text, also by earlier versions.
pub(crate) fn all_of(input: &str) -> [String; 4] {
    let words = of(input, true);
    [
        of(input, false),
        shortened(&without_quotes(input)),
        shortened(&format!("{SPOKEN}{words}")),
        words,
    ]
}

fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= MOST {
        return text;
    }
    let head: String = text.chars().take(MOST - 1).collect();
    format!("{}…", head.trim_end())
}

fn is_mark(line: &str) -> bool {
    mark(line).is_some()
}

/// The name of the file that a line stands for (`[document: report.pdf]`), else its kind (`[voice]`).
fn mark(line: &str) -> Option<String> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let (kind, name) = inner
        .split_once(": ")
        .map_or((inner, None), |(kind, name)| (kind, Some(name)));
    let is_kind = !kind.is_empty() && kind.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == ' ');
    if !is_kind || name.is_some_and(|name| name.contains(['[', ']'])) {
        return None;
    }
    Some(name.map_or_else(
        || {
            let mut letters = kind.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters).collect()
        },
        str::to_owned,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_what_was_written() {
        let cases = [
            ("about cats", false, "about cats"),
            ("[Ada] about cats", true, "about cats"),
            ("[Ada] one\n[Bob] two", true, "one two"),
            // In private nobody's name stands there.
            ("[draft] a letter", false, "[draft] a letter"),
            ("[voice]", false, "Voice"),
            ("[Ada] [voice]", true, "Voice"),
            ("[Ada] look\n[photo]", true, "look"),
            ("[photo: cat.jpg]", false, "cat.jpg"),
            ("what is it?\n[document: a report.pdf]", false, "what is it?"),
            ("[forwarded] the news", false, "the news"),
            ("[voice]\nSpoken: what is on today", false, "what is on today"),
            ("[Ada] [voice]\nSpoken: what is on today", true, "what is on today"),
            ("a list [1] of things", true, "a list [1] of things"),
            ("", true, ""),
        ];
        for (input, is_shared, title) in cases {
            assert_eq!(of(input, is_shared), title, "{input}");
        }
        let long = of(&"word ".repeat(20), false);
        assert_eq!((long.chars().count(), long.ends_with('…')), (48, true), "{long}");
    }

    #[test]
    fn titles_of_earlier_versions_are_found_too() {
        assert!(all_of("[Ada] about cats").contains(&"[Ada] about cats".to_owned()));
        assert!(all_of("[Ada] about cats").contains(&"about cats".to_owned()));
        assert!(all_of("[Ada] [voice]\nSpoken: hi").contains(&"Spoken: hi".to_owned()));
    }
}
