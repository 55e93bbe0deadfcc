//! Every construct as each platform shows it.

use clifford_markup::{Flavor, Rendered, is_blank, render};

const ROOM: usize = 2_000;

/// Markdown, and what becomes of it on Telegram, on Discord, and as plain text.
type Case = (&'static str, &'static str, &'static str, &'static str);

fn whole(markdown: &str, flavor: Flavor) -> Rendered {
    let mut parts = render(markdown, flavor, ROOM);
    assert_eq!(parts.len(), 1, "{markdown:?}");
    parts.remove(0)
}

fn check(cases: &[Case]) {
    for (markdown, telegram, discord, plain) in cases {
        let expected = |text: &str| Rendered {
            text: text.to_owned(),
            plain: (*plain).to_owned(),
        };
        assert_eq!(
            whole(markdown, Flavor::TelegramHtml),
            expected(telegram),
            "{markdown:?}"
        );
        assert_eq!(whole(markdown, Flavor::Discord), expected(discord), "{markdown:?}");
        assert_eq!(whole(markdown, Flavor::Plain), expected(plain), "{markdown:?}");
    }
}

#[test]
fn plain_messages_stay_as_they_are() {
    for text in [
        "hello",
        "17 * 23 = 391",
        "use snake_case_names and ~5 km",
        "two lines\nof one paragraph\n\nand another",
        "C:\\path, a | b, array[0], 50% (or so)",
        "日本語 🎉 👨‍👩‍👧",
        "@everyone <@123> look",
        "https://example.com/a_b_c?d=_e_f",
    ] {
        assert_eq!(whole(text, Flavor::Discord).text, text);
        assert_eq!(whole(text, Flavor::Plain).text, text);
        assert_eq!(whole(text, Flavor::Plain).plain, text);
    }
}

#[test]
fn emphasis_is_marked_as_each_platform_does() {
    check(&[
        (
            "**b** *i* ~~s~~ `c`",
            "<b>b</b> <i>i</i> <s>s</s> <code>c</code>",
            "**b** *i* ~~s~~ `c`",
            "b i s c",
        ),
        ("__b__ _i_", "<b>b</b> <i>i</i>", "**b** *i*", "b i"),
        ("**a *b* c**", "<b>a <i>b</i> c</b>", "**a *b* c**", "a b c"),
        ("***a** b*", "<i><b>a</b> b</i>", "***a** b*", "a b"),
        ("*a*b**c**", "<i>a</i>b<b>c</b>", "*a*b**c**", "abc"),
        ("**`c`**`d`", "<code>cd</code>", "**`c`**`d`", "cd"),
        ("*a*~~b~~", "<i>a</i><s>b</s>", "*a*~~b~~", "ab"),
        (
            "*a*[**b**](https://x.y)",
            "<i>a</i><a href=\"https://x.y\"><b>b</b></a>",
            "*a*[**b**](https://x.y)",
            "ab (https://x.y)",
        ),
    ]);
}

#[test]
fn spoilers_are_hidden_but_not_those_in_code_or_without_an_end() {
    check(&[
        ("a ||b|| c", "a <tg-spoiler>b</tg-spoiler> c", "a ||b|| c", "a b c"),
        (
            "||a **b** c||",
            "<tg-spoiler>a <b>b</b> c</tg-spoiler>",
            "||a **b** c||",
            "a b c",
        ),
        ("||**b**||", "<tg-spoiler><b>b</b></tg-spoiler>", "||**b**||", "b"),
        ("`||a||`", "<code>||a||</code>", "`||a||`", "||a||"),
        ("a || b", "a || b", "a \\|\\| b", "a || b"),
        ("\\||a||", "||a||", "\\|\\|a\\|\\|", "||a||"),
        ("a |||| b", "a |||| b", "a \\|\\|\\|\\| b", "a |||| b"),
        (
            "**a ||b** c||",
            "<b>a ||b</b> c||",
            "**a \\|\\|b** c\\|\\|",
            "a ||b c||",
        ),
    ]);
}

#[test]
fn code_keeps_its_language_and_cannot_be_left() {
    check(&[
        (
            "```rust\nlet a = 1 < 2;\n\n    b();\n```",
            "<pre><code class=\"language-rust\">let a = 1 &lt; 2;\n\n    b();</code></pre>",
            "```rust\nlet a = 1 < 2;\n\n    b();\n```",
            "let a = 1 < 2;\n\n    b();",
        ),
        ("~~~\na\n~~~", "<pre>a</pre>", "```\na\n```", "a"),
        (
            "````\n```\n````",
            "<pre>```</pre>",
            "```\n`\u{200b}`\u{200b}`\n```",
            "```",
        ),
        ("```x\" onload=\na\n```", "<pre>a</pre>", "```\na\n```", "a"),
        ("`` a`b ``", "<code>a`b</code>", "``a`b``", "a`b"),
        ("`` `a` ``", "<code>`a`</code>", "`` `a` ``", "`a`"),
        ("a\n```\nb", "a\n<pre>b</pre>", "a\n```\nb\n```", "a\nb"),
    ]);
}

#[test]
fn literal_text_stays_literal() {
    check(&[
        ("1 \\* 2 \\*x\\*", "1 * 2 *x*", "1 * 2 \\*x\\*", "1 * 2 *x*"),
        ("\\_a\\_ __init", "_a_ __init", "\\_a\\_ \\_\\_init", "_a_ __init"),
        (
            "\\# a\n\\> b\n\\- c\n\\* d\n1\\. e",
            "# a\n&gt; b\n- c\n* d\n1. e",
            "\\# a\n\\> b\n\\- c\n\\* d\n1\\. e",
            "# a\n> b\n- c\n* d\n1. e",
        ),
        ("#hashtag -5", "#hashtag -5", "#hashtag -5", "#hashtag -5"),
        ("-# small", "-# small", "\\-# small", "-# small"),
        (
            "\\`a\\` \\~~b~~ \\\\",
            "`a` ~~b~~ \\",
            "\\`a\\` \\~\\~b\\~\\~ \\",
            "`a` ~~b~~ \\",
        ),
        (
            "\\[a](https://x.y)",
            "[a](https://x.y)",
            "\\[a](https://x.y)",
            "[a](https://x.y)",
        ),
        ("~a~ ~~b~~", "~a~ <s>b</s>", "~a~ ~~b~~", "~a~ b"),
        (
            "a & b < c > d \"e\"",
            "a &amp; b &lt; c &gt; d \"e\"",
            "a & b < c > d \"e\"",
            "a & b < c > d \"e\"",
        ),
        ("&lt;b&gt; &amp;amp;", "&lt;b&gt; &amp;amp;", "<b> &amp;", "<b> &amp;"),
    ]);
}

#[test]
fn raw_html_is_shown_and_never_passed_on() {
    check(&[
        ("a <b>b</b>", "a &lt;b&gt;b&lt;/b&gt;", "a <b>b</b>", "a <b>b</b>"),
        (
            "<script>\nalert(1)\n</script>\n\nx",
            "&lt;script&gt;\nalert(1)\n&lt;/script&gt;\n\nx",
            "<script>\nalert(1)\n</script>\n\nx",
            "<script>\nalert(1)\n</script>\n\nx",
        ),
    ]);
}

#[test]
fn links_lead_only_where_platforms_follow() {
    check(&[
        (
            "[a](https://x.y/?b=\"c\"&d)",
            "<a href=\"https://x.y/?b=&quot;c&quot;&amp;d\">a</a>",
            "[a](https://x.y/?b=\"c\"&d)",
            "a (https://x.y/?b=\"c\"&d)",
        ),
        (
            "[a](<https://x.y/b (c)>)",
            "<a href=\"https://x.y/b%20(c)\">a</a>",
            "[a](https://x.y/b%20%28c%29)",
            "a (https://x.y/b%20(c))",
        ),
        ("<https://x.y>", "https://x.y", "https://x.y", "https://x.y"),
        (
            "[https://x.y](https://x.y)",
            "https://x.y",
            "https://x.y",
            "https://x.y",
        ),
        ("[](https://x.y)", "https://x.y", "https://x.y", "https://x.y"),
        ("<a@b.cd>", "a@b.cd", "a@b.cd", "a@b.cd"),
        (
            "[a](mailto:a@b.cd)",
            "<a href=\"mailto:a@b.cd\">a</a>",
            "a (a@b.cd)",
            "a (a@b.cd)",
        ),
        (
            "[a](tg://user?id=1) [b](tg://resolve?domain=x)",
            "a <a href=\"tg://resolve?domain=x\">b</a>",
            "a b (tg://resolve?domain=x)",
            "a b (tg://resolve?domain=x)",
        ),
        ("[a](javascript:alert)", "a", "a", "a"),
        ("[a](docs/b.md)", "a", "a", "a"),
        (
            "![a](https://x.y/b.png)",
            "<a href=\"https://x.y/b.png\">a</a>",
            "[a](https://x.y/b.png)",
            "a (https://x.y/b.png)",
        ),
        (
            "[![a](https://x.y/b.png)](https://x.y)",
            "<a href=\"https://x.y\">a</a>",
            "[a](https://x.y)",
            "a (https://x.y)",
        ),
        (
            "[[1]](https://x.y)",
            "<a href=\"https://x.y\">[1]</a>",
            "[[1]](https://x.y)",
            "[1] (https://x.y)",
        ),
        (
            "[a\\]](https://x.y)",
            "<a href=\"https://x.y\">a]</a>",
            "a] (https://x.y)",
            "a] (https://x.y)",
        ),
    ]);
}

#[test]
fn lists_keep_markers_numbers_and_nesting() {
    check(&[
        (
            "- a\n- b\n  - c\n- d",
            "• a\n• b\n  • c\n• d",
            "- a\n- b\n  - c\n- d",
            "- a\n- b\n  - c\n- d",
        ),
        (
            "3. a\n4. b\n   - c",
            "3. a\n4. b\n   • c",
            "3. a\n4. b\n   - c",
            "3. a\n4. b\n   - c",
        ),
        ("- [x] a\n- [ ] b", "☑ a\n☐ b", "- ☑ a\n- ☐ b", "- [x] a\n- [ ] b"),
        (
            "* a\n\n  b\n* c",
            "• a\n\n  b\n• c",
            "- a\n\n  b\n- c",
            "- a\n\n  b\n- c",
        ),
        ("- a\n  b", "• a\n  b", "- a\n  b", "- a\n  b"),
        ("-\n- b", "• \n• b", "- \n- b", "- \n- b"),
        ("- ```\n  a\n  ```", "• \n<pre>a</pre>", "- \n```\na\n```", "- \na"),
        ("So:\n- a", "So:\n• a", "So:\n- a", "So:\n- a"),
        ("1. - a", "1. \n   • a", "1. \n   - a", "1. \n   - a"),
    ]);
}

#[test]
fn quotes_keep_their_marks() {
    check(&[
        (
            "> a\n> b\n\nc",
            "<blockquote>a\nb</blockquote>\n\nc",
            "> a\n> b\n\nc",
            "> a\n> b\n\nc",
        ),
        (
            "> a\n>\n> b",
            "<blockquote>a\n\nb</blockquote>",
            "> a\n> \n> b",
            "> a\n>\n> b",
        ),
        (
            "> a\n\n> b",
            "<blockquote>a</blockquote>\n\n<blockquote>b</blockquote>",
            "> a\n\n> b",
            "> a\n\n> b",
        ),
        ("> a\n> > b", "<blockquote>a\nb</blockquote>", "> a\n> b", "> a\n> > b"),
        (
            "> - a\n> - b",
            "<blockquote>• a\n• b</blockquote>",
            "> - a\n> - b",
            "> - a\n> - b",
        ),
        (
            "> ```\n> a\n> b\n> ```",
            "<blockquote><pre>a\nb</pre></blockquote>",
            "> ```\n> a\n> b\n> ```",
            "> a\n> b",
        ),
    ]);
}

#[test]
fn headings_and_rules() {
    check(&[
        ("# a *b*\nc", "<b>a <i>b</i></b>\nc", "# a *b*\nc", "a b\nc"),
        ("##### a\n\nc", "<b>a</b>\n\nc", "**a**\n\nc", "a\n\nc"),
        ("a\nb\n---\nc", "<b>a b</b>\nc", "## a b\nc", "a b\nc"),
        ("a\n\n---\n\nb", "a\n\n———\n\nb", "a\n\n———\n\nb", "a\n\n———\n\nb"),
    ]);
}

#[test]
fn tables_become_aligned_code() {
    let table = "| Name | Age |\n|---|--:|\n| **Anna** | 7 |\n| [Bo](https://x.y) | 12 |\n\nEnd";
    let aligned = "Name             | Age\n-----------------+----\nAnna             |   7\nBo (https://x.y) |  12";
    let telegram = format!("<pre>{aligned}</pre>\n\nEnd");
    let discord = format!("```\n{aligned}\n```\n\nEnd");
    let plain = format!("{aligned}\n\nEnd");
    assert_eq!(
        whole(table, Flavor::TelegramHtml),
        Rendered {
            text: telegram,
            plain: plain.clone()
        }
    );
    assert_eq!(
        whole(table, Flavor::Discord),
        Rendered {
            text: discord,
            plain: plain.clone()
        }
    );
    assert_eq!(
        whole(table, Flavor::Plain),
        Rendered {
            text: plain.clone(),
            plain
        }
    );
}

#[test]
fn blank_messages_have_no_parts() {
    for text in [
        "",
        " \n\t\n",
        "\u{200b}",
        "> ",
        "```\n\n```",
        "&nbsp;",
        "\u{0}\u{7}".trim_matches('\0'),
        "[](x)",
        "[]()",
        "**\u{2060}**",
        "\u{3164}\u{e0061}\u{fe0f}",
        "||\u{200b}||",
    ] {
        assert!(is_blank(text), "{text:?}");
        for flavor in [Flavor::TelegramHtml, Flavor::Discord, Flavor::Plain] {
            assert_eq!(render(text, flavor, ROOM), [], "{text:?}");
        }
    }
}

#[test]
fn a_message_of_which_anything_is_seen_is_not_blank() {
    for text in [
        "a",
        "\u{200b}a",
        "```\na\n```",
        "[a]()",
        "- a",
        "\u{1f44d}\u{fe0f}",
        "\u{2764}",
        ".",
    ] {
        assert!(!is_blank(text), "{text:?}");
    }
}

#[test]
fn control_characters_are_dropped() {
    assert_eq!(whole("a\u{1b}[31mb\r\nc`\u{7}`", Flavor::Plain).text, "a[31mb\nc");
}

#[test]
fn two_pieces_of_code_that_only_something_unseen_parts_stay_two_on_discord() {
    assert_eq!(
        whole("``a`b``\u{7}``c`d``", Flavor::Discord).text,
        "``a`b``\u{200b}``c`d``"
    );
}

#[test]
fn names_notify_nobody_on_telegram_and_stay_as_they_are_in_code() {
    let expected = Rendered {
        text: "@\u{2060}ada <b>@\u{2060}bob</b> <code>@ada</code> a@b.cd".to_owned(),
        // Without markup there is no code.
        plain: "@\u{2060}ada @\u{2060}bob @\u{2060}ada a@b.cd".to_owned(),
    };
    assert_eq!(whole("@ada **@bob** `@ada` a@b.cd", Flavor::TelegramHtml), expected);
}
