//! Leaves as Telegram's HTML: only tags that it knows, always closed.
//!
//! <https://core.telegram.org/bots/api#html-style>

use crate::{
    mentions::apart,
    style::{Edges, Mark, Run, Sink, Span, Style, nest},
    tree::{Document, Frame, Gap, Kind, Leaf, Link, Marker, Piece},
    units,
};

/// Commands that show something, or ask before they do anything: one tap by mistake does no harm. Those that answer a
/// question, stop or undo stay code.
pub const TAPPED: [&str; 18] = [
    "help",
    "contexts",
    "continue",
    "memory",
    "reminders",
    "link",
    "unlink",
    "export",
    "erase",
    "key",
    "settings",
    "model",
    "usage",
    "why",
    "whoami",
    "pair",
    "dashboard",
    "new",
];

/// Draws pieces as HTML. Returns it with the UTF-16 units of what can be seen, which is what Telegram
/// counts.
pub(crate) fn draw<'a>(document: &Document, pieces: impl Iterator<Item = Piece<'a>>) -> (String, usize) {
    let mut page = Page {
        html: String::new(),
        seen: 0,
        indent: 0,
        links: &document.links,
    };
    let mut quoted = None;
    for (index, piece) in pieces.enumerate() {
        let quote = piece.leaf.frame.quote.map(|quote| quote.id);
        if quoted.is_some() && quoted != quote {
            page.tag("</blockquote>");
        }
        if index > 0 {
            page.write(if piece.leaf.gap == Gap::Paragraph { "\n\n" } else { "\n" });
        }
        if quote.is_some() && quoted != quote {
            page.tag("<blockquote>");
        }
        quoted = quote;
        page.draw_piece(&piece);
    }
    if quoted.is_some() {
        page.tag("</blockquote>");
    }
    (page.html, page.seen)
}

/// Draws one text with its styles.
pub(crate) fn inline(text: String, runs: Vec<Run>, links: &[Link]) -> String {
    let leaf = Leaf {
        kind: Kind::Text,
        frame: Frame::default(),
        gap: Gap::Line,
        text,
        runs,
    };
    let mut page = Page {
        html: String::new(),
        seen: 0,
        indent: 0,
        links,
    };
    page.draw_text(
        &Piece {
            leaf: &leaf,
            start: 0,
            end: leaf.text.len(),
        },
        false,
    );
    page.html
}

struct Page<'a> {
    html: String,
    /// UTF-16 units outside of tags.
    seen: usize,
    /// Columns before every line but the first of the piece that is drawn.
    indent: usize,
    links: &'a [Link],
}

impl Page<'_> {
    fn draw_piece(&mut self, piece: &Piece<'_>) {
        match &piece.leaf.kind {
            Kind::Code(language) => self.draw_code(language, piece.text()),
            Kind::Text => self.draw_text(piece, false),
            Kind::Heading(_) => self.draw_text(piece, true),
        }
    }

    fn draw_code(&mut self, language: &str, text: &str) {
        self.indent = 0;
        if language.is_empty() {
            self.tag("<pre>");
            self.write(text);
            self.tag("</pre>");
        } else {
            self.tag("<pre><code class=\"language-");
            escape_attribute(&mut self.html, language);
            self.tag("\">");
            self.write(text);
            self.tag("</code></pre>");
        }
    }

    fn draw_text(&mut self, piece: &Piece<'_>, bold: bool) {
        self.indent = 0;
        self.spaces(piece.first_indent());
        if let Some(marker) = piece.marker() {
            self.write(&spell(marker));
        }
        self.indent = piece.leaf.frame.inner;
        let mut spans = piece.spans();
        for span in &mut spans {
            span.style = allowed(Style {
                bold: bold || span.style.bold,
                code: span.style.code && !is_tapped(span.text),
                ..span.style
            });
        }
        nest(&spans, self);
    }

    fn tag(&mut self, tag: &str) {
        self.html.push_str(tag);
    }

    fn spaces(&mut self, count: usize) {
        self.html.extend(std::iter::repeat_n(' ', count));
        self.seen += count;
    }

    fn write(&mut self, text: &str) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.html.push('\n');
                self.seen += 1;
                if !line.is_empty() {
                    self.spaces(self.indent);
                }
            }
            escape(&mut self.html, line);
            self.seen += units(line);
        }
    }
}

impl Sink for Page<'_> {
    fn open(&mut self, mark: Mark) {
        if let Mark::Link(link) = mark {
            self.tag("<a href=\"");
            if let Some(link) = self.links.get(link) {
                escape_attribute(&mut self.html, &link.url);
            }
            self.tag("\">");
        } else {
            self.html.push('<');
            self.tag(name(mark));
            self.html.push('>');
        }
    }

    fn close(&mut self, mark: Mark, _last: &Span<'_>) {
        self.tag("</");
        self.tag(name(mark));
        self.html.push('>');
    }

    fn text(&mut self, span: &Span<'_>, _edges: Edges) {
        if span.style.code {
            self.write(span.text);
        } else {
            let before = self.html.chars().next_back().filter(|c| *c != '>');
            self.write(&apart(span.text, before));
        }
    }
}

const fn name(mark: Mark) -> &'static str {
    match mark {
        Mark::Spoiler => "tg-spoiler",
        Mark::Link(_) => "a",
        Mark::Bold => "b",
        Mark::Italic => "i",
        Mark::Strike => "s",
        Mark::Code => "code",
    }
}

/// Whether a piece of code is a command that is better tapped than copied: Telegram makes a link of it in plain text, and a
/// tap sends it.
fn is_tapped(code: &str) -> bool {
    code.strip_prefix('/').is_some_and(|name| TAPPED.contains(&name))
}

/// Code cannot be anything else on Telegram: what hides or leads somewhere matters more than its looks.
fn allowed(style: Style) -> Style {
    match style {
        Style {
            code: true,
            spoiler: false,
            link: None,
            ..
        } => Style {
            code: true,
            ..Style::default()
        },
        other => Style { code: false, ..other },
    }
}

fn spell(marker: Marker) -> String {
    let box_sign = marker.task.map_or("", |done| if done { "☑ " } else { "☐ " });
    match marker.number {
        Some(number) => format!("{number}. {box_sign}"),
        None if box_sign.is_empty() => "• ".to_owned(),
        None => box_sign.to_owned(),
    }
}

/// Escapes text, in which a quotation mark means nothing.
pub(crate) fn escape(html: &mut String, text: &str) {
    escape_these(html, text, &['&', '<', '>']);
}

fn escape_attribute(html: &mut String, text: &str) {
    escape_these(html, text, &['&', '<', '>', '"']);
}

fn escape_these(html: &mut String, text: &str, signs: &[char]) {
    let mut rest = text;
    while let Some(at) = rest.find(signs) {
        html.push_str(&rest[..at]);
        html.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            _ => "&quot;",
        });
        rest = &rest[at + 1..];
    }
    html.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::is_tapped;

    #[test]
    fn a_bare_command_that_does_no_harm_is_tapped() {
        for (code, expected) in [
            ("/help", true),
            ("/new", true),
            ("/help chats", false),
            ("/approve", false),
            ("/undo", false),
            ("/etc", false),
            ("help", false),
        ] {
            assert_eq!(is_tapped(code), expected, "{code}");
        }
    }
}
