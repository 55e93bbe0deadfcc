//! Where a message may be cut: between paragraphs, lines, sentences, words, graphemes, in that order.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

use crate::tree::{Document, Gap, Position, is_blank};

/// A part that ends with a paragraph must fill this share of what it could hold, or the paragraph is cut.
const PARAGRAPH_FILL: usize = 3;
/// The same for lines, sentences and words.
const FILL: usize = 2;
/// How far behind the farthest place a word may go on for it to be seen whole.
const WORD_AHEAD: usize = 64;

/// The best place to end a part that starts at `at` and can reach to `farthest`. `None` if not even one
/// grapheme lies between. `sizes` are the bytes before each leaf.
pub(crate) fn choose(document: &Document, sizes: &[usize], at: Position, farthest: Position) -> Option<Position> {
    let size = |place: Position| (sizes[place.leaf] + place.offset).saturating_sub(sizes[at.leaf] + at.offset);
    let fills = |place: Position, share: usize| size(place) * share >= size(farthest);
    if farthest <= at {
        return None;
    }
    if let Some(cut) = paragraph(document, at, farthest).find(|cut| fills(*cut, PARAGRAPH_FILL)) {
        return Some(cut);
    }
    let leaf = leaf_start(document, at, farthest);
    let within = Within::new(document, at, farthest);
    let line = within.newline().or(leaf);
    let word = within.space();
    let natural = [line, within.sentence(), word]
        .into_iter()
        .flatten()
        .find(|cut| fills(*cut, FILL));
    natural
        .or(word)
        .or(line)
        .or_else(|| within.word().filter(|cut| fills(*cut, FILL)))
        .or_else(|| within.grapheme())
}

/// Places between paragraphs, the last first. A heading stays with what it heads.
fn paragraph(document: &Document, at: Position, farthest: Position) -> impl Iterator<Item = Position> {
    let starts = (at.leaf + 1..=farthest.leaf).rev();
    starts
        .filter(|leaf| {
            document
                .leaves
                .get(*leaf)
                .is_some_and(|leaf| leaf.gap == Gap::Paragraph)
        })
        .filter(|leaf| !document.leaves[leaf - 1].is_heading())
        .map(Position::before)
}

/// The start of the leaf in which the farthest place is, or of the headings before it.
fn leaf_start(document: &Document, at: Position, farthest: Position) -> Option<Position> {
    let last = farthest.leaf;
    let starts = (at.leaf + 1..=last).rev();
    let mut before_headings = starts.skip_while(|leaf| document.leaves[leaf - 1].is_heading());
    before_headings
        .next()
        .or((last > at.leaf).then_some(last))
        .map(Position::before)
}

/// The text that a part could show of its last leaf.
struct Within<'a> {
    leaf: usize,
    /// Where that text starts in the leaf.
    start: usize,
    /// From there to the end of the leaf.
    text: &'a str,
    /// How far the part reaches in it.
    reach: usize,
    is_code: bool,
    /// A part may not show blank text of this leaf alone, for it can end before the leaf.
    has_before: bool,
}

impl<'a> Within<'a> {
    fn new(document: &'a Document, at: Position, farthest: Position) -> Self {
        let has_before = farthest.leaf > at.leaf;
        let start = if has_before { 0 } else { at.offset };
        let leaf = document.leaves.get(farthest.leaf);
        Self {
            leaf: farthest.leaf,
            start,
            text: leaf.map_or("", |leaf| &leaf.text[start..]),
            reach: farthest.offset - start,
            is_code: leaf.is_some_and(|leaf| leaf.is_code()),
            has_before,
        }
    }

    /// A cut here, if it shows something and breaks no grapheme.
    fn cut(&self, offset: usize) -> Option<Position> {
        let allowed = offset > 0
            && !(self.has_before && is_blank(&self.text[..offset]))
            && is_grapheme_boundary(self.text, offset);
        allowed.then_some(Position {
            leaf: self.leaf,
            offset: self.start + offset,
        })
    }

    /// Up to the farthest place and with the character behind it, before which a cut is possible too.
    fn with_next(&self) -> &'a str {
        &self.text[..self.text.ceil_char_boundary(self.reach + 1)]
    }

    fn newline(&self) -> Option<Position> {
        self.cut(self.with_next().rfind('\n')?)
    }

    fn space(&self) -> Option<Position> {
        let cut = self.with_next().rfind(char::is_whitespace)?;
        let shown = if self.is_code {
            cut
        } else {
            self.text[..cut].trim_end().len()
        };
        self.cut(shown).or_else(|| self.cut(cut))
    }

    fn sentence(&self) -> Option<Position> {
        if self.is_code {
            return None;
        }
        let mut ended = false;
        let mut found = None;
        for (offset, c) in self.with_next().char_indices() {
            if ended && c.is_whitespace() {
                found = Some(offset);
            }
            let closes = matches!(c, '"' | '\'' | ')' | ']' | '”' | '’' | '»');
            ended = matches!(c, '.' | '!' | '?' | '…') || (ended && closes);
            let behind = offset + c.len_utf8();
            if matches!(c, '。' | '！' | '？') && behind <= self.reach {
                found = Some(behind);
            }
        }
        self.cut(found?)
    }

    fn word(&self) -> Option<Position> {
        let ahead = self.text.ceil_char_boundary(self.reach + WORD_AHEAD);
        let bounds = self.text[..ahead].split_word_bound_indices().map(|(offset, _)| offset);
        self.cut(bounds.take_while(|offset| *offset <= self.reach).last()?)
    }

    fn grapheme(&self) -> Option<Position> {
        let mut cursor = GraphemeCursor::new(self.reach, self.text.len(), true);
        let whole = cursor.is_boundary(self.text, 0).unwrap_or(false);
        let offset = if whole {
            self.reach
        } else {
            cursor.prev_boundary(self.text, 0).ok().flatten()?
        };
        self.cut(offset)
    }
}

/// No grapheme spans this offset.
pub(crate) fn is_grapheme_boundary(text: &str, offset: usize) -> bool {
    GraphemeCursor::new(offset, text.len(), true)
        .is_boundary(text, 0)
        .unwrap_or(false)
}
