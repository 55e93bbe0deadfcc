//! What is learnt of guilds, and what is told of them.

use super::*;

#[test]
fn a_guild_tells_of_its_channels_and_threads() {
    let directory = Directory::default();
    let guild = r#"{"id": "1", "name": "Home", "channels": [
        {"id": "2", "type": 0, "name": "general", "parent_id": "3"}, {"id": "3", "type": 4, "name": "a category"}],
        "threads": [{"id": "4", "type": 11, "name": "a thread", "guild_id": "1", "parent_id": "2"}],
        "roles": [{"id": "7", "name": "Moderator"}, "no role"]}"#;
    directory.guild(serde_json::from_str(guild).unwrap());
    let space = Space {
        external_id: "1".to_owned(),
        name: Some("Home".to_owned()),
    };
    let place = |id: &str, kind, name: &str| Place {
        platform: crate::PLATFORM,
        external_id: id.to_owned(),
        parent: None,
        kind,
        name: Some(name.to_owned()),
        space: Some(space.clone()),
    };
    assert_eq!(directory.place(2), Some(place("2", PlaceKind::Group, "general")));
    assert_eq!(directory.place(3), None);
    for (guild, named, expected) in [
        (Some(1), Named::Channel(2), Some("general")),
        (Some(1), Named::Role(7), Some("Moderator")),
        (Some(9), Named::Channel(2), None),
        (Some(9), Named::Role(7), None),
        (None, Named::Channel(2), None),
        (None, Named::Origin(2), Some("general")),
        (Some(1), Named::Origin(2), Some("general")),
        (Some(9), Named::Origin(2), None),
    ] {
        assert_eq!(
            directory.name(guild, named).as_deref(),
            expected,
            "{named:?} in {guild:?}"
        );
    }
    let thread = Place {
        parent: Some("2".to_owned()),
        ..place("4", PlaceKind::Thread, "a thread")
    };
    assert_eq!(directory.place(4), Some(thread));
    let named = |ids: &[u64]| {
        let roles = directory.named_roles(1, ids).into_iter();
        roles.map(|role| (role.id, role.name)).collect::<Vec<_>>()
    };
    let role = |id: &str, name: &str| (id.to_owned(), name.to_owned());
    assert_eq!(named(&[7, 8]), [role("7", "Moderator"), role("8", "")]);
    let renamed = serde_json::json!({"id": "7", "name": "Staff"});
    directory.role(1, RoleInfo::read(&renamed).unwrap());
    assert_eq!(named(&[7]), [role("7", "Staff")]);
    directory.forget_role(1, 7);
    assert_eq!(named(&[7]), [role("7", "")]);
    directory.forget_guild(1);
    assert_eq!(directory.place(2), None);
}

#[test]
fn only_another_name_is_told_as_one() {
    let directory = Directory::default();
    let guild =
        |name: &str| directory.guild(serde_json::from_value(serde_json::json!({"id": "1", "name": name})).unwrap());
    let channel = |name: Option<&str>| {
        let info = serde_json::json!({"id": "2", "type": 0, "guild_id": "1", "name": name});
        directory.channel(serde_json::from_value(info).unwrap())
    };
    assert_eq!((guild("Home"), guild("Home")), (None, None));
    assert_eq!(guild("House"), Some((1, "House".to_owned())));
    assert_eq!((channel(Some("general")), channel(Some("general"))), (None, None));
    assert_eq!(channel(Some("lobby")), Some((2, "lobby".to_owned())));
    assert_eq!((channel(None), channel(Some("lobby"))), (None, None));
}

#[test]
fn a_guild_tells_all_names_when_it_comes_and_none_when_it_changes() {
    let read = |guild: Value| GuildInfo::from(guild).names();
    let come = serde_json::json!({"id": "1", "name": "Home", "channels": [{"id": "2", "type": 0, "name": "general"}],
        "threads": [{"id": "3", "type": 11, "name": "Plans"}, {"id": "4", "type": 11}]});
    let expected = Names {
        platform: crate::PLATFORM,
        space: "1".to_owned(),
        name: Some("Home".to_owned()),
        places: [("2", "general"), ("3", "Plans")]
            .map(|(id, name)| (id.to_owned(), name.to_owned()))
            .to_vec(),
    };
    assert_eq!(read(come), Some(expected));
    assert_eq!(read(serde_json::json!({"id": "1", "name": "House"})), None);
}

#[test]
fn a_guild_is_greeted_soon_after_the_bot_joined_it() {
    let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
    let channels =
        r#"[{"id": "3", "type": 0, "position": 2}, {"id": "4", "type": 0, "position": 1}, {"id": "5", "type": 2}]"#;
    let cases = [
        (
            r#""joined_at": "2026-01-01T11:59:00.000000+00:00", "system_channel_id": "3""#,
            Some(3),
        ),
        (
            r#""joined_at": "2026-01-01T11:59:00.000000+00:00", "system_channel_id": null"#,
            Some(4),
        ),
        (
            r#""joined_at": "2025-12-31T12:00:00.000000+00:00", "system_channel_id": "3""#,
            None,
        ),
        (r#""joined_at": 7, "system_channel_id": "3""#, None),
        (r#""system_channel_id": "3""#, None),
    ];
    for (fields, expected) in cases {
        let guild = format!(r#"{{"id": "1", {fields}, "channels": {channels}}}"#);
        let guild: GuildInfo = serde_json::from_str(&guild).unwrap();
        assert_eq!(guild.joined(now), expected, "{fields}");
    }
}

#[test]
fn a_channel_without_a_guild_is_a_direct_message() {
    let directory = Directory::default();
    assert_eq!(directory.place_within(5, None).kind, PlaceKind::Private);
    assert_eq!(directory.place_within(5, Some(1)).kind, PlaceKind::Group);
}
