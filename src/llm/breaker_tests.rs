use proptest::prelude::*;
use tokio::time::advance;

use super::*;

fn go<'b>(breaker: &'b Breaker, model: &'b str) -> Option<Pass<'b>> {
    match breaker.admit(model) {
        Admission::Go(pass) => Some(pass),
        Admission::Refused(_) | Admission::Wait => None,
    }
}

fn fail(breaker: &Breaker, model: &str) {
    go(breaker, model).expect("leave to ask").settle(Verdict::Failed);
}

#[test]
fn only_outages_count() {
    let of = |kind, status, retry_after_ms| {
        Verdict::on(&CallError { status, retry_after_ms, ..CallError::new(kind, "no") })
    };
    for kind in [ErrorKind::Overloaded, ErrorKind::Timeout] {
        assert_eq!(of(kind, None, None), Verdict::Failed);
    }
    for kind in [ErrorKind::Auth, ErrorKind::Refused, ErrorKind::ContextTooLong] {
        assert_eq!(of(kind, Some(400), None), Verdict::Alive, "{kind:?}");
    }
    assert_eq!(of(ErrorKind::RateLimited, Some(429), Some(70)), Verdict::Limited(Duration::from_millis(70)));
    assert_eq!(of(ErrorKind::RateLimited, Some(429), None), Verdict::Unknown);
    assert_eq!(of(ErrorKind::RateLimited, Some(402), Some(70)), Verdict::Unknown);
    assert_eq!(of(ErrorKind::RateLimited, Some(403), Some(70)), Verdict::Unknown);
    assert_eq!(of(ErrorKind::Cancelled, None, None), Verdict::Unknown);
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_between_begins_a_new_row() {
    let breaker = Breaker::new("gate");
    for _ in 0..3 {
        for _ in 1..MODEL_FAILURES {
            fail(&breaker, "m");
        }
        go(&breaker, "m").unwrap().answered();
    }
    assert_eq!(breaker.refusal("m"), None);
}

#[tokio::test(start_paused = true)]
async fn failures_of_long_ago_do_not_count() {
    let breaker = Breaker::new("gate");
    for _ in 1..MODEL_FAILURES {
        fail(&breaker, "m");
    }
    advance(STALE + Duration::from_secs(1)).await;
    fail(&breaker, "m");
    assert_eq!(breaker.refusal("m"), None);
}

#[tokio::test(start_paused = true)]
async fn one_bad_model_never_closes_the_provider_to_the_others() {
    let breaker = Breaker::new("gate");
    for _ in 0..100 {
        if let Some(mut pass) = go(&breaker, "bad") {
            pass.settle(Verdict::Failed);
        }
        advance(Duration::from_secs(7)).await;
    }
    assert!(go(&breaker, "good").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_dead_model_that_probes_first_does_not_keep_the_others_away() {
    let breaker = Breaker::new("gate");
    for at in 0..PROVIDER_FAILURES {
        fail(&breaker, ["dead", "b", "c"][at as usize % 3]);
    }
    assert!(breaker.refusal("d").unwrap().whole_provider);
    advance(OPEN_FIRST).await;
    fail(&breaker, "dead");
    assert!(go(&breaker, "dead").is_none(), "it had its turn");
    go(&breaker, "b").expect("the next may probe").answered();
    assert!(go(&breaker, "c").is_some());
    assert!(breaker.refusal("dead").is_none(), "what failed before was the provider's failure");
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_dropped_lets_the_next_one_probe() {
    let breaker = Breaker::new("gate");
    for _ in 0..MODEL_FAILURES {
        fail(&breaker, "m");
    }
    advance(OPEN_FIRST).await;
    let mut changes = breaker.changes();
    let probe = go(&breaker, "m").unwrap();
    assert!(go(&breaker, "m").is_none());
    drop(probe);
    assert!(changes.has_changed().unwrap());
    changes.mark_unchanged();
    assert!(go(&breaker, "m").is_some());
}

#[tokio::test(start_paused = true)]
async fn the_open_time_grows_to_its_bound() {
    let breaker = Breaker::new("gate");
    for _ in 0..MODEL_FAILURES {
        fail(&breaker, "m");
    }
    let mut waits = Vec::new();
    for _ in 0..6 {
        let wait = breaker.refusal("m").unwrap().wait;
        waits.push(wait.as_secs());
        advance(wait).await;
        fail(&breaker, "m");
    }
    assert_eq!(waits, [5, 10, 20, 40, 60, 60]);
}

#[tokio::test(start_paused = true)]
async fn any_number_of_model_names_is_kept_within_bounds() {
    let breaker = Breaker::new("gate");
    for at in 0..3 * MODELS {
        let name = format!("m{at}");
        if let Some(mut pass) = go(&breaker, &name) {
            pass.settle(Verdict::Limited(OPEN_MAX));
        }
    }
    let state = breaker.state();
    assert!(state.models.len() <= MODELS && state.labels.len() <= LABELS);
}

#[derive(Debug, Clone)]
enum Step {
    Ask(usize),
    Settle(usize, Verdict),
    Drop(usize),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let verdict = prop_oneof![
        4 => Just(Verdict::Failed),
        1 => Just(Verdict::Alive),
        1 => Just(Verdict::Unknown),
        1 => (0u64..20_000).prop_map(|ms| Verdict::Limited(Duration::from_millis(ms))),
    ];
    prop_oneof![
        4 => (0usize..4).prop_map(Step::Ask),
        4 => (any::<usize>(), verdict).prop_map(|(at, verdict)| Step::Settle(at, verdict)),
        1 => any::<usize>().prop_map(Step::Drop),
        1 => (0u64..15_000).prop_map(Step::Wait),
    ]
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

proptest! {
    /// Whatever happens in whatever order: no call is sent while a circuit is open, at most one
    /// probes a circuit, nobody is locked out for good, and one answer opens everything that the
    /// provider itself did not ask to leave alone.
    #[test]
    fn there_is_never_more_than_one_probe_and_always_a_way_back(steps in proptest::collection::vec(step(), 1..200)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let breaker = Breaker::new("gate");
            let mut passes: Vec<(usize, Pass<'_>)> = Vec::new();
            for step in steps {
                match step {
                    Step::Ask(model) => {
                        let refused = breaker.refusal(NAMES[model]);
                        if let Some(pass) = go(&breaker, NAMES[model]) {
                            assert_eq!(refused, None, "no call while a circuit is open");
                            passes.push((model, pass));
                        }
                    }
                    Step::Settle(at, verdict) if !passes.is_empty() => {
                        let (_, mut pass) = passes.swap_remove(at % passes.len());
                        pass.settle(verdict);
                    }
                    Step::Drop(at) if !passes.is_empty() => drop(passes.swap_remove(at % passes.len())),
                    Step::Settle(..) | Step::Drop(_) => {}
                    Step::Wait(ms) => advance(Duration::from_millis(ms)).await,
                }
                let state = breaker.state();
                let probing = |open: &Option<OpenCircuit>| open.as_ref().and_then(|open| open.probe);
                let of_provider = probing(&state.provider.open);
                let probes: Vec<u64> = state
                    .models
                    .values()
                    .map(|circuit| probing(&circuit.open))
                    .chain([of_provider])
                    .flatten()
                    .collect();
                // Every probe that is waited for has somebody who will end it.
                for probe in probes {
                    assert_eq!(passes.iter().filter(|(_, pass)| pass.probe == Some(probe)).count(), 1);
                }
            }
            drop(passes);
            advance(MAX_RETRY_AFTER).await;
            for name in NAMES {
                go(&breaker, name).expect("a way back for everybody").answered();
            }
            assert!(NAMES.iter().all(|name| breaker.refusal(name).is_none()));
        });
    }

    /// Without time passing, retries never exceed the reserve and a tenth of the calls.
    #[test]
    fn the_retry_budget_holds(calls in 0u32..500, greed in 1u32..5) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let _context = runtime.enter();
        let breaker = Breaker::new("gate");
        let mut granted = 0;
        for _ in 0..calls {
            breaker.credit_retry();
            granted += (0..greed).filter(|_| breaker.spend_retry()).count();
        }
        prop_assert!(granted as f64 <= RETRY_RESERVE + RETRY_SHARE * f64::from(calls) + 1e-6);
    }
}
