//! `getUpdates`: offsets, long polls, one poller at a time. <https://core.telegram.org/bots/api#getupdates>

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    answer::Refusal,
    params::Params,
    state::{Shared, State},
};

/// Kinds that come only to bots that ask for them.
const ON_REQUEST: [&str; 3] = ["chat_member", "message_reaction", "message_reaction_count"];

impl State {
    /// Puts an update into the queue, unless the bot has asked for other kinds, and returns its id.
    pub(super) fn push_update(&mut self, kind: &str, payload: Value) -> i64 {
        let id = self.next_update;
        self.next_update += 1;
        let wanted = if self.allowed.is_empty() {
            !ON_REQUEST.contains(&kind)
        } else {
            self.allowed.iter().any(|allowed| allowed == kind)
        };
        if wanted {
            let mut update = json!({"update_id": id});
            update[kind] = payload;
            self.updates.push_back((id, update));
        }
        id
    }

    /// Forgets what the offset confirms.
    fn confirm(&mut self, offset: i64) {
        if offset > 0 {
            self.updates.retain(|(id, _)| *id >= offset);
        } else if let Ok(last) = usize::try_from(-offset)
            && last > 0
        {
            let forgotten = self.updates.len().saturating_sub(last);
            self.updates.drain(..forgotten);
        }
    }
}

/// Answers with the updates that wait, or waits for one.
pub(super) async fn get(shared: &Shared, params: &Params) -> Result<Value, Refusal> {
    let limit = match params.integer("limit").unwrap_or(100) {
        limit @ 1..=100 => usize::try_from(limit).unwrap_or(100),
        limit => return Err(Refusal::violation(format!("limit must be 1 to 100, is {limit}"))),
    };
    let timeout = match params.integer("timeout").unwrap_or(0) {
        timeout @ 0..=50 => Duration::from_secs(timeout.unsigned_abs()),
        timeout => return Err(Refusal::violation(format!("timeout must be 0 to 50 s, is {timeout}"))),
    };
    let mut changed = shared.changed.subscribe();
    let mut pollers = shared.pollers.subscribe();
    let mut own = 0;
    shared.pollers.send_modify(|count| {
        *count += 1;
        own = *count;
    });
    begin(&mut shared.lock(), params)?;
    shared.changed.send_replace(());
    let deadline = Instant::now() + timeout;
    loop {
        let waiting = take(&mut shared.lock(), limit);
        if !waiting.is_empty() || Instant::now() >= deadline {
            return Ok(Value::Array(waiting));
        }
        tokio::select! {
            _ = changed.changed() => {}
            _ = pollers.wait_for(|count| *count > own) => {
                let text = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
                return Err(Refusal::new(409, text));
            }
            () = tokio::time::sleep_until(deadline) => {}
        }
    }
}

fn begin(state: &mut State, params: &Params) -> Result<(), Refusal> {
    if state.webhook.is_some() {
        let text = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
        return Err(Refusal::new(409, text));
    }
    state.polls += 1;
    if let Some(allowed) = params.values.get("allowed_updates").and_then(Value::as_array) {
        state.allowed = allowed.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    }
    state.confirm(params.integer("offset").unwrap_or(0));
    Ok(())
}

fn take(state: &mut State, limit: usize) -> Vec<Value> {
    let taken: Vec<Value> = state
        .updates
        .iter()
        .take(limit)
        .map(|(_, update)| update.clone())
        .collect();
    for update in &taken {
        if let Some(query) = update["callback_query"]["id"].as_str()
            && let Some(query) = state.queries.get_mut(query)
        {
            query.deliveries += 1;
        }
    }
    taken
}
