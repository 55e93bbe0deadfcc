//! Cuts a message into parts that fit, where it hurts least.

use crate::{
    Flavor, Rendered,
    boundary::{choose, is_grapheme_boundary},
    discord,
    mentions::without_mentions,
    parse::parse,
    plain,
    style::{Run, Style},
    telegram, terminal,
    tree::{Document, Frame, Kind, Position},
    units,
};

/// A UTF-16 unit is at most this many bytes of UTF-8.
const BYTES_PER_UNIT: usize = 3;
/// Telegram's HTML may be this many times as long as what can be seen of it.
const HTML_PER_UNIT: usize = 4;
/// The smallest limit that every character keeps.
const SMALLEST_LIMIT: usize = 2;

/// The parts of a message, cut as they are asked for.
pub(crate) struct Parts {
    document: Document,
    flavor: Flavor,
    limit: usize,
    /// Everything before this has been handed out.
    at: Position,
    /// The bytes of all leaves before each, and of all, each with its line feed.
    sizes: Vec<usize>,
}

impl Parts {
    pub(crate) fn new(markdown: &str, flavor: Flavor, limit: usize) -> Self {
        let limit = limit.max(SMALLEST_LIMIT);
        let document = parse(markdown, limit / 2);
        let mut sizes = Vec::with_capacity(document.leaves.len() + 1);
        sizes.push(0);
        for leaf in &document.leaves {
            sizes.push(sizes[sizes.len() - 1] + leaf.text.len() + BYTES_PER_UNIT);
        }
        Self {
            document,
            flavor,
            limit,
            at: Position::before(0),
            sizes,
        }
    }

    /// The bytes of text before a place.
    fn size(&self, at: Position) -> usize {
        self.sizes[at.leaf] + at.offset
    }

    /// The part from here to `to`, if it is within the limit.
    fn draw(&self, to: Position) -> Option<Rendered> {
        let at_least = (self.size(to) - self.size(self.at)).saturating_sub(BYTES_PER_UNIT) / BYTES_PER_UNIT;
        if at_least > self.limit {
            return None;
        }
        let pieces = self.document.pieces(self.at, to);
        let plain = plain::draw(&self.document, pieces.clone());
        let plain = match self.flavor {
            Flavor::TelegramHtml => without_mentions(&plain).into_owned(),
            Flavor::Discord | Flavor::Plain | Flavor::Terminal => plain,
        };
        let (text, counted) = match self.flavor {
            Flavor::Plain => (plain.clone(), 0),
            // Nobody counts what a terminal gets.
            Flavor::Terminal => (terminal::draw(&self.document, pieces), 0),
            Flavor::Discord => {
                let text = discord::draw(&self.document, pieces);
                let counted = units(&text);
                (text, counted)
            }
            Flavor::TelegramHtml => {
                let (html, seen) = telegram::draw(&self.document, pieces);
                let counted = seen.max(units(&html).div_ceil(HTML_PER_UNIT));
                (html, counted)
            }
        };
        let fits = counted.max(units(&plain)) <= self.limit;
        fits.then_some(Rendered { text, plain })
    }

    fn fits(&self, to: Position) -> bool {
        self.draw(to).is_some()
    }

    /// The farthest place that still fits; where the part starts if nothing does.
    fn farthest(&self) -> Position {
        let leaves = self.document.leaves.len();
        let mut leaf = self.at.leaf;
        let mut step = 1;
        while leaf + step <= leaves && self.fits(Position::before(leaf + step)) {
            leaf += step;
            step *= 2;
        }
        while step > 1 {
            step /= 2;
            if leaf + step <= leaves && self.fits(Position::before(leaf + step)) {
                leaf += step;
            }
        }
        let from = if leaf == self.at.leaf {
            self.at
        } else {
            Position::before(leaf)
        };
        self.farthest_within(from)
    }

    /// The farthest place within the leaf in which `from` is.
    fn farthest_within(&self, from: Position) -> Position {
        let Some(leaf) = self.document.leaves.get(from.leaf) else {
            return from;
        };
        let mut fitting = from.offset;
        let mut beyond = leaf.text.len().min(from.offset + self.limit * BYTES_PER_UNIT) + 1;
        loop {
            let middle = leaf.text.floor_char_boundary(usize::midpoint(fitting, beyond));
            let middle = if middle > fitting {
                middle
            } else {
                leaf.text.ceil_char_boundary(fitting + 1)
            };
            if fitting + 1 >= beyond || middle >= beyond || middle <= fitting {
                return Position {
                    offset: fitting,
                    ..from
                };
            }
            if self.fits(Position { offset: middle, ..from }) {
                fitting = middle;
            } else {
                beyond = middle;
            }
        }
    }

    /// Where the next part starts, if this one ends at `cut`: white space at a cut is not shown.
    fn resume(&self, cut: Position) -> Position {
        let Some(leaf) = self.document.leaves.get(cut.leaf).filter(|_| cut.offset > 0) else {
            return cut;
        };
        let rest = &leaf.text[cut.offset..];
        let skipped = if leaf.is_code() {
            usize::from(rest.starts_with('\n'))
        } else {
            let skipped = rest.len() - rest.trim_start().len();
            if is_grapheme_boundary(rest, skipped) {
                skipped
            } else {
                rest.floor_char_boundary(skipped - 1)
            }
        };
        if skipped == rest.len() {
            Position::before(cut.leaf + 1)
        } else {
            Position {
                offset: cut.offset + skipped,
                ..cut
            }
        }
    }

    /// Takes all markup from the rest of the leaf at hand, for there is no room for any. Returns false if it
    /// had none.
    fn strip(&mut self) -> bool {
        let Some(leaf) = self.document.leaves.get_mut(self.at.leaf) else {
            return false;
        };
        let bare = vec![Run {
            end: leaf.text.len(),
            style: Style::default(),
        }];
        let is_bare = leaf.kind == Kind::Text && leaf.frame == Frame::default() && leaf.runs == bare;
        leaf.kind = Kind::Text;
        leaf.frame = Frame::default();
        leaf.runs = bare;
        !is_bare
    }

    /// The next part and where it ends.
    fn cut(&mut self) -> (Rendered, Position) {
        let end = self.document.end();
        if let Some(rest) = self.draw(end) {
            return (rest, end);
        }
        loop {
            let farthest = self.farthest();
            let mut within = farthest;
            while let Some(cut) = choose(&self.document, &self.sizes, self.at, within) {
                if let Some(part) = self.draw(cut) {
                    return (part, cut);
                }
                within = self.document.back(cut);
            }
            if !self.strip() {
                return self.cut_grapheme(farthest);
            }
        }
    }

    /// Cuts after a character, for one grapheme alone is longer than a part may be.
    fn cut_grapheme(&self, farthest: Position) -> (Rendered, Position) {
        let text = &self.document.leaves[self.at.leaf].text;
        let after_one = Position {
            offset: text.ceil_char_boundary(self.at.offset + 1),
            ..self.at
        };
        let cut = farthest.max(after_one);
        (self.draw(cut).unwrap_or_default(), cut)
    }

    fn is_blank(&self, to: Position) -> bool {
        self.document.pieces(self.at, to).all(|piece| piece.is_blank())
    }
}

impl Iterator for Parts {
    type Item = Rendered;

    fn next(&mut self) -> Option<Rendered> {
        while self.at < self.document.end() {
            let (part, cut) = self.cut();
            let blank = self.is_blank(cut);
            self.at = self.resume(cut);
            if !blank {
                return Some(part);
            }
        }
        None
    }
}
