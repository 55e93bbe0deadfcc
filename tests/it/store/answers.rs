//! Which messages answer a question, and whose.

use clifford_chat::{inbound::Speaker, platform::Platform};
use clifford_content::search::find::SearchHit;
use clifford_core::{
    clock::Timestamp,
    id::MessageId,
    people::UserRole,
    search::{Request, Scope, SearchInput},
};
use clifford_fakes::corpus;
use clifford_store::{
    contexts,
    messages::{self, NewInbound},
    people::users,
};
use jiff::{civil::Date, tz::TimeZone};

use super::{
    search::group,
    world::{NOW, World, place, speaker},
};

pub async fn a_question_finds_what_answers_it_in_other_words(world: World) {
    for text in [
        "my cat is named Zorro",
        "the weather is nice today",
        "I bought a new bike last week",
        "Wir haben zwei Hunde adoptiert",
        "what is it called?",
        "nothing of that",
    ] {
        world.say(text).await;
    }
    for (question, answer) in [
        ("What is the name of my cat?", "my **cat** is **named** Zorro"),
        ("cats", "my **cat** is named Zorro"),
        ("When did I buy a bike?", "I **bought** a new **bike** last week"),
        ("Welche Hunde haben wir?", "Wir haben zwei **Hunde** adoptiert"),
        ("hund", "Wir haben zwei **Hunde** adoptiert"),
    ] {
        assert_eq!(
            world.finds(question).await.first().map(String::as_str),
            Some(answer),
            "{question}"
        );
    }
}

pub async fn a_hit_comes_with_what_stands_before_and_after_it(world: World) {
    let mut ids = Vec::new();
    for text in [
        "What is your cat called?",
        "Zorro!",
        &"a long story ".repeat(40),
        "the end",
    ] {
        ids.push(world.say(text).await);
    }
    let found = world.search(Scope::Person(world.user.id), "zorro").await;
    let first = &found[0];
    assert_eq!(first.message.id, ids[1]);
    let [before, after] = [&first.before, &first.after].map(|near| near.as_ref().expect("one beside it"));
    assert_eq!(
        (before.id, before.content.as_str()),
        (ids[0], "What is your cat called?")
    );
    assert_eq!(after.id, ids[2]);
    assert_eq!(after.content.chars().count(), 201);
    let last = world.search(Scope::Person(world.user.id), "end").await;
    assert_eq!((last[0].message.id, &last[0].after), (ids[3], &None));
    // The answer is found beside its question.
    let beside: Vec<_> = world.search(Scope::Person(world.user.id), "cat").await;
    assert_eq!(
        beside[..2].iter().map(|found| found.message.id).collect::<Vec<_>>(),
        ids[..2]
    );
}

pub async fn a_time_that_is_named_counts_and_one_that_is_given_bounds(world: World) {
    const DAY: i64 = 86_400_000;
    let mut ids = Vec::new();
    // The newest last: of March and of May 2023, and of today.
    for (days, text) in [
        (0, "the dentist called"),
        (60, "the dentist called"),
        (90, "so did the bank"),
    ] {
        let at = Timestamp(1_678_000_000_000 + days * DAY);
        let message = NewInbound {
            sent_at: at,
            ..world.text(text)
        };
        ids.push(message.id);
        assert!(world.store(message).await);
    }
    let recent = world.say("the dentist called").await;
    let found = async |text: &str, from: Option<&str>, to: Option<&str>| {
        let asked = SearchInput { text, from, to };
        let scope = Scope::Person(world.user.id);
        let request = Request::read(asked, scope, TimeZone::UTC, NOW).expect("a request");
        let page = clifford_content::search::find::find(&world.db, request)
            .await
            .expect("searches");
        page.items.iter().map(|found| found.message.id).collect::<Vec<_>>()
    };
    assert_eq!(found("dentist in May 2023", None, None).await[0], ids[1]);
    assert_eq!(found("the dentist in March", None, None).await[0], ids[0]);
    assert_eq!(found("dentist", None, Some("2023")).await[..2], [ids[1], ids[0]]);
    assert_eq!(found("dentist", Some("2023-03"), Some("2023-03")).await, [ids[0]]);
    assert_eq!(
        found("dentist", Some("2023-07"), Some("2023")).await,
        Vec::<MessageId>::new()
    );
    assert_eq!(found("dentist", Some("2024"), None).await, [recent]);
}

pub async fn a_question_of_nothing_but_a_time_lists_what_was_said_then(world: World) {
    const DAY: i64 = 86_400_000;
    // Not in the order in which it was said: platforms hand things over late.
    let mut said = Vec::new();
    for (at, text) in [
        ("2025-12-31T09:00:00Z", "yes, tomorrow"),
        ("2023-05-08T10:00:00Z", "the heron came"),
        ("2023-05-08T09:00:00Z", "the 15\" monitor"),
        ("2023-03-15T09:00:00Z", "a stork until 2024-02-09"),
        ("2024-05-09T09:00:00Z", "on 8 June we meet the dentist"),
    ] {
        let at = at.parse::<jiff::Timestamp>().expect("a time").into();
        let message = NewInbound {
            sent_at: at,
            ..world.text(text)
        };
        said.push(message.id);
        assert!(world.store(message).await);
    }
    let stranger = world.stranger().await;
    let strangers = world.elsewhere(place("2"), Some(stranger)).await;
    let message = NewInbound {
        sent_at: Timestamp(NOW.0 - DAY / 2),
        ..strangers.text("a secret")
    };
    assert!(strangers.store(message).await);
    let [yes, heron, monitor, stork, dentist] = said[..] else {
        panic!("five messages");
    };
    let scope = Scope::Person(world.user.id);
    let read = |text: &str, from: Option<&str>, to: Option<&str>| {
        let asked = SearchInput { text, from, to };
        Request::read(asked, scope, TimeZone::UTC, NOW).expect("a request")
    };
    for (text, from, to, expected) in [
        ("what did I say yesterday?", None, None, &[yes][..]),
        ("yesterday", None, None, &[yes]),
        ("gestern", None, None, &[yes]),
        ("What did we talk about last week?", None, None, &[]),
        ("What happened on 2023-03-15?", None, None, &[stork]),
        ("in May", None, None, &[dentist, heron, monitor]),
        ("in May", None, Some("2023"), &[heron, monitor]),
        ("in May 2023", None, None, &[heron, monitor]),
        ("8. Mai", None, None, &[heron, monitor]),
        ("08.05.2023 or 15.03.2023", None, None, &[heron, monitor, stork]),
        ("", Some("2023-05"), Some("2024"), &[dentist, heron, monitor]),
        ("", Some("2023-05-08T09:30"), Some("2023-05-08T11:00"), &[heron]),
        ("what did I say", None, Some("2023-03"), &[stork]),
        ("", Some("2022"), Some("2022"), &[]),
        // Nothing was said then, but something of it.
        ("What is on 8 June?", None, None, &[dentist]),
        ("What is on 2024-02-09?", None, None, &[stork]),
        ("Berichte vom 09.02.2024", None, None, &[]),
        // No June has that day.
        ("What did we talk about on 31 June?", None, None, &[dentist]),
        // An inch is no quote, and words are words.
        ("15\" monitor and 17\" tv", None, None, &[monitor]),
        ("the monitor of 2023-05-08", None, None, &[monitor]),
    ] {
        let request = read(text, from, to);
        let page = clifford_content::search::find::find(&world.db, request)
            .await
            .expect("searches");
        let found: Vec<_> = page.items.iter().map(|found| found.message.id).collect();
        let count = expected.len().max(usize::from(expected.is_empty()));
        assert_eq!(
            found.iter().copied().take(count).collect::<Vec<_>>(),
            expected,
            "{text}"
        );
    }
    // Page by page, each once, whatever is said meanwhile.
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let request = Request {
            limit: 2,
            cursor,
            ..read("", Some("2023"), None)
        };
        let page = clifford_content::search::find::find(&world.db, request)
            .await
            .expect("searches");
        found.extend(page.items.iter().map(|found| (found.message.id, found.snippet.clone())));
        world.say("and more").await;
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    let texts = [
        (yes, "yes, tomorrow"),
        (dentist, "on 8 June we meet the dentist"),
        (heron, "the heron came"),
        (monitor, "the 15\" monitor"),
        (stork, "a stork until 2024-02-09"),
    ];
    assert_eq!(found, texts.map(|(id, text)| (id, text.to_owned())));
}

pub async fn a_listing_holds_all_that_was_said_then_whenever_it_was_stored(world: World) {
    const DAY: i64 = 86_400_000;
    const COUNT: i64 = 120;
    type IsThen = fn(Date) -> bool;
    // Weeks apart for years, some of it long after it was said.
    let messages = (0..COUNT).map(|number| {
        let stored = NOW.0 - (COUNT - number) * 23 * DAY;
        let late = match number % 5 {
            0 => number * 37 % 900,
            1 => 2,
            _ => 0,
        };
        // Sometimes the clock has been stepped back, and ids go on from where it was.
        let ahead = if number % 7 == 0 { number * 11 % 200 } else { 0 };
        let message = NewInbound {
            id: MessageId::first_at(Timestamp(stored + ahead * DAY)),
            sent_at: Timestamp(stored - late * DAY),
            ..world.text("something")
        };
        (message, Timestamp(stored))
    });
    let messages: Vec<_> = messages.collect();
    let mut said: Vec<_> = messages.iter().map(|(one, _)| (one.sent_at, one.id)).collect();
    said.sort_unstable();
    said.reverse();
    let stored = world.db.write(move |tx| {
        Box::pin(async move {
            for (message, at) in &messages {
                messages::insert_inbound(tx, message, *at).await?;
            }
            Ok(())
        })
    });
    stored.await.expect("stores");
    let cases: [(&str, Option<&str>, Option<&str>, IsThen); 7] = [
        ("", Some("2016"), None, |_| true),
        ("", Some("2025-11"), None, |date| date >= Date::constant(2025, 11, 1)),
        ("", None, Some("2019"), |date| date.year() <= 2019),
        ("in May", None, None, |date| date.month() == 5),
        ("in May or in June", Some("2020-06"), Some("2022-05"), |date| {
            matches!(date.month(), 5 | 6) && date >= Date::constant(2020, 6, 1) && date < Date::constant(2022, 6, 1)
        }),
        ("2020 or 2022-02", None, None, |date| {
            date.year() == 2020 || (date.year() == 2022 && date.month() == 2)
        }),
        ("in 1999", None, None, |_| false),
    ];
    for (text, from, to, is_then) in cases {
        let date = |at: Timestamp| at.to_jiff().to_zoned(TimeZone::UTC).date();
        let expected: Vec<_> = (said.iter())
            .filter(|(at, _)| is_then(date(*at)))
            .map(|(_, id)| *id)
            .collect();
        let (mut found, mut cursor) = (Vec::new(), None);
        loop {
            let asked = SearchInput { text, from, to };
            let request = Request {
                cursor,
                limit: 30,
                ..Request::read(asked, Scope::Person(world.user.id), TimeZone::UTC, NOW).expect("a request")
            };
            let page = clifford_content::search::find::find(&world.db, request)
                .await
                .expect("searches");
            found.extend(page.items.iter().map(|found| found.message.id));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(found, expected, "{text} {from:?} {to:?}");
    }
}

pub async fn what_others_say_changes_nothing_of_what_somebody_finds(world: World) {
    let stranger = world.stranger().await;
    let strangers = world.elsewhere(place("2"), Some(stranger)).await;
    for n in 0..30 {
        world.say(&format!("the garden has {n} roses and the cat sleeps")).await;
        world.say(&format!("number {n} was a parrot")).await;
    }
    let questions = ["garden roses", "What does the cat do?", "parrots", "number 7"];
    let mut before = Vec::new();
    for question in questions {
        before.push(world.search(Scope::Person(world.user.id), question).await);
    }
    strangers
        .say_all(
            (0..300)
                .map(|n| format!("parrot garden cat {n} roses rose parrots"))
                .collect(),
        )
        .await;
    for (question, before) in questions.iter().zip(before) {
        assert_eq!(
            world.search(Scope::Person(world.user.id), question).await,
            before,
            "{question}"
        );
    }
}

pub async fn questions_find_their_answers_in_long_conversations_and_nobody_finds_those_of_others(world: World) {
    let corpus = corpus::corpus(3, 6, 8);
    let mut homes = Vec::new();
    for (number, conversation) in corpus.conversations.iter().enumerate() {
        let home = match conversation.person {
            None => world.elsewhere(group("club", "club"), None).await,
            Some(name) => {
                let speaker = Speaker {
                    name: name.to_owned(),
                    ..speaker(&format!("person {number}"))
                };
                let made = world.db.write(move |tx| {
                    Box::pin(async move {
                        users::find_or_create(tx, Platform::new("telegram"), &speaker, UserRole::Member, NOW).await
                    })
                });
                let user = made.await.expect("a person").id;
                world.elsewhere(place(&format!("chat {number}")), Some(user)).await
            }
        };
        let mut ids = Vec::new();
        for session in &conversation.sessions {
            let at = Timestamp(session.at);
            let (channel, begin) = (home.channel.clone(), at);
            let context = world
                .db
                .write(move |tx| Box::pin(async move { contexts::begin(tx, &channel, None, begin).await }))
                .await
                .expect("begins");
            let lines = session.lines.iter().map(|line| NewInbound {
                context_id: Some(context),
                sent_at: at,
                ..home.text(line)
            });
            let lines: Vec<_> = lines.collect();
            ids.push(lines.iter().map(|line| line.id).collect::<Vec<_>>());
            let stored = world.db.write(move |tx| {
                Box::pin(async move {
                    for line in &lines {
                        messages::insert_inbound(tx, line, at).await?;
                    }
                    Ok(())
                })
            });
            stored.await.expect("stores");
        }
        let scope = match home.channel.user_id {
            Some(user) => Scope::Person(user),
            None => Scope::Channel(home.channel.id),
        };
        homes.push((scope, home.channel.id, ids));
    }
    let mut answered = 0;
    for (place, question) in corpus.questions.iter().enumerate() {
        // Where it is asked of its own conversation, and by turns in the others.
        let other = (question.conversation + 1 + place % (homes.len() - 1)) % homes.len();
        for number in [question.conversation, other] {
            let (scope, channel, ids) = &homes[number];
            let asked = SearchInput {
                text: &question.text,
                ..SearchInput::default()
            };
            let request = Request::read(asked, *scope, TimeZone::UTC, NOW).expect("a request");
            let items = clifford_content::search::find::find(&world.db, request)
                .await
                .expect("searches")
                .items;
            assert!(items.iter().all(|found| found.message.channel_id == *channel));
            let answers = |found: &SearchHit| {
                question
                    .answers
                    .iter()
                    .any(|(session, line)| ids[*session][*line] == found.message.id)
            };
            answered += usize::from(number == question.conversation && items.iter().any(answers));
        }
    }
    let least = corpus.questions.len() * 8 / 10;
    assert!(answered >= least, "{answered} of {}", corpus.questions.len());
}

pub async fn a_word_is_found_in_every_script_however_it_is_written(world: World) {
    for (said, asked, shown) in [
        (
            "Das Café an der Straße",
            "CAFE STRASSE",
            "Das **Café** an der **Straße**",
        ),
        ("Ещё одна ёлка", "елка", "Ещё одна **ёлка**"),
        ("明日は東京タワーに行く", "東京", "明日は**東京**タワーに行く"),
        ("猫の名前はゾロです", "猫の名前は?", "**猫の名前は**ゾロです"),
        ("오늘 한국어 공부", "한국", "오늘 **한국**어 공부"),
        ("ฉันชอบแมวมาก", "แมว", "ฉันชอบ**แมว**มาก"),
        ("हिन्दी में", "हिन्दी", "**हिन्दी** में"),
        ("שָׁלוֹם עולם", "שלום", "**שָׁלוֹם** עולם"),
        ("let foo_bar = 1;", "foo_bar", "let **foo\\_bar** = 1;"),
        (
            "see https://example.com/path",
            "example.com",
            "see https://**example.com**/path",
        ),
        ("party 🎉!", "🎉", "party **🎉**!"),
    ] {
        world.say(said).await;
        assert_eq!(world.finds(asked).await[0], shown, "{asked}");
    }
}
