//! Checks of records of runs: steps, parts of messages, usage and feedback.

use clifford_core::models::Role;
use clifford_store::portable::{Feedback, Part, Step, Usage};

use super::{Checked, Verdict, shorts};

/// Nothing, if a text is JSON.
fn json(what: &str, text: Option<&str>) -> Verdict {
    match text.map(serde_json::from_str::<serde::de::IgnoredAny>) {
        Some(Err(_)) => Err(format!("{what} is no JSON")),
        _ => Ok(()),
    }
}

fn is_number(number: i64) -> bool {
    (0..=i64::from(u32::MAX)).contains(&number)
}

/// The message of a part is looked at when it is stored.
pub(super) fn part(row: &Part) -> Verdict {
    if !["pending", "sending", "delivered", "failed"].contains(&row.status.as_str()) {
        return Err("status is `delivered`, `failed`, `sending` or `pending`".to_owned());
    }
    if !is_number(row.seq) {
        return Err("seq counts from 0".to_owned());
    }
    json("body", Some(&row.body))?;
    let id = row.platform_message_id.as_deref();
    shorts([
        ("deliveryKey", Some(row.delivery_key.as_str())),
        ("platformMessageId", id),
    ])
}

impl Checked {
    pub(super) fn step(&self, row: &Step) -> Verdict {
        self.run_of(row.run_id)?;
        if !is_number(row.seq) {
            return Err("seq counts from 1".to_owned());
        }
        shorts([
            ("kind", Some(row.kind.as_str())),
            ("toolName", row.tool_name.as_deref()),
            ("status", row.status.as_deref()),
            ("idempotencyKey", row.idempotency_key.as_deref()),
        ])?;
        json("argsJson", row.args_json.as_deref())?;
        json("resultJson", row.result_json.as_deref())
    }

    pub(super) fn usage(&self, row: &Usage) -> Verdict {
        self.user(row.user_id)?;
        self.space_of(row.space_id)?;
        if let Some(channel) = row.channel_id {
            self.channel_of(channel)?;
        }
        if let Some(run) = row.run_id {
            self.run_of(run)?;
        }
        row.role.parse::<Role>().map_err(|why| why.to_string())?;
        let counts = [
            row.prompt_tokens,
            row.completion_tokens,
            row.cached_tokens,
            row.cache_write_tokens,
        ];
        if counts.iter().any(|count| *count < 0) || row.cost < 0.0 {
            return Err("tokens and cost are not below 0".to_owned());
        }
        shorts([
            ("provider", Some(row.provider.as_str())),
            ("model", Some(row.model.as_str())),
        ])
    }

    pub(super) fn feedback(&self, row: &Feedback) -> Verdict {
        self.run_of(row.run_id)?;
        self.user(Some(row.user_id))?;
        if !["liked", "disliked"].contains(&row.verdict.as_str()) {
            return Err("verdict is `liked` or `disliked`".to_owned());
        }
        if !["reaction", "button"].contains(&row.given_by.as_str()) {
            return Err("givenBy is `reaction` or `button`".to_owned());
        }
        Ok(())
    }
}
