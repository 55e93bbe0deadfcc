//! Escapes literal text for Discord, and no more of it than needed: its reader also sees the source.

/// Stands for a mark or a stretch of another style next to the text.
const MARK: char = '\0';

/// Where a text stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// Its first line begins here.
    pub(crate) begins: bool,
    /// Its last line ends here.
    pub(crate) ends: bool,
    /// It stands within bold or italic text.
    pub(crate) emphasised: bool,
    /// An opening bracket could be read as a link's.
    pub(crate) brackets: bool,
    /// The prefix of every line but the first.
    pub(crate) prefix: &'a str,
}

/// Adds a text in which every character means itself.
pub(crate) fn escape(out: &mut String, text: &str, place: &Line<'_>) {
    let mut lines = text.split('\n').peekable();
    let mut begins = place.begins;
    while let Some(line) = lines.next() {
        let is_last = lines.peek().is_none();
        let next = if is_last && !place.ends { MARK } else { '\n' };
        escape_line(out, line, begins, next, place);
        if !is_last {
            out.push('\n');
            out.push_str(place.prefix);
        }
        begins = true;
    }
}

fn escape_line(out: &mut String, line: &str, begins: bool, after: char, place: &Line<'_>) {
    let (mut rest, mut prev) = if begins { begin_line(out, line) } else { (line, MARK) };
    while let Some(c) = rest.chars().next() {
        if c == 'h' && !prev.is_alphanumeric() {
            let address = address(rest);
            if !address.is_empty() {
                out.push_str(address);
                prev = address.chars().next_back().unwrap_or(c);
                rest = &rest[address.len()..];
                continue;
            }
        }
        rest = &rest[c.len_utf8()..];
        let next = rest.chars().next().unwrap_or(after);
        if is_mark(c, prev, next, place) {
            out.push('\\');
        }
        out.push(c);
        prev = c;
    }
}

/// Whether Discord could take the character for something else.
fn is_mark(c: char, prev: char, next: char, place: &Line<'_>) -> bool {
    let touches = |other: char| other == c || other == MARK;
    match c {
        '*' => place.emphasised || !(prev.is_whitespace() && next.is_whitespace()),
        '_' => !(prev.is_ascii_alphanumeric() && next.is_ascii_alphanumeric()),
        '~' | '|' => touches(prev) || touches(next),
        '`' => true,
        '\\' => !(next.is_ascii_alphanumeric() || next.is_whitespace()),
        '[' => place.brackets,
        _ => false,
    }
}

/// Writes what would make a line a heading, quote or list item. Returns the rest, and what stands before it.
fn begin_line<'a>(out: &mut String, line: &'a str) -> (&'a str, char) {
    let text = line.trim_start_matches(' ');
    out.push_str(&line[..line.len() - text.len()]);
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits > 0 && text[digits..].starts_with(". ") {
        out.push_str(&text[..digits]);
        out.push_str("\\.");
        return (&text[digits + 1..], '.');
    }
    let is_sign = match text.chars().next() {
        Some('#') => text.trim_start_matches('#').starts_with(' '),
        Some('>') => true,
        Some('-') => text[1..].starts_with([' ', '#']),
        Some('*') => text[1..].starts_with(' '),
        _ => false,
    };
    if is_sign {
        out.push('\\');
        out.push_str(&text[..1]);
        return (&text[1..], MARK);
    }
    (text, '\n')
}

/// The web address that the text starts with, as far as nothing in it could be read as a mark: Discord
/// makes a link of it, in which escapes would stay.
fn address(text: &str) -> &str {
    if !text.starts_with("http://") && !text.starts_with("https://") {
        return "";
    }
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, '<' | '`' | '|' | '*' | '\\' | '~'));
    &text[..end.unwrap_or(text.len())]
}
