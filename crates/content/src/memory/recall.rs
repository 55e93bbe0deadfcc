//! Chooses from the items and messages that were found for a prompt: which items, which messages of other places, how
//! much. The part before the conversation does not depend on the question, so that prompts begin alike; the part that
//! does stands behind the conversation.

mod labels;

use clifford_chat::names;
use clifford_core::{
    id::{AgentId, MessageId, RunId, UserId},
    memory::levels,
    messages::Direction,
    places::Channel,
    runs::{Run, RunKind},
    search::{
        Query,
        rank::{self, PhraseCounts, Population},
    },
};
use clifford_llm_api::tokens::estimate_tokens;
use clifford_store::{
    files::File,
    memory::{
        items::{MemoryItem, Remembered, Viewer},
        prompt_context::{Conversation, Elsewhere, Outside, PromptContext, PromptParts},
    },
    messages::Turn,
    places::{
        place_settings::{PlaceSettings, PlaceWords},
        settings::Around,
    },
};

pub use self::labels::{labelled_sources, origins, origins_of_history, shown};

/// The most characters of all items in one prompt, as lines with their heading.
const BLOCK: usize = 1200;
/// The most characters of items that are shown for every question, apart from pinned ones and those that say who the
/// person is: the rest is for items that answer the question.
const STEADY: usize = 700;
/// The most items of one level in front of a conversation.
const PER_LEVEL: usize = 5;
/// How much of what other places get is for those where something was said since this conversation began: one part of.
const SINCE: u64 = 2;
/// The most items that are looked at: more than the levels may have in all.
pub const MOST: u32 = 200;
/// The module of the items that tell who the person is.
const IDENTITY: &str = "identity";
/// The heading of the items.
pub const ITEMS_HEADING: &str = "Active memory:";

/// Where something stands in a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// In front of the conversation: it stays from message to message.
    pub front: Vec<T>,
    /// Behind the conversation.
    pub back: Vec<T>,
}

impl<T> Placed<T> {
    fn has_one(&self) -> bool {
        [&self.front, &self.back].iter().any(|all| !all.is_empty())
    }
}

impl<T> Default for Placed<T> {
    fn default() -> Self {
        Self {
            front: Vec::new(),
            back: Vec::new(),
        }
    }
}

impl<T> Placed<T> {
    /// The same with each made into something else.
    pub fn map<U>(&self, mut made: impl FnMut(&T) -> U) -> Placed<U> {
        Placed {
            front: self.front.iter().map(&mut made).collect(),
            back: self.back.iter().map(&mut made).collect(),
        }
    }

    /// Whether there is nothing.
    pub const fn is_empty(&self) -> bool {
        self.front.is_empty() && self.back.is_empty()
    }
}

impl<'a, T> IntoIterator for &'a Placed<T> {
    type Item = &'a T;
    type IntoIter = std::iter::Chain<std::slice::Iter<'a, T>, std::slice::Iter<'a, T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.front.iter().chain(&self.back)
    }
}

/// The content of a prompt besides its run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recalled {
    /// The conversation so far.
    pub conversation: Conversation,
    /// The memory items of the person: those for every question, and those that answer this one.
    pub items: Placed<MemoryItem>,
    /// The person's last messages elsewhere: from places without news since this conversation began, and from places
    /// with news.
    pub elsewhere: Placed<Elsewhere>,
    /// The person's name there, if it is known.
    pub user_name: Option<String>,
    /// The words of others that the conversation's summary may hold.
    pub outside: Outside,
    /// Others may have had a part in an item that is shown.
    pub has_tainted_item: bool,
    /// The files that came with what is asked.
    pub files: Vec<File>,
    /// Settings of the place and the person in words.
    pub words: Box<PlaceWords>,
}

impl Recalled {
    /// The same without anything that was said or remembered before.
    #[must_use]
    pub fn without_past(self) -> Self {
        let Conversation { name, model, .. } = self.conversation;
        Self {
            conversation: Conversation {
                name,
                model,
                ..Conversation::default()
            },
            items: Placed::default(),
            elsewhere: Placed::default(),
            outside: Outside::default(),
            has_tainted_item: false,
            ..self
        }
    }

    /// It shows something that was said or remembered before.
    pub fn has_past(&self) -> bool {
        let Conversation { turns, summary, .. } = &self.conversation;
        let said = !turns.is_empty() || summary.is_some();
        said || self.items.has_one() || self.elsewhere.has_one()
    }

    /// The messages whose words it shows.
    pub fn messages(&self) -> Vec<MessageId> {
        let said = self.conversation.turns.iter().filter_map(|turn| turn.id);
        let elsewhere = [&self.elsewhere.front, &self.elsewhere.back].into_iter().flatten();
        let mut all: Vec<_> = said
            .chain(elsewhere.flat_map(|place| place.messages.iter().copied()))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// How much is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amounts {
    /// The most turns of the conversation.
    pub turns: u32,
    /// The most messages of each other place.
    pub each: u32,
}

/// The viewer of a person's memory in a channel; without a channel: the person alone. Somebody else's private
/// channel is no place of theirs: only items that may be known everywhere are seen there.
pub fn viewer(user: Option<UserId>, channel: Option<&Channel>) -> Viewer {
    match channel {
        None => Viewer::Private,
        Some(channel) if private_owner(channel, user).is_some() => Viewer::Private,
        Some(channel) if channel.is_private() => Viewer::Shared(None),
        Some(channel) => Viewer::Shared(channel.space_id),
    }
}

/// The person's name in a place, by their names on its platform: the only one, or the one with which a line of the
/// input begins. Where others read along, no other name of theirs is shown.
pub fn name_there(names: &[String], input: &str) -> Option<String> {
    let speaks = |name: &&String| {
        let spoken = names::spoken(name);
        let heads = [format!("[{spoken}] "), format!("[{spoken} #")];
        input
            .lines()
            .any(|line| heads.iter().any(|head| line.starts_with(head)))
    };
    match names {
        [name] => Some(name.clone()),
        _ => names.iter().find(speaks).cloned(),
    }
}

/// The search for a run of a person in a channel. Messages of other private places are searched only where nobody else
/// reads along; a subagent gets only its parent's context.
pub fn prompt_parts(run: &Run, channel: Option<&Channel>, amounts: Amounts) -> PromptParts {
    let coordinator = run.kind == RunKind::Coordinator;
    PromptParts {
        conversation: (run.context_id)
            .filter(|_| coordinator)
            .map(|context| (context, run.id)),
        elsewhere: channel
            .filter(|_| coordinator)
            .and_then(|channel| private_owner(channel, run.user_id)),
        ..of_person(run.user_id, channel, run.agent_id, amounts)
    }
}

/// The same for the message of a person that is about to become a run.
pub fn wanted_soon(user: UserId, channel: &Channel, agent: AgentId, amounts: Amounts) -> PromptParts {
    PromptParts {
        // New messages do not belong to the history.
        conversation: (channel.active_context_id).map(|context| (context, RunId::new())),
        elsewhere: private_owner(channel, Some(user)),
        ..of_person(Some(user), Some(channel), agent, amounts)
    }
}

/// Where a run is and who it is for, as far as settings go by it.
pub fn around(run: &Run, channel: Option<&Channel>) -> Around {
    settings_around(run.user_id, channel, run.agent_id)
}

fn settings_around(user: Option<UserId>, channel: Option<&Channel>, agent: AgentId) -> Around {
    Around {
        place: channel.map(|channel| (channel.id, channel.space_id)),
        agent: Some(agent),
        user,
    }
}

fn of_person(user: Option<UserId>, channel: Option<&Channel>, agent: AgentId, amounts: Amounts) -> PromptParts {
    PromptParts {
        conversation: None,
        turns: amounts.turns,
        person: user.map(|user| (user, viewer(Some(user), channel))),
        items: MOST,
        around: settings_around(user, channel, agent),
        elsewhere: None,
        each: amounts.each,
    }
}

/// The person, if the channel is theirs alone.
fn private_owner(channel: &Channel, user: Option<UserId>) -> Option<UserId> {
    user.filter(|user| channel.is_private() && channel.user_id == Some(*user))
}

/// The content of a prompt out of the data that was found, by the question and the settings of the place. `tokens` is
/// the most for other places.
pub fn recall(found: PromptContext, question: &str, defaults: PlaceSettings, tokens: u32) -> Recalled {
    let words = Box::new(PlaceWords::of(&found.settings));
    let settings = defaults.with(found.settings);
    let begun = found.conversation.turns.first().and_then(|turn| turn.id);
    let tainted: Vec<_> = (found.items.iter())
        .filter(|known| known.is_tainted())
        .map(|known| (known.item.module.clone(), known.item.key.clone()))
        .collect();
    let items = if settings.memory && !words.forgets_person {
        selected(found.items, question)
    } else {
        Placed::default()
    };
    let is_tainted = |item: &MemoryItem| {
        tainted
            .iter()
            .any(|(module, key)| (module, key) == (&item.module, &item.key))
    };
    Recalled {
        conversation: found.conversation,
        has_tainted_item: items.into_iter().any(is_tainted),
        items,
        elsewhere: if settings.cross_channel {
            split_by_time(found.elsewhere, begun, u64::from(tokens))
        } else {
            Placed::default()
        },
        files: Vec::new(),
        words,
        user_name: None,
        outside: found.outside,
    }
}

/// The items for a prompt, of those that a person may see. In front stand pinned ones and who the person is, then those
/// of the lowest levels, the most recently seen first: of each level at most five, by level, module and key. Behind
/// stand those of the others that answer what is asked, the best first. Each is cut at its level's characters, and all
/// of them fill one block.
pub fn selected(items: Vec<Remembered>, question: &str) -> Placed<MemoryItem> {
    let is_always = |known: &Remembered| known.pinned || known.item.module == IDENTITY;
    let (mut always, others): (Vec<_>, Vec<_>) = items.into_iter().partition(is_always);
    // Of those, pinned ones come first.
    always.sort_by_key(|known| (!known.pinned, known.item.module != IDENTITY));
    let items = |known: Vec<Remembered>| known.into_iter().map(|known| known.item).collect::<Vec<_>>();
    let others = items(others);
    let mut block = Block::default();
    block.fill(items(always), BLOCK);
    block.fill(others.clone(), STEADY);
    let mut front = std::mem::take(&mut block.items);
    let is_new = |item: &MemoryItem| !front.iter().any(|known| is_same(known, item));
    if let Some(query) = Query::parse(question) {
        let answering = answering(&query, others);
        block.per_level = usize::MAX;
        block.fill(answering.into_iter().filter(is_new), BLOCK);
    }
    front.sort_by(|one, other| {
        let place = |item: &MemoryItem| (item.level, item.module.clone(), item.key.clone());
        place(one).cmp(&place(other))
    });
    Placed {
        front,
        back: block.items,
    }
}

fn is_same(one: &MemoryItem, other: &MemoryItem) -> bool {
    (one.level, &one.module, &one.key) == (other.level, &other.module, &other.key)
}

/// Items as lines below a heading.
struct Block {
    items: Vec<MemoryItem>,
    /// The most of each level.
    per_level: usize,
    /// The characters of them all, with the heading.
    size: usize,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            per_level: PER_LEVEL,
            size: ITEMS_HEADING.chars().count(),
        }
    }
}

impl Block {
    /// Takes items until there would be more characters than that.
    fn fill(&mut self, items: impl IntoIterator<Item = MemoryItem>, most: usize) {
        for item in items {
            let of_level = self.items.iter().filter(|known| known.level == item.level).count();
            if of_level >= self.per_level {
                continue;
            }
            let item = cut(item);
            // With the line break before it.
            let size = self.size + line(&item).chars().count() + 1;
            if size > most {
                break;
            }
            self.size = size;
            self.items.push(item);
        }
    }
}

/// The items that answer a query, the best first; of those that are equally good, as they were.
pub fn answering(query: &Query, items: Vec<MemoryItem>) -> Vec<MemoryItem> {
    let scores = scores(query, items.iter());
    let mut scored: Vec<_> = items
        .into_iter()
        .zip(scores)
        .filter(|(_, score)| *score > 0.0)
        .collect();
    scored.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    scored.into_iter().map(|(item, _)| item).collect()
}

/// How good an answer each item is; 0: it is none, or lacks what must be there.
fn scores<'a>(query: &Query, items: impl Iterator<Item = &'a MemoryItem>) -> Vec<f64> {
    let texts: Vec<_> = items
        .map(|item| format!("{} {} {}", item.module, item.key, item.value))
        .collect();
    let held: Vec<_> = texts.iter().map(|text| PhraseCounts::by(query, text)).collect();
    let scores = rank::scores(&held, &Population::default());
    let lacks = |text: &String| query.required().next().is_some() && query.held_by(text) == 0;
    let scores = texts.iter().zip(scores);
    scores
        .map(|(text, score)| if lacks(text) { 0.0 } else { score })
        .collect()
}

/// An item as a line of text.
pub fn line(item: &MemoryItem) -> String {
    format!("- {}.{}: {}", folded(&item.module), folded(&item.key), item.value)
}

fn cut(item: MemoryItem) -> MemoryItem {
    MemoryItem {
        value: levels::fit(item.level, &item.value),
        ..item
    }
}

/// The other places: those where nothing was said since this conversation began stand in front, for they stay as they
/// are; the others have their own part of the tokens.
fn split_by_time(places: Vec<Elsewhere>, begun: Option<MessageId>, tokens: u64) -> Placed<Elsewhere> {
    let is_since =
        |place: &Elsewhere| begun.is_some_and(|begun| place.messages.last().is_some_and(|newest| *newest > begun));
    let (back, front): (Vec<_>, Vec<_>) = places.into_iter().partition(is_since);
    let since = if back.is_empty() { 0 } else { tokens / SINCE };
    Placed {
        front: within(front, tokens - since),
        back: within(back, since),
    }
}

/// The newest messages of other places within a total of so many tokens, the newest place first. Tokens that a place
/// leaves over, because its next message is too long, go to the places behind it.
fn within(places: Vec<Elsewhere>, tokens: u64) -> Vec<Elsewhere> {
    let mut left = tokens;
    let mut shown = Vec::new();
    for place in places {
        let heading = estimate_tokens(&heading(&place));
        let Some(mut rest) = left.checked_sub(heading) else {
            continue;
        };
        let mut turns: Vec<Turn> = Vec::new();
        for turn in place.turns.into_iter().rev() {
            let Some(less) = rest.checked_sub(estimate_tokens(&turn_line(&turn))) else {
                break;
            };
            rest = less;
            turns.push(turn);
        }
        if !turns.is_empty() {
            left = rest;
            turns.reverse();
            shown.push(Elsewhere { turns, ..place });
        }
    }
    shown
}

/// The heading of the messages of another place.
pub fn heading(place: &Elsewhere) -> String {
    match place.name.as_deref().map(folded).filter(|name| !name.is_empty()) {
        Some(name) => format!("Active context in {} ({name}):", place.platform),
        None => format!("Active context in {}:", place.platform),
    }
}

/// A message as one line, with who said it.
pub fn turn_line(turn: &Turn) -> String {
    let speaker = match turn.direction {
        Direction::Inbound => "User",
        Direction::Outbound => "Clifford",
    };
    format!("{speaker}: {}", folded(&turn.text()))
}

/// A text as one line.
pub fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
