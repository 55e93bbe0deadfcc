//! Reading `bot.toml` again, as SIGHUP does. The main loop of the process does it, so one at a time: a request goes
//! there over a channel ([`Reload`]), and is answered when it is known whether the settings are good. They are put in
//! force behind the answer, since that ends this server's work and begins it anew on the same address.

use axum::{Json, extract::State};
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};

use super::{
    Shared,
    access::{Caller, Need},
    handler,
    problem::{Code, Problem, ProblemBody},
};

/// The way to the main loop of the process.
#[derive(Clone, Debug)]
pub struct Reload(mpsc::Sender<ReloadRequest>);

/// A request that waits for its answer.
#[derive(Debug)]
pub struct ReloadRequest(oneshot::Sender<Result<ChangedSettings, String>>);

/// The settings that differ from those in force, by their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedSettings {
    /// Those that are put in force now. Work in flight is finished or goes on afterwards, as at a restart.
    pub applied: Vec<String>,
    /// Those that apply after a restart.
    pub needs_restart: Vec<String>,
}

impl Reload {
    /// The way, and its end in the main loop.
    pub fn new() -> (Self, mpsc::Receiver<ReloadRequest>) {
        let (requests, taken) = mpsc::channel(1);
        (Self(requests), taken)
    }

    /// Asks for it. `Err`: what is wrong with the settings. `None`: there is no answer.
    async fn ask(&self) -> Option<Result<ChangedSettings, String>> {
        let (request, answer) = oneshot::channel();
        self.0.send(ReloadRequest(request)).await.ok()?;
        answer.await.ok()
    }
}

impl ReloadRequest {
    /// Answers it: with the settings that differ, or with what is wrong with them.
    pub fn answer(self, outcome: Result<ChangedSettings, String>) {
        // The caller may have gone.
        self.0.send(outcome).ok();
    }
}

/// Reads the configuration of this process again.
///
/// As SIGHUP does: the file, below the environment and the flags that the process was started with. Correct settings
/// are put in force whole, behind the answer; of wrong ones nothing is. Where they turn out not to work, such as a
/// database that another process has, the old ones are restored, and the log says why. Other processes on the same
/// database are to be told by themselves.
#[utoipa::path(post, path = "/api/reload", tag = "operation", security(("bearer" = [])),
    responses((status = 200, body = ChangedSettings),
        (status = 409, body = ProblemBody, description = "This process does not read settings again"),
        (status = 422, body = ProblemBody, description = "They are wrong; the old ones stay in force")))]
#[handler]
pub(super) async fn reload(State(api): State<Shared>, caller: Caller) -> Result<Json<ChangedSettings>, Problem> {
    caller.allow_bot(Need::Administer)?;
    let Some(reload) = &api.reload else {
        let detail = "this process does not read settings again: only `clifford serve` does";
        return Err(Problem::new(Code::WrongState, detail));
    };
    // The main loop answers nobody while it waits for this server to end.
    let answer = tokio::select! {
        biased;
        answer = reload.ask() => answer,
        () = api.stop.cancelled() => None,
    };
    let Some(outcome) = answer else {
        let detail = "this process stops, or puts other settings in force just now: ask again in a moment";
        return Err(Problem::new(Code::WrongState, detail));
    };
    match outcome {
        Ok(changed) => Ok(Json(changed)),
        Err(fault) => {
            let detail = format!("the old settings stay in force: {}", api.context.masker().mask(&fault));
            Err(Problem::new(Code::SettingsRefused, detail))
        }
    }
}
