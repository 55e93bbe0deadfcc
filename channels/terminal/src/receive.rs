//! From typed lines to events.

use std::{io, sync::atomic::Ordering};

use clifford_channel::{ChannelError, Command, ConnectionStatus, Ingress, Platform};
use tokio_util::sync::CancellationToken;

use crate::{
    Terminal,
    editor::leaves,
    hand_in::hand_in,
    input::{Input, Line},
    person,
};

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
                terminal.all_answered().await;
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
        terminal.all_answered().await;
        let Some(text) = read_entry(terminal, input).await? else {
            return Ok(());
        };
        if text.trim().is_empty() {
            continue;
        }
        terminal.heard.store(true, Ordering::Relaxed);
        if leaves(&text) {
            return Ok(());
        }
        let command = Command::split(&text, None);
        hand_in(terminal, ingress, terminal.event(text, command)).await;
    }
}

/// Asks for the next line of an entry.
const GOES_ON: &str = "...> ";

/// The next entry. `None`: there are no more.
async fn read_entry(terminal: &Terminal, input: &mut Input) -> io::Result<Option<String>> {
    let mut entry = String::new();
    let mut is_continued = false;
    loop {
        if terminal.asks {
            let prompt = if is_continued { GOES_ON } else { crate::live::PROMPT };
            terminal.output.lock().await.screen.ask(prompt).await?;
        }
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
