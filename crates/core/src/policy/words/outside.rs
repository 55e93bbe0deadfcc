//! Words known outside of a run. It is read once somebody asks: most runs read nothing of outside, and nobody does.

use std::sync::OnceLock;

use serde_json::Value;

use super::KnownWords;

/// Texts that are known outside, and what they tell.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// Texts that were not read yet.
    texts: Vec<Value>,
    known: OnceLock<KnownWords>,
}

impl Outside {
    /// Takes in a text.
    pub fn learn(&mut self, text: &str) {
        match self.known.get_mut() {
            Some(known) => known.learn(text),
            None => self.texts.push(Value::from(text)),
        }
    }

    /// Takes in every text of a value.
    pub fn learn_all(&mut self, value: &Value) {
        match self.known.get_mut() {
            Some(known) => known.learn_all(value),
            None => self.texts.push(value.clone()),
        }
    }

    /// The words of all of them.
    pub fn known(&self) -> &KnownWords {
        self.known.get_or_init(|| {
            let mut known = KnownWords::default();
            self.texts.iter().for_each(|text| known.learn_all(text));
            known
        })
    }
}

impl PartialEq for Outside {
    fn eq(&self, other: &Self) -> bool {
        self.known() == other.known()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whenever_it_is_asked_it_knows_the_same() {
        let value = json!({ "content": "See https://example.com/page", "lines": ["and 4711"] });
        let mut known = KnownWords::default();
        known.learn("Read wiki.org/Clifford");
        known.learn_all(&value);
        for asked_after in 0..=2 {
            let mut outside = Outside::default();
            for step in 0..=2 {
                match step {
                    1 => outside.learn("Read wiki.org/Clifford"),
                    2 => outside.learn_all(&value),
                    _ => {}
                }
                if step == asked_after {
                    outside.known();
                }
            }
            assert_eq!(outside.known(), &known, "asked after {asked_after}");
        }
    }
}
