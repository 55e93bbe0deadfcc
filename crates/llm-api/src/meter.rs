//! The attempts of one call, counted while they are made: a provider may charge for one that gives no reply, because it
//! was refused, broke off or took too long.
//!
//! **What comes in:** what the providers' clients tell a [`Sink`] of each attempt: that it began, its pieces, its usage.
//! **What goes out:** the same to the sink behind it; and, when the call is over or given up, the attempts that were
//! lost.

use crate::{
    model::{Sink, Usage},
    tokens::{Quarters, weigh, whole_tokens},
};

/// How many times the estimate a count may be that a provider tells of a lost attempt.
const TIMES: u64 = 16;
/// The tokens that it may tell besides that.
const UNSEEN: u64 = 200_000;

/// An attempt that gave no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The provider's name in the configuration.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// Its usage: as the provider told it, else by rule of thumb.
    pub usage: Usage,
}

/// A sink that counts attempts.
pub struct Meter<'s> {
    sink: &'s mut dyn Sink,
    prompt_tokens: u64,
    attempts: Vec<Attempt>,
}

struct Attempt {
    provider: String,
    model: String,
    written: Quarters,
    told: Option<Usage>,
}

impl<'s> Meter<'s> {
    /// Counts the attempts of a call with a prompt of so many tokens.
    pub fn new(sink: &'s mut dyn Sink, prompt_tokens: u64) -> Self {
        Self {
            sink,
            prompt_tokens,
            attempts: Vec::new(),
        }
    }

    /// The attempts that gave no reply, in their order; `replied`: the last one did.
    pub fn lost(mut self, replied: bool) -> Vec<Lost> {
        if replied {
            self.attempts.pop();
        }
        let prompt_tokens = self.prompt_tokens;
        (self.attempts.into_iter())
            .map(|attempt| attempt.lost(prompt_tokens))
            .collect()
    }
}

impl Attempt {
    fn lost(self, prompt_tokens: u64) -> Lost {
        let written = whole_tokens(self.written);
        let most = |guess: u64| guess.saturating_mul(TIMES).saturating_add(UNSEEN);
        let guessed = Usage {
            prompt_tokens,
            completion_tokens: written,
            estimated: true,
            ..Usage::default()
        };
        let told = self.told.filter(|told| told.prompt_tokens > 0);
        let usage = told.map_or(guessed, |told| Usage {
            prompt_tokens: told.prompt_tokens.min(most(prompt_tokens)),
            // Some tell how much was written only at the end, to which this attempt did not come.
            completion_tokens: told.completion_tokens.min(most(written)).max(written),
            estimated: told.completion_tokens < written,
            ..told
        });
        Lost {
            provider: self.provider,
            model: self.model,
            usage,
        }
    }
}

impl Sink for Meter<'_> {
    fn text(&mut self, delta: &str) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.written = attempt.written.saturating_add(weigh(delta));
        }
        self.sink.text(delta);
    }

    fn reset(&mut self) {
        self.sink.reset();
    }

    fn began(&mut self, provider: &str, model: &str) {
        self.attempts.push(Attempt {
            provider: provider.to_owned(),
            model: model.to_owned(),
            written: 0,
            told: None,
        });
        self.sink.began(provider, model);
    }

    fn used(&mut self, usage: Usage) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.told = Some(usage);
        }
        self.sink.used(usage);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(prompt_tokens: u64, completion_tokens: u64) -> Usage {
        Usage {
            prompt_tokens,
            completion_tokens,
            ..Usage::default()
        }
    }

    fn tokens(lost: &[Lost]) -> Vec<(u64, u64, bool)> {
        let of = |usage: Usage| (usage.prompt_tokens, usage.completion_tokens, usage.estimated);
        lost.iter().map(|lost| of(lost.usage)).collect()
    }

    #[test]
    fn each_attempt_without_a_reply_is_told_with_its_usage() {
        let mut none = ();
        let mut meter = Meter::new(&mut none, 100);
        meter.began("a", "m");
        meter.text("12345678");
        meter.reset();
        meter.began("b", "m");
        meter.used(told(120, 7));
        meter.began("b", "m");
        meter.text(&"1234".repeat(50));
        meter.used(told(120, 1));
        meter.began("b", "m");
        meter.text("the reply");
        let lost = meter.lost(true);
        assert_eq!(tokens(&lost), [(100, 2, true), (120, 7, false), (120, 50, true)]);
        assert_eq!((lost[0].provider.as_str(), lost[1].provider.as_str()), ("a", "b"));
    }

    #[test]
    fn nothing_is_lost_of_a_call_that_never_began_and_a_usage_that_cannot_be_is_held_to_what_can() {
        assert_eq!(Meter::new(&mut (), 100).lost(false), []);
        let mut none = ();
        let mut meter = Meter::new(&mut none, 100);
        meter.began("a", "m");
        meter.used(told(u64::MAX, u64::MAX));
        assert_eq!(tokens(&meter.lost(false)), [(201_600, 200_000, false)]);
    }
}
