//! Access: the people who may speak to the bot, and the messages that it answers. Pure rules, the same for every
//! platform.

mod wake;

pub use clifford_chat::access::{Access, Audience};
use clifford_chat::{
    inbound::{Addressed, Place, PlaceKind, Speaker},
    platform::Platform,
    role::any_named,
};

use crate::{
    people::UserRole,
    places::{Mode, Speaks},
};

/// The rules that the managers of a group or server set for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceRules {
    /// Whether it speaks there; `None`: where it is addressed.
    pub speaks: Option<Speaks>,
    /// The roles that may use it; empty: everybody.
    pub use_roles: Vec<String>,
    /// The roles that may answer what others are asked, besides managers.
    pub approve_roles: Vec<String>,
    /// How it answers.
    pub mode: Option<Mode>,
    /// Whether everybody there may use it, also those who may not elsewhere; `None`: no owner decided.
    pub everybody: Option<bool>,
    /// Whether other bots are answered that speak to it.
    pub other_bots: bool,
}

impl PlaceRules {
    /// Whether somebody may use the bot there. An owner may.
    pub fn admits(&self, speaker: &Speaker, role: Option<UserRole>) -> bool {
        role == Some(UserRole::Owner)
            || self.use_roles.is_empty()
            || any_named(speaker.roles.as_deref().unwrap_or_default(), &self.use_roles)
    }

    /// Whether a message there is answered, as far as these rules go.
    pub fn answers(&self, is_addressed: bool) -> bool {
        match self.speaks {
            Some(Speaks::Never) => false,
            Some(Speaks::Always) => true,
            Some(Speaks::Addressed) | None => is_addressed,
        }
    }

    /// Whether somebody may answer what others are asked there, by a role of theirs.
    pub fn approves(&self, speaker: &Speaker) -> bool {
        any_named(speaker.roles.as_deref().unwrap_or_default(), &self.approve_roles)
    }
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

/// Whether somebody may speak in a place. `role`: what is known of their account.
pub fn entry(audience: &Audience, place: &Place, speaker: &Speaker, role: Option<UserRole>) -> Entry {
    let listed = |id: &str| audience.allow.iter().any(|allowed| allowed.as_str() == id);
    let by_role = || any_named(speaker.roles.as_deref().unwrap_or_default(), &audience.allow_roles);
    if admits(audience, &speaker.id, role) || (!place.kind.is_private() && (around(place).any(listed) || by_role())) {
        Entry::Welcome
    } else if audience.access == Access::Pairing && place.kind.is_private() {
        Entry::Pair
    } else {
        Entry::Ignored
    }
}

/// Whether an account may speak wherever the bot hears it, in private too.
fn admits(audience: &Audience, account: &str, role: Option<UserRole>) -> bool {
    match audience.access {
        Access::Open => true,
        Access::Pairing if role == Some(UserRole::Member) => true,
        Access::Pairing | Access::Allowlist => {
            role == Some(UserRole::Owner) || audience.allow.iter().any(|allowed| allowed.as_str() == account)
        }
    }
}

/// Whether somebody may look at what is theirs, by a link, a session, a passkey or a token: one of their accounts may
/// speak to the bot in private. An account in a browser or of a token is a way in of the person, and admits nobody
/// whose account on a platform is shut out; of somebody who has no other, an owner's word counts: the role.
pub fn looks<'a>(
    role: UserRole,
    accounts: &[(Platform, &str)],
    audience: impl Fn(Platform) -> Option<&'a Audience>,
) -> bool {
    let is_known = matches!(role, UserRole::Owner | UserRole::Member);
    let mut others = accounts.iter().filter(|(platform, _)| *platform != Platform::WEB);
    if role == UserRole::Owner || others.clone().next().is_none() {
        return is_known;
    }
    let default = Audience::default();
    others.any(|(platform, account)| match platform.is_own() {
        true => is_known,
        false => admits(audience(*platform).unwrap_or(&default), account, Some(role)),
    })
}

/// The same by what an owner decided of a place.
pub fn entry_here(
    audience: &Audience,
    place: &Place,
    speaker: &Speaker,
    role: Option<UserRole>,
    rules: &PlaceRules,
) -> Entry {
    let lets_in = audience.access == Access::Pairing && rules.everybody == Some(true) && !place.kind.is_private();
    match entry(audience, place, speaker, role) {
        Entry::Ignored if lets_in => Entry::Welcome,
        entry => entry,
    }
}

/// The ids by which lists name a place: its own, that of the channel that it is a thread of, and its space's.
fn around(place: &Place) -> impl Iterator<Item = &str> {
    let space = place.space.as_ref().map(|space| space.external_id.as_str());
    [Some(place.external_id.as_str()), place.parent.as_deref(), space]
        .into_iter()
        .flatten()
}

/// Whether a message speaks to the bot.
pub fn is_addressed(audience: &Audience, place: &Place, addressed: Addressed, text: &str) -> bool {
    let always = |id: &str| audience.always.iter().any(|place| place.as_str() == id);
    place.kind.is_private()
        || addressed.mention
        || addressed.reply
        || around(place).any(always)
        || wake::wakes(&audience.wake_words, text)
}

/// Whether a message in a thread that the bot follows is heard, though it does not speak to the bot. `here`: what is
/// set for the place.
pub fn follows(audience: &Audience, place: &Place, here: Option<bool>) -> bool {
    place.kind == PlaceKind::Thread && here.unwrap_or(audience.follow_threads)
}

#[cfg(test)]
mod tests {
    use clifford_chat::{access::Id, inbound::Space, role::PlatformRole};

    use super::*;

    fn speaker(roles: &[&str]) -> Speaker {
        Speaker {
            id: "7".into(),
            name: "Ada".into(),
            handle: None,
            is_bot: false,
            language: None,
            roles: Some(roles.iter().map(|role| PlatformRole::word(role)).collect()),
        }
    }

    fn place(kind: PlaceKind, id: &str, space: Option<&str>) -> Place {
        let space = space.map(|id| Space {
            external_id: id.into(),
            name: None,
        });
        Place {
            platform: Platform::new("telegram"),
            external_id: id.into(),
            parent: None,
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
        let thread = Place {
            parent: Some("-2".into()),
            ..place(PlaceKind::Thread, "-3", Some("-1"))
        };
        let audience = |access, allow: &[&str]| Audience {
            access,
            allow: allow.iter().copied().map(Id::from).collect(),
            ..Audience::default()
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
            (Access::Pairing, &["-2"], &thread, None, Welcome),
            (Access::Pairing, &["-4"], &thread, None, Ignored),
            (Access::Pairing, &["7"], &private, None, Welcome),
            (Access::Allowlist, &[], &private, None, Ignored),
            (Access::Allowlist, &[], &private, Some(UserRole::Member), Ignored),
            (Access::Allowlist, &[], &private, Some(UserRole::Owner), Welcome),
            (Access::Allowlist, &["7"], &private, None, Welcome),
            (Access::Allowlist, &["8"], &private, None, Ignored),
        ];
        for (access, allow, place, role, expected) in cases {
            assert_eq!(
                entry(&audience(access, allow), place, &speaker(&[]), role),
                expected,
                "{access:?} {allow:?} {role:?}"
            );
        }
    }

    #[test]
    fn somebody_who_may_speak_in_private_looks_at_what_is_theirs() {
        use UserRole::{Member, Owner, Stranger};
        let [telegram, discord] = ["telegram", "discord"].map(Platform::new);
        let (browser, here) = ((Platform::WEB, "api:browser-1"), (Platform::TERMINAL, "ada"));
        let looks = |access, role, accounts: &[(Platform, &str)]| {
            let audience = Audience {
                access,
                allow: vec![Id::from("7")],
                ..Audience::default()
            };
            let open = Audience {
                access: Access::Open,
                ..Audience::default()
            };
            let of = |platform: Platform| match platform.as_str() {
                "telegram" => Some(&audience),
                "discord" => None,
                _ => Some(&open),
            };
            super::looks(role, accounts, of)
        };
        let (listed, other) = ((telegram, "7"), (telegram, "8"));
        let cases = [
            (Access::Open, Stranger, &[other, browser][..], true),
            (Access::Pairing, Stranger, &[other, browser], false),
            (Access::Pairing, Stranger, &[listed], true),
            (Access::Pairing, Member, &[other], true),
            (Access::Allowlist, Stranger, &[other], false),
            (Access::Allowlist, Member, &[other, browser], false),
            (Access::Allowlist, Member, &[listed], true),
            (Access::Allowlist, Member, &[other, (discord, "8")], true),
            (Access::Allowlist, Member, &[other, here], true),
            (Access::Allowlist, Owner, &[other], true),
            // A platform that is not set up any more lets nobody in who is not known.
            (Access::Open, Stranger, &[(discord, "8")], false),
            // Nothing but the role is known of them.
            (Access::Open, Member, &[browser], true),
            (Access::Open, Member, &[], true),
            (Access::Open, Member, &[here], true),
            (Access::Open, Stranger, &[browser], false),
            (Access::Open, Stranger, &[here], false),
            (Access::Open, Owner, &[], true),
        ];
        for (access, role, accounts, expected) in cases {
            assert_eq!(
                looks(access, role, accounts),
                expected,
                "{access:?} {role:?} {accounts:?}"
            );
        }
    }

    #[test]
    fn an_owner_lets_everybody_of_a_place_in() {
        use Entry::{Ignored, Pair, Welcome};
        let (private, group) = (
            place(PlaceKind::Private, "7", None),
            place(PlaceKind::Group, "-1", Some("-1")),
        );
        let enters = |access, place: &Place, everybody| {
            let audience = Audience {
                access,
                ..Audience::default()
            };
            let rules = PlaceRules {
                everybody,
                ..PlaceRules::default()
            };
            entry_here(&audience, place, &speaker(&[]), None, &rules)
        };
        assert_eq!(
            [None, Some(false), Some(true)].map(|everybody| enters(Access::Pairing, &group, everybody)),
            [Ignored, Ignored, Welcome]
        );
        assert_eq!(enters(Access::Pairing, &private, Some(true)), Pair);
        // A list is what it says.
        assert_eq!(enters(Access::Allowlist, &group, Some(true)), Ignored);
    }

    #[test]
    fn managers_say_who_uses_it_and_where_it_speaks() {
        let rules = PlaceRules {
            use_roles: vec!["Staff".to_owned()],
            ..PlaceRules::default()
        };
        assert!(rules.admits(&speaker(&["staff"]), None));
        assert!(!rules.admits(&speaker(&["guests"]), Some(UserRole::Member)));
        assert!(rules.admits(&speaker(&[]), Some(UserRole::Owner)));
        assert!(PlaceRules::default().admits(&speaker(&[]), None));
        let answers = |speaks| {
            let rules = PlaceRules {
                speaks,
                ..PlaceRules::default()
            };
            [true, false].map(|is_addressed| rules.answers(is_addressed))
        };
        assert_eq!(answers(None), [true, false]);
        assert_eq!(answers(Some(Speaks::Addressed)), [true, false]);
        assert_eq!(answers(Some(Speaks::Always)), [true, true]);
        assert_eq!(answers(Some(Speaks::Never)), [false, false]);
        let approving = PlaceRules {
            approve_roles: vec!["7".to_owned()],
            ..PlaceRules::default()
        };
        assert!(approving.approves(&speaker(&["7"])) && !approving.approves(&speaker(&["8"])));
        assert!(!PlaceRules::default().approves(&speaker(&["7"])));
    }

    #[test]
    fn a_role_lets_its_bearers_speak_in_shared_places() {
        let audience = Audience {
            access: Access::Allowlist,
            allow_roles: vec!["Staff".to_owned()],
            ..Audience::default()
        };
        let (private, group) = (
            place(PlaceKind::Private, "7", None),
            place(PlaceKind::Group, "-1", Some("-1")),
        );
        let enters = |place, roles: &[&str]| entry(&audience, place, &speaker(roles), None);
        assert_eq!(enters(&group, &["staff"]), Entry::Welcome);
        assert_eq!(enters(&group, &["guests"]), Entry::Ignored);
        assert_eq!(enters(&private, &["staff"]), Entry::Ignored);
        let untold = Speaker {
            roles: None,
            ..speaker(&[])
        };
        assert_eq!(entry(&audience, &group, &untold, None), Entry::Ignored);
    }

    #[test]
    fn threads_are_followed_as_the_place_says_else_as_the_platform_does() {
        let audience = |follow_threads| Audience {
            follow_threads,
            ..Audience::default()
        };
        let thread = place(PlaceKind::Thread, "-1:2", Some("-1"));
        let group = place(PlaceKind::Group, "-1", Some("-1"));
        let cases = [
            (true, &thread, None, true),
            (true, &thread, Some(false), false),
            (false, &thread, None, false),
            (false, &thread, Some(true), true),
            (true, &group, Some(true), false),
        ];
        for (platform, place, here, expected) in cases {
            assert_eq!(
                follows(&audience(platform), place, here),
                expected,
                "{platform} {here:?}"
            );
        }
    }

    #[test]
    fn in_a_shared_place_only_what_is_addressed_is_answered() {
        let audience = Audience {
            wake_words: vec!["Clifford".into()],
            always: vec!["-5".into()],
            ..Audience::default()
        };
        let group = place(PlaceKind::Group, "-1", Some("-1"));
        let thread = Place {
            parent: Some("-5".into()),
            ..place(PlaceKind::Thread, "-6", Some("-1"))
        };
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
            (&group, none, "Clifford's dog barks", false),
            (&group, none, "Clifford’s dog, is it his?", false),
            (&group, none, "@clifford_two: go on", false),
            (&group, none, "@my_clifford go on", false),
            (&group, none, "clifford@example.org is his address", false),
            (&group, none, "clifford.example.org, is it up?", false),
            (&group, none, "_Clifford_ what is it", true),
            (&group, none, "Clifford今天天气怎么样", true),
            (&group, none, "我喜欢clifford乐队", false),
            (&group, none, "Clifford... are you there", true),
            (&group, none, "Clifford - what is it", true),
            (&group, none, "we saw clifford.", false),
            (&group, none, "the clifford", false),
            (&group, none, "", false),
            (&place(PlaceKind::Group, "-5", None), none, "hello all", true),
            (&place(PlaceKind::Thread, "-5:9", Some("-5")), none, "hello all", true),
            (&thread, none, "hello all", true),
            (&place(PlaceKind::Private, "7", None), none, "hello", true),
        ];
        for (place, addressed, text, expected) in cases {
            assert_eq!(is_addressed(&audience, place, addressed, text), expected, "{text}");
        }
    }
}
