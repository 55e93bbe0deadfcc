//! Access: the people who may speak to the bot, and the messages that it answers. Pure rules, the same for every
//! platform.

pub use clifford_chat::access::Access;
use clifford_chat::inbound::{Addressed, Place};

use crate::people::UserRole;

/// The people whom a platform's channel answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The people who may speak.
    pub access: Access,
    /// Accounts and places (by the platform's ids) that may speak in any case.
    pub allow: Vec<String>,
    /// Words that call the bot in a shared place.
    pub wake_words: Vec<String>,
    /// Shared places where every message is answered.
    pub always: Vec<String>,
}

/// The decision about a speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// They may.
    Welcome,
    /// They get a code, and nothing else.
    Pair,
    /// They are not heard.
    Ignored,
}

impl Policy {
    /// Whether an account may speak in a place. `role`: what is known of it.
    pub fn entry(&self, place: &Place, account: &str, role: Option<UserRole>) -> Entry {
        let listed = |id: &str| self.allow.iter().any(|allowed| allowed == id);
        let space = place.space.as_ref().map(|space| space.external_id.as_str());
        let known = matches!(role, Some(UserRole::Owner | UserRole::Member));
        if self.access == Access::Open
            || role == Some(UserRole::Owner)
            || listed(account)
            || (!place.kind.is_private() && (listed(&place.external_id) || space.is_some_and(listed)))
            || (self.access == Access::Pairing && known)
        {
            Entry::Welcome
        } else if self.access == Access::Pairing && place.kind.is_private() {
            Entry::Pair
        } else {
            Entry::Ignored
        }
    }

    /// Whether a message speaks to the bot.
    pub fn is_addressed(&self, place: &Place, addressed: Addressed, text: &str) -> bool {
        let space = place.space.as_ref().map(|space| space.external_id.as_str());
        let always = |id: &str| self.always.iter().any(|place| place == id);
        place.kind.is_private()
            || addressed.mention
            || addressed.reply
            || always(&place.external_id)
            || space.is_some_and(always)
            || self.wakes(text)
    }

    /// Whether a wake word stands where it addresses, not in passing: at the beginning of a line, alone or behind a
    /// greeting; before a comma, colon or question mark; or behind a comma, at the end of what is said.
    fn wakes(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        self.wake_words
            .iter()
            .map(|word| word.to_lowercase())
            .filter(|word| !word.is_empty())
            .any(|word| {
                lower
                    .match_indices(&word)
                    .any(|(at, found)| addresses(&lower[..at], &lower[at + found.len()..]))
            })
    }
}

/// Greetings that may stand before the bot's name.
const GREETINGS: [&str; 22] = [
    "hey",
    "hi",
    "hello",
    "ok",
    "okay",
    "yo",
    "dear",
    "thanks",
    "please",
    "hallo",
    "hola",
    "oye",
    "salut",
    "bonjour",
    "ciao",
    "olá",
    "oi",
    "привет",
    "эй",
    "你好",
    "嗨",
    "ねえ",
];

/// Whether a name between these two texts, in lower case, calls its bearer.
fn addresses(before: &str, after: &str) -> bool {
    const COMMAS: [char; 5] = [',', '，', '、', '،', ';'];
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    if is_word(before.chars().next_back()) || is_word(after.chars().next()) {
        return false;
    }
    let line = before.rsplit('\n').next().unwrap_or_default();
    let said = line.trim_matches(|c: char| !c.is_alphanumeric());
    if said.is_empty() || GREETINGS.contains(&said) {
        return true;
    }
    let after = after.trim_start_matches([' ', '*', '_', '"', '”']);
    if after.starts_with(COMMAS) || after.starts_with([':', '：', '?', '？', '؟']) {
        return true;
    }
    let ends = after.is_empty() || after.starts_with(['.', '!', '。', '！', '\n']);
    ends && line.trim_end_matches([' ', '@', '*', '_']).ends_with(COMMAS)
}

#[cfg(test)]
mod tests {
    use clifford_chat::{
        inbound::{PlaceKind, Space},
        platform::Platform,
    };

    use super::*;

    fn place(kind: PlaceKind, id: &str, space: Option<&str>) -> Place {
        let space = space.map(|id| Space {
            external_id: id.into(),
            name: None,
        });
        Place {
            platform: Platform::new("telegram"),
            external_id: id.into(),
            kind,
            name: None,
            space,
        }
    }

    #[test]
    fn who_may_speak_follows_from_access_role_and_list() {
        use Entry::{Ignored, Pair, Welcome};
        let private = place(PlaceKind::Private, "7", None);
        let group = place(PlaceKind::Thread, "-1:2", Some("-1"));
        let policy = |access, allow: &[&str]| Policy {
            access,
            allow: allow.iter().map(|id| (*id).to_owned()).collect(),
            ..Policy::default()
        };
        let cases = [
            (Access::Open, &[][..], &private, None, Welcome),
            (Access::Open, &[], &group, None, Welcome),
            (Access::Pairing, &[], &private, None, Pair),
            (Access::Pairing, &[], &private, Some(UserRole::Stranger), Pair),
            (Access::Pairing, &[], &private, Some(UserRole::Member), Welcome),
            (Access::Pairing, &[], &group, None, Ignored),
            (Access::Pairing, &[], &group, Some(UserRole::Member), Welcome),
            (Access::Pairing, &["-1"], &group, None, Welcome),
            (Access::Pairing, &["7"], &private, None, Welcome),
            (Access::Allowlist, &[], &private, None, Ignored),
            (Access::Allowlist, &[], &private, Some(UserRole::Member), Ignored),
            (Access::Allowlist, &[], &private, Some(UserRole::Owner), Welcome),
            (Access::Allowlist, &["7"], &private, None, Welcome),
            (Access::Allowlist, &["8"], &private, None, Ignored),
        ];
        for (access, allow, place, role, expected) in cases {
            assert_eq!(
                policy(access, allow).entry(place, "7", role),
                expected,
                "{access:?} {allow:?} {role:?}"
            );
        }
    }

    #[test]
    fn in_a_shared_place_only_what_is_addressed_is_answered() {
        let policy = Policy {
            wake_words: vec!["Clifford".into()],
            always: vec!["-5".into()],
            ..Policy::default()
        };
        let group = place(PlaceKind::Group, "-1", Some("-1"));
        let none = Addressed::default();
        let cases = [
            (&group, none, "hello all", false),
            (&group, Addressed { mention: true, ..none }, "hello", true),
            (&group, Addressed { reply: true, ..none }, "yes", true),
            (&group, none, "hey clifford, what's up?", true),
            (&group, none, "cliffordian", false),
            (&group, none, "Clifford what is 2+2", true),
            (&group, none, "@Clifford: go on", true),
            (&group, none, "look at this\nclifford what is it", true),
            (&group, none, "Hey Clifford what's up", true),
            (&group, none, "what do you think, Clifford", true),
            (&group, none, "what is 2+2, clifford!", true),
            (&group, none, "is that so clifford?", true),
            (&group, none, "你好 clifford，天气怎么样", true),
            (&group, none, "I like clifford the band", false),
            (&group, none, "Cliffords dog", false),
            (&group, none, "we saw clifford.", false),
            (&group, none, "the clifford", false),
            (&group, none, "", false),
            (&place(PlaceKind::Group, "-5", None), none, "hello all", true),
            (&place(PlaceKind::Thread, "-5:9", Some("-5")), none, "hello all", true),
            (&place(PlaceKind::Private, "7", None), none, "hello", true),
        ];
        for (place, addressed, text, expected) in cases {
            assert_eq!(policy.is_addressed(place, addressed, text), expected, "{text}");
        }
    }
}
