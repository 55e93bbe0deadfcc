//! Ids of events: where a reader was, so that they can go on there.

use axum::http::HeaderMap;
use clifford_core::clock::Timestamp;

use super::super::problem::{Code, Problem};

/// Where a reader was: the moment until which they were told everything, and the place in a process's journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resume {
    pub through: Timestamp,
    /// The process; nothing: the event was told from the rows.
    pub process: String,
    /// The life of the task that looked there.
    pub life: u64,
    /// The number of the next change.
    pub number: u64,
}

impl Resume {
    fn parse(id: &str) -> Option<Self> {
        let mut parts = id.split('-');
        let resume = Self {
            through: Timestamp(parts.next()?.parse().ok()?),
            process: parts.next()?.to_owned(),
            life: parts.next()?.parse().ok()?,
            number: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(resume)
    }

    /// The id of an event.
    pub(super) fn id(through: Timestamp, process: &str, place: (u64, u64)) -> String {
        format!("{}-{process}-{}-{}", through.0, place.0, place.1)
    }
}

/// Where a request wants to go on.
///
/// # Errors
/// The header holds no id of an event.
pub(super) fn last_event(headers: &HeaderMap) -> Result<Option<Resume>, Problem> {
    let Some(value) = headers.get("last-event-id") else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(None);
    }
    let resume = Resume::parse(text);
    let wrong = || {
        Problem::new(
            Code::InvalidHeader,
            "it must be the id of an event, as the stream gave it",
        )
    };
    resume.map(Some).ok_or_else(|| wrong().of_field("Last-Event-ID"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_was_given_and_nothing_else_is() {
        let resume = Resume {
            through: Timestamp(17),
            process: "2f1f3a0b1c2d".to_owned(),
            life: 3,
            number: 40,
        };
        let id = Resume::id(resume.through, &resume.process, (resume.life, resume.number));
        assert_eq!(id, "17-2f1f3a0b1c2d-3-40");
        assert_eq!(Resume::parse(&id), Some(resume));
        let told_from_rows = Resume::id(Timestamp(17), "", (0, 0));
        assert!(Resume::parse(&told_from_rows).is_some_and(|resume| resume.life == 0));
        for wrong in ["", "17", "17-a-3", "17-a-3-x", "17-a-3-4-5", "x-a-3-4"] {
            assert_eq!(Resume::parse(wrong), None, "{wrong}");
        }
    }
}
