//! Inline keyboards, the people who press them, and the answers that the presses get.

use serde_json::{Value, json};

use super::{
    Chat, TelegramFake,
    answer::Refusal,
    messages,
    params::Params,
    state::{Query, Shared, State},
};

/// The most buttons below a message.
const BUTTONS: usize = 100;
/// The most bytes behind a button.
const DATA: usize = 64;

/// The buttons of a request.
pub(super) fn read(params: &Params) -> Result<Vec<(String, String)>, Refusal> {
    let Some(markup) = params.values.get("reply_markup") else {
        return Ok(Vec::new());
    };
    let broken = |why: &str| Refusal::violation(format!("can't parse inline keyboard: {why}"));
    let fields = markup.as_object().ok_or_else(|| broken("no object"))?;
    if let Some(unknown) = fields.keys().find(|key| *key != "inline_keyboard") {
        return Err(broken(&format!("this fake knows no `{unknown}`")));
    }
    let rows = markup["inline_keyboard"].as_array().ok_or_else(|| broken("no rows"))?;
    let mut buttons = Vec::new();
    for row in rows {
        let row = row.as_array().ok_or_else(|| broken("a row is no list"))?;
        if row.is_empty() {
            return Err(broken("a row is empty"));
        }
        for button in row {
            buttons.push(read_button(button)?);
        }
    }
    if buttons.is_empty() || buttons.len() > BUTTONS {
        return Err(broken(&format!("{} buttons", buttons.len())));
    }
    Ok(buttons)
}

fn read_button(button: &Value) -> Result<(String, String), Refusal> {
    let fields = button.as_object();
    let is_unknown = |key: &&String| !["text", "callback_data", "style"].contains(&key.as_str());
    let unknown = fields.and_then(|fields| fields.keys().find(is_unknown));
    if let Some(unknown) = unknown {
        return Err(Refusal::violation(format!("unknown field `{unknown}` of a button")));
    }
    let text = button["text"].as_str().unwrap_or_default();
    if text.trim().is_empty() {
        return Err(Refusal::violation("inline keyboard button text is empty"));
    }
    let data = button["callback_data"].as_str().unwrap_or_default();
    if !(1..=DATA).contains(&data.len()) {
        return Err(Refusal::violation("BUTTON_DATA_INVALID"));
    }
    // "Must be one of danger (red), success (green) or primary (blue)":
    // <https://core.telegram.org/bots/api#inlinekeyboardbutton>
    let style = button.get("style");
    if style.is_some_and(|style| !["danger", "success", "primary"].iter().any(|known| style == known)) {
        return Err(Refusal::violation("BUTTON_STYLE_INVALID"));
    }
    Ok((text.to_owned(), data.to_owned()))
}

/// The styles of the buttons of a request, in their order; empty: the app's own.
pub(super) fn styles(params: &Params) -> Vec<String> {
    let rows = params
        .values
        .get("reply_markup")
        .and_then(|markup| markup["inline_keyboard"].as_array());
    let buttons = rows.into_iter().flatten().filter_map(Value::as_array).flatten();
    buttons
        .map(|button| button["style"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// Buttons as a message shows them.
pub(super) fn markup(buttons: &[(String, String)]) -> Value {
    let rows: Vec<Value> = buttons
        .iter()
        .map(|(text, data)| json!([{"text": text, "callback_data": data}]))
        .collect();
    json!({"inline_keyboard": rows})
}

/// `answerCallbackQuery`. Each time that a query is delivered it is answered once.
pub(super) fn answer(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    const OLD: &str = "query is too old and response timeout expired or query ID is invalid";
    let id = params.text("callback_query_id").unwrap_or_default();
    let mut state = shared.lock();
    let query = state.queries.get_mut(id).ok_or_else(|| Refusal::violation(OLD))?;
    query.answers += 1;
    if let Some(text) = params.text("text") {
        query.told = Some(text.to_owned());
    }
    let answered = match (query.answers > query.deliveries, query.expired || query.answers > 1) {
        (true, _) => Err(Refusal::violation(format!("{id} is answered again: {OLD}"))),
        (false, true) => Err(Refusal::bad(OLD)),
        (false, false) => Ok(json!(true)),
    };
    drop(state);
    shared.changed.send_replace(());
    answered
}

impl TelegramFake {
    /// Somebody presses the button with this text, below the newest message of a chat that has one; returns the
    /// query's id.
    ///
    /// # Panics
    /// There is no such button. So does every other method here.
    pub fn press(&self, chat: Chat, user: i64, text: &str) -> String {
        let found = self.sent(chat).into_iter().rev().find_map(|sent| {
            let data = sent.buttons.iter().find(|(label, _)| label == text)?.1.clone();
            Some((sent.message_id, data))
        });
        let Some((message, data)) = found else {
            panic!("there is no button `{text}` in {:?}", self.sent(chat));
        };
        let message = {
            let state = self.shared.lock();
            let room = state.rooms.get(&chat.id);
            room.and_then(|room| room.messages.get(&message).cloned())
                .unwrap_or_default()
        };
        self.push_query(user, &message, &data)
    }

    /// Somebody presses a button with this data below a message that is too old for Telegram to tell of.
    pub fn press_old(&self, chat: Chat, user: i64, data: &str) -> String {
        self.press_below_old(chat, user, 1, data)
    }

    /// Somebody presses a button with this data below a message of the bot's that Telegram tells nothing else of: not even
    /// its topic.
    pub fn press_below_old(&self, chat: Chat, user: i64, message: i64, data: &str) -> String {
        let message = {
            let state = self.shared.lock();
            let room = state.rooms.get(&chat.id);
            let chat = room.map(|room| messages::chat(chat.id, room, state.people.get(&chat.id)));
            json!({"chat": chat, "message_id": message, "date": 0})
        };
        self.push_query(user, &message, data)
    }

    /// The same press comes in another update, as after a lost confirmation.
    pub fn press_again(&self, query: &str) {
        let mut state = self.shared.lock();
        let Some(payload) = state.queries.get(query).map(|query| query.payload.clone()) else {
            panic!("nobody pressed {query}");
        };
        state.push_update("callback_query", payload);
        drop(state);
        self.shared.changed.send_replace(());
    }

    fn push_query(&self, user: i64, message: &Value, data: &str) -> String {
        let mut state = self.shared.lock();
        let Some(from) = state.people.get(&user).map(messages::user) else {
            panic!("the fake knows no user {user}: create it first");
        };
        let id = format!("43820000{:010}", state.queries.len() + 1);
        let payload = json!({
            "id": id, "from": from, "message": message, "chat_instance": "-3499573041268", "data": data,
        });
        let query = Query {
            payload: payload.clone(),
            ..Query::default()
        };
        state.queries.insert(id.clone(), query);
        state.push_update("callback_query", payload);
        drop(state);
        self.shared.changed.send_replace(());
        id
    }

    /// Telegram takes no answer to a press any more.
    pub fn expire(&self, query: &str) {
        if let Some(query) = self.shared.lock().queries.get_mut(query) {
            query.expired = true;
        }
    }

    /// How often a press was answered.
    pub fn answers(&self, query: &str) -> u32 {
        let state = self.shared.lock();
        state.queries.get(query).map_or(0, |query| query.answers)
    }

    /// The notice for the person who pressed alone.
    pub fn told(&self, query: &str) -> Option<String> {
        self.shared.lock().queries.get(query)?.told.clone()
    }

    /// Waits until every press was answered as often as it was delivered.
    pub async fn wait_for_answers(&self) {
        let is_answered = |state: &State| {
            let mut queries = state.queries.values();
            queries.all(|query| query.deliveries > 0 && query.answers == query.deliveries)
        };
        self.wait_until("answers to all presses", |fake| {
            is_answered(&fake.shared.lock()).then_some(())
        })
        .await;
    }
}
