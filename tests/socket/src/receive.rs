//! Receiving: an event is confirmed when it is stored, and nothing behind one that is not.

use std::{io, time::Duration};

use clifford_channel::{Adapter, ChannelError, ConnectionStatus, Fault, Inbound, Ingress};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{
    Socket, map,
    wire::{Connection, Server},
};

/// How long an event waits that could not be stored.
const AGAIN: Duration = Duration::from_millis(250);

pub(crate) async fn receive(
    server: &Server,
    ingress: &dyn Ingress,
    stop: &CancellationToken,
) -> Result<(), ChannelError> {
    let Some(connection) = stop.run_until_cancelled(server.connect(true)).await else {
        return Ok(());
    };
    let mut connection = connection.map_err(|fault| match fault {
        Fault::Refused(why) => ChannelError::Misconfigured(format!("{why}: set channels.socket.token")),
        Fault::Unreachable(why) => ChannelError::Lost(why),
    })?;
    let platform = Socket::ABOUT.platform;
    ingress.status(platform, ConnectionStatus::Connected(connection.name.clone()));
    let Err(error) = events(&mut connection, ingress, stop).await else {
        return Ok(());
    };
    let why = error.to_string();
    ingress.status(platform, ConnectionStatus::Disconnected(why.clone()));
    Err(ChannelError::Lost(why))
}

/// Takes events until `stop`; one that is being stored then is confirmed before the end.
async fn events(connection: &mut Connection, ingress: &dyn Ingress, stop: &CancellationToken) -> io::Result<()> {
    loop {
        let Some(line) = stop.run_until_cancelled(connection.next()).await else {
            return Ok(());
        };
        let (number, event) = map::event(&line?);
        if !taken(event, ingress, stop).await {
            return Ok(());
        }
        if let Some(number) = number {
            connection.say(&json!({ "confirm": number })).await?;
        }
    }
}

/// Hands an event in until it is stored; `false`: it was not when the process was stopped.
async fn taken(event: Inbound, ingress: &dyn Ingress, stop: &CancellationToken) -> bool {
    while ingress.accept(event.clone()).await.is_err() {
        if stop.run_until_cancelled(tokio::time::sleep(AGAIN)).await.is_none() {
            return false;
        }
    }
    true
}
