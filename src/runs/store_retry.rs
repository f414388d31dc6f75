//! Retrying queries while the database is unavailable.

use std::time::Duration;

use crate::store::StoreError;

const PAUSE: Duration = Duration::from_millis(500);

/// Repeats a query until the database answers: the run cannot go on without it. `what` says in the log, once, what
/// the run waits for.
pub(super) async fn until_answered<T, F>(what: &str, mut query: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut is_logged = false;
    loop {
        match query().await {
            Err(error @ StoreError::Unavailable(_)) => {
                if !is_logged {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        what,
                        "a run waits for the database"
                    );
                }
                is_logged = true;
                tokio::time::sleep(PAUSE).await;
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A log to read back.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_run_waits_for_is_logged_once_and_with_its_cause() {
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber =
            tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        let _log = tracing::subscriber::set_default(subscriber);
        let tries = Cell::new(0);
        let answered = until_answered("its row", || {
            tries.set(tries.get() + 1);
            let is_full = tries.get() < 4;
            async move {
                let full = sqlx::Error::Io(io::Error::other("no space left on device"));
                if is_full { Err(StoreError::Unavailable(full)) } else { Ok(7) }
            }
        });
        assert_eq!((answered.await.ok(), tries.get()), (Some(7), 4));
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert!(text.lines().count() == 1 && text.contains("no space left on device"), "{text}");
    }
}
