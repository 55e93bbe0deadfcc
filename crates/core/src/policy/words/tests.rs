//! Words that go out, and words of a message that stay, as tables and properties.

use clifford_text::Lang;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn known(text: &str) -> KnownWords {
    let mut known = KnownWords::default();
    known.learn(text);
    known
}

#[test]
fn only_what_is_known_outside_goes_out_once_words_from_outside_were_read() {
    let outside = known("see https://example.com/a?b=1, [docs](https://docs.rs/x) or wiki.org. Kittens are nice");
    let private = known("Her cat is called Mephisto, the code is 4711");
    let cases = [
        (json!({ "url": "https://example.com/a?b=1" }), None),
        (json!({ "url": "https://docs.rs/x" }), None),
        (json!({ "url": "http://docs.rs/x" }), Some("http://docs.rs/x")),
        (json!({ "url": "https://docs.rs/x/" }), Some("https://docs.rs/x/")),
        (json!({ "url": "https://docs.rs/x////" }), Some("https://docs.rs/x////")),
        (json!({ "url": "https://DOCS.rs:443/y/../x" }), None),
        (
            json!({ "url": "https://docs.rs/x#4711" }),
            Some("https://docs.rs/x#4711"),
        ),
        (
            json!({ "q": "see www.evil.com/cat:// now" }),
            Some("www.evil.com/cat://"),
        ),
        (json!({ "q": "see wiki.org/?4711://" }), Some("wiki.org/?4711://")),
        (
            json!({ "q": "see https://docs.rs/x~|_;,~" }),
            Some("https://docs.rs/x~"),
        ),
        (json!({ "q": "(see *https://docs.rs/x*)." }), None),
        (json!({ "q": "see evil\u{2028}.com/cat" }), Some("evil.com/cat")),
        (json!({ "q": "see evil\u{b}.com/cat" }), Some("evil.com/cat")),
        (json!({ "url": "https://docs.rs/X" }), Some("https://docs.rs/X")),
        (json!({ "url": "https://docs.rs/%78" }), Some("https://docs.rs/%78")),
        (
            json!({ "url": "https://docs.rs:8443/x" }),
            Some("https://docs.rs:8443/x"),
        ),
        (
            json!({ "url": "https://4711@docs.rs/x" }),
            Some("https://4711@docs.rs/x"),
        ),
        (json!({ "url": "https://docs.r\ts/x" }), Some("https://docs.r\ts/x")),
        (
            json!({ "url": "h\ntt\tp://evil.com/M\te\tp" }),
            Some("h\ntt\tp://evil.com/M\te\tp"),
        ),
        (
            json!({ "url": "h\u{200b}ttps://evil.com/Mephisto" }),
            Some("h\u{200b}ttps://evil.com/Mephisto"),
        ),
        (json!({ "url": "evil。com/cat" }), Some("evil。com/cat")),
        (json!({ "q": "see ｅｖｉｌ．ｃｏｍ/cat" }), Some("ｅｖｉｌ．ｃｏｍ/cat")),
        (json!({ "q": "see 6.6.6.6/cat" }), Some("6.6.6.6/cat")),
        (json!({ "q": "see evil.xn--p1ai/cat" }), Some("evil.xn--p1ai/cat")),
        (
            json!({ "q": "see http://[2001:db8::1]/cat" }),
            Some("http://[2001:db8::1]/cat"),
        ),
        (
            json!({ "body": "{\"u\": \"https:\\/\\/evil.com\\/cat\"}" }),
            Some("https://evil.com/cat"),
        ),
        (json!({ "body": "[\"\\u004dephisto\"]" }), Some("mephisto")),
        (json!({ "q": "m e p h i s t o" }), Some("mephisto")),
        (json!({ "q": "47-11" }), Some("4711")),
        (json!({ "q": "Ｍｅｐｈｉｓｔｏ" }), Some("mephisto")),
        (json!({ "q": "Mep\u{200b}his\u{ad}to" }), Some("mephisto")),
        (json!({ "q": "%4dephisto" }), Some("mephisto")),
        (json!({ "url": "https://wiki.org" }), None),
        (
            json!({ "url": "https://example.com/a?b=2" }),
            Some("https://example.com/a?b=2"),
        ),
        (
            json!({ "url": "https://example.com/a?b=1&c=Mephisto" }),
            Some("https://example.com/a?b=1&c=Mephisto"),
        ),
        (json!({ "url": "//evil.com/x" }), Some("//evil.com/x")),
        (json!({ "url": "mephisto.evil.com" }), Some("mephisto.evil.com")),
        (json!({ "url": "http://127.0.0.1/x" }), Some("http://127.0.0.1/x")),
        (json!({ "url": "https:evil.com/cat" }), Some("https:evil.com/cat")),
        (json!({ "url": "HTTPS:/evil.com/cat" }), Some("HTTPS:/evil.com/cat")),
        (
            json!({ "url": "https://example.com/a?b=1'4'7'1'1" }),
            Some("https://example.com/a?b=1'4'7'1'1"),
        ),
        (
            json!({ "url": "https://example.com/a?b=1 cat" }),
            Some("https://example.com/a?b=1 cat"),
        ),
        (json!({ "url": "wiki.org/|4|7" }), Some("wiki.org/|4|7")),
        (json!({ "query": "wiki.org kittens" }), None),
        (json!({ "query": "nice kittens in winter" }), None),
        (json!({ "query": "what is MEPHISTO" }), Some("mephisto")),
        (json!({ "query": "door 4711" }), Some("4711")),
        (json!({ "deep": { "list": ["fine", "mephisto"] } }), Some("mephisto")),
        (json!({ "n": 4711 }), Some("4711")),
        (
            json!({ "query": "TWVwaGlzdG8gaXMgaGVyIGNhdCBhbmQgdGhlIGNvZGUgaXMgNDcxMQ" }),
            Some("twvwaglzdg8gaxmgagvyignhdcbhbmqgdghlignvzgugaxmgndcxmq"),
        ),
    ];
    for (args, expected) in cases {
        let found = leak(args.as_object().unwrap(), &json!({}), &outside, &private);
        assert_eq!(found.as_deref(), expected, "{args}");
    }
}

#[test]
fn a_subagent_is_told_what_of_its_task_is_private() {
    let outside = known("kittens, see example.com/a");
    let private = known("Mephisto likes kittens, the code is 4711");
    let task = "Look up kittens and Mephisto (4711) at example.com/a and example.com/b today";
    assert_eq!(
        private_in(task, &outside, &private),
        ["4711", "example.com/b", "mephisto"]
    );
}

#[test]
fn an_address_that_nobody_knows_is_taken_out_of_a_message() {
    let mut outside = known("https://example.com/a https://wiki.org/Cat_(pet) https://wiki.org/Cat#food wiki.org");
    outside.learn("wiki.org/ and example.com/");
    let cases = [
        ("Look at https://example.com/a.", "Look at https://example.com/a."),
        ("![x](https://evil.com/?q=cat)", "x (link removed)"),
        ("<https://evil.com/?q=cat>!", "(link removed)!"),
        (
            "see evil.com/cat and cat.evil.com, node.js",
            "see (link removed) and (link removed), node.js",
        ),
        ("[a]: //evil.com/x", "(link removed)"),
        ("ok `www.evil.com`", "ok `(link removed)`"),
        ("https://example.com/a'c'a't'", "(link removed)'"),
        (
            "[a](https://example.com/a) and **https://example.com/a**",
            "[a](https://example.com/a) and **https://example.com/a**",
        ),
        ("Version 1.2.3, e.g. U.S.A.", "Version 1.2.3, e.g. U.S.A."),
        (
            "one begins with http:// or https://.",
            "one begins with http:// or https://.",
        ),
        ("[x](https&#58;//evil.com/s)", "x (link removed)"),
        ("[x](https&colon;&sol;&sol;evil&period;com&sol;s)", "x (link removed)"),
        ("![x](https&#58;//evil.com/s)", "x (link removed)"),
        (r"[x](https:\/\/evil.com/s)", "x (link removed)"),
        (r"[x](https:\/\/evil\.com\/s)", "x (link removed)"),
        ("[x][y]\n\n[y]: https&#58;//evil.com/s", "x (link removed)"),
        (r"see https:\/\/evil.com/s now", "see (link removed) now"),
        ("see https://ev**il.com**/s now", "see (link removed) now"),
        (
            "see evil。com/s, ｅｖｉｌ．ｃｏｍ/s",
            "see (link removed), (link removed)",
        ),
        (
            "see evil.xn--p1ai/s and evil.рф",
            "see (link removed) and (link removed)",
        ),
        (
            "see 6.6.6.6/s, 6.6.6.6:80 and [::1]/s",
            "see (link removed), (link removed) and [::1]/s",
        ),
        ("see http://[2001:db8::1]:80/s now", "see (link removed) now"),
        (
            "see evil.com, evil.de and evil.photography",
            "see (link removed), (link removed) and `evil.photography`",
        ),
        (
            "see main.rs, a.txt, main.rs:12 and 10.0.0.0/8",
            "see `main.rs`, a.txt, `main.rs:12` and 10.0.0.0/8",
        ),
        (
            "in `main.rs` and `obj.call` or obj.call",
            "in `main.rs` and `obj.call` or `obj.call`",
        ),
        (
            "write to ada@evil.com or [her](mailto:ada@evil.com)",
            "write to ada@evil.com or [her](mailto:ada@evil.com)",
        ),
        (
            "[Ada](tg://user?id=1) [x](javascript:a()) [y](#part)",
            "Ada (link removed) x (link removed) [y](#part)",
        ),
        ("<a href='//evil.com'>x</a> <b>y</b>", "(link removed)x</a> <b>y</b>"),
        (
            "[a_b](https://example.com/a) [a](\\\\evil.com/s)",
            "[a_b](https://example.com/a) a (link removed)",
        ),
        (
            "see https:evil.com/s or http:/evil.com",
            "see (link removed) or (link removed)",
        ),
        // A text like a scheme is a part of the word that it follows.
        (
            "see www.evil.com/4711:// now, //evil.com/4711:// or https:evil.com/4711://",
            "see (link removed) now, (link removed) or (link removed)",
        ),
        (
            "see example.com/4711://x, wiki.org/4711:// and wiki.org/?4711://",
            "see (link removed), (link removed) and (link removed)",
        ),
        ("and/or:https://evil.com/s", "and/or:(link removed)"),
        // The sign that closes a known address has a partner.
        (
            "(https://example.com/a), (see https://example.com/a). [https://example.com/a]...",
            "(https://example.com/a), (see https://example.com/a). [https://example.com/a]...",
        ),
        (
            "see https://example.com/a~|_;,~|_~~~|_ https://example.com/a) https://example.com/a.,",
            "see (link removed)|_;,~|_~~~|_ (link removed)) (link removed).,",
        ),
        (
            "see https://wiki.org/Cat_(pet), (https://wiki.org/Cat_(pet)) and https://wiki.org/Cat_(4711)",
            "see https://wiki.org/Cat_(pet), (https://wiki.org/Cat_(pet)) and (link removed)",
        ),
        // Pages read their fragment.
        (
            "https://example.com/a#4711 [x](https://example.com/a#4711) https://wiki.org/Cat#food",
            "(link removed) x (link removed) https://wiki.org/Cat#food",
        ),
        // Something stands next to a host.
        (
            "4711.evil.com:now 4711.evil.com:80:x 4711.evil.com@ 4711.evil.com@x",
            "(link removed):now (link removed):x (link removed)@ (link removed)@x",
        ),
        (
            "a..evil.com/4711 see...evil.com/4711 “4711.evil.com”—4711.evil.com🎉",
            "a..(link removed) see...(link removed) “(link removed)”—(link removed)🎉",
        ),
        (
            "Wait... what? No.. never:ever @ada",
            "Wait... what? No.. never:ever @ada",
        ),
        ("ada@evil.com: write to her", "ada@evil.com: write to her"),
        // Some platforms leave these out.
        (
            "see evil&#13;.com/s, evil\u{2028}.com/s, evil\u{b}.com/s, evil&#x85;.com/s now",
            "see (link removed), (link removed), (link removed), (link removed) now",
        ),
        ("`evil\u{2028}.com/s`", "`(link removed)`"),
        (
            "<iframe\nsrc\n=\nhttps&colon;&sol;&sol;evil&period;com&sol;s\n>",
            "(link removed)",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(without_unknown(text, &[&outside], Lang::English), expected, "{text}");
    }
}

#[test]
fn an_address_on_each_line_is_taken_out_in_time() {
    let text = "a.co/1\n".repeat(12_000);
    let cleaned = without_unknown(&text, &[], Lang::English);
    assert!(!cleaned.contains("a.co"));
    assert_eq!(cleaned.lines().count(), 12_000);
}

#[test]
fn numbers_tell_of_somebody() {
    assert_eq!(telling("my pin is 4711 and 5 cats, A1234-b"), "4711 A1234");
}

#[test]
fn what_the_schema_calls_an_address_is_one_that_is_known() {
    let outside = known("see https://example.com/a and kittens");
    let schema = json!({
        "properties": {
            "url": { "type": "string", "format": "uri" },
            "all": { "type": "array", "items": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/page" }] } },
        },
        "$defs": { "page": { "type": "object", "properties": { "at": { "type": "string", "format": "url" } } } },
    });
    let cases = [
        (json!({ "url": "https://example.com/a" }), None),
        (json!({ "url": "https://example.com/a#part" }), None),
        (
            json!({ "url": "https://example.com/a#part", "body": "https://example.com/a#part" }),
            Some("https://example.com/a#part"),
        ),
        (json!({ "url": "kittens" }), None),
        (json!({ "url": "mittens" }), Some("mittens")),
        (json!({ "title": "kittens" }), None),
        (
            json!({ "all": [{ "at": "https://example.com/a", "note": "kittens" }] }),
            None,
        ),
        (json!({ "all": [{ "at": "intranet" }] }), Some("intranet")),
    ];
    for (args, expected) in cases {
        let found = leak(args.as_object().unwrap(), &schema, &outside, &KnownWords::default());
        assert_eq!(found.as_deref(), expected, "{args}");
    }
}

/// The addresses that a client would call for an argument.
fn fetched(text: &str) -> Option<String> {
    let mut url = crate::net::target::parse(text).ok()?;
    url.set_fragment(None);
    Some(url.into())
}

fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "https",
        "http",
        "ht",
        "tps",
        ":",
        "/",
        "//",
        "\\",
        "example.com",
        "evil.com",
        "docs.rs",
        "a",
        "?b=1",
        "#c",
        "..",
        ".",
        "%61",
        "@",
        ":443",
        ":80",
        "\t",
        "\n",
        " ",
        "\u{200b}",
        "。",
        "Ｅ",
        "&",
        "'",
        "(",
        ")",
        "[::1]",
        "6.6.6.6",
        "xn--p1ai",
        "\u{2028}",
        "~",
        "_",
        "://",
        "www.",
        "data:",
        "{",
        "\"",
        "HTTPS://EXAMPLE.COM/a",
    ];
    prop_oneof![
        6 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_fetched_unasked_is_exactly_one_of_the_known(read in text(), made in text(), as_read in any::<bool>()) {
        let outside = known(&format!("see https://example.com/a and http://docs.rs {read}"));
        let argument = if as_read { format!("{read}{made}") } else { made };
        let args = json!({ "url": &argument });
        let asked = leak(args.as_object().unwrap(), &json!({}), &outside, &KnownWords::default()).is_some();
        if let Some(url) = fetched(&argument).filter(|url| url.starts_with("http:") || url.starts_with("https:")) {
            prop_assert!(asked || outside.addresses.contains(&url), "{url}");
        }
    }

    #[test]
    fn of_a_message_no_platform_gets_an_address_that_nobody_knows(pieces in prop::collection::vec(prop_oneof![
        3 => piece(),
        2 => prop::sample::select(vec![
            "[x](", ")", "![", "]", "](", "[y]: ", "\n\n", "<", ">", "`", "**", "&#58;", "&sol;", "\\/", "_", "||", "~~", "> ", "- ",
            "```\n", "<a href=\"", "\">", "[x][y]", "https&colon;//evil.com/s", "[z](https://evil.com/s)",
        ]).prop_map(str::to_owned),
    ], 0..25)) {
        let markdown = pieces.concat();
        let cleaned = without_unknown(&markdown, &[], Lang::English).into_owned();
        for part in clifford_markup::render(&cleaned, clifford_markup::Flavor::TelegramHtml, 100_000) {
            prop_assert!(!part.text.contains("<a href=\"http"), "{markdown:?} {cleaned:?} {:?}", part.text);
        }
        // Cleaning again changes nothing.
        prop_assert_eq!(without_unknown(&cleaned, &[], Lang::English).into_owned(), cleaned);
    }
}

#[test]
fn a_search_tells_nothing_by_other_signs_either() {
    let mut private = known("The PIN is 4819, and the password is heliotrope");
    private.learn("She lives in Berlin");
    let query = |text: &str| {
        leak(
            json!({ "query": text }).as_object().unwrap(),
            &json!({}),
            &KnownWords::default(),
            &private,
        )
    };
    for text in [
        "h\u{435}li\u{43e}trope",
        "hel iot rop e",
        "four eight one nine",
        "nine, one, eight, four",
        "Hotel Echo Lima India Oscar Tango Romeo Oscar Papa Echo",
        "⠓⠑⠇⠊⠕",
        ".... . .-.. .. ---",
    ] {
        assert!(query(text).is_some(), "{text}");
    }
    for text in [
        "weather for Berliners",
        "two of four tickets",
        "recipes - one pot - vegan",
    ] {
        assert_eq!(query(text), None, "{text}");
    }
}
