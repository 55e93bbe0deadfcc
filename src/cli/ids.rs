//! Ids as people type them: whole, or as much of the beginning as no other has.

use std::{fmt, marker::PhantomData, str::FromStr};

use anyhow::{anyhow, bail};
use clifford_core::id;
use clifford_store::{
    Conn,
    ids::{self, IdKind},
};

/// The least of an id that is looked up, and a whole one: both without dashes.
const LEAST: usize = 4;
const WHOLE: usize = 32;
/// Where the dashes of an id stand, counted without them.
const DASHES: [usize; 4] = [8, 12, 16, 20];
/// How many candidates are named.
pub(super) const CANDIDATES: u32 = 8;

/// A type of id that people can name by its beginning.
pub(super) trait Id: FromStr + Copy {
    /// Where such ids are.
    const KIND: IdKind;
    /// The name of what has it, and of several.
    const NAMES: (&str, &str);
    /// The command that lists them.
    const LISTED_BY: &str;
}

macro_rules! ids {
    ($($id:ident: $kind:ident, $one:literal, $many:literal, $list:literal;)*) => {$(
        impl Id for id::$id {
            const KIND: IdKind = IdKind::$kind;
            const NAMES: (&str, &str) = ($one, $many);
            const LISTED_BY: &str = $list;
        }
    )*};
}

ids! {
    AgentId: Agent, "agent", "agents", "agents list";
    ChannelId: Channel, "channel", "channels", "channels list";
    ContextId: Context, "conversation", "conversations", "contexts list";
    JobId: Job, "job", "jobs", "memory jobs";
    MemoryItemId: MemoryItem, "memory item", "memory items", "memory list";
    MessageId: Message, "message", "messages", "outbox list";
    PolicyId: Policy, "rule", "rules", "policy list";
    RunId: Run, "run", "runs", "runs list";
    SpaceId: Space, "space", "spaces", "spaces list";
    TokenId: Token, "token", "tokens", "token list";
    TriggerId: Trigger, "trigger", "triggers", "triggers list";
    UserId: User, "person", "people", "users list";
}

/// An id, or its beginning.
pub(super) struct IdArg<T> {
    /// In the form of an id, as far as it goes.
    beginning: String,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for IdArg<T> {
    fn clone(&self) -> Self {
        Self {
            beginning: self.beginning.clone(),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for IdArg<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.beginning)
    }
}

impl<T> fmt::Display for IdArg<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.beginning)
    }
}

impl<T: Id> FromStr for IdArg<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let beginning = beginning(text).ok_or_else(|| {
            format!(
                "write an id as `clifford {}` shows it, or at least {LEAST} characters of its beginning",
                T::LISTED_BY
            )
        })?;
        Ok(Self {
            beginning,
            of: PhantomData,
        })
    }
}

impl<T: Id> IdArg<T> {
    /// The id that is meant. One that is given whole is not looked up: it need not be there.
    ///
    /// # Errors
    /// No id begins so, or several do; the store's.
    pub(super) async fn find(&self, conn: &mut Conn) -> anyhow::Result<T> {
        if let Ok(id) = self.beginning.parse() {
            return Ok(id);
        }
        let (one, many) = T::NAMES;
        let found = ids::beginning_with(conn, T::KIND, &self.beginning, CANDIDATES + 1).await?;
        match found.as_slice() {
            [] => bail!(
                "no {one} has an id that begins with {self}; `clifford {}` shows them",
                T::LISTED_BY
            ),
            [id] => id
                .parse()
                .map_err(|_| anyhow!("the id {id} in the database is damaged")),
            several => {
                let most = usize::try_from(CANDIDATES).unwrap_or(usize::MAX);
                let named: Vec<_> = several.iter().take(most).map(String::as_str).collect();
                let more = if several.len() > most { ", …" } else { "" };
                bail!(
                    "several {many} have ids that begin with {self}: {}{more}",
                    named.join(", ")
                )
            }
        }
    }
}

/// The id of an argument that may be left out.
///
/// # Errors
/// As [`IdArg::find`].
pub(super) async fn optional<T: Id>(conn: &mut Conn, arg: Option<&IdArg<T>>) -> anyhow::Result<Option<T>> {
    match arg {
        Some(arg) => arg.find(conn).await.map(Some),
        None => Ok(None),
    }
}

/// A text in the form of an id, as far as it goes: with its dashes, in small letters. `None`: no id begins so.
pub(super) fn beginning(text: &str) -> Option<String> {
    let digits: String = text.trim().chars().filter(|c| *c != '-').collect();
    let is_beginning = (LEAST..=WHOLE).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_hexdigit());
    is_beginning.then(|| {
        let mut written = String::with_capacity(digits.len() + DASHES.len());
        for (place, digit) in digits.chars().enumerate() {
            if DASHES.contains(&place) {
                written.push('-');
            }
            written.push(digit.to_ascii_lowercase());
        }
        written
    })
}

#[cfg(test)]
mod tests {
    use clifford_core::id::RunId;

    use super::*;

    #[test]
    fn an_id_is_read_as_far_as_it_goes() {
        let whole = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
        for (typed, expected) in [
            ("0190", Some("0190")),
            ("0190D7B2", Some("0190d7b2")),
            ("0190d7b2-", Some("0190d7b2")),
            ("0190d7b26b", Some("0190d7b2-6b")),
            ("0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d", Some(whole)),
            ("0190d7b26b7e7cc08f4e2f1f3a0b1c2d", Some(whole)),
            ("", None),
            ("019", None),
            ("last", None),
            ("0190%", None),
            ("0190_", None),
            ("0190d7b26b7e7cc08f4e2f1f3a0b1c2d0", None),
        ] {
            assert_eq!(beginning(typed).as_deref(), expected, "{typed}");
        }
    }

    #[test]
    fn what_is_no_id_is_refused_with_the_command_that_lists_them() {
        let refused = "x".parse::<IdArg<RunId>>().map(|_| ()).unwrap_err();
        assert_eq!(
            refused,
            "write an id as `clifford runs list` shows it, or at least 4 characters of its beginning"
        );
    }
}
