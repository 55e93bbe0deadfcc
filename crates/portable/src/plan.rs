//! The plan of an import: who of it is who here, where everything goes, and what is left out and why.

use std::collections::{BTreeMap, HashMap, HashSet};

use clifford_core::{
    id::{AgentId, ChannelId, RunId, SpaceId, UserId},
    places::ChannelKind,
};
use clifford_store::{
    Conn,
    portable::{self as rows, Account, Channel, Kind, KnownPerson, Person},
};
use serde::Serialize;

use crate::{ImportError, check::Checked, source::Format};

/// The platform of channels that are kept here only, and that no platform knows.
pub const PLATFORM: &str = "import";

/// How to import.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// It comes from a bot of one's own: accounts, rights, groups, settings and reminders are taken as they are.
    pub is_trusted: bool,
    /// The person for whom it is, where it does not tell.
    pub owner: Option<UserId>,
}

/// A person of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PersonPlan {
    /// Their id here.
    pub id: UserId,
    /// Their name.
    pub name: String,
    /// They are not known here yet.
    pub is_new: bool,
    /// Their accounts that come in, or that are here already.
    pub accounts: Vec<String>,
    /// Their accounts that this import does not link.
    pub not_linked: Vec<String>,
    /// Messages in private places of theirs.
    pub messages: u64,
    /// Their memory items.
    pub memory_items: u64,
    /// Their reminders.
    pub reminders: u64,
}

/// A place of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacePlan {
    /// Its id here.
    pub id: ChannelId,
    /// Its platform here.
    pub platform: String,
    /// Its name.
    pub name: Option<String>,
    /// Its readers: a person's name; none: everybody in it.
    pub read_by: Option<String>,
    /// It is not known here yet.
    pub is_new: bool,
    /// Its messages.
    pub messages: u64,
    /// Its files and documents.
    pub files: u64,
}

/// Something that is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Skipped {
    /// Its kind.
    pub what: String,
    /// Why.
    pub why: String,
    /// How often.
    pub count: u64,
}

impl Skipped {
    /// How many of what, as people say it.
    pub fn counted(&self) -> String {
        let kind = Kind::ALL.iter().find(|kind| kind.plural() == self.what);
        match (kind, self.count) {
            (Some(kind), count) => kind.count(count),
            (None, 1) if self.what == "results of tools" => "1 result of a tool".to_owned(),
            (None, 1) if self.what == "contents of files" => "1 content of a file".to_owned(),
            (None, 1) => format!("1 {}", self.what.strip_suffix('s').unwrap_or(&self.what)),
            (None, count) => format!("{count} {}", self.what),
        }
    }
}

/// The plan of an import.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The format.
    pub format: Format,
    /// The digest of what is imported.
    pub digest: String,
    /// How many records there are, of each kind.
    pub records: BTreeMap<&'static str, u64>,
    /// How many of these are here already.
    pub already_here: BTreeMap<&'static str, u64>,
    /// The people, by name.
    pub people: Vec<PersonPlan>,
    /// The places.
    pub places: Vec<PlacePlan>,
    /// The records that are left out.
    pub skipped: Vec<Skipped>,
    #[serde(skip)]
    pub(crate) targets: Targets,
    #[serde(skip)]
    pub(crate) checked: std::sync::Arc<Checked>,
    #[serde(skip)]
    pub(crate) options: Options,
    /// How many things were read.
    #[serde(skip)]
    pub(crate) total: u64,
}

/// Where a channel goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum To {
    /// It is here.
    Here(ChannelId),
    /// It is new, and as it was.
    New,
    /// It is new, and no place of a platform: nobody comes to it by an account.
    Apart,
    /// It is left out.
    Nowhere(&'static str),
}

/// Where everything goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Targets {
    /// The people, by their ids in the import.
    pub people: HashMap<UserId, UserId>,
    /// The new people, with their accounts.
    pub new_people: HashMap<UserId, HashSet<Account>>,
    /// The agents.
    pub agents: HashMap<AgentId, AgentId>,
    /// The new agents.
    pub new_agents: HashSet<AgentId>,
    /// The spaces.
    pub spaces: HashMap<SpaceId, SpaceId>,
    /// The channels.
    pub channels: HashMap<ChannelId, To>,
}

const SHARED: &str = "several people read it: that takes --trusted";

/// Finds out who is who and what is where.
pub(crate) async fn resolve(
    conn: &mut Conn,
    checked: &Checked,
    options: Options,
) -> Result<(Targets, Vec<PersonPlan>), ImportError> {
    let mut targets = Targets::default();
    let people = resolve_people(conn, checked, options, &mut targets).await?;
    if options.is_trusted {
        resolve_agents(conn, checked, &mut targets).await?;
    }
    resolve_spaces(conn, checked, options, &mut targets).await?;
    resolve_channels(conn, checked, options, &mut targets, &people).await?;
    check_conversations(conn, checked, &targets).await?;
    Ok((targets, people))
}

fn keys_of(person: &Person) -> impl Iterator<Item = Account> {
    (person.accounts.iter()).map(|account| (account.platform.clone(), account.account.clone()))
}

fn words(accounts: impl IntoIterator<Item = Account>) -> Vec<String> {
    let mut words: Vec<_> = (accounts.into_iter())
        .map(|(platform, account)| format!("{platform}:{account}"))
        .collect();
    words.sort_unstable();
    words
}

async fn resolve_people(
    conn: &mut Conn,
    checked: &Checked,
    options: Options,
    targets: &mut Targets,
) -> Result<Vec<PersonPlan>, ImportError> {
    let mut ids: Vec<_> = checked.people.keys().copied().collect();
    ids.extend(checked.owner);
    let accounts: Vec<_> = checked.people.values().flat_map(keys_of).collect();
    let known = rows::people(conn, &ids, &accounts).await?;
    let by_id: HashMap<_, _> = known.iter().map(|person| (person.id, person)).collect();
    let by_account: HashMap<_, _> = (known.iter())
        .flat_map(|person| person.accounts.iter().map(move |account| (account, person)))
        .collect();
    let mut plans = Vec::new();
    if let Some(owner) = checked.owner {
        let Some(person) = by_id.get(&owner) else {
            return Err(ImportError::Refused(format!("there is no person {owner} here")));
        };
        targets.people.insert(owner, owner);
        plans.push(plan_of(person, Vec::new(), checked, owner));
    }
    for (id, person) in &checked.people {
        let found: HashMap<_, _> = (keys_of(person))
            .filter_map(|account| by_account.get(&account))
            .map(|person| (person.id, *person))
            .collect();
        let found: Vec<_> = found.into_values().collect();
        match (&found[..], by_id.get(id)) {
            ([here], _) => {
                targets.people.insert(*id, here.id);
                let not_linked = words(keys_of(person).filter(|account| !here.accounts.contains(account)));
                plans.push(plan_of(here, not_linked, checked, *id));
            }
            ([], Some(here)) if here.accounts.is_empty() && person.accounts.is_empty() => {
                targets.people.insert(*id, here.id);
                plans.push(plan_of(here, Vec::new(), checked, *id));
            }
            ([], Some(_)) => {
                return Err(ImportError::Refused(format!(
                    "{} ({id}): somebody with other accounts has this id here",
                    person.name
                )));
            }
            ([], None) => {
                targets.people.insert(*id, *id);
                let taken: HashSet<_> = match options.is_trusted {
                    true => keys_of(person).collect(),
                    // Two accounts become one person's by a code that both have seen, and by nothing that somebody says.
                    false => keys_of(person).take(1).collect(),
                };
                let new = KnownPerson {
                    id: *id,
                    name: person.name.clone(),
                    role: clifford_core::people::UserRole::Stranger,
                    accounts: taken.iter().cloned().collect(),
                };
                let not_linked = words(keys_of(person).filter(|account| !taken.contains(account)));
                targets.new_people.insert(*id, taken);
                let mut plan = plan_of(&new, not_linked, checked, *id);
                plan.is_new = true;
                plans.push(plan);
            }
            (several, _) => {
                let ids: Vec<_> = several.iter().map(|person| person.id.to_string()).collect();
                return Err(ImportError::Refused(format!(
                    "the accounts of {} belong to several people here: {}; link them first",
                    person.name,
                    ids.join(", ")
                )));
            }
        }
    }
    plans.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
    Ok(plans)
}

fn plan_of(here: &KnownPerson, not_linked: Vec<String>, checked: &Checked, id: UserId) -> PersonPlan {
    let belongings = checked.belongings.get(&id).copied().unwrap_or_default();
    let private = |known: &&crate::check::KnownChannel| known.channel.user_id == Some(id);
    PersonPlan {
        id: here.id,
        name: here.name.clone(),
        is_new: false,
        accounts: words(here.accounts.iter().cloned()),
        not_linked,
        messages: checked
            .channels
            .values()
            .filter(private)
            .map(|known| known.messages)
            .sum(),
        memory_items: belongings.items,
        reminders: belongings.reminders,
    }
}

/// An agent is known by its name, as in the configuration.
async fn resolve_agents(conn: &mut Conn, checked: &Checked, targets: &mut Targets) -> Result<(), ImportError> {
    let here = rows::agents(conn).await?;
    for (id, name) in &checked.agents {
        let of_name = here.iter().find(|(_, known)| known == name);
        let known = of_name.or_else(|| here.iter().find(|(known, _)| known == id));
        targets.agents.insert(*id, known.map_or(*id, |(known, _)| *known));
        if known.is_none() {
            targets.new_agents.insert(*id);
        }
    }
    Ok(())
}

async fn resolve_spaces(
    conn: &mut Conn,
    checked: &Checked,
    options: Options,
    targets: &mut Targets,
) -> Result<(), ImportError> {
    if !options.is_trusted {
        return Ok(());
    }
    let key = |space: &rows::Space| (space.platform.clone(), space.external_id.clone());
    let keys: Vec<_> = checked.spaces.values().map(key).collect();
    let here: HashMap<_, _> = rows::spaces(conn, &keys).await?.into_iter().collect();
    let ids: Vec<_> = checked.spaces.keys().map(|id| id.0).collect();
    let there: HashSet<_> = rows::there(conn, Kind::Space, &ids).await?.into_iter().collect();
    for (id, space) in &checked.spaces {
        let target = match here.get(&key(space)) {
            Some(target) => *target,
            None if there.contains(&id.0) => {
                return Err(ImportError::Refused(format!("another space has the id {id} here")));
            }
            None => *id,
        };
        targets.spaces.insert(*id, target);
    }
    Ok(())
}

async fn resolve_channels(
    conn: &mut Conn,
    checked: &Checked,
    options: Options,
    targets: &mut Targets,
    people: &[PersonPlan],
) -> Result<(), ImportError> {
    let accounts: HashMap<_, _> = people.iter().map(|person| (person.id, &person.accounts)).collect();
    let ids: Vec<_> = checked.channels.keys().copied().collect();
    let key = |channel: &Channel| (channel.platform.clone(), channel.external_id.clone());
    let mut keys: Vec<_> = checked.channels.values().map(|known| key(&known.channel)).collect();
    keys.extend(ids.iter().map(|id| (PLATFORM.to_owned(), apart(*id))));
    let here = rows::channels(conn, &ids, &keys).await?;
    let by_id: HashMap<_, _> = here.iter().map(|channel| (channel.id, channel)).collect();
    let by_key: HashMap<_, _> = (here.iter())
        .map(|channel| ((channel.platform.clone(), channel.external_id.clone()), channel))
        .collect();
    for (id, known) in &checked.channels {
        let channel = &known.channel;
        let user = channel.user_id.and_then(|user| targets.people.get(&user).copied());
        let space = channel.space_id.and_then(|space| targets.spaces.get(&space).copied());
        let is_same = |here: &rows::KnownChannel| {
            let private = ChannelKind::Private;
            (here.kind == private) == (channel.kind == private) && here.user_id == user && here.space_id == space
        };
        let apart_here = by_key.get(&(PLATFORM.to_owned(), apart(*id)));
        let of_id = by_id.get(id);
        let of_key = by_key.get(&key(channel));
        let is_shared = channel.kind != ChannelKind::Private;
        let here = [of_key, apart_here, of_id]
            .into_iter()
            .flatten()
            .find(|here| is_same(here));
        let to = match here {
            _ if is_shared && !options.is_trusted => To::Nowhere(SHARED),
            Some(here) => To::Here(here.id),
            None if of_id.is_some() || (options.is_trusted && of_key.is_some()) => {
                return Err(ImportError::Refused(format!(
                    "channel {id} ({}:{}) is somebody else's here, or in another space",
                    channel.platform, channel.external_id
                )));
            }
            None if is_shared => To::New,
            None => {
                let accounts = user.and_then(|user| accounts.get(&user).copied());
                match of_key.is_none() && is_reached(channel, accounts, options) {
                    true => To::New,
                    false => To::Apart,
                }
            }
        };
        targets.channels.insert(*id, to);
    }
    Ok(())
}

/// Whether whoever comes to a new private channel by its platform can be nobody but its person.
fn is_reached(channel: &Channel, accounts: Option<&Vec<String>>, options: Options) -> bool {
    if channel.platform == PLATFORM {
        return true;
    }
    let Some(account) = &channel.account else {
        return options.is_trusted;
    };
    let is_theirs = accounts.is_some_and(|own| own.contains(&format!("{}:{account}", channel.platform)));
    // Private chats of Telegram have the ids of their people; those of Discord have their own.
    is_theirs && (options.is_trusted || (channel.platform == "telegram" && channel.external_id == *account))
}

/// How a channel is called that no platform knows.
pub(crate) fn apart(id: ChannelId) -> String {
    format!("clifford:{id}")
}

/// Nothing, if conversations and runs that are here are where the import has them.
async fn check_conversations(conn: &mut Conn, checked: &Checked, targets: &Targets) -> Result<(), ImportError> {
    let target = |id: ChannelId| match targets.channels.get(&id) {
        Some(To::Here(here)) => Some(*here),
        Some(To::New | To::Apart) => Some(id),
        Some(To::Nowhere(_)) | None => None,
    };
    let elsewhere = |what: &str, id: &dyn std::fmt::Display| {
        ImportError::Refused(format!("{what} {id} is in another channel or of somebody else here"))
    };
    let ids: Vec<_> = checked.contexts.keys().copied().collect();
    for (id, channel) in rows::contexts(conn, &ids).await? {
        let expected = checked.contexts.get(&id).and_then(|known| target(known.channel));
        if expected.is_some_and(|expected| expected != channel) {
            return Err(elsewhere("conversation", &id));
        }
    }
    let ids: Vec<RunId> = checked.runs.keys().copied().collect();
    for (id, channel, user) in rows::runs(conn, &ids).await? {
        let Some((of, by)) = checked.runs.get(&id).copied() else {
            continue;
        };
        let by = by.and_then(|by| targets.people.get(&by).copied());
        let is_left_out = of.is_some_and(|of| target(of).is_none());
        if !is_left_out && (of.and_then(target), by) != (channel, user) {
            return Err(elsewhere("run", &id));
        }
    }
    Ok(())
}

/// The places of an import, those with the most messages first.
pub(crate) fn places(checked: &Checked, targets: &Targets, people: &[PersonPlan]) -> Vec<PlacePlan> {
    let names: HashMap<_, _> = people.iter().map(|person| (person.id, &person.name)).collect();
    let mut places: Vec<_> = (checked.channels.iter())
        .filter_map(|(id, known)| {
            let channel = &known.channel;
            let (id, platform, is_new) = match targets.channels.get(id)? {
                To::Here(here) => (*here, channel.platform.as_str(), false),
                To::New => (*id, channel.platform.as_str(), true),
                To::Apart => (*id, PLATFORM, true),
                To::Nowhere(_) => return None,
            };
            let user = channel.user_id.and_then(|user| targets.people.get(&user));
            Some(PlacePlan {
                id,
                platform: platform.to_owned(),
                name: channel.name.clone(),
                read_by: user.and_then(|user| names.get(user)).map(|name| (*name).clone()),
                is_new,
                messages: known.messages,
                files: known.files,
            })
        })
        .collect();
    places.sort_by(|one, other| (other.messages, &one.name, one.id).cmp(&(one.messages, &other.name, other.id)));
    places
}
