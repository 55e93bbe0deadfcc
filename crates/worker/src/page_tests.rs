//! Pages as they are, and pages that mean harm.

use super::*;

const ALL: Window = Window {
    offset: 0,
    max_chars: usize::MAX,
};

const PARAGRAPH: &str = "The river rises in the hills above the town, and for most of its way it runs slowly, between \
                         willows, past two old mills, and under seven bridges, the oldest of which was built of oak.";

fn news() -> String {
    format!(
        "<!doctype html><html lang=en><head><title>The river - The Herald</title>
        <meta property=og:site_name content='The Herald'><meta name=author content='Ada'>
        <meta name=description content='Of a river.'><style>p {{ color: red }}</style></head>
        <body><nav><a href=/home>Home</a> <a href=/sport>Sport</a></nav>
        <article><h1>The river</h1><p>{PARAGRAPH}</p><p>{PARAGRAPH} See <a href='../maps?x=1#y'>the map</a> and
        <a href='javascript:alert(1)'>this</a>.</p><p>{PARAGRAPH}</p></article>
        <script>var tracking = 'do not read';</script><footer>All rights reserved.</footer></body></html>"
    )
}

fn url() -> Url {
    "https://herald.example/news/river".parse().expect("a URL")
}

#[test]
fn all_of_a_page_is_its_text_without_scripts_and_styles() {
    let page = whole(&news(), ALL).expect("a page");
    assert_eq!(page.title, "The river - The Herald");
    assert!(page.excerpt.text.starts_with("Home Sport"), "{}", page.excerpt.text);
    assert!(
        page.excerpt.text.ends_with("All rights reserved."),
        "{}",
        page.excerpt.text
    );
    assert_eq!(page.excerpt.text.matches("seven bridges").count(), 3);
    assert!(
        !page.excerpt.text.contains("tracking") && !page.excerpt.text.contains("color"),
        "{}",
        page.excerpt.text
    );
}

#[test]
fn the_article_of_a_page_is_told_without_what_stands_around_it() {
    let Article { about, excerpt, links } = article(&news(), &url(), ALL).expect("an article");
    let text = excerpt.text;
    let expected = About {
        title: "The river - The Herald".to_owned(),
        byline: Some("Ada".to_owned()),
        site: Some("The Herald".to_owned()),
        published: None,
        language: Some("en".to_owned()),
        description: Some("Of a river.".to_owned()),
    };
    assert_eq!(about, expected);
    assert_eq!(text.matches("seven bridges").count(), 3, "{text}");
    assert!(!text.contains("Sport") && !text.contains("rights"), "{text}");
    let map = Link {
        text: "the map".to_owned(),
        url: "https://herald.example/maps?x=1#y".to_owned(),
    };
    assert_eq!(links, [map]);
}

#[test]
fn a_page_without_an_article_is_told_whole() {
    let html = "<base href=https://other.example/><title>Links</title><a href=a>One</a> <a href=a>again</a>";
    let Article { about, excerpt, links } = article(html, &url(), ALL).expect("a page");
    let text = excerpt.text;
    assert_eq!(about.title, "Links");
    assert!(text.contains("One"), "{text}");
    let one = Link {
        text: "One".to_owned(),
        url: "https://other.example/a".to_owned(),
    };
    assert_eq!(links, [one]);
}

#[test]
fn nothing_is_a_page_without_text() {
    for html in ["", "<", "<!-- -->", "<html></html>"] {
        let page = whole(html, ALL).expect("a page");
        assert_eq!(
            (page.title.as_str(), page.excerpt.text.trim_end_matches('<')),
            ("", ""),
            "{html}"
        );
        assert_eq!(
            article(html, &url(), ALL).map(|article| article.links),
            Ok(Vec::new()),
            "{html}"
        );
    }
}

#[test]
fn pages_that_would_take_all_memory_or_time_are_given_up() {
    let open: String = (0..5_000).map(|number| format!("<b x={number}>")).collect();
    for (what, html) in [
        ("deep", "<div>".repeat(100_000)),
        ("deep lists", "<li><dd>".repeat(100_000)),
        ("wide", "<br>".repeat(400_000)),
        ("unclosed", format!("{open}{}", "<p>x".repeat(100_000))),
        ("tables", "<table><td>".repeat(50_000)),
    ] {
        assert_eq!(whole(&html, ALL), Err(Tangled), "{what}");
        assert_eq!(article(&html, &url(), ALL), Err(Tangled), "{what}");
    }
}

#[test]
fn where_a_page_sends_its_readers_is_told() {
    for (meta, place) in [
        ("<meta http-equiv=refresh content='0; url=/new'>", Some("/new")),
        (
            "<META HTTP-EQUIV='Refresh' CONTENT=\"5;URL='https://a.example/x?y=1'\">",
            Some("https://a.example/x?y=1"),
        ),
        (
            "<noscript><meta http-equiv=refresh content='0, next'></noscript>",
            Some("next"),
        ),
        ("<meta http-equiv=refresh content=30>", None),
        ("<meta http-equiv=refresh content='1; url='>", None),
        (
            "<meta http-equiv=content-type content='text/html; charset=utf-8'>",
            None,
        ),
        ("<meta name=refresh content='0; url=/x'>", None),
    ] {
        let page = whole(&format!("<html><head>{meta}</head><body>moved</body></html>"), ALL).expect("a page");
        assert_eq!(page.leads_to.as_deref(), place, "{meta}");
    }
}
