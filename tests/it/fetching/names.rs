//! Names that lead to where nothing may be fetched, at once or later.

use super::*;

#[tokio::test]
async fn a_name_of_an_inner_address_is_never_connected_to() {
    let world = World::new(Limits::default()).await;
    for url in ["http://inner.test/", "https://inner.test/"] {
        assert_eq!(world.fetcher.page(url).await, refused(Refused::Address), "{url}");
    }
    assert_eq!(world.inner.connections(), 0);
}

#[tokio::test]
async fn of_a_name_with_several_addresses_only_public_ones_are_connected_to() {
    let world = World::with(Limits::default(), |names, public, inner| {
        let v6: SocketAddr = (Ipv4Addr::new(10, 0, 0, 1).to_ipv6_mapped(), 80).into();
        names.with("mixed.test", &[&[inner, v6, public]])
    })
    .await;
    world.public.put("/", Answer::html("hello"));
    let page = world.fetcher.page("http://mixed.test/").await.unwrap();
    assert_eq!(page.text, "hello");
    assert_eq!((world.public.connections(), world.inner.connections()), (1, 0));
}

#[tokio::test]
async fn a_name_is_looked_up_once_for_a_connection_so_a_second_meaning_gains_nothing() {
    let world = World::with(Limits::default(), |names, public, inner| {
        names.with("rebinding.test", &[&[public], &[inner]])
    })
    .await;
    world.public.put("/", Answer::html("hello"));
    let page = world.fetcher.page("http://rebinding.test/").await.unwrap();
    assert_eq!(page.text, "hello");
    assert_eq!(world.names.asked(), ["rebinding.test"]);
    assert_eq!((world.public.connections(), world.inner.connections()), (1, 0));
}

#[tokio::test]
async fn a_name_that_changes_its_meaning_between_redirects_is_judged_anew() {
    let world = World::with(Limits::default(), |names, public, inner| {
        names.with("rebinding.test", &[&[public], &[inner]])
    })
    .await;
    // A connection that is closed has to be made again.
    let again = Answer::redirect(302, "/secret").header("connection", "close");
    world.public.put("/", again);
    assert_eq!(
        world.fetcher.page("http://rebinding.test/").await,
        Err(FetchError::RedirectRefused(Refused::Address))
    );
    assert_eq!(world.names.asked(), ["rebinding.test", "rebinding.test"]);
    assert_eq!((world.public.connections(), world.inner.connections()), (1, 0));
}

#[tokio::test]
async fn what_cannot_be_reached_is_told_without_addresses() {
    let world = World::with(Limits::default(), |names, public, _| {
        // Nobody listens there.
        let closed = SocketAddr::new(public.ip(), 1);
        names.with("closed.test", &[&[closed]]).with("empty.test", &[&[]])
    })
    .await;
    let fault = async |url| world.fetcher.page(url).await.unwrap_err().to_string();
    assert_eq!(
        fault("http://unknown.test/").await,
        "the host unknown.test is not known; check its spelling"
    );
    assert_eq!(
        fault("http://empty.test/").await,
        "the host empty.test is not known; check its spelling"
    );
    assert_eq!(
        fault("http://closed.test/").await,
        "the host closed.test cannot be reached"
    );
    assert_eq!(
        fault("http://inner.test/").await,
        "this address may not be fetched; the owner can allow it (tools.web.allow_hosts)"
    );
}
