//! The ways in which a run can recover parts left out of its prompt.

/// The ways in which a run can recover parts that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Can {
    /// Page through it.
    pub read: bool,
    /// Search for it.
    pub search: bool,
}

impl Can {
    /// How all of something can be had by its id.
    pub fn whole(self, id: &str) -> Option<String> {
        self.read
            .then(|| format!("files.read {{\"id\":\"{id}\"}} pages through all"))
    }

    /// The text that stands in for omitted messages.
    pub fn mark(self, missing: u64, has_summary: bool) -> String {
        let (are, s) = if missing == 1 { ("is", "") } else { ("are", "s") };
        let mut mark = format!("[{missing} earlier message{s} {are} left out");
        match (has_summary, self.search) {
            (true, true) => mark.push_str(": see the summary; memory.search finds them"),
            (true, false) => mark.push_str(": see the summary"),
            (false, true) => mark.push_str("; memory.search finds them"),
            (false, false) => {}
        }
        mark.push(']');
        mark
    }
}
