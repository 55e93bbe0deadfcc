//! The signs around an address that close behind it: brackets, marks and the end of a sentence. Pure.
//!
//! Anything else behind an address could be made up to tell something, since whoever follows it sends that along.

/// The signs at the end of a sentence, or of a part of one.
pub(super) const STOPS: &str = ".,;:!?";

/// Marks that set words off, the same on both sides.
const MARKS: &str = "'`*|_~";

/// So many brackets and marks are closed behind an address at most,
const CLOSED: usize = 2;
/// of so many that were opened last.
const OPENED: usize = 3;

/// A bracket or mark that is open, by what closes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opened {
    by: char,
    count: usize,
}

/// Whether a text is the end of a sentence and the partners of what is open, the innermost first, and nothing else.
pub(super) fn closes(mut text: &str, open: &[Opened]) -> bool {
    let mut open = open.iter();
    let (mut is_ended, mut closed) = (false, 0);
    while let Some(sign) = text.chars().next() {
        let count = count(text, sign);
        if STOPS.contains(sign) && (count == 1 || count == 3) && !is_ended {
            is_ended = true;
        } else if closed < CLOSED && open.any(|opened| *opened == Opened { by: sign, count }) {
            closed += 1;
        } else {
            return false;
        }
        text = text.get(count * sign.len_utf8()..).unwrap_or_default();
    }
    true
}

/// How many of a sign at the beginning of a text belong together.
fn count(text: &str, sign: char) -> usize {
    if MARKS.contains(sign) || sign == '.' {
        text.len() - text.trim_start_matches(sign).len()
    } else {
        1
    }
}

/// The brackets and marks open at the places of a text that is read from its beginning.
pub(super) struct Around<'a> {
    text: &'a str,
    at: usize,
    is_in_word: bool,
    open: Vec<Opened>,
}

impl<'a> Around<'a> {
    pub(super) const fn of(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            is_in_word: false,
            open: Vec::new(),
        }
    }

    /// The brackets and marks open before a place, the innermost first. It lies behind the place that was asked for
    /// before.
    pub(super) fn open_at(&mut self, place: usize) -> Vec<Opened> {
        let mut rest = self.text.get(self.at..place).unwrap_or_default();
        while let Some(sign) = rest.chars().next() {
            let count = if MARKS.contains(sign) { count(rest, sign) } else { 1 };
            self.read(sign, count);
            rest = rest.get(count * sign.len_utf8()..).unwrap_or_default();
        }
        self.at = self.at.max(place);
        self.open.iter().rev().take(OPENED).copied().collect()
    }

    fn read(&mut self, sign: char, count: usize) {
        let (by, is_mark) = (partner(sign), MARKS.contains(sign));
        let opened = Opened { by, count };
        if is_mark || ")]}".contains(sign) {
            let mut lately = self.open.iter().rev().take(OPENED);
            match lately.position(|open| *open == opened) {
                Some(depth) => self.open.truncate(self.open.len() - depth - 1),
                None if is_mark && !self.is_in_word => self.open.push(opened),
                None => {}
            }
        } else if by != sign {
            self.open.push(opened);
        }
        self.is_in_word = sign.is_alphanumeric();
    }
}

/// The closing sign of a bracket; of anything else, itself.
const fn partner(sign: char) -> char {
    match sign {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_closed_by_the_partners_of_what_was_opened_and_the_end_of_a_sentence() {
        let cases = [
            ("", "", true),
            ("", ".", true),
            ("", "...", true),
            ("", "..", false),
            ("", ".,", false),
            ("(see ", ").", true),
            ("(see ", ".)", true),
            ("see ", ")", false),
            ("(see) ", ")", false),
            ("**", "**", true),
            ("**", "*", false),
            ("*see ", "*,", true),
            ("a*b ", "*", false),
            ("([", "])", true),
            ("([", ")]", false),
            ("((((", ")))", false),
            ("[**(", ")**]", false),
            ("{[('", "}", false),
            ("~|_;", "_|", true),
            ("~|_;", "_;|~", false),
            ("", "~|_;,~|_~~~|_", false),
        ];
        for (before, behind, expected) in cases {
            let open = Around::of(before).open_at(before.len());
            assert_eq!(closes(behind, &open), expected, "{before:?} {behind:?}");
        }
        // In several steps, it is the same.
        let text = "(a [b] (";
        let mut around = Around::of(text);
        around.open_at(3);
        assert_eq!(around.open_at(text.len()), Around::of(text).open_at(text.len()));
    }
}
