//! How much of a prompt each of its parts may have. Pure; read [`TABLE`] as a table: one line a part.
//!
//! The room of a prompt is the model's window without the reply, the form that the reply is held to, and the
//! instructions. What a part does not use, the parts behind it may.

use clifford_llm::{IMAGE_TOKENS, Schema};

use super::weight::{self, Quarters, weigh};

/// The smallest window that a prompt is made for.
pub const SMALLEST: u64 = 2_048;
/// The transcript has at least that much, if there is half as much room in all.
pub const LEAST_TRANSCRIPT: u64 = 1_200;
/// The smallest and the largest room for a reply that nothing else is set for.
const REPLY: (u64, u64) = (256, 4_096);
/// What a message needs beside its text, with most servers.
const AROUND: Quarters = 4 * 4;

/// A part whose size depends on how much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What is asked.
    Question,
    /// What a program gave along with it.
    Given,
    /// The files that came with it.
    Files,
    /// What is remembered of the person.
    Memories,
    /// What a compaction told of the conversation.
    Summary,
    /// What was said here.
    Conversation,
    /// What was said elsewhere.
    Elsewhere,
    /// What else is known of the moment.
    Ambient,
}

/// A part, how much of what is left it may have, in sixteenths, and what it has at least: a mark that it is missing.
/// In order of right.
pub const TABLE: [(Part, u64, Quarters); 8] = [
    (Part::Question, 12, 160),
    (Part::Given, 8, 200),
    (Part::Files, 4, LIST_MARK),
    (Part::Memories, 6, LIST_MARK),
    (Part::Summary, 6, LIST_MARK),
    (Part::Conversation, 14, MARK),
    (Part::Elsewhere, 12, LIST_MARK),
    (Part::Ambient, 16, LIST_MARK),
];

/// What stands in place of messages.
pub const MARK: Quarters = 40 * 4;
/// What stands in place of entries of a list.
pub const LIST_MARK: Quarters = 16 * 4;

/// What a request must fit into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The tokens of the model's context window.
    pub tokens: u64,
    /// The most tokens of its reply, where that is set.
    pub reply: Option<u32>,
}

/// How a window is parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The whole window, in tokens.
    pub window: u64,
    /// Kept for the reply, in tokens.
    pub reply: u64,
    /// What the form of the reply takes, in tokens; 0: the model is asked without.
    pub schema: u64,
    /// What the images take, in tokens.
    pub images: u64,
    /// How many of the images are shown.
    pub images_shown: usize,
    /// What the instructions may take.
    pub system: Quarters,
    /// What is left for everything, the instructions too.
    pub all: Quarters,
}

impl Room {
    /// Parts a window. A form that would take more than a quarter of it is left out: the instructions tell it, too.
    pub fn new(window: Window, schema: Option<&Schema>, images: usize) -> Self {
        let tokens = window.tokens.max(SMALLEST);
        let usual = (tokens / 8).clamp(REPLY.0, REPLY.1);
        let reply = window.reply.map_or(usual, |reply| u64::from(reply).min(tokens / 6));
        let schema = schema.map_or(0, |schema| weight::tokens(weigh(schema.text().get())) + 32);
        let schema = if schema <= tokens / 4 { schema } else { 0 };
        // Servers count a little differently.
        let margin = tokens / 50;
        let left = tokens - reply - schema - margin;
        let images_shown = images.min(usize::try_from(left / 3 / IMAGE_TOKENS).unwrap_or(usize::MAX));
        let images = images_shown as u64 * IMAGE_TOKENS;
        let all = (left - images) * 4;
        Self {
            window: tokens,
            reply,
            schema,
            images,
            images_shown,
            system: all / 16 * 10,
            all,
        }
    }

    /// What is left beside the instructions and what never changes.
    pub const fn beside(&self, fixed: Quarters) -> Quarters {
        self.all.saturating_sub(fixed + 2 * AROUND)
    }

    /// What is kept for the run's transcript of that, whatever else there is; with a limit where one is set.
    pub fn kept(&self, beside: Quarters, limit: Option<u64>) -> Quarters {
        let share = (self.window / 8).max(LEAST_TRANSCRIPT);
        limit.unwrap_or(share).min(share).saturating_mul(4).min(beside / 2)
    }

    /// What the transcript may have where so much is left behind everything else.
    pub fn transcript(&self, left: Quarters, limit: Option<u64>) -> Quarters {
        let share = (self.window / 4).max(LEAST_TRANSCRIPT);
        limit.unwrap_or(share).saturating_mul(4).min(left)
    }
}

/// Parts out what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// What there was.
    all: Quarters,
    left: Quarters,
}

impl Allotment {
    /// So much for all parts.
    pub const fn new(all: Quarters) -> Self {
        Self { all, left: all }
    }

    /// The most that a part may have now. What the parts behind it have at least is kept for them.
    pub fn most(&self, part: Part) -> Quarters {
        let mut rows = TABLE.iter().skip_while(|(known, ..)| *known != part);
        let Some((_, share, least)) = rows.next() else {
            return 0;
        };
        let kept: Quarters = rows.map(|(.., least)| least).sum();
        let free = self.left.saturating_sub(kept + least);
        (least + free / 16 * share).min(self.left)
    }

    /// The same in coarse steps, so that what others took changes it seldom.
    pub fn coarse(&self, part: Part) -> Quarters {
        let (most, step) = (self.most(part), (self.all / 8).max(1));
        if most > step { most / step * step } else { most }
    }

    /// The most of one message of the conversation. It depends on nothing but the whole, so that a message looks the
    /// same in every prompt.
    pub fn of_message(&self, most: u64) -> Quarters {
        let least = (192 * 4).min(self.all / 4);
        (self.all / 16).clamp(least, (most * 4).max(least))
    }

    /// What is not taken.
    pub const fn left(&self) -> Quarters {
        self.left
    }

    /// A part took so much.
    pub const fn take(&mut self, weight: Quarters) {
        self.left = self.left.saturating_sub(weight);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_window_is_parted_into_reply_form_and_room() {
        let schema = Schema::new("a", &json!({ "description": "x".repeat(4_000) }));
        let room = |tokens, reply| {
            let room = Room::new(Window { tokens, reply }, Some(&schema), 0);
            (room.reply, room.schema, room.all / 4)
        };
        assert_eq!(room(8_192, None), (1_024, 1_037, 5_968));
        // The form would take too much of it.
        assert_eq!(room(4_096, None), (512, 0, 3_503));
        assert_eq!(room(4_096, Some(8_192)), (682, 0, 3_333));
        assert_eq!(room(128_000, Some(500)), (500, 1_037, 123_903));
        assert_eq!(room(0, None), room(SMALLEST, None));
    }

    #[test]
    fn images_that_a_window_has_no_room_for_are_not_shown() {
        let shown = |tokens| Room::new(Window { tokens, reply: None }, None, 4).images_shown;
        assert_eq!([4_096, 8_192, 16_384, 128_000].map(shown), [0, 1, 2, 4]);
    }

    proptest! {
        #[test]
        fn the_parts_never_have_more_than_there_is(all in 0_u64..1_000_000, wants in prop::collection::vec(0_u64..300_000, 8)) {
            let mut allotment = Allotment::new(all);
            let mut taken = 0;
            for ((part, ..), want) in TABLE.into_iter().zip(wants) {
                let weight = want.min(allotment.most(part));
                if all > 1_000 {
                    let least = TABLE.iter().find(|(known, ..)| *known == part).map_or(0, |(.., least)| *least);
                    prop_assert!(allotment.most(part) >= least);
                }
                prop_assert!(allotment.coarse(part) <= allotment.most(part));
                allotment.take(weight);
                taken += weight;
            }
            prop_assert!(taken <= all);
        }
    }
}
