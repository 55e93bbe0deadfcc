//! Colours, on terminals only: they are marked in a text until it is printed.

use std::{
    borrow::Cow,
    io::{self, IsTerminal},
    sync::LazyLock,
};

/// How a word is set off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Paint {
    /// Good.
    Green,
    /// To be looked at.
    Yellow,
    /// Bad.
    Red,
    /// A heading.
    Bold,
    /// Less important.
    Dim,
}

impl Paint {
    const ALL: [Self; 5] = [Self::Green, Self::Yellow, Self::Red, Self::Bold, Self::Dim];

    /// Its sign in a marked text.
    fn sign(self) -> char {
        match self {
            Self::Green => 'g',
            Self::Yellow => 'y',
            Self::Red => 'r',
            Self::Bold => 'b',
            Self::Dim => 'd',
        }
    }

    /// Its number, as a terminal knows it.
    fn code(self) -> u8 {
        match self {
            Self::Green => 32,
            Self::Yellow => 33,
            Self::Red => 31,
            Self::Bold => 1,
            Self::Dim => 2,
        }
    }
}

/// A word in colour, if standard output is a terminal that wants colours.
pub(in crate::cli) fn paint(paint: Paint, text: &str) -> String {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if plain || !io::stdout().is_terminal() {
        return text.to_owned();
    }
    marked(paint, text)
}

/// A text between the marks of a colour.
pub(super) fn marked(paint: Paint, text: &str) -> String {
    format!("{0}{1}{text}{0}.", *MARK, paint.sign())
}

/// Stands where a colour begins or ends until the text is printed. Drawn for this process: no text from elsewhere holds
/// it.
static MARK: LazyLock<String> = LazyLock::new(|| {
    let drawn = std::iter::repeat_with(|| rand::random_range('\u{fdd0}'..='\u{fdef}'));
    drawn.take(12).collect()
});

/// The text of a marked text, and its colour, if it has one.
pub(super) fn parts(text: &str) -> (Option<Paint>, String) {
    let mut pieces = text.split(&**MARK);
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    let mut paint = None;
    for piece in pieces {
        let mut rest = piece.chars();
        let sign = rest.next();
        paint = paint.or_else(|| Paint::ALL.into_iter().find(|paint| Some(paint.sign()) == sign));
        whole.push_str(rest.as_str());
    }
    (paint, whole)
}

/// A text with its colours as a terminal knows them.
pub(super) fn coloured(text: &str) -> Cow<'_, str> {
    if !text.contains(&**MARK) {
        return Cow::Borrowed(text);
    }
    let mut pieces = text.split(&**MARK);
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let mut rest = piece.chars();
        let sign = rest.next();
        let paint = Paint::ALL.into_iter().find(|paint| Some(paint.sign()) == sign);
        whole.push_str(&format!("\u{1b}[{}m", paint.map_or(0, Paint::code)));
        whole.push_str(rest.as_str());
    }
    Cow::Owned(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_colours_but_those_that_are_painted() {
        let painted = format!("{} {}", marked(Paint::Red, "FAIL"), "\u{1b}[32mok\u{9b}0m");
        assert_eq!(
            coloured(&clifford_markup::for_terminal(&painted)),
            "\u{1b}[31mFAIL\u{1b}[0m [32mok0m"
        );
    }

    #[test]
    fn a_marked_text_is_its_words_and_a_colour() {
        let text = format!("a {} b", marked(Paint::Green, "on"));
        assert_eq!(parts(&text), (Some(Paint::Green), "a on b".to_owned()));
        assert_eq!(parts("plain"), (None, "plain".to_owned()));
    }
}
