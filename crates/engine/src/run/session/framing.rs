//! The beginning of a run: its memory, its choices, and the fixed part of its prompt.

use std::sync::Arc;

use clifford_content::memory::recall::{self, Recalled};
use clifford_core::{places::Channel, policy::sources, runs::RunKind};
use clifford_store::{
    memory::prompt_context,
    people::keys as user_secrets,
    places::{
        place_settings::PlaceWords,
        settings::{self, Setting},
    },
};
use clifford_text::Lang;
use clifford_tools::Options;
use serde_json::Value;

use super::{Chosen, Gone, Session};
use crate::run::prompt::{Frame, Toolbox};

impl Session<'_> {
    /// The fixed part of the prompt, put together once a session.
    pub(super) async fn frame(&mut self) -> Result<(), Gone> {
        if self.frame.is_none() {
            let (run, settings) = (&self.work.run, &self.cx.settings);
            let found = match self.work.prompt_context.take() {
                Some(found) => found,
                None => {
                    let wanted = recall::prompt_parts(run, self.work.channel.as_ref(), settings.amounts(run.mode));
                    prompt_context::find(&mut self.cx.db.read_local().await?, wanted).await?
                }
            };
            self.keys = found.keys.clone();
            if !self.keys.is_empty() && !user_secrets::answers_one(&mut self.cx.db.read_local().await?, run.id).await? {
                self.keys.clear();
            }
            let said_around = match self.is_without_past {
                true => Vec::new(),
                false => self.ambient(&found.settings),
            };
            let options = self.cx.tools.options(&found.settings);
            let options = self.options.insert(Arc::new(options));
            let (defaults, tokens) = (settings.defaults(), settings.memory.cross_channel_tokens);
            let mut recalled = recall::recall(found, &run.input_text, defaults, tokens);
            if self.is_without_past {
                recalled = recalled.without_past();
            }
            let tools = Toolbox {
                registry: &self.cx.tools.registry,
                options: &Arc::clone(options),
            };
            recalled.user_name = self.user_name().await?;
            recalled.files = self.files().await?;
            let origins = recall::origins(&self.work.run, &recalled);
            self.history = (!origins.is_empty()).then(|| {
                let history = recall::origins_of_history(&origins);
                Box::new((history, recall::shown(&self.work.run, &recalled)))
            });
            self.taint(origins);
            let viewer = recall::viewer(self.work.run.user_id, self.work.channel.as_ref());
            self.holds = recall::labelled_sources(&self.work.run, &recalled, viewer);
            self.choose(&recalled);
            let mut frame = Frame::new(&self.work, &self.rules, tools, &recalled);
            frame.see(self.see(&recalled.files).await);
            if !said_around.is_empty() {
                self.taint([sources::AMBIENT.to_owned()].into());
                frame.overhear(said_around);
            }
            self.frame = Some(frame);
            self.recalled = Some(recalled);
        }
        Ok(())
    }

    /// Goes by what was chosen for the conversation, by its person in private, or for the place.
    fn choose(&mut self, recalled: &Recalled) {
        let is_private = self.work.channel.as_ref().is_none_or(Channel::is_private);
        let words = &recalled.words;
        let own = words.own_model.clone().filter(|_| is_private);
        let model = recalled.conversation.model.clone().or(own);
        let language = self.work.user.as_ref().and_then(|user| user.language.as_deref());
        let lang = Lang::for_reader(language, words.language.as_deref());
        *self.chosen = Chosen {
            model: model.or_else(|| words.model.clone()),
            words: PlaceWords::clone(words),
        };
        self.speaks(lang);
    }

    /// Ambient messages of the place where the run was asked, as far as that place shows it.
    fn ambient(&self, settings: &[Setting]) -> Vec<Value> {
        if self.is_again {
            return Vec::new();
        }
        let most = self.cx.settings.defaults().with(settings.to_vec()).ambient_messages;
        let place = self.work.channel.as_ref().filter(|channel| !channel.is_private());
        let (Some(channel), RunKind::Coordinator) = (place.filter(|_| most > 0), self.work.run.kind) else {
            return Vec::new();
        };
        let now = self.cx.clock.now();
        let shown = |platform| self.cx.ambient.recent(platform, &channel.external_id, most, now);
        channel.platform().map(shown).unwrap_or_default()
    }

    /// The settings of tools here: read with the prompt, or by themselves if a call comes first.
    pub(super) async fn options(&mut self) -> Result<Arc<Options>, Gone> {
        if let Some(options) = &self.options {
            return Ok(Arc::clone(options));
        }
        let around = recall::around(&self.work.run, self.work.channel.as_ref());
        let rows = settings::around(&mut self.cx.db.read().await?, around).await?;
        let options = Arc::new(self.cx.tools.options(&rows));
        self.options = Some(Arc::clone(&options));
        Ok(options)
    }
}
