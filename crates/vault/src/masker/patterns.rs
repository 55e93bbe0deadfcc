//! The search for many texts at once.

use std::{
    collections::BTreeSet,
    ops::{Bound, Range},
};

use aho_corasick::{AhoCorasick, MatchKind};

/// Texts that are looked for.
pub(super) struct Patterns {
    texts: BTreeSet<String>,
    /// How many bytes the longest one has.
    longest: usize,
    automaton: AhoCorasick,
}

impl Patterns {
    pub(super) fn new(texts: impl IntoIterator<Item = String>) -> Self {
        let texts: BTreeSet<String> = texts.into_iter().collect();
        let built = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&texts);
        #[expect(
            clippy::expect_used,
            reason = "it fails only when the secrets have more than 2^31 bytes together"
        )]
        let automaton = built.expect("the secrets of a configuration fit into a search automaton");
        let longest = texts.iter().map(String::len).max().unwrap_or(0);
        Self {
            texts,
            longest,
            automaton,
        }
    }

    /// Looks for these, too.
    pub(super) fn add(&mut self, more: Vec<String>) {
        if more.iter().any(|text| !self.texts.contains(text)) {
            *self = Self::new(std::mem::take(&mut self.texts).into_iter().chain(more));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether one of them stands in a text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.automaton.is_match(text)
    }

    /// Where they stand: from left to right, the longest ones.
    pub(super) fn find(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        self.automaton.find_iter(text).map(|found| found.range())
    }

    /// Where the end of a text begins that may go on as one of them.
    pub(super) fn open(&self, text: &str) -> usize {
        let first = text.len().saturating_sub(self.longest);
        let goes_on = |end: &str| {
            let longer = (Bound::Excluded(end), Bound::Unbounded);
            (self.texts.range::<str, _>(longer).next()).is_some_and(|text| text.starts_with(end))
        };
        (first..text.len())
            .find(|at| text.get(*at..).is_some_and(goes_on))
            .unwrap_or(text.len())
    }
}
