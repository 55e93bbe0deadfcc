//! Leaves as text without markup.

use crate::{
    links,
    style::{Run, Span},
    tree::{Document, Frame, Gap, Kind, Leaf, Link, Marker, Piece},
};

/// Draws pieces as plain text: quotes keep `>`, lists their markers, links their address.
pub(crate) fn draw<'a>(document: &Document, pieces: impl Iterator<Item = Piece<'a>>) -> String {
    let mut out = String::new();
    let mut before: Option<&Leaf> = None;
    for piece in pieces {
        let leaf = piece.leaf;
        if let Some(before) = before {
            push_gap(&mut out, before, leaf);
        }
        draw_piece(&mut out, document, &piece);
        before = Some(leaf);
    }
    out
}

/// Ends the line of one leaf, and sets the next one apart.
pub(crate) fn push_gap(out: &mut String, before: &Leaf, leaf: &Leaf) {
    out.push('\n');
    if leaf.gap == Gap::Paragraph {
        let shared = before
            .frame
            .quote
            .filter(|quote| leaf.frame.quote.is_some_and(|own| own.id == quote.id));
        push_quote(out, shared.map_or(0, |quote| quote.depth), "");
        out.push('\n');
    }
}

fn draw_piece(out: &mut String, document: &Document, piece: &Piece<'_>) {
    let Frame { quote, inner, .. } = piece.leaf.frame;
    let depth = quote.map_or(0, |quote| quote.depth);
    let text = match piece.leaf.kind {
        Kind::Code(_) => return push_lines(out, piece.text(), depth, 0, 0),
        Kind::Text | Kind::Heading(_) => with_addresses(&piece.spans(), &document.links),
    };
    let text = match piece.marker() {
        Some(marker) => format!("{}{text}", spell(marker)),
        None => text,
    };
    push_lines(out, &text, depth, piece.first_indent(), inner);
}

/// The marker before a list item.
pub(crate) fn spell(marker: Marker) -> String {
    let bullet = marker
        .number
        .map_or_else(|| "- ".to_owned(), |number| format!("{number}. "));
    let task = marker.task.map_or("", |done| if done { "[x] " } else { "[ ] " });
    bullet + task
}

/// Writes the lines of a leaf behind the marks of its quotes and its indents.
pub(crate) fn push_lines(out: &mut String, text: &str, quotes: usize, first_indent: usize, indent: usize) {
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        push_quote(out, quotes, line);
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', if index == 0 { first_indent } else { indent }));
            out.push_str(line);
        }
    }
}

/// The marks of quotes before a line.
fn push_quote(out: &mut String, depth: usize, line: &str) {
    for level in 1..=depth {
        out.push('>');
        if level < depth || !line.is_empty() {
            out.push(' ');
        }
    }
}

/// Spans as text, each link followed by its address.
fn with_addresses(spans: &[Span<'_>], links: &[Link]) -> String {
    let mut text = String::new();
    for span in spans {
        text.push_str(span.text);
        if let Some(link) = span
            .style
            .link
            .filter(|_| span.link_ends)
            .and_then(|link| links.get(link))
        {
            text.push_str(" (");
            text.push_str(links::display(&link.url));
            text.push(')');
        }
    }
    text
}

/// Styled text as one plain line, for a table's cell.
pub(crate) fn line(text: &str, runs: &[Run], links: &[Link]) -> String {
    let mut start = 0;
    let spans: Vec<Span<'_>> = runs
        .iter()
        .enumerate()
        .map(|(index, run)| {
            let link_ends = runs.get(index + 1).is_none_or(|next| next.style.link != run.style.link);
            let span = Span {
                text: &text[start..run.end],
                style: run.style,
                link_ends,
            };
            start = run.end;
            span
        })
        .collect();
    with_addresses(&spans, links).replace('\n', " ")
}
