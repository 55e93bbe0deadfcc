//! Applies operations to a person's items: pure, with an outcome for any operations.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{
    levels::{self, LEVELS},
    operations::{Op, Operation, Reading},
    secrets,
};
use crate::{
    clock::Timestamp,
    id::{MemoryItemId, SpaceId},
    memory::rows::{Change, Item},
};

/// The confidence of an operation that names none.
const CONFIDENCE: f64 = 0.6;
/// Why an operation is skipped that would touch what is not known where it was said. It does not tell that there is
/// anything: others read along.
const ELSEWHERE: &str = "nothing is remembered here by this key: take another";

/// An operation that was applied. It names the item, not its value: that stands in the item alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// The operation.
    pub op: Op,
    /// The item's module.
    pub module: String,
    /// The item's key.
    pub key: String,
}

/// An operation that was not applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Its number, counted from 1.
    pub operation: usize,
    /// Why.
    pub reason: String,
}

/// An item that was archived because there was no room for it any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archived {
    /// Its module.
    pub module: String,
    /// Its key.
    pub key: String,
    /// Why.
    pub reason: String,
}

/// The outcome of a memory write for a person's items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteOutcome {
    /// The changes to store.
    pub changes: Vec<Change>,
    /// The operations applied.
    pub applied: Vec<Applied>,
    /// The operations refused, and why.
    pub skipped: Vec<Skipped>,
    /// The items that had to go.
    pub archived: Vec<Archived>,
}

/// One item at work.
struct Slot {
    item: Item,
    /// Whether it is known where the operations come from.
    visible: bool,
    /// It was not there before.
    is_new: bool,
    changed: bool,
    active: bool,
    /// The operation that spoke of it last; none: 0.
    spoken: usize,
}

/// Where operations come from: decides what they see, and where new items belong.
pub struct WriteScope<'a> {
    /// Whether an item is known there.
    pub sees: &'a dyn Fn(&Item) -> bool,
    /// It is private: what is changed there is private from then on.
    pub private: bool,
    /// The space of a shared one: what is changed there was said there.
    pub space: Option<SpaceId>,
    /// The items as the prompt named them.
    pub named: &'a HashMap<String, MemoryItemId>,
}

/// Applies operations to a person's active items. New items get their ids from `new_id`.
pub fn apply(
    items: Vec<Item>,
    readings: &[Reading],
    place: &WriteScope<'_>,
    now: Timestamp,
    new_id: impl FnMut() -> MemoryItemId,
) -> WriteOutcome {
    let slots = items
        .into_iter()
        .map(|item| Slot {
            visible: (place.sees)(&item),
            item,
            is_new: false,
            changed: false,
            active: true,
            spoken: 0,
        })
        .collect();
    let mut work = Work {
        slots,
        place,
        now,
        new_id,
    };
    let mut outcome = WriteOutcome::default();
    for (number, reading) in (1..).zip(readings) {
        let done = match reading {
            Ok(operation) => work.one(operation, number),
            Err(reason) => Err(reason.clone()),
        };
        match done {
            Ok(applied) => outcome.applied.push(applied),
            Err(reason) => outcome.skipped.push(Skipped {
                operation: number,
                reason,
            }),
        }
    }
    work.archive_duplicates(&mut outcome.archived);
    work.archive_overfull(&mut outcome.archived);
    outcome.changes = work.changes();
    outcome
}

struct Work<'a, N> {
    slots: Vec<Slot>,
    place: &'a WriteScope<'a>,
    now: Timestamp,
    new_id: N,
}

impl<N: FnMut() -> MemoryItemId> Work<'_, N> {
    fn one(&mut self, operation: &Operation, number: usize) -> Result<Applied, String> {
        let (op, place) = match operation.op {
            Op::Add => self.add(operation)?,
            Op::Update => (Op::Update, self.update(operation)?),
            Op::Delete => (Op::Delete, self.delete(operation)?),
            Op::Touch => (Op::Touch, self.find(operation)?),
        };
        let now = self.now;
        let slot = self.slots.get_mut(place).ok_or("not found")?;
        slot.item.last_seen_at = slot.item.last_seen_at.max(now);
        slot.changed = true;
        slot.spoken = number;
        Ok(Applied {
            op,
            module: slot.item.module.clone(),
            key: slot.item.key.clone(),
        })
    }

    fn add(&mut self, operation: &Operation) -> Result<(Op, usize), String> {
        let missing = |name: &str| format!("add: `{name}` is missing");
        let module = operation.module.clone().ok_or_else(|| missing("module"))?;
        levels::check_module(&module)?;
        let key = operation.key.clone().ok_or_else(|| missing("key"))?;
        levels::check_key(&key)?;
        let level = operation.level.ok_or_else(|| missing("level"))?;
        let value = operation.value.as_deref().ok_or_else(|| missing("value"))?;
        if let Some(place) = self.with_key(&module, &key) {
            self.may_change(place)?;
            self.set(place, Some(level), Some(value), operation.confidence)?;
            return Ok((Op::Update, place));
        }
        let value = accepted(&key, level, value)?;
        let item = Item {
            id: (self.new_id)(),
            module,
            key,
            value,
            level,
            confidence: operation.confidence.unwrap_or(CONFIDENCE),
            origin_space: None,
            shareable: false,
            pinned: false,
            created_at: self.now,
            last_seen_at: self.now,
        };
        self.slots.push(Slot {
            item,
            visible: true,
            is_new: true,
            changed: true,
            active: true,
            spoken: 0,
        });
        Ok((Op::Add, self.slots.len() - 1))
    }

    fn update(&mut self, operation: &Operation) -> Result<usize, String> {
        let place = self.find(operation)?;
        let Operation {
            level,
            value,
            confidence,
            ..
        } = operation;
        if level.is_none() && value.is_none() && confidence.is_none() {
            return Err("update: it says nothing new".to_owned());
        }
        self.set(place, *level, value.as_deref(), *confidence)?;
        Ok(place)
    }

    fn delete(&mut self, operation: &Operation) -> Result<usize, String> {
        let place = self.find(operation)?;
        if let Some(slot) = self.slots.get_mut(place) {
            slot.active = false;
        }
        Ok(place)
    }

    fn set(
        &mut self,
        place: usize,
        level: Option<i64>,
        value: Option<&str>,
        confidence: Option<f64>,
    ) -> Result<(), String> {
        let WriteScope { private, space, .. } = *self.place;
        let slot = self.slots.get_mut(place).ok_or("not found")?;
        let level = level.unwrap_or(slot.item.level);
        let new = match value {
            Some(value) => accepted(&slot.item.key, level, value)?,
            None => levels::fit(level, &slot.item.value),
        };
        let says_else = value.is_some() && new != slot.item.value;
        slot.item.value = new;
        slot.item.level = level;
        if let Some(confidence) = confidence {
            slot.item.confidence = confidence;
        }
        // A value given in private stays private, even if it replaces one that was given among others or is shareable.
        // A value given in a space belongs to that space, not to the one where the item began.
        if says_else && private {
            (slot.item.origin_space, slot.item.shareable) = (None, false);
        } else if says_else && slot.item.origin_space.is_some() {
            slot.item.origin_space = space;
        }
        Ok(())
    }

    /// The item that an operation means: by its id, else by module and key.
    fn find(&self, operation: &Operation) -> Result<usize, String> {
        let by_id = operation.id.as_ref().and_then(|named| {
            let id = self.place.named.get(named).copied().or_else(|| named.parse().ok())?;
            self.slots
                .iter()
                .position(|slot| slot.active && slot.visible && slot.item.id == id)
        });
        let by_key = || {
            let (module, key) = (operation.module.as_ref()?, operation.key.as_ref()?);
            self.with_key(module, key).filter(|place| self.is_visible(*place))
        };
        let place = by_id.or_else(by_key).ok_or("not found")?;
        self.may_change(place)?;
        Ok(place)
    }

    fn with_key(&self, module: &str, key: &str) -> Option<usize> {
        self.slots
            .iter()
            .position(|slot| slot.active && slot.item.module == module && slot.item.key == key)
    }

    fn is_visible(&self, place: usize) -> bool {
        self.slots.get(place).is_some_and(|slot| slot.visible)
    }

    fn may_change(&self, place: usize) -> Result<(), String> {
        match self.slots.get(place) {
            Some(slot) if !slot.visible => Err(ELSEWHERE.to_owned()),
            Some(slot) if slot.item.pinned => Err("it is pinned: only its user changes it".to_owned()),
            Some(_) => Ok(()),
            None => Err("not found".to_owned()),
        }
    }

    /// Of several that say the same, the newest stays; what is pinned stays in any case.
    fn archive_duplicates(&mut self, archived: &mut Vec<Archived>) {
        let mut groups: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for (place, slot) in self.slots.iter().enumerate() {
            if slot.active && slot.visible {
                let says = normalised(&slot.item.value);
                groups.entry((slot.item.module.clone(), says)).or_default().push(place);
            }
        }
        for mut places in groups.into_values().filter(|places| places.len() > 1) {
            places.sort_by_key(|place| self.slots.get(*place).map(Slot::age));
            let newest = places.last().copied();
            let pinned = places.iter().any(|place| self.is_pinned(*place));
            for place in places {
                if !self.is_pinned(place) && (pinned || Some(place) != newest) {
                    self.archive(place, "another one says the same", archived);
                }
            }
        }
    }

    /// A level that holds too much loses what was not spoken of for longest, of what is not pinned; also what is not
    /// known here, of which nothing is said.
    fn archive_overfull(&mut self, archived: &mut Vec<Archived>) {
        for (level, most) in (0_i64..).zip(LEVELS.map(|level| level.items)) {
            let of_level = |slot: &Slot| slot.active && slot.item.level == level;
            let mut over = self.slots.iter().filter(|slot| of_level(slot)).count();
            let mut places: Vec<_> = (0..self.slots.len())
                .filter(|place| {
                    self.slots
                        .get(*place)
                        .is_some_and(|slot| of_level(slot) && !slot.item.pinned)
                })
                .collect();
            places.sort_by_key(|place| self.slots.get(*place).map(Slot::age));
            for place in places {
                if over <= most {
                    break;
                }
                over -= 1;
                self.archive(place, "its level is full", archived);
            }
        }
    }

    fn is_pinned(&self, place: usize) -> bool {
        self.slots.get(place).is_some_and(|slot| slot.item.pinned)
    }

    fn archive(&mut self, place: usize, reason: &str, archived: &mut Vec<Archived>) {
        if let Some(slot) = self.slots.get_mut(place) {
            slot.active = false;
            slot.changed = true;
            if slot.visible {
                archived.push(Archived {
                    module: slot.item.module.clone(),
                    key: slot.item.key.clone(),
                    reason: reason.to_owned(),
                });
            }
        }
    }

    /// The changes to store. Deletions come first: they free keys.
    fn changes(self) -> Vec<Change> {
        let (mut gone, mut rest) = (Vec::new(), Vec::new());
        for slot in self.slots.into_iter().filter(|slot| slot.changed) {
            match (slot.active, slot.is_new) {
                (true, true) => rest.push(Change::Add(slot.item)),
                (true, false) => rest.push(Change::Update(slot.item)),
                (false, true) => {}
                (false, false) => gone.push(Change::Archive(slot.item.id)),
            }
        }
        gone.extend(rest);
        gone
    }
}

impl Slot {
    /// Sorts the newest last.
    fn age(&self) -> (Timestamp, usize, Timestamp, MemoryItemId) {
        (self.item.last_seen_at, self.spoken, self.item.created_at, self.item.id)
    }
}

/// A value as it is kept.
fn accepted(key: &str, level: i64, value: &str) -> Result<String, String> {
    if let Some(reason) = secrets::why_secret(key, value) {
        return Err(format!("{reason}: secrets are not remembered"));
    }
    let value = levels::fit(level, value);
    if value.is_empty() {
        return Err("value: it is empty".to_owned());
    }
    Ok(value)
}

/// The words of a value, without case and punctuation.
fn normalised(value: &str) -> String {
    let words: Vec<_> = value
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() {
        value.to_owned()
    } else {
        words.join(" ")
    }
}

#[cfg(test)]
mod tests;
