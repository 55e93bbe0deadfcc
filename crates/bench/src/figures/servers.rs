//! Memory of a bot that is in a thousand servers of Discord.

use std::time::Duration;

use clifford_fakes::discord::DiscordFake;

use super::Bench;
use crate::{
    process,
    report::{Figure, Limit, Round},
    world::World,
};

/// How many servers there are, with how many channels and roles each.
const SERVERS: usize = 1_000;
const CHANNELS: usize = 50;
const ROLES: usize = 20;
/// How long nothing happens before memory is read, so that what the start needed is given back.
const REST: Duration = Duration::from_secs(1);

/// Measures it.
///
/// # Errors
/// Nothing could be measured.
pub async fn measure(bench: &Bench) -> anyhow::Result<Round> {
    let (world, dir, discord) = (
        World::new(Duration::ZERO).await?,
        bench.dir()?,
        DiscordFake::start().await,
    );
    let ada = discord.user("Ada");
    let mut last = 0;
    for server in 0..SERVERS {
        let guild = discord.guild(&format!("A server of people, number {server}"));
        for role in 0..ROLES {
            discord.named_role(guild, &format!("Role {role}"), 0);
        }
        for channel in 0..CHANNELS {
            last = discord.channel(guild, &format!("channel-for-talk-{channel}"));
        }
    }
    let settings = format!(
        "[channels.discord]\ntoken = \"{}\"\napi_url = \"{}\"\naccess = \"open\"\n",
        DiscordFake::TOKEN,
        discord.api_url(),
    );
    let bot = process::clifford_with(&bench.clifford, &world, dir.path(), &settings)?;
    discord.wait_for_connection().await;
    // The last server was told last: whoever is answered there is answered everywhere.
    let asked = format!("<@{}> What do you know about question #1?", discord.bot());
    discord.user_says(last, ada, &asked);
    discord.wait_for_sent(last, 1).await;
    tokio::time::sleep(REST).await;
    let resident = bot.resident()?;
    bot.kill().await?;
    let violations = discord.violations();
    anyhow::ensure!(violations.is_empty(), "Discord complains: {violations:?}");
    Ok(Round {
        figures: vec![Figure::new(
            "memory in 1,000 Discord servers of 50 channels",
            "MB",
            resident,
            Limit::Under(60.0),
        )],
        tally: world.replies().tally(),
        curves: Vec::new(),
    })
}
