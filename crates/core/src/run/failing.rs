//! The person's message when no model answered, or a run reached a limit: the cause, and the setting to change, if they
//! can change it. Pure.

use std::borrow::Cow;

use clifford_llm_api::model::{Denial, ModelError};

use super::{
    decision::Decision,
    sentences::{self, Sentence},
    step::EndingKind,
};
use crate::prompt::{
    fit,
    room::{SMALLEST, Window},
    weight::Form,
};

/// The reader of such a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    /// They can mend settings.
    pub is_owner: bool,
    /// Nobody reads along.
    pub is_private: bool,
}

impl Reader {
    /// Only the owner, where nobody reads along, reads which setting to mend, and what the provider said.
    const fn may_mend(self) -> bool {
        self.is_owner && self.is_private
    }
}

/// The sentence for an error of a run that was asked this.
pub fn sentence(error: &ModelError, reader: Reader, asked: &str) -> Sentence {
    let (sentence, is_mendable) = match error {
        ModelError::Later { .. } => (sentences::MODEL_BUSY, false),
        ModelError::Overloaded { reason, .. } => (sentences::MODEL_DOWN, !is_of_server(reason)),
        ModelError::Silent { .. } => (sentences::MODEL_DOWN, true),
        ModelError::Cut { .. } => (sentences::MODEL_DOWN, false),
        ModelError::TooLong { window, .. } => (too_long(*window, asked), true),
        ModelError::BadRequest { .. } | ModelError::Unseen { .. } => (sentences::MODEL_REFUSES_REQUEST, true),
        ModelError::Refused { .. } => (sentences::MODEL_REFUSED, false),
        ModelError::Unauthorised { denial, .. } => (
            match denial {
                Denial::Key => sentences::MODEL_KEY,
                Denial::Permission => sentences::MODEL_FORBIDDEN,
                Denial::Model => sentences::MODEL_UNKNOWN,
                Denial::Balance => sentences::MODEL_UNPAID,
            },
            true,
        ),
    };
    if !is_mendable || !reader.may_mend() {
        return sentence;
    }
    sentence.with_note(match error {
        ModelError::Overloaded { .. } | ModelError::Silent { .. } | ModelError::TooLong { .. } => {
            format!("{error}; {}", remedy(error))
        }
        // The others name it themselves.
        _ => error.to_string(),
    })
}

/// The sentence for a request that was too long, whatever was cut: a question that leaves room for the rest is not to
/// blame.
fn too_long(window: Option<u64>, asked: &str) -> Sentence {
    let window = Window {
        tokens: window.unwrap_or(SMALLEST),
        reply: None,
    };
    if Form::Json.weigh(asked) <= fit::at_once(window) {
        sentences::MODEL_TOO_SMALL
    } else {
        sentences::MODEL_TOO_LONG
    }
}

/// Whether a server said by itself that it failed: no setting is to blame.
fn is_of_server(reason: &str) -> bool {
    reason.starts_with("status ")
}

/// The remedy for an error: the setting to change, if one is to blame.
pub fn remedy(error: &ModelError) -> Cow<'_, str> {
    match error {
        ModelError::Unauthorised { remedy, .. } => Cow::Borrowed(remedy),
        ModelError::TooLong {
            provider,
            window: Some(window),
            ..
        } if *window < SMALLEST => {
            format!("a model of provider `{provider}` needs a window of at least {SMALLEST} tokens").into()
        }
        ModelError::TooLong { provider, .. } => {
            format!("set `context_tokens` of provider `{provider}` if its model holds less than is assumed").into()
        }
        ModelError::Unseen { provider, .. } => format!("set `images = false` for provider `{provider}`").into(),
        ModelError::Overloaded { provider, reason } if !is_of_server(reason) => {
            format!("check `base_url` of provider `{provider}`").into()
        }
        ModelError::Silent { provider, .. } => {
            format!("check `base_url` and the timeouts of provider `{provider}`").into()
        }
        _ => Cow::Borrowed("`clifford runs show` tells what it said"),
    }
}

/// The end of a run that reached a limit of its own, for this reader: the error names the limit.
pub fn told(decision: Decision, reader: Reader) -> Decision {
    let Decision::Fail { before, mut failure } = decision else {
        return decision;
    };
    if reader.may_mend() && !failure.message.is_empty() {
        let between = if failure.message.contains('\n') { "\n\n" } else { " " };
        let remedy = match failure.kind {
            EndingKind::Model => "; set `context_tokens` of the provider if its model holds more",
            _ => "",
        };
        failure.message = format!("{}{between}({}{remedy})", failure.message, failure.error);
    }
    Decision::Fail { before, failure }
}

/// Whether a deadline explains the error: the provider was still working.
pub const fn is_of_time(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::Overloaded { .. } | ModelError::Silent { .. } | ModelError::Cut { .. } | ModelError::Later { .. }
    )
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, time::Duration};

    use super::*;
    use crate::run::decision::Failure;

    fn english(sentence: &Sentence) -> String {
        sentence.text(clifford_text::Lang::English)
    }

    fn errors() -> Vec<ModelError> {
        let provider = || "main".to_owned();
        let reason = || "status 4xx: said".to_owned();
        let denied = |denial| ModelError::Unauthorised {
            provider: provider(),
            reason: reason(),
            denial,
            remedy: "check `key` of provider `main`".to_owned(),
        };
        vec![
            ModelError::Overloaded {
                provider: provider(),
                reason: "error sending request: Connection refused".to_owned(),
            },
            ModelError::Overloaded {
                provider: provider(),
                reason: reason(),
            },
            ModelError::Later {
                provider: provider(),
                after: Duration::from_secs(90),
            },
            ModelError::TooLong {
                provider: provider(),
                window: Some(8192),
                in_bytes: false,
            },
            ModelError::BadRequest {
                provider: provider(),
                reason: reason(),
            },
            ModelError::Refused {
                provider: provider(),
                reason: reason(),
            },
            denied(Denial::Key),
            denied(Denial::Permission),
            denied(Denial::Model),
            denied(Denial::Balance),
        ]
    }

    /// The subject of each of them: a question that is too long for the window.
    fn asked() -> String {
        "too much ".repeat(10_000)
    }

    #[test]
    fn each_kind_of_failure_has_a_sentence_of_its_own_in_which_nothing_of_the_provider_shows() {
        let everybody = [(false, false), (false, true), (true, false)];
        for (is_owner, is_private) in everybody {
            let reader = Reader { is_owner, is_private };
            let told: BTreeSet<_> = errors()
                .iter()
                .map(|error| english(&sentence(error, reader, &asked())))
                .collect();
            // Out of reach and overloaded are one.
            assert_eq!(told.len(), errors().len() - 1);
            assert!(
                told.iter().all(|told| !told.contains("said") && !told.contains("main")),
                "{told:?}"
            );
        }
    }

    #[test]
    fn whoever_may_mend_it_reads_which_setting() {
        let reader = Reader {
            is_owner: true,
            is_private: true,
        };
        let told: Vec<_> = errors()
            .iter()
            .map(|error| english(&sentence(error, reader, &asked())))
            .collect();
        assert_eq!(
            told[6],
            "Sorry, my language model does not accept my key. My owner has to fix that. (main does not accept the key: \
             status 4xx: said; check `key` of provider `main`)"
        );
        assert_eq!(
            told[0],
            "Sorry, I can't reach my language model right now. Please try again in a few minutes. (main is not available: \
             error sending request: Connection refused; check `base_url` of provider `main`)"
        );
        assert_eq!(
            told[3],
            "Sorry, this is more than my language model can take in at once. Please send it in smaller parts, or as a \
             file. (main refused the request as too long: its window has 8192 tokens; set `context_tokens` of provider \
             `main` if its model holds less than is assumed)"
        );
        // Neither a server that fails for now, nor one that wants patience, nor a refusal.
        let named = |told: &String| told.contains("main");
        assert_eq!(told.iter().map(named).filter(|is_named| !is_named).count(), 3);
    }

    #[test]
    fn a_question_that_leaves_room_for_the_rest_is_not_called_too_long() {
        let reader = |is_owner| Reader {
            is_owner,
            is_private: true,
        };
        let (question, whole) = ("what now?".to_owned(), asked());
        for (window, asked, expected) in [
            (Some(512), &question, english(&crate::run::sentences::MODEL_TOO_SMALL)),
            (Some(2_048), &question, english(&crate::run::sentences::MODEL_TOO_SMALL)),
            (None, &question, english(&crate::run::sentences::MODEL_TOO_SMALL)),
            (Some(512), &whole, english(&crate::run::sentences::MODEL_TOO_LONG)),
            (Some(8_192), &whole, english(&crate::run::sentences::MODEL_TOO_LONG)),
            (None, &whole, english(&crate::run::sentences::MODEL_TOO_LONG)),
        ] {
            let error = ModelError::TooLong {
                provider: "main".to_owned(),
                window,
                in_bytes: false,
            };
            assert_eq!(english(&sentence(&error, reader(false), asked)), expected, "{window:?}");
            let told = english(&sentence(&error, reader(true), asked));
            let remedy = match window {
                Some(512) => "; a model of provider `main` needs a window of at least 2048 tokens)",
                _ => "; set `context_tokens` of provider `main` if its model holds less than is assumed)",
            };
            assert!(told.starts_with(&expected) && told.ends_with(remedy), "{told}");
        }
    }

    #[test]
    fn the_owner_reads_which_limit_a_run_reached() {
        let ended = |kind, message: &str| Decision::Fail {
            before: vec![],
            failure: Failure {
                kind,
                message: message.to_owned(),
                error: "the run used 90 tokens of max_run_tokens = 80".to_owned(),
            },
        };
        let told = |decision: Decision, is_owner| match super::told(
            decision,
            Reader {
                is_owner,
                is_private: true,
            },
        ) {
            Decision::Fail { failure, .. } => failure.message,
            other => panic!("{other:?}"),
        };
        let budget = || ended(EndingKind::Budget, &english(&crate::run::sentences::BUDGET));
        assert_eq!(told(budget(), false), english(&crate::run::sentences::BUDGET));
        assert_eq!(
            told(budget(), true),
            format!(
                "{} (the run used 90 tokens of max_run_tokens = 80)",
                english(&crate::run::sentences::BUDGET)
            )
        );
        assert!(told(ended(EndingKind::Model, "Too long."), true).contains("; set `context_tokens` of the provider"));
        assert_eq!(told(ended(EndingKind::Budget, ""), true), "");
    }
}
