//! Messages of shared places that do not speak to the bot: heard in a thread that the bot follows, kept in memory for a
//! while where that is set, and else passed over.

use clifford_chat::{
    inbound::{Message, Place, PlaceKind},
    platform::Platform,
};
use clifford_core::{
    access::{self, Audience},
    places::{Channel, ChannelKind},
};
use clifford_engine::ambient::Remark;
use clifford_store::{
    StoreError, Tx,
    people::{erasure, users},
    places::threads,
};

use super::{
    IngressService,
    message::{AcceptContext, with_attachments},
};

impl IngressService {
    /// Whether a message stands in a thread that the bot opened, or was once addressed in.
    pub(super) async fn follows(&self, message: &Message, audience: &Audience) -> Result<bool, StoreError> {
        let place = &message.place;
        // Without the right to read what does not address it, the bot sees that something was said, and not what.
        let is_empty = message.text.trim().is_empty() && message.attachments.is_empty();
        if place.kind != PlaceKind::Thread || is_empty {
            return Ok(false);
        }
        let mut conn = self.db.read_local().await?;
        if !threads::is_followed(&mut conn, place.platform, &place.external_id).await? {
            return Ok(false);
        }
        let here = self.context.settings.defaults().at(&mut conn, place).await?;
        Ok(access::follows(audience, place, here.follow_threads))
    }

    /// Keeps what people say among themselves in memory, where that is set.
    pub(super) async fn overhear(&self, message: Message) -> Result<(), StoreError> {
        let (now, ambient) = (self.clock.now(), &self.context.ambient);
        let place = &message.place;
        if place.kind.is_private() {
            return Ok(());
        }
        let most = match ambient.most(place, now) {
            Some(most) => most,
            None => {
                let most = self.most_ambient(place).await?;
                ambient.set_most(place, most, now);
                most
            }
        };
        if most == 0 {
            return Ok(());
        }
        let called = self.called(place, &message.speaker).await?;
        let remark = Remark {
            id: message.id,
            account: message.speaker.id,
            by: self.masked(called),
            text: self.masked(with_attachments(&message.text, &message.attachments)),
            at: message.sent_at.into(),
        };
        ambient.keep(&message.place, remark);
        Ok(())
    }

    /// Forgets what somebody said among others, who has just had themselves erased.
    pub(super) async fn forget_overheard(&self, platform: Platform, account: &str) -> Result<(), StoreError> {
        let mut conn = self.db.read().await?;
        let ambient = &self.context.ambient;
        let Some(user) = users::by_identity(&mut conn, platform, account).await? else {
            ambient.forget(platform.as_str(), account);
            return Ok(());
        };
        if erasure::is_under_way(&mut conn, user.id).await? {
            for identity in users::identities(&mut conn, user.id).await? {
                ambient.forget(&identity.platform, &identity.platform_user_id);
            }
        }
        Ok(())
    }

    async fn most_ambient(&self, place: &Place) -> Result<u32, StoreError> {
        let mut conn = self.db.read_local().await?;
        let here = self.context.settings.defaults().at(&mut conn, place).await?;
        Ok(here.ambient_messages)
    }
}

impl AcceptContext {
    /// In a thread where somebody addressed the bot it hears everything from then on.
    pub(super) async fn follow(&self, tx: &mut Tx, channel: &Channel) -> Result<(), StoreError> {
        if self.is_addressed && channel.kind == ChannelKind::Thread {
            threads::follow(tx, channel.id, self.now).await?;
        }
        Ok(())
    }
}
