//! The features that a server turned out to lack, remembered so that each is tried only once.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::settings::Structured;

/// How the next request is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    /// How JSON is asked for.
    pub(crate) structured: Structured,
    /// Whether `stream_options` may be sent.
    pub(crate) stream_options: bool,
    /// Whether the limit is called `max_completion_tokens`, as OpenAI's reasoning models want it.
    pub(crate) completion_limit: bool,
    /// Whether `temperature` may be sent: OpenAI's reasoning models refuse it.
    pub(crate) temperature: bool,
}

impl Terms {
    const fn pack(self) -> u8 {
        let structured = match self.structured {
            Structured::JsonSchema => 0,
            Structured::JsonObject => 1,
            Structured::None => 2,
            Structured::Function => 3,
        };
        structured
            | (self.stream_options as u8) << 2
            | (self.completion_limit as u8) << 3
            | (self.temperature as u8) << 4
    }

    const fn unpack(packed: u8) -> Self {
        let structured = match packed & 3 {
            0 => Structured::JsonSchema,
            1 => Structured::JsonObject,
            2 => Structured::None,
            _ => Structured::Function,
        };
        Self {
            structured,
            stream_options: packed & 4 != 0,
            completion_limit: packed & 8 != 0,
            temperature: packed & 16 != 0,
        }
    }

    /// The terms that meet this complaint; `None` if it is about something else.
    fn after(self, complaint: &str) -> Option<Self> {
        let complaint = complaint.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| complaint.contains(word));
        if self.stream_options && names(&["stream_options", "include_usage"]) {
            return Some(Self {
                stream_options: false,
                ..self
            });
        }
        if !self.completion_limit && names(&["max_completion_tokens"]) {
            return Some(Self {
                completion_limit: true,
                ..self
            });
        }
        if self.temperature && names(&["temperature"]) {
            return Some(Self {
                temperature: false,
                ..self
            });
        }
        if self.structured == Structured::Function {
            return names(&["tool", "function"]).then_some(Self {
                structured: Structured::None,
                ..self
            });
        }
        if !names(&[
            "response_format",
            "output_config",
            "output_format",
            "output format",
            "json_schema",
            "json_object",
            "json schema",
            "structured output",
            "grammar",
        ]) {
            return None;
        }
        match self.structured {
            Structured::JsonSchema => Some(Self {
                structured: Structured::JsonObject,
                ..self
            }),
            Structured::JsonObject => Some(Self {
                structured: Structured::None,
                ..self
            }),
            Structured::None | Structured::Function => None,
        }
    }
}

/// The terms that hold for a server from now on.
#[derive(Debug)]
pub(crate) struct Dialect(AtomicU8);

impl Dialect {
    /// `temperature`: whether the model takes one, as far as its name tells. Models that take none want the other name
    /// of the limit, too.
    pub(crate) fn new(structured: Structured, temperature: bool) -> Self {
        Self(AtomicU8::new(
            Terms {
                structured,
                stream_options: true,
                completion_limit: !temperature,
                temperature,
            }
            .pack(),
        ))
    }

    pub(crate) fn terms(&self) -> Terms {
        Terms::unpack(self.0.load(Ordering::Relaxed))
    }

    /// Gives way to a complaint about a request that was put in `sent` terms. Returns whether the request
    /// is worth another try. Calls that run at the same time give way once, not once each.
    pub(crate) fn give_way(&self, sent: Terms, complaint: &str) -> bool {
        let Some(next) = sent.after(complaint) else {
            return false;
        };
        if self
            .0
            .compare_exchange(sent.pack(), next.pack(), Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
        {
            tracing::info!(?next, "provider refused request fields, falling back to others");
            tracing::debug!(complaint, "provider refused request fields (details)");
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(structured: Structured) -> Terms {
        Terms {
            structured,
            stream_options: true,
            completion_limit: false,
            temperature: true,
        }
    }

    #[test]
    fn terms_survive_being_packed() {
        for structured in [
            Structured::JsonSchema,
            Structured::JsonObject,
            Structured::None,
            Structured::Function,
        ] {
            for (stream_options, completion_limit) in [(false, false), (false, true), (true, false), (true, true)] {
                for temperature in [false, true] {
                    let terms = Terms {
                        structured,
                        stream_options,
                        completion_limit,
                        temperature,
                    };
                    assert_eq!(Terms::unpack(terms.pack()), terms);
                }
            }
        }
    }

    #[test]
    fn two_calls_that_fail_at_once_give_way_by_one_step() {
        let dialect = Dialect::new(Structured::JsonSchema, true);
        let sent = dialect.terms();
        assert!(dialect.give_way(sent, "Unknown parameter: response_format"));
        assert!(dialect.give_way(sent, "Unknown parameter: response_format"));
        assert_eq!(dialect.terms(), terms(Structured::JsonObject));
    }

    #[test]
    fn a_server_without_functions_is_asked_in_words_alone() {
        let dialect = Dialect::new(Structured::Function, true);
        assert!(!dialect.give_way(dialect.terms(), "the context is too long"));
        assert!(dialect.give_way(dialect.terms(), "tool_choice is not supported"));
        assert_eq!(dialect.terms(), terms(Structured::None));
    }

    #[test]
    fn a_complaint_about_something_else_changes_nothing() {
        let dialect = Dialect::new(Structured::None, true);
        let sent = dialect.terms();
        assert!(!dialect.give_way(sent, "the context is too long"));
        assert!(!dialect.give_way(sent, "response_format is unknown"));
        assert_eq!(dialect.terms(), terms(Structured::None));
    }
}
