//! `/memory`, `/forget`, `/pin`, `/share`, `/private`: what is remembered of a person, in their own hands.

use super::Done;
use crate::{
    clock::Timestamp,
    store::{StoreError, Tx, channels::Channel, users::User},
};

pub(super) async fn list(_tx: &mut Tx, _channel: &Channel, _user: &User) -> Result<Done, StoreError> {
    Ok(Done::say("Not yet."))
}

pub(super) async fn forget(
    _tx: &mut Tx,
    _argument: &str,
    _channel: &Channel,
    _user: &User,
    _now: Timestamp,
) -> Result<Done, StoreError> {
    Ok(Done::say("Not yet."))
}

pub(super) async fn pin(
    _tx: &mut Tx,
    _argument: &str,
    _channel: &Channel,
    _user: &User,
    _now: Timestamp,
) -> Result<Done, StoreError> {
    Ok(Done::say("Not yet."))
}

pub(super) async fn share(
    _tx: &mut Tx,
    _argument: &str,
    _channel: &Channel,
    _user: &User,
    _now: Timestamp,
) -> Result<Done, StoreError> {
    Ok(Done::say("Not yet."))
}

pub(super) async fn private(
    _tx: &mut Tx,
    _argument: &str,
    _channel: &Channel,
    _user: &User,
    _now: Timestamp,
) -> Result<Done, StoreError> {
    Ok(Done::say("Not yet."))
}
