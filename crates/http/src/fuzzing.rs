//! Properties that hold for any bytes of callers: for the tests of this crate and for the fuzzer.

use axum::response::IntoResponse;
use clifford_core::policy::Rule;
use serde::de::DeserializeOwned;

use super::{
    agents::{AgentChange, NewAgentBody},
    channels::ChannelChange,
    completions::ChatRequest,
    contexts,
    edits::MessageEdit,
    extract,
    feedback::NewFeedback,
    keys,
    links::Entered,
    memories,
    messages::NewMessage,
    pairings::NewPairingDecision,
    policies::TrialCall,
    rerun::NewRerun,
    runs,
    sessions::Login,
    settings::{NewValue, NewValues},
    terminal::{Shown, Typed},
    tokens::NewTokenBody,
    tools::{HandCall, ToolChange},
    triggers,
    users::UserChange,
};

/// Reads a body as the body of one kind of request.
type Reader = fn(&[u8]);

macro_rules! readers {
    ($($kind:path),* $(,)?) => {
        /// Every kind of request with a JSON body.
        const READERS: &[(&str, Reader)] = &[$((stringify!($kind), check_as::<$kind>)),*];
    };
}

readers![
    AgentChange,
    NewAgentBody,
    ChannelChange,
    contexts::ContextChange,
    contexts::NewContext,
    Entered,
    memories::MemoryChange,
    memories::NewMemory,
    runs::NewAnswer,
    NewMessage,
    runs::NewRun,
    NewRerun,
    NewTokenBody,
    triggers::NewTriggerBody,
    NewValue,
    NewValues,
    Rule,
    ToolChange,
    TrialCall,
    triggers::TriggerChange,
    UserChange,
    keys::GivenKey,
    Login,
    NewPairingDecision,
    ChatRequest,
    MessageEdit,
    NewFeedback,
    NewTokenBody,
    HandCall,
    Typed,
    Shown,
    super::passkeys::login::LoginByPasskey,
    super::passkeys::NewPasskeyBody,
    super::passkeys::PasskeyChange,
];

/// A byte for the kind of request, then its body: it is read, or refused by a problem that is the caller's; nothing
/// panics.
///
/// # Panics
/// It does not hold.
pub fn check_body(bytes: &[u8]) {
    if let Some((kind, body)) = bytes.split_first() {
        let (_, check) = READERS[usize::from(*kind) % READERS.len()];
        check(body);
    }
}

fn check_as<T: DeserializeOwned>(body: &[u8]) {
    if let Err(problem) = extract::parse::<T>(body) {
        assert!(!problem.detail().is_empty(), "{problem:?}");
        let status = problem.clone().into_response().status();
        assert!(matches!(status.as_u16(), 400 | 422), "{problem:?}");
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use proptest::{prelude::*, sample::select};

    use super::{READERS, check_body};

    #[test]
    fn every_kind_of_request_is_here() {
        let mut taken = BTreeSet::new();
        for text in sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))) {
            let kinds = text.split("): Body<").skip(1).filter_map(|rest| rest.split('>').next());
            taken.extend(
                kinds
                    .filter(|kind| *kind != "T" && !kind.contains('"'))
                    .map(str::to_owned),
            );
            // Those that are read once it is known that the caller may send them.
            let later = text.split(" = body(request").collect::<Vec<_>>();
            let later = later.split_last().map_or(&[][..], |(_, before)| before);
            taken.extend(
                later
                    .iter()
                    .filter_map(|before| before.rsplit(": ").next())
                    .map(str::to_owned),
            );
        }
        let here: BTreeSet<_> = (READERS.iter())
            .filter_map(|(name, _)| name.rsplit("::").next())
            .map(|name| name.trim().to_owned())
            .collect();
        assert_eq!(here, taken);
    }

    /// The text of every other file.
    fn sources(dir: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for file in fs::read_dir(dir).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                found.extend(sources(&path));
            } else if !path.ends_with(file!()) {
                found.push(fs::read_to_string(path).unwrap());
            }
        }
        found
    }

    /// Bodies that some of them take.
    const BODIES: [&str; 6] = [
        r#"{"content":"hi","mode":"run","fileIds":["a"],"idempotencyKey":"k"}"#,
        r#"{"name":"n","match":{"tool":"web.*"},"effect":"deny","priority":5,"enabled":true}"#,
        r#"{"userId":"0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d","module":"identity","key":"name","value":"Ada","level":1}"#,
        r#"{"type":"cron","schedule":"0 9 * * *","timeZone":"UTC","task":"x","channelId":null}"#,
        r#"{"name":"memory.enabled","scope":"bot","value":true}"#,
        r#"{"title":null,"status":"closed"}"#,
    ];

    proptest! {
        #[test]
        fn any_body_is_taken_or_refused(kind: u8, text in ".{0,200}") {
            check_body(&[&[kind], text.as_bytes()].concat());
        }

        #[test]
        fn a_body_with_a_part_replaced_is_taken_or_refused(
            kind: u8,
            body in select(&BODIES[..]),
            at in any::<prop::sample::Index>(),
            length in 0_usize..12,
            other in select(vec![
                "", "0", "-1", "null", "{}", "[]", "\"", "\"x\"", "18446744073709551615", "1e400", "\\ud800", "true", ",", "\\u0000",
            ]),
        ) {
            let mut bytes = body.as_bytes().to_vec();
            let at = at.index(bytes.len());
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, other.bytes());
            check_body(&[&[kind], bytes.as_slice()].concat());
        }
    }
}
