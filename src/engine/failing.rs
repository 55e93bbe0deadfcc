//! What a person reads when no model answered: what is true, and, if they can mend it, which setting it is about. Pure.

use clifford_llm::{Denial, ModelError};

use super::sentences;

/// Who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    /// They can mend settings.
    pub is_owner: bool,
    /// Nobody reads along.
    pub is_private: bool,
}

/// The sentence for an error. Only the owner, where nobody reads along, reads what the provider said.
pub fn sentence(error: &ModelError, reader: Reader) -> String {
    let (sentence, is_mendable) = match error {
        ModelError::Later { .. } => (sentences::MODEL_BUSY, false),
        ModelError::Overloaded { .. } | ModelError::Silent { .. } | ModelError::Cut { .. } => {
            (sentences::MODEL_DOWN, false)
        }
        ModelError::TooLong { .. } => (sentences::MODEL_TOO_LONG, false),
        ModelError::BadRequest { .. } => (sentences::MODEL_REFUSES_REQUEST, true),
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
    if is_mendable && reader.is_owner && reader.is_private {
        format!("{sentence} ({error})")
    } else {
        sentence.to_owned()
    }
}

/// What is to be done about an error, for the log: which setting to mend, where it is about one.
pub fn remedy(error: &ModelError) -> &str {
    match error {
        ModelError::Unauthorised { remedy, .. } => remedy,
        ModelError::TooLong { .. } => "set `context_tokens` of the provider if its model holds less than is assumed",
        _ => "`clifford runs show` tells what it said",
    }
}

/// Whether time that is over explains the error: whoever was asked was still at it.
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
                reason: reason(),
            },
            ModelError::Later {
                provider: provider(),
                after: Duration::from_secs(90),
            },
            ModelError::TooLong {
                provider: provider(),
                window: Some(8192),
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

    #[test]
    fn each_kind_of_failure_has_a_sentence_of_its_own_in_which_nothing_of_the_provider_shows() {
        let everybody = [(false, false), (false, true), (true, false)];
        for (is_owner, is_private) in everybody {
            let reader = Reader { is_owner, is_private };
            let told: BTreeSet<_> = errors().iter().map(|error| sentence(error, reader)).collect();
            assert_eq!(told.len(), errors().len());
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
        let told: Vec<_> = errors().iter().map(|error| sentence(error, reader)).collect();
        assert_eq!(
            told[5],
            "Sorry, my language model does not accept my key. My owner has to mend that. (main does not accept the key: \
             status 4xx: said; check `key` of provider `main`)"
        );
        assert_eq!(told.iter().filter(|told| told.contains("main")).count(), 5);
    }
}
