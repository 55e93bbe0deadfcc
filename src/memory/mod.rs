//! Memory: what is remembered of a person, and how it comes into prompts.

pub mod closing;
pub mod levels;
pub mod operations;
pub mod result;
pub mod rules;
pub mod secrets;
pub mod segment;
pub mod summary;
pub mod write_prompt;
pub mod writer;

use crate::store::{
    channels::Channel,
    memory_items::{MemoryItem, Viewer},
};

/// Who sees what is remembered, where a message was said; without a channel: the person alone.
pub fn viewer(channel: Option<&Channel>) -> Viewer {
    match channel {
        Some(channel) if !channel.is_private() => Viewer::Shared(channel.space_id),
        _ => Viewer::Private,
    }
}

/// The most characters of all items in one prompt.
const BLOCK: usize = 1200;
/// The most items of one level in a prompt.
const PER_LEVEL: usize = 5;
/// The most items that are looked at: what the levels' caps allow.
pub const MOST: u32 = 60;

/// The items for a prompt, of those that a person may see: of each level, ascending, the five most recently seen
/// (pinned first), until the block is full.
pub fn selected(items: Vec<MemoryItem>) -> Vec<MemoryItem> {
    let mut chosen: Vec<MemoryItem> = Vec::new();
    let mut size = 0;
    for item in items {
        let of_level = chosen.iter().filter(|known| known.level == item.level).count();
        let length = item.module.len() + item.key.len() + item.value.chars().count() + 5;
        if of_level < PER_LEVEL {
            if size + length > BLOCK {
                break;
            }
            size += length;
            chosen.push(item);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(level: i64, key: &str, value: &str) -> MemoryItem {
        MemoryItem {
            module: "identity".into(),
            key: key.into(),
            value: value.into(),
            level,
        }
    }

    #[test]
    fn five_of_each_level_come_into_the_prompt_until_the_block_is_full() {
        let mut items: Vec<_> = (0..7).map(|n| item(0, &format!("k{n}"), "v")).collect();
        items.push(item(1, "long", &"x".repeat(1000)));
        items.push(item(2, "longer", &"x".repeat(1000)));
        items.push(item(3, "short", "v"));
        let chosen: Vec<_> = selected(items).into_iter().map(|item| item.key).collect();
        assert_eq!(chosen, ["k0", "k1", "k2", "k3", "k4", "long"]);
    }
}
