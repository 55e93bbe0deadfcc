//! Changes that people make to their items by hand: checked, and within the limits of a level.

use clifford_core::{
    clock::Timestamp,
    fault::Fault,
    id::{MemoryItemId, UserId},
    memory::content::{self, Content},
};
use clifford_store::{
    StoreError, Tx,
    memory::{
        admin::{self as memory_admin, Item},
        write as memory_write,
    },
};

/// An item to be remembered.
#[derive(Clone, Debug)]
pub struct NewItem {
    /// The owner of the item.
    pub user: UserId,
    /// The content.
    pub content: Content,
    /// Known wherever its person speaks to the bot; else in private only.
    pub shareable: bool,
    /// Only its person changes it.
    pub pinned: bool,
}

/// A change to an item; `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Its module.
    pub module: Option<String>,
    /// Its key.
    pub key: Option<String>,
    /// Its value.
    pub value: Option<String>,
    /// Its level.
    pub level: Option<i64>,
    /// How sure it is.
    pub confidence: Option<f64>,
    /// Only its person changes it.
    pub pinned: Option<bool>,
    /// It is out of use.
    pub archived: Option<bool>,
    /// The reach of the item.
    pub known: Option<Visibility>,
}

/// Where an item is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Wherever its person speaks to the bot.
    Everywhere,
    /// In private, and in the shared space where it was said.
    WhereItWasSaid,
    /// In private only.
    InPrivate,
}

/// Remembers an item. A level that is full archives what it has not seen for longest.
///
/// # Errors
/// [`StoreError::Conflict`]: its person has an active one of its module and key. Inside: what is wrong
/// with it; then nothing was stored.
pub async fn add(tx: &mut Tx, new: NewItem, now: Timestamp) -> Result<Result<Item, Fault>, StoreError> {
    let content = match new.content.checked() {
        Ok(content) => content,
        Err(fault) => return Ok(Err(fault)),
    };
    let item = Item {
        id: MemoryItemId::new(),
        user_id: new.user,
        level: content.level,
        module: content.module,
        key: content.key,
        value: content.value,
        confidence: content.confidence,
        context_id: None,
        origin_space: None,
        shareable: new.shareable,
        pinned: new.pinned,
        archived: false,
        created_at: now,
        last_seen_at: now,
    };
    memory_write::lock(tx, item.user_id).await?;
    if let Err(fault) = make_room(tx, &item).await? {
        return Ok(Err(fault));
    }
    memory_admin::insert(tx, &item).await?;
    Ok(Ok(item))
}

/// Changes an item by its person's hand, pinned or not.
///
/// # Errors
/// As [`add`]; [`StoreError::NotFound`]: there is no such item.
pub async fn change(
    tx: &mut Tx,
    id: MemoryItemId,
    change: Change,
    now: Timestamp,
) -> Result<Result<Item, Fault>, StoreError> {
    let missing = || StoreError::NotFound(format!("memory item {id}"));
    let person = memory_admin::get(tx, id).await?.ok_or_else(missing)?.user_id;
    memory_write::lock(tx, person).await?;
    // It may have changed before the lock was had.
    let old = memory_admin::get(tx, id).await?.ok_or_else(missing)?;
    let item = match changed(old.clone(), change, now) {
        Ok(item) => item,
        Err(fault) => return Ok(Err(fault)),
    };
    let comes_in = !item.archived && (old.archived || old.level != item.level);
    if comes_in && let Err(fault) = make_room(tx, &item).await? {
        return Ok(Err(fault));
    }
    memory_admin::update(tx, &item).await?;
    Ok(Ok(item))
}

/// An item after a change.
fn changed(mut item: Item, change: Change, now: Timestamp) -> Result<Item, Fault> {
    let says_else = change.value.is_some();
    let (module, key, level, confidence) = (change.module, change.key, change.level, change.confidence);
    if says_else || module.is_some() || key.is_some() || level.is_some() || confidence.is_some() {
        let content = Content {
            module: module.unwrap_or(item.module),
            key: key.unwrap_or(item.key),
            value: change.value.unwrap_or(item.value),
            level: level.unwrap_or(item.level),
            confidence: confidence.unwrap_or(item.confidence),
        };
        let content = content.checked()?;
        (item.module, item.key, item.value) = (content.module, content.key, content.value);
        (item.level, item.confidence) = (content.level, content.confidence);
        item.last_seen_at = now;
    }
    if says_else {
        // This was not said where others read along.
        item.origin_space = None;
    }
    match change.known {
        None => {}
        Some(Visibility::Everywhere) => item.shareable = true,
        Some(Visibility::WhereItWasSaid) => item.shareable = false,
        Some(Visibility::InPrivate) => (item.shareable, item.origin_space) = (false, None),
    }
    item.pinned = change.pinned.unwrap_or(item.pinned);
    item.archived = change.archived.unwrap_or(item.archived);
    Ok(item)
}

/// Archives what an item pushes out of its level.
async fn make_room(tx: &mut Tx, item: &Item) -> Result<Result<(), Fault>, StoreError> {
    let level = match content::level_of(item.level) {
        Ok(level) => level,
        Err(fault) => return Ok(Err(fault)),
    };
    let (held, pinned) = memory_admin::count_others(tx, item).await?;
    let room = i64::try_from(level.items).unwrap_or(i64::MAX) - 1;
    if pinned > room {
        return Ok(Err(content::full(item.level, level)));
    }
    if held > room {
        memory_admin::archive_oldest(tx, item, held - room).await?;
    }
    Ok(Ok(()))
}

#[cfg(test)]
mod tests {
    use clifford_core::id::SpaceId;

    use super::*;

    fn item() -> Item {
        Item {
            id: MemoryItemId::new(),
            user_id: UserId::new(),
            level: 1,
            module: "identity".into(),
            key: "name".into(),
            value: "Ada".into(),
            confidence: 0.6,
            context_id: None,
            origin_space: Some(SpaceId::new()),
            shareable: false,
            pinned: false,
            archived: false,
            created_at: Timestamp(1),
            last_seen_at: Timestamp(1),
        }
    }

    #[test]
    fn a_change_touches_what_it_names_and_a_new_value_is_told_in_private() {
        let (now, old) = (Timestamp(2), item());
        let cases = [
            (Change::default(), old.clone()),
            (
                Change {
                    value: Some(" Ada\nL. ".into()),
                    ..Change::default()
                },
                Item {
                    value: "Ada L.".into(),
                    origin_space: None,
                    last_seen_at: now,
                    ..old.clone()
                },
            ),
            (
                Change {
                    level: Some(0),
                    ..Change::default()
                },
                Item {
                    level: 0,
                    last_seen_at: now,
                    ..old.clone()
                },
            ),
            (
                Change {
                    pinned: Some(true),
                    archived: Some(true),
                    ..Change::default()
                },
                Item {
                    pinned: true,
                    archived: true,
                    ..old.clone()
                },
            ),
            (
                Change {
                    known: Some(Visibility::Everywhere),
                    ..Change::default()
                },
                Item {
                    shareable: true,
                    ..old.clone()
                },
            ),
            (
                Change {
                    known: Some(Visibility::InPrivate),
                    ..Change::default()
                },
                Item {
                    origin_space: None,
                    ..old.clone()
                },
            ),
        ];
        for (change, expected) in cases {
            assert_eq!(changed(old.clone(), change.clone(), now), Ok(expected), "{change:?}");
        }
        let shared = Item {
            shareable: true,
            ..old.clone()
        };
        let back = Change {
            known: Some(Visibility::WhereItWasSaid),
            ..Change::default()
        };
        assert_eq!(changed(shared, back, now), Ok(old));
    }

    #[test]
    fn an_item_from_before_a_rule_can_still_be_pinned_but_not_rewritten_past_it() {
        let old = Item {
            value: "x".repeat(300),
            ..item()
        };
        let pin = Change {
            pinned: Some(true),
            ..Change::default()
        };
        assert_eq!(
            changed(old.clone(), pin, Timestamp(2)),
            Ok(Item {
                pinned: true,
                ..old.clone()
            })
        );
        let again = Change {
            level: Some(2),
            ..Change::default()
        };
        assert_eq!(
            changed(old, again, Timestamp(2)).map_err(|fault| fault.field),
            Err("value")
        );
    }
}
