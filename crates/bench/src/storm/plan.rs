//! The plan of a storm, all of it decided by a seed: who says what where, what breaks, what is killed.

use std::time::Duration;

use clifford_fakes::{discord, telegram};
use rand::{Rng, SeedableRng, rngs::StdRng};

/// How large a storm is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// How many messages are said.
    pub messages: usize,
    /// How many people say them.
    pub users: usize,
    /// How often a process is killed.
    pub kills: usize,
    /// How many processes there are.
    pub processes: usize,
    /// How often the database's server is restarted.
    pub database_restarts: usize,
}

/// A chat, and who is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Its platform.
    pub platform: Platform,
    /// The members: people of the same platform, by their place.
    pub members: Vec<usize>,
    /// More than one person may be in it, so the bot is called by its name there.
    pub shared: bool,
}

/// A platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Telegram, which may show a message twice if its answer is lost.
    Telegram,
    /// Discord, which drops repeats.
    Discord,
}

/// A message that somebody says.
#[derive(Clone, Debug)]
pub struct PlannedMessage {
    /// In which room.
    pub room: usize,
    /// By whom.
    pub person: usize,
    /// The shape of the model's work on it.
    pub shape: Shape,
    /// How long everybody is silent after it.
    pub pause: Duration,
    /// The faults before it is sent.
    pub before: Vec<Trouble>,
    /// For so long its platform answers its answer, and nothing else, with an error of its own.
    pub refused_for: Option<Duration>,
}

/// The shape of the model's work on a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One call, one answer.
    Plain,
    /// A tool first.
    Tool,
    /// An answer of several parts.
    Long,
    /// A tool first, with an expression that would take all time, all memory or the whole stack.
    Hostile,
    /// A tool first, with a page that would take all memory or the whole stack.
    Page,
    /// The model calls a tool, answers, and fails from then on.
    GoesOn,
    /// The message is as long as its platform lets it be: some of them are more than the model's window holds.
    Vast,
    /// The message ends each process that works on it. Builds without crash points answer it.
    Deadly,
    /// The model fails at it, however often it is asked.
    Hopeless,
}

/// Something that breaks.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// A process is killed after this time, and started again.
    Kill {
        /// The one that is meant.
        process: usize,
        /// How long after.
        after: Duration,
    },
    /// The database's server dies after this time, and starts again.
    DatabaseRestart(Duration),
    /// A request to Telegram fails, if one comes within this time.
    Telegram(Duration, telegram::Method, telegram::Fault),
    /// A request to Discord fails, if one comes within this time.
    Discord(Duration, discord::Route, discord::Fault),
    /// Something happens to the connections to Discord's gateway.
    Gateway(Gateway),
    /// Connections to the model are refused for so long.
    ModelGone(Duration),
}

/// Faults of the connections to Discord's gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gateway {
    /// They break.
    Dropped,
    /// They are closed with a code.
    Closed,
    /// They are asked to come again.
    Reconnect,
    /// Their sessions end.
    Invalid,
}

/// A whole storm.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seed of the plan.
    pub seed: u64,
    /// The rooms.
    pub rooms: Vec<Room>,
    /// The messages, in order. The first messages are one for each room, in quiet.
    pub messages: Vec<PlannedMessage>,
}

impl Plan {
    /// The storm of a seed.
    pub fn new(seed: u64, size: &Size) -> Self {
        let mut dice = StdRng::seed_from_u64(seed);
        let rooms = rooms(size.users);
        let mut crowd = Crowd::default();
        let mut messages: Vec<_> = (0..size.messages.max(rooms.len()))
            .map(|place| planned_message(&mut dice, &rooms, place, &mut crowd))
            .collect();
        let quiet = rooms.len().min(messages.len());
        let stormy = &mut messages[quiet..];
        if !stormy.is_empty() {
            for place in spread(&mut dice, size.kills, stormy.len()) {
                let process = dice.random_range(0..size.processes);
                let after = Duration::from_millis(dice.random_range(0..800));
                stormy[place].before.push(Trouble::Kill { process, after });
            }
            for place in spread(&mut dice, size.database_restarts, stormy.len()) {
                let after = Duration::from_millis(dice.random_range(0..800));
                stormy[place].before.push(Trouble::DatabaseRestart(after));
            }
        }
        Self { seed, rooms, messages }
    }

    /// How many of the first messages are said in quiet.
    pub fn quiet(&self) -> usize {
        self.rooms.len()
    }
}

/// A private chat for everybody; and for every ten people of a platform a place that they share.
fn rooms(users: usize) -> Vec<Room> {
    let mut rooms = Vec::new();
    let halves = [(Platform::Telegram, users.div_ceil(2)), (Platform::Discord, users / 2)];
    let mut first = 0;
    for (platform, count) in halves {
        let people: Vec<_> = (first..first + count).collect();
        first += count;
        rooms.extend(people.iter().map(|person| Room {
            platform,
            members: vec![*person],
            shared: false,
        }));
        rooms.extend(people.chunks(10).map(|members| Room {
            platform,
            members: members.to_vec(),
            shared: true,
        }));
    }
    rooms
}

/// People who ask at the same time in one room.
#[derive(Debug, Default)]
struct Crowd {
    room: usize,
    /// How many more of them speak.
    left: usize,
}

impl Crowd {
    /// The room of the next message. Now and then several people speak at once in a room that they share.
    fn room(&mut self, dice: &mut StdRng, rooms: &[Room]) -> usize {
        if self.left > 0 {
            self.left -= 1;
            return self.room;
        }
        let room = dice.random_range(0..rooms.len());
        if rooms[room].shared {
            *self = Self {
                room,
                left: dice.random_range(0..4),
            };
        }
        room
    }
}

fn planned_message(dice: &mut StdRng, rooms: &[Room], place: usize, crowd: &mut Crowd) -> PlannedMessage {
    let quiet = place < rooms.len();
    let room = if quiet { place } else { crowd.room(dice, rooms) };
    let members = &rooms[room].members;
    let person = members[dice.random_range(0..members.len())];
    let shape = match dice.random_range(0..200) {
        _ if quiet => Shape::Plain,
        // Once in 400 messages: each of them costs three processes.
        199 if dice.random_bool(0.5) => Shape::Deadly,
        0 => Shape::Hopeless,
        1..=10 => Shape::Long,
        11..=50 => Shape::Tool,
        51..=52 => Shape::Hostile,
        53 => Shape::Page,
        54..=69 => Shape::Vast,
        70..=71 => Shape::GoesOn,
        _ => Shape::Plain,
    };
    let pause = match crowd.left {
        0 => Duration::from_millis(dice.random_range(0..30)),
        _ => Duration::ZERO,
    };
    let before = if quiet { Vec::new() } else { troubles(dice) };
    let is_refused = !quiet && shape == Shape::Plain && dice.random_range(0..300) == 0;
    let refused_for = is_refused.then(|| Duration::from_millis(dice.random_range(3_000..6_000)));
    PlannedMessage {
        room,
        person,
        shape,
        pause,
        before,
        refused_for,
    }
}

/// About one trouble for every five messages.
fn troubles(dice: &mut StdRng) -> Vec<Trouble> {
    use discord::{Fault as OnDiscord, Route};
    use telegram::{Fault as OnTelegram, Method};
    let short = Duration::from_millis(dice.random_range(50..600));
    // A fault that meets no request in time does not wait for one: faults would add up while nobody asks.
    let time = Duration::from_millis(dice.random_range(200..2_000));
    let trouble = match dice.random_range(0..500) {
        0..=9 => Trouble::Telegram(time, Method::SendMessage, OnTelegram::TooMany(1)),
        10..=17 => Trouble::Telegram(time, Method::SendMessage, OnTelegram::Server(502)),
        18..=25 => Trouble::Telegram(time, Method::SendMessage, OnTelegram::Slow(short)),
        26..=31 => Trouble::Telegram(time, Method::SendMessage, OnTelegram::Drop),
        32..=35 => Trouble::Telegram(time, Method::SendMessage, OnTelegram::DropAfter),
        36..=38 => Trouble::Telegram(time, Method::SendMessage, OnTelegram::Garbage),
        39..=42 => Trouble::Telegram(time, Method::GetUpdates, OnTelegram::Server(502)),
        43..=45 => Trouble::Telegram(time, Method::GetUpdates, OnTelegram::Drop),
        46..=47 => Trouble::Telegram(time, Method::GetUpdates, OnTelegram::DropAfter),
        48..=49 => Trouble::Telegram(time, Method::GetUpdates, OnTelegram::Garbage),
        50..=51 => Trouble::Telegram(time, Method::GetUpdates, OnTelegram::TooMany(1)),
        52..=59 => {
            let fault = OnDiscord::TooMany {
                retry_after: short,
                global: dice.random_bool(0.2),
            };
            Trouble::Discord(time, Route::SendMessage, fault)
        }
        60..=67 => Trouble::Discord(time, Route::SendMessage, OnDiscord::Status(502)),
        68..=75 => Trouble::Discord(time, Route::SendMessage, OnDiscord::Slow(short)),
        76..=81 => Trouble::Discord(time, Route::SendMessage, OnDiscord::DropBefore),
        82..=87 => Trouble::Discord(time, Route::SendMessage, OnDiscord::DropAfter),
        88..=89 => Trouble::Discord(time, Route::ReadMessages, OnDiscord::Status(500)),
        90 => Trouble::Discord(time, Route::GatewayBot, OnDiscord::Status(500)),
        91..=92 => Trouble::Gateway(Gateway::Dropped),
        93 => Trouble::Gateway(Gateway::Closed),
        94 => Trouble::Gateway(Gateway::Reconnect),
        95 => Trouble::Gateway(Gateway::Invalid),
        96..=97 => Trouble::ModelGone(short),
        _ => return Vec::new(),
    };
    vec![trouble]
}

/// `count` places, one in each of as many equal stretches.
fn spread(dice: &mut StdRng, count: usize, within: usize) -> Vec<usize> {
    (0..count)
        .map(|place| {
            let (from, to) = (place * within / count, (place + 1) * within / count);
            dice.random_range(from..to.max(from + 1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size {
        messages: 500,
        users: 25,
        kills: 7,
        processes: 4,
        database_restarts: 2,
    };

    #[test]
    fn a_seed_decides_everything_and_another_one_decides_otherwise() {
        let told = |seed| format!("{:?}", Plan::new(seed, &SIZE));
        assert_eq!(told(1), told(1));
        assert_ne!(told(1), told(2));
    }

    #[test]
    fn everybody_speaks_where_they_are_and_as_much_is_killed_as_was_asked_for() {
        let plan = Plan::new(3, &SIZE);
        assert_eq!(plan.messages.len(), 500);
        assert!(
            plan.messages
                .iter()
                .all(|said| plan.rooms[said.room].members.contains(&said.person))
        );
        let (quiet, stormy) = plan.messages.split_at(plan.quiet());
        assert!(
            quiet
                .iter()
                .enumerate()
                .all(|(place, said)| said.room == place && said.before.is_empty())
        );
        let troubles = || stormy.iter().flat_map(|said| &said.before);
        let kills = troubles().filter(|trouble| matches!(trouble, Trouble::Kill { process: 0..4, .. }));
        let restarts = troubles().filter(|trouble| matches!(trouble, Trouble::DatabaseRestart(_)));
        assert_eq!((kills.count(), restarts.count()), (7, 2));
    }
}
