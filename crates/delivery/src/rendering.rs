//! Markdown as the parts of a message: within the limits of its platform, and as a rich message where that shows more.

use clifford_chat::outbound::{Limits, Part};

/// A text as parts within a platform's limits.
pub(crate) fn rendered(text: &str, limits: &Limits) -> Vec<Part> {
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
    let room = limits.text_units.saturating_sub(CUT.len_utf16());
    let begin = clifford_markup::render(text, limits.flavor, room).into_iter().next()?;
    let rich = limits.rich.then(|| clifford_markup::rich(text)).flatten();
    Some(Part::Text {
        text: format!("{}{CUT}", begin.text),
        plain: format!("{}{CUT}", begin.plain),
        rich: rich.map(|rich| rich.html),
        buttons: Vec::new(),
    })
}

/// Stands where a text was cut.
const CUT: char = '…';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_goes_as_a_rich_message_where_the_platform_takes_such() {
        let limits = |rich| Limits {
            text_units: 4_096,
            flavor: clifford_markup::Flavor::TelegramHtml,
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
