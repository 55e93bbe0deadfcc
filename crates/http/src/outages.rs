//! The outages that keep the bot from answering its caller, without anything of the machine: `readyz` and
//! `connections` tell an owner why.

use axum::{Json, extract::State};
use clifford_chat::platform::Platform;
use clifford_store::people::users;
use serde::Serialize;

use super::{
    Shared,
    access::{Caller, Reader},
    handler,
    health::{platform_check, provider},
    page::Page,
    problem::Problem,
};

/// Something that is down.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(super) enum Outage {
    /// No language model answers.
    Model,
    /// A platform is not connected: what is written there is not seen until it is.
    Platform {
        /// Its name.
        platform: String,
    },
}

/// The outages that concern the caller: of the language model, and of platforms on which they have an account; an
/// owner's and the operator's token tells all.
#[utoipa::path(get, path = "/api/outages", tag = "operation", security(("bearer" = [])),
    responses((status = 200, body = Page<Outage>)))]
#[handler]
pub(super) async fn list(State(api): State<Shared>, _: Reader, caller: Caller) -> Result<Json<Page<Outage>>, Problem> {
    let mut found = Vec::new();
    if !provider(&api).ok {
        found.push(Outage::Model);
    }
    for platform in of_caller(&api, &caller).await? {
        if !platform_check(&api, platform).await.ok {
            let platform = platform.to_string();
            found.push(Outage::Platform { platform });
        }
    }
    Ok(Json(Page::whole(found)))
}

/// The platforms by which the caller reaches the bot.
async fn of_caller(api: &Shared, caller: &Caller) -> Result<Vec<Platform>, Problem> {
    let all = api.platforms.iter().copied();
    let Some(person) = caller.only() else {
        return Ok(all.collect());
    };
    let accounts = users::identities(&mut api.db.read().await?, person).await?;
    let has_account = |platform: &Platform| accounts.iter().any(|account| account.platform == platform.as_str());
    Ok(all.filter(has_account).collect())
}
