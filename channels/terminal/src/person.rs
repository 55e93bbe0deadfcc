//! A conversation with a person: what is typed is handed in at once, and Ctrl-C stops the answer in the making.

use std::{collections::VecDeque, io, sync::atomic::Ordering, time::Duration};

use clifford_channel::{Command, Ingress};
use clifford_text::Terminal as Own;
use tokio::sync::mpsc;

use crate::{
    Terminal,
    editor::{self, Typed},
    hand_in::hand_in,
    paint::Dress,
};

/// The command that stops an answer.
const STOP: &str = "stop";
/// How long somebody who leaves waits for a message that is being handed in.
const GRACE: Duration = Duration::from_millis(500);
/// How long each look of the sign of work stands.
const FRAME: Duration = Duration::from_millis(120);

/// Hands in what is typed until the conversation is left, and waits for what is still to be answered.
pub(crate) async fn talk(terminal: &Terminal, ingress: &dyn Ingress) -> io::Result<()> {
    let (sender, mut keyboard) = mpsc::unbounded_channel();
    let welcome = terminal.config.lang().say(Own::Welcome);
    terminal.output.lock().await.screen.print(&welcome, Dress::Dim).await?;
    let (history, answers) = (terminal.config.history.clone(), terminal.answers.subscribe());
    let (surface, restore) = editor::open(history, answers, terminal.config.lang(), sender)?;
    // However this ends, the terminal is put back as it was.
    let mut restored = Restored {
        terminal: restore,
        at_prompt: true,
    };
    terminal.output.lock().await.screen.live(|live| live.open(surface))?;
    let ended = hear(terminal, ingress, &mut keyboard).await?;
    match ended {
        End::AfterAnswers => {
            restored.at_prompt = false;
            wait(terminal).await;
            Ok(())
        }
        End::AtOnce => terminal.output.lock().await.screen.idle(),
    }
}

/// Puts the terminal back in the end.
struct Restored {
    terminal: editor::Restore,
    /// The editor has not ended: the cursor stands behind its prompt.
    at_prompt: bool,
}

impl Drop for Restored {
    fn drop(&mut self) {
        self.terminal.restore(self.at_prompt);
    }
}

/// How a conversation is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    AfterAnswers,
    AtOnce,
}

async fn hear(
    terminal: &Terminal,
    ingress: &dyn Ingress,
    keyboard: &mut mpsc::UnboundedReceiver<Typed>,
) -> io::Result<End> {
    let mut backlog = VecDeque::new();
    loop {
        let typed = match backlog.pop_front() {
            Some(typed) => Some(typed),
            None => tokio::select! {
                typed = keyboard.recv() => typed,
                () = work(terminal) => continue,
            },
        };
        let event = match typed {
            Some(Typed::Message(text)) => {
                let _shown = terminal.output.lock().await.screen.entered(&text);
                if text.trim().is_empty() {
                    continue;
                }
                let command = Command::split(&text, None);
                terminal.event(text, command)
            }
            Some(Typed::Cancel) if terminal.stops.swap(true, Ordering::Relaxed) => return Ok(End::AtOnce),
            Some(Typed::Cancel) => {
                let command = Some((STOP.to_owned(), String::new()));
                terminal.event(format!("/{STOP}"), command)
            }
            Some(Typed::End) | None => return Ok(End::AfterAnswers),
            Some(Typed::Failed(why)) => return Err(io::Error::other(why)),
        };
        if let Some(end) = handed(hand_in(terminal, ingress, event), keyboard, &mut backlog).await {
            return Ok(end);
        }
    }
}

/// Hands in. What is typed meanwhile follows it, unless it leaves: what cannot be handed in keeps nobody here.
async fn handed(
    handing: impl Future<Output = ()>,
    keyboard: &mut mpsc::UnboundedReceiver<Typed>,
    backlog: &mut VecDeque<Typed>,
) -> Option<End> {
    let mut handing = Box::pin(handing);
    loop {
        let typed = tokio::select! {
            biased;
            () = &mut handing => return None,
            typed = keyboard.recv() => typed,
        };
        let leaves = !matches!(typed, Some(Typed::Message(_)));
        backlog.extend(typed);
        if leaves {
            let is_handed = tokio::time::timeout(GRACE, &mut handing).await.is_ok();
            return (!is_handed).then_some(End::AtOnce);
        }
    }
}

/// Shows the next look of the sign of work, in its time. An answer that is given ends a wish to stop it.
async fn work(terminal: &Terminal) {
    let mut answers = terminal.answers.subscribe();
    if answers.borrow_and_update().are_all_given() {
        terminal.stops.store(false, Ordering::Relaxed);
        // The sender lives as long as the terminal.
        let _changed = answers.changed().await;
        return;
    }
    tokio::time::sleep(FRAME).await;
    let is_shown = {
        let mut is_shown = false;
        let look = terminal.output.lock().await.screen.live(|live| {
            is_shown = live.is_at_work();
            Ok(())
        });
        look.is_ok() && is_shown
    };
    if is_shown {
        let _shown = terminal.show_work().await;
    }
}

/// Waits for the answers. The editor has ended, so Ctrl-C is a signal again.
async fn wait(terminal: &Terminal) {
    let spin = async {
        loop {
            work(terminal).await;
        }
    };
    tokio::select! {
        () = terminal.all_answered() => {}
        () = spin => {}
    }
}
