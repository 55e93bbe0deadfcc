//! The bot was added to a group or server: it says once what it does, how it is addressed and who sets it up, and is
//! silent again. Once a joining, whichever process hears of it and however often.

use clifford_chat::{
    access::Access,
    inbound::{Accepted, Joined},
    outbound::{Address, Button},
};
use clifford_delivery::outbound::To;
use clifford_store::{StoreError, db::notify, messages, places::channels};

use super::{IngressService, outcome::IngressOutcome};

impl IngressService {
    pub(super) async fn joined(&self, joined: Joined) -> Result<Accepted, StoreError> {
        let place = joined.place;
        let (now, outbound) = (self.clock.now(), self.context.outbound.clone());
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
                let buttons = vec![
                    Button::new("What I can do", "help"),
                    Button::new("Set me up", "settings"),
                ];
                let (mut message, _) = outbound.message_with(to, greeting(access), buttons, None, now);
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

/// What it says, Markdown.
fn greeting(access: Access) -> &'static str {
    match access {
        Access::Open => {
            "Hello! I answer questions, remember what matters to each of you, and can remind you. Mention me or reply to \
             me, and everybody here reads my answer; what you write otherwise I leave alone. People who manage this place \
             may set me up here by /settings, and approve or deny what I ask."
        }
        Access::Pairing | Access::Allowlist => {
            "Hello! I answer questions, remember what matters, and can remind you. Mention me or reply to me, and \
             everybody here reads my answer; what you write otherwise I leave alone. I answer people whom my owner knows: \
             my owner lets in more, or this whole place. Those who manage it may set me up here by /settings."
        }
    }
}
