//! How much of a prompt each of its parts may have. Pure; read [`TABLE`] as a table: one line a part.
//!
//! The room of a prompt is the model's window without the reply, the form that the reply is held to, and the
//! instructions. Room that a part does not use goes to the parts behind it.

use clifford_llm_api::{
    model::Schema,
    tokens::{IMAGE_TOKENS, Quarters, weigh},
};

/// The smallest window that a prompt is made for.
pub const SMALLEST: u64 = 2_048;
/// The transcript has at least that much, if there is half as much room in all.
pub(crate) const LEAST_TRANSCRIPT: u64 = 1_200;
/// The smallest and the largest room for a reply that nothing else is set for.
const REPLY: (u64, u64) = (256, 4_096);
/// The overhead of a message besides its text, with most servers.
const AROUND: Quarters = 4 * 4;

/// A part whose size depends on how much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptPart {
    /// The question.
    Question,
    /// The data that a program passed along with it.
    Given,
    /// The files that came with it.
    Files,
    /// The person's memories.
    Memories,
    /// The summary of the compacted part of the conversation.
    Summary,
    /// The messages of this conversation.
    Conversation,
    /// Messages from elsewhere, from before this conversation began.
    Elsewhere,
    /// The parts that change with each message: matches for the question, and messages from elsewhere since.
    Late,
    /// The other facts of the moment.
    Ambient,
}

/// How much a part may have, in sixteenths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Of what is left.
    Rest(u64),
    /// Of everything, halved until the rest holds it. The parts before the question must look the same in the next
    /// prompt, so they do not depend on the size of the question, unless that is very large.
    Steady(u64),
}

/// A part, how much it may have, and what it has at least: a mark that it is missing. In order of right.
pub const TABLE: [(PromptPart, Share, Quarters); 9] = [
    (PromptPart::Question, Share::Rest(12), 160),
    (PromptPart::Given, Share::Rest(8), 200),
    (PromptPart::Files, Share::Rest(4), LIST_MARK),
    (PromptPart::Memories, Share::Steady(3), LIST_MARK),
    (PromptPart::Summary, Share::Steady(3), LIST_MARK),
    (PromptPart::Conversation, Share::Steady(7), MARK),
    (PromptPart::Elsewhere, Share::Steady(2), LIST_MARK),
    (PromptPart::Late, Share::Rest(8), 2 * LIST_MARK),
    (PromptPart::Ambient, Share::Rest(16), LIST_MARK),
];

/// The room of the text that stands in for omitted messages.
pub const MARK: Quarters = 40 * 4;
/// The room of the text that stands in for omitted entries of a list.
pub const LIST_MARK: Quarters = 16 * 4;

/// The limits that a request must fit into.
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
    /// The size of the reply's schema, in tokens; 0: the model is asked without.
    pub schema: u64,
    /// The size of the images, in tokens.
    pub images: u64,
    /// How many of the images are shown.
    pub images_shown: usize,
    /// The most that the instructions may take.
    pub system: Quarters,
    /// The room for everything, the instructions too.
    pub all: Quarters,
}

impl Room {
    /// Parts a window. A form that would take more than a quarter of it is left out: the instructions tell it, too.
    pub fn new(window: Window, schema: Option<&Schema>, images: usize) -> Self {
        let tokens = window.tokens.max(SMALLEST);
        let usual = (tokens / 8).clamp(REPLY.0, REPLY.1);
        let reply = window.reply.map_or(usual, |reply| u64::from(reply).min(tokens / 6));
        let schema = schema.map_or(0, |schema| {
            clifford_llm_api::tokens::whole_tokens(weigh(schema.text().get())) + 32
        });
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

    /// The room besides the instructions and the fixed parts, for a prompt without a transcript.
    pub const fn beside(&self, fixed: Quarters) -> Allotment {
        let fixed = fixed + 2 * AROUND;
        Allotment {
            all: (self.all + self.images * 4).saturating_sub(fixed),
            left: self.all.saturating_sub(fixed),
        }
    }

    /// The same, minus a reserve for the run's transcript whatever other parts there are, and that reserve; capped by
    /// `limit` if it is set.
    pub fn beside_transcript(&self, fixed: Quarters, limit: Option<u64>) -> (Allotment, Quarters) {
        let share = (self.window / 8).max(LEAST_TRANSCRIPT);
        let share = limit.unwrap_or(share).min(share).saturating_mul(4);
        let Allotment { all, left } = self.beside(fixed);
        let kept = share.min(left / 2);
        let allotment = Allotment {
            all: all - share.min(all / 2),
            left: left - kept,
        };
        (allotment, kept)
    }

    /// The transcript's room, out of the room that is left behind all other parts.
    pub fn transcript(&self, left: Quarters, limit: Option<u64>) -> Quarters {
        let share = (self.window / 4).max(LEAST_TRANSCRIPT);
        limit.unwrap_or(share).saturating_mul(4).min(left)
    }
}

/// Parts out what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// The whole room, without images: they come with one message, and must not change how the others look.
    all: Quarters,
    left: Quarters,
}

impl Allotment {
    /// The most that a part may have now. The minimum of each part behind it stays reserved.
    pub fn most(&self, part: PromptPart) -> Quarters {
        let mut rows = TABLE.iter().skip_while(|(known, ..)| *known != part);
        let Some((_, share, least)) = rows.next() else {
            return 0;
        };
        let kept: Quarters = rows.map(|(.., least)| least).sum();
        let most = match share {
            Share::Rest(share) => least + self.left.saturating_sub(kept + least) / 16 * share,
            Share::Steady(_) => {
                let mut most = self.steady(part);
                while most > self.left.saturating_sub(kept) {
                    most /= 2;
                }
                most.max(*least)
            }
        };
        most.min(self.left)
    }

    /// The size of a part with a steady share, if no other part is very large.
    pub fn steady(&self, part: PromptPart) -> Quarters {
        let row = TABLE.iter().find(|(known, ..)| *known == part);
        match row {
            Some((_, Share::Steady(share), least)) => (self.all / 16 * share).max(*least),
            _ => 0,
        }
    }

    /// The most of one message of the conversation. It depends on nothing but the whole, so that a message looks the
    /// same in every prompt.
    pub fn of_message(&self, most: u64) -> Quarters {
        let least = (192 * 4).min(self.all / 4);
        (self.all / 16).clamp(least, (most * 4).max(least))
    }

    /// The room that is still free.
    pub const fn remaining(&self) -> Quarters {
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

    #[test]
    fn what_a_conversation_may_have_does_not_depend_on_a_question_that_is_not_very_long() {
        let room = Room::new(
            Window {
                tokens: 8_192,
                reply: None,
            },
            None,
            0,
        );
        let after = |question| {
            let (mut allotment, _) = room.beside_transcript(2_000 * 4, None);
            allotment.take(question);
            allotment.take(1_400);
            (
                allotment.most(PromptPart::Conversation),
                allotment.steady(PromptPart::Conversation),
            )
        };
        let (most, steady) = after(20);
        assert_eq!(most, steady);
        assert_eq!(after(4_000), (steady, steady));
        assert_eq!(after(11_000), (steady / 4, steady));
    }

    proptest! {
        #[test]
        fn the_parts_never_have_more_than_there_is(
            all in 0_u64..1_000_000, images in 0_u64..20_000, wants in prop::collection::vec(0_u64..300_000, 9)
        ) {
            let mut allotment = Allotment { all: all + images, left: all };
            let mut taken = 0;
            for ((part, ..), want) in TABLE.into_iter().zip(wants) {
                let weight = want.min(allotment.most(part));
                if all > 1_000 {
                    let least = TABLE.iter().find(|(known, ..)| *known == part).map_or(0, |(.., least)| *least);
                    prop_assert!(allotment.most(part) >= least);
                }
                allotment.take(weight);
                taken += weight;
            }
            prop_assert!(taken <= all);
        }
    }
}
