//! Tools that come and go with their servers.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
};

use serde::Serialize;
use tokio::sync::watch;

use super::Tool;

/// The MCP server behind a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ToolServer)]
pub struct Server {
    /// How it is with it.
    pub state: ServerState,
    /// Why it could not be started, or was gone; `null`: it is at work, or that did not happen yet.
    pub error: Option<String>,
}

/// How it is with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServerState {
    /// Its tools can be called.
    AtWork,
    /// It is being started for the first time.
    Starting,
    /// It is started again and again.
    Away,
    /// This process does not connect to it.
    Unknown,
}

/// Tools that come and go, by name.
#[derive(Debug, Default)]
pub(super) struct Offers {
    tools: RwLock<BTreeMap<String, Offered>>,
    /// Told of each change.
    changes: watch::Sender<()>,
}

/// A tool that comes and goes.
#[derive(Clone, Debug)]
pub(super) struct Offered {
    pub(super) tool: Arc<Tool>,
    pub(super) standing: Standing,
    /// Somebody offers it, or tries to.
    connects: bool,
    /// Why its server could not be used, since it was last at work.
    error: Option<String>,
}

/// How it is with a tool that comes and goes. Where it cannot be called, a text says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It can be called.
    Here,
    /// It cannot be called yet: whether it will be is not known.
    Expected(String),
    /// It cannot be called.
    Away(String),
}

impl Offers {
    /// A tool can be called from now on, in place of what was offered under its name.
    pub(super) fn offer(&self, tool: Tool) {
        self.insert(tool, true);
    }

    /// A tool is known by its name, and nobody offers it.
    pub(super) fn announce(&self, tool: Tool) {
        self.insert(tool, false);
    }

    fn insert(&self, tool: Tool, connects: bool) {
        let offered = Offered {
            tool: Arc::new(tool),
            standing: Standing::Here,
            connects,
            error: None,
        };
        self.change(|tools| drop(tools.insert(offered.tool.name.to_string(), offered)));
    }

    /// The server of a tool cannot be used.
    pub(super) fn fails(&self, name: &str, why: String) {
        self.change(|tools| {
            if let Some(offered) = tools.get_mut(name) {
                offered.error = Some(why);
            }
        });
    }

    /// The server of a tool; nothing: it is no tool that comes and goes.
    pub(super) fn server(&self, name: &str) -> Option<Server> {
        let tools = self.tools.read().unwrap_or_else(PoisonError::into_inner);
        let offered = tools.get(name)?;
        let state = match (&offered.standing, &offered.error) {
            _ if !offered.connects => ServerState::Unknown,
            (Standing::Here, _) => ServerState::AtWork,
            (_, None) => ServerState::Starting,
            (_, Some(_)) => ServerState::Away,
        };
        Some(Server {
            state,
            error: offered.error.clone(),
        })
    }

    /// How it is with a tool is another thing now; what it offered before stays known.
    pub(super) fn stands(&self, name: &str, standing: Standing) {
        let unknown = || Offered {
            tool: Arc::new(Tool::new(name.to_owned(), "🔌", "mcp").foreign()),
            standing: Standing::Here,
            connects: true,
            error: None,
        };
        self.change(|tools| tools.entry(name.to_owned()).or_insert_with(unknown).standing = standing);
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Offered>)) {
        change(&mut self.tools.write().unwrap_or_else(PoisonError::into_inner));
        self.changes.send_replace(());
    }

    /// All of them, those too that cannot be called.
    pub(super) fn all(&self) -> Vec<Offered> {
        let tools = self.tools.read().unwrap_or_else(PoisonError::into_inner);
        tools.values().cloned().collect()
    }

    fn standing(&self, name: &str) -> Option<Standing> {
        let tools = self.tools.read().unwrap_or_else(PoisonError::into_inner);
        tools.get(name).map(|offered| offered.standing.clone())
    }

    /// Why a tool cannot be called now, if it cannot.
    pub(super) fn away(&self, name: &str) -> Option<String> {
        match self.standing(name)? {
            Standing::Here => None,
            Standing::Expected(why) | Standing::Away(why) => Some(why),
        }
    }

    /// Waits until it is known whether a tool can be called.
    pub(super) async fn settled(&self, name: &str) {
        let mut changes = self.changes.subscribe();
        while matches!(self.standing(name), Some(Standing::Expected(_))) {
            // The sender lives as long as what waits here.
            if changes.changed().await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_told_of_from_its_first_start_until_it_is_back() {
        let offers = Offers::default();
        let tool = || Tool::new("disk", "🔌", "mcp").foreign();
        let told = || offers.server("disk").map(|server| (server.state, server.error));
        let error = || Some("it ended".to_owned());
        assert_eq!(told(), None);
        offers.announce(tool());
        assert_eq!(told(), Some((ServerState::Unknown, None)));
        let offers = Offers::default();
        let told = || offers.server("disk").map(|server| (server.state, server.error));
        offers.stands("disk", Standing::Expected("soon".to_owned()));
        assert_eq!(told(), Some((ServerState::Starting, None)));
        offers.fails("disk", "it ended".to_owned());
        assert_eq!(told(), Some((ServerState::Away, error())));
        offers.offer(tool());
        assert_eq!(told(), Some((ServerState::AtWork, None)));
        offers.stands("disk", Standing::Away("it is started again".to_owned()));
        offers.fails("disk", "it ended".to_owned());
        assert_eq!(told(), Some((ServerState::Away, error())));
        offers.fails("nobody", "it ended".to_owned());
        assert_eq!(offers.server("nobody"), None);
    }
}
