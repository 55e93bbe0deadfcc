//! The message that a memory item comes from: an item keeps its conversation, and its words tell the message. Pure.

use std::collections::{HashMap, HashSet};

use crate::{id::MessageId, row::FromRow, search::terms::terms};

/// A shorter word in common says nothing: most are such as “the” and “is”.
const TELLING: usize = 3;

/// A message of the item's person.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct PersonMessage {
    /// Its id.
    pub id: MessageId,
    /// The head of its text.
    pub content: String,
}

/// The message whose words the item has, the rare ones before the common ones; of equal ones the newest. `None`: none of
/// them says anything of it.
///
/// `said`: the newest first.
pub fn of(key: &str, value: &str, said: &[PersonMessage]) -> Option<MessageId> {
    let wanted = words(&format!("{} {value}", key.replace('_', " ")));
    let shared: Vec<HashSet<String>> = said.iter().map(|said| &words(&said.content) & &wanted).collect();
    let mut in_how_many: HashMap<&str, u32> = HashMap::new();
    for word in shared.iter().flatten() {
        *in_how_many.entry(word).or_default() += 1;
    }
    let weight = |words: &HashSet<String>| -> f64 {
        let telling = words.iter().any(|word| is_telling(word));
        let each = words.iter().filter_map(|word| in_how_many.get(word.as_str()));
        if telling {
            each.map(|often| 1.0 / f64::from(*often)).sum()
        } else {
            0.0
        }
    };
    let mut best = (0.0, None);
    for (said, words) in said.iter().zip(&shared) {
        let weight = weight(words);
        if weight > best.0 + f64::EPSILON {
            best = (weight, Some(said.id));
        }
    }
    best.1
}

fn words(text: &str) -> HashSet<String> {
    terms(text).map(|term| term.text).collect()
}

/// A number tells, and so does a character of a script that has no spaces.
fn is_telling(word: &str) -> bool {
    word.chars().count() >= TELLING || word.chars().any(|letter| letter.is_numeric() || !letter.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(key: &str, value: &str, newest_first: &[&str]) -> Option<String> {
        let said: Vec<_> = newest_first
            .iter()
            .map(|content| PersonMessage {
                id: MessageId::new(),
                content: (*content).to_owned(),
            })
            .collect();
        let id = of(key, value, &said)?;
        said.into_iter().find(|said| said.id == id).map(|said| said.content)
    }

    #[test]
    fn an_item_leads_to_the_message_that_has_its_words() {
        for (key, value, said, expected) in [
            (
                "cat_name",
                "Zorro",
                &["And what does a cat eat?", "My cat is called Zorro.", "My cat is old."][..],
                Some("My cat is called Zorro."),
            ),
            // In another language the names are left.
            (
                "home_town",
                "lives in Graz",
                &["Danke!", "Ich wohne in Graz, seit 2019", "Hallo"],
                Some("Ich wohne in Graz, seit 2019"),
            ),
            // Of equal ones the newest.
            (
                "tea",
                "green tea",
                &["green tea, please", "green tea"],
                Some("green tea, please"),
            ),
            (
                "petto",
                "猫が好き",
                &["今日は", "私は猫が好きです"],
                Some("私は猫が好きです"),
            ),
            ("shoe_size", "44", &["it is 44", "hello"], Some("it is 44")),
            // Words that nobody said, and texts that have only little words in common.
            ("job", "a nurse", &["hello", "what is 2 of a"], None),
            ("job", "a nurse", &[], None),
        ] {
            assert_eq!(found(key, value, said).as_deref(), expected, "{value}");
        }
    }
}
