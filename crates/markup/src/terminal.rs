//! Leaves as a terminal shows them: plain text in which emphasis and code are dressed by its control sequences.
//!
//! Text of people and models is passed through [`for_terminal`] first, so that every control sequence in what is drawn
//! is one of [`DRESSES`].

use crate::{
    hidden::for_terminal,
    links, plain,
    style::{Span, Style},
    tree::{Document, Gap, Kind, Leaf, Link, Piece},
};

const BOLD: &str = "\u{1b}[1m";
const ITALIC: &str = "\u{1b}[3m";
const STRIKE: &str = "\u{1b}[9m";
const CODE: &str = "\u{1b}[36m";
const PLAIN: &str = "\u{1b}[0m";
/// Every control sequence that a text for a terminal may hold.
pub const DRESSES: [&str; 5] = [BOLD, ITALIC, STRIKE, CODE, PLAIN];
/// Stands before each line of code.
const INDENT: &str = "    ";

/// Draws pieces as text for a terminal.
pub(crate) fn draw<'a>(document: &Document, pieces: impl Iterator<Item = Piece<'a>>) -> String {
    let mut out = String::new();
    let mut before: Option<&Leaf> = None;
    for piece in pieces {
        let leaf = piece.leaf;
        if let Some(before) = before {
            plain::push_gap(&mut out, before, leaf);
            let is_code = |leaf: &Leaf| matches!(leaf.kind, Kind::Code(_));
            // Code stands apart.
            if leaf.gap == Gap::Line && (is_code(leaf) || is_code(before)) && leaf.frame.quote.is_none() {
                out.push('\n');
            }
        }
        draw_piece(&mut out, document, &piece);
        before = Some(leaf);
    }
    out
}

fn draw_piece(out: &mut String, document: &Document, piece: &Piece<'_>) {
    let depth = piece.leaf.frame.quote.map_or(0, |quote| quote.depth);
    let text = match piece.leaf.kind {
        Kind::Code(_) => {
            let lines = piece.text().split('\n').map(|line| match line {
                "" => String::new(),
                line => format!("{INDENT}{CODE}{}{PLAIN}", for_terminal(line)),
            });
            let code = lines.collect::<Vec<_>>().join("\n");
            return plain::push_lines(out, &code, depth, 0, 0);
        }
        Kind::Text => dressed(&piece.spans(), &document.links, Style::default()),
        Kind::Heading(_) => {
            let bold = Style {
                bold: true,
                ..Style::default()
            };
            dressed(&piece.spans(), &document.links, bold)
        }
    };
    let text = match piece.marker() {
        Some(marker) => format!("{}{text}", plain::spell(marker)),
        None => text,
    };
    plain::push_lines(out, &text, depth, piece.first_indent(), piece.leaf.frame.inner);
}

/// Spans in their dress, each link followed by its address.
fn dressed(spans: &[Span<'_>], links: &[Link], always: Style) -> String {
    let mut text = String::new();
    for span in spans {
        let style = span.style;
        let before = text.len();
        let dresses = [
            (style.bold || always.bold, BOLD),
            (style.italic, ITALIC),
            (style.strike, STRIKE),
            (style.code, CODE),
        ];
        text.extend(dresses.iter().filter(|(is, _)| *is).map(|(_, dress)| *dress));
        let is_dressed = text.len() > before;
        text.push_str(&for_terminal(span.text));
        if is_dressed {
            text.push_str(PLAIN);
        }
        if let Some(link) = style.link.filter(|_| span.link_ends).and_then(|link| links.get(link)) {
            text.push_str(" (");
            text.push_str(&for_terminal(links::display(&link.url)));
            text.push(')');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::{Flavor, render};

    fn drawn(markdown: &str) -> String {
        let parts = render(markdown, Flavor::Terminal, 10_000);
        parts.into_iter().map(|part| part.text).collect()
    }

    #[test]
    fn emphasis_and_code_are_dressed_and_code_is_indented() {
        let cases = [
            ("plain", "plain"),
            (
                "**bold** and *soft*",
                "\u{1b}[1mbold\u{1b}[0m and \u{1b}[3msoft\u{1b}[0m",
            ),
            ("use `ls`", "use \u{1b}[36mls\u{1b}[0m"),
            ("# Head", "\u{1b}[1mHead\u{1b}[0m"),
            (
                "Code:\n\n```sh\nls -l\n\ncd\n```\n\nDone.",
                "Code:\n\n    \u{1b}[36mls -l\u{1b}[0m\n\n    \u{1b}[36mcd\u{1b}[0m\n\nDone.",
            ),
            ("- one\n- **two**", "- one\n- \u{1b}[1mtwo\u{1b}[0m"),
            ("[here](https://a.example/x)", "here (https://a.example/x)"),
        ];
        for (markdown, expected) in cases {
            assert_eq!(drawn(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn nothing_that_was_written_dresses_itself() {
        let evil = "a \u{1b}[2J `b\u{9b}31m` \u{1b}]0;title\u{7}\n\n```\n\u{1b}[1mc\n```";
        let drawn = drawn(evil);
        let mut rest = drawn.as_str();
        while let Some((_, sequence)) = rest.split_once('\u{1b}') {
            assert!(sequence.starts_with("[36m") || sequence.starts_with("[0m"), "{drawn:?}");
            rest = sequence;
        }
        assert!(!drawn.contains(['\u{9b}', '\u{7}']), "{drawn:?}");
    }
}
