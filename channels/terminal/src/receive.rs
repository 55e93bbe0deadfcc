//! From typed lines to events.

use std::{io, sync::atomic::Ordering, time::Duration};

use clifford_channel::{
    Accepted, Addressed, ChannelError, Command, ConnectionStatus, Inbound, Ingress, IngressError, Message, Place,
    PlaceKind, Platform, Speaker,
};
use tokio_util::sync::CancellationToken;

use crate::{
    PLACE, Terminal,
    input::{Input, Line},
    person,
    screen::Dress,
};

/// Commands that end the conversation.
const LEAVING: [&str; 2] = ["quit", "exit"];
/// How long to wait before handing in again what could not be stored: at first, and at most.
const RETRY: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));

/// Reads until the input ends, the conversation is left or `stop`; then waits for what is still to be answered.
pub(crate) async fn receive(
    terminal: &Terminal,
    ingress: &dyn Ingress,
    stop: &CancellationToken,
) -> Result<(), ChannelError> {
    ingress.status(
        Platform::TERMINAL,
        ConnectionStatus::Connected(terminal.config.speaker.clone()),
    );
    let talk = async {
        match &terminal.input {
            None => person::talk(terminal, ingress).await,
            Some(input) => {
                let read = read_all(terminal, &mut *input.lock().await, ingress).await;
                terminal.answered().await;
                read
            }
        }
    };
    let outcome = tokio::select! {
        () = stop.cancelled() => Ok(()),
        outcome = talk => outcome,
    };
    ingress.status(
        Platform::TERMINAL,
        ConnectionStatus::Disconnected("the conversation ended".to_owned()),
    );
    outcome.map_err(|error| ChannelError::Misconfigured(format!("standard input could not be read: {error}")))
}

/// Hands in entry by entry.
async fn read_all(terminal: &Terminal, input: &mut Input, ingress: &dyn Ingress) -> io::Result<()> {
    loop {
        terminal.answered().await;
        let Some(text) = read_entry(input).await? else {
            return Ok(());
        };
        if text.trim().is_empty() {
            continue;
        }
        let command = Command::split(&text, None);
        if command
            .as_ref()
            .is_some_and(|(name, _)| LEAVING.contains(&name.as_str()))
        {
            return Ok(());
        }
        hand_in(terminal, ingress, terminal.event(text, command)).await;
    }
}

/// The next entry. `None`: there are no more.
async fn read_entry(input: &mut Input) -> io::Result<Option<String>> {
    let mut entry = String::new();
    let mut is_continued = false;
    loop {
        let Some(line) = input.line().await? else {
            return Ok(is_continued.then_some(entry));
        };
        match line {
            Line::Last(text) => return Ok(Some(entry + &text)),
            Line::Continued(text) => {
                entry.push_str(&text);
                entry.push('\n');
                is_continued = true;
            }
        }
    }
}

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
        | Inbound::Left(_)
        | Inbound::Unreadable(_) => {
            return;
        }
    };
    let mut pause = RETRY.0;
    loop {
        match ingress.accept(event.clone()).await {
            Ok(Accepted::Answering | Accepted::Queued) => return,
            Ok(Accepted::Stored | Accepted::Duplicate) => break,
            Ok(Accepted::Refused(text)) => {
                terminal.tell(text).await;
                break;
            }
            Ok(Accepted::Ignored) => {
                terminal
                    .tell("this is not answered: the terminal's user may not speak to the bot")
                    .await;
                break;
            }
            Err(IngressError::Unavailable(error)) => {
                terminal
                    .tell(&format!("the message could not be stored, trying again: {error}"))
                    .await;
                tokio::time::sleep(pause).await;
                pause = RETRY.1.min(pause * 2);
            }
        }
    }
    terminal.answers.send_modify(|answers| answers.forget(&id));
}

impl Terminal {
    /// Waits until nothing is left to be answered.
    pub(crate) async fn answered(&self) {
        let mut answers = self.answers.subscribe();
        // The sender lives as long as `self`.
        let _all = answers.wait_for(|answers| answers.are_all_given()).await;
    }

    /// Shows a line of the terminal's own. That it may fail shows when the answer is sent.
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
        let id = format!("{}-{}", self.session, self.typed.fetch_add(1, Ordering::Relaxed) + 1);
        let sent_at = (self.config.clock)();
        let place = Place {
            platform: Platform::TERMINAL,
            external_id: PLACE.to_owned(),
            parent: None,
            kind: PlaceKind::Private,
            name: Some("terminal".to_owned()),
            space: None,
        };
        let speaker = Speaker {
            id: self.config.speaker.clone(),
            name: self.config.speaker.clone(),
            handle: None,
            is_bot: false,
            language: self.config.language.clone(),
            roles: None,
        };
        match command {
            Some((name, argument)) => Inbound::Command(Command {
                place,
                speaker,
                id,
                name,
                argument,
                sent_at,
                via: None,
                answered_alone: false,
            }),
            None => Inbound::Message(Message {
                place,
                speaker,
                id,
                text,
                sent_at,
                reply_to: None,
                addressed: Addressed::default(),
                attachments: Vec::new(),
                album: None,
                backfilled: false,
                via: None,
                quoted: None,
            }),
        }
    }
}
