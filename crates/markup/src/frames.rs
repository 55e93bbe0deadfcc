//! The quotes and list items that are open while a message is parsed.

use crate::tree::{Frame, Marker, Quote};

/// Deeper quotes and lists are shown at this depth.
const DEEPEST: usize = 6;

/// The open quotes and lists.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    quotes: usize,
    quotes_seen: usize,
    lists: Vec<List>,
    /// Of an item that has shown nothing yet.
    pending: Option<Marker>,
}

#[derive(Debug)]
struct List {
    /// The number of the next item.
    number: Option<u64>,
}

impl List {
    /// The columns that an item's marker takes.
    const fn width(&self) -> usize {
        if self.number.is_some() { 3 } else { 2 }
    }
}

impl Frames {
    pub(crate) const fn open_quote(&mut self) {
        if self.quotes == 0 {
            self.quotes_seen += 1;
        }
        self.quotes += 1;
    }

    pub(crate) const fn close_quote(&mut self) {
        self.quotes = self.quotes.saturating_sub(1);
    }

    pub(crate) fn open_list(&mut self, number: Option<u64>) {
        self.lists.push(List { number });
    }

    pub(crate) fn close_list(&mut self) {
        self.lists.pop();
    }

    pub(crate) fn open_item(&mut self) {
        let Some(list) = self.lists.last_mut() else { return };
        let number = list.number;
        list.number = number.map(|number| number.saturating_add(1));
        self.pending = Some(Marker { number, task: None });
    }

    /// The item that was opened last is a task.
    pub(crate) const fn task(&mut self, done: bool) {
        if let Some(marker) = &mut self.pending {
            marker.task = Some(done);
        }
    }

    /// An item is open whose marker no leaf shows yet.
    pub(crate) const fn is_marker_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// The frame of a leaf that begins here. It shows the open item's marker if it is its first.
    pub(crate) fn take(&mut self) -> Frame {
        let quote = (self.quotes > 0).then(|| Quote {
            id: self.quotes_seen,
            depth: self.quotes.min(DEEPEST),
        });
        let shown = &self.lists[..self.lists.len().min(DEEPEST)];
        let inner = shown.iter().map(List::width).sum();
        let own = shown.last().map_or(0, List::width);
        Frame {
            quote,
            outer: inner - own,
            inner,
            marker: self.pending.take(),
        }
    }
}
