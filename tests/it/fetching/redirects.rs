//! Redirects: each is judged as the first address was.

use std::collections::BTreeSet;

use super::*;

#[tokio::test]
async fn a_redirect_to_where_nothing_may_be_fetched_is_not_followed() {
    let world = World::new(Limits::default()).await;
    let port = world.inner.address().port();
    let to = |why| Err(FetchError::RedirectRefused(why));
    for (place, expected) in [
        (world.inner.url("/"), to(Refused::Address)),
        (format!("//127.0.0.1:{port}/"), to(Refused::Address)),
        (format!("http://2130706433:{port}/"), to(Refused::Address)),
        (format!("http://0x7f.1:{port}/"), to(Refused::Address)),
        (format!("http://[::ffff:127.0.0.1]:{port}/"), to(Refused::Address)),
        (format!("http://localhost:{port}/"), to(Refused::Address)),
        ("http://inner.test/".to_owned(), to(Refused::Address)),
        ("https://inner.test/".to_owned(), to(Refused::Address)),
        ("http://169.254.169.254/latest/".to_owned(), to(Refused::Address)),
        ("file:///etc/passwd".to_owned(), to(Refused::Scheme)),
        (format!("gopher://127.0.0.1:{port}/_"), to(Refused::Scheme)),
        ("data:text/html,secret".to_owned(), to(Refused::Scheme)),
        ("http://ada:secret@public.test/".to_owned(), to(Refused::Credentials)),
        ("http://public.test:6379/".to_owned(), to(Refused::Port)),
        ("http://256.256.256.256/".to_owned(), Err(FetchError::RedirectToNowhere)),
        ("http://[::1".to_owned(), Err(FetchError::RedirectToNowhere)),
    ] {
        world.public.put("/on", Answer::redirect(302, &place));
        assert_eq!(world.fetch("/on").await, expected, "{place}");
    }
    assert_eq!(world.inner.connections(), 0);
}

#[tokio::test]
async fn five_redirects_are_followed_and_no_more() {
    let world = World::new(Limits::default()).await;
    for (hop, status) in [301, 302, 303, 307, 308, 302].into_iter().enumerate() {
        let next = Answer::redirect(status, &format!("{}#part", hop + 1));
        world.public.put(&format!("/{hop}"), next);
    }
    world.public.put("/6", Answer::html("the end"));
    assert_eq!(world.fetch("/1").await.as_deref(), Ok("the end"));
    assert_eq!(world.fetch("/0").await, Err(FetchError::TooManyRedirects(5)));
    world
        .public
        .put("/loop", Answer::redirect(302, "http://public.test/loop"));
    assert_eq!(world.fetch("/loop").await, Err(FetchError::TooManyRedirects(5)));
    let loops = world
        .public
        .visits()
        .iter()
        .filter(|visit| visit.path == "/loop")
        .count();
    assert_eq!(loops, 6);
}

#[tokio::test]
async fn a_redirect_without_a_place_is_an_error_and_other_answers_are_none() {
    let world = World::new(Limits::default()).await;
    world.public.put("/nowhere", Answer::body("", "").status(302));
    assert_eq!(world.fetch("/nowhere").await, Err(FetchError::RedirectToNowhere));
    world.public.put("/gone", Answer::html("gone").status(410));
    let page = world.fetcher.page("http://public.test/gone").await.unwrap();
    assert_eq!((page.status.as_u16(), page.text.as_str()), (410, "gone"));
}

#[tokio::test]
async fn a_site_is_told_nothing_of_the_one_before() {
    let world = World::with(Limits::default(), |names, public, _| {
        names.with("next.test", &[&[public]])
    })
    .await;
    let first = Answer::redirect(302, "http://next.test/").header("set-cookie", "session=1; Domain=test");
    world.public.put("/first", first);
    world.public.put("/", Answer::html("here"));
    assert_eq!(world.fetch("/first").await.as_deref(), Ok("here"));
    let visits = world.public.visits();
    let told: BTreeSet<_> = visits[1].headers.keys().map(|name| name.as_str()).collect();
    assert_eq!(
        told,
        BTreeSet::from(["accept", "accept-encoding", "host", "user-agent"])
    );
    assert_eq!(visits[1].headers["host"], "next.test");
}
