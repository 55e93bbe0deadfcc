//! Platforms that are set up, for a command that connects to none of them: their tools are listed as a server has them.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use clifford_channel::{Act, ActError, Acted, Actor, PlatformRole};
use clifford_chat::platform::Platform;
use clifford_config::Channels;

/// A platform that this process is not connected to.
#[derive(Debug)]
struct Elsewhere(Platform);

impl Elsewhere {
    fn refusal(&self) -> ActError {
        ActError::Unavailable(format!("this command is not connected to {}", self.0))
    }
}

#[async_trait]
impl Actor for Elsewhere {
    fn platform(&self) -> Platform {
        self.0
    }

    async fn act(&self, _place: &str, _account: &str, _act: &Act) -> Result<Acted, ActError> {
        Err(self.refusal())
    }

    async fn manages(&self, _place: &str, _account: &str) -> Result<bool, ActError> {
        Err(self.refusal())
    }

    async fn roles(&self, _place: &str, _account: &str) -> Result<Vec<PlatformRole>, ActError> {
        Err(self.refusal())
    }
}

/// The actors of the platforms that are turned on. Whether their tokens are right `clifford doctor` tells.
pub(super) fn actors(channels: &Channels) -> BTreeMap<Platform, Arc<dyn Actor>> {
    let with_acts = channels.enabled().filter(|section| section.about().acts.is_some());
    with_acts
        .map(|section| {
            let platform = section.platform();
            (platform, Arc::new(Elsewhere(platform)) as Arc<dyn Actor>)
        })
        .collect()
}
