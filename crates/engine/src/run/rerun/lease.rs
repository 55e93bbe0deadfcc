//! The lease of a rerun: its reservations count as long as it is held, and only so many are.

use std::{convert::Infallible, sync::Arc};

use clifford_core::id::RunId;
use clifford_store::{StoreError, leases};
use futures::future::{Either, select};
use tokio_util::sync::CancellationToken;

use super::{RerunError, RerunReport, RerunRequest};
use crate::Context;

/// The leases of reruns have names that begin so.
const LEASES: &str = "rerun:";
/// The most reruns at work at once, over all processes.
pub(super) const MOST: u32 = 8;

/// Does a rerun under a lease, which ends with it.
pub(super) async fn leased(
    cx: &Arc<Context>,
    request: RerunRequest,
    stop: &CancellationToken,
) -> Result<RerunReport, RerunError> {
    let asks = super::model(cx, request.model.as_deref())?;
    let name = format!("{LEASES}{}", RunId::new());
    if !take(cx, &name).await? {
        return Err(RerunError::Busy);
    }
    let done = {
        let working = Box::pin(super::worked(cx, request, asks, &name, stop));
        let renewing = Box::pin(renew(cx, &name));
        match select(working, renewing).await {
            Either::Left((done, _)) => done,
            Either::Right((never, _)) => match never {},
        }
    };
    let lease = name.clone();
    let ended = cx.db.write(move |tx| {
        let lease = lease.clone();
        Box::pin(async move { leases::end(tx, &lease).await })
    });
    if let Err(error) = ended.await {
        tracing::warn!(lease = name, %error, "failed to release the lease of a rerun, which runs out");
    }
    done
}

/// Takes the lease of a rerun, unless too many are at work.
async fn take(cx: &Context, name: &str) -> Result<bool, StoreError> {
    let (name, window) = (name.to_owned(), cx.process.window());
    cx.db
        .write(move |tx| {
            let name = name.clone();
            Box::pin(async move {
                if leases::count(tx, LEASES, window).await? >= MOST {
                    return Ok(false);
                }
                leases::hold(tx, &name, window).await
            })
        })
        .await
}

/// Renews a lease as long as it is waited for.
async fn renew(cx: &Context, name: &str) -> Infallible {
    loop {
        tokio::time::sleep(cx.settings.engine().lease / 3).await;
        let (lease, window) = (name.to_owned(), cx.process.window());
        let renewed = cx.db.write(move |tx| {
            let lease = lease.clone();
            Box::pin(async move { leases::hold(tx, &lease, window).await })
        });
        if let Err(error) = renewed.await {
            tracing::warn!(lease = name, %error, "failed to renew the lease of a rerun");
        }
    }
}
