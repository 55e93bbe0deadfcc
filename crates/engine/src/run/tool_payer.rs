//! Pays for tools' calls to models, on behalf of a run or of a person who tries a tool by hand.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use clifford_core::{
    budget::{Amount, Settlement},
    id::{ChannelId, RunId},
    models::Role,
    prompt::{fit, room::Window},
    run::step::{LlmResponse, Spent},
};
use clifford_llm_api::{
    meter::Meter,
    model::{Completion, ModelError, Request},
    tokens::estimate_request,
};
use clifford_store::{
    StoreError,
    people::keys::{self as user_secrets, EncryptedKey},
    usage::Call,
};
use clifford_text::Lang;
use clifford_tools::{Pays, Purchase, ToolError};
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    Context,
    budget::{
        charge,
        reserve::{Claim, ReserveOutcome, Telling},
    },
    models::{
        byok,
        roles::{NoReply, Payer},
    },
};

/// The payer, and the purpose.
#[derive(Clone, Debug)]
pub struct PaymentContext {
    /// The run; none for a call by hand.
    pub run: Option<RunId>,
    /// The claim of reservations, and the person who is charged.
    pub claim: Claim,
    /// Where.
    pub channel: Option<ChannelId>,
}

/// Pays for a tool, which makes its calls one after another.
pub struct ToolPayer {
    cx: Arc<Context>,
    whose: PaymentContext,
    spent: Mutex<Spent>,
    under_way: Mutex<Option<UnderWay>>,
}

/// A call under way.
struct UnderWay {
    role: Role,
    settlement: Option<Settlement>,
    /// The charge if nobody waits for its end; none if that costs nothing.
    broken_off: Option<LlmResponse>,
}

impl fmt::Debug for ToolPayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolPayer")
            .field("whose", &self.whose)
            .finish_non_exhaustive()
    }
}

impl ToolPayer {
    /// Pays on somebody's behalf.
    pub fn new(cx: Arc<Context>, whose: PaymentContext) -> Arc<Self> {
        Arc::new(Self {
            cx,
            whose,
            spent: Mutex::default(),
            under_way: Mutex::default(),
        })
    }

    /// Charges for a call that is still under way: its run was cancelled, or it took too long. Does nothing if there is
    /// none.
    pub(crate) async fn charge_broken_off(&self) {
        let Some(call) = self.take() else {
            return;
        };
        let ended = match call.broken_off.clone() {
            Some(response) => self.record(call, response).await,
            None => self.release(call.settlement).await,
        };
        if let Err(error) = ended {
            tracing::warn!(%error, "failed to charge an interrupted tool call");
        }
    }

    /// The spending so far.
    pub fn spent(&self) -> Spent {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn reserve(&self, worst: Amount) -> Result<Option<Settlement>, ToolError> {
        match crate::budget::reserve::reserve(&self.cx, &self.whose.claim, worst, Telling::Nobody).await? {
            ReserveOutcome::Reserved(settlement) => Ok(settlement),
            ReserveOutcome::Refused(refusal) => {
                // The model reads it.
                Err(ToolError::Unavailable(refusal.sentence.text(Lang::English)))
            }
        }
    }

    fn begin(&self, call: UnderWay) {
        *self.under_way.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
    }

    fn take(&self) -> Option<UnderWay> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends the call under way, which came to nothing.
    async fn forget(&self) -> Result<(), StoreError> {
        self.release(self.take().and_then(|call| call.settlement)).await
    }

    async fn release(&self, settlement: Option<Settlement>) -> Result<(), StoreError> {
        let Some(settlement) = settlement else {
            return Ok(());
        };
        let cx = Arc::clone(&self.cx);
        self.to_the_end(async move { crate::budget::reserve::release(&cx, settlement).await })
            .await
    }

    /// Ends the call under way, which was answered.
    async fn pay(&self, response: LlmResponse) -> Result<(), StoreError> {
        match self.take() {
            Some(call) => self.record(call, response).await,
            None => Ok(()),
        }
    }

    async fn record(&self, call: UnderWay, response: LlmResponse) -> Result<(), StoreError> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner).add(&response);
        let of = Call {
            run: self.whose.run,
            seq: None,
            user: self.whose.claim.user,
            channel: self.whose.channel,
            role: call.role,
        };
        let cx = Arc::clone(&self.cx);
        self.to_the_end(async move { charge::charge(&cx, of, response, call.settlement).await })
            .await
    }

    /// The records of a call are written even if nobody waits for it any more.
    async fn to_the_end(
        &self,
        writing: impl Future<Output = Result<(), StoreError>> + Send + 'static,
    ) -> Result<(), StoreError> {
        let writing = self.cx.process.tasks.spawn(writing).await;
        writing.unwrap_or_else(|error| Err(StoreError::Unavailable(error.to_string())))
    }

    async fn keys(&self) -> Result<Vec<EncryptedKey>, StoreError> {
        let Some(user) = self.whose.claim.user else {
            return Ok(Vec::new());
        };
        let mut conn = self.cx.db.read().await?;
        let keys = user_secrets::of(&mut conn, user).await?;
        Ok(match self.whose.run {
            Some(run) if !keys.is_empty() && !user_secrets::answers_one(&mut conn, run).await? => Vec::new(),
            _ => keys,
        })
    }
}

#[async_trait]
impl Pays for ToolPayer {
    async fn ask(&self, role: Role, request: &Request) -> Result<Completion, ToolError> {
        let (cx, roles) = (&self.cx, &self.cx.models);
        let own = byok::model(roles, &cx.encryption, &self.keys().await?, role)
            .map_err(|fault| ToolError::Unavailable(byok::unusable(&fault).text(Lang::English)))?;
        let mut request = request.clone();
        let window = Window {
            tokens: roles.window(role, own.as_ref()),
            reply: roles.reply_limit(role),
        };
        fit::fit(&mut request, window);
        let prompt_tokens = estimate_request(&request);
        let settlement = if own.is_none() {
            if !cx.settings.budgets.is_empty() || !self.whose.claim.budgets.is_empty() {
                // The reservation is the limit of the request.
                request.max_tokens = request.max_tokens.or(Some(roles.longest_reply(role)));
            }
            fit::leave_room(&mut request, window, prompt_tokens);
            self.reserve(roles.worst_case(role, prompt_tokens, request.max_tokens))
                .await?
        } else {
            None
        };
        self.begin(UnderWay {
            role,
            settlement,
            broken_off: charge::broken_off(roles, role, prompt_tokens, own.as_ref()),
        });
        request.deadline = Some((Instant::now() + cx.settings.engine().max_run_time).into_std());
        let mut unwatched = ();
        let mut meter = Meter::new(&mut unwatched, prompt_tokens);
        let reply = roles.ask(role, own.as_ref(), &request, &mut meter).await;
        let lost = meter.lost(reply.is_ok());
        let completion = match reply {
            Ok(completion) => completion,
            Err(NoReply { error, timed_out }) => {
                match charge::without_reply(roles, role, prompt_tokens, own.as_ref(), lost, timed_out) {
                    Some(response) => self.pay(response).await?,
                    None => self.forget().await?,
                }
                let refused = own.and_then(|own| byok::refused(&own.provider, &error, false));
                let refused = refused.map(|refused| refused.text(Lang::English));
                return Err(ToolError::Unavailable(refused.unwrap_or_else(|| error_text(&error))));
            }
        };
        let payer = if own.is_some() { Payer::Person } else { Payer::Bot };
        let response = LlmResponse {
            usage: completion.usage,
            provider: completion.provider.clone(),
            model: completion.model.clone(),
            cost: roles.charge(role, &completion, payer),
            own_key: own.is_some(),
            lost: charge::priced(roles, role, own.as_ref(), lost),
            ..LlmResponse::default()
        };
        self.pay(response).await?;
        Ok(completion)
    }

    async fn buy(&self, purchase: Purchase, call: BoxFuture<'_, Result<Value, ToolError>>) -> Result<Value, ToolError> {
        let guessed = purchase.price.guessed();
        let bill = |(cost, usage)| LlmResponse {
            provider: purchase.provider.clone(),
            model: purchase.model.clone(),
            cost,
            usage,
            ..LlmResponse::default()
        };
        let settlement = self.reserve(charge::spent(&bill(guessed))).await?;
        self.begin(UnderWay {
            role: purchase.role,
            settlement,
            // The seller makes it whether or not it is fetched.
            broken_off: Some(bill(guessed)),
        });
        let bought = match call.await {
            Ok(bought) => bought,
            Err(error) => {
                self.forget().await?;
                return Err(error);
            }
        };
        self.pay(bill(purchase.price.of_answer(&bought))).await?;
        Ok(bought)
    }
}

/// The message to the run's model about a model that did not answer: the settings are the owner's business.
fn error_text(error: &ModelError) -> String {
    tracing::warn!(error = error.class(), "model call of a tool failed");
    match error {
        ModelError::Refused { .. } => "the model declined to answer".to_owned(),
        _ => "the model is not available".to_owned(),
    }
}
