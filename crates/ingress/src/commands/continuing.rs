//! `/continue`: a conversation of another private chat goes on here. It is the same conversation then in both.

use clifford_chat::{completion::Choice, outbound::Button};
use clifford_core::{clock::Timestamp, id::ContextId, people::User, places::Channel};
use clifford_markup::inline::inline;
use clifford_store::{
    Conn, StoreError, Tx,
    contexts::{
        self, Context,
        lists::{self as context_lists, Elsewhere},
    },
    places::channels,
};
use clifford_text::{Chats, Lang};

use super::{
    Done, age,
    conversations::{LISTED, PRESSED, label, pick, title},
    items::code,
    platform,
};

/// The most characters that are shown of what was said last.
const LAST_SAID: usize = 60;

pub(super) async fn continue_with(
    tx: &mut Tx,
    wanted: &str,
    channel: &Channel,
    user: &User,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !channel.is_private() {
        return Ok(Done::say(lang.say(Chats::ContinueInPrivate)));
    }
    if wanted.is_empty() {
        return list(tx, channel, user, lang, now).await;
    }
    let id = wanted.parse::<ContextId>().ok();
    if id.is_some() && id == channel.active_context_id {
        return Ok(Done::say(lang.say(Chats::AlreadyThere)));
    }
    let known = context_lists::elsewhere(tx, user.id, channel, id, LISTED).await?;
    let found = match id {
        Some(_) => known.first(),
        None => pick(&known, wanted, |known| &known.context),
    };
    if let Some(found) = found {
        return take_over(tx, channel, user, found, lang, now).await;
    }
    match own_context(tx, channel, id).await? {
        Some(context) => super::conversations::go_to(tx, channel, &context, lang, now).await,
        None => Ok(Done::say(lang.say(Chats::NoSuchElsewhere { name: code(wanted) }))),
    }
}

/// One that began here: it needs no taking over.
async fn own_context(tx: &mut Tx, channel: &Channel, id: Option<ContextId>) -> Result<Option<Context>, StoreError> {
    let context = match id {
        Some(id) => contexts::get(tx, id).await?,
        None => None,
    };
    Ok(context.filter(|context| context.channel_id == channel.id))
}

async fn list(tx: &mut Tx, channel: &Channel, user: &User, lang: Lang, now: Timestamp) -> Result<Done, StoreError> {
    let known = context_lists::elsewhere(tx, user.id, channel, None, LISTED).await?;
    if known.is_empty() {
        return Ok(Done::say(lang.say(Chats::NoneElsewhere)));
    }
    let lines = known.iter().enumerate().map(|(place, known)| {
        let said = known
            .last_said
            .as_deref()
            .map(|said| format!("\n   {}", inline(&clifford_markup::shortened(said, LAST_SAID))))
            .unwrap_or_default();
        format!(
            "{}. **{}**, {}, {}{said}",
            place + 1,
            inline(&title(&known.context, lang)),
            platform::called(&known.platform, lang),
            age(known.context.last_user_interaction_at, now, lang)
        )
    });
    let text = format!(
        "{}\n\n{}",
        lines.collect::<Vec<_>>().join("\n"),
        lang.say(Chats::HowToContinue)
    );
    let buttons = known.iter().take(PRESSED).map(|known| {
        let label = format!(
            "{} · {}",
            label(&known.context, lang),
            platform::called(&known.platform, lang)
        );
        Button::new(&label, format!("continue {}", known.context.id))
    });
    Ok(Done {
        text,
        buttons: buttons.collect(),
        ..Done::default()
    })
}

/// It is this channel's too from now on, open again if it was closed; what was active here ends, unless it goes on in
/// another chat.
async fn take_over(
    tx: &mut Tx,
    channel: &Channel,
    user: &User,
    found: &Elsewhere,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if let Some(active) = channel.active_context_id
        && context_lists::sharing(tx, user.id, active, channel.id)
            .await?
            .is_empty()
    {
        clifford_engine::memory::closing::close(tx, active, now).await?;
    }
    contexts::touch(tx, found.context.id, now).await?;
    channels::set_active_context(tx, channel.id, Some(found.context.id)).await?;
    Ok(Done::say(lang.say(Chats::GoingOnHere {
        name: inline(&title(&found.context, lang)),
        platform: platform::called(&found.platform, lang),
    })))
}

/// The choices for `/continue`.
pub(super) async fn choices(
    conn: &mut Conn,
    channel: &Channel,
    user: &User,
    lang: Lang,
) -> Result<Vec<Choice>, StoreError> {
    let known = context_lists::elsewhere(conn, user.id, channel, None, LISTED).await?;
    let choice = |known: &Elsewhere| Choice {
        label: format!(
            "{} · {}",
            title(&known.context, lang),
            platform::called(&known.platform, lang)
        ),
        value: known.context.id.to_string(),
    };
    Ok(known.iter().map(choice).collect())
}
