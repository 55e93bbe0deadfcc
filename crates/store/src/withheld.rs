//! Messages that are not shown any more, as conditions for the statements that read them: what was deleted, and what a
//! quarantined run holds.

/// The condition that no quarantined run holds a message. Prompts, the memory writer and search leave out what such a run
/// holds as if it were deleted, until the run is released. `of` is the prefix of each column, such as `m.`.
pub(super) fn is_open(of: &str) -> String {
    format!(
        "({of}direction = 'outbound' OR {of}run_id IS NULL
             OR {of}run_id NOT IN (SELECT q.id FROM runs q WHERE q.quarantined_at IS NOT NULL))"
    )
}

/// The condition that a message may not be quoted: it was deleted, or a quarantined run holds it.
pub(super) fn is_withheld(of: &str) -> String {
    format!("({of}deleted_at IS NOT NULL OR NOT {})", is_open(of))
}
