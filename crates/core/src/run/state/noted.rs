//! System notes, as the fold sees them: refusals and announcements.

use serde_json::json;

use super::{Iteration, Pending, RunState};
use crate::run::step::NoteAbout;

impl RunState {
    pub(super) fn noted(&mut self, text: &str, about: NoteAbout) {
        match about {
            NoteAbout::BadReply => {
                self.pending = Pending::Think;
                self.bad_replies += 1;
                self.iterations = self.iterations.saturating_sub(1);
                self.current = Iteration::default();
            }
            NoteAbout::LastIteration | NoteAbout::DeliveryFailed => {}
            NoteAbout::Limitation => {
                self.settle();
                if let Some(limitation) = &mut self.limitation {
                    limitation.refusals += 1;
                }
            }
            NoteAbout::SpawnRepeated => {
                self.settle();
                self.spawn_repeats += 1;
            }
            NoteAbout::EmptyFinish => {
                self.settle();
                self.empty_finish_refused = true;
            }
            NoteAbout::Denied => {
                self.settle();
                self.pending = Pending::Think;
            }
            NoteAbout::IterationLimit
            | NoteAbout::PlanningGate
            | NoteAbout::InvalidAction
            | NoteAbout::ToolsAllowed
            | NoteAbout::Depth
            | NoteAbout::MessageRepeated => self.settle(),
        }
        if self.said_notes.insert(text.to_owned()) {
            self.tell("system_note", json!(text));
        }
        self.drop_queue();
    }
}
