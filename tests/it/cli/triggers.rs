//! `clifford triggers`.

use serde_json::json;

use super::Machine;

#[test]
fn a_trigger_is_made_listed_turned_off_and_on_fired_and_removed() {
    let machine = Machine::new();
    // There is a chat to be reminded in.
    machine.pipe("hello\n/quit\n", &["chat"]);
    let triggers = |args: &[&str]| machine.run([&["triggers"], args].concat());
    assert_eq!(
        triggers(&["list"]).succeeds(),
        "no triggers found; `clifford triggers add` makes one\n"
    );
    let added = triggers(&[
        "add",
        "stretch",
        "--reminder",
        "--user",
        "you",
        "--when",
        "every day at 8",
        "--time-zone",
        "Europe/Berlin",
        "--name",
        "stretch",
        "--json",
    ])
    .json();
    assert_eq!(
        (&added["kind"], &added["cron"], &added["timeZone"], &added["createdBy"]),
        (
            &json!("reminder"),
            &json!("0 8 * * *"),
            &json!("Europe/Berlin"),
            &json!("command line")
        )
    );
    let id = added["id"].as_str().expect("an id");
    assert_eq!(triggers(&["disable", "stretch"]).succeeds(), format!("{id}: off\n"));
    triggers(&["fire", "stretch"]).fails_with(&format!("trigger {id} is turned off"));
    assert!(triggers(&["enable", id]).succeeds().contains("08:00 (Europe/Berlin)"));
    assert_eq!(triggers(&["fire", id]).succeeds(), format!("{id}: fired\n"));
    let shown = triggers(&["show", "stretch"]).succeeds();
    for part in [
        "repeats   every day at 08:00",
        "made by   command line",
        "catch up  once",
        "fired     ",
    ] {
        assert!(shown.contains(part), "{part} is missing in {shown}");
    }
    assert!(triggers(&["list", "--user", "you"]).succeeds().contains(id));
    assert_eq!(triggers(&["remove", "stretch"]).succeeds(), format!("{id}: removed\n"));
    triggers(&["show", "stretch"]).fails_with("there is no trigger `stretch`; `clifford triggers list` shows them");
}

#[test]
fn the_secret_of_a_webhook_is_shown_once_and_what_cannot_be_is_named() {
    let machine = Machine::asked("hello");
    let triggers = |args: &[&str]| machine.run([&["triggers"], args].concat());
    let added = triggers(&["add", "look into this", "--webhook", "alarm"]).succeeds();
    let secret = added
        .lines()
        .find(|line| line.starts_with("clf_"))
        .expect("a secret")
        .to_owned();
    assert!(added.contains("POST /api/hooks/alarm"), "{added}");
    for args in [
        &["show", "alarm"][..],
        &["show", "alarm", "--json"],
        &["list", "--json"],
    ] {
        assert!(!triggers(args).succeeds().contains(&secret));
    }
    triggers(&["add", "x", "--webhook", "alarm"])
        .fails_with("there is a trigger called alarm already; `clifford triggers show alarm` shows it");
    triggers(&["add", "x", "--webhook", "No Name"]).fails_with("name: it must be 1 to 64 of a-z, 0-9, - and _");
    triggers(&["add", "x", "--reminder", "--when", "tomorrow"])
        .fails_with("channelId: name the channel where it is said, or the person");
    let too_often = "`* * * * * *` comes due more often than once a minute: leave the seconds out, as in `* * * * *`, or \
                     take an interval of PT1M or longer.";
    triggers(&["add", "x", "--when", "* * * * * *"]).fails_with(too_often);
    triggers(&["add", "x", "--when", "tomorrow", "--repeat", "* * * * * *"]).fails_with(too_often);
    triggers(&["add", "x", "--when", "soon"]).fails_with(&format!(
        "`soon` is no time that I understand. {}",
        clifford_core::schedule::phrase::FORMS
    ));
}

#[test]
fn a_reminder_for_once_that_was_turned_off_says_how_to_make_another() {
    let machine = Machine::new();
    machine.pipe("hello\n/quit\n", &["chat"]);
    let added = machine.run([
        "triggers",
        "add",
        "tea",
        "--reminder",
        "--user",
        "you",
        "--when",
        "in 2 days",
        "--json",
    ]);
    let added = added.json();
    let id = added["id"].as_str().expect("an id");
    machine.run(["triggers", "disable", id]).succeeds();
    machine.run(["triggers", "enable", id]).fails_with(&format!(
        "{id} has no time any more: it was for once, and is over or was turned off; `clifford triggers add` makes a new one"
    ));
}
