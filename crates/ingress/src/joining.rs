//! The bot was added to a group or server: it says once what it does, how it is addressed and who sets it up, and is
//! silent again. Once a joining, whichever process hears of it and however often.

use clifford_chat::{
    access::Access,
    inbound::{Accepted, Joined},
    outbound::{Address, Button},
};
use clifford_delivery::outbound::To;
use clifford_store::{StoreError, db::notify, messages, people::reading, places::channels};
use clifford_text::Answer;

use super::{IngressService, outcome::IngressOutcome};

impl IngressService {
    pub(super) async fn joined(&self, joined: Joined) -> Result<Accepted, StoreError> {
        let place = joined.place;
        let (now, outbound) = (self.clock.now(), self.context.delivery.outbound().clone());
        let access = self.audience(place.platform).access;
        let greeted = self.db.write(move |tx| {
            Box::pin(async move {
                let channel = channels::find_or_create(tx, &place, None, now).await?;
                let Some(space) = channel.space_id else {
                    return Ok(false);
                };
                if !channels::joined_space(tx, space, now).await? {
                    return Ok(false);
                }
                let to = To {
                    platform: place.platform,
                    channel: channel.id,
                    context: None,
                    user: None,
                    run: None,
                    address: Address {
                        place: place.external_id.clone(),
                        private: false,
                        reply_to: None,
                        via: None,
                    },
                };
                let lang = reading::of_everybody(tx, &channel, None).await?;
                let buttons = vec![
                    Button::new(&lang.say(Answer::WhatICanDo), "help"),
                    Button::new(&lang.say(Answer::SetMeUp), "settings"),
                ];
                let text = lang.say(greeting(access));
                let (mut message, _) = outbound.message_with(to, &text, buttons, None, now);
                // Whichever process serves the platform claims it.
                message.lease = None;
                messages::insert_outbound(tx, &message, now).await?;
                notify::work(tx).await?;
                Ok(true)
            })
        });
        let greeted = greeted.await?;
        Ok(self.after_commit(IngressOutcome {
            work_to_claim: greeted,
            ..IngressOutcome::of(Accepted::Stored)
        }))
    }
}

/// Its text, Markdown.
fn greeting(access: Access) -> Answer {
    match access {
        Access::Open => Answer::GreetingOpen,
        Access::Pairing | Access::Allowlist => Answer::GreetingKnown,
    }
}
