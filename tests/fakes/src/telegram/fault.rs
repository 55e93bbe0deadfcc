//! Ways to misbehave.

use std::{
    collections::{HashMap, VecDeque},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::Method;

/// The server's behavior in place of the usual answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// 429 with `parameters.retry_after`, in seconds.
    TooMany(u64),
    /// 5xx, with an HTML page as Telegram's front servers send it.
    Server(u16),
    /// A refusal of one's own choice.
    Refuse(u16, String),
    /// Answers rightly, but only after this time.
    Slow(Duration),
    /// The request is carried out, and answered only after this time.
    SlowAfter(Duration),
    /// The connection breaks and nothing was done.
    Drop,
    /// The request is carried out, and the connection breaks before the answer.
    DropAfter,
    /// 200 with something that is no JSON.
    Garbage,
    /// Nothing is done, and this is the status and the body.
    Answer(u16, String),
    /// The request is carried out, and this is the result in place of the right one.
    Result(Value),
}

/// The faults that were asked for.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// Each until it is used, or until its time is over.
    next: HashMap<Method, VecDeque<(Fault, Option<Instant>)>>,
    chats: HashMap<i64, Fault>,
    texts: Vec<(String, Fault)>,
}

impl Faults {
    pub(super) fn push(&mut self, method: Method, fault: Fault, until: Option<Instant>) {
        self.next.entry(method).or_default().push_back((fault, until));
    }

    pub(super) fn set_chat(&mut self, chat: i64, fault: Option<Fault>) {
        match fault {
            Some(fault) => self.chats.insert(chat, fault),
            None => self.chats.remove(&chat),
        };
    }

    pub(super) fn set_text(&mut self, words: &str, fault: Option<Fault>) {
        self.texts.retain(|(known, _)| known != words);
        self.texts.extend(fault.map(|fault| (words.to_owned(), fault)));
    }

    /// The fault for this request: a text's or a chat's stays, a method's is used up.
    pub(super) fn take(&mut self, method: Method, chat: Option<i64>, text: Option<&str>) -> Option<Fault> {
        let is_in = |words: &str| text.is_some_and(|text| text.contains(words));
        if let Some((_, fault)) = self.texts.iter().find(|(words, _)| is_in(words)) {
            return Some(fault.clone());
        }
        if let Some(fault) = chat.and_then(|chat| self.chats.get(&chat)) {
            return Some(fault.clone());
        }
        let next = self.next.get_mut(&method)?;
        let now = Instant::now();
        next.retain(|(_, until)| until.is_none_or(|until| now < until));
        next.pop_front().map(|(fault, _)| fault)
    }
}
