//! The difference between two texts, by lines, with the words that changed marked in them. Pure.

use clifford_core::alignment::{Row, align};
use maud::{Markup, html};

use super::clean;

/// How many lines that stayed are shown around those that changed.
const AROUND: usize = 2;

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line<'a> {
    /// It is in both.
    Same(&'a str),
    /// It goes; with the places of its words that do.
    Gone(Vec<Piece<'a>>),
    /// It comes.
    New(Vec<Piece<'a>>),
    /// So many lines that are in both are left out.
    Skipped(usize),
}

/// A piece of a line, and whether the other text lacks it.
type Piece<'a> = (&'a str, bool);

/// The difference, as a part of a page.
pub(crate) fn draw(then: &str, now: &str) -> Markup {
    let lines = lines(then, now);
    html! {
        div.difference tabindex="0" role="group" aria-label="Difference" {
            @if then.trim() == now.trim() { p.quiet { "Both say the same." } }
            @for line in &lines {
                @match line {
                    Line::Same(text) => p dir="auto" { (clean(text)) },
                    Line::Gone(pieces) => del dir="auto" { span.hidden { "Goes: " } (marked(pieces)) },
                    Line::New(pieces) => ins dir="auto" { span.hidden { "Comes: " } (marked(pieces)) },
                    Line::Skipped(count) => p.skipped { "… " (count) @if *count == 1 { " line stays" } @else { " lines stay" } },
                }
            }
        }
    }
}

fn marked(pieces: &[Piece<'_>]) -> Markup {
    html! {
        @for together in pieces.chunk_by(|a, b| a.1 == b.1) {
            @let text = clean(&together.iter().map(|piece| piece.0).collect::<String>());
            @if together.iter().any(|piece| piece.1) { mark { (text) } } @else { (text) }
        }
    }
}

fn lines<'a>(then: &'a str, now: &'a str) -> Vec<Line<'a>> {
    let (then, now): (Vec<_>, Vec<_>) = (then.lines().collect(), now.lines().collect());
    let mut lines = Vec::new();
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    for row in align(&then, &now) {
        match row {
            Row::Both(place, _) => {
                changed(&mut lines, &mut gone, &mut new);
                lines.extend(then.get(place).copied().map(Line::Same));
            }
            Row::Left(place) => gone.extend(then.get(place).copied()),
            Row::Right(place) => new.extend(now.get(place).copied()),
        }
    }
    changed(&mut lines, &mut gone, &mut new);
    around(lines)
}

/// Takes over lines that went and came in the same place: each next to the one that it replaced.
fn changed<'a>(lines: &mut Vec<Line<'a>>, gone: &mut Vec<&'a str>, new: &mut Vec<&'a str>) {
    let pairs: Vec<_> = gone
        .iter()
        .zip(new.iter())
        .map(|(then, now)| words(then, now))
        .collect();
    let whole = |text: &&'a str| vec![(*text, false)];
    let lefts = pairs.iter().map(|(left, _)| left.clone());
    let rights = pairs.iter().map(|(_, right)| right.clone());
    lines.extend(lefts.chain(gone.iter().skip(pairs.len()).map(whole)).map(Line::Gone));
    lines.extend(rights.chain(new.iter().skip(pairs.len()).map(whole)).map(Line::New));
    gone.clear();
    new.clear();
}

/// Two lines by their words, each with whether the other lacks it. Lines without a word in common are not marked: all
/// of them changed.
fn words<'a>(then: &'a str, now: &'a str) -> (Vec<Piece<'a>>, Vec<Piece<'a>>) {
    let split = |text: &'a str| text.split_inclusive(char::is_whitespace).collect::<Vec<_>>();
    let (then, now) = (split(then), split(now));
    let bare = |words: &[&'a str]| words.iter().map(|word| word.trim_end()).collect::<Vec<_>>();
    let (mut left, mut right): (Vec<Piece<'a>>, Vec<Piece<'a>>) = (Vec::new(), Vec::new());
    for row in align(&bare(&then), &bare(&now)) {
        let (one, other, is_other) = match row {
            Row::Both(a, b) => (then.get(a), now.get(b), false),
            Row::Left(a) => (then.get(a), None, true),
            Row::Right(b) => (None, now.get(b), true),
        };
        left.extend(one.map(|word| (*word, is_other)));
        right.extend(other.map(|word| (*word, is_other)));
    }
    if left.iter().chain(&right).all(|(_, is_other)| *is_other) {
        left.iter_mut().chain(&mut right).for_each(|piece| piece.1 = false);
    }
    (left, right)
}

/// Leaves out lines that stayed, but for some around each that did not.
fn around(lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let is_same = |line: &Line<'_>| matches!(line, Line::Same(_));
    let near = |place: usize| {
        let from = place.saturating_sub(AROUND);
        lines
            .iter()
            .skip(from)
            .take(place - from + AROUND + 1)
            .any(|line| !is_same(line))
    };
    let is_shown: Vec<_> = (0..lines.len()).map(near).collect();
    let mut shown: Vec<Line<'_>> = Vec::new();
    for (line, is_shown) in lines.into_iter().zip(is_shown) {
        match (is_shown, shown.last_mut()) {
            (true, _) => shown.push(line),
            (false, Some(Line::Skipped(count))) => *count += 1,
            (false, _) => shown.push(Line::Skipped(1)),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(then: &str, now: &str) -> Vec<String> {
        let pieces = |pieces: &[Piece<'_>]| {
            let piece = |(text, is_other): &Piece<'_>| {
                if *is_other {
                    format!("[{text}]")
                } else {
                    (*text).to_owned()
                }
            };
            pieces.iter().map(piece).collect::<String>()
        };
        let line = |line: &Line<'_>| match line {
            Line::Same(text) => format!("  {text}"),
            Line::Gone(of) => format!("- {}", pieces(of)),
            Line::New(of) => format!("+ {}", pieces(of)),
            Line::Skipped(count) => format!("… {count}"),
        };
        lines(then, now).iter().map(line).collect()
    }

    #[test]
    fn lines_that_went_and_came_stand_together_with_their_words_marked() {
        assert_eq!(
            told("be kind\nbe short", "be very kind\nbe short"),
            ["- be kind", "+ be [very ]kind", "  be short"]
        );
        assert_eq!(told("one\ntwo", "three"), ["- one", "- two", "+ three"]);
        assert_eq!(told("", "one\ntwo"), ["+ one", "+ two"]);
        assert_eq!(told("one", ""), ["- one"]);
        assert_eq!(told("one", "one"), ["… 1"]);
    }

    #[test]
    fn what_stays_far_from_a_change_is_left_out() {
        let then: Vec<_> = (1..=9).map(|number| number.to_string()).collect();
        let mut now = then.clone();
        now[4] = "five".to_owned();
        assert_eq!(
            told(&then.join("\n"), &now.join("\n")),
            ["… 2", "  3", "  4", "- 5", "+ five", "  6", "  7", "… 2"]
        );
    }

    #[test]
    fn words_of_strangers_stay_words() {
        let shown = draw("<b>a</b>", "<script>alert(1)</script>\u{202e}").into_string();
        assert!(
            shown.contains("&lt;b&gt;a&lt;/b&gt;") && shown.contains("&lt;script&gt;"),
            "{shown}"
        );
        assert!(!shown.contains("<script>") && !shown.contains('\u{202e}'), "{shown}");
    }
}
