//! Decisions about strangers: by a press in an owner's chat, by `/pair`, or by `clifford pair`.

use clifford_chat::platform::Platform;
use clifford_core::{clock::Timestamp, people::UserRole};
use clifford_delivery::outbound;
use clifford_markup::{inline::inline, shortened};
use clifford_store::{
    StoreError, Tx,
    db::notify,
    messages,
    people::{pairings, reading, users},
    places::channels,
};
use clifford_telemetry::failpoint::{self as crash, Point};
use clifford_text::{Answer, Lang};

use super::{NAME, owners};

/// The decision about a stranger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// They may talk to the bot.
    Approve,
    /// They may not, and may ask again.
    Refuse,
    /// They may not, and are not heard any more.
    Block,
}

impl Decision {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Approve, Self::Refuse, Self::Block];

    /// Its name in commands.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Refuse => "refuse",
            Self::Block => "block",
        }
    }

    /// The text of a notice once it is settled.
    fn settled(self, by: &str, lang: Lang) -> String {
        let person = inline(&shortened(by, NAME));
        lang.say(match self {
            Self::Approve => Answer::ApprovedBy { person },
            Self::Refuse => Answer::RefusedBy { person },
            Self::Block => Answer::BlockedBy { person },
        })
    }
}

/// Decides about an account that asked to be let in, tells its person, and settles what the owners were asked. Returns its
/// name. `None`: it asked for nothing, or may talk to the bot already.
pub async fn decide(
    tx: &mut Tx,
    platform: &str,
    account: &str,
    decision: Decision,
    by: &str,
    now: Timestamp,
) -> Result<Option<String>, StoreError> {
    let Some(request) = pairings::request_of(tx, platform, account).await? else {
        return Ok(None);
    };
    let known: Platform = platform.parse().map_err(StoreError::Corrupt)?;
    let user = users::by_identity(tx, known, account)
        .await?
        .ok_or_else(|| StoreError::NotFound(format!("account {platform}:{account}")))?;
    if user.role != UserRole::Stranger {
        pairings::remove(tx, platform, account).await?;
        return Ok(None);
    }
    match decision {
        Decision::Approve => {
            // Another owner may have decided at the same moment.
            if !pairings::remove(tx, platform, account).await? {
                return Ok(None);
            }
            users::set_role(tx, user.id, UserRole::Member, now).await?;
        }
        Decision::Refuse => pairings::close(tx, platform, account, false, now).await?,
        Decision::Block => pairings::close(tx, platform, account, true, now).await?,
    }
    let notices = request.notices.into_iter().flat_map(|notices| notices.0);
    owners::settle(tx, notices.collect(), now, |lang| decision.settled(by, lang)).await?;
    let told = match decision {
        Decision::Approve => Some(Answer::LetIn),
        Decision::Refuse => Some(Answer::NotLetIn),
        Decision::Block => None,
    };
    if let (Some(told), Some(channel)) = (told, channels::last_private(tx, user.id).await?) {
        let lang = reading::of(tx, Some(&user), Some(channel.id)).await?;
        let message = outbound::fixed_sentence(channel.id, &channel.address(), &lang.say(told));
        messages::insert_outbound(tx, &message, now).await?;
    }
    notify::work(tx).await?;
    crash::reach(Point::PairingDecided);
    Ok(Some(request.name))
}
