//! What goes along with a run's messages and steps: who answered, and what a channel is shown meanwhile.

use clifford_channel::Signal;
use serde_json::Value;

use super::{Gone, Session};
use crate::{
    engine::{progress, step::Step},
    store::{agents::Mode, messages},
};

impl Session<'_> {
    /// What is kept with the answer of a direct chat: who made it, and the message that it answers.
    pub(super) async fn metadata(&self) -> Result<Option<Value>, Gone> {
        if self.work.run.mode != Mode::Chat {
            return Ok(None);
        }
        let mut metadata = serde_json::Map::new();
        if let Some((provider, model)) = &self.state.answered_by {
            metadata.insert("provider".to_owned(), provider.as_str().into());
            metadata.insert("model".to_owned(), model.as_str().into());
        }
        if let Some(id) = messages::last_asked(&mut self.engine.db.read().await?, self.work.run.id).await? {
            metadata.insert("replyTo".to_owned(), id.to_string().into());
        }
        Ok(Some(Value::Object(metadata)))
    }

    /// What a channel that shows progress is told of these steps.
    pub(super) fn progress(&self, steps: &[Step]) -> Vec<Signal> {
        let shows = self
            .work
            .reply_to()
            .and_then(|to| self.engine.outbound.limits(to.platform).copied())
            .is_some_and(|limits| limits.shows_progress);
        if shows { progress::signals(steps) } else { Vec::new() }
    }
}
