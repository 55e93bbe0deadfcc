//! An engine in the process of the test.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use clifford_channel::Channel;
use clifford_chat::platform::Platform;
use clifford_content::files::Files;
use clifford_core::{
    clock::{SharedClock, SystemClock},
    id::WorkerId,
    models::Prices,
    places::{VoiceReplies, WhenBusy},
    quarantine::Limits,
    run::rules::Rules,
    schedule::trigger::CatchUp,
    settings::{Delivery as Section, Engine, Ingress, Memory, Retention, Triggers},
};
use clifford_delivery::{self as delivery, Delivery};
use clifford_engine::{
    Context, EngineSettings, Runs,
    models::{
        encryption::Encryption,
        roles::{Assigned, Roles},
    },
};
use clifford_llm::Sight;
use clifford_llm_api::model::Model;
use clifford_store::{Db, leases::clock_guard::ClockGuard};
use clifford_tools::{Registry, Services, Tool, Toolbox, registry};
use clifford_vault::Masker;
use clifford_worker::{Program, Workers};

const LEASE: Duration = Duration::from_secs(30);
const DAY: Duration = Duration::from_secs(86_400);

/// The parts that tests choose.
pub struct InProcessEngine {
    pub clock: SharedClock,
    pub rules: Rules,
    /// None: the offline responder.
    pub model: Option<Arc<dyn Model>>,
    pub tools: Vec<Tool>,
    pub channels: BTreeMap<Platform, Arc<dyn Channel>>,
    /// For how long what passed while nobody was there counts as in time.
    pub grace: Duration,
}

impl Default for InProcessEngine {
    /// It serves no platform: what it says waits for whoever does.
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            rules: Rules::default(),
            model: None,
            tools: registry::built_in(),
            channels: BTreeMap::new(),
            grace: Duration::from_secs(60),
        }
    }
}

impl InProcessEngine {
    /// The runs of an engine on this database.
    pub fn runs(self, db: &Db) -> Arc<Runs> {
        let (worker, masker) = (WorkerId::new(), Arc::new(Masker::default()));
        let services = Arc::new(Services {
            workers: Workers::of(Program::at(env!("CARGO_BIN_EXE_clifford"))),
            ..Services::default()
        });
        let roles = self.model.map_or_else(Roles::default, |model| {
            let executor = Assigned {
                provider: None,
                images: Arc::new(Sight::set(false)),
                model,
                prices: Prices::default(),
                dearest: Prices::default(),
                max_tokens: None,
                windows: Vec::new(),
            };
            Roles::new(executor, [], BTreeMap::new(), Vec::new())
        });
        let delivery = Delivery::new(
            db.clone(),
            Arc::clone(&self.clock),
            worker,
            delivery(),
            self.channels,
            Arc::new(Files::default()),
            Arc::clone(&masker),
        );
        let rules = Rules {
            engine: Engine {
                lease: LEASE,
                max_concurrent_runs: 100,
                conversation_limit: 50,
                ..self.rules.engine
            },
            ..self.rules
        };
        Runs::new(Context::new(
            db.clone(),
            ClockGuard::new(self.clock, worker, LEASE),
            settings(rules, self.grace),
            Arc::new(roles),
            Toolbox {
                registry: Arc::new(Registry::of(self.tools, 5)),
                services,
            },
            delivery,
            Encryption::new(None, "/nonexistent".as_ref(), masker),
        ))
    }
}

fn delivery() -> delivery::DeliverySettings {
    delivery::DeliverySettings {
        section: Section {
            max_backoff: Duration::from_secs(1),
            give_up_after: Duration::ZERO,
            ..Section::default()
        },
        lease: LEASE,
        deaths: Limits::default(),
    }
}

fn settings(rules: Rules, grace: Duration) -> EngineSettings {
    EngineSettings {
        rules,
        ingress: Ingress {
            ambient: DAY,
            when_busy: WhenBusy::FollowUp,
            voice_replies: VoiceReplies::Never,
            auto_close: Duration::ZERO,
            ..Ingress::default()
        },
        memory: Memory {
            enabled: true,
            max_turns_per_context: 1000,
            writer_max_messages: 100,
            retain_compacted: DAY,
            purge_left_spaces: DAY,
            cross_channel: false,
            cross_channel_limit: 0,
            cross_channel_tokens: 0,
        },
        triggers: Triggers {
            catch_up: CatchUp::Once,
            grace,
        },
        budgets: Vec::new(),
        retention: Retention {
            runs_days: 0.0,
            steps_days: 0.0,
            prompts_days: 0.0,
            messages_days: 0.0,
            usage_days: 0.0,
        },
    }
}
