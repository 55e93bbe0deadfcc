//! Updates that Telegram brings, and files of a server in local mode.

use clifford_channel::{Channel, FetchError, IngressError, Limits};
use clifford_fakes::telegram::{Fault, Method, TelegramFake};
use clifford_telegram::{Receiving, Telegram};
use serde_json::{Value, json};

use crate::{ADA, Config, config, ingress::Memory};

/// A bot to which Telegram brings its updates.
fn hooked(fake: &TelegramFake) -> Telegram {
    let mut config: Config = config(fake);
    config.settings.receive = Receiving::Webhook;
    config.settings.webhook_url = Some("https://bot.example.org/telegram".into());
    config.telegram()
}

fn update(id: u64, text: &str) -> Vec<u8> {
    let chat = json!({"id": ADA, "type": "private", "first_name": "Ada"});
    let message = json!({"message_id": id, "date": 1_700_000_000, "text": text, "chat": chat,
        "from": {"id": ADA, "is_bot": false, "first_name": "Ada"}});
    let update: Value = json!({"update_id": id, "message": message});
    update.to_string().into_bytes()
}

#[tokio::test]
async fn an_update_is_taken_when_it_is_stored_and_not_before() {
    let fake = TelegramFake::start().await.unwrap();
    let telegram = hooked(&fake);
    let webhook = telegram.webhook().unwrap();
    assert_eq!(
        (webhook.host(), webhook.path(), webhook.header()),
        ("bot.example.org", "/telegram", "x-telegram-bot-api-secret-token")
    );
    assert!(!webhook.admits(b"") && !webhook.admits(b"\xff") && !webhook.admits(&[b'0'; 64]));
    let ingress = Memory::new();
    // While Telegram does not tell whose account it is, nothing is taken.
    fake.fail_next(Method::GetMe, Fault::Server(502));
    let taken = webhook.take(update(1, "one").into(), &*ingress).await;
    assert!(matches!(taken, Err(IngressError::Unavailable(_))));
    webhook.take(update(1, "one").into(), &*ingress).await.unwrap();
    ingress.refuse(1);
    webhook.take(update(2, "two").into(), &*ingress).await.unwrap();
    webhook.take(b"no \xff json".to_vec().into(), &*ingress).await.unwrap();
    let taken = ingress.taken();
    assert_eq!(taken[..2], ["one", "two"]);
    assert_eq!(taken.len(), 3, "{taken:?}");
    ingress.refuse(usize::MAX);
    let taken = webhook.take(update(3, "three").into(), &*ingress).await;
    assert!(matches!(taken, Err(IngressError::Unavailable(_))));
    assert_eq!(fake.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn the_updates_of_a_chat_go_in_one_after_the_other() {
    let fake = TelegramFake::start().await.unwrap();
    let telegram = hooked(&fake);
    let webhook = telegram.webhook().unwrap();
    let ingress = Memory::new();
    ingress.hold("one");
    let later = async {
        ingress.wait_until(|ingress| ingress.attempts() == 1).await;
        let second = webhook.take(update(2, "two").into(), &*ingress);
        tokio::pin!(second);
        // The second has begun, and waits for the first.
        assert!(futures::poll!(&mut second).is_pending());
        assert_eq!(ingress.attempts(), 1);
        ingress.release();
        second.await
    };
    let (first, second) = tokio::join!(webhook.take(update(1, "one").into(), &*ingress), later);
    first.unwrap();
    second.unwrap();
    assert_eq!(ingress.taken(), ["one", "two"]);
}

/// The id of a document that Ada sent.
fn sent(fake: &TelegramFake, content: &[u8]) -> String {
    let ada = fake.user(ADA, "Ada");
    fake.user_sends_file(ada, ADA, "see", "notes.txt", content);
    let waiting = fake.waiting();
    waiting[0]["message"]["document"]["file_id"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn files_of_a_server_in_local_mode_are_read_below_its_directory_and_nowhere_else() {
    let fake = TelegramFake::start().await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (own, elsewhere) = (dir.path().join("bot-api"), dir.path().join("elsewhere"));
    for path in [&own, &elsewhere] {
        std::fs::create_dir(path).unwrap();
    }
    fake.run_locally(&own);
    let id = sent(&fake, "42 ü".as_bytes());
    let mut config = config(&fake);
    // The setting says that it is in local mode, or nothing of this machine is read.
    let Err(FetchError::Gone(why)) = config.telegram().fetch(&id, 100).await else {
        panic!("it was read");
    };
    assert!(why.contains("channels.telegram.local = true"), "{why}");
    config.settings.local = true;
    config.settings.local_dir = Some(own.clone());
    let telegram = config.telegram();
    assert_eq!(telegram.limits().file_bytes, 2000 << 20);
    assert_eq!(telegram.fetch(&id, 100).await.unwrap(), "42 ü".as_bytes());
    assert!(matches!(telegram.fetch(&id, 4).await, Err(FetchError::TooLarge)));
    // Neither a path outside nor a link that leads there.
    let secret = elsewhere.join("secret.txt");
    std::fs::write(&secret, "secret").unwrap();
    let link = own.join("link.txt");
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    let up = own.join("../elsewhere/secret.txt");
    for path in [secret, link, up, own.clone(), own.join("none.txt")] {
        fake.fail_next(Method::GetFile, Fault::Result(json!({"file_path": path})));
        let Err(FetchError::Gone(why)) = telegram.fetch(&id, 100).await else {
            panic!("{} was read", path.display());
        };
        assert!(!why.contains(fake.token()) && !why.contains("secret"), "{why}");
    }
    let Limits { file_bytes, .. } = crate::telegram(&fake).limits();
    assert_eq!(file_bytes, 50 << 20);
}
