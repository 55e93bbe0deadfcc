//! Every page and every form.

mod agents;
mod api_docs;
mod approval;
mod budgets;
mod channels;
mod chat;
mod configuration;
mod connections;
mod conversations;
mod design;
mod feedback;
mod files;
mod home;
mod login;
mod login_session;
mod memory;
mod message;
mod names;
mod outbox;
mod pairings;
mod passkeys;
mod people;
mod policies;
mod quarantine;
mod reminders;
mod run;
mod runs;
mod sessions;
mod settings;
mod tokens;
mod tools;
mod usage;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware::from_fn,
    routing::{get, post},
};

use super::{Shared, assets, guard};

/// The most bytes of a message with its files. The API's own limit holds for each of them.
const LARGEST_UPLOAD: usize = 64 * 1024 * 1024;

/// The routes of the pages. Each has the headers of `guard`; what they do not know is the API's.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/", get(home::show))
        .route("/assets/{name}", get(assets::serve))
        .route("/design", get(design::show))
        .route("/api/docs", get(api_docs::index))
        .route("/api/docs/{tag}", get(api_docs::of_tag))
        .route("/login", get(login::show).post(login::enter))
        .route("/login/passkey", post(passkeys::enter))
        .route("/logout", post(login::leave))
        .route(
            "/chat",
            get(chat::now)
                .post(chat::send)
                .layer(DefaultBodyLimit::max(LARGEST_UPLOAD)),
        )
        .route("/chat/new", post(chat::begin))
        .route("/chat/{id}", get(chat::show).post(chat::change))
        .route("/chat/{id}/messages/{message}", post(chat::edit))
        .route("/runs", get(runs::list))
        .route("/runs/compare", get(run::compare::show))
        .route("/runs/{id}", get(run::show))
        .route("/runs/{id}/prompt", get(run::prompts::show))
        .route("/runs/{id}/replay", get(run::replay::show))
        .route("/runs/{id}/rerun", get(run::rerun::ask).post(run::rerun::again))
        .route("/runs/{id}/why", get(run::why::show))
        .route("/runs/{id}/{action}", post(run::act))
        .route("/conversations", get(conversations::list))
        .route("/conversations/{id}", get(conversations::show))
        .route("/search", get(conversations::search))
        .route("/memory", get(memory::list))
        .route("/memory/{id}", post(memory::change))
        .route("/memory/{id}/source", get(memory::source))
        .route("/memory/{id}/forget", post(memory::forget))
        .route("/reminders", get(reminders::list).post(reminders::make))
        .route("/reminders/{id}", post(reminders::act))
        .route("/files", get(files::list))
        .route("/files/{id}/delete", post(files::delete))
        .route("/feedback", get(feedback::list))
        .route("/feedback.csv", get(feedback::export))
        .route("/channels", get(channels::list))
        .route("/channels/{id}", post(channels::change))
        .route("/outbox", get(outbox::list))
        .route("/outbox/{id}/{action}", post(outbox::act))
        .route("/pairings", post(pairings::decide))
        .route("/quarantine", get(quarantine::list))
        .route("/quarantine/{id}/{action}", post(quarantine::act))
        .route("/agents", get(agents::list).post(agents::make))
        .route("/agents/{id}", get(agents::one::show).post(agents::one::change))
        .route("/agents/{id}/compare", get(agents::versions::compare))
        .route("/agents/{id}/restore", post(agents::versions::restore))
        .route("/agents/{id}/delete", post(agents::one::delete))
        .route("/tokens", get(tokens::list).post(tokens::make))
        .route("/tokens/{id}/revoke", post(tokens::revoke))
        .route("/tools", get(tools::list))
        .route("/tools/{name}", get(tools::show).post(tools::change))
        .route("/policies", get(policies::list).post(policies::make))
        .route("/policies/test", post(policies::test))
        .route("/policies/{id}", get(policies::edit::show).post(policies::edit::change))
        .route("/policies/{id}/delete", post(policies::delete))
        .route("/people", get(people::list))
        .route("/people/{id}", get(people::show).post(people::change))
        .route("/people/{id}/keys", post(people::own::give))
        .route("/people/{id}/keys/remove", post(people::own::remove))
        .route("/people/{id}/code", post(people::own::code))
        .route("/people/{id}/erase", post(people::erase))
        .route("/settings", get(settings::show).post(settings::change))
        .route("/reload", post(configuration::reload))
        .route("/passkeys", post(passkeys::add))
        .route("/passkeys/{id}", post(passkeys::rename))
        .route("/passkeys/{id}/remove", post(passkeys::remove))
        .route("/sessions/{id}/end", post(sessions::end))
        .route("/sessions/end-others", post(sessions::end_others))
        .route("/usage", get(usage::show))
        .route("/usage.csv", get(usage::csv))
        .layer(from_fn(guard::guarded))
}
