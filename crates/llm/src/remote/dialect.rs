//! The features that a server turned out to lack, remembered so that each is tried only once.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

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
    /// Whether a stream may be asked for: `OpenAI` streams some models only to organizations that it has verified.
    pub(crate) stream: bool,
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
            | (self.stream as u8) << 5
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
            stream: packed & 32 != 0,
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
        if self.stream && names(&["(parameter stream)", "to stream this model"]) {
            return Some(Self { stream: false, ..self });
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
        let structured = match self.structured {
            Structured::JsonSchema => Structured::JsonObject,
            Structured::JsonObject => Structured::None,
            Structured::None | Structured::Function => return None,
        };
        Some(Self { structured, ..self })
    }

    /// The terms that are worth a try after a refusal that names nothing, the first one last.
    pub(crate) fn others(self) -> Vec<Self> {
        let form = |structured| Self { structured, ..self };
        let mut others = Vec::new();
        if self.stream {
            others.push(Self { stream: false, ..self });
        }
        if self.structured != Structured::None {
            others.push(form(Structured::None));
        }
        if self.structured == Structured::JsonSchema {
            others.push(form(Structured::JsonObject));
        }
        others
    }
}

/// The terms that hold for a server from now on.
#[derive(Debug)]
pub(crate) struct Dialect {
    terms: AtomicU8,
    /// A request went through.
    is_proven: AtomicBool,
}

impl Dialect {
    /// `temperature`: whether the model takes one, as far as its name tells. Models that take none want the other name
    /// of the limit, too.
    pub(crate) const fn new(structured: Structured, temperature: bool) -> Self {
        let terms = Terms {
            structured,
            stream_options: true,
            completion_limit: !temperature,
            temperature,
            stream: true,
        };
        Self {
            terms: AtomicU8::new(terms.pack()),
            is_proven: AtomicBool::new(false),
        }
    }

    pub(crate) fn terms(&self) -> Terms {
        Terms::unpack(self.terms.load(Ordering::Relaxed))
    }

    /// Gives way to a complaint about a request that was put in `sent` terms. Returns whether the request
    /// is worth another try. Calls that run at the same time give way once, not once each.
    pub(crate) fn give_way(&self, sent: Terms, complaint: &str) -> bool {
        let Some(next) = sent.after(complaint) else {
            return false;
        };
        if self.replace(sent, next) {
            tracing::info!(?next, "provider refused request fields, falling back to others");
            tracing::debug!(complaint, "provider refused request fields (details)");
        }
        true
    }

    /// Keeps the terms in which a request went through that was refused in others.
    pub(crate) fn keep(&self, refused: Terms, taken: Terms) {
        if self.replace(refused, taken) {
            tracing::info!(
                ?taken,
                "provider refused a request, and took it in other terms, keeping those"
            );
        }
    }

    /// A request went through.
    pub(crate) fn prove(&self) {
        self.is_proven.store(true, Ordering::Relaxed);
    }

    /// Whether a request went through before.
    pub(crate) fn is_proven(&self) -> bool {
        self.is_proven.load(Ordering::Relaxed)
    }

    /// Whether these terms still held, and others do now.
    fn replace(&self, held: Terms, next: Terms) -> bool {
        let replaced = (self.terms).compare_exchange(held.pack(), next.pack(), Ordering::Relaxed, Ordering::Relaxed);
        replaced.is_ok()
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
            stream: true,
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
                for (temperature, stream) in [(false, true), (true, false), (true, true)] {
                    let terms = Terms {
                        structured,
                        stream_options,
                        completion_limit,
                        temperature,
                        stream,
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

    #[test]
    fn a_stream_that_is_not_allowed_is_not_asked_for_and_its_options_are_something_else() {
        let dialect = Dialect::new(Structured::None, true);
        let complaint = "Your organization must be verified to stream this model. (parameter stream)";
        assert!(dialect.give_way(dialect.terms(), complaint));
        let expected = Terms {
            stream: false,
            ..terms(Structured::None)
        };
        assert_eq!(dialect.terms(), expected);
        assert!(!dialect.give_way(dialect.terms(), complaint));
        let dialect = Dialect::new(Structured::None, true);
        assert!(dialect.give_way(dialect.terms(), "Unknown name \"stream_options\""));
        assert!(dialect.terms().stream);
    }

    #[test]
    fn after_a_refusal_that_names_nothing_the_form_is_left_out_and_then_the_stream() {
        let mut others = terms(Structured::JsonSchema).others();
        let stream = Terms {
            stream: false,
            ..terms(Structured::JsonSchema)
        };
        others.reverse();
        assert_eq!(others, [terms(Structured::JsonObject), terms(Structured::None), stream]);
        let bare = Terms {
            stream: false,
            ..terms(Structured::None)
        };
        assert_eq!(bare.others(), []);
    }
}
