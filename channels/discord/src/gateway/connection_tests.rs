use std::sync::Arc;

use async_trait::async_trait;
use clifford_channel::{Accepted, Choice, Completion, Inbound, Ingress, IngressError, Platform, Served};
use clifford_fakes::discord::DiscordFake;
use clifford_vault::Secret;
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::*;
use crate::{Discord, DiscordConfig, Timing, handover::Work, intake::Intake, shard::Shard};

/// Nothing comes as far as this.
struct Nobody;

#[async_trait]
impl Ingress for Nobody {
    async fn accept(&self, _: Inbound) -> Result<Accepted, IngressError> {
        Err(IngressError::Unavailable("nobody is there".to_owned()))
    }

    async fn complete(&self, _: Completion) -> Result<Vec<Choice>, IngressError> {
        Ok(Vec::new())
    }

    async fn served(&self, _: Platform, _: Duration) -> Result<Vec<Served>, IngressError> {
        Ok(Vec::new())
    }

    fn status(&self, _: Platform, _: ConnectionStatus) {}
}

/// The id of what a person said next.
async fn said(events: &mut mpsc::Receiver<Event>, person: u64) -> u64 {
    loop {
        if let Event::Job(job) = events.recv().await.unwrap() {
            match job.work {
                Work::Command { command, .. } => return command.id,
                Work::Message(message) if message.author().is_some_and(|author| author.id == person) => {
                    return message.id;
                }
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn an_event_that_waits_for_room_outlives_its_connection() {
    let fake = DiscordFake::start().await;
    // Only a heartbeat finds out that a connection from which nothing is read has ended.
    fake.heartbeat_every(Duration::from_millis(300));
    let user = fake.user("Ada");
    let channel = fake.dm(user);
    let discord = Discord::new(DiscordConfig {
        timing: Timing {
            identify_every: Duration::ZERO,
            retry: Duration::from_millis(5),
            ..Timing::default()
        },
        ..DiscordConfig::new(fake.api_url().into(), Secret::new(DiscordFake::TOKEN))
    })
    .unwrap();
    let intake = Intake::new(Arc::clone(&discord.shared), Arc::new(Nobody), TaskTracker::new());
    // READY alone fills it.
    let (sender, mut events) = mpsc::channel(1);
    let stop = CancellationToken::new();
    let gateway = Gateway::new(
        &discord.shared,
        Shard { place: 0, of: 1 },
        &Nobody,
        intake,
        sender,
        stop.clone(),
    );
    let journey = async {
        fake.wait_for_connection().await;
        let command = fake.interaction(channel, user, "ask", &[("text", "first")]);
        // It is acknowledged as it is read.
        fake.wait_for_acknowledgement(command).await;
        fake.disconnect();
        fake.wait_for("a resume", |fake| (fake.resumes() > 0).then_some(()))
            .await;
        let message = fake.user_says(channel, user, "second");
        for expected in [command, message] {
            assert_eq!(said(&mut events, user).await, expected);
        }
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(gateway.run(), journey);
    assert!(ended.is_ok(), "{ended:?}");
    assert_eq!((fake.identifies(), fake.violations()), (1, Vec::<String>::new()));
}
