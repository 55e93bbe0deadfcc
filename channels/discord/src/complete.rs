//! Completions of an argument that is being typed. Discord waits 3 seconds, and shows nothing where there is no answer.

use std::{sync::Arc, time::Duration};

use clifford_channel::{Choice, Completion, Ingress, Place};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    api::{Body, Call},
    directory::{ChannelInfo, elsewhere},
    map::{self, InteractionPayload},
    shared::Shared,
};

/// The share of the time that is left for finding the choices: the rest is for telling them.
const TO_FIND: u32 = 2;

/// Answers, also after an error.
pub(crate) async fn answer(shared: Arc<Shared>, ingress: Arc<dyn Ingress>, typed: Box<InteractionPayload>) {
    let all = shared.config.timing.acknowledge;
    let choices = tokio::time::timeout(all / TO_FIND, choices(&shared, ingress.as_ref(), &typed, all / TO_FIND))
        .await
        .unwrap_or_default();
    let id = typed.id;
    let path = format!("/interactions/{id}/{}/callback", typed.token);
    let body = Body::Json(json!({"type": 8, "data": {"choices": rendered(choices)}}));
    let mut call = Call::new(Method::POST, "complete", id, path).body(body);
    call.urgent = Some(all / TO_FIND);
    if let Err(error) = shared.api.call::<Value>(&call).await {
        // The next key that is typed asks again.
        tracing::debug!(%error, interaction_id = id, "failed to send autocomplete choices");
    }
}

async fn choices(shared: &Shared, ingress: &dyn Ingress, typed: &InteractionPayload, within: Duration) -> Vec<Choice> {
    let place = place(shared, typed, within).await;
    let Some(mut asked) = map::typed(typed, place) else {
        return Vec::new();
    };
    let named = |guild| shared.directory.named_roles(guild, &typed.roles);
    asked.speaker.roles = Some(typed.guild.map(named).unwrap_or_default());
    ingress.complete(asked).await.unwrap_or_else(|error| {
        tracing::warn!(%error, interaction_id = %typed.id, "failed to find autocomplete choices");
        Vec::new()
    })
}

/// The channel as a place; Discord is asked once about one of a guild that is not known.
async fn place(shared: &Shared, typed: &InteractionPayload, within: Duration) -> Place {
    let (channel, guild) = (typed.channel, typed.guild);
    if typed.is_elsewhere() {
        return elsewhere(channel);
    }
    let directory = &shared.directory;
    if guild.is_some() && directory.place(channel).is_none() {
        let mut call = Call::new(Method::GET, "read channel", channel, format!("/channels/{channel}"));
        call.urgent = Some(within);
        match shared.api.call::<ChannelInfo>(&call).await {
            Ok(info) => drop(directory.channel(info)),
            Err(error) => tracing::debug!(channel_id = channel, %error, "failed to look up a channel"),
        }
    }
    directory
        .place(channel)
        .unwrap_or_else(|| directory.place_within(channel, guild))
}

/// The choices that Discord takes. A value that was cut would be another one, so one that is too long is left out.
fn rendered(choices: Vec<Choice>) -> Vec<Value> {
    let fits = |text: &str| (1..=Choice::LONGEST).contains(&text.chars().count());
    choices
        .into_iter()
        .map(|choice| (clifford_markup::shortened(&choice.label, Choice::LONGEST), choice.value))
        .filter(|(name, value)| fits(name) && fits(value))
        .take(Completion::MOST)
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_discord_takes_is_shown() {
        let choice = |label: &str, value: &str| Choice {
            label: label.to_owned(),
            value: value.to_owned(),
        };
        let long = "x".repeat(101);
        let mut choices = vec![choice("", "1"), choice("a", ""), choice("b", &long), choice(&long, "2")];
        choices.extend((0..30).map(|n| choice(&format!("c{n}"), "3")));
        let shown = rendered(choices);
        assert_eq!(shown[0], json!({"name": format!("{}…", "x".repeat(99)), "value": "2"}));
        assert_eq!((shown.len(), &shown[24]["name"]), (25, &json!("c23")));
    }
}
