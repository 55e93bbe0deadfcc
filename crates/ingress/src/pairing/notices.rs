//! Notices to the owners of strangers who ask to be let in: each owner once an account and day, with buttons. A flood
//! of strangers makes no flood of messages: the last notice of an hour says that there may be more.

use std::time::Duration;

use clifford_chat::outbound::Button;
use clifford_core::clock::Timestamp;
use clifford_delivery::outbound::Outbound;
use clifford_markup::{inline::inline, shortened};
use clifford_store::{
    StoreError, Tx,
    people::pairings::{self, Request},
};
use clifford_text::{Answer, Lang};

use super::{NAME, deciding::Decision, owners};
use crate::Origin;

/// The most accounts of which the owners are told within an hour.
const MOST: i64 = 5;
/// How long that is.
const HOUR: Duration = Duration::from_secs(60 * 60);
/// How soon they are told of the same account again.
const AGAIN_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// A stranger who asks to be let in.
pub(super) struct Asking<'a> {
    /// The platform's name.
    pub platform: &'a str,
    /// The platform's id of their account.
    pub account: &'a str,
    /// Their name there.
    pub name: &'a str,
    /// Their handle, where it is known.
    pub handle: Option<&'a str>,
}

impl<'a> Asking<'a> {
    /// The one who speaks.
    pub(super) fn speaker(origin: &'a Origin) -> Self {
        Self {
            platform: origin.place.platform.as_str(),
            account: &origin.speaker.id,
            name: &origin.speaker.name,
            handle: origin.speaker.handle.as_deref(),
        }
    }
}

/// Tells the first owner of those who asked before there was one. Returns whether anybody was told.
pub(super) async fn tell_of_earlier(tx: &mut Tx, outbound: &Outbound, now: Timestamp) -> Result<bool, StoreError> {
    let mut is_told = false;
    for request in pairings::list(tx, now).await? {
        let asking = Asking {
            platform: &request.platform,
            account: &request.platform_user_id,
            name: &request.name,
            handle: None,
        };
        let before = pairings::request_of(tx, asking.platform, asking.account).await?;
        is_told |= tell_owners(tx, &asking, before.as_ref(), outbound, now).await?;
    }
    Ok(is_told)
}

/// Tells the owners of a stranger who asked; `before`: what was known of their account. Returns whether anybody was told.
pub(super) async fn tell_owners(
    tx: &mut Tx,
    asking: &Asking<'_>,
    before: Option<&Request>,
    outbound: &Outbound,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let told_at = before.and_then(|request| request.noticed_at);
    if told_at.is_some_and(|at| at.was_within(AGAIN_AFTER, now)) {
        return Ok(false);
    }
    let told = pairings::noticed_since(tx, now.before(HOUR)).await?;
    if told >= MOST {
        return Ok(false);
    }
    let account = format!("{}:{}", asking.platform, asking.account);
    let is_last = told + 1 == MOST;
    let question = |lang| (text(asking, &account, is_last, lang), buttons(&account, lang));
    let notices = owners::ask(tx, outbound, now, question).await?;
    if notices.is_empty() {
        return Ok(false);
    }
    pairings::noticed(tx, asking.platform, asking.account, &notices, now).await?;
    Ok(true)
}

/// The text of a notice, Markdown. The last paragraph gives way to what was decided.
fn text(asking: &Asking<'_>, account: &str, is_last: bool, lang: Lang) -> String {
    let name = inline(&shortened(asking.name, NAME));
    let handle = asking.handle.map_or(String::new(), |handle| {
        format!(", @{}", inline(&shortened(handle, NAME)))
    });
    let account: String = account.chars().filter(|c| *c != '`').collect();
    let asks = lang.say(Answer::AsksToBeLetIn {
        person: name,
        account: format!("`{account}`{handle}"),
    });
    let more = is_last.then_some(Answer::MoreMayAsk);
    let last = std::iter::once(Answer::MayTheyTalk)
        .chain(more)
        .chain([Answer::PairLists]);
    let last: Vec<_> = last.map(|sentence| lang.say(sentence)).collect();
    format!("{asks}\n\n{}", last.join(" "))
}

/// The buttons below it. An account whose id is too long for a button is decided about by `/pair`.
fn buttons(account: &str, lang: Lang) -> Vec<Button> {
    let button = |decision: Decision| {
        let command = format!("pair {} {account}", decision.name());
        match decision {
            Decision::Approve => Button::new(&lang.say(Answer::ApproveButton), command).positive(),
            Decision::Refuse => Button::new(&lang.say(Answer::RefuseButton), command),
            Decision::Block => Button::new(&lang.say(Answer::BlockButton), command).negative(),
        }
    };
    Decision::ALL.map(button).into()
}
