//! Where long messages are cut, and that nothing is lost or broken by it.

use std::fmt::Write as _;

use clifford_markup::{Flavor, head, render};

fn texts(markdown: &str, flavor: Flavor, limit: usize) -> Vec<String> {
    render(markdown, flavor, limit)
        .into_iter()
        .map(|part| part.text)
        .collect()
}

#[test]
fn a_message_of_exactly_the_limit_is_one_part() {
    let text = "x".repeat(2_000);
    assert_eq!(texts(&text, Flavor::Discord, 2_000), std::slice::from_ref(&text));
    assert_eq!(
        texts(&format!("{text}y"), Flavor::Discord, 2_000),
        [text, "y".to_owned()]
    );
}

#[test]
fn telegram_counts_utf16_units_of_what_is_seen() {
    let text = "🎉".repeat(20);
    assert_eq!(
        texts(&format!("**{text}**"), Flavor::TelegramHtml, 40),
        [format!("<b>{text}</b>")]
    );
    assert_eq!(
        texts(&format!("**{text}🎉**"), Flavor::TelegramHtml, 40),
        [format!("<b>{text}</b>"), "<b>🎉</b>".to_owned()]
    );
    assert_eq!(texts(&"&".repeat(30), Flavor::TelegramHtml, 40), ["&amp;".repeat(30)]);
}

#[test]
fn paragraphs_are_kept_whole_before_lines_sentences_and_words() {
    let cases: [(&str, &[&str]); 8] = [
        ("aaa bbb ccc\n\nddd eee\nfff ggg", &["aaa bbb ccc", "ddd eee\nfff ggg"]),
        ("aaa bbb ccc\nddd. eee fff ggg", &["aaa bbb ccc", "ddd. eee fff ggg"]),
        ("aaa bbb ccc. Ddd eee fff", &["aaa bbb ccc.", "Ddd eee fff"]),
        ("aaa bbb ccc ddd eee fff", &["aaa bbb ccc ddd eee", "fff"]),
        ("aaaaaaaaaaaaaaaaaaaaaaaaa", &["aaaaaaaaaaaaaaaaaaaa", "aaaaa"]),
        ("a\n\nbbb bbb bbb bbb bbb bbb", &["a\n\nbbb bbb bbb bbb", "bbb bbb"]),
        (
            "あいうえお。かきくけこ。さしすせそたちつてと",
            &["あいうえお。かきくけこ。", "さしすせそたちつてと"],
        ),
        (
            "aaa bbb ccc.\n## Head\n\nddd eee fff",
            &["aaa bbb ccc.", "## Head\n\nddd eee fff"],
        ),
    ];
    for (markdown, expected) in cases {
        assert_eq!(texts(markdown, Flavor::Discord, 20), expected, "{markdown:?}");
    }
}

#[test]
fn a_code_fence_is_kept_whole_where_it_fits_in_a_part() {
    let code = "```rust\nfn main() {\n    run();\n}\n```";
    let text = format!("{}\n\n{code}\n\nDone.", "Some words. ".repeat(4).trim_end());
    assert_eq!(
        texts(&text, Flavor::Discord, 60),
        [
            "Some words. Some words. Some words. Some words.".to_owned(),
            format!("{code}\n\nDone.")
        ]
    );
}

#[test]
fn a_cut_code_fence_is_closed_and_opened_again_with_its_language() {
    let markdown = "```rust\nlet a = 1;\n\n    let b = 2;\nlet c = 3;\n```";
    assert_eq!(
        texts(markdown, Flavor::Discord, 40),
        ["```rust\nlet a = 1;\n\n    let b = 2;\n```", "```rust\nlet c = 3;\n```"]
    );
    assert_eq!(
        texts(markdown, Flavor::TelegramHtml, 30),
        [
            "<pre><code class=\"language-rust\">let a = 1;\n\n    let b = 2;</code></pre>",
            "<pre><code class=\"language-rust\">let c = 3;</code></pre>"
        ]
    );
}

#[test]
fn a_long_answer_comes_out_whole_with_its_code_in_fences() {
    let mut code = String::new();
    for line in 0..300 {
        let _ = writeln!(code, "    let value_{line} = compute({line});");
    }
    let markdown = format!("Here it is:\n\n```rust\nfn main() {{\n{code}}}\n```\n\nThat *was* all.");
    let parts = texts(&markdown, Flavor::Discord, 2_000);
    let shown: Vec<String> = parts
        .iter()
        .map(|part| part.replace("```rust\n", "").replace("\n```", ""))
        .collect();
    let expected = format!("Here it is:\n\nfn main() {{\n{code}}}\n\nThat *was* all.");
    assert_eq!(shown.join("\n"), expected);
    for part in &parts {
        assert!(part.encode_utf16().count() <= 2_000);
        assert_eq!(part.matches("```").count(), 2);
    }
    assert_eq!(parts.len(), 6);
}

#[test]
fn emphasis_links_quotes_and_lists_go_on_in_the_next_part() {
    let cases: [(&str, &[&str]); 5] = [
        ("**aaa bbb ccc ddd eee**", &["**aaa bbb ccc ddd**", "**eee**"]),
        ("||*aaa bbb* ccc ddd eee||", &["||*aaa bbb* ccc||", "||ddd eee||"]),
        ("[aaa bbb](http://x.y)", &["[aaa](http://x.y)", "[bbb](http://x.y)"]),
        ("> aaa bbb ccc ddd\n> eee fff", &["> aaa bbb ccc ddd", "> eee fff"]),
        (
            "8. aaa bbb ccc\n9. ddd eee\n10. fff",
            &["8. aaa bbb ccc", "9. ddd eee\n10. fff"],
        ),
    ];
    for (markdown, expected) in cases {
        assert_eq!(texts(markdown, Flavor::Discord, 20), expected, "{markdown:?}");
    }
}

#[test]
fn graphemes_are_never_broken_unless_one_alone_is_too_long() {
    let family = "👨‍👩‍👧‍👦";
    assert_eq!(
        texts(&family.repeat(3), Flavor::Plain, 25),
        [family.repeat(2), family.to_owned()]
    );
    let tall = format!("a{}", "\u{301}".repeat(50));
    let parts = texts(&format!("**{tall}** b"), Flavor::Discord, 20);
    assert_eq!(parts.concat().replace([' ', '*'], ""), format!("{tall}b"));
    assert!(parts.iter().all(|part| part.chars().count() <= 20));
}

#[test]
fn an_address_too_long_for_one_part_becomes_text() {
    let address = format!("https://x.y/{}", "a".repeat(60));
    let parts = texts(&format!("[text]({address})"), Flavor::Discord, 40);
    assert_eq!(parts.concat(), format!("text({address})"));
}

#[test]
fn a_part_is_never_blank() {
    let markdown = format!("```\na{}b\n```", "\n".repeat(500));
    for flavor in [Flavor::TelegramHtml, Flavor::Discord, Flavor::Plain] {
        let parts = render(&markdown, flavor, 50);
        assert!(parts.iter().all(|part| !part.plain.trim().is_empty()), "{parts:?}");
        assert_eq!(parts.iter().map(|part| part.plain.trim()).collect::<String>(), "ab");
    }
}

#[test]
fn the_head_is_short_and_says_that_there_is_more() {
    for (markdown, limit, expected) in [
        ("# Hi\n\n**a** b", 100, "Hi\n\na b"),
        ("**One** two three. Four five six.", 20, "One two three.…"),
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("abcd", 1, "…"),
        ("abcd", 0, ""),
        (" ", 10, ""),
    ] {
        let head = head(markdown, Flavor::Plain, limit);
        assert_eq!((head.text.as_str(), head.plain.as_str()), (expected, expected));
    }
    let drawn = |flavor| head("**One** two three. Four five six.", flavor, 20);
    let html = drawn(Flavor::TelegramHtml);
    assert_eq!(
        (html.text.as_str(), html.plain.as_str()),
        ("<b>One</b> two three.…", "One two three.…")
    );
    assert_eq!(drawn(Flavor::Discord).text, "**One** two three.…");
}
