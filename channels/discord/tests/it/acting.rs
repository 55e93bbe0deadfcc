//! Acts besides speaking, with the permissions of the person who asks.

use clifford_channel::{Act, ActError, Acted, Actor, Poll};
use clifford_discord::{Discord, DiscordConfig};
use clifford_fakes::discord::DiscordFake;
use clifford_vault::Secret;

const PIN: u64 = 1 << 51;
const VIEW: u64 = 1 << 10;

struct World {
    fake: DiscordFake,
    discord: Discord,
    guild: u64,
    channel: u64,
    ada: u64,
}

impl World {
    async fn new() -> Self {
        let fake = DiscordFake::start().await;
        let config = DiscordConfig::new(fake.api_url().into(), Secret::new(DiscordFake::TOKEN));
        let discord = Discord::new(config).unwrap();
        let guild = fake.guild("Team");
        let channel = fake.channel(guild, "general");
        let ada = fake.user("Ada");
        fake.join(guild, ada, &[]);
        Self {
            fake,
            discord,
            guild,
            channel,
            ada,
        }
    }

    async fn act(&self, channel: u64, user: u64, act: Act) -> Result<Acted, ActError> {
        self.discord.act(&channel.to_string(), &user.to_string(), &act).await
    }
}

fn lacks(right: &str) -> ActError {
    ActError::NotTheirs(format!("they lack {right}"))
}

fn pin(message: u64) -> Act {
    Act::Pin {
        message: message.to_string(),
    }
}

const HISTORY: Act = Act::History { limit: 2, before: None };

#[tokio::test]
async fn a_person_reads_what_they_may_see_and_nothing_else() {
    let world = World::new().await;
    let hidden = world.fake.channel(world.guild, "hidden");
    world.fake.overwrite(hidden, world.guild, 0, VIEW);
    let stranger = world.fake.user("Mallory");
    for text in ["one", "two", "three"] {
        world.fake.user_says(world.channel, world.ada, text);
    }
    let read = world.act(world.channel, world.ada, HISTORY).await.unwrap();
    let Acted::Messages(said) = read else {
        panic!("{read:?}")
    };
    let texts: Vec<_> = said.iter().map(|said| (said.by.as_str(), said.text.as_str())).collect();
    assert_eq!(texts, [("Ada", "two"), ("Ada", "three")]);

    assert_eq!(world.act(hidden, world.ada, HISTORY).await, Err(lacks("View Channel")));
    let no_member = ActError::NotTheirs("they are no member of that server".to_owned());
    assert_eq!(world.act(world.channel, stranger, HISTORY).await, Err(no_member));
    let private = world.fake.dm(stranger);
    let others = ActError::NotTheirs("it is another person's private channel".to_owned());
    assert_eq!(world.act(private, world.ada, HISTORY).await, Err(others));
    assert_eq!(world.act(private, stranger, HISTORY).await, Ok(Acted::Messages(vec![])));
    let escaped = world.discord.act("../guilds/1", &world.ada.to_string(), &HISTORY).await;
    let no_id = "`../guilds/1` is no id of a channel on Discord: it is a number".to_owned();
    assert_eq!(escaped, Err(ActError::Refused(no_id)));
}

#[tokio::test]
async fn pins_polls_and_threads_take_the_persons_own_rights() {
    let world = World::new().await;
    let message = world.fake.user_says(world.channel, world.ada, "important");
    assert_eq!(
        world.act(world.channel, world.ada, pin(message)).await,
        Err(lacks("Pin Messages"))
    );
    assert!(world.fake.pins(world.channel).is_empty());

    let role = world.fake.role(world.guild, PIN);
    let bea = world.fake.user("Bea");
    world.fake.join(world.guild, bea, &[role]);
    assert_eq!(world.act(world.channel, bea, pin(message)).await, Ok(Acted::Done));
    assert_eq!(world.fake.pins(world.channel), [message]);
    let unknown = world.act(world.channel, bea, pin(1)).await;
    assert_eq!(unknown, Err(ActError::Refused("Unknown Message".to_owned())));

    let poll = Act::Poll(Poll {
        question: "Pizza?".to_owned(),
        answers: vec!["Yes".to_owned(), "No".to_owned()],
        several: false,
        hours: 24,
    });
    assert!(matches!(
        world.act(world.channel, world.ada, poll).await,
        Ok(Acted::Message(_))
    ));
    let thread = Act::Thread {
        name: "Plans".to_owned(),
        message: Some(message.to_string()),
    };
    let made = world.act(world.channel, world.ada, thread.clone()).await;
    assert_eq!(made, Ok(Acted::Place(message.to_string())));
    assert_eq!(world.fake.threads(world.channel), ["Plans"]);
    let again = world.act(world.channel, world.ada, thread).await;
    let refused = "A thread has already been created for this message".to_owned();
    assert_eq!(again, Err(ActError::Refused(refused)));
    assert_eq!(world.fake.violations(), Vec::<String>::new());
}
