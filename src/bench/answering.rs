//! One question asked of one variant, and graded.

use std::time::Duration;

use futures_util::future::{join_all, try_join_all};
use serde_json::Value;

use super::engine::Engine;
use super::expected::with_question;
use super::graders::{self, Grading, Verdict, judge};
use super::outcome::{MemberOutcome, Outcome, Spent};
use super::place::Place;
use super::question::Question;
use super::request::{self, FORMAT, GRADING};
use super::stored::{Bench, BenchError};
use super::suite::{Asks, Single};
use crate::council::prompts::fence::Fence;
use crate::council::stage::Stage;
use crate::council::stages::answers;
use crate::council::{Deliberation, Plan};
use crate::id::RunId;
use crate::llm::{ChatRequest, ErrorKind};
use crate::runs::{Ask, AskedBy, Payer, StartError};
use crate::store::benches::{self, LedgerCall};
use crate::store::budgets::{self, figures};
use crate::store::runs::RunRow;
use crate::store::{RunStatus, Scope, StoreError, runs, users};

/// How much of an answer's end is kept with its verdict, in characters.
const ENDING_CHARS: usize = 300;
/// How soon it is tried again while too many runs wait, or the database is unavailable.
const AGAIN: Duration = Duration::from_secs(1);

/// What was answered, before it is graded.
#[derive(Default)]
struct UngradedAnswer {
    run: Option<RunId>,
    text: Option<String>,
    error: Option<String>,
    members: Vec<Member>,
}

struct Member {
    member: String,
    model: String,
    text: Option<String>,
    over_budget: bool,
    cost_usd: Option<f64>,
}

/// Asks and grades.
pub(super) async fn answer(engine: &Engine, bench: &Bench, place: Place) -> Result<Outcome, BenchError> {
    let question = &bench.questions[place.question];
    let (ungraded, paid) = match &bench.suite.variants[place.variant].asks {
        Asks::Council(plan) => council(engine, bench, place, with_question(plan, question)).await?,
        Asks::Model(model) => alone(engine, bench, place, model).await?,
    };
    let grading = Grader { engine, bench, place, question };
    let calls = ledger(engine, bench, &[paid]).await?;
    let is_cut = calls.iter().any(|call| call.over_budget);
    let (verdict, mut judged) = grading.grade("final", ungraded.text.as_deref(), is_cut).await?;
    let mut members = Vec::new();
    let graded = ungraded.members.iter().map(|member| async {
        let whose = format!("member/{}", member.member);
        grading.grade(&whose, member.text.as_deref(), member.over_budget).await
    });
    for (member, graded) in ungraded.members.iter().zip(try_join_all(graded).await?) {
        let (verdict, runs) = graded;
        judged.extend(runs);
        let (name, model) = (member.member.clone(), member.model.clone());
        members.push(MemberOutcome { member: name, model, verdict, cost_usd: member.cost_usd });
    }
    let judges = ledger(engine, bench, &judged).await?;
    Ok(Outcome {
        verdict,
        run: ungraded.run,
        ending: ending(ungraded.text.as_deref().unwrap_or_default()),
        error: ungraded.error,
        spent: spent(&calls),
        time_ms: busy_ms(&calls),
        grading: spent(&judges),
        members,
    })
}

/// Asks a council, in a conversation of its own.
async fn council(
    engine: &Engine,
    bench: &Bench,
    place: Place,
    plan: Plan,
) -> Result<(UngradedAnswer, RunId), BenchError> {
    let conversation = place.conversation();
    let (variant, question) =
        (&bench.suite.variants[place.variant].name, &bench.questions[place.question].id);
    let mut tx = engine.db.begin(&Scope::User(bench.user.clone())).await?;
    let title = format!("Bench {}: {question}, {variant}", bench.name);
    benches::open_conversation(&mut tx, conversation, &title).await?;
    tx.commit().await?;
    let run = loop {
        let ask = Ask {
            user: bench.user.clone(),
            conversation,
            begins_conversation: false,
            project: None,
            plan: plan.clone(),
            groups: None,
            tells_devices: false,
            idempotency_key: Some(place.key()),
            parent: None,
            replaces: None,
            asked_by: AskedBy::default(),
            program: None,
            firing: None,
        };
        let tx = engine.db.begin_frequent(&Scope::User(bench.user.clone())).await?;
        match engine.runs.start(tx, ask).await {
            Ok(asked) => break asked.run,
            // The user's other questions go first.
            Err(StartError::TooMany | StartError::Full) => tokio::time::sleep(AGAIN).await,
            Err(StartError::Closing) => return Err(BenchError::Stopped),
            Err(StartError::Store(StoreError::NotFound)) => return Ok((deleted(), place.single("deleted"))),
            Err(error) => return Err(error.into()),
        }
    };
    match over(engine, bench, run).await {
        Ok(row) => Ok((UngradedAnswer { run: Some(run), ..read(row)? }, run)),
        Err(BenchError::Store(StoreError::NotFound)) => Ok((deleted(), run)),
        Err(error) => Err(error),
    }
}

/// What is left of a question whose conversation has been deleted.
fn deleted() -> UngradedAnswer {
    UngradedAnswer { error: Some("its conversation was deleted".to_owned()), ..UngradedAnswer::default() }
}

/// Waits for the end of a run.
async fn over(engine: &Engine, bench: &Bench, run: RunId) -> Result<RunRow, BenchError> {
    let mut events = engine.runs.subscribe(&bench.user, run, 0).await?;
    loop {
        tokio::select! {
            biased;
            next = events.next() => match next {
                Ok(Some(_)) => {}
                Ok(None) => break,
                // The run waits for the database too.
                Err(StoreError::Unavailable(_)) => tokio::time::sleep(AGAIN).await,
                Err(error) => return Err(error.into()),
            },
            () = engine.runs.released(run) => break,
        }
    }
    let row = runs::find(&engine.db, &Scope::User(bench.user.clone()), run).await?;
    if row.status.is_over() { Ok(row) } else { Err(BenchError::Stopped) }
}

fn read(row: RunRow) -> Result<UngradedAnswer, BenchError> {
    let said = |error: &Value| error["message"].as_str().unwrap_or("the run failed").to_owned();
    let error = match row.status {
        RunStatus::Complete => None,
        RunStatus::Cancelled => Some("the run was stopped".to_owned()),
        RunStatus::Failed | RunStatus::Queued | RunStatus::Running => {
            Some(row.error.as_ref().map_or_else(|| "the run failed".to_owned(), said))
        }
    };
    let Some(body) = row.body else { return Ok(UngradedAnswer { error, ..UngradedAnswer::default() }) };
    let body: Deliberation = serde_json::from_value(body)
        .map_err(|source| StoreError::Corrupt { what: "messages.body", source: Box::new(source) })?;
    let failed = body.stage3.as_ref().and_then(|synthesis| synthesis.error.clone());
    let member = |answer: &answers::Answer| Member {
        member: answer.member.clone(),
        model: answer.model.clone(),
        text: answer.is_good().then(|| answer.response.clone()),
        over_budget: answer.error_kind == Some(ErrorKind::Budget),
        cost_usd: answer.cost,
    };
    let text = body.answer_text().filter(|_| error.is_none()).map(str::to_owned);
    Ok(UngradedAnswer {
        run: None,
        text,
        error: error.or(failed),
        members: body.answers().iter().map(member).collect(),
    })
}

/// Asks one model alone.
async fn alone(
    engine: &Engine,
    bench: &Bench,
    place: Place,
    model: &Single,
) -> Result<(UngradedAnswer, RunId), BenchError> {
    let run = place.single("answer");
    let prompt = graders::prompt(&bench.questions[place.question]);
    let result = call(engine, bench, run, answers::STAGE, request::answer(model, &prompt)).await?;
    let ungraded = match result {
        Ok(text) => UngradedAnswer { text: Some(text), ..UngradedAnswer::default() },
        Err(error) => UngradedAnswer { error: Some(error), ..UngradedAnswer::default() },
    };
    Ok((ungraded, run))
}

/// Makes a single call, or finds it made.
async fn call(
    engine: &Engine,
    bench: &Bench,
    run: RunId,
    stage: Stage,
    request: ChatRequest,
) -> Result<Result<String, String>, BenchError> {
    let payer = payer(engine, bench).await?;
    match engine.runs.call_kept(payer, run, FORMAT, stage, request).await {
        Ok(call) => Ok(call.result.map(|reply| reply.text).map_err(|error| error.message)),
        Err(StartError::Closing) => Err(BenchError::Stopped),
        Err(error) => Err(error.into()),
    }
}

/// Who pays for single calls: the user, under the budgets that bind them now.
async fn payer(engine: &Engine, bench: &Bench) -> Result<Payer, StoreError> {
    let mut tx = engine.db.begin(&Scope::User(bench.user.clone())).await?;
    let groups = users::groups_last_seen(&mut tx).await?;
    let defaults = &engine.runs.budget_rules().defaults;
    let binding = budgets::binding(&mut tx, &bench.user, &groups, defaults).await?;
    drop(tx);
    let budgets = if binding.is_empty() {
        Vec::new()
    } else {
        figures::states(&mut engine.db.begin(&Scope::Engine).await?, &binding).await?
    };
    Ok(Payer { user: bench.user.clone(), groups, budgets })
}

struct Grader<'b> {
    engine: &'b Engine,
    bench: &'b Bench,
    place: Place,
    question: &'b Question,
}

impl Grader<'_> {
    /// What an answer is worth, and the runs of the calls that said so. `whose` names the answer among those to this
    /// question. `is_cut` says that a budget was used up before all had been asked who make it what it is.
    async fn grade(
        &self,
        whose: &str,
        text: Option<&str>,
        is_cut: bool,
    ) -> Result<(Verdict, Vec<RunId>), BenchError> {
        if is_cut {
            return Ok((Verdict::Ungraded, Vec::new()));
        }
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
            return Ok((Verdict::Failed, Vec::new()));
        };
        let grading = graders::of(self.question).map(|grader| &grader.grading);
        match (grading, &self.bench.suite.judge) {
            (Some(Grading::Text(grade)), _) => Ok((grade(self.question, text), Vec::new())),
            (Some(Grading::Judge), Some(judge)) => self.ask(judge, whose, text).await,
            (Some(Grading::Judge), None) | (None, _) => Ok((Verdict::Ungraded, Vec::new())),
        }
    }

    async fn ask(
        &self,
        judge: &Single,
        whose: &str,
        text: &str,
    ) -> Result<(Verdict, Vec<RunId>), BenchError> {
        let fence = Fence::new(&self.place.marker());
        let both = judge::ORDERS.map(|order| {
            let run = self.place.single(&format!("judge/{whose}/{}", order.name()));
            let prompt = judge::prompt(self.question, text, order, &fence);
            (run, request::judgement(judge, &prompt))
        });
        let runs = both.iter().map(|(run, _)| *run).collect();
        let asked = both.map(|(run, request)| call(self.engine, self.bench, run, GRADING, request));
        let mut said = [None, None];
        for (said, answered) in said.iter_mut().zip(join_all(asked).await) {
            *said = answered?.ok().and_then(|reply| judge::read(&reply));
        }
        Ok((judge::together(said), runs))
    }
}

async fn ledger(engine: &Engine, bench: &Bench, runs: &[RunId]) -> Result<Vec<LedgerCall>, StoreError> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let mut tx = engine.db.begin(&Scope::User(bench.user.clone())).await?;
    benches::calls_of(&mut tx, runs).await
}

/// A call that reached no model has cost nothing.
fn spent(calls: &[LedgerCall]) -> Spent {
    let mut spent = Spent::default();
    for call in calls.iter().filter(|call| call.cost_usd.is_some() || call.latency_ms.is_some()) {
        spent.add(call.cost_usd);
    }
    spent
}

/// How long at least one model was at work. The time that a run waited for a slot, or for a process to go on with it,
/// does not count.
fn busy_ms(calls: &[LedgerCall]) -> u64 {
    let mut spans: Vec<(i64, i64)> = calls
        .iter()
        .filter_map(|call| {
            let end = call.finished_at.as_millisecond();
            Some((end - call.latency_ms?.max(0), end))
        })
        .collect();
    spans.sort_unstable();
    let (mut busy, mut until) = (0, i64::MIN);
    for (start, end) in spans {
        busy += (end - start.max(until)).max(0);
        until = until.max(end);
    }
    u64::try_from(busy).unwrap_or_default()
}

fn ending(text: &str) -> String {
    let length = text.chars().count();
    text.chars().skip(length.saturating_sub(ENDING_CHARS)).collect::<String>().replace('\0', "")
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn call(end_ms: i64, latency_ms: Option<i64>) -> LedgerCall {
        let finished_at = Timestamp::from_millisecond(1_000_000 + end_ms).unwrap();
        LedgerCall { cost_usd: None, latency_ms, finished_at, over_budget: false }
    }

    #[test]
    fn time_counts_once_where_calls_overlap_and_not_where_nobody_works() {
        assert_eq!(busy_ms(&[]), 0);
        let side_by_side = [call(100, Some(100)), call(80, Some(60)), call(150, Some(100))];
        assert_eq!(busy_ms(&side_by_side), 150);
        let with_a_pause = [call(100, Some(100)), call(10_000, Some(50)), call(10_000, None)];
        assert_eq!(busy_ms(&with_a_pause), 150);
    }

    #[test]
    fn what_is_kept_of_an_answer_is_its_end() {
        let text = format!("{}end", "ü".repeat(1000));
        assert_eq!(ending(&text).chars().count(), ENDING_CHARS);
        assert!(ending(&text).ends_with("üend"));
    }
}
