//! What servers on one database tell each other at once (`NOTIFY`). A notice is only a hint: a server that misses one
//! finds the same in the tables a little later.

use std::time::Duration;

use sqlx::postgres::PgListener;
use sqlx::{Postgres, QueryBuilder};
use uuid::Uuid;

use super::health::answer_within;
use super::{ACQUIRE_TIMEOUT, Db, Scope, StoreError, Tx};
use crate::id::{ConversationId, RunId};

const CHANNEL: &str = "llm_council";
/// A payload may not exceed 8,000 bytes; an id takes 33.
const IDS_PER_NOTICE: usize = 200;
/// After how long without a notice it is checked whether the listening connection still works.
const SILENCE: Duration = Duration::from_secs(10);

/// One hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The logs of these runs have grown.
    Log(Vec<RunId>),
    /// This run is to be stopped.
    Stop(RunId),
    /// This run is to go on without a member.
    Skip(RunId),
    /// A run waits for any server with a free slot.
    Work,
    /// A server asks whether anybody reads this run at another one.
    IsRead(RunId),
    /// A server answers that this run has a reader.
    Read(RunId),
    /// A person has given this conversation a name.
    Named(ConversationId),
}

impl Notice {
    fn payloads(&self) -> Vec<String> {
        match self {
            Self::Log(runs) => runs
                .chunks(IDS_PER_NOTICE)
                .map(|runs| {
                    runs.iter().fold("log".to_owned(), |text, run| format!("{text} {}", run.0.simple()))
                })
                .collect(),
            Self::Stop(run) => vec![format!("stop {}", run.0.simple())],
            Self::Skip(run) => vec![format!("skip {}", run.0.simple())],
            Self::Work => vec!["work".to_owned()],
            Self::IsRead(run) => vec![format!("isread {}", run.0.simple())],
            Self::Read(run) => vec![format!("read {}", run.0.simple())],
            Self::Named(conversation) => vec![format!("named {}", conversation.0.simple())],
        }
    }

    /// Reads a payload. Another version's is `None`: it means nothing here.
    fn parse(payload: &str) -> Option<Self> {
        let mut words = payload.split(' ');
        let kind = words.next()?;
        let ids = words.map(Uuid::try_parse).collect::<Result<Vec<_>, _>>().ok()?;
        match (kind, ids.as_slice()) {
            ("log", [_, ..]) => Some(Self::Log(ids.into_iter().map(RunId).collect())),
            ("stop", [run]) => Some(Self::Stop(RunId(*run))),
            ("skip", [run]) => Some(Self::Skip(RunId(*run))),
            ("work", []) => Some(Self::Work),
            ("isread", [run]) => Some(Self::IsRead(RunId(*run))),
            ("read", [run]) => Some(Self::Read(RunId(*run))),
            ("named", [conversation]) => Some(Self::Named(ConversationId(*conversation))),
            _ => None,
        }
    }
}

/// Notifies every server when the transaction commits.
pub async fn send(tx: &mut Tx, notice: &Notice) -> Result<(), StoreError> {
    let mut sql = QueryBuilder::default();
    push(&mut sql, notice);
    sql.build().execute(&mut **tx).await?;
    Ok(())
}

/// Notifies every server in a transaction of its own.
pub async fn send_alone(db: &Db, notice: &Notice) -> Result<(), StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    send(&mut tx, notice).await?;
    tx.commit().await
}

/// Adds the notification to a statement that does something else as well.
pub(super) fn push(sql: &mut QueryBuilder<Postgres>, notice: &Notice) {
    sql.push("SELECT pg_notify(")
        .push_bind(CHANNEL)
        .push(", payload) FROM unnest(")
        .push_bind(notice.payloads());
    sql.push(") AS payload");
}

/// One connection that only listens.
#[derive(Debug)]
pub struct Listener(PgListener);

impl Listener {
    /// Listens from now on; keeps one connection. `None` where notices cannot be received ([`Db::can_listen`]).
    pub async fn open(db: &Db) -> Result<Option<Self>, StoreError> {
        let Some(pool) = db.listening() else { return Ok(None) };
        let mut listener = PgListener::connect_with(&pool).await?;
        answer_within(ACQUIRE_TIMEOUT, listener.listen(CHANNEL)).await?;
        Ok(Some(Self(listener)))
    }

    /// The next notice; `None` when the connection was lost, and with it perhaps notices.
    ///
    /// # Errors
    /// When the connection cannot be made again, or is dead.
    pub async fn next(&mut self) -> Result<Option<Notice>, StoreError> {
        loop {
            let Ok(received) = tokio::time::timeout(SILENCE, self.0.try_recv()).await else {
                answer_within(ACQUIRE_TIMEOUT, sqlx::raw_sql("SELECT").execute(&mut self.0)).await?;
                continue;
            };
            match received? {
                None => return Ok(None),
                Some(notification) => {
                    if let Some(notice) = Notice::parse(notification.payload()) {
                        return Ok(Some(notice));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_notice_is_read_as_it_was_written() {
        let runs: Vec<RunId> = (0..450).map(|_| RunId::generate()).collect();
        let payloads = Notice::Log(runs.clone()).payloads();
        assert!(payloads.iter().all(|payload| payload.len() < 8000));
        let read: Vec<RunId> = payloads
            .iter()
            .flat_map(|payload| match Notice::parse(payload) {
                Some(Notice::Log(runs)) => runs,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(read, runs);
        let notices = [
            Notice::Stop(runs[0]),
            Notice::Skip(runs[0]),
            Notice::Work,
            Notice::IsRead(runs[0]),
            Notice::Read(runs[0]),
            Notice::Named(ConversationId(runs[0].0)),
        ];
        for notice in notices {
            assert_eq!(Notice::parse(&notice.payloads()[0]), Some(notice));
        }
    }

    proptest! {
        #[test]
        fn any_payload_is_read_without_panic(payload in ".*") {
            Notice::parse(&payload);
        }
    }
}
