//! The models that runs can be asked for.

use axum::{Json, extract::State};
use clifford_engine::models::roles::Offer;
use serde::Serialize;

use super::{
    Shared,
    access::Reader,
    handler,
    page::Page,
    problem::{Problem, ProblemBody},
};

/// A model that answers, or that may be chosen.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct OfferedModel {
    /// The name by which it is chosen; left out: it answers unless another is chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The provider.
    provider: String,
    /// The model, as its provider calls it.
    model: String,
}

impl From<Offer> for OfferedModel {
    fn from(offer: Offer) -> Self {
        Self {
            name: offer.name,
            provider: offer.model.provider,
            model: offer.model.model,
        }
    }
}

/// The model that answers, and those that may be chosen in its place.
#[utoipa::path(get, path = "/api/models", tag = "models", security(("bearer" = [])),
    responses((status = 200, body = Page<OfferedModel>), (status = 401, body = ProblemBody)))]
#[handler]
pub(super) async fn list(State(api): State<Shared>, _: Reader) -> Result<Json<Page<OfferedModel>>, Problem> {
    let offers = api.context.models.offers().into_iter();
    Ok(Json(Page::whole(offers.map(OfferedModel::from).collect())))
}
