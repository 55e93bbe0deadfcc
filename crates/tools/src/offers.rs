//! Tools that come and go with their servers.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
};

use tokio::sync::watch;

use super::Tool;

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
        let (name, tool) = (tool.name.to_string(), Arc::new(tool));
        let standing = Standing::Here;
        self.change(|tools| drop(tools.insert(name, Offered { tool, standing })));
    }

    /// How it is with a tool is another thing now; what it offered before stays known.
    pub(super) fn stands(&self, name: &str, standing: Standing) {
        let unknown = || Offered {
            tool: Arc::new(Tool::new(name.to_owned(), "🔌", "mcp").foreign()),
            standing: Standing::Here,
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
