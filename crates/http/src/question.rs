//! The open question of a run about calls, as people are asked it: every call that the answer holds for, with all of its
//! arguments, and where each of them comes from.

use clifford_core::{
    clock::Timestamp,
    policy::sources,
    run::{
        question::{self, Argument},
        step::{ConfirmAbout, Event, Proposal, Step, StepKind},
    },
    runs::Run,
};
use clifford_text::Lang;
use serde::Serialize;
use serde_json::Value as Json;

/// The reader of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// The person who is asked: their words are “your message”.
    Asked,
    /// Somebody who looks at it, or answers it, in their place.
    Other,
}

impl Reader {
    /// The origin of an argument, in words for this reader.
    pub(super) fn origin(self, said: String) -> String {
        match self {
            Self::Asked => said,
            Self::Other => sources::told_to_others(said),
        }
    }

    /// The doubt about a call that nobody asked for, in words for this reader.
    fn doubt(self, said: String) -> String {
        let rest = said.strip_prefix("**You did").filter(|_| self == Self::Other);
        rest.map(|rest| format!("**They did{rest}")).unwrap_or(said)
    }
}

/// A run's open question.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OpenQuestion {
    /// Names it: an answer with this code is one to this very question.
    code: String,
    /// The subject: a call or a result.
    about: AskedAbout,
    /// When it counts as denied.
    #[schema(value_type = String)]
    expires_at: Timestamp,
    /// The answer may be a rule for such calls.
    may_be_rule: bool,
    /// The calls that the answer holds for: first those that were asked for.
    calls: Vec<AskedCall>,
}

/// The subject of a question.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(rename_all = "snake_case")]
enum AskedAbout {
    /// Making calls.
    Call,
    /// Using the result of one that was made.
    Result,
}

/// A call of a question.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct AskedCall {
    /// `tool.command`.
    name: String,
    /// Nobody who may asked for it: it stands apart from the others.
    is_unasked: bool,
    /// Says that nobody who may asked for it, or for where it goes, and in whose words that stands. Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<String>,
    /// Why it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// Its arguments, as they will be sent.
    arguments: Vec<AskedArgument>,
}

/// An argument of a call of a question.
#[derive(Serialize, utoipa::ToSchema)]
struct AskedArgument {
    /// Its name.
    name: String,
    /// Its value.
    value: Json,
    /// Where it comes from.
    origins: Vec<AskedOrigin>,
}

/// Where an argument, or a part of it, comes from.
#[derive(Serialize, utoipa::ToSchema)]
struct AskedOrigin {
    /// The part; left out: all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<String>,
    /// Where that comes from, in words.
    origin: String,
}

impl OpenQuestion {
    /// The open question of a run with these steps, if it asks one.
    pub(super) fn of(run: &Run, steps: &[Step], reader: Reader) -> Option<Self> {
        if !run.asks() {
            return None;
        }
        let (seq, request) = steps.iter().rev().find_map(|step| match &step.kind {
            StepKind::Event(Event::ConfirmRequest(request)) => Some((step.seq, request)),
            _ => None,
        })?;
        let mut calls: Vec<_> = request
            .proposals()
            .into_iter()
            .map(|call| AskedCall::of(call, reader))
            .collect();
        calls.sort_by_key(|call| call.is_unasked);
        Some(Self {
            code: question::code_of(seq, request),
            about: match request.about {
                ConfirmAbout::Call => AskedAbout::Call,
                ConfirmAbout::Result => AskedAbout::Result,
            },
            expires_at: request.expires_at,
            may_be_rule: request.may_be_rule,
            calls,
        })
    }
}

impl AskedCall {
    fn of(call: Proposal, reader: Reader) -> Self {
        let lang = Lang::English;
        Self {
            is_unasked: call.is_apart(),
            doubt: call.unasked(lang).map(|said| reader.doubt(said)),
            why: call.reason(lang),
            arguments: (call.arguments(lang).into_iter())
                .map(|argument| AskedArgument::of(argument, reader))
                .collect(),
            name: call.call.name,
        }
    }
}

impl AskedArgument {
    fn of(argument: Argument, reader: Reader) -> Self {
        let origins = argument.origins.into_iter();
        Self {
            name: argument.name,
            value: argument.value,
            origins: (origins.map(|(of, origin)| AskedOrigin {
                of,
                origin: reader.origin(origin),
            }))
            .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_for_the_asked_are_turned_for_others() {
        let doubt = "**You did not ask for this.** `to` stands in a mail.";
        for (reader, message, told) in [
            (Reader::Asked, "your message", doubt),
            (
                Reader::Other,
                "their message",
                "**They did not ask for this.** `to` stands in a mail.",
            ),
        ] {
            assert_eq!(reader.origin(sources::MESSAGE.to_owned()), message);
            assert_eq!(reader.doubt(doubt.to_owned()), told);
        }
        assert_eq!(Reader::Other.origin("a mail".to_owned()), "a mail");
    }
}
