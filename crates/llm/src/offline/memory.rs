//! Memory operations and summaries where no model is connected: a few fixed phrases.

use clifford_llm_api::model::Request;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    facts::{Fact, fact, parts},
    intent::Intent,
    module,
    transcript::last_words,
    understand::understand,
};

/// The most characters of a summary.
const SUMMARY: usize = 1_200;
/// The most characters of one message in it.
const LINE: usize = 120;

#[derive(Deserialize)]
struct MemoryPrompt {
    #[serde(default)]
    known: Vec<KnownItem>,
    #[serde(default)]
    summary: String,
    messages: Vec<MemoryMessage>,
}

#[derive(Deserialize)]
struct KnownItem {
    id: String,
    module: String,
    key: String,
    value: String,
}

#[derive(Deserialize)]
struct MemoryMessage {
    from: String,
    text: String,
}

/// The reply, if memory is what is asked for.
pub(super) fn reply(request: &Request) -> Option<String> {
    let answer: fn(&MemoryPrompt) -> Value = match request.schema.as_ref()?.name() {
        "memory_operations" => operations,
        "summary" => summary,
        _ => return None,
    };
    let asked = serde_json::from_str(last_words(&request.messages)).unwrap_or(MemoryPrompt {
        known: Vec::new(),
        summary: String::new(),
        messages: Vec::new(),
    });
    Some(answer(&asked).to_string())
}

impl MemoryPrompt {
    fn persons_words(&self) -> impl Iterator<Item = &str> {
        let persons = self.messages.iter().filter(|said| said.from == "person");
        // Among others, the speaker's name stands before.
        persons.map(
            |said| match said.text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
                Some((_, text)) => text,
                None => &said.text,
            },
        )
    }
}

fn operations(asked: &MemoryPrompt) -> Value {
    let facts = asked.persons_words().flat_map(facts);
    let operations: Vec<_> = facts.map(|fact| operation(&fact, &asked.known)).collect();
    json!({ "operations": operations })
}

/// The operation that keeps a fact.
fn operation(fact: &Fact, known: &[KnownItem]) -> Value {
    let Fact {
        module,
        key,
        level,
        value,
    } = fact;
    match known.iter().find(|known| known.module == *module && known.key == *key) {
        Some(known) if known.value == *value => json!({ "op": "touch", "id": known.id }),
        Some(known) => {
            json!({ "op": "update", "id": known.id, "level": level, "value": value, "confidence": 0.8 })
        }
        None => json!({ "op": "add", "module": module, "key": key, "level": level, "value": value,
            "confidence": 0.8 }),
    }
}

fn facts(message: &str) -> Vec<Fact> {
    let told: Vec<_> = parts(message).filter_map(fact).collect();
    if !told.is_empty() {
        return told;
    }
    if let [Intent::Remember { key, value }] = understand(message, None).as_slice() {
        return vec![Fact {
            module: module::of(key),
            key: key.clone(),
            level: 1,
            value: value.clone(),
        }];
    }
    Vec::new()
}

/// The summary so far, and the beginning of each person's message; if they are too long, the newest.
fn summary(asked: &MemoryPrompt) -> Value {
    let mut lines: Vec<String> = asked.summary.lines().map(str::to_owned).collect();
    lines.extend(asked.messages.iter().filter(|said| said.from == "person").map(|said| {
        let text = said.text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("- {}", text.chars().take(LINE).collect::<String>())
    }));
    let mut length = 0;
    let newest: Vec<_> = lines
        .iter()
        .rev()
        .take_while(|line| {
            length += line.chars().count() + 1;
            length <= SUMMARY
        })
        .collect();
    let text: Vec<&str> = newest.into_iter().rev().map(String::as_str).collect();
    json!({ "summary": if text.is_empty() { "Nothing was said.".to_owned() } else { text.join("\n") } })
}

#[cfg(test)]
mod tests {
    use clifford_llm_api::model::{Message, Request, Role, Schema};
    use serde_json::{Value, json};

    use super::reply;

    fn answered(name: &str, asked: &Value) -> Value {
        let request = Request {
            messages: vec![Message {
                role: Role::User,
                content: asked.to_string(),
            }],
            schema: Some(Schema::new(name, &json!({ "type": "object" }))),
            ..Request::default()
        };
        reply(&request).map_or(Value::Null, |text| serde_json::from_str(&text).unwrap_or_default())
    }

    #[test]
    fn what_people_say_of_themselves_becomes_operations() {
        let add = |module: &str, key: &str, level: u8, value: &str| json!({ "op": "add", "module": module, "key": key, "level": level, "value": value, "confidence": 0.8 });
        for (text, expected) in [
            ("Hi! My name is Ada.", json!([add("identity", "name", 0, "Ada")])),
            (
                "[Ada] I live in Oslo. I like tea and cake!",
                json!([
                    add("environment", "home", 1, "Oslo"),
                    add("preferences", "like_tea_and_cake", 2, "I like tea and cake")
                ]),
            ),
            (
                "My name is Ada and I live in Rome, and I like salt and pepper",
                json!([
                    add("identity", "name", 0, "Ada"),
                    add("environment", "home", 1, "Rome"),
                    add("preferences", "like_salt_and_pepper", 2, "I like salt and pepper")
                ]),
            ),
            (
                "remember that my cat is called Miro",
                json!([add("relationships", "cat", 1, "Miro")]),
            ),
            ("My name is Bob?", json!([])),
            ("What is 2 + 2?", json!([])),
            ("", json!([])),
        ] {
            let asked = json!({ "known": [], "messages": [
                { "from": "person", "text": text },
                { "from": "bot", "text": "My name is Clifford." },
            ] });
            assert_eq!(
                answered("memory_operations", &asked),
                json!({ "operations": expected }),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_known_is_touched_or_updated() {
        let asked = |value: &str| {
            json!({
                "known": [{ "id": "1", "module": "identity", "key": "name", "level": 0, "value": value }],
                "messages": [{ "from": "person", "text": "my name is Ada" }],
            })
        };
        assert_eq!(
            answered("memory_operations", &asked("Ada")),
            json!({ "operations": [{ "op": "touch", "id": "1" }] })
        );
        assert_eq!(
            answered("memory_operations", &asked("Eve")),
            json!({ "operations": [{ "op": "update", "id": "1", "level": 0, "value": "Ada", "confidence": 0.8 }] })
        );
    }

    #[test]
    fn a_summary_is_an_extract_of_bounded_length() {
        let asked = json!({ "summary": "- earlier", "messages": [
            { "from": "person", "text": "book a\n table" },
            { "from": "bot", "text": "done" },
        ] });
        assert_eq!(
            answered("summary", &asked),
            json!({ "summary": "- earlier\n- book a table" })
        );
        let many: Vec<_> = (0..50)
            .map(|number| json!({ "from": "person", "text": format!("{number} {}", "x".repeat(200)) }))
            .collect();
        let long = answered("summary", &json!({ "summary": "", "messages": many }));
        let text = long["summary"].as_str().unwrap_or_default();
        assert!(text.chars().count() <= 1_200 && text.contains("- 49 "), "{text}");
    }

    #[test]
    fn what_cannot_be_read_leads_to_nothing_and_other_requests_are_not_answered_here() {
        assert_eq!(answered("memory_operations", &json!(7)), json!({ "operations": [] }));
        assert_eq!(
            answered("summary", &json!(7)),
            json!({ "summary": "Nothing was said." })
        );
        assert_eq!(answered("action", &json!({})), Value::Null);
    }
}
