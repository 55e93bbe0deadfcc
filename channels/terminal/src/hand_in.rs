//! Typed lines as events, each of which is handed in until it is taken.

use std::{sync::atomic::Ordering, time::Duration};

use clifford_channel::{Accepted, Inbound, Ingress, IngressError, TypedLine};
use clifford_text::Terminal as Own;

use crate::{PLACE, Terminal, paint::Dress};

/// How long to wait before handing in again what could not be stored: at first, and at most.
const RETRY: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));

/// Hands an event in until it is taken, for nothing that was typed may be lost.
pub(crate) async fn hand_in(terminal: &Terminal, ingress: &dyn Ingress, event: Inbound) {
    let id = match &event {
        Inbound::Command(command) => {
            terminal
                .answers
                .send_modify(|answers| answers.expect_command(command.id.clone()));
            command.id.clone()
        }
        Inbound::Message(message) => {
            terminal
                .answers
                .send_modify(|answers| answers.expect_message(message.id.clone()));
            message.id.clone()
        }
        Inbound::Edit(_)
        | Inbound::Deleted(_)
        | Inbound::Moved(_)
        | Inbound::Reaction(_)
        | Inbound::Joined(_)
        | Inbound::Renamed(_)
        | Inbound::Left(_)
        | Inbound::Unreadable(_) => {
            return;
        }
    };
    let lang = terminal.config.lang();
    let mut pause = RETRY.0;
    loop {
        match ingress.accept(event.clone()).await {
            Ok(Accepted::Answering | Accepted::Queued) => return,
            Ok(Accepted::Stored | Accepted::Duplicate) => break,
            Ok(Accepted::Refused(text)) => {
                terminal.tell(&text).await;
                break;
            }
            Ok(Accepted::Ignored) => {
                terminal.tell(&lang.say(Own::NotAnswered)).await;
                break;
            }
            Err(IngressError::Unavailable(error)) => {
                terminal.tell(&lang.say(Own::NotStored { error })).await;
                tokio::time::sleep(pause).await;
                pause = RETRY.1.min(pause * 2);
            }
        }
    }
    terminal.answers.send_modify(|answers| answers.forget(&id));
}

impl Terminal {
    /// Waits until nothing is left to be answered.
    pub(crate) async fn all_answered(&self) {
        let mut answers = self.answers.subscribe();
        // The sender lives as long as `self`.
        let _all = answers.wait_for(|answers| answers.are_all_given()).await;
    }

    /// Says whether the server that answers here can be reached.
    pub async fn reached(&self, is_reached: bool) {
        let line = match is_reached {
            true => Own::ServerBack,
            false => Own::ServerGone,
        };
        self.tell(&self.config.lang().say(line)).await;
    }

    /// Shows a line about the terminal itself: its connection, or what became of a message. That it may fail shows when
    /// the answer is sent.
    pub(crate) async fn tell(&self, text: &str) {
        let _shown = self
            .output
            .lock()
            .await
            .screen
            .print(&format!("! {text}"), Dress::Dim)
            .await;
    }

    pub(crate) fn event(&self, text: String, command: Option<(String, String)>) -> Inbound {
        let (command, text) = match command {
            Some((name, argument)) => (Some(name), argument),
            None => (None, text),
        };
        let line = TypedLine {
            place: PLACE.to_owned(),
            speaker: self.config.speaker.clone(),
            language: self.config.language.clone(),
            id: format!("{}-{}", self.session, self.typed.fetch_add(1, Ordering::Relaxed) + 1),
            text,
            command,
            sent_at: (self.config.clock)(),
        };
        line.into_event()
    }
}
