//! `/memory`, `/forget`, `/pin`, `/share`, `/private`: a person's control of their memory items.
//!
//! Where others read along, only what may be known there is listed and changed, and what may not be known there is
//! answered like what is not there.

use clifford_chat::outbound::Button;
use clifford_core::{clock::Timestamp, commands::CommandName, people::User, places::Channel, search::near};
use clifford_engine::memory::editing::{self, Change, Visibility};
use clifford_markup::inline::inline;
use clifford_store::{
    StoreError, Tx,
    memory::admin::{self as memory_admin, Item},
    places::place_settings::PlaceSettings,
};
use clifford_text::{Items, Lang};

use super::Done;

/// The most keys that are offered for one that is not known.
const OFFERED: usize = 3;
/// The argument of `/forget` that confirms deleting everything.
const MEANT: &str = "all yes";

/// The wish of a person for an item.
#[derive(Clone, Copy)]
pub(super) enum Wish {
    /// It is in every prompt, or no longer.
    Pin,
    /// It is known everywhere.
    Share,
    /// It is known in private only.
    Private,
}

impl Wish {
    const fn command(self) -> CommandName {
        match self {
            Self::Pin => CommandName::Pin,
            Self::Share => CommandName::Share,
            Self::Private => CommandName::Private,
        }
    }
}

pub(super) async fn list(
    tx: &mut Tx,
    channel: &Channel,
    user: &User,
    defaults: PlaceSettings,
    lang: Lang,
) -> Result<Done, StoreError> {
    let settings = defaults.of(tx, channel.space_id, channel.id).await?;
    let items = memory_admin::seen_by(
        tx,
        user.id,
        clifford_content::memory::recall::viewer(Some(user.id), Some(channel)),
    )
    .await?;
    Ok(Done::say(listed(&items, channel.is_private(), settings.memory, lang)))
}

/// The items, by module.
fn listed(items: &[Item], private: bool, remembers: bool, lang: Lang) -> String {
    let mut paragraphs = Vec::new();
    if !remembers {
        paragraphs.push(lang.say(Items::IsOff));
    }
    let active: Vec<_> = items.iter().filter(|item| !item.archived).collect();
    paragraphs.push(lang.say(match (active.is_empty(), private) {
        (true, true) => Items::KnowNothing,
        (true, false) => Items::KnowNothingHere,
        (false, true) => Items::Known,
        (false, false) => Items::KnownHere,
    }));
    for of_module in active.chunk_by(|a, b| a.module == b.module) {
        let lines: Vec<_> = of_module.iter().map(|item| line(item, lang)).collect();
        let module = of_module.first().map_or("", |item| item.module.as_str());
        paragraphs.push(format!("**{}**\n\n{}", inline(module), lines.join("\n")));
    }
    let marks = [
        (Items::Pinned, active.iter().any(|item| item.pinned)),
        (Items::Shared, active.iter().any(|item| item.shareable)),
        (Items::Local, active.iter().any(|item| is_local(item))),
    ];
    let marks = marks.into_iter().filter(|mark| mark.1);
    let marks: Vec<_> = marks.map(|mark| lang.say(mark.0)).collect();
    if !marks.is_empty() {
        paragraphs.push(marks.join(" · "));
    }
    if !private {
        paragraphs.push(lang.say(Items::AskInPrivate));
    }
    paragraphs.push(lang.say(match (active.is_empty(), remembers) {
        (false, _) => Items::HowToChange,
        (true, true) => Items::HowTheyCome,
        (true, false) => return paragraphs.join("\n\n"),
    }));
    paragraphs.join("\n\n")
}

fn line(item: &Item, lang: Lang) -> String {
    let marks = [(" 📌", item.pinned), (" 🌐", item.shareable), (" 👥", is_local(item))];
    let marks: String = marks.into_iter().filter(|mark| mark.1).map(|mark| mark.0).collect();
    let key = format!("`{}`", item.key);
    format!("- {}{marks}", lang.labelled(&key, &inline(&item.value)))
}

fn is_local(item: &Item) -> bool {
    item.origin_space.is_some() && !item.shareable
}

pub(super) async fn forget(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    lang: Lang,
) -> Result<Done, StoreError> {
    let viewer = clifford_content::memory::recall::viewer(Some(user.id), Some(channel));
    let wanted = plain(argument);
    if wanted == MEANT {
        let count = memory_admin::forget_all(tx, user.id, viewer).await?;
        return Ok(Done::say(forgotten(count, lang)));
    }
    let items = memory_admin::seen_by(tx, user.id, viewer).await?;
    if wanted == "all" {
        return Ok(asks_for_all(&items, channel.is_private(), lang));
    }
    match find(&items, &wanted) {
        Found::One(item) => {
            memory_admin::forget(tx, user.id, &item.module, &item.key, viewer).await?;
            Ok(Done::say(lang.say(Items::Forgotten { name: named(item) })))
        }
        other => Ok(Done::say(other.explained(CommandName::Forget, &wanted, lang))),
    }
}

fn forgotten(count: u64, lang: Lang) -> String {
    lang.say(match count {
        0 => Items::NothingToForget,
        count => Items::ForgottenAll { count: count.into() },
    })
}

/// Says what would be deleted; nothing is yet.
fn asks_for_all(items: &[Item], private: bool, lang: Lang) -> Done {
    if items.is_empty() {
        return Done::say(forgotten(0, lang));
    }
    let mut names: Vec<_> = items.iter().filter(|item| !item.archived).map(named).collect();
    match items.len() - names.len() {
        0 => {}
        old => names.push(lang.say(Items::OutOfUse { count: old.into() })),
    }
    let list = format!("- {}", names.join("\n- "));
    let command = format!("/forget {MEANT}");
    let text = lang.say(match private {
        true => Items::DeletesAll { list, command },
        false => Items::DeletesAllHere { list, command },
    });
    // In a shared place, the button would make each person who presses it forget their own.
    let buttons = private.then(|| {
        Button::new(&lang.say(Items::ForgetAll), format!("forget {MEANT}"))
            .in_place()
            .negative()
    });
    Done {
        text,
        buttons: buttons.into_iter().collect(),
        ..Done::default()
    }
}

/// `/pin`, `/share`, `/private`: changes the active item that is meant.
pub(super) async fn change(
    tx: &mut Tx,
    wish: Wish,
    argument: &str,
    channel: &Channel,
    user: &User,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let viewer = clifford_content::memory::recall::viewer(Some(user.id), Some(channel));
    let mut items = memory_admin::seen_by(tx, user.id, viewer).await?;
    items.retain(|item| !item.archived);
    let wanted = plain(argument);
    let item = match find(&items, &wanted) {
        Found::One(item) => item,
        other => return Ok(Done::say(other.explained(wish.command(), &wanted, lang))),
    };
    let change = match wish {
        Wish::Pin => Change {
            pinned: Some(!item.pinned),
            ..Change::default()
        },
        Wish::Share => known(Visibility::Everywhere),
        Wish::Private => known(Visibility::InPrivate),
    };
    Ok(Done::say(match editing::change(tx, item.id, change, now).await? {
        Ok(item) => now_is(wish, &item, lang),
        // Its text would not be kept today.
        Err(_) => lang.say(Items::StaysAsItIs { name: named(item) }),
    }))
}

fn known(known: Visibility) -> Change {
    Change {
        known: Some(known),
        ..Change::default()
    }
}

/// The state of an item after a command.
fn now_is(wish: Wish, item: &Item, lang: Lang) -> String {
    let name = named(item);
    lang.say(match wish {
        Wish::Pin if item.pinned => Items::IsPinned { name },
        Wish::Pin => Items::IsNotPinned { name },
        Wish::Share => Items::IsShared { name },
        Wish::Private => Items::IsPrivate { name },
    })
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
    fn explained(&self, command: CommandName, wanted: &str, lang: Lang) -> String {
        let written = |items: &[&Item]| {
            let lines: Vec<_> = items
                .iter()
                .map(|item| format!("- `/{command} {}.{}`", item.module, item.key))
                .collect();
            lines.join("\n")
        };
        lang.say(match self {
            Self::One(_) => return String::new(),
            Self::Several(items) => Items::Several { list: written(items) },
            Self::Nothing(_) if wanted.is_empty() => Items::WriteKey {
                command: format!("/{command}"),
            },
            Self::Nothing(near) if near.is_empty() => Items::NoSuchKey { key: code(wanted) },
            Self::Nothing(near) => Items::DidYouMean {
                key: code(wanted),
                list: written(near),
            },
        })
    }
}

/// Text as it may stand between backticks.
pub(super) fn code(text: &str) -> String {
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
