use proptest::prelude::*;

use super::*;

fn quotes(said: &[&str], called: &[&str], kept: &[&str]) -> Quotes {
    let mut needles = Needles::default();
    said.iter().for_each(|text| needles.add_text(text));
    called.iter().for_each(|name| needles.add_name(name));
    let mut quotes = needles.ready().expect("few needles");
    kept.iter().for_each(|text| quotes.exempt(text));
    quotes
}

fn without(quotes: &Quotes, text: &str) -> String {
    quotes.without(text).unwrap_or_else(|| text.to_owned())
}

#[test]
fn words_lines_and_names_are_found_whole_whatever_their_case() {
    let quotes = quotes(
        &["I am in to it\nthe Zebrafish sings", "pin 4711", "私の秘密です"],
        &["Ada", "ada_l7", "Zoë Quark"],
        &[],
    );
    let cases = [
        ("zebraFISH!", "[erased]!"),
        ("zebrafishes", "zebrafishes"),
        ("He: i  AM in\nto it.", "He: [erased]."),
        ("I am in", "I am in"),
        ("the", "the"),
        ("THE zebrafish SINGS at 4711", "[erased] at [erased]"),
        ("4711x 94711", "4711x 94711"),
        ("Ada's, not Adams", "[erased]'s, not Adams"),
        ("@ada_l7 and ada_l77", "@[erased] and [erased]_l77"),
        ("ZOË QUARK, Zoë, quark", "[erased], Zoë, [erased]"),
        ("彼は私の秘密ですと言った", "彼は[erased]と言った"),
    ];
    for (text, expected) in cases {
        assert_eq!(without(&quotes, text), expected);
    }
}

#[test]
fn what_others_say_too_tells_nothing() {
    let quotes = quotes(
        &["good morning all", "the zebrafish sings well"],
        &["Rose Quark"],
        &["Good  morning all, a rose sings"],
    );
    assert_eq!(
        without(&quotes, "good morning all, Rose: the zebrafish sings well; zebrafish"),
        "good morning all, Rose: [erased]; [erased]"
    );
    assert_eq!(without(&quotes, "Rose Quark"), "[erased]");
}

#[test]
fn json_stays_json_however_deep_a_quote_stands_in_it() {
    let quotes = quotes(&["say \"zebrafish\" to nancy", "café crème brûlée 20260101"], &[], &[]);
    let inner = serde_json::json!({"type": "finish", "output": "x\nzebrafish\tsaid \"crème\""}).to_string();
    let middle = serde_json::json!({"content": inner, "ascii": "caf\\u00e9"}).to_string();
    let outer = serde_json::json!({
        "text": middle,
        "zebrafish": 20_260_101,
        "count": 7,
        "at": "2026-01-01T00:00:00Z",
        "line": "Say \"zebrafish\" to Nancy!",
    });
    let scrubbed = quotes.without_json(&outer.to_string()).expect("it is in there");
    let scrubbed: Value = serde_json::from_str(&scrubbed).expect("JSON");
    let middle: Value = serde_json::from_str(scrubbed["text"].as_str().expect("text")).expect("JSON");
    let inner: Value = serde_json::from_str(middle["content"].as_str().expect("text")).expect("JSON");
    assert_eq!(
        inner,
        serde_json::json!({"type": "finish", "output": "x\n[erased]\tsaid \"[erased]\""})
    );
    assert_eq!(middle["ascii"], "[erased]");
    assert_eq!(
        (
            &scrubbed["[erased]"],
            &scrubbed["count"],
            &scrubbed["at"],
            &scrubbed["line"]
        ),
        (
            &0.into(),
            &7.into(),
            &"2026-01-01T00:00:00Z".into(),
            &"[erased]!".into()
        )
    );
}

#[test]
fn an_escape_is_never_cut_in_two() {
    let quotes = quotes(&["nancy"], &[], &[]);
    assert_eq!(without(&quotes, r"a\nancy"), "a[erased]");
    assert_eq!(without(&quotes, r"a\\nancy"), r"a\\[erased]");
    assert_eq!(without(&quotes, r"a\nnancy"), r"a\n[erased]");
}

#[test]
fn ids_and_moments_stay_whatever_was_said() {
    let quotes = quotes(&["7000 2026"], &[], &[]);
    for text in [
        r#"["0198f2c4-0000-7000-8000-000000000000"]"#,
        r#"{"at":"2026-11-22T08:28:28.123Z"}"#,
    ] {
        assert_eq!(quotes.without_json(text), None);
    }
}

#[test]
fn who_said_nothing_is_nowhere() {
    let quotes = quotes(&["", "a b", "[erased]"], &["", "x"], &[]);
    assert!(quotes.is_empty());
    assert_eq!(quotes.without("a b [erased] x"), None);
}

proptest! {
    #[test]
    fn nothing_of_it_is_left_and_nothing_of_others_goes(
        said in "[a-zäé]{4,9}( [a-zäé]{1,9}){0,4}",
        kept in "([a-zA-Zäé]{1,6}[ ,.\n\"]){0,6}",
        around in "\\PC{0,30}",
    ) {
        let quotes = quotes(&[&said], &[], &[&kept]);
        prop_assert_eq!(quotes.without(&kept), None);
        let text = format!("{around} {} {kept}", said.to_uppercase());
        let scrubbed = without(&quotes, &text);
        prop_assert!(!quotes.is_in(&scrubbed), "{:?}", scrubbed);
        prop_assert_eq!(quotes.without(&scrubbed), None);
        prop_assert!(scrubbed.ends_with(&kept));
    }

    #[test]
    fn json_stays_json(said in "[a-z]{4,6}( [a-z\"\\\\]{1,6}){0,4}", text in "\\PC{0,30}", depth in 0_usize..4) {
        let quotes = quotes(&[&said], &[], &[]);
        let mut document = serde_json::json!({ "text": format!("{text} {said}\n{said}") }).to_string();
        for _ in 0..depth {
            document = serde_json::json!([document]).to_string();
        }
        let mut scrubbed = quotes.without_json(&document).unwrap_or(document);
        for _ in 0..depth {
            let outer: Vec<String> = serde_json::from_str(&scrubbed).map_err(|e| TestCaseError::fail(e.to_string()))?;
            scrubbed.clone_from(&outer[0]);
        }
        let inner: Value = serde_json::from_str(&scrubbed).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert!(!quotes.is_in(inner["text"].as_str().unwrap_or_default()), "{}", inner);
    }

    #[test]
    fn no_text_is_too_strange(text in any::<String>(), said in any::<String>()) {
        let quotes = quotes(&[&said], &[&said], &[]);
        let scrubbed = without(&quotes, &text);
        prop_assert!(!quotes.is_in(&scrubbed));
        quotes.without_json(&text);
    }
}
