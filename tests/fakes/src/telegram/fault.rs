//! Ways to misbehave.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use super::Method;

/// What the server does in place of answering as it should.
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
    /// The connection breaks and nothing was done.
    Drop,
    /// The request is carried out, and the connection breaks before the answer.
    DropAfter,
    /// 200 with something that is no JSON.
    Garbage,
}

/// The faults that were asked for.
#[derive(Debug, Default)]
pub(super) struct Faults {
    next: HashMap<Method, VecDeque<Fault>>,
    chats: HashMap<i64, Fault>,
}

impl Faults {
    pub(super) fn push(&mut self, method: Method, fault: Fault) {
        self.next.entry(method).or_default().push_back(fault);
    }

    pub(super) fn set_chat(&mut self, chat: i64, fault: Option<Fault>) {
        match fault {
            Some(fault) => self.chats.insert(chat, fault),
            None => self.chats.remove(&chat),
        };
    }

    /// The fault for this request: a chat's stays, a method's is used up.
    pub(super) fn take(&mut self, method: Method, chat: Option<i64>) -> Option<Fault> {
        if let Some(fault) = chat.and_then(|chat| self.chats.get(&chat)) {
            return Some(fault.clone());
        }
        self.next.get_mut(&method)?.pop_front()
    }
}
