//! A search request: the same for the model, the API, chats and the command line.

use std::{fmt, str::FromStr};

use jiff::tz::TimeZone;

use super::{
    Form, Query, Scope,
    dates::{self, End, Named, Time},
};
use crate::{clock::Timestamp, id::RunId};

/// A question as it was asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchInput<'a> {
    /// The question, or a few words.
    pub text: &'a str,
    /// Only what was said from then on.
    pub from: Option<&'a str>,
    /// Only what was said until then.
    pub to: Option<&'a str>,
}

/// A fault of a search request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Fault {
    /// The field at fault: the question (`query`), `from` or `to`.
    pub field: &'static str,
    /// How to say it.
    pub detail: String,
}

/// A search request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The words that are asked for, if any are.
    pub query: Option<Query>,
    /// The question names no more than times: all that was said in these spans, within `from` and `to`, is looked for,
    /// and the words only if there is nothing of that.
    pub listed: Option<Vec<(Timestamp, Timestamp)>>,
    /// The times that the question names: what was said then comes before what else is as good.
    pub times: Vec<Time>,
    /// The time zone of its dates.
    pub zone: TimeZone,
    /// Where.
    pub scope: Scope,
    /// Only what was said from then on.
    pub from: Option<Timestamp>,
    /// Only what was said before.
    pub to: Option<Timestamp>,
    /// Not what this run was asked or said: it knows that.
    pub except: Option<RunId>,
    /// Where to go on.
    pub cursor: Option<Cursor>,
    /// How many on a page.
    pub limit: u32,
    /// How snippets are written.
    pub form: Form,
}

/// Where the next page begins: behind so many of those that were in the index up to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Up to this number in the index.
    pub through: i64,
    /// How many come before the page.
    pub skip: usize,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.through, self.skip)
    }
}

impl FromStr for Cursor {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FAULT: &str = "it is not what `next` of a page said";
        let (through, skip) = text.split_once('-').ok_or(FAULT)?;
        Ok(Self {
            through: through.parse().map_err(|_| FAULT)?,
            skip: skip.parse().map_err(|_| FAULT)?,
        })
    }
}

impl Request {
    /// Reads a question. It begins with the first page of ten, written as it was said.
    ///
    /// # Errors
    /// There is nothing in it to look for, or an end of its time cannot be read.
    pub fn read(asked: SearchInput<'_>, scope: Scope, zone: TimeZone, now: Timestamp) -> Result<Self, Fault> {
        let bound = |field, text: Option<&str>, end| {
            text.map(|text| dates::bound(text, end, &zone, now))
                .transpose()
                .map_err(|detail| Fault { field, detail })
        };
        let (from, to) = (
            bound("from", asked.from, End::First)?,
            bound("to", asked.to, End::Last)?,
        );
        let named = dates::named(asked.text, &zone, now);
        let is_any = |of: fn(&Named, usize) -> bool| {
            let named = &named;
            move |place| named.iter().any(|one| of(one, place))
        };
        let is_timed = !named.is_empty() || from.is_some() || to.is_some();
        let (query, listed) = if !is_timed {
            let query = Query::parse(asked.text).ok_or_else(|| Fault {
                field: "query",
                detail: "there is no word in it to look for".to_owned(),
            })?;
            (Some(query), None)
        } else if Query::beside(asked.text, is_any(Named::covers)).is_some() {
            (Query::beside(asked.text, is_any(Named::covers_unspelled)), None)
        } else {
            // A text may tell of that time in the same words.
            let told = Query::beside(asked.text, is_any(|one, place| one.covers(place) && !one.is_absolute()));
            let spans = if named.is_empty() {
                vec![(Timestamp(i64::MIN), Timestamp(i64::MAX))]
            } else {
                dates::spans(&named, &zone, now)
            };
            (told, Some(spans))
        };
        Ok(Self {
            query,
            listed,
            times: dates::times(&named),
            from,
            to,
            zone,
            scope,
            except: None,
            cursor: None,
            limit: 10,
            form: Form::Plain,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let cursor = Cursor { through: 17, skip: 3 };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for text in ["", "17", "a-b", "1-2-3", "1--2", "99999999999999999999-1"] {
            assert!(text.parse::<Cursor>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_question_is_read_with_the_times_that_it_names_and_those_that_bound_it() {
        let read = |text, from, to| {
            let asked = SearchInput { text, from, to };
            Request::read(asked, Scope::Nothing, TimeZone::UTC, Timestamp(1_773_831_600_000))
        };
        let request = read("cats in May 2023", Some("2023"), Some("2023-06")).expect("a request");
        let may = Time::Between(Timestamp(1_682_899_200_000), Timestamp(1_685_577_600_000));
        assert_eq!(request.times, [may]);
        assert_eq!(
            (request.from, request.to),
            (Some(Timestamp(1_672_531_200_000)), Some(Timestamp(1_688_169_600_000)))
        );
        assert_eq!(request.listed, None);
        for (text, from, to, field) in [
            ("?!", None, None, "query"),
            ("what did I say", None, None, ""),
            ("", Some("2026-03-15T11:00"), None, ""),
            ("cats", Some("2026-W11"), None, "from"),
            ("", Some("2026-13"), None, "from"),
            ("cats", Some("soon"), None, "from"),
            ("cats", None, Some("soon"), "to"),
        ] {
            assert_eq!(
                read(text, from, to).err().map_or("", |fault| fault.field),
                field,
                "{text}"
            );
        }
    }

    #[test]
    fn a_question_of_nothing_but_times_lists_what_was_said_then() {
        let read = |text, from| {
            let asked = SearchInput { text, from, to: None };
            Request::read(asked, Scope::Nothing, TimeZone::UTC, Timestamp(1_773_831_600_000)).expect("a request")
        };
        let words = |query: Option<Query>| {
            let phrases = query.map_or_else(Vec::new, |query| query.phrases().to_vec());
            phrases.iter().map(|phrase| phrase.terms.join(" ")).collect::<Vec<_>>()
        };
        for (text, from, spans, expected) in [
            ("yesterday", None, Some(1), &[][..]),
            ("What did we talk about last week?", None, Some(1), &[]),
            ("", Some("2026-03"), Some(1), &[]),
            ("what did I say", Some("2026-03"), Some(1), &[]),
            ("yesterday", Some("2026-03"), Some(1), &[]),
            ("Nachrichten von gestern", None, Some(1), &[]),
            // A text may tell of that time in the same words, or they are the name of something else.
            ("What is on 2026-06-08?", None, Some(1), &["2026", "06", "08"]),
            ("03/04/2026", None, Some(2), &["03", "04", "2026"]),
            ("Nachricht vom 15.03.2026", None, Some(1), &["nachricht", "15 03 2026"]),
            ("in June", None, Some(11), &["june"]),
            ("2049", None, Some(1), &["2049"]),
            ("8 June", None, Some(11), &["8", "june"]),
            // No June has that day.
            ("What did we talk about on 31 June?", None, None, &["31", "june"]),
            (
                "what happened on June 31",
                None,
                None,
                &["what", "happened", "june", "31"],
            ),
            ("30. Februar", None, None, &["30", "februar"]),
            ("31 April 2026", None, None, &["31", "april", "2026"]),
            // Words that ask for messages in another language, or without a question, are words.
            ("Bericht vom 15.03.2026", None, None, &["bericht"]),
            ("Bericht 15.03.2026", None, None, &["bericht"]),
            ("list 2026-03-15", None, None, &["list"]),
            ("cat 2026-03-15", None, None, &["cat"]),
            ("birthday 8 June", None, None, &["birthday", "june"]),
            ("\"2026-03-15\"", None, None, &["2026 03 15"]),
            ("cats", Some("2026-03"), None, &["cats"]),
            ("cats", None, None, &["cats"]),
        ] {
            let request = read(text, from);
            assert_eq!(request.listed.map(|spans| spans.len()), spans, "{text}");
            assert_eq!(words(request.query), expected, "{text}");
        }
    }
}
