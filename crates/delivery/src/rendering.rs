//! Markdown as the parts of a message: within the limits of its platform, and as a rich message where that shows more.

use std::borrow::Cow;

use clifford_chat::outbound::{Limits, Part};
use clifford_core::commands;
use clifford_markup::Flavor;

/// A text as parts within a platform's limits.
pub(crate) fn rendered(text: &str, limits: &Limits) -> Vec<Part> {
    let text = &*tappable(text, limits.flavor);
    let mut rendered = clifford_markup::render(text, limits.flavor, limits.text_units);
    let is_one = rendered.len() == 1;
    // A table is one in a rich message alone.
    let rich = || Some(clifford_markup::rich(text)?).filter(|rich| rich.has_table);
    let mut rich = (limits.rich && is_one).then(rich).flatten();
    let parts = rendered.drain(..).map(|part| Part::Text {
        text: part.text,
        plain: part.plain,
        rich: rich.take().map(|rich| rich.html),
        buttons: Vec::new(),
    });
    parts.collect()
}

/// The beginning of a text that its place takes in one part alone, and where it takes rich messages, all of it.
pub(crate) fn as_one(text: &str, limits: &Limits) -> Option<Part> {
    let mut parts = rendered(text, limits).into_iter();
    let first = parts.next()?;
    if parts.next().is_none() {
        return Some(first);
    }
    let text = &*tappable(text, limits.flavor);
    let begin = clifford_markup::head(text, limits.flavor, limits.text_units);
    let rich = limits.rich.then(|| clifford_markup::rich(text)).flatten();
    Some(Part::Text {
        text: begin.text,
        plain: begin.plain,
        rich: rich.map(|rich| rich.html),
        buttons: Vec::new(),
    })
}

/// A text as a file, below its beginning.
pub(crate) fn as_file(name: String, text: &str, limits: &Limits) -> Part {
    let begin = clifford_markup::head(&tappable(text, limits.flavor), limits.flavor, CAPTION_UNITS);
    Part::File {
        name,
        content: text.to_owned(),
        markup: (begin.text != begin.plain).then_some(begin.text),
        caption: begin.plain,
    }
}

/// The most UTF-16 units of a file's caption: what the strictest platform takes (Telegram: 1,024).
const CAPTION_UNITS: usize = 1000;

/// A text whose commands without an argument are no code on Telegram: there a tap on a command gives it, and one on
/// code copies it.
fn tappable(text: &str, flavor: Flavor) -> Cow<'_, str> {
    if flavor != Flavor::TelegramHtml || !text.contains("`/") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("`/") {
        let (before, behind) = (&rest[..at], &rest[at + 2..]);
        out.push_str(before);
        let command = behind.split_once('`').filter(|(name, _)| commands::is_known(name));
        // Another backtick next to it makes it a part of other code.
        let command = command.filter(|(_, after)| !before.ends_with('`') && !after.starts_with('`'));
        rest = match command {
            Some((name, after)) => {
                out.push('/');
                out.push_str(name);
                after
            }
            None => {
                out.push_str("`/");
                behind
            }
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_tapped_on_telegram() {
        for (text, expected) in [
            (
                "`/help` shows `/new NAME` and `/etc`.",
                "/help shows `/new NAME` and `/etc`.",
            ),
            (
                "Write `/pair`, or `/pair approve telegram:123`.",
                "Write /pair, or `/pair approve telegram:123`.",
            ),
            ("``/help`` and `/help", "``/help`` and `/help"),
            ("no command", "no command"),
        ] {
            assert_eq!(tappable(text, Flavor::TelegramHtml), expected);
            assert_eq!(tappable(text, Flavor::Discord), text);
        }
    }

    #[test]
    fn a_table_goes_as_a_rich_message_where_the_platform_takes_such() {
        let limits = |rich| Limits {
            text_units: 4_096,
            flavor: Flavor::TelegramHtml,
            rich,
            ..Limits::default()
        };
        let rich = |text: &str, is_taken| match &rendered(text, &limits(is_taken))[..] {
            [Part::Text { text, rich, .. }] => (
                text.contains("<pre>"),
                rich.as_deref().map(|rich| rich.contains("<table")),
            ),
            other => panic!("{other:?}"),
        };
        let table = "Moons:\n\n|a|b|\n|-|-|\n|1|2|";
        assert_eq!(rich(table, true), (true, Some(true)));
        assert_eq!(rich(table, false), (true, None));
        assert_eq!(rich("# No table", true), (false, None));
        let long = format!("{}{table}", "word ".repeat(1_000));
        let parts = rendered(&long, &limits(true));
        assert!(parts.len() > 1 && parts.iter().all(|part| matches!(part, Part::Text { rich: None, .. })));
    }

    #[test]
    fn a_file_stands_below_its_beginning_as_the_platform_shows_it() {
        let text = format!(
            "**Moons** of `/help`\n\n|a|b|\n|-|-|\n|1|2|\n\n{}",
            "word ".repeat(1_000)
        );
        let drawn = |flavor| {
            let limits = Limits {
                text_units: 4_096,
                flavor,
                ..Limits::default()
            };
            match as_file("answer.md".to_owned(), &text, &limits) {
                Part::File {
                    content,
                    caption,
                    markup,
                    ..
                } => {
                    assert_eq!(content, text);
                    assert!(caption.starts_with("Moons of /help\na | b"), "{caption}");
                    assert!(caption.ends_with('…'), "{caption}");
                    assert!(caption.encode_utf16().count() <= CAPTION_UNITS);
                    markup
                }
                other => panic!("{other:?}"),
            }
        };
        let drawn_for = |flavor| drawn(flavor).unwrap_or_default();
        for (text, marks) in [
            (drawn_for(Flavor::TelegramHtml), ["<b>Moons</b> of /help", "<pre>", "…"]),
            (drawn_for(Flavor::Discord), ["**Moons** of `/help`", "```", "…"]),
        ] {
            assert!(marks.iter().all(|mark| text.contains(mark)), "{text}");
        }
        assert_eq!(drawn(Flavor::Plain), None);
    }

    #[test]
    fn where_one_message_is_taken_the_rest_goes_as_a_rich_one_or_is_left_out() {
        let limits = |rich| Limits {
            text_units: 100,
            rich,
            ..Limits::default()
        };
        let long = "word ".repeat(100);
        for (is_taken, expected) in [(true, Some(long.trim().len() + "<p></p>".len())), (false, None)] {
            let Some(Part::Text { text, plain, rich, .. }) = as_one(&long, &limits(is_taken)) else {
                panic!("no text")
            };
            assert!(
                text.ends_with('…') && text == plain && text.encode_utf16().count() <= 100,
                "{text}"
            );
            assert_eq!(rich.map(|rich| rich.len()), expected);
        }
        let short = as_one("word", &limits(true));
        assert_eq!(short, rendered("word", &limits(true)).pop());
        assert_eq!(as_one(" ", &limits(true)), None);
    }
}
