//! The tools of a process, together with the services that they use.

use std::sync::Arc;

use clifford_channel::Actor;
use clifford_chat::platform::Platform;
use clifford_store::places::settings::Setting;

use crate::{Options, Registry, Services};

/// The tools, and the services that they use. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Toolbox {
    /// The tools.
    pub registry: Arc<Registry>,
    /// The services that they use.
    pub services: Arc<Services>,
}

impl Toolbox {
    /// The settings of tools where these rows were read, the farthest first.
    pub fn options(&self, rows: &[Setting]) -> Options {
        Options::new(Arc::clone(&self.services), rows)
    }

    /// The acts on a platform besides speaking, if this process is connected to it.
    pub fn actor(&self, platform: Platform) -> Option<&Arc<dyn Actor>> {
        self.services.actors.get(&platform)
    }
}
