//! Emphasis, code, spoilers and links within a leaf, and how stretches of them nest as marks.

use std::cmp::Reverse;

/// How a stretch of text is emphasised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    pub(crate) strike: bool,
    pub(crate) code: bool,
    pub(crate) spoiler: bool,
    /// An index into [`crate::tree::Document::links`].
    pub(crate) link: Option<usize>,
}

/// A stretch of a leaf's text: from the end of the run before it up to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) end: usize,
    pub(crate) style: Style,
}

/// A stretch of text of one style, as it is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span<'a> {
    pub(crate) text: &'a str,
    pub(crate) style: Style,
    /// Its link, if it has one, ends here and not in a later part of the message.
    pub(crate) link_ends: bool,
}

/// One thing that is opened before, and closed after, a stretch of text. In the order in which they are
/// opened where nothing else decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Spoiler,
    Link(usize),
    Bold,
    Italic,
    Strike,
    Code,
}

/// Where in its line a span stands, for those who must know what is next to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edges {
    /// It begins the leaf's piece.
    pub(crate) first: bool,
    /// It ends the leaf's piece.
    pub(crate) last: bool,
}

/// Draws marks and text.
pub(crate) trait Sink {
    fn open(&mut self, mark: Mark);
    /// `last` is the span that was drawn before.
    fn close(&mut self, mark: Mark, last: &Span<'_>);
    fn text(&mut self, span: &Span<'_>, edges: Edges);
}

const KINDS: usize = 6;

impl Style {
    fn marks(self) -> [Option<Mark>; KINDS] {
        [
            self.spoiler.then_some(Mark::Spoiler),
            self.link.map(Mark::Link),
            self.bold.then_some(Mark::Bold),
            self.italic.then_some(Mark::Italic),
            self.strike.then_some(Mark::Strike),
            self.code.then_some(Mark::Code),
        ]
    }

    fn has(self, mark: Mark) -> bool {
        self.marks().contains(&Some(mark))
    }
}

/// Draws spans as properly nested marks: what lasts longest is opened first, and code, in which no mark
/// means anything, last.
pub(crate) fn nest(spans: &[Span<'_>], sink: &mut impl Sink) {
    let extents = extents(spans);
    let mut open: Vec<Mark> = Vec::new();
    for (index, span) in spans.iter().enumerate() {
        let mut kept = open.iter().take_while(|mark| span.style.has(**mark)).count();
        let opens_more = |kept: usize| {
            span.style
                .marks()
                .iter()
                .flatten()
                .any(|mark| !open[..kept].contains(mark))
        };
        if kept > 0 && open[kept - 1] == Mark::Code && opens_more(kept) {
            kept -= 1;
        }
        if index > 0 {
            close_down_to(kept, &mut open, &spans[index - 1], sink);
        }
        let marks = span.style.marks();
        let mut missing: Vec<(bool, Reverse<usize>, Mark)> = marks
            .into_iter()
            .enumerate()
            .filter_map(|(kind, mark)| Some((kind, mark.filter(|mark| !open.contains(mark))?)))
            .map(|(kind, mark)| (mark == Mark::Code, Reverse(extents[index][kind]), mark))
            .collect();
        missing.sort_by_key(|(code, extent, _)| (*code, *extent));
        for (_, _, mark) in missing {
            sink.open(mark);
            open.push(mark);
        }
        sink.text(
            span,
            Edges {
                first: index == 0,
                last: index + 1 == spans.len(),
            },
        );
    }
    if let Some(last) = spans.last() {
        close_down_to(0, &mut open, last, sink);
    }
}

fn close_down_to(kept: usize, open: &mut Vec<Mark>, last: &Span<'_>, sink: &mut impl Sink) {
    while open.len() > kept {
        if let Some(mark) = open.pop() {
            sink.close(mark, last);
        }
    }
}

/// For every span and kind of mark, the index of the span at which that mark ends.
fn extents(spans: &[Span<'_>]) -> Vec<[usize; KINDS]> {
    let mut extents = vec![[0; KINDS]; spans.len()];
    for index in (0..spans.len()).rev() {
        let marks = spans[index].style.marks();
        let next = spans.get(index + 1).map(|next| next.style.marks());
        for kind in 0..KINDS {
            let goes_on = next.is_some_and(|next| marks[kind].is_some() && next[kind] == marks[kind]);
            extents[index][kind] = if goes_on { extents[index + 1][kind] } else { index + 1 };
        }
    }
    extents
}
