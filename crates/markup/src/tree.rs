//! A message as a flat list of leaves, from which every flavor is drawn and split.
//!
//! A leaf is a paragraph, heading or code block. The quotes and lists around it are a [`Frame`] that it
//! carries along, and the emphasis within it is a list of styled [`Run`]s. So nothing here is recursive:
//! no nesting of the input, however deep, can exhaust the stack.

use crate::{
    hidden::is_deceiving,
    style::{Run, Span},
};

/// A parsed message.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) links: Vec<Link>,
}

/// A paragraph, heading or code block. Lines are separated by `\n`.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) kind: Kind,
    pub(crate) frame: Frame,
    pub(crate) gap: Gap,
    pub(crate) text: String,
    /// Cover the whole text, in order. Meaningless for code blocks.
    pub(crate) runs: Vec<Run>,
}

/// The kind of a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// Its level, from 1.
    Heading(u8),
    /// Its language, empty if there is none.
    Code(String),
}

/// How a leaf is set apart from the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    Line,
    Paragraph,
}

/// The quotes and list items around a leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) quote: Option<Quote>,
    /// Columns before the marker.
    pub(crate) outer: usize,
    /// Columns before every line that has no marker.
    pub(crate) inner: usize,
    /// The list item's marker, on its first leaf.
    pub(crate) marker: Option<Marker>,
}

/// A block quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    /// Tells neighbouring quotes apart.
    pub(crate) id: usize,
    pub(crate) depth: usize,
}

/// The marker before a list item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    /// Of an ordered list.
    pub(crate) number: Option<u64>,
    /// Of a task list: whether it is done.
    pub(crate) task: Option<bool>,
}

/// Where a link leads.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) url: String,
    /// Its text has no brackets that would end it early in Discord's `[text](url)`.
    pub(crate) maskable: bool,
}

/// A place in a document: a byte offset within a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) leaf: usize,
    pub(crate) offset: usize,
}

impl Position {
    /// The start of a leaf, which is also the end of the one before it.
    pub(crate) const fn before(leaf: usize) -> Self {
        Self { leaf, offset: 0 }
    }
}

/// A leaf, or what one part of a message shows of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) leaf: &'a Leaf,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Document {
    /// The pieces between two places. White space before a cut in running text is left out.
    pub(crate) fn pieces(&self, from: Position, to: Position) -> impl Iterator<Item = Piece<'_>> + Clone {
        let end = if to.offset > 0 { to.leaf + 1 } else { to.leaf };
        (from.leaf..end).map(move |index| {
            let leaf = &self.leaves[index];
            let start = if index == from.leaf { from.offset } else { 0 };
            let end = if index == to.leaf { to.offset } else { leaf.text.len() };
            let shown = &leaf.text[start..end];
            let shown = if leaf.is_code() { shown } else { shown.trim_end() };
            Piece {
                leaf,
                start,
                end: start + shown.len(),
            }
        })
    }

    /// The place one character before this one.
    pub(crate) fn back(&self, at: Position) -> Position {
        match (at.offset, at.leaf) {
            (0, 0) => at,
            (0, leaf) => Position {
                leaf: leaf - 1,
                offset: self.leaves[leaf - 1].text.len(),
            },
            (offset, leaf) => Position {
                leaf,
                offset: self.leaves[leaf].text.floor_char_boundary(offset - 1),
            },
        }
    }

    /// The end of the document.
    pub(crate) const fn end(&self) -> Position {
        Position::before(self.leaves.len())
    }
}

impl Leaf {
    pub(crate) const fn is_code(&self) -> bool {
        matches!(self.kind, Kind::Code(_))
    }

    pub(crate) const fn is_heading(&self) -> bool {
        matches!(self.kind, Kind::Heading(_))
    }
}

impl<'a> Piece<'a> {
    pub(crate) fn text(&self) -> &'a str {
        &self.leaf.text[self.start..self.end]
    }

    /// The list marker, if this piece is the one that shows it.
    pub(crate) fn marker(&self) -> Option<Marker> {
        self.leaf.frame.marker.filter(|_| self.start == 0)
    }

    /// The columns before the first line's marker or text.
    pub(crate) fn first_indent(&self) -> usize {
        let frame = &self.leaf.frame;
        if self.marker().is_some() {
            frame.outer
        } else {
            frame.inner
        }
    }

    /// Nothing of it can be seen.
    pub(crate) fn is_blank(&self) -> bool {
        self.marker().is_none() && is_blank(self.text())
    }

    /// Its text in stretches of one style.
    pub(crate) fn spans(&self) -> Vec<Span<'a>> {
        let runs = &self.leaf.runs;
        let first = runs.partition_point(|run| run.end <= self.start);
        let mut start = self.start;
        let mut spans = Vec::new();
        for (index, run) in runs.iter().enumerate().skip(first) {
            if start >= self.end {
                break;
            }
            let end = run.end.min(self.end);
            let goes_on = runs
                .get(index + 1)
                .is_some_and(|next| next.style.link == run.style.link);
            let link_ends = !goes_on && self.leaf.text[end..run.end].trim().is_empty();
            spans.push(Span {
                text: &self.leaf.text[start..end],
                style: run.style,
                link_ends,
            });
            start = end;
        }
        spans
    }
}

/// Nothing of the text can be seen: platforms refuse such messages.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_whitespace() || is_deceiving(c) || matches!(c, '\u{2800}' | '\u{fffc}'))
}
