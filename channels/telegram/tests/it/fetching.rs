//! Files in: their content, and why there is none.

use clifford_channel::{Channel, FetchError, Inbound};
use clifford_fakes::telegram::{Fault, Method, TelegramFake};
use serde_json::json;

use crate::{ADA, Running, config, ingress::Memory, telegram};

/// The largest file that the tests ask for.
const MOST: u64 = 1 << 20;

/// Receives a document of Ada's, and returns its id.
async fn received(fake: &TelegramFake, content: &[u8]) -> String {
    let ada = fake.user(ADA, "Ada");
    fake.user_sends_file(ada, ADA, "see", "notes.txt", content);
    let ingress = Memory::new();
    let running = Running::start(telegram(fake), &ingress);
    ingress.wait_for(1).await;
    running.stop().await.unwrap();
    match ingress.events().as_slice() {
        [Inbound::Message(message)] => message.attachments[0].id.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_file_is_read_whole_and_never_more_than_was_asked_for() {
    let fake = TelegramFake::start().await.unwrap();
    let id = received(&fake, "42 ü".as_bytes()).await;
    let telegram = telegram(&fake);
    assert_eq!(telegram.fetch(&id, MOST).await.unwrap(), "42 ü".as_bytes());
    assert!(matches!(telegram.fetch(&id, 4).await, Err(FetchError::TooLarge)));
    // A server that does not tell the size is stopped all the same.
    let path = "documents/file_1.bin";
    fake.fail_next(Method::GetFile, Fault::Result(json!({"file_path": path})));
    assert!(matches!(telegram.fetch(&id, 4).await, Err(FetchError::TooLarge)));
    assert_eq!(fake.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_missing_file_is_gone_and_a_failing_server_unavailable() {
    let fake = TelegramFake::start().await.unwrap();
    let id = received(&fake, b"42").await;
    let telegram = telegram(&fake);
    for path in ["documents/none.bin", "../../bot/getMe", "..", "/"] {
        fake.fail_next(Method::GetFile, Fault::Result(json!({"file_path": path})));
        let error = telegram.fetch(&id, MOST).await.unwrap_err();
        assert!(matches!(error, FetchError::Gone(_)), "{path}: {error:?}");
        assert!(!format!("{error:?}").contains(fake.token()), "{path}: {error:?}");
    }
    fake.fail_next(Method::GetFile, Fault::Server(502));
    let error = telegram.fetch(&id, MOST).await.unwrap_err();
    assert!(matches!(error, FetchError::Unavailable(_)), "{error:?}");
    fake.forget_files();
    let error = telegram.fetch(&id, MOST).await.unwrap_err();
    assert!(matches!(error, FetchError::Gone(_)), "{error:?}");
}

#[tokio::test]
async fn an_unreachable_server_shows_no_token_to_who_asks_for_a_file() {
    let fake = TelegramFake::start().await.unwrap();
    let mut config = config(&fake);
    // Nothing listens on port 1.
    config.api_url = "http://127.0.0.1:1".into();
    let telegram = config.telegram();
    let error = telegram.fetch("file", MOST).await.unwrap_err();
    assert!(matches!(error, FetchError::Unavailable(_)), "{error:?}");
    assert!(!format!("{error:?}").contains(fake.token()), "{error:?}");
}
