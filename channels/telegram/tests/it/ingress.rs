//! An ingress that keeps everything in memory, and can fail or hold.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use clifford_channel::{
    Accepted, Choice, Completion, ConnectionStatus, Inbound, Ingress, IngressError, Platform, Served,
};
use tokio::sync::watch;

/// The accepted events, and how to answer.
#[derive(Debug, Default)]
pub struct Memory {
    inner: Mutex<Inner>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Inner {
    taken: Vec<Inbound>,
    /// Attempts, refused ones too.
    attempts: usize,
    refuse: usize,
    held: VecDeque<String>,
    statuses: Vec<ConnectionStatus>,
}

impl Memory {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Refuses the next events.
    pub fn refuse(&self, count: usize) {
        self.inner.lock().unwrap().refuse = count;
        self.changed.send_replace(());
    }

    /// Does not return from `accept` for a message with this text, until it is let go.
    pub fn hold(&self, text: &str) {
        self.inner.lock().unwrap().held.push_back(text.to_owned());
    }

    /// Lets everything go.
    pub fn release(&self) {
        self.inner.lock().unwrap().held.clear();
        self.changed.send_replace(());
    }

    /// The accepted events, as short texts.
    pub fn taken(&self) -> Vec<String> {
        self.inner.lock().unwrap().taken.iter().map(brief).collect()
    }

    pub fn events(&self) -> Vec<Inbound> {
        self.inner.lock().unwrap().taken.clone()
    }

    pub fn attempts(&self) -> usize {
        self.inner.lock().unwrap().attempts
    }

    pub fn statuses(&self) -> Vec<ConnectionStatus> {
        self.inner.lock().unwrap().statuses.clone()
    }

    /// Waits until this many events were taken.
    pub async fn wait_for(&self, count: usize) -> Vec<String> {
        self.wait_until(|memory| memory.taken().len() >= count).await;
        self.taken()
    }

    pub async fn wait_until(&self, happened: impl Fn(&Self) -> bool) {
        let mut changed = self.changed.subscribe();
        let waiting = async {
            while !happened(self) {
                changed.changed().await.unwrap();
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(30), waiting).await;
        assert!(waited.is_ok(), "waited in vain: {:?}", self.inner.lock().unwrap());
    }
}

#[async_trait]
impl Ingress for Memory {
    async fn accept(&self, event: Inbound) -> Result<Accepted, IngressError> {
        let text = brief(&event);
        self.inner.lock().unwrap().attempts += 1;
        self.changed.send_replace(());
        self.wait_until(|memory| !memory.inner.lock().unwrap().held.contains(&text))
            .await;
        {
            let mut inner = self.inner.lock().unwrap();
            if inner.refuse > 0 {
                inner.refuse -= 1;
                return Err(IngressError::Unavailable("the disk is full".to_owned()));
            }
            inner.taken.push(event);
        }
        self.changed.send_replace(());
        Ok(Accepted::Stored)
    }

    async fn complete(&self, _: Completion) -> Result<Vec<Choice>, IngressError> {
        Ok(Vec::new())
    }

    async fn served(&self, _: Platform, _: Duration) -> Result<Vec<Served>, IngressError> {
        Ok(Vec::new())
    }

    fn status(&self, _: Platform, status: ConnectionStatus) {
        self.inner.lock().unwrap().statuses.push(status);
        self.changed.send_replace(());
    }
}

fn brief(event: &Inbound) -> String {
    match event {
        Inbound::Message(message) => message.text.clone(),
        Inbound::Edit(edit) => format!("edit: {}", edit.text),
        Inbound::Deleted(deleted) => format!("deleted: {}", deleted.ids.join(", ")),
        Inbound::Command(command) => format!("/{} {}", command.name, command.argument),
        Inbound::Moved(moved) => format!("moved: {} to {}", moved.from, moved.to),
        Inbound::Reaction(reaction) => format!("{} reacted: {:?}", reaction.speaker.name, reaction.reacted),
        Inbound::Joined(joined) => format!("joined: {}", joined.place.external_id),
        Inbound::Renamed(renamed) => format!("renamed: {}", renamed.name),
        Inbound::Left(left) => format!("left: {}", left.reason),
        Inbound::Unreadable(unreadable) => format!("unreadable: {}", unreadable.error),
    }
}
