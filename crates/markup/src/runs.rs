//! Collects one leaf's text with its styles, and finds spoilers in it.

use crate::{
    hidden::is_left_out,
    style::{Run, Style},
};

/// The mark at both ends of a spoiler.
const SPOILER: &str = "||";

/// Text that grows, stretch by stretch.
#[derive(Debug, Default)]
pub(crate) struct StyledText {
    pub(crate) text: String,
    pub(crate) runs: Vec<Run>,
    /// Where a spoiler may begin or end, and the style there.
    bars: Vec<(usize, Style)>,
}

impl StyledText {
    /// Adds text as it is, but for what no platform shows.
    pub(crate) fn push(&mut self, text: &str, style: Style) {
        if text.chars().any(is_left_out) {
            self.text.extend(text.chars().filter(|c| !is_left_out(*c)));
        } else {
            self.text.push_str(text);
        }
        match self.runs.last_mut() {
            Some(run) if run.style == style => run.end = self.text.len(),
            _ => self.runs.push(Run {
                end: self.text.len(),
                style,
            }),
        }
    }

    /// Adds text in which `||` may begin or end a spoiler; not so its first character if that is `escaped`.
    pub(crate) fn push_markdown(&mut self, text: &str, style: Style, escaped: bool) {
        let base = self.text.len();
        self.push(text, style);
        let from = if escaped {
            base + text.chars().next().map_or(0, char::len_utf8)
        } else {
            base
        };
        let added = self.text.get(from..).unwrap_or_default();
        self.bars
            .extend(added.match_indices(SPOILER).map(|(at, _)| (from + at, style)));
    }

    /// Takes the link away from everything since `start`.
    pub(crate) fn unlink(&mut self, start: usize) {
        for run in self.runs.iter_mut().rev().take_while(|run| run.end > start) {
            run.style.link = None;
        }
    }

    /// The text with its spoilers found and without white space at its end.
    pub(crate) fn finish(mut self) -> (String, Vec<Run>) {
        let bars = pairs(&self.bars);
        if !bars.is_empty() {
            self = self.hide(&bars);
        }
        let end = self.text.trim_end().len();
        self.text.truncate(end);
        let kept = self.runs.partition_point(|run| run.end < end);
        self.runs.truncate(kept + 1);
        if let Some(last) = self.runs.last_mut() {
            last.end = last.end.min(end);
        }
        (self.text, self.runs)
    }

    /// Leaves out the bars at these places, and marks what stands between them.
    fn hide(&self, bars: &[usize]) -> Self {
        let mut bars = bars.iter().copied().peekable();
        let mut hidden = Self::default();
        let mut spoiler = false;
        let mut at = 0;
        for run in &self.runs {
            while at < run.end {
                if bars.next_if_eq(&at).is_some() {
                    spoiler = !spoiler;
                    at += SPOILER.len();
                    continue;
                }
                let stop = bars.peek().map_or(run.end, |bar| run.end.min(*bar));
                hidden.push(&self.text[at..stop], Style { spoiler, ..run.style });
                at = stop;
            }
        }
        hidden
    }
}

/// The places of bars that belong together: same style, and something between them.
fn pairs(bars: &[(usize, Style)]) -> Vec<usize> {
    let mut paired = Vec::new();
    let mut open: Option<(usize, Style)> = None;
    for &(at, style) in bars {
        match open {
            Some((start, begun)) if begun == style && at > start + SPOILER.len() => {
                paired.extend([start, at]);
                open = None;
            }
            _ => open = Some((at, style)),
        }
    }
    paired
}
