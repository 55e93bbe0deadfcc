//! Agents of the configuration and of the owner, and the versions of their prompts.

use clifford_core::{
    id::AgentId,
    places::{AgentSource, Mode},
};
use clifford_store::{
    StoreError,
    places::{
        agents::{
            self, Agent,
            managing::{self, ManagedAgent, NewAgent},
            prompts,
        },
        channels,
    },
};

use super::{
    erasure::script,
    world::{NOW, World, an_agent},
};

/// Versions with their sources and what they restore, the newest first.
async fn versions(world: &World, agent: AgentId) -> Vec<(i64, String, AgentSource, Option<i64>)> {
    let mut conn = world.db.read().await.expect("reads");
    let listed = prompts::page(&mut conn, agent, None, 100).await.expect("reads");
    let mut found = Vec::new();
    for listed in listed {
        let whole = prompts::get(&mut conn, agent, listed.version).await.expect("reads");
        let whole = whole.expect("it is listed");
        let characters = i64::try_from(whole.prompt.chars().count()).expect("a length");
        assert_eq!(listed.characters, characters);
        found.push((whole.version, whole.prompt, whole.source, whole.restores));
    }
    found
}

async fn configured(world: &World, prompt: &str) {
    let agent = Agent {
        prompt: prompt.to_owned(),
        ..an_agent(AgentId::new(), "clifford")
    };
    let put = world.db.write(move |tx| {
        let agent = agent.clone();
        Box::pin(async move { agents::put(tx, &agent, NOW).await })
    });
    put.await.expect("brings in");
}

async fn set(world: &World, agent: AgentId, prompt: &'static str, restores: Option<i64>) -> Result<(), StoreError> {
    world
        .db
        .write(move |tx| Box::pin(async move { prompts::set(tx, agent, prompt, restores, NOW).await }))
        .await
}

async fn get(world: &World, agent: AgentId) -> Option<ManagedAgent> {
    managing::get(&mut world.db.read().await.expect("reads"), agent)
        .await
        .expect("reads")
}

pub async fn a_prompt_of_the_owner_stays_until_the_configuration_has_another_one(world: World) {
    let agent = world.agent;
    let prompt = async || get(&world, agent).await.expect("it is there").prompt;
    configured(&world, "one").await;
    set(&world, agent, "two", None).await.expect("sets");
    // The same again is no version.
    set(&world, agent, "two", None).await.expect("sets");
    configured(&world, "one").await;
    assert_eq!(prompt().await, "two");
    configured(&world, "three").await;
    assert_eq!(prompt().await, "three");
    set(&world, agent, "two", Some(3)).await.expect("goes back");
    configured(&world, "three").await;
    let owner = |version, text: &str, restores| (version, text.to_owned(), AgentSource::Owner, restores);
    let config = |version, text: &str| (version, text.to_owned(), AgentSource::Config, None);
    let expected = [
        owner(5, "two", Some(3)),
        config(4, "three"),
        owner(3, "two", None),
        config(2, "one"),
        config(1, "You are Clifford."),
    ];
    assert_eq!(versions(&world, agent).await, expected);
    assert_eq!(get(&world, agent).await.expect("it is there").prompt_version, 5);
    let gone = set(&world, AgentId::new(), "x", None).await;
    assert!(matches!(gone, Err(StoreError::NotFound(_))), "{gone:?}");
}

pub async fn a_prompt_that_an_older_version_wrote_becomes_a_version(world: World) {
    let agent = world.agent;
    set(&world, agent, "ours", None).await.expect("sets");
    script(&world.db, "UPDATE agents SET prompt = 'theirs'").await;
    set(&world, agent, "ours again", None).await.expect("sets");
    let texts: Vec<_> = versions(&world, agent).await.into_iter().map(|found| found.1).collect();
    assert_eq!(texts, ["ours again", "theirs", "ours", "You are Clifford."]);
}

fn new(name: &str, prompt: &str) -> NewAgent {
    NewAgent {
        name: name.to_owned(),
        prompt: prompt.to_owned(),
        mode: Mode::Chat,
        enabled: true,
    }
}

async fn create(world: &World, new: NewAgent) -> Result<AgentId, StoreError> {
    world
        .db
        .write(move |tx| {
            let new = new.clone();
            Box::pin(async move { managing::create(tx, &new, NOW).await })
        })
        .await
}

async fn delete(world: &World, agent: AgentId) -> Result<(), StoreError> {
    world
        .db
        .write(move |tx| Box::pin(async move { managing::delete(tx, agent, NOW).await }))
        .await
}

pub async fn an_owner_makes_agents_and_deletes_them_and_those_of_the_configuration_stay(world: World) {
    let ada = create(&world, new("Ada", "You are Ada.")).await.expect("makes");
    let taken = create(&world, new("Ada", "Another.")).await;
    assert!(matches!(taken, Err(StoreError::Conflict(_))), "{taken:?}");
    let channel = world.channel.id;
    let chosen = world.db.write(move |tx| {
        Box::pin(async move {
            let to_ada = channels::Change {
                agent: Some(Some(ada)),
                ..channels::Change::default()
            };
            channels::change(tx, channel, &to_ada, NOW).await?;
            // A start leaves it as it is.
            agents::disable_except(tx, &["clifford".to_owned()], NOW).await
        })
    });
    chosen.await.expect("writes");
    let found = get(&world, ada).await.expect("it is there");
    assert_eq!(
        (found.enabled, found.source, found.mode, found.is_default),
        (true, AgentSource::Owner, Mode::Chat, false)
    );

    delete(&world, ada).await.expect("deletes");
    assert_eq!(get(&world, ada).await, None);
    let mut conn = world.db.read().await.expect("reads");
    let listed = managing::list(&mut conn).await.expect("reads");
    assert_eq!(
        listed.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>(),
        ["clifford"]
    );
    // Its runs still know it.
    let known = agents::get(&mut conn, ada).await.expect("reads");
    assert_eq!(
        known.map(|agent| (agent.name, agent.enabled)),
        Some(("Ada".to_owned(), false))
    );
    let channel = channels::get(&mut conn, channel).await.expect("reads");
    assert_eq!(channel.and_then(|channel| channel.agent_id), None);
    drop(conn);
    let gone = delete(&world, ada).await;
    assert!(matches!(gone, Err(StoreError::NotFound(_))), "{gone:?}");

    let again = create(&world, new("Ada", "You are Ada once more."))
        .await
        .expect("makes");
    assert_eq!(again, ada);
    let texts: Vec<_> = versions(&world, ada).await.into_iter().map(|found| found.1).collect();
    assert_eq!(texts, ["You are Ada once more.", "You are Ada."]);

    let refused = delete(&world, world.agent).await;
    assert!(matches!(refused, Err(StoreError::WrongState(_))), "{refused:?}");
    // One that left the configuration is the owner's.
    let left = world
        .db
        .write(|tx| Box::pin(async move { agents::disable_except(tx, &["Ada".to_owned()], NOW).await }));
    left.await.expect("writes");
    let found = get(&world, world.agent).await.expect("it is there");
    assert_eq!((found.enabled, found.source), (false, AgentSource::Owner));
    delete(&world, world.agent).await.expect("deletes");
}
