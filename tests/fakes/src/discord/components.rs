//! Buttons and choices: what Discord checks of them, and the people who press and type.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    DiscordFake, Sent,
    error::{Refusal, only},
};

/// The most rows, and the most buttons in a row.
const MOST: usize = 5;

/// The buttons of a message: what stands on each, and its custom id.
pub(super) fn read(body: &Value) -> Result<Vec<(String, String)>, Refusal> {
    let invalid = |text: &str| Refusal::field("components", "COMPONENT_VALIDATION_FAILED", text);
    let Some(rows) = body.get("components") else {
        return Ok(Vec::new());
    };
    let rows = rows.as_array().ok_or_else(|| invalid("no list"))?;
    if rows.len() > MOST {
        return Err(invalid("Must be between 1 and 5 in length."));
    }
    let mut buttons = Vec::new();
    let mut ids = HashSet::new();
    for row in rows {
        only("components", row, &["type", "components"])?;
        let within = row["components"].as_array().filter(|_| row["type"] == json!(1));
        let within = within.ok_or_else(|| invalid("no action row"))?;
        if !(1..=MOST).contains(&within.len()) {
            return Err(invalid("The specified component exceeds the maximum width"));
        }
        for button in within {
            let button = read_button(button)?;
            if !ids.insert(button.1.clone()) {
                return Err(invalid("Component custom id cannot be duplicated"));
            }
            buttons.push(button);
        }
    }
    Ok(buttons)
}

fn read_button(button: &Value) -> Result<(String, String), Refusal> {
    only("components", button, &["type", "style", "label", "custom_id"])?;
    let invalid = |field: &str, text: &str| Refusal::field(field, "BASE_TYPE_BAD_LENGTH", text);
    if button["type"] != json!(2) || button["style"].as_u64().is_none_or(|style| !(1..=4).contains(&style)) {
        return Err(invalid("type", "this fake takes buttons of the styles 1 to 4 only"));
    }
    let text = |name: &str| button[name].as_str().unwrap_or_default().to_owned();
    let (label, id) = (text("label"), text("custom_id"));
    if !(1..=80).contains(&label.chars().count()) {
        return Err(invalid("label", "Must be between 1 and 80 in length."));
    }
    if !(1..=100).contains(&id.chars().count()) {
        return Err(invalid("custom_id", "Must be between 1 and 100 in length."));
    }
    Ok((label, id))
}

/// What an argument may become: what is shown, and its value.
pub(super) fn choices(data: &Value) -> Result<Vec<(String, String)>, Refusal> {
    only("data", data, &["choices"])?;
    let invalid = |text: &str| Refusal::field("choices", "BASE_TYPE_BAD_LENGTH", text);
    let choices = data["choices"].as_array().ok_or_else(|| invalid("no list"))?;
    if choices.len() > 25 {
        return Err(invalid("Must be 25 or fewer in length."));
    }
    let read = |choice: &Value| {
        only("choices", choice, &["name", "value"])?;
        let text = |name: &str| choice[name].as_str().unwrap_or_default().to_owned();
        let (name, value) = (text("name"), text("value"));
        let fits = |text: &str| (1..=100).contains(&text.chars().count());
        if fits(&name) && fits(&value) {
            Ok((name, value))
        } else {
            Err(invalid("Must be between 1 and 100 in length."))
        }
    };
    choices.iter().map(read).collect()
}

impl DiscordFake {
    /// A person presses the button with this label below a message that the bot sent; returns the interaction's id.
    ///
    /// # Panics
    /// If there is no such button.
    #[expect(clippy::panic, reason = "a mistake in the test")]
    pub fn press(&self, channel: u64, user: u64, message: &Sent, label: &str) -> u64 {
        match message.buttons.iter().find(|(text, _)| text == label) {
            Some((_, custom_id)) => self.press_id(channel, user, message.id, custom_id),
            None => panic!("there is no button `{label}` in {message:?}"),
        }
    }

    /// A person presses a button with this custom id.
    pub fn press_id(&self, channel: u64, user: u64, message: u64, custom_id: &str) -> u64 {
        self.interact(3, channel, user, custom_id, |state| {
            let below = state
                .channels
                .get(&channel)
                .and_then(|room| room.messages.get(&message));
            json!({"data": {"custom_id": custom_id, "component_type": 2, "id": 2}, "message": below})
        })
    }

    /// A person begins to type the argument of a command; returns the interaction's id.
    pub fn types(&self, channel: u64, user: u64, command: &str, argument: &str, text: &str) -> u64 {
        self.interact(4, channel, user, command, |_| {
            let option = json!({"name": argument, "type": 3, "value": text, "focused": true});
            json!({"data": {"id": "5", "name": command, "type": 1, "options": [option]}})
        })
    }

    /// What an argument may become, as the bot said: what is shown, and its value.
    pub async fn wait_for_choices(&self, id: u64) -> Vec<(String, String)> {
        self.wait_for(&format!("the choices for {id}"), |fake| fake.choices(id))
            .await
    }

    fn choices(&self, id: u64) -> Option<Vec<(String, String)>> {
        let state = self.shared.state();
        state.interactions.get(&id)?.choices.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &Value) -> Option<Vec<(String, String)>> {
        read(&json!({"components": rows})).ok()
    }

    #[test]
    fn buttons_that_discord_refuses_are_refused() {
        let button = |label: &str, id: &str| json!({"type": 2, "style": 2, "label": label, "custom_id": id});
        let row = |buttons: &[Value]| json!({"type": 1, "components": buttons});
        let pair = |text: &str, id: &str| (text.to_owned(), id.to_owned());
        let good = json!([row(&[button("a", "1"), button("b", "2")]), row(&[button("c", "3")])]);
        assert_eq!(rows(&good), Some(vec![pair("a", "1"), pair("b", "2"), pair("c", "3")]));
        let six: Vec<Value> = (0..6).map(|n| button("a", &n.to_string())).collect();
        let six_rows: Vec<Value> = six.iter().map(|button| row(std::slice::from_ref(button))).collect();
        for bad in [
            json!([row(&six)]),
            json!(six_rows),
            json!([row(&[])]),
            json!([button("a", "1")]),
            json!([row(&[button("", "1")])]),
            json!([row(&[button(&"x".repeat(81), "1")])]),
            json!([row(&[button("a", "")])]),
            json!([row(&[button("a", &"x".repeat(101))])]),
            json!([row(&[button("a", "1"), button("b", "1")])]),
            json!([row(&[
                json!({"type": 2, "style": 5, "label": "a", "url": "https://example.org"})
            ])]),
            json!({}),
        ] {
            assert_eq!(rows(&bad), None, "{bad}");
        }
    }

    #[test]
    fn choices_that_discord_refuses_are_refused() {
        let choice = |name: &str, value: &str| json!({"name": name, "value": value});
        let read = |list: &[Value]| choices(&json!({"choices": list})).ok();
        assert_eq!(read(&[choice("a", "1")]), Some(vec![("a".to_owned(), "1".to_owned())]));
        assert_eq!(read(&[]), Some(Vec::new()));
        let many: Vec<Value> = (0..26).map(|n| choice("a", &n.to_string())).collect();
        assert_eq!(read(&many), None);
        for bad in [
            choice("", "1"),
            choice("a", ""),
            choice(&"x".repeat(101), "1"),
            json!({"label": "a"}),
        ] {
            assert_eq!(read(std::slice::from_ref(&bad)), None, "{bad}");
        }
    }
}
