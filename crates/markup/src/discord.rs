//! Leaves as Discord's Markdown, in which literal text stays literal.

use std::fmt::Write as _;

use crate::{
    escape::{Line, escape},
    links,
    style::{Edges, Mark, Sink, Span, Style, nest},
    tree::{Document, Gap, Kind, Link, Marker, Piece},
};

/// Keeps two marks, or two backticks, from being read as one.
const NOTHING: char = '\u{200b}';

/// Draws pieces as Markdown.
pub(crate) fn draw<'a>(document: &Document, pieces: impl Iterator<Item = Piece<'a>>) -> String {
    let mut page = Page {
        out: String::new(),
        prefix: String::new(),
        brackets: false,
        closed: false,
        links: &document.links,
    };
    let mut quoted = None;
    for (index, piece) in pieces.enumerate() {
        let quote = piece.leaf.frame.quote.map(|quote| quote.id);
        if index > 0 {
            page.out.push('\n');
            if piece.leaf.gap == Gap::Paragraph {
                page.out.push_str(if quote.is_some() && quoted == quote {
                    "> \n"
                } else {
                    "\n"
                });
            }
        }
        quoted = quote;
        page.draw_piece(&piece);
    }
    page.out
}

struct Page<'a> {
    out: String,
    /// The prefix of every line but the first of the piece that is drawn.
    prefix: String,
    /// An opening bracket in the piece could be read as a link's.
    brackets: bool,
    /// The last thing that was drawn is the end of a mark.
    closed: bool,
    links: &'a [Link],
}

impl Page<'_> {
    fn draw_piece(&mut self, piece: &Piece<'_>) {
        // Discord knows one level of quotes.
        let quote = if piece.leaf.frame.quote.is_some() { "> " } else { "" };
        self.out.push_str(quote);
        quote.clone_into(&mut self.prefix);
        match &piece.leaf.kind {
            Kind::Code(language) => self.draw_code(language, piece.text()),
            Kind::Text => self.draw_text(piece, ""),
            Kind::Heading(1) => self.draw_text(piece, "# "),
            Kind::Heading(2) => self.draw_text(piece, "## "),
            Kind::Heading(3) => self.draw_text(piece, "### "),
            Kind::Heading(_) => self.draw_text(piece, "**"),
        }
    }

    fn draw_code(&mut self, language: &str, text: &str) {
        self.out.push_str("```");
        self.out.push_str(language);
        for line in text.split('\n') {
            self.out.push('\n');
            self.out.push_str(&self.prefix);
            push_apart(&mut self.out, line);
        }
        self.out.push('\n');
        self.out.push_str(&self.prefix);
        self.out.push_str("```");
    }

    /// `heading` is Discord's mark for it; `**` stands for the lower ones, which it does not know.
    fn draw_text(&mut self, piece: &Piece<'_>, heading: &str) {
        self.spaces(piece.first_indent());
        if let Some(marker) = piece.marker() {
            spell(&mut self.out, marker);
        }
        self.prefix.extend(std::iter::repeat_n(' ', piece.leaf.frame.inner));
        self.brackets = piece.text().contains("](");
        self.closed = false;
        let mut spans = piece.spans();
        if heading == "**" {
            for span in &mut spans {
                span.style.bold = true;
            }
        } else {
            self.out.push_str(heading);
        }
        nest(&spans, self);
    }

    fn spaces(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n(' ', count));
    }

    /// The link, if Discord can show it as `[text](url)`.
    fn masked(&self, link: usize) -> Option<&Link> {
        self.links
            .get(link)
            .filter(|link| link.maskable && link.url.get(..4).is_some_and(is_http))
    }

    fn draw_code_span(&mut self, text: &str) {
        let (fence, pad) = match text {
            text if !text.contains('`') => ("`", ""),
            text if text.starts_with('`') || text.ends_with('`') => ("``", " "),
            _ => ("``", ""),
        };
        self.out.extend([fence, pad]);
        push_apart(&mut self.out, text);
        self.out.extend([pad, fence]);
    }
}

impl Sink for Page<'_> {
    fn open(&mut self, mark: Mark) {
        let sign = match mark {
            Mark::Link(link) if self.masked(link).is_some() => "[",
            Mark::Link(_) | Mark::Code => return,
            other => sign(other),
        };
        if self.closed && self.out.chars().next_back() == sign.chars().next() {
            self.out.push(NOTHING);
        }
        self.closed = false;
        self.out.push_str(sign);
    }

    fn close(&mut self, mark: Mark, last: &Span<'_>) {
        self.closed = true;
        match mark {
            Mark::Code => {}
            Mark::Link(link) => {
                let masked = self.masked(link).map(|link| encode(&link.url));
                if let Some(url) = masked {
                    let _infallible = write!(self.out, "]({url})");
                } else if let Some(link) = self.links.get(link).filter(|_| last.link_ends) {
                    let _infallible = write!(self.out, " ({})", encode(links::display(&link.url)));
                }
            }
            other => self.out.push_str(sign(other)),
        }
    }

    fn text(&mut self, span: &Span<'_>, edges: Edges) {
        self.closed = false;
        let Style {
            bold,
            italic,
            code,
            link,
            ..
        } = span.style;
        if code {
            // Between two pieces of code there may have been something that is not shown.
            if self.out.ends_with('`') {
                self.out.push(NOTHING);
            }
            self.draw_code_span(span.text);
            self.closed = true;
            return;
        }
        let masked = link.is_some_and(|link| self.masked(link).is_some());
        let line = Line {
            begins: edges.first,
            ends: edges.last,
            emphasised: bold || italic,
            brackets: self.brackets && !masked,
            prefix: &self.prefix,
        };
        escape(&mut self.out, span.text, &line);
    }
}

const fn sign(mark: Mark) -> &'static str {
    match mark {
        Mark::Spoiler => "||",
        Mark::Bold => "**",
        Mark::Italic => "*",
        Mark::Strike => "~~",
        Mark::Code | Mark::Link(_) => "",
    }
}

fn spell(out: &mut String, marker: Marker) {
    let _infallible = match marker.number {
        Some(number) => write!(out, "{number}. "),
        None => write!(out, "- "),
    };
    out.push_str(marker.task.map_or("", |done| if done { "☑ " } else { "☐ " }));
}

const fn is_http(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http")
}

/// Writes code so that no two backticks in it stand together: nothing can escape them there.
fn push_apart(out: &mut String, text: &str) {
    let mut tick = false;
    for c in text.chars() {
        if tick && c == '`' {
            out.push(NOTHING);
        }
        tick = c == '`';
        out.push(c);
    }
}

/// Hides from Discord what would end an address early or be read as a mark.
fn encode(url: &str) -> String {
    let mut encoded = String::with_capacity(url.len());
    for c in url.chars() {
        if matches!(c, '(' | ')' | '<' | '>' | '\\' | '`' | '|' | '*') {
            let _infallible = write!(encoded, "%{:02X}", u32::from(c));
        } else {
            encoded.push(c);
        }
    }
    encoded
}
