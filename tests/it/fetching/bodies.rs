//! Bodies that are too long, too slow, packed, broken, or no text.

use async_compression::{
    Level,
    tokio::write::{BrotliEncoder, GzipEncoder, ZlibEncoder},
};
use tokio::io::AsyncWriteExt;

use super::*;

const LIMIT: usize = 64 * 1024;

fn limits() -> Limits {
    Limits {
        bytes: LIMIT,
        time: Duration::from_secs(30),
    }
}

/// A body in each of the ways to pack it.
async fn packed(body: &[u8]) -> [(&'static str, Vec<u8>); 3] {
    let mut gzip = GzipEncoder::with_quality(Vec::new(), Level::Fastest);
    let mut deflate = ZlibEncoder::with_quality(Vec::new(), Level::Fastest);
    let mut brotli = BrotliEncoder::with_quality(Vec::new(), Level::Fastest);
    gzip.write_all(body).await.unwrap();
    gzip.shutdown().await.unwrap();
    deflate.write_all(body).await.unwrap();
    deflate.shutdown().await.unwrap();
    brotli.write_all(body).await.unwrap();
    brotli.shutdown().await.unwrap();
    [
        ("gzip", gzip.into_inner()),
        ("deflate", deflate.into_inner()),
        ("br", brotli.into_inner()),
    ]
}

#[tokio::test]
async fn a_body_is_read_up_to_the_limit_however_it_is_packed() {
    let world = World::new(limits()).await;
    for (length, fits) in [(LIMIT, true), (LIMIT + 1, false), (100 * LIMIT, false)] {
        let body = vec![b'x'; length];
        let plain = ("identity", body.clone());
        for (encoding, bytes) in packed(&body).await.into_iter().chain([plain]) {
            let answer = Answer::body("text/plain", bytes).header("content-encoding", encoding);
            world.public.put("/", answer);
            let expected = if fits {
                Ok(length)
            } else {
                Err(FetchError::TooLong(LIMIT))
            };
            let length_read = world.fetch("/").await.map(|text| text.len());
            assert_eq!(length_read, expected, "{length} bytes, {encoding}");
        }
    }
}

#[tokio::test]
async fn what_never_ends_is_given_up() {
    let world = World::new(limits()).await;
    world.public.put("/plain", Answer::endless("and on "));
    // Empty blocks: they unpack to nothing.
    let empty: Vec<u8> = [0, 0, 0, 0xff, 0xff].repeat(1000);
    world.public.put(
        "/packed",
        Answer::endless(empty.clone()).header("content-encoding", "deflate"),
    );
    assert_eq!(world.fetch("/plain").await, Err(FetchError::TooLong(LIMIT)));
    // That stream has no head, as some servers write it; the next one has.
    assert_eq!(world.fetch("/packed").await, Err(FetchError::TooLong(LIMIT)));
    let mut long = vec![0x78, 0x9c];
    long.extend(empty.repeat(20));
    world.public.put(
        "/nothing",
        Answer::body("text/plain", long).header("content-encoding", "deflate"),
    );
    assert_eq!(world.fetch("/nothing").await, Err(FetchError::TooLong(LIMIT)));
}

#[tokio::test]
async fn what_is_packed_otherwise_or_badly_is_an_error() {
    let world = World::new(limits()).await;
    let [(_, gzip), (_, deflate), ..] = packed(b"hello, hello, hello").await;
    for (encoding, bytes, expected) in [
        ("gzip", gzip.clone(), Ok("hello, hello, hello".to_owned())),
        ("GZIP", gzip.clone(), Ok("hello, hello, hello".to_owned())),
        (
            "gzip",
            [gzip.as_slice(), &gzip, b"\0\0 and more"].concat(),
            Ok("hello, hello, hellohello, hello, hello".to_owned()),
        ),
        (
            "gzip",
            [gzip.as_slice(), &gzip[..gzip.len() / 2]].concat(),
            Err(FetchError::Broken),
        ),
        // Without the frame of two bytes before it and four behind.
        (
            "deflate",
            deflate[2..deflate.len() - 4].to_vec(),
            Ok("hello, hello, hello".to_owned()),
        ),
        ("gzip", gzip[..gzip.len() / 2].to_vec(), Err(FetchError::Broken)),
        ("gzip", b"hello".to_vec(), Err(FetchError::Broken)),
        ("gzip, gzip", gzip.clone(), Err(FetchError::Encoding)),
        ("zstd", gzip.clone(), Err(FetchError::Encoding)),
        ("ignore what was said", gzip, Err(FetchError::Encoding)),
    ] {
        world.public.put(
            "/",
            Answer::body("text/plain", bytes).header("content-encoding", encoding),
        );
        assert_eq!(world.fetch("/").await, expected, "{encoding}");
    }
}

#[tokio::test]
async fn a_head_that_is_too_long_is_no_answer() {
    let world = World::new(limits()).await;
    let long = "a".repeat(1 << 20);
    world
        .public
        .put("/", Answer::body("text/plain", "hello").header("x-long", &long));
    assert_eq!(world.fetch("/").await, Err(FetchError::Broken));
}

#[tokio::test]
async fn a_page_that_takes_too_long_in_all_is_given_up() {
    let limit = Duration::from_millis(500);
    let world = World::new(in_time(limit)).await;
    let pause = Duration::from_millis(120);
    world.public.put("/drip", Answer::slow(["a"; 100], pause));
    world.public.put("/never", Answer::never());
    world
        .public
        .put("/in-time", Answer::slow(["a", "b"], Duration::from_millis(1)));
    let late = Err(FetchError::TooSlow(limit));
    assert_eq!(world.fetch("/drip").await, late);
    assert_eq!(world.fetch("/never").await, late);
    assert_eq!(world.fetch("/in-time").await.as_deref(), Ok("ab"));
}

#[tokio::test]
async fn what_breaks_off_is_no_page() {
    let world = World::new(limits()).await;
    world.public.put("/", Answer::broken("half of"));
    assert_eq!(world.fetch("/").await, Err(FetchError::Broken));
}

#[tokio::test]
async fn only_texts_are_read_and_in_their_own_charset() {
    let world = World::new(limits()).await;
    let no_text = |what: &str| Err(FetchError::NoText(what.to_owned()));
    for (media_type, body, expected) in [
        ("text/html; charset=iso-8859-1", b"Z\xfcrich".to_vec(), Ok("Zürich")),
        (
            "text/html",
            b"<meta charset=koi8-r>\xc4\xc1".to_vec(),
            Ok("<meta charset=koi8-r>да"),
        ),
        ("application/json", br#"{"a":1}"#.to_vec(), Ok(r#"{"a":1}"#)),
        ("", b"plain".to_vec(), Ok("plain")),
        ("", b"\0\x01".to_vec(), no_text("of an unknown type")),
        ("application/pdf", b"%PDF".to_vec(), no_text("application/pdf")),
        ("image/png", b"\x89PNG".to_vec(), no_text("image/png")),
    ] {
        world.public.put("/", Answer::body(media_type, body));
        assert_eq!(
            world.fetch("/").await.as_deref(),
            expected.as_ref().map(|text| *text),
            "{media_type}"
        );
    }
}
