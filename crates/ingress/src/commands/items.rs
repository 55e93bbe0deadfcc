//! `/memory`, `/forget`, `/pin`, `/share`, `/private`: a person's control of their memory items.
//!
//! Where others read along, only what may be known there is listed and changed, and what may not be known there is
//! answered like what is not there.

use clifford_chat::outbound::Button;
use clifford_core::{clock::Timestamp, people::User, places::Channel, search::near};
use clifford_engine::memory::editing::{self, Change, Visibility};
use clifford_markup::inline::inline;
use clifford_store::{
    StoreError, Tx,
    memory::admin::{self as memory_admin, Item},
    places::place_settings::PlaceSettings,
};

use super::Done;

/// The most keys that are offered for one that is not known.
const OFFERED: usize = 3;
/// The argument of `/forget` that confirms deleting everything.
const MEANT: &str = "all yes";

pub(super) async fn list(
    tx: &mut Tx,
    channel: &Channel,
    user: &User,
    defaults: PlaceSettings,
) -> Result<Done, StoreError> {
    let settings = defaults.of(tx, channel.space_id, channel.id).await?;
    let items = memory_admin::seen_by(
        tx,
        user.id,
        clifford_content::memory::recall::viewer(Some(user.id), Some(channel)),
    )
    .await?;
    Ok(Done::say(listed(&items, channel.is_private(), settings.memory)))
}

/// The items, by module.
fn listed(items: &[Item], private: bool, remembers: bool) -> String {
    let mut paragraphs = Vec::new();
    if !remembers {
        paragraphs.push("Memory is off here: I remember nothing new, and use nothing that I know.".to_owned());
    }
    let active: Vec<_> = items.iter().filter(|item| !item.archived).collect();
    match (active.is_empty(), private) {
        (true, true) => paragraphs.push("I know nothing about you yet.".to_owned()),
        (true, false) => paragraphs.push("I know nothing about you that I may tell here.".to_owned()),
        (false, true) => paragraphs.push("This is what I know about you.".to_owned()),
        (false, false) => paragraphs.push("This is what I may know about you here.".to_owned()),
    }
    for of_module in active.chunk_by(|a, b| a.module == b.module) {
        let lines: Vec<_> = of_module.iter().map(|item| line(item)).collect();
        let module = of_module.first().map_or("", |item| item.module.as_str());
        paragraphs.push(format!("**{}**\n\n{}", inline(module), lines.join("\n")));
    }
    let marks = [
        ("📌 stays as it is", active.iter().any(|item| item.pinned)),
        (
            "🌐 known wherever you speak to me",
            active.iter().any(|item| item.shareable),
        ),
        ("👥 known where you said it", active.iter().any(|item| is_local(item))),
    ];
    let marks: Vec<_> = marks.into_iter().filter(|mark| mark.1).map(|mark| mark.0).collect();
    if !marks.is_empty() {
        paragraphs.push(marks.join(" · "));
    }
    if !private {
        paragraphs.push("Ask me in private for the rest: what you tell me there stays there.".to_owned());
    }
    paragraphs.push(match (active.is_empty(), remembers) {
        (false, _) => {
            "`/forget KEY`, `/pin KEY`, `/share KEY` and `/private KEY` change it; `/forget all` forgets it all."
                .to_owned()
        }
        (true, true) => "Facts about yourself are remembered when a conversation ends or grows long, or at once if \
                         you ask me to remember it."
            .to_owned(),
        (true, false) => return paragraphs.join("\n\n"),
    });
    paragraphs.join("\n\n")
}

fn line(item: &Item) -> String {
    let marks = [(" 📌", item.pinned), (" 🌐", item.shareable), (" 👥", is_local(item))];
    let marks: String = marks.into_iter().filter(|mark| mark.1).map(|mark| mark.0).collect();
    format!("- `{}`: {}{marks}", item.key, inline(&item.value))
}

fn is_local(item: &Item) -> bool {
    item.origin_space.is_some() && !item.shareable
}

pub(super) async fn forget(tx: &mut Tx, argument: &str, channel: &Channel, user: &User) -> Result<Done, StoreError> {
    let viewer = clifford_content::memory::recall::viewer(Some(user.id), Some(channel));
    let wanted = plain(argument);
    if wanted == MEANT {
        let count = memory_admin::forget_all(tx, user.id, viewer).await?;
        return Ok(Done::say(forgotten(count)));
    }
    let items = memory_admin::seen_by(tx, user.id, viewer).await?;
    if wanted == "all" {
        return Ok(asks_for_all(&items, channel.is_private()));
    }
    match find(&items, &wanted) {
        Found::One(item) => {
            memory_admin::forget(tx, user.id, &item.module, &item.key, viewer).await?;
            Ok(Done::say(format!("Forgotten: {}.", named(item))))
        }
        other => Ok(Done::say(other.explained("forget", &wanted))),
    }
}

fn forgotten(count: u64) -> String {
    match count {
        0 => "There is nothing to forget.".to_owned(),
        1 => "Forgotten: one item.".to_owned(),
        count => format!("Forgotten: all {count} items."),
    }
}

/// Says what would be deleted; nothing is yet.
fn asks_for_all(items: &[Item], private: bool) -> Done {
    if items.is_empty() {
        return Done::say(forgotten(0));
    }
    let mut names: Vec<_> = items.iter().filter(|item| !item.archived).map(named).collect();
    match items.len() - names.len() {
        0 => {}
        1 => names.push("one that is out of use".to_owned()),
        old => names.push(format!("{old} that are out of use")),
    }
    let what = if private {
        "all that I know about you"
    } else {
        "what I may know about you here"
    };
    let text = format!(
        "This deletes {what} for good:\n\n- {}\n\nType `/forget {MEANT}` to do it.",
        names.join("\n- ")
    );
    // In a shared place, the button would make each person who presses it forget their own.
    let buttons = private.then(|| Button::new("Forget it all", format!("forget {MEANT}")).negative());
    Done {
        text,
        buttons: buttons.into_iter().collect(),
        ..Done::default()
    }
}

/// `/pin`, `/share`, `/private`: changes the active item that is meant.
pub(super) async fn change(
    tx: &mut Tx,
    command: &str,
    argument: &str,
    channel: &Channel,
    user: &User,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let viewer = clifford_content::memory::recall::viewer(Some(user.id), Some(channel));
    let mut items = memory_admin::seen_by(tx, user.id, viewer).await?;
    items.retain(|item| !item.archived);
    let wanted = plain(argument);
    let item = match find(&items, &wanted) {
        Found::One(item) => item,
        other => return Ok(Done::say(other.explained(command, &wanted))),
    };
    let change = match command {
        "pin" => Change {
            pinned: Some(!item.pinned),
            ..Change::default()
        },
        "share" => known(Visibility::Everywhere),
        _ => known(Visibility::InPrivate),
    };
    Ok(Done::say(match editing::change(tx, item.id, change, now).await? {
        Ok(item) => now_is(command, &item),
        Err(fault) => format!("{} stays as it is: {}.", named(item), fault.why),
    }))
}

fn known(known: Visibility) -> Change {
    Change {
        known: Some(known),
        ..Change::default()
    }
}

/// The state of an item after a command.
fn now_is(command: &str, item: &Item) -> String {
    let name = named(item);
    match command {
        "pin" if item.pinned => {
            format!("{name} is pinned: it stays as it is until you `/pin` it again, or `/forget` it.")
        }
        "pin" => format!("{name} is not pinned any more: it may change with what you tell me."),
        "share" => format!("{name} is known wherever you speak to me now, in front of others too."),
        _ => format!("{name} is known in private only now."),
    }
}

/// The items that a key stands for.
#[derive(Debug, PartialEq)]
enum Found<'a> {
    /// This item.
    One(&'a Item),
    /// Items of several modules.
    Several(Vec<&'a Item>),
    /// Nothing that is known; what may have been meant.
    Nothing(Vec<&'a Item>),
}

impl Found<'_> {
    /// Why a command did nothing, and what to write instead.
    fn explained(&self, command: &str, wanted: &str) -> String {
        let written = |items: &[&Item]| {
            let lines: Vec<_> = items
                .iter()
                .map(|item| format!("- `/{command} {}.{}`", item.module, item.key))
                .collect();
            lines.join("\n")
        };
        match self {
            Self::One(_) => String::new(),
            Self::Several(items) => format!("There are several of that key. Which one?\n\n{}", written(items)),
            Self::Nothing(_) if wanted.is_empty() => {
                format!("Write what you mean: `/{command} KEY`. `/memory` lists the keys.")
            }
            Self::Nothing(near) if near.is_empty() => {
                format!(
                    "I know nothing of the key `{}` here. `/memory` lists the keys.",
                    code(wanted)
                )
            }
            Self::Nothing(near) => format!(
                "I know nothing of the key `{}` here. Did you mean this?\n\n{}",
                code(wanted),
                written(near)
            ),
        }
    }
}

/// Text as it may stand between backticks.
fn code(text: &str) -> String {
    let head: String = text.chars().filter(|c| *c != '`' && !c.is_control()).take(64).collect();
    head
}

/// An item's name in an answer.
fn named(item: &Item) -> String {
    format!("`{}.{}`", item.module, item.key)
}

/// A key as it was meant, however it was typed.
fn plain(argument: &str) -> String {
    let lower = argument.replace('`', "").to_lowercase();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The items that a key stands for: `key`, or `module.key`.
fn find<'a>(items: &'a [Item], wanted: &str) -> Found<'a> {
    let wanted = wanted.replace([' ', '-'], "_");
    let mut names: Vec<&Item> = items.iter().collect();
    names.dedup_by(|a, b| (&a.module, &a.key) == (&b.module, &b.key));
    let is_meant = |item: &&&Item| match wanted.split_once('.') {
        Some((module, key)) => item.module == module && item.key == key,
        None => item.key == wanted,
    };
    let meant: Vec<_> = names.iter().filter(is_meant).copied().collect();
    match meant[..] {
        [] => Found::Nothing(alike(&names, &wanted)),
        [one] => Found::One(one),
        _ => Found::Several(meant),
    }
}

/// The known keys that are most like one that is not.
fn alike<'a>(names: &[&'a Item], wanted: &str) -> Vec<&'a Item> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let key = wanted.rsplit('.').next().unwrap_or(wanted);
    let allowed = (key.chars().count() / 3).clamp(1, 4);
    let distance = |item: &Item| {
        let holds = key.len() > 2 && (item.key.contains(key) || key.contains(&item.key));
        if holds { 0 } else { near::slips(&item.key, key) }
    };
    let mut near: Vec<_> = names
        .iter()
        .filter(|item| !item.archived)
        .map(|item| (distance(item), *item))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().take(OFFERED).map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests;
