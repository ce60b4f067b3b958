//! What the daemon says, asked again and again on a thread of its own: a daemon that is slow does not make keys slow.

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use cleave_node::protocol::Status;
use cleave_node::{Home, client};

/// What it said, or why it said nothing.
pub type News = Result<Box<Status>, String>;

/// Asks for ever, or until nobody listens. Each question is a connection of its own: who only looks does not keep a daemon alive
/// that has nothing else to do.
pub fn listen(home: &Home, interval: Duration) -> std::io::Result<Receiver<News>> {
    let (sender, receiver) = mpsc::channel();
    let home = home.clone();
    let ask = move || {
        let news = match client::status(&home) {
            Ok(Some(status)) => Ok(Box::new(status)),
            Ok(None) => Err(super::nobody(&home)),
            Err(error) => Err(format!("{error:#}")),
        };
        let listened = sender.send(news).is_ok();
        thread::sleep(interval);
        listened
    };
    thread::Builder::new().name("news".into()).spawn(move || while ask() {})?;
    Ok(receiver)
}
