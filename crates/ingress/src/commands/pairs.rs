//! `/pair`: an owner lists who asks to be let in, and decides.

use clifford_chat::outbound::Button;
use clifford_core::{
    clock::Timestamp,
    people::{User, UserRole},
    places::Channel,
};
use clifford_markup::{inline::inline, shortened};
use clifford_store::{StoreError, Tx, people::pairing_codes};
use clifford_text::{Answer, Lang};

use super::Done;
use crate::pairing::{self, Decision};

/// The most requests that are listed.
const MOST: usize = 10;
/// How much of a name is shown.
const NAME: usize = 30;

pub(super) async fn run(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if user.role != UserRole::Owner {
        return Ok(Done::refuse(lang.say(Answer::PairNotYours)));
    }
    if !channel.is_private() {
        return Ok(Done::say(lang.say(Answer::PairInPrivate)));
    }
    let words: Vec<_> = argument.split_whitespace().collect();
    let (word, account) = match words[..] {
        [] => return list(tx, lang, now).await,
        [word, account] => (word, pairing::account(account)),
        _ => ("", None),
    };
    if let ("everybody" | "nobody", Some((platform, space))) = (word, account) {
        let everybody = word == "everybody";
        let decided = pairing::places::decide(tx, platform, space, everybody, &user.name, now).await?;
        return Ok(Done {
            text: lang.say(match (decided, everybody) {
                (None, _) => Answer::NoSuchPlace,
                (Some(place), true) => Answer::EverybodyMayTalk { place },
                (Some(place), false) => Answer::NobodyMore { place },
            }),
            work_to_claim: true,
            ..Done::default()
        });
    }
    let decision = Decision::ALL.into_iter().find(|decision| decision.name() == word);
    let (Some(decision), Some((platform, account))) = (decision, account) else {
        return Ok(Done::say(lang.say(Answer::HowToPair)));
    };
    let decided = pairing::decide(tx, platform, account, decision, &user.name, now).await?;
    Ok(Done {
        text: match decided {
            Some(name) => decision_text(decision, &name, lang),
            None => lang.say(Answer::PairSettled),
        },
        work_to_claim: true,
        ..Done::default()
    })
}

fn decision_text(decision: Decision, name: &str, lang: Lang) -> String {
    let person = inline(&shortened(name, NAME));
    lang.say(match decision {
        Decision::Approve => Answer::MayTalk { person },
        Decision::Refuse => Answer::WasRefused { person },
        Decision::Block => Answer::WasBlocked { person },
    })
}

async fn list(tx: &mut Tx, lang: Lang, now: Timestamp) -> Result<Done, StoreError> {
    let waiting = pairing_codes::list(tx, now).await?;
    if waiting.is_empty() {
        return Ok(Done::say(lang.say(Answer::NobodyWaits)));
    }
    let shown = waiting.iter().take(MOST).map(|one| {
        let account = format!("{}:{}", one.platform, one.platform_user_id);
        let code = one
            .code
            .as_ref()
            .map_or_else(String::new, |code| format!(" · `{code}`"));
        let line = format!("- {} (`{account}`){code}", inline(&shortened(&one.name, NAME)));
        (line, shortened(&one.name, NAME), account)
    });
    let shown: Vec<_> = shown.collect();
    let lines: Vec<_> = shown.iter().map(|(line, ..)| line.as_str()).collect();
    let more = match waiting.len() - shown.len() {
        0 => String::new(),
        more => format!("\n- {}", lang.say(Answer::MoreWait { count: more.into() })),
    };
    let buttons = shown.iter().map(|(_, name, account)| {
        let label = lang.say(Answer::ApprovePerson { person: name.clone() });
        Button::new(&label, format!("pair approve {account}")).positive()
    });
    Ok(Done {
        text: format!(
            "{}\n\n{}{more}\n\n{}",
            lang.say(Answer::TheyWait),
            lines.join("\n"),
            lang.say(Answer::HowToKeepOut)
        ),
        buttons: buttons.collect(),
        ..Done::default()
    })
}
