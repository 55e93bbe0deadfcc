//! Traces of a person in rows of others: read while their own rows are there, removed when those are gone.

mod vocabulary;

use std::collections::BTreeSet;

use clifford_chat::names;
use clifford_core::id::ChannelId;
use clifford_store::{
    Conn, StoreError, Tx,
    messages::unreadable,
    people::{
        erasure::{self, Circle, Person, PersonText},
        quotes::{self as texts, Cell, Column},
    },
    removal::Counts,
    runs::RunClaim,
};

use self::vocabulary::vocabulary;
use super::quotes::{ERASED, Needles, Quotes};
use crate::run::title;

/// How many rows are read at once.
const PAGE: u32 = 500;
/// How many pages of what is said elsewhere are read: enough to know what is common.
const ELSEWHERE: u32 = 100;

/// A person's words, and the places where they may be quoted.
pub(super) struct Traces {
    person: Person,
    circle: Circle,
    quotes: Quotes,
    /// The keys of what is remembered of them, which stand in the results of jobs.
    keys: Quotes,
    /// Names that conversations were given after what the person said.
    names: BTreeSet<String>,
}

/// Looks for everything that a person said or is called.
pub(super) async fn find(conn: &mut Conn, person: &Person) -> Result<Traces, StoreError> {
    let mut needles = Needles::default();
    needles.add_name(&person.name);
    for account in &person.accounts {
        needles.add_name(&account.name);
        needles.add_text(&account.platform_user_id);
        if let Some(handle) = &account.handle {
            needles.add_name(handle);
        }
    }
    let mut names = BTreeSet::new();
    let mut learn = |said: &PersonText| {
        if said.is_shared {
            names.extend(title::all_of(&said.text));
        }
        for text in own_parts(said, person) {
            needles.add_text(text);
        }
    };
    let mut after = String::new();
    loop {
        let page = erasure::said(conn, person.id, &after, PAGE).await?;
        page.iter().for_each(&mut learn);
        let Some(last) = page.last() else { break };
        after.clone_from(&last.id);
    }
    after.clear();
    loop {
        let page = erasure::asked(conn, person.id, &after, PAGE).await?;
        page.iter().for_each(&mut learn);
        let Some(last) = page.last() else { break };
        after.clone_from(&last.id);
    }
    for value in erasure::values(conn, person.id).await? {
        needles.add_text(&value);
    }
    for joint in erasure::joint_runs(conn, person.id).await? {
        names.extend(title::all_of(&joint.input));
    }
    let mut keys = Needles::default();
    for key in erasure::keys(conn, person.id).await? {
        keys.known_as(&key);
    }
    let ready = |needles: Needles| {
        needles
            .ready()
            .map_err(|error| StoreError::WrongState(format!("what a person said cannot be looked for: {error}")))
    };
    Ok(Traces {
        circle: erasure::circle(conn, person.id).await?,
        person: person.clone(),
        quotes: ready(needles)?,
        keys: ready(keys)?,
        names,
    })
}

/// Takes what a person said from the inputs that they share with others.
pub(super) async fn part_inputs(tx: &mut Tx, person: &Person) -> Result<(), StoreError> {
    for joint in erasure::joint_runs(tx, person.id).await? {
        // Several of their messages may be in one input; each is looked for in what is left.
        let input = erasure::input(tx, joint.id).await?;
        erasure::set_input(tx, joint.id, &input.replacen(&joint.content, ERASED, 1)).await?;
    }
    Ok(())
}

/// The name and the rest of a line with which somebody begins to speak.
fn spoken(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('[')?.split_once("] ")
}

/// The parts of a text that are the person's own: in a shared place, those behind their name.
fn own_parts<'a>(said: &'a PersonText, person: &Person) -> Vec<&'a str> {
    if !said.is_shared {
        return vec![&said.text];
    }
    let of_account = |account: &erasure::Account| names::all_spoken(&account.name, &account.platform_user_id);
    let own = person.accounts.iter().flat_map(of_account);
    let own: Vec<_> = own.chain([names::spoken(&person.name)]).collect();
    // Where one person speaks alone, it is theirs, also under a name that they had.
    let heads: BTreeSet<_> = said.text.lines().filter_map(spoken).map(|(head, _)| head).collect();
    let (is_alone, mut is_own) = (heads.len() < 2, true);
    let mut parts = Vec::new();
    for line in said.text.lines() {
        let spoken = spoken(line);
        if let Some((head, _)) = spoken {
            is_own = is_alone || own.iter().any(|name| name == head);
        }
        if is_own {
            parts.push(spoken.map_or(line, |(_, text)| text));
        }
    }
    parts
}

impl Traces {
    /// Whether both tell of the same words in the same places.
    pub(super) fn is_of_the_same(&self, other: &Self) -> bool {
        self.circle == other.circle
            && self.names == other.names
            && self.person.since == other.person.since
            && self.quotes.is_like(&other.quotes)
            && self.keys.is_like(&other.keys)
    }

    /// Removes them, now that the person's own rows are gone. Returns the runs that were taken from whoever worked on
    /// them, each with the claim that held it.
    pub(super) async fn remove(self, tx: &mut Tx, counts: &mut Counts) -> Result<Vec<RunClaim>, StoreError> {
        let summaries = texts::forget_summaries(tx, self.person.id).await?;
        *counts.entry("summaries").or_default() += summaries;
        let events = self.unreadable(tx).await?;
        *counts.entry("unreadable_events").or_default() += events;
        for channel in self.circle.shared.clone() {
            for name in texts::context_names(tx, channel).await? {
                if self.names.contains(&name) {
                    texts::forget_name(tx, channel, &name).await?;
                }
            }
        }
        if self.circle.channels.is_empty() {
            return Ok(Vec::new());
        }
        erasure::forget_results(tx, self.person.id, &self.circle.channels).await?;
        let items = self.items(tx).await?;
        *counts.entry("memory_items").or_default() += items;
        for channel in &self.circle.channels {
            for column in &texts::COLUMNS {
                *counts.entry("quotes").or_default() += self.scrub(tx, *channel, column).await?;
            }
        }
        erasure::take_work(tx, &self.circle.channels).await
    }

    /// Words that others said, that they are called, or that this program uses are nobody's trace.
    pub(super) async fn keep_what_stays(&mut self, conn: &mut Conn) -> Result<(), StoreError> {
        for text in vocabulary() {
            self.quotes.exempt(&text);
            self.keys.exempt(&text);
        }
        for name in texts::names(conn, self.person.id).await? {
            self.quotes.exempt(&name);
        }
        for channel in &self.circle.channels {
            let mut after = String::new();
            loop {
                let page = texts::staying(conn, *channel, self.person.id, self.person.since, &after).await?;
                for cell in &page {
                    self.quotes.exempt(&cell.text);
                }
                let Some(last) = page.last() else { break };
                after.clone_from(&last.key);
            }
        }
        self.keep_what_is_said_elsewhere(conn).await
    }

    /// Words in places where the person cannot have been heard are nobody's trace either.
    async fn keep_what_is_said_elsewhere(&mut self, conn: &mut Conn) -> Result<(), StoreError> {
        let mut before = None;
        for _ in 0..ELSEWHERE {
            let page = texts::newest(conn, before).await?;
            for cell in &page {
                let is_theirs = cell.user_id == Some(self.person.id) || self.circle.own.contains(&cell.channel_id);
                if !is_theirs && !self.circle.channels.contains(&cell.channel_id) {
                    self.quotes.exempt(&cell.text);
                }
            }
            let Some(last) = page.into_iter().next_back() else {
                break;
            };
            before = Some(last.id);
        }
        Ok(())
    }

    async fn unreadable(&self, tx: &mut Tx) -> Result<u64, StoreError> {
        let mut needles = Needles::default();
        for account in &self.person.accounts {
            needles.known_as(&account.platform_user_id);
        }
        let Ok(ids) = needles.ready() else { return Ok(0) };
        let mut after = String::new();
        let mut found = Vec::new();
        loop {
            let page = unreadable::page(tx, &after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after.clone_from(&last.id);
            for event in page {
                let of_theirs = |account: &erasure::Account| account.platform == event.platform;
                if self.quotes.is_in(&event.payload)
                    || (self.person.accounts.iter().any(of_theirs) && ids.is_in(&event.payload))
                {
                    found.push(event.id);
                }
            }
        }
        unreadable::delete(tx, &found).await
    }

    async fn items(&self, tx: &mut Tx) -> Result<u64, StoreError> {
        let items = texts::items(tx, &self.circle.spaces, &self.circle.shared).await?;
        let quoting: Vec<_> = items
            .into_iter()
            .filter(|item| self.quotes.is_in(&item.text))
            .map(|item| item.key)
            .collect();
        texts::delete_items(tx, &quoting).await
    }

    async fn scrub(&self, tx: &mut Tx, channel: ChannelId, column: &Column) -> Result<u64, StoreError> {
        let mut changed = 0;
        let mut after = Cell::first();
        let quotes = if column.names_items {
            [Some(&self.quotes), Some(&self.keys)]
        } else {
            [Some(&self.quotes), None]
        };
        let quotes: Vec<_> = quotes
            .into_iter()
            .flatten()
            .filter(|quotes| !quotes.is_empty())
            .collect();
        if quotes.is_empty() {
            return Ok(0);
        }
        loop {
            let page = column.page(tx, channel, self.person.since, &after).await?;
            for cell in &page {
                let mut without: Option<String> = None;
                for quotes in &quotes {
                    let text = without.as_ref().unwrap_or(&cell.text);
                    let less = if column.is_json {
                        quotes.without_json(text)
                    } else {
                        quotes.without(text)
                    };
                    without = less.or(without);
                }
                if let Some(text) = without {
                    column.replace(tx, cell, &text).await?;
                    changed += 1;
                }
            }
            let Some(last) = page.into_iter().next_back() else {
                return Ok(changed);
            };
            after = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use clifford_core::{clock::Timestamp, id::UserId, people::UserRole};

    use super::*;

    #[test]
    fn in_a_shared_place_only_what_stands_behind_their_name_is_theirs() {
        let person = Person {
            id: UserId::new(),
            name: "Ada [x]".to_owned(),
            role: UserRole::Member,
            accounts: Vec::new(),
            since: Timestamp(0),
        };
        let said = |text: &str, is_shared| PersonText {
            id: String::new(),
            text: text.to_owned(),
            is_shared,
        };
        let text = "[Bob] one\n[Ada x] two\nthree\n[Bob] four";
        assert_eq!(own_parts(&said(text, true), &person), ["two", "three"]);
        assert_eq!(own_parts(&said(text, false), &person), [text]);
        assert_eq!(own_parts(&said("no name", true), &person), ["no name"]);
        assert_eq!(own_parts(&said("[As she was] one", true), &person), ["one"]);
    }
}
