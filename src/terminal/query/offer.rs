//! An earlier answer that is offered: taken, or asked anyway.

use std::io::{BufRead as _, IsTerminal as _};
use std::sync::Arc;

use serde_json::Value;

use super::view::View;
use crate::terminal::live::LiveRun;
use crate::terminal::session::Session;
use crate::terminal::text::one_line;

/// Asks the person, and tells the run. The run waits; where nobody answers it goes on by itself.
pub async fn ask(session: Arc<dyn Session>, run: &LiveRun, event: &Value, view: &mut dyn View) {
    let Some(id) = run.run_id.clone() else { return };
    let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
    let when: String = text("created_at").chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect();
    view.say(&format!("Asked before ({}): {}", one_line(&when), one_line(text("cached_query"))));
    if !std::io::stdin().is_terminal() {
        // What is piped in are questions and not answers to this one: nobody says no.
        tell(session.as_ref(), &id, true, view).await;
        return;
    }
    view.say("Take that answer? [Y/n]");
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map(|read| (read, line))
    });
    let take = match line.await {
        Ok(Ok((read, line))) if read > 0 => !line.trim().to_lowercase().starts_with('n'),
        // The input has ended: nobody says no.
        _ => true,
    };
    tell(session.as_ref(), &id, take, view).await;
}

async fn tell(session: &dyn Session, run: &str, take: bool, view: &mut dyn View) {
    if let Err(trouble) = session.answer_offer(run, take).await {
        view.say(&format!("The offer is over: {trouble}"));
    }
}
