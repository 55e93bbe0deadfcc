//! Messages of a run's conversation while it waited: the run gets them when it wakes, as a part of that step.

use std::collections::BTreeSet;

use clifford_core::{
    id::MessageId,
    messages::Direction,
    policy::{sources, words},
    prompt::{can::Can, excerpt, weight::Form},
    run::{step::ArrivedMessage, transcript::WindowLimits},
    runs::RunKind,
};
use clifford_store::messages::conversation;

use super::{Gone, Session};

/// The most messages, the newest.
const MOST: u32 = 40;

/// The messages, the last of them, and their outside sources.
#[derive(Default)]
pub(super) struct Meanwhile {
    pub said: Vec<ArrivedMessage>,
    pub through: Option<MessageId>,
    pub origins: BTreeSet<String>,
}

impl Session<'_> {
    /// The messages since the run began, or woke before. A subagent gets its parent's words only.
    pub(super) async fn meanwhile(&mut self) -> Result<Meanwhile, Gone> {
        let run = &self.work.run;
        let Some(context) = run.context_id.filter(|_| run.kind == RunKind::Coordinator) else {
            return Ok(Meanwhile::default());
        };
        let after = self.state.looked_through.unwrap_or(MessageId(run.id.0));
        let mut conn = self.cx.db.read().await?;
        let mut found = conversation::since(&mut conn, context, run.id, after, MOST + 1).await?;
        let missing = if found.len() > usize::try_from(MOST).unwrap_or(usize::MAX) {
            found.remove(0);
            conversation::count_since(&mut conn, context, run.id, after)
                .await?
                .saturating_sub(u64::from(MOST))
        } else {
            0
        };
        drop(conn);
        let most = WindowLimits::of(&self.rules.engine).entry_tokens * 4;
        let mut meanwhile = Meanwhile {
            through: found.last().map(|message| message.id),
            ..Meanwhile::default()
        };
        if missing > 0 {
            meanwhile.said.push(ArrivedMessage {
                role: "system".to_owned(),
                content: Can::default().mark(missing, false),
                is_own: false,
                readers: None,
            });
        }
        for message in found {
            let is_inbound = message.direction == Direction::Inbound;
            let origins = [
                (is_inbound && message.user_id != run.user_id, sources::OTHERS),
                (message.is_tainted, sources::READ),
            ];
            let told = origins.into_iter().filter(|(is_so, _)| *is_so);
            let of_others = words::of_others(&message.content).filter(|_| is_inbound);
            let told = told.map(|(_, origin)| origin).chain(of_others);
            meanwhile.origins.extend(told.map(str::to_owned));
            meanwhile.said.push(ArrivedMessage {
                role: if is_inbound { "user" } else { "assistant" }.to_owned(),
                is_own: is_inbound && message.user_id == run.user_id && run.user_id.is_some(),
                readers: message.readers,
                content: excerpt::gapped(&message.content, message.gap, most, Form::Json, None).into_owned(),
            });
        }
        Ok(meanwhile)
    }
}
