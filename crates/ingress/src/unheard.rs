//! Messages and commands that are not answered, and why. Somebody for whom the platform waits is told so alone: an
//! interaction never ends without a word. Nobody else is told, and nothing is stored.

use std::time::Duration;

use clifford_chat::inbound::{Accepted, Speaker};
use clifford_core::{
    access::PlaceRules,
    people::{User, UserRole},
    settings::RateScope,
};
use clifford_markup::shortened;
use clifford_store::{Conn, StoreError, people::reading};
use clifford_text::{Answer, Lang, Unheard};

use super::{Origin, outcome::IngressOutcome, pace::Over};

/// The most characters of the names of roles.
const ROLES: usize = 100;
const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

/// Why something is not answered.
#[derive(Clone, Debug)]
pub(super) enum Why {
    /// Nobody let its author in.
    Unknown,
    /// Its author has none of these roles.
    Roles(Vec<String>),
    /// The bot is to say nothing there.
    Silent,
    /// It is over a limit of messages.
    Limit(Over),
}

impl Why {
    /// Why the rules of a place keep something from being answered.
    pub(super) fn of_rules(rules: &PlaceRules, speaker: &Speaker, role: Option<UserRole>) -> Self {
        match rules.admits(speaker, role) {
            true => Self::Silent,
            false => Self::Roles(rules.use_roles.clone()),
        }
    }

    fn said(self, lang: Lang) -> String {
        match self {
            Self::Unknown => lang.say(Answer::OnlyKnownHere),
            Self::Roles(roles) => lang.say(Unheard::OnlyRoles {
                roles: shortened(&roles.join(", "), ROLES),
            }),
            Self::Silent => lang.say(Unheard::SilentHere),
            Self::Limit(over) => too_fast(over, lang),
        }
    }
}

/// Passes over something of `origin`; `user`: its author, if they are known.
pub(super) async fn passed_over(
    conn: &mut Conn,
    origin: &Origin,
    is_waiting: bool,
    user: Option<&User>,
    why: Why,
) -> Result<IngressOutcome, StoreError> {
    if !is_waiting {
        return Ok(IngressOutcome::ignored());
    }
    let set = user.and_then(|user| user.language.as_deref());
    let own = set.or(origin.speaker.language.as_deref());
    let (lang, _) = reading::at(conn, own, &origin.place).await?;
    Ok(IngressOutcome::of(Accepted::Refused(why.said(lang))))
}

/// The reply to an author who is over a limit.
pub(super) fn too_fast(over: Over, lang: Lang) -> String {
    let wait = wait(over.wait, lang);
    lang.say(match over.of {
        RateScope::User => Unheard::TooFast { wait },
        RateScope::Space | RateScope::Channel => Unheard::EnoughHere { wait },
    })
}

/// When to try again, in the largest unit that says it well, and never too early.
fn wait(wait: Duration, lang: Lang) -> String {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let seconds = seconds.max(1);
    lang.say(match seconds {
        ..120 => Unheard::InSeconds {
            seconds: seconds.to_string(),
        },
        120..7_200 => Unheard::InMinutes {
            count: seconds.div_ceil(MINUTE).into(),
        },
        7_200.. => Unheard::InHours {
            count: seconds.div_ceil(HOUR).into(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_to_try_again_is_told_in_seconds_minutes_or_hours() {
        let told = |of, seconds, lang| {
            let wait = Duration::from_secs(seconds);
            too_fast(Over { wait, of }, lang)
        };
        let fast = "You are writing faster than I may answer. Please try again in";
        for (seconds, expected) in [
            (0, "1 s"),
            (57, "57 s"),
            (119, "119 s"),
            (120, "2 minutes"),
            (121, "3 minutes"),
            (3_600, "60 minutes"),
            (7_200, "2 hours"),
            (28_740, "8 hours"),
        ] {
            assert_eq!(
                told(RateScope::User, seconds, Lang::English),
                format!("{fast} {expected}.")
            );
        }
        let here = "I have answered as much here as I may for now. Please try again in 8 hours.";
        for of in [RateScope::Space, RateScope::Channel] {
            assert_eq!(told(of, 28_740, Lang::English), here);
        }
        assert!(told(RateScope::User, 300, Lang::Russian).ends_with("через 5 минут."));
        assert!(told(RateScope::User, 180, Lang::Russian).ends_with("через 3 минуты."));
        assert!(told(RateScope::Space, 28_740, Lang::Japanese).contains("8時間後に"));
    }

    #[test]
    fn what_an_alert_of_telegram_says_fits_into_it_in_every_language() {
        let roles = vec!["Ж".repeat(100); 20];
        for lang in Lang::ALL {
            for why in [Why::Unknown, Why::Roles(roles.clone()), Why::Silent] {
                let said = why.said(*lang);
                assert!(said.chars().count() <= 200, "{said}");
            }
        }
    }
}
