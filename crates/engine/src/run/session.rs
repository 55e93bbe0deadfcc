//! A run in a worker's hands: its state, its steps that are not committed yet, and the I/O around them.

mod attachments;
mod budget;
mod calling;
mod committing;
mod forgetting;
mod framing;
mod meanwhile;
mod media;
mod policy_check;
mod prefetch;
pub(super) mod retracing;
mod spawning;
mod speech;
mod streaming;
mod take_in;
mod thinking;
mod vision;
mod weighing;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use clifford_action::{Action, Reply, Unreadable};
use clifford_chat::outbound::Address;
use clifford_content::memory::recall::Recalled;
use clifford_core::{
    budget::Settlement,
    id::RunId,
    models::Role,
    places::WhenBusy,
    policy::{
        labels::{LabelledSource, Readers},
        repeats::PromptWords,
        words::KnownWords,
    },
    run::{
        attachments::AttachedFile,
        decision::Decision,
        effects::{After, effects},
        rules::Rules,
        state::RunState,
        step::{Event, NoteAbout, Step, StepKind},
    },
    runs::{Run, RunKind, WakeReason},
};
use clifford_store::{
    StoreError,
    messages::outbox,
    people::keys::EncryptedKey,
    places::place_settings::PlaceWords,
    runs::{Lease, steps, tree as run_tree},
};
use clifford_text::Lang;
use clifford_tools::Options;
use tokio_util::sync::CancellationToken;
use tracing::Span;

use self::meanwhile::Meanwhile;
pub use self::media::{Heard, ToldOnce};
use super::{Starter, prompt::Frame};
use crate::{Context, models::roles::Roles, work::Work};

/// Where words come from of which nobody can tell it any more.
const UNREADABLE: &str = "steps that cannot be read";

/// Why a worker lets go of a run that has neither ended nor waits.
#[derive(Debug)]
pub enum Gone {
    /// The lease is somebody else's.
    Lost,
    /// It was cancelled, or this process stops.
    Cancelled,
    /// Its row changed: it is taken up once more.
    Reworded,
    /// A bug.
    Panicked,
    /// The database.
    Store(StoreError),
}

impl From<StoreError> for Gone {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::LeaseLost(_) => Self::Lost,
            other => Self::Store(other),
        }
    }
}

/// Whether a run goes on after a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onward {
    /// It does.
    GoesOn,
    /// It waits or ended.
    Parked,
}

impl Onward {
    /// It waits or ended.
    pub(crate) const fn is_parked(self) -> bool {
        matches!(self, Self::Parked)
    }
}

/// People's choices for a run.
#[derive(Debug, Default)]
struct Chosen {
    /// Settings of the place and the person in words.
    words: PlaceWords,
    /// The model that answers, by the name of the choice.
    model: Option<String>,
}

/// A run that a worker holds.
pub struct Session<'a> {
    /// Its state.
    pub state: RunState,
    /// The rules that judge it.
    pub rules: Rules,
    cx: &'a Arc<Context>,
    starter: &'a dyn Starter,
    work: Work,
    cancelled: &'a CancellationToken,
    frame: Option<Frame>,
    /// The person's own keys for model providers.
    keys: Vec<EncryptedKey>,
    /// The reservation for the call that is under way.
    settlement: Option<Settlement>,
    uncommitted: Vec<Step>,
    /// The last step that a channel has seen, or that has nothing to show.
    shown_through: u32,
    /// A call that was found without its result: the process that made it died.
    interrupted: bool,
    /// A reply that was found without what was made of it: the call that it asks for was decided on before a restart.
    taken_up: bool,
    /// The settings of tools here, once they were looked up.
    options: Option<Arc<Options>>,
    /// The handling of messages that arrive meanwhile, once it was looked up.
    when_busy: Option<WhenBusy>,
    /// Where what was taken in was to be answered.
    taken_in: Vec<Address>,
    /// The parts of the prompt, until its private words are known.
    recalled: Option<Recalled>,
    /// The choices for the run, once the prompt's parts were read.
    chosen: Box<Chosen>,
    /// The sources of the prompt's words, with their readers.
    holds: Vec<LabelledSource>,
    /// The sources of others' words that the prompt shows, and these words, if it shows any.
    history: Option<Box<(BTreeSet<String>, PromptWords)>>,
    /// The words of the prompt that nobody outside knows.
    private: Arc<KnownWords>,
    /// Its model refused the images that it was shown.
    is_blind: bool,
    /// Its model refused what was said and remembered before: the prompt goes without.
    is_without_past: bool,
    /// The words of a voice message, for the next commit.
    heard: Option<Heard>,
    /// The next commit says something that its person is told once.
    told_once: Option<ToldOnce>,
    /// It is a rerun: nobody hears of it, and it hears nobody.
    is_again: bool,
    /// The run's span in a trace.
    span: Span,
}

impl<'a> Session<'a> {
    /// The models, with the chosen one.
    fn models(&self) -> &'a Roles {
        self.cx.models.chosen(self.chosen.model.as_deref())
    }

    /// Takes a run up where its steps end.
    pub fn open(cx: &'a Arc<Context>, starter: &'a dyn Starter, work: Work, cancelled: &'a CancellationToken) -> Self {
        let window = cx.models.window(Role::of_run(&work.run), None);
        let rules = cx
            .settings
            .rules
            .of(work.user.as_ref())
            .within(window)
            .of_run(&work.run);
        let mut state = RunState::replay(&work.run, &rules, &work.steps);
        let language = work.user.as_ref().and_then(|user| user.language.as_deref());
        state.lang = Lang::for_reader(language, None);
        let interrupted = matches!(state.pending, clifford_core::run::state::Pending::Call(_));
        let taken_up = matches!(
            state.pending,
            clifford_core::run::state::Pending::Apply(_) | clifford_core::run::state::Pending::Queued(_)
        );
        Self {
            interrupted,
            taken_up,
            ..Self::with(cx, starter, work, rules, state, cancelled)
        }
    }

    /// Takes a run up of which this is known, and nothing of its steps: to end it.
    pub(super) fn with(
        cx: &'a Arc<Context>,
        starter: &'a dyn Starter,
        work: Work,
        rules: Rules,
        state: RunState,
        cancelled: &'a CancellationToken,
    ) -> Self {
        Self {
            state,
            rules,
            cx,
            starter,
            work,
            cancelled,
            frame: None,
            keys: Vec::new(),
            settlement: None,
            uncommitted: Vec::new(),
            shown_through: 0,
            interrupted: false,
            taken_up: false,
            options: None,
            when_busy: None,
            taken_in: Vec::new(),
            recalled: None,
            chosen: Box::default(),
            holds: Vec::new(),
            history: None,
            private: Arc::default(),
            is_blind: false,
            is_without_past: false,
            heard: None,
            told_once: None,
            is_again: false,
            span: Span::current(),
        }
    }

    /// The run, as it was when this worker took it.
    pub fn run(&self) -> &Run {
        &self.work.run
    }

    /// The claim that it is worked on under.
    pub const fn lease(&self) -> Lease {
        self.work.lease
    }

    /// Takes a step: it is applied now, and committed with the next commit.
    fn push(&mut self, kind: StepKind) {
        let step = Step {
            seq: self.state.next_seq,
            at: self.cx.clock.now(),
            kind,
        };
        self.state.apply(&step);
        self.uncommitted.push(step);
    }

    /// A tool with one command may be called by its own name: which tools those are here is looked up where a reply
    /// calls one so.
    pub(crate) async fn know_names(&mut self, reply: &Result<Reply, Unreadable>) -> Result<(), Gone> {
        if let Ok(Reply {
            action: Action::ToolCall { name, .. },
            ..
        }) = reply
            && !name.contains('.')
        {
            let options = self.options().await?;
            self.rules.single_commands = self.cx.tools.registry.single_commands(&options);
        }
        Ok(())
    }

    /// The run was woken: what its subagents returned joins the transcript.
    pub async fn woken(&mut self) -> Result<(), Gone> {
        self.collect_subagents().await?;
        let reason = self.work.run.wake_reason.unwrap_or(WakeReason::Time).to_string();
        let Meanwhile { said, through, origins } = self.meanwhile().await?;
        self.taint(origins);
        said.iter()
            .for_each(|said| self.learn_said(&said.content, said.readers));
        self.push(StepKind::Event(Event::Wake { reason, said, through }));
        Ok(())
    }

    async fn collect_subagents(&mut self) -> Result<(), Gone> {
        if self.state.children.is_empty() {
            return Ok(());
        }
        let mut conn = self.cx.db.read().await?;
        let children = run_tree::children(&mut conn, self.work.run.id).await?;
        let mut used = run_tree::used_by_children(&mut conn, self.work.run.id).await?;
        let mut steps = steps::of_ended_children(&mut conn, self.work.run.id).await?;
        drop(conn);
        for child in children.into_iter().filter(|child| child.status.is_ended()) {
            if self.state.children.contains(&child.id) {
                let (origins, readers, may_be_undone) = match steps.remove(&child.id).unwrap_or_else(|| Ok(Vec::new()))
                {
                    Ok(steps) => {
                        let state = RunState::replay(&child, &self.cx.settings.rules, &steps);
                        if state.evidence.tells_of_person() {
                            Arc::make_mut(&mut self.private).learn(child.output_text.as_deref().unwrap_or_default());
                        }
                        let readers = state.labels.readers_of_result();
                        (state.origins, readers, state.undoable)
                    }
                    // Nobody knows what it has read.
                    Err(_) => ([UNREADABLE.to_owned()].into(), Readers::unknown(), false),
                };
                self.push(StepKind::Event(Event::SubagentEnded {
                    run_id: child.id,
                    task: child.input_text,
                    status: child.status,
                    used: used.remove(&child.id).unwrap_or_default(),
                    output: child.output_text,
                    error: child.error,
                    origins,
                    readers,
                    may_be_undone,
                }));
            }
        }
        Ok(())
    }

    /// Reports failed deliveries to the model, once.
    async fn collect_failed_deliveries(&mut self) -> Result<(), Gone> {
        if self.state.sent.is_empty() {
            return Ok(());
        }
        for error in outbox::failures_of(&mut self.cx.db.read_local().await?, self.work.run.id).await? {
            let text = format!("A message to the user could not be delivered: {error}.");
            if !self.state.said_notes.contains(&text) {
                self.push(StepKind::Event(Event::SystemNote {
                    text,
                    about: NoteAbout::DeliveryFailed,
                }));
            }
        }
        Ok(())
    }

    /// Carries a decision out: its steps, messages, subagents and status in one commit.
    pub async fn carry_out(&mut self, decision: Decision) -> Result<Onward, Gone> {
        self.carry_out_with(decision, Vec::new()).await
    }

    /// The same, with files that go along with what it says.
    pub(crate) async fn carry_out_with(
        &mut self,
        decision: Decision,
        attachments: Vec<AttachedFile>,
    ) -> Result<Onward, Gone> {
        let mut effects = effects(&self.state, &self.rules, decision, RunId::new);
        let says = !effects.says.is_empty() || matches!(effects.then, After::End { .. });
        if says && self.state.kind == RunKind::Coordinator {
            effects.attachments = attachments;
        }
        for step in std::mem::take(&mut effects.steps) {
            self.push(step);
        }
        let at_rest = !matches!(effects.then, After::Continue | After::Call(_));
        self.commit(effects).await?;
        Ok(if at_rest { Onward::Parked } else { Onward::GoesOn })
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
