//! Two accounts become one person's, and an account becomes a person of its own.

use std::time::Duration;

use clifford_chat::platform::Platform;
use clifford_core::{
    clock::Timestamp,
    id::UserSecretId,
    people::{User, UserRole},
    work::JobKind,
};
use clifford_ingress::identity::Refusal;
use clifford_store::{
    StoreError, contexts,
    inbound_lookup::{self, LookupKey, Sought, find_plain},
    jobs::{self, NewJob},
    messages::{self, NewInbound},
    people::{
        keys::{self as user_secrets, EncryptedKey},
        links::{self, Remembered},
    },
    places::{channels, settings},
    runs,
};
use futures::future::join_all;

use super::{
    people::{
        Person, ada, behind, belongings, code_of, count, enter, execute, meet, owned, part, remember, run_of, said,
        texts, write,
    },
    world::{NOW, World},
};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

pub async fn who_enters_a_code_becomes_part_of_who_made_it_with_all_that_is_theirs(world: World) {
    let db = &world.db;
    let (ada, other) = (
        ada(&world),
        meet(&world, Platform::new("discord"), "2", UserRole::Member).await,
    );
    belongings(&world, &other).await;
    let code = code_of(db, &ada, NOW).await;
    let before = owned(db, other.user.id).await;
    assert!(before.iter().all(|(_, rows)| *rows > 0), "{before:?}");
    let there = owned(db, ada.user.id).await;

    assert_eq!(enter(db, &other, &code, NOW).await, Ok(ada.user.clone()));

    let expected: Vec<_> = before
        .iter()
        .zip(there)
        // The codes of both are gone.
        .map(|((table, moved), (_, there))| (*table, if *table == "link_codes" { 0 } else { moved + there }))
        .collect();
    assert_eq!(owned(db, ada.user.id).await, expected);
    assert!(owned(db, other.user.id).await.iter().all(|(_, rows)| *rows == 0));
    assert_eq!(count(db, "users").await, 1);
    assert_eq!(behind(db, &other).await, ada.user);
    let known = links::remembered(&mut db.read().await.expect("reads"), ada.user.id).await;
    assert_eq!(
        known.expect("reads"),
        Remembered {
            in_private: 1,
            elsewhere: 0
        }
    );
}

pub async fn of_two_items_for_one_key_the_one_seen_later_stays_and_levels_keep_their_size(world: World) {
    let db = &world.db;
    let (ada, other) = (
        ada(&world),
        meet(&world, Platform::new("discord"), "2", UserRole::Member).await,
    );
    let at = |minutes: u32| NOW.after(MINUTE * minutes);
    // Level 5 holds six; so many are left of both.
    for (person, key, value, level, seen) in [
        (&ada, "tea", "green", 1, at(1)),
        (&other, "tea", "black", 1, at(2)),
        (&ada, "music", "jazz", 1, at(3)),
        (&other, "music", "rock", 1, at(2)),
        (&ada, "same", "mine", 1, at(4)),
        (&other, "same", "theirs", 1, at(4)),
        (&ada, "a1", "old and pinned", 5, at(1)),
        (&ada, "a2", "v", 5, at(12)),
        (&ada, "a3", "v", 5, at(13)),
        (&ada, "a4", "v", 5, at(14)),
        (&other, "b1", "oldest", 5, at(2)),
        (&other, "b2", "older", 5, at(3)),
        (&other, "b3", "v", 5, at(15)),
        (&other, "b4", "v", 5, at(16)),
    ] {
        remember(db, person, key, value, level, seen).await;
    }
    execute(db, "UPDATE memory_items SET pinned = TRUE WHERE key = 'a1'".to_owned()).await;
    let code = code_of(db, &ada, NOW).await;
    enter(db, &other, &code, NOW).await.expect("links");
    let items = |archived: &str| {
        format!(
            "SELECT key || '=' || value FROM memory_items WHERE user_id = '{}' AND {archived} ORDER BY key, value",
            ada.user.id
        )
    };
    assert_eq!(
        texts(db, items("NOT archived")).await,
        [
            "a1=old and pinned",
            "a2=v",
            "a3=v",
            "a4=v",
            "b3=v",
            "b4=v",
            "music=jazz",
            "same=mine",
            "tea=black"
        ]
    );
    assert_eq!(
        texts(db, items("archived")).await,
        ["b1=oldest", "b2=older", "music=rock", "same=theirs", "tea=green"]
    );
}

pub async fn of_two_keys_for_one_provider_the_newer_stays(world: World) {
    let db = &world.db;
    let ada = ada(&world);
    let other = meet(&world, Platform::new("discord"), "2", UserRole::Member).await;
    for (person, provider, encrypted, at) in [
        (&ada, "both", "older", 1),
        (&other, "both", "newer", 2),
        (&ada, "hers", "hers", 1),
        (&other, "his", "his", 1),
    ] {
        let user = person.user.id;
        let key = EncryptedKey {
            id: UserSecretId::new(),
            provider: provider.to_owned(),
            encrypted: encrypted.to_owned(),
        };
        let at = Timestamp(at);
        write(db, move |tx| {
            Box::pin(async move { user_secrets::put(tx, user, &key, at).await })
        })
        .await;
    }
    let code = code_of(db, &ada, NOW).await;
    enter(db, &other, &code, NOW).await.expect("links");
    let mut conn = db.read().await.unwrap();
    let kept = user_secrets::of(&mut conn, ada.user.id).await.unwrap();
    assert!(kept.iter().map(|key| &key.encrypted).eq(["newer", "hers", "his"]));
}

pub async fn of_two_settings_the_one_set_later_stays(world: World) {
    let db = &world.db;
    let (ada, other) = (
        ada(&world),
        meet(&world, Platform::new("discord"), "2", UserRole::Member).await,
    );
    for (person, name, value, minutes) in [
        (&ada, "a", "mine", 1),
        (&other, "a", "theirs", 2),
        (&ada, "b", "mine", 2),
        (&other, "b", "theirs", 1),
        (&other, "c", "theirs", 1),
    ] {
        let scope = person.user.id.to_string();
        write(db, move |tx| {
            Box::pin(async move { settings::put(tx, &scope, name, value, NOW.after(MINUTE * minutes)).await })
        })
        .await;
    }
    let code = code_of(db, &ada, NOW).await;
    enter(db, &other, &code, NOW).await.expect("links");
    let sql = "SELECT name || '=' || value FROM settings ORDER BY name";
    assert_eq!(texts(db, sql).await, ["a=theirs", "b=mine", "c=theirs"]);
    assert_eq!(count(db, &format!("settings WHERE scope = '{}'", ada.user.id)).await, 3);
}

pub async fn a_code_is_good_once_for_ten_minutes_and_until_the_next_is_made(world: World) {
    let db = &world.db;
    let ada = ada(&world);
    let others = [
        meet(&world, Platform::new("discord"), "2", UserRole::Member).await,
        meet(&world, Platform::new("discord"), "3", UserRole::Member).await,
    ];
    let late = NOW.after(MINUTE * 10);
    let expired = code_of(db, &ada, NOW).await;
    assert_eq!(enter(db, &others[0], &expired, late).await, Err(Refusal::NoSuchCode));
    let replaced = code_of(db, &ada, NOW).await;
    let code = code_of(db, &ada, NOW).await;
    assert_eq!(enter(db, &others[0], &replaced, NOW).await, Err(Refusal::NoSuchCode));
    assert_eq!(enter(db, &others[0], "ABCDEFGH", NOW).await, Err(Refusal::NoSuchCode));
    let stored = texts(db, "SELECT code_hash FROM link_codes").await;
    assert_eq!(stored, [clifford_vault::hash(&code)]);
    // Its own account is told so, and the code stays good.
    assert_eq!(enter(db, &ada, &code, NOW).await, Err(Refusal::AlreadyLinked));
    let (head, tail) = code.split_at(4);
    let typed = format!(" {}-{tail} ", head.to_lowercase());
    assert_eq!(
        enter(db, &others[0], &typed, late.before(MINUTE / 60)).await,
        Ok(ada.user.clone())
    );
    assert_eq!(enter(db, &others[1], &code, NOW).await, Err(Refusal::NoSuchCode));
    assert_eq!(count(db, "users").await, 2);
}

pub async fn the_sixth_try_within_an_hour_is_refused_whatever_the_code(world: World) {
    let db = &world.db;
    let (ada, other) = (
        ada(&world),
        meet(&world, Platform::new("discord"), "2", UserRole::Member).await,
    );
    let third = meet(&world, Platform::new("discord"), "3", UserRole::Member).await;
    for minutes in 0..5 {
        let now = NOW.after(MINUTE * minutes);
        assert_eq!(enter(db, &other, "wrong", now).await, Err(Refusal::NoSuchCode));
    }
    let soon = NOW.after(HOUR - MINUTE);
    let code = code_of(db, &ada, soon).await;
    let again = NOW.after(HOUR);
    assert_eq!(enter(db, &other, &code, soon).await, Err(Refusal::TooManyTries(again)));
    // A try that was refused is none, and other accounts have tries of their own.
    assert_eq!(count(db, "link_attempts").await, 5);
    assert_eq!(enter(db, &third, "wrong", soon).await, Err(Refusal::NoSuchCode));
    assert_eq!(enter(db, &other, &code, again).await, Ok(ada.user.clone()));
    // Those that count no more are gone: four of the first five, the third's and the right one are left.
    assert_eq!(count(db, "link_attempts").await, 6);
}

pub async fn an_owner_does_not_become_part_of_somebody_who_is_none(world: World) {
    let db = &world.db;
    let ada = ada(&world);
    let owner = meet(&world, Platform::new("discord"), "2", UserRole::Owner).await;
    let stranger = meet(&world, Platform::new("discord"), "3", UserRole::Stranger).await;
    let trap = code_of(db, &stranger, NOW).await;
    assert_eq!(enter(db, &owner, &trap, NOW).await, Err(Refusal::OtherWayRound));
    assert_eq!(enter(db, &ada, &trap, NOW).await, Err(Refusal::NoSuchCode));
    assert_eq!(count(db, "users").await, 3);
    let code = code_of(db, &owner, NOW).await;
    assert_eq!(enter(db, &ada, &code, NOW).await, Ok(owner.user.clone()));
    assert_eq!(behind(db, &ada).await.role, UserRole::Owner);
}

pub async fn nobody_is_linked_who_is_being_deleted(world: World) {
    let db = &world.db;
    let (ada, other) = (
        ada(&world),
        meet(&world, Platform::new("discord"), "2", UserRole::Member).await,
    );
    let user = ada.user.id;
    write(db, move |tx| {
        Box::pin(async move {
            let job = NewJob {
                kind: JobKind::Erase,
                mode: None,
                context_id: None,
                user_id: Some(user),
                through: None,
                due_at: NOW,
            };
            jobs::insert(tx, job, NOW).await
        })
    })
    .await;
    let code = code_of(db, &ada, NOW).await;
    assert_eq!(enter(db, &other, &code, NOW).await, Err(Refusal::BeingErased));
    assert_eq!(count(db, "users").await, 2);
}

pub async fn two_links_at_once_end_in_one_person(world: World) {
    let db = &world.db;
    let accounts = ["10", "11", "12", "13", "14", "15", "16", "17"];
    for pair in accounts.chunks(2) {
        let one = meet(&world, Platform::new("telegram"), pair[0], UserRole::Member).await;
        let two = meet(&world, Platform::new("discord"), pair[1], UserRole::Member).await;
        belongings(&world, &one).await;
        belongings(&world, &two).await;
        let codes = (code_of(db, &one, NOW).await, code_of(db, &two, NOW).await);
        let both = tokio::join!(enter(db, &one, &codes.1, NOW), enter(db, &two, &codes.0, NOW));
        // The other's code is void with the person who made it.
        assert!(
            matches!(
                both,
                (Ok(_), Err(Refusal::NoSuchCode)) | (Err(Refusal::NoSuchCode), Ok(_))
            ),
            "{both:?}"
        );
        assert_eq!(behind(db, &one).await, behind(db, &two).await);
    }
}

pub async fn one_code_entered_by_many_at_once_links_one_of_them(world: World) {
    let db = &world.db;
    let ada = ada(&world);
    let mut others = Vec::new();
    for id in ["20", "21", "22", "23"] {
        others.push(meet(&world, Platform::new("discord"), id, UserRole::Member).await);
    }
    let code = code_of(db, &ada, NOW).await;
    let entered = join_all(others.iter().map(|other| enter(db, other, &code, NOW))).await;
    assert_eq!(entered.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert_eq!(count(db, "users").await, 4);
}

pub async fn two_codes_entered_at_once_by_accounts_of_one_person_chain(world: World) {
    let db = &world.db;
    let (ada, other) = (
        ada(&world),
        meet(&world, Platform::new("discord"), "2", UserRole::Member).await,
    );
    enter(db, &other, &code_of(db, &ada, NOW).await, NOW)
        .await
        .expect("links");
    let makers = [
        meet(&world, Platform::new("telegram"), "30", UserRole::Member).await,
        meet(&world, Platform::new("telegram"), "31", UserRole::Member).await,
    ];
    let codes = (code_of(db, &makers[0], NOW).await, code_of(db, &makers[1], NOW).await);
    let both = tokio::join!(enter(db, &ada, &codes.0, NOW), enter(db, &other, &codes.1, NOW));
    assert!(both.0.is_ok() && both.1.is_ok(), "{both:?}");
    assert_eq!(count(db, "users").await, 1);
    assert_eq!(behind(db, &ada).await, behind(db, &makers[0]).await);
}

pub async fn what_was_looked_up_for_a_message_before_a_link_is_not_stored_after_it(world: World) {
    let db = &world.db;
    let (ada, other) = (
        ada(&world),
        meet(&world, Platform::new("discord"), "2", UserRole::Member).await,
    );
    let sought = Sought {
        platform: Platform::new("discord"),
        account: "2",
        place: "2",
        space: None,
        parent: None,
        message: LookupKey::ById("new"),
    };
    let found = find_plain(&mut db.read().await.expect("reads"), sought)
        .await
        .expect("reads");
    // No agent is looked for: what was found is who spoke.
    assert_eq!(found.map(|found| found.user), Some(other.user.clone()));
    enter(db, &other, &code_of(db, &ada, NOW).await, NOW)
        .await
        .expect("links");
    let run = run_of(&world, &other);
    let message = NewInbound {
        run_id: Some(run.id),
        ..said(&world, &other, "new", Some(other.context))
    };
    let stored = db
        .write(move |tx| {
            Box::pin(async move {
                runs::insert_if_unchanged(tx, &run, UserRole::Member, NOW).await?;
                messages::insert_inbound(tx, &message, NOW).await
            })
        })
        .await;
    assert!(matches!(stored, Err(StoreError::Conflict(_))), "{stored:?}");
}

pub async fn what_comes_in_while_accounts_are_linked_is_stored_or_fails_at_once(world: World) {
    let db = &world.db;
    let ada = ada(&world);
    for round in ["40", "41", "42", "43", "44", "45"] {
        let other = meet(&world, Platform::new("discord"), round, UserRole::Member).await;
        let code = code_of(db, &ada, NOW).await;
        let sought = Sought {
            platform: Platform::new("discord"),
            account: round,
            place: round,
            space: None,
            parent: None,
            message: LookupKey::ById("none"),
        };
        let comes_in = (0..8).map(|number| {
            let message = said(&world, &other, &format!("{round}.{number}"), Some(other.context));
            db.write(move |tx| {
                Box::pin(async move {
                    let arrival = inbound_lookup::find(tx, sought).await?;
                    contexts::touch(tx, message.context_id.expect("a context"), NOW).await?;
                    let message = NewInbound {
                        user_id: arrival.user.expect("a person").id,
                        ..message
                    };
                    messages::insert_inbound(tx, &message, NOW).await
                })
            })
        });
        let (linked, stored) = tokio::join!(enter(db, &other, &code, NOW), join_all(comes_in));
        assert_eq!(linked, Ok(ada.user.clone()));
        for outcome in stored {
            // It is handed in again then, and found to be the other's. Nobody waits for each other for ever.
            assert!(matches!(outcome, Ok(()) | Err(StoreError::Conflict(_))), "{outcome:?}");
        }
        assert_eq!(count(db, "users").await, 1);
    }
}

pub async fn a_parted_account_takes_what_began_there_and_leaves_the_rest(world: World) {
    let db = &world.db;
    let (ada, other) = (
        ada(&world),
        meet(&world, Platform::new("discord"), "2", UserRole::Member).await,
    );
    belongings(&world, &ada).await;
    belongings(&world, &other).await;
    enter(db, &other, &code_of(db, &ada, NOW).await, NOW)
        .await
        .expect("links");
    let all = owned(db, ada.user.id).await;
    // Each goes on with the other's conversation.
    for (channel, context) in [(ada.channel.id, other.context), (other.channel.id, ada.context)] {
        write(db, move |tx| {
            Box::pin(async move { channels::set_active_context(tx, channel, Some(context)).await })
        })
        .await;
    }
    let parted = part(db, &other).await.expect("parts");
    assert_eq!(
        parted,
        User {
            id: parted.id,
            name: "discord 2".into(),
            ..ada.user.clone()
        }
    );
    assert_eq!(behind(db, &other).await, parted);
    assert_eq!(behind(db, &ada).await, ada.user);
    let (left, gone) = (owned(db, ada.user.id).await, owned(db, parted.id).await);
    for (((table, all), (_, left)), (_, gone)) in all.iter().zip(&left).zip(&gone) {
        if *table == "policies" {
            assert_eq!((left, gone), (all, all), "what is forbidden a person is forbidden both");
            continue;
        }
        assert_eq!(left + gone, *all, "{table}");
        // The person's token, session, passkey, key, codes, setting and its changes stay; of the two items for one key
        // one was archived, and goes along.
        let stays = matches!(
            *table,
            "api_tokens"
                | "sessions"
                | "login_links"
                | "passkeys"
                | "user_secrets"
                | "link_codes"
                | "settings"
                | "setting_changes"
        );
        assert_eq!(*gone > 0, !stays, "{table}");
    }
    for person in [&ada, &other] {
        let channel = channels::get(&mut db.read().await.expect("reads"), person.channel.id).await;
        assert_eq!(channel.expect("reads").expect("a channel").active_context_id, None);
        let context = contexts::get(&mut db.read().await.expect("reads"), person.context).await;
        let owner = context.expect("reads").expect("a context").user_id;
        assert_eq!(owner, Some(behind(db, person).await.id));
    }
}

pub async fn an_account_whose_channel_says_nothing_of_it_takes_the_only_one_of_its_platform(world: World) {
    let db = &world.db;
    let (ada, other) = (
        ada(&world),
        meet(&world, Platform::new("discord"), "2", UserRole::Member).await,
    );
    enter(db, &other, &code_of(db, &ada, NOW).await, NOW)
        .await
        .expect("links");
    execute(db, "UPDATE channels SET account = NULL".to_owned()).await;
    let parted = part(db, &other).await.expect("parts");
    let owner = |person: &Person| format!("SELECT user_id FROM channels WHERE id = '{}'", person.channel.id);
    assert_eq!(texts(db, owner(&other)).await, [parted.id.to_string()]);
    assert_eq!(texts(db, owner(&ada)).await, [ada.user.id.to_string()]);
    // It keeps going on with its own conversation.
    let channel = channels::get(&mut db.read().await.expect("reads"), other.channel.id).await;
    assert_eq!(
        channel.expect("reads").expect("a channel").active_context_id,
        Some(other.context)
    );
}

pub async fn the_only_account_is_not_parted_and_the_owners_first_one_stays_the_owner(world: World) {
    let db = &world.db;
    let owner = meet(&world, Platform::new("discord"), "2", UserRole::Owner).await;
    assert_eq!(part(db, &owner).await, Err(Refusal::OnlyAccount));
    let code = code_of(db, &owner, NOW).await;
    enter(db, &ada(&world), &code, NOW).await.expect("links");
    let parted = part(db, &owner).await.expect("parts");
    let left = behind(db, &ada(&world)).await;
    assert_eq!((left.id, left.role), (owner.user.id, UserRole::Member));
    assert_eq!(parted.role, UserRole::Owner);
}
