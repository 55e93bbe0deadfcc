//! Sending: one connection a part, so that its answer is the part's own.

use std::time::Duration;

use clifford_channel::{ActError, Acted, Address, Button, DeliveryKey, Part, Receipt, SendError};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::wire::{PATIENCE, Server};

pub(crate) async fn part(server: &Server, to: &Address, part: &Part, key: &DeliveryKey) -> Result<Receipt, SendError> {
    let (text, file, buttons) = match part {
        Part::Text { text, buttons, .. } => (text.clone(), Value::Null, buttons.as_slice()),
        Part::File {
            name, content, caption, ..
        } => (
            caption.clone(),
            json!({ "name": name, "content": content }),
            [].as_slice(),
        ),
        Part::Stored { name, payload, .. } => {
            let content = std::str::from_utf8(&payload.content);
            let content = content.map_err(|_| SendError::Rejected("the chat takes files of text alone".to_owned()))?;
            (
                String::new(),
                json!({ "name": name, "content": content }),
                [].as_slice(),
            )
        }
    };
    let button = |button: &Button| json!({ "label": button.label, "command": button.command });
    let line = json!({ "send": {
        "room": to.place,
        "key": key.to_string(),
        "text": text,
        "reply_to": to.reply_to,
        "file": file,
        "buttons": buttons.iter().map(button).collect::<Vec<_>>(),
    }});
    let answer = ask(server, &line).await?;
    match answer["sent"].as_str() {
        Some(id) => Ok(Receipt { id: id.to_owned() }),
        None => Err(refusal(&answer, to)),
    }
}

pub(crate) async fn typing(server: &Server, to: &Address) -> Result<(), SendError> {
    let answer = ask(server, &json!({ "typing": to.place })).await?;
    match answer["shown"].as_bool() {
        Some(true) => Ok(()),
        _ => Err(refusal(&answer, to)),
    }
}

pub(crate) async fn pin(server: &Server, room: &str, account: &str, message: &str) -> Result<Acted, ActError> {
    let line = json!({ "pin": { "room": room, "message": message, "by": account } });
    let answer = ask(server, &line).await.map_err(|error| match error {
        SendError::NotSent(why) => ActError::Unavailable(why),
        error => ActError::Unsure(error.to_string()),
    })?;
    match (answer["pinned"].as_bool(), answer["forbidden"].as_str()) {
        (Some(true), _) => Ok(Acted::Done),
        (_, Some(why)) => Err(ActError::NotTheirs(why.to_owned())),
        _ => Err(ActError::Refused("the answer is no chat's".to_owned())),
    }
}

/// The answer to a line. A fault before the line went out means that it has not arrived; a fault behind that may leave
/// it arrived.
async fn ask(server: &Server, line: &Value) -> Result<Value, SendError> {
    let connection = server.connect(false).await;
    let mut connection = connection.map_err(|fault| SendError::NotSent(fault.to_string()))?;
    let asked = timeout(PATIENCE, async {
        connection.say(line).await?;
        connection.next().await
    });
    match asked.await {
        Ok(Ok(answer)) => Ok(serde_json::from_str(&answer).unwrap_or_default()),
        Ok(Err(error)) => Err(SendError::Unreachable(error.to_string())),
        Err(_) => Err(SendError::Unreachable("no answer within 10 s".to_owned())),
    }
}

/// The chat's refusal of a part.
fn refusal(answer: &Value, to: &Address) -> SendError {
    let why = |key: &str| answer[key].as_str().map(str::to_owned);
    if let Some(milliseconds) = answer["wait_ms"].as_u64() {
        SendError::RetryAfter(Duration::from_millis(milliseconds))
    } else if let Some(place) = why("moved") {
        SendError::Moved(Address { place, ..to.clone() })
    } else if let Some(why) = why("gone") {
        SendError::Gone(why)
    } else if let Some(why) = why("rejected") {
        SendError::Rejected(why)
    } else {
        SendError::Failed(why("failed").unwrap_or_else(|| "the answer is no chat's".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_says_what_becomes_of_the_part() {
        let to = Address {
            place: "5".to_owned(),
            private: true,
            reply_to: None,
            via: None,
        };
        let cases = [
            (json!({ "wait_ms": 20 }), "the platform asks to wait 20 ms"),
            (json!({ "moved": "6" }), "the chat moved to 6"),
            (json!({ "gone": "closed" }), "the chat is gone: closed"),
            (
                json!({ "rejected": "too long" }),
                "the platform refused the message: too long",
            ),
            (json!({ "failed": "no room" }), "the platform failed: no room"),
            (json!(null), "the platform failed: the answer is no chat's"),
        ];
        for (answer, expected) in cases {
            assert_eq!(refusal(&answer, &to).to_string(), expected);
        }
    }
}
