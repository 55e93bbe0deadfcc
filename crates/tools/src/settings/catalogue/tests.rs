use clifford_core::{
    id::SpaceId,
    places::{Mode, Speaks, Threads, VoiceReplies, WhenBusy},
};

use clifford_text::Lang;

use super::*;

#[test]
fn the_catalogue_takes_what_places_understand() {
    let words: Vec<_> = WhenBusy::ALL.iter().map(|word| word.as_str()).collect();
    let values = |name| known(Scope::Space(SpaceId::new()), name).map(|known| known.kind.values());
    assert_eq!(values("when_busy"), Ok(&*words));
    let words: Vec<_> = VoiceReplies::ALL.iter().map(|word| word.as_str()).collect();
    assert_eq!(values("voice_replies"), Ok(&*words));
    let words: Vec<_> = Speaks::ALL.iter().map(|word| word.as_str()).collect();
    assert_eq!(values("speaks"), Ok(&*words));
    let words: Vec<_> = Mode::ALL.iter().map(|word| word.as_str()).collect();
    assert_eq!(values("mode"), Ok(&*words));
    let words: Vec<_> = Threads::ALL.iter().map(|word| word.as_str()).collect();
    assert_eq!(values("threads"), Ok(&*words));
}

#[test]
fn a_name_is_known_where_it_may_be_set_and_nothing_of_the_bots_own_is() {
    let user = Scope::User(UserId::new());
    assert_eq!(known(Scope::Bot, "memory").map(|known| known.name), Ok("memory"));
    let cases = [
        (
            user,
            "when_busy",
            "setting `when_busy` of a user: it is set for bot, space, channel",
        ),
        (Scope::Bot, "whenbusy", "setting `whenbusy`; did you mean `when_busy`?"),
        (
            Scope::Bot,
            "last_ready_check",
            "setting `last_ready_check`; for a bot there are when_busy, memory, cross_channel, \
             voice_replies, model, threads, follow_threads, ambient_messages",
        ),
    ];
    for (scope, name, expected) in cases {
        assert_eq!(known(scope, name), Err(expected.to_owned()));
    }
}

#[test]
fn values_are_checked_by_kind() {
    let good = [
        (Kind::Switch, "true", "true"),
        (Kind::Switch, "on", "true"),
        (Kind::Switch, "off", "false"),
        (Kind::Switch, "Aus", "false"),
        (Kind::Switch, "вкл", "true"),
        (Kind::Switch, "desactivado", "false"),
        (Kind::Switch, "オン", "true"),
        (Kind::Switch, "TRUE", "true"),
        (Kind::Word(&["a"]), "a", "a"),
        (Kind::Language, "pt-BR", "pt-BR"),
        (Kind::Language, "zh-Hant-TW", "zh-Hant-TW"),
        (Kind::Language, "Deutsch", "de"),
        (Kind::Language, "german", "de"),
        (Kind::Language, "ESPAÑOL", "es"),
        (Kind::Language, "Русский", "ru"),
        (Kind::Language, "中文", "zh"),
        (Kind::Language, "日本語", "ja"),
        (Kind::Language, "Italiano", "it"),
        (Kind::TimeZone, "Europe/Berlin", "Europe/Berlin"),
        (Kind::TimeZone, "europe/berlin", "Europe/Berlin"),
        (Kind::TimeZone, "UTC", "UTC"),
        (Kind::Name, "Clifford", "Clifford"),
        (Kind::Text(9), " be \n kind", "be kind"),
        (Kind::List, "Staff,42 , Good friends", "Staff, 42, Good friends"),
        (Kind::Budget, "5", "5/month"),
        (Kind::Number(9), "07", "7"),
        (Kind::Budget, "0.5 / day", "0.5/day"),
    ];
    for (kind, text, stored) in good {
        assert_eq!(kind.checked(text), Ok(stored.to_owned()));
    }
    let bad = [
        (Kind::Switch, "yes"),
        (Kind::Switch, ""),
        (Kind::Switch, "on off"),
        (Kind::Word(&["a"]), "b"),
        (Kind::Language, ""),
        (Kind::Language, "e"),
        (Kind::Language, "en_US"),
        (Kind::Language, "en-"),
        (Kind::Language, "Klingon"),
        (Kind::Language, "english please"),
        (Kind::TimeZone, "Berlin"),
        (Kind::TimeZone, ""),
        (Kind::Name, ""),
        (Kind::Name, "two\nlines"),
        (Kind::Text(9), ""),
        (Kind::Text(9), "be very kind"),
        (Kind::List, " , "),
        (Kind::Budget, "lots"),
        (Kind::Number(9), "10"),
        (Kind::Number(9), "-1"),
        (Kind::Budget, "5/year"),
    ];
    for (kind, text) in bad {
        assert!(
            kind.checked(text)
                .is_err_and(|why| why.contains(" is no") || why.contains(" is longer than")),
            "{text}"
        );
    }
}

#[test]
fn a_switch_is_on_or_off_in_the_words_of_its_reader() {
    let mut words = Vec::new();
    for &lang in Lang::ALL {
        let shown = [true, false].map(|on| switch(on, lang));
        assert_eq!(
            shown.each_ref().map(|word| switched(word)),
            [Some(true), Some(false)],
            "{lang:?}"
        );
        let fault = Kind::Switch.read("maybe", lang).map_err(|fault| lang.say(fault));
        let told = fault.expect_err("it is neither");
        assert!(shown.iter().all(|word| told.contains(word.as_str())), "{told}");
        assert!(!told.contains("true") && !told.contains("false"), "{told}");
        words.extend(shown);
    }
    // No word means one thing here and the other there.
    let on: Vec<_> = words.iter().step_by(2).collect();
    assert!(
        words.iter().skip(1).step_by(2).all(|off| !on.contains(&off)),
        "{words:?}"
    );
}

#[test]
fn a_name_that_nothing_has_is_refused_with_the_nearest() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let spec = |name: &str| CATALOGUE.iter().find(|known| known.name == name).expect("a setting");
    for (setting, value, there, expected) in [
        ("model", "strong", names(&["fast", "strong"]), Ok(())),
        (
            "model",
            "stong",
            names(&["fast", "strong"]),
            Err("there is no model `stong`; did you mean `strong`?"),
        ),
        (
            "agent",
            "Nobody",
            names(&["Librarian"]),
            Err("there is no agent `Nobody`; there are Librarian"),
        ),
        ("agent", "Nobody", names(&[]), Err("there is no agent yet")),
        (
            "model",
            "x",
            names(&[]),
            Err("no model can be chosen: llm.choices of bot.toml is empty"),
        ),
        ("persona", "a pirate", names(&[]), Ok(())),
    ] {
        assert_eq!(
            named(spec(setting), value, &there),
            expected.map_err(str::to_owned),
            "{setting} {value}"
        );
    }
}
