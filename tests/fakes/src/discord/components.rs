//! Buttons and choices: Discord's checks, and the people who press and type.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    DiscordFake, Sent,
    error::{Refusal, only},
};

/// The kind of a menu of roles.
const ROLE_SELECT: u64 = 6;
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
        // Of roles there is a menu, too, which has a row of its own.
        if let [menu] = within.as_slice()
            && menu["type"] == json!(ROLE_SELECT)
        {
            let picker = read_picker(menu)?;
            if !ids.insert(picker.1.clone()) {
                return Err(invalid("Component custom id cannot be duplicated"));
            }
            buttons.push(picker);
            continue;
        }
        // A menu has a row of its own.
        if let [menu] = within.as_slice()
            && menu["type"] == json!(3)
        {
            let (id, options) = read_menu(menu)?;
            if !ids.insert(id) {
                return Err(invalid("Component custom id cannot be duplicated"));
            }
            buttons.extend(options);
            continue;
        }
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

/// A menu of roles: what stands on it while nothing is chosen, and its id.
/// <https://docs.discord.com/developers/components/reference#role-select>
fn read_picker(menu: &Value) -> Result<(String, String), Refusal> {
    let known = [
        "type",
        "custom_id",
        "placeholder",
        "min_values",
        "max_values",
        "default_values",
        "disabled",
    ];
    only("components", menu, &known)?;
    let invalid = |field: &str, text: &str| Refusal::field(field, "BASE_TYPE_BAD_LENGTH", text);
    let text = |name: &str| menu[name].as_str().unwrap_or_default().to_owned();
    if !(1..=100).contains(&text("custom_id").chars().count()) {
        return Err(invalid("custom_id", "Must be between 1 and 100 in length."));
    }
    if text("placeholder").chars().count() > 150 {
        return Err(invalid("placeholder", "Must be 150 or fewer in length."));
    }
    let (least, most) = (
        menu["min_values"].as_u64().unwrap_or(1),
        menu["max_values"].as_u64().unwrap_or(1),
    );
    if least > 25 || !(1..=25).contains(&most) || least > most {
        return Err(invalid("max_values", "int value should be between 1 and 25."));
    }
    Ok((text("placeholder"), text("custom_id")))
}

/// A menu: its id, and what stands on each choice with its value.
/// <https://docs.discord.com/developers/components/reference#string-select>
fn read_menu(menu: &Value) -> Result<(String, Vec<(String, String)>), Refusal> {
    only("components", menu, &["type", "custom_id", "options", "placeholder"])?;
    let invalid = |field: &str, text: &str| Refusal::field(field, "BASE_TYPE_BAD_LENGTH", text);
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let id = text(menu, "custom_id");
    if !(1..=100).contains(&id.chars().count()) {
        return Err(invalid("custom_id", "Must be between 1 and 100 in length."));
    }
    if text(menu, "placeholder").chars().count() > 150 {
        return Err(invalid("placeholder", "Must be 150 or fewer in length."));
    }
    let options = menu["options"].as_array().cloned().unwrap_or_default();
    if !(1..=25).contains(&options.len()) {
        return Err(invalid("options", "Must be between 1 and 25 in length."));
    }
    let mut values = HashSet::new();
    let mut read = Vec::new();
    for option in &options {
        only("options", option, &["label", "value", "description", "default"])?;
        let (label, value) = (text(option, "label"), text(option, "value"));
        let fits = |text: &str| (1..=100).contains(&text.chars().count());
        if !fits(&label) || !fits(&value) {
            return Err(invalid("options", "Must be between 1 and 100 in length."));
        }
        if !values.insert(value.clone()) {
            return Err(invalid("options", "The specified option value is already used"));
        }
        read.push((label, value));
    }
    Ok((id, read))
}

/// The form that an interaction is answered with:
/// <https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-modal>
pub(super) fn form(data: &Value) -> Result<Form, Refusal> {
    only("data", data, &["custom_id", "title", "components"])?;
    let invalid = |field: &str, text: &str| Refusal::field(field, "BASE_TYPE_BAD_LENGTH", text);
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let (id, title) = (text(data, "custom_id"), text(data, "title"));
    if !(1..=100).contains(&id.chars().count()) {
        return Err(invalid("custom_id", "Must be between 1 and 100 in length."));
    }
    if !(1..=45).contains(&title.chars().count()) {
        return Err(invalid("title", "Must be between 1 and 45 in length."));
    }
    let rows = data["components"].as_array().cloned().unwrap_or_default();
    if !(1..=MOST).contains(&rows.len()) {
        return Err(invalid("components", "Must be between 1 and 5 in length."));
    }
    let mut inputs = Vec::new();
    for row in &rows {
        let input = match row["components"].as_array().map(Vec::as_slice) {
            Some([input]) if row["type"] == json!(1) && input["type"] == json!(4) => input,
            _ => {
                return Err(invalid(
                    "components",
                    "this fake takes one text input in each action row",
                ));
            }
        };
        let known = [
            "type",
            "custom_id",
            "style",
            "label",
            "min_length",
            "max_length",
            "required",
            "value",
            "placeholder",
        ];
        only("components", input, &known)?;
        let (input_id, label) = (text(input, "custom_id"), text(input, "label"));
        let most = input["max_length"].as_u64().unwrap_or(4_000);
        if !(1..=100).contains(&input_id.chars().count())
            || !(1..=45).contains(&label.chars().count())
            || !(1..=4_000).contains(&most)
            || input["style"].as_u64().is_none_or(|style| !(1..=2).contains(&style))
        {
            return Err(invalid("components", "a text input that Discord does not take"));
        }
        inputs.push((input_id, usize::try_from(most).unwrap_or_default()));
    }
    Ok(Form { id, title, inputs })
}

/// The styles of the buttons of a message, in their order.
pub(super) fn styles(body: &Value) -> Vec<u64> {
    let rows = body.get("components").and_then(Value::as_array);
    let buttons = rows
        .into_iter()
        .flatten()
        .filter_map(|row| row["components"].as_array());
    buttons
        .flatten()
        .filter_map(|button| button["style"].as_u64())
        .collect()
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

/// The choices of an argument: the label, and its value.
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

/// A form that the bot asked somebody to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its custom id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The ids of its inputs, and the most characters of each.
    pub inputs: Vec<(String, usize)>,
}

impl DiscordFake {
    /// The form that an interaction was answered with.
    pub async fn wait_for_form(&self, id: u64) -> Form {
        self.wait_for(&format!("the form for {id}"), |fake| {
            fake.shared.state().interactions.get(&id)?.form.clone()
        })
        .await
    }

    /// The person of an interaction fills in its form; returns the new interaction's id.
    ///
    /// # Panics
    /// The words do not fit into its input, which no client would send.
    pub fn fill_in(&self, channel: u64, user: u64, asked: u64, form: &Form, words: &str) -> u64 {
        let below = self
            .shared
            .state()
            .interactions
            .get(&asked)
            .and_then(|asked| asked.below);
        let inputs = form.inputs.iter().map(|(id, most)| {
            assert!(words.chars().count() <= *most, "the words are too long for {form:?}");
            json!({"type": 1, "id": 1, "components": [{"type": 4, "id": 2, "custom_id": id, "value": words}]})
        });
        let inputs: Vec<_> = inputs.collect();
        self.interact(5, channel, user, &form.id, |state| {
            let room = state.channels.get(&channel);
            let message = below.and_then(|below| room?.messages.get(&below));
            json!({"data": {"custom_id": form.id, "components": inputs}, "message": message})
        })
    }

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

    /// A person chooses these roles in the menu with this label below a message; returns the interaction's id.
    ///
    /// # Panics
    /// If there is no such menu.
    #[expect(clippy::panic, reason = "a mistake in the test")]
    pub fn picks(&self, channel: u64, user: u64, message: &Sent, label: &str, roles: &[u64]) -> u64 {
        let Some((_, custom_id)) = message.buttons.iter().find(|(text, _)| text == label) else {
            panic!("there is no menu `{label}` in {message:?}");
        };
        self.interact(3, channel, user, custom_id, |state| {
            let below = (state.channels.get(&channel)).and_then(|room| room.messages.get(&message.id));
            let known = state.rights.roles.iter().filter(|role| roles.contains(&role.id));
            let known: serde_json::Map<_, _> = known.map(|role| (role.id.to_string(), role.json())).collect();
            let values: Vec<_> = roles.iter().map(u64::to_string).collect();
            let data = json!({"custom_id": custom_id, "component_type": ROLE_SELECT, "id": 2, "values": values,
                "resolved": {"roles": known}});
            json!({"data": data, "message": below})
        })
    }

    /// A person presses a button with this custom id.
    pub fn press_id(&self, channel: u64, user: u64, message: u64, custom_id: &str) -> u64 {
        self.interact(3, channel, user, custom_id, |state| {
            let below = state
                .channels
                .get(&channel)
                .and_then(|room| room.messages.get(&message));
            let menu = below.and_then(|below| menu_of(below, custom_id));
            let data = match menu {
                Some(menu) => json!({"custom_id": menu, "component_type": 3, "id": 2, "values": [custom_id]}),
                None => json!({"custom_id": custom_id, "component_type": 2, "id": 2}),
            };
            json!({"data": data, "message": below})
        })
    }

    /// A person chooses a command in the menu of a message, which Discord tells whole, whatever the bot's intents;
    /// returns the interaction's id.
    ///
    /// # Panics
    /// If there is no such command: nobody is shown it then.
    pub fn chooses(&self, channel: u64, user: u64, message: u64, command: &str) -> u64 {
        let known = self.commands(None);
        let is_registered = known
            .iter()
            .any(|known| known["name"] == command && known["type"] == json!(3));
        assert!(is_registered, "`{command}` is in no menu of a message: {known:?}");
        self.interact(2, channel, user, command, |state| {
            let room = state.channels.get(&channel);
            let mut about = room
                .and_then(|room| room.messages.get(&message))
                .cloned()
                .unwrap_or_default();
            // A partial message.
            if let Some(fields) = about.as_object_mut() {
                fields.remove("referenced_message");
            }
            let id = message.to_string();
            json!({"data": {"id": "6", "name": command, "type": 3, "target_id": id,
                "resolved": {"messages": {(id.clone()): about}}}})
        })
    }

    /// A person begins to type the argument of a command; returns the interaction's id.
    pub fn types(&self, channel: u64, user: u64, command: &str, argument: &str, text: &str) -> u64 {
        self.interact(4, channel, user, command, |_| {
            let option = json!({"name": argument, "type": 3, "value": text, "focused": true});
            json!({"data": {"id": "5", "name": command, "type": 1, "options": [option]}})
        })
    }

    /// The choices of an argument, as the bot sent them: the label, and its value.
    pub async fn wait_for_choices(&self, id: u64) -> Vec<(String, String)> {
        self.wait_for(&format!("the choices for {id}"), |fake| fake.choices(id))
            .await
    }

    fn choices(&self, id: u64) -> Option<Vec<(String, String)>> {
        let state = self.shared.state();
        state.interactions.get(&id)?.choices.clone()
    }
}

/// The menu of a message that has a choice with this value.
fn menu_of(message: &Value, value: &str) -> Option<String> {
    let rows = message["components"].as_array()?;
    let components = rows.iter().filter_map(|row| row["components"].as_array()).flatten();
    let mut menus = components.filter(|component| component["type"] == json!(3));
    let menu = menus.find(|menu| {
        let options = menu["options"].as_array().into_iter().flatten();
        options.into_iter().any(|option| option["value"] == value)
    })?;
    menu["custom_id"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn menus_and_forms_that_discord_refuses_are_refused() {
        let option = |label: &str, value: &str| json!({"label": label, "value": value});
        let menu = |options: &[Value]| json!([{"type": 1, "components": [{"type": 3, "custom_id": "m", "options": options, "placeholder": "p"}]}]);
        let pair = |text: &str, id: &str| (text.to_owned(), id.to_owned());
        assert_eq!(rows(&menu(&[option("a", "1")])), Some(vec![pair("a", "1")]));
        let many: Vec<_> = (0..26).map(|n| option("a", &n.to_string())).collect();
        for bad in [
            menu(&many),
            menu(&[]),
            menu(&[option("a", "1"), option("b", "1")]),
            menu(&[option("", "1")]),
        ] {
            assert_eq!(rows(&bad), None, "{bad}");
        }
        let input = json!({"type": 4, "custom_id": "words", "style": 2, "label": "Text", "max_length": 10});
        let modal = |title: &str, inputs: &[Value]| {
            let rows: Vec<_> = inputs
                .iter()
                .map(|input| json!({"type": 1, "components": [input]}))
                .collect();
            form(&json!({"custom_id": "f", "title": title, "components": rows})).ok()
        };
        let good = modal("Title", std::slice::from_ref(&input)).map(|form| form.inputs);
        assert_eq!(good, Some(vec![("words".to_owned(), 10)]));
        assert_eq!(modal("", std::slice::from_ref(&input)), None);
        assert_eq!(modal(&"x".repeat(46), std::slice::from_ref(&input)), None);
        assert_eq!(modal("Title", &[]), None);
        let mut nameless = input;
        nameless["label"] = json!("");
        assert_eq!(modal("Title", &[nameless]), None);
    }

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
