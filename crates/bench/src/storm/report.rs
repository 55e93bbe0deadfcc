//! The output of a storm.

use std::fmt::Write as _;

use super::{
    evidence::Evidence,
    judge::{Tally, Wrong},
    plan::{Plan, Platform},
};

/// How many messages a failure tells of.
const TOLD: usize = 8;

/// The counts, as a table.
pub fn table(tally: &Tally, said: usize) -> String {
    let rows = [
        ("said", said),
        ("accepted", tally.accepted),
        ("answered", tally.answered),
        ("honest errors", tally.honest_errors),
        ("lost", tally.lost),
        ("duplicated", tally.duplicated),
        ("ambiguous", tally.ambiguous),
        ("wrong chat", tally.wrong_chat),
        ("out of order", tally.out_of_order),
    ];
    rows.iter().fold(String::new(), |mut text, (name, count)| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<14} {count:>8}");
        text
    })
}

/// The evidence for the first messages with a fault.
pub fn failures(plan: &Plan, wrong: &[Wrong], evidence: &Evidence) -> String {
    let mut text = String::new();
    for Wrong { question, what } in wrong.iter().take(TOLD) {
        let place = plan.messages.get(*question).map_or_else(String::new, |said| {
            let room = &plan.rooms[said.room];
            let platform = match room.platform {
                Platform::Telegram => "Telegram",
                Platform::Discord => "Discord",
            };
            let kind = if room.shared { "a shared" } else { "a private" };
            format!("{:?}, in {kind} room of {platform} (room {})", said.shape, said.room)
        });
        let _ = writeln!(text, "message {question} ({place}): {what}");
        for line in evidence.of_question(*question) {
            let _ = writeln!(text, "    {line}");
        }
    }
    let more = wrong.len().saturating_sub(TOLD);
    if more > 0 {
        let _ = writeln!(text, "and {more} more");
    }
    text
}
