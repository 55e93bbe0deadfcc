//! Context windows: told by servers, by refusals, and kept for later calls.

use clifford_fakes::openai::Listing;

use crate::{
    db_probe::DbProbe,
    harness::{Setup, Site},
};

const TOO_SMALL: &str = "Sorry, my language model has too little room for your question alongside my instructions. \
                         My owner has to choose one with more, or give me fewer tools.";

/// The number of kept windows that were told in this way.
async fn kept(look: &DbProbe, source: &str) -> i64 {
    let sql = format!("SELECT COALESCE(MAX(tokens), 0) FROM model_windows WHERE source = '{source}'");
    look.number(&sql).await
}

#[tokio::test]
async fn the_window_is_learned_from_the_lists_of_every_kind_of_server() {
    for listing in [
        Listing::LlamaCpp(16_384),
        Listing::Ollama(16_384),
        Listing::Vllm(16_384),
        Listing::OpenRouter(16_384),
    ] {
        let mut bot = Setup::on(Site::Telegram)
            .provider("context_tokens", false)
            .prepare()
            .await;
        bot.model.only_models(["fake-1"]);
        bot.model.lists_windows(listing);
        bot.start().await;
        let ada = bot.room(Site::Telegram, 7, "Ada");
        bot.says(ada, "hello");
        assert_eq!(bot.answers(ada, 1).await, ["You said: hello"]);
        let tokens = bot
            .until("the window", async |look| {
                let tokens = kept(look, "listed").await;
                (tokens > 0).then_some(tokens)
            })
            .await;
        assert_eq!(tokens, 16_384, "{listing:?}");
        bot.finish().await;
        assert_eq!(bot.model.violations(), Vec::<String>::new());
    }
}

async fn a_refusal_teaches_the_window(setup: Setup) {
    let mut bot = setup.prepare().await;
    bot.model.context_window(1_200);
    bot.start().await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    bot.says(ada, "hello");
    // Whether it fits is another question: what was refused is known from then on.
    bot.answers(ada, 1).await;
    let tokens = bot
        .until("the window", async |look| {
            let tokens = kept(look, "refused").await;
            (tokens > 0).then_some(tokens)
        })
        .await;
    assert_eq!(tokens, 1_200);
    bot.finish().await;
}

#[tokio::test]
async fn the_window_is_learned_from_a_refusal() {
    a_refusal_teaches_the_window(Setup::on(Site::Telegram).provider("context_tokens", false)).await;
}

#[tokio::test]
async fn the_window_is_learned_from_a_refusal_on_postgres() {
    if let Some(setup) = Setup::on(Site::Telegram).provider("context_tokens", false).postgres() {
        a_refusal_teaches_the_window(setup).await;
    }
}

#[tokio::test]
async fn a_short_question_is_not_blamed_for_a_window_that_the_instructions_fill() {
    for (context_tokens, tells) in [
        (1_024.into(), true),
        (1_024.into(), false),
        (toml::Value::from(false), true),
    ] {
        let mut bot = Setup::on(Site::Telegram)
            .provider("context_tokens", context_tokens)
            .prepare()
            .await;
        match tells {
            true => bot.model.context_window(512),
            false => bot.model.untold_context_window(512),
        }
        bot.start().await;
        let ada = bot.room(Site::Telegram, 7, "Ada");
        bot.says(ada, "hello there");
        let answers = bot.answers(ada, 1).await;
        assert!(answers[0].starts_with(TOO_SMALL), "{answers:?}");
        bot.finish().await;
        assert_eq!(bot.texts(ada).len(), 1);
    }
}
