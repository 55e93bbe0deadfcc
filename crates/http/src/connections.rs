//! The connections of the platforms: how each stands, since when, and when it was last heard of.

use axum::{Json, extract::State};
use clifford_chat::{inbound::ConnectionStatus, platform::Platform};
use clifford_core::{clock::Timestamp, id::ChannelId};
use clifford_delivery::receiver::{STANDING_BY, lease_name};
use clifford_ingress::Connection;
use clifford_store::{StoreError, leases, places::channels};
use serde::Serialize;

use super::{Shared, access::OwnerReader, handler, page::Page, problem::Problem};

/// How a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ConnectionState {
    /// It is up.
    Connected,
    /// It is up, but the platform withholds something.
    Limited,
    /// Another process has it.
    Elsewhere,
    /// It is down.
    Disconnected,
}

/// The connection of a platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Connection)]
pub(super) struct ConnectionView {
    /// The platform.
    pub(super) platform: String,
    /// How it stands.
    pub(super) state: ConnectionState,
    /// The bot's name there.
    name: Option<String>,
    /// Why it is down, or what is withheld.
    pub(super) detail: Option<String>,
    /// Since when it stands so, as far as this process knows.
    #[schema(value_type = Option<String>)]
    since: Option<Timestamp>,
    /// When it last handed in an event to this process.
    #[schema(value_type = Option<String>)]
    last_event_at: Option<Timestamp>,
    /// When something was last said there, whichever process took it.
    #[schema(value_type = Option<String>)]
    last_message_at: Option<Timestamp>,
    /// The last reason why it was down.
    last_error: Option<String>,
    /// When that was.
    #[schema(value_type = Option<String>)]
    last_error_at: Option<Timestamp>,
    /// Messages that are late there.
    late: Vec<LateMessage>,
}

/// A message that is late.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LateMessage {
    /// Its channel.
    #[schema(value_type = String)]
    channel_id: ChannelId,
    /// Since when.
    #[schema(value_type = String)]
    since: Timestamp,
    /// Why.
    reason: String,
}

/// The connection of every platform that is turned on. A platform's error and its last event are those of the process
/// that answers.
#[utoipa::path(get, path = "/api/connections", tag = "connections", security(("bearer" = [])),
    responses((status = 200, body = Page<ConnectionView>)))]
#[handler]
pub(super) async fn list(State(api): State<Shared>, _: OwnerReader) -> Result<Json<Page<ConnectionView>>, Problem> {
    Ok(Json(Page::whole(all(&api).await?)))
}

/// Every platform's connection.
pub(super) async fn all(api: &Shared) -> Result<Vec<ConnectionView>, StoreError> {
    let mut known = api.ingress.connections_in_time();
    let mut found = Vec::with_capacity(api.platforms.len());
    for platform in &api.platforms {
        found.push(view(api, *platform, known.remove(platform)).await?);
    }
    Ok(found)
}

async fn view(api: &Shared, platform: Platform, known: Option<Connection>) -> Result<ConnectionView, StoreError> {
    let mut conn = api.db.read().await?;
    let holder = leases::holder(&mut conn, &lease_name(platform, 0), api.clock.now()).await?;
    let is_elsewhere = holder.is_some_and(|holder| holder != api.context.worker());
    let last_message_at = channels::last_message_on(&mut conn, platform).await?;
    let (state, name, detail) = standing(known.as_ref().map(|known| &known.status), is_elsewhere);
    let last_error = known.as_ref().and_then(|known| known.last_error.clone());
    let last_error = last_error.filter(|(why, _)| why != STANDING_BY);
    let late = api.context.delivery.late(platform).into_iter();
    Ok(ConnectionView {
        platform: platform.to_string(),
        state,
        name,
        detail,
        since: known.as_ref().map(|known| known.since),
        last_event_at: known.and_then(|known| known.last_event_at),
        last_message_at,
        last_error_at: last_error.as_ref().map(|(_, at)| *at),
        last_error: last_error.map(|(why, _)| why),
        late: late
            .map(|late| LateMessage {
                channel_id: late.channel,
                since: late.since,
                reason: late.reason,
            })
            .collect(),
    })
}

/// How a platform is connected, by what this process knows and whether another process has it; the bot's name there, and
/// what is amiss.
fn standing(known: Option<&ConnectionStatus>, is_elsewhere: bool) -> (ConnectionState, Option<String>, Option<String>) {
    match known {
        Some(ConnectionStatus::Connected(name)) => (ConnectionState::Connected, Some(name.clone()), None),
        Some(ConnectionStatus::Limited { name, lacks }) => {
            (ConnectionState::Limited, Some(name.clone()), Some(lacks.clone()))
        }
        Some(ConnectionStatus::Disconnected(_)) | None if is_elsewhere => (ConnectionState::Elsewhere, None, None),
        Some(ConnectionStatus::Disconnected(why)) => (ConnectionState::Disconnected, None, Some(why.clone())),
        None => (
            ConnectionState::Disconnected,
            None,
            Some("not connected yet".to_owned()),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_process_has_is_no_fault() {
        let down = ConnectionStatus::Disconnected("refused".to_owned());
        let up = ConnectionStatus::Connected("Clifford".to_owned());
        for (known, is_elsewhere, expected) in [
            (Some(&up), false, ConnectionState::Connected),
            (Some(&up), true, ConnectionState::Connected),
            (Some(&down), true, ConnectionState::Elsewhere),
            (Some(&down), false, ConnectionState::Disconnected),
            (None, true, ConnectionState::Elsewhere),
            (None, false, ConnectionState::Disconnected),
        ] {
            assert_eq!(standing(known, is_elsewhere).0, expected, "{known:?} {is_elsewhere}");
        }
    }
}
