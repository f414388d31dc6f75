//! Lists of runs, models, presets, tokens and usage.

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use super::session::{Method, Place, Session, Trouble};
use super::text::{amounts, harmless_json, one_line};

/// What to do instead if a server refuses to list everybody's usage, as it does with any token.
const ASK_HERE: &str = "a token is never an administrator's: run `llm-council usage --here` on the server's machine, with \
                        `--user local` where people sign in, or look into the web app's administration";
/// What to do instead if somebody who is not an administrator asks here.
const ASK_AS_LOCAL: &str = "here only the user `local` is an administrator: say `--user local`";

/// The page size of lists that grow.
const PER_PAGE: usize = 500;
/// The page size of runs: a server sends no more.
const RUNS_PER_PAGE: usize = 200;

/// A list that can be shown.
#[derive(Debug, Clone)]
pub enum List {
    /// The user's own runs, the latest first.
    Runs {
        limit: usize,
    },
    /// The models on offer whose ids contain `filter`.
    Models {
        filter: Option<String>,
    },
    Presets,
    Tokens,
    /// Everybody's usage, for administrators.
    Usage {
        by: String,
        from: Option<String>,
        to: Option<String>,
    },
}

/// A column: its heading, whether it holds figures, and an item's value.
type Column = (&'static str, bool, fn(&Value) -> String);

impl List {
    /// The path of the page that follows after `offset` items.
    fn path(&self, offset: usize) -> String {
        match self {
            Self::Runs { limit } => {
                let limit = limit.saturating_sub(offset).min(RUNS_PER_PAGE);
                format!("/api/analytics/recent?limit={limit}&offset={offset}")
            }
            Self::Models { .. } => "/api/models".to_owned(),
            Self::Presets => "/api/settings/presets".to_owned(),
            Self::Tokens => format!("/api/tokens?limit={PER_PAGE}&offset={offset}"),
            Self::Usage { by, from, to } => {
                let mut query = url::form_urlencoded::Serializer::new(String::new());
                query.append_pair("limit", &PER_PAGE.to_string());
                query.append_pair("offset", &offset.to_string());
                query.append_pair("by", by);
                for (name, day) in [("from", from), ("to", to)] {
                    if let Some(day) = day {
                        query.append_pair(name, day);
                    }
                }
                format!("/api/admin/usage?{}", query.finish())
            }
        }
    }

    /// The page size, for lists that come in pages.
    fn per_page(&self) -> Option<usize> {
        match self {
            Self::Runs { .. } => Some(RUNS_PER_PAGE),
            Self::Tokens | Self::Usage { .. } => Some(PER_PAGE),
            Self::Models { .. } | Self::Presets => None,
        }
    }

    /// How many are wanted, if not all.
    fn most(&self) -> Option<usize> {
        match self {
            Self::Runs { limit } => Some(*limit),
            Self::Models { .. } | Self::Presets | Self::Tokens | Self::Usage { .. } => None,
        }
    }

    fn items<'v>(&self, answer: &'v Value) -> Vec<&'v Value> {
        let list = match self {
            Self::Runs { .. } => answer.get("queries"),
            Self::Models { .. } => answer.get("models"),
            Self::Presets => answer.get("presets"),
            Self::Tokens => Some(answer),
            Self::Usage { .. } => answer.get("rows"),
        };
        let items = list.and_then(Value::as_array).into_iter().flatten();
        let part = match self {
            Self::Models { filter } => filter.as_deref().unwrap_or_default().to_lowercase(),
            Self::Runs { .. } | Self::Presets | Self::Tokens | Self::Usage { .. } => String::new(),
        };
        let wanted = |item: &&Value| part.is_empty() || text(item, "id").to_lowercase().contains(&part);
        items.filter(wanted).collect()
    }

    fn columns(&self) -> &'static [Column] {
        match self {
            Self::Runs { .. } => &[
                ("RUN", false, |run| text(run, "run_id")),
                ("WHEN (UTC)", false, |run| minute(&text(run, "timestamp"))),
                ("FORMAT", false, |run| text(run, "format")),
                ("STATUS", false, |run| text(run, "status")),
                ("SECONDS", true, |run| {
                    number(run, "query_duration_ms")
                        .map_or_else(String::new, |ms| format!("{:.1}", ms / 1000.0))
                }),
                ("TOKENS", true, |run| whole(run, "total_tokens")),
                ("COST", true, |run| cost(run, "total_cost", "unknown_cost_calls")),
            ],
            Self::Models { .. } => &[
                ("MODEL", false, |model| text(model, "id")),
                ("CONTEXT", true, |model| whole(model, "context_length")),
                ("IN $/M", true, |model| per_million(model, "prompt")),
                ("OUT $/M", true, |model| per_million(model, "completion")),
            ],
            Self::Presets => &[
                ("PRESET", false, |preset| text(preset, "name")),
                ("WHOSE", false, |preset| {
                    let shared = preset.get("shared").and_then(Value::as_bool).unwrap_or(false);
                    if shared { "everybody's" } else { "yours" }.to_owned()
                }),
                ("CHANGED", false, |preset| minute(&text(preset, "updated_at"))),
            ],
            Self::Tokens => &[
                ("ID", false, |token| text(token, "id")),
                ("NAME", false, |token| text(token, "name")),
                ("MAY", false, |token| {
                    let may = token.get("permissions").and_then(Value::as_array).into_iter().flatten();
                    may.filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
                }),
                ("ENDS", false, |token| match text(token, "revoked_at").as_str() {
                    "" => minute(&text(token, "expires_at")),
                    _ => "revoked".to_owned(),
                }),
                ("LAST USED", false, |token| minute(&text(token, "last_used_at"))),
            ],
            Self::Usage { .. } => &[
                ("NAME", false, |row| text(row, "name")),
                ("RUNS", true, |row| whole(row, "runs")),
                ("CALLS", true, |row| whole(row, "calls")),
                ("FAILED", true, |row| whole(row, "failed_calls")),
                ("IN", true, |row| whole(row, "prompt_tokens")),
                ("OUT", true, |row| whole(row, "completion_tokens")),
                ("COST", true, |row| cost(row, "cost_usd", "unpriced_calls")),
            ],
        }
    }

    /// Adds what to do instead to the refusal of a list that only administrators may see.
    fn explained(&self, trouble: Trouble, place: &Place) -> Trouble {
        match (self, trouble) {
            (Self::Usage { .. }, Trouble::NotSignedIn(said)) => {
                let instead = if *place == Place::Here { ASK_AS_LOCAL } else { ASK_HERE };
                Trouble::NotSignedIn(format!("{said}; {instead}"))
            }
            (_, trouble) => trouble,
        }
    }

    fn nothing(&self) -> &'static str {
        match self {
            Self::Runs { .. } => "No runs yet: ask something with `llm-council query`.",
            Self::Models { .. } => "No such models.",
            Self::Presets => "No presets yet: the web app's settings make them.",
            Self::Tokens => "No tokens yet.",
            Self::Usage { .. } => "Nothing was used in this time.",
        }
    }
}

/// The list as text or, for programs, as the server's JSON.
///
/// # Errors
/// Why there is no list.
pub async fn read(session: &dyn Session, list: &List, as_json: bool) -> Result<String, Trouble> {
    let (mut pages, mut count) = (Vec::new(), 0);
    loop {
        let path = list.path(list.per_page().unwrap_or(0) * pages.len());
        let page = session.get(&path).await.map_err(|trouble| list.explained(trouble, session.place()))?;
        // An older server sends the whole list at once, and the same again for the next page.
        if pages.last() == Some(&page) {
            break;
        }
        let items = list.items(&page).len();
        count += items;
        let is_last = list.per_page() != Some(items) || list.most().is_some_and(|most| count >= most);
        pages.push(page);
        if is_last {
            break;
        }
    }
    let items: Vec<&Value> = pages.iter().flat_map(|page| list.items(page)).collect();
    if as_json {
        return Ok(format!("{}\n", harmless_json(&format!("{:#}", json!(items)))));
    }
    Ok(table(list, &items))
}

/// Makes a new token, which is shown only this once. It may read and ask, or only read.
///
/// # Errors
/// Why no token was made.
pub async fn new_token(
    session: &dyn Session,
    name: &str,
    days: Option<u32>,
    read_only: bool,
) -> Result<String, Trouble> {
    let permissions: &[&str] = if read_only { &["read"] } else { &["read", "ask"] };
    let body = json!({ "name": name, "expires_in_days": days, "permissions": permissions });
    let made = session.request(Method::POST, "/api/tokens", Some(&body)).await?;
    let token = text(&made, "token");
    if token.is_empty() {
        return Err(Trouble::Failed("the server made no token".to_owned()));
    }
    Ok(format!("{token}\n"))
}

/// Revokes a token.
///
/// # Errors
/// Why it was not revoked.
pub async fn revoke_token(session: &dyn Session, id: &str) -> Result<String, Trouble> {
    let id: String = url::form_urlencoded::byte_serialize(id.as_bytes()).collect();
    session.request(Method::DELETE, &format!("/api/tokens/{id}"), None).await?;
    Ok("Revoked: it no longer gives access.\n".to_owned())
}

fn table(list: &List, items: &[&Value]) -> String {
    if items.is_empty() {
        return format!("{}\n", list.nothing());
    }
    let columns = list.columns();
    let mut rows: Vec<Vec<String>> =
        vec![columns.iter().map(|(heading, ..)| (*heading).to_owned()).collect()];
    rows.extend(
        items
            .iter()
            .map(|item| columns.iter().map(|(.., cell)| one_line(&cell(item)).into_owned()).collect()),
    );
    let widths: Vec<usize> = (0..columns.len())
        .map(|at| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width()).max().unwrap_or(0))
        .collect();
    let line = |row: Vec<String>| {
        let cells = row.into_iter().zip(&widths).zip(columns).map(|((cell, width), (_, is_figure, _))| {
            let room = " ".repeat(width.saturating_sub(cell.width()));
            if *is_figure { room + &cell } else { cell + &room }
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.into_iter().map(line).collect()
}

fn text(item: &Value, name: &str) -> String {
    item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn number(item: &Value, name: &str) -> Option<f64> {
    item.get(name).and_then(Value::as_f64)
}

fn whole(item: &Value, name: &str) -> String {
    item.get(name).and_then(Value::as_u64).map(|count| count.to_string()).unwrap_or_default()
}

/// A sum of costs, with a mark if it lacks calls of unknown cost.
fn cost(item: &Value, sum: &str, unknown: &str) -> String {
    let unknown = item.get(unknown).and_then(Value::as_u64).unwrap_or_default();
    match (number(item, sum), unknown) {
        (Some(usd), 0) => amounts::usd(Some(usd)),
        (Some(usd), _) => format!("{} + ?", amounts::usd(Some(usd))),
        // Calls that reached no model cost nothing.
        (None, 0) => "-".to_owned(),
        (None, _) => "unknown".to_owned(),
    }
}

/// A price in USD per million tokens.
fn per_million(model: &Value, of: &str) -> String {
    let price = model.get("pricing").and_then(|pricing| pricing.get(of));
    let price = price.and_then(|price| price.as_f64().or_else(|| price.as_str()?.parse().ok()));
    price.map_or_else(|| "unknown".to_owned(), |usd| format!("{:.2}", usd * 1_000_000.0))
}

/// A time to the minute.
fn minute(time: &str) -> String {
    time.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;
    use crate::terminal::session::{Following, Question};

    /// A server with this many runs.
    struct Server(usize);

    #[async_trait]
    impl Session for Server {
        fn place(&self) -> &Place {
            &Place::Here
        }

        async fn request(&self, _: Method, path: &str, _: Option<&Value>) -> Result<Value, Trouble> {
            let query = path.split_once('?').unwrap().1;
            let of = |wanted: &str| {
                let mut all = url::form_urlencoded::parse(query.as_bytes());
                all.find(|(name, _)| name == wanted).unwrap().1.parse::<usize>().unwrap()
            };
            let runs = (0..self.0).skip(of("offset")).take(of("limit").clamp(1, 200));
            let runs: Vec<Value> = runs.map(|run| json!({ "run_id": run.to_string() })).collect();
            Ok(json!({ "queries": runs, "total": self.0 }))
        }

        async fn text(&self, path: &str) -> Result<String, Trouble> {
            Err(Trouble::NotFound(path.to_owned()))
        }

        async fn upload(&self, name: &str, _: Vec<u8>) -> Result<Value, Trouble> {
            Err(Trouble::NotFound(name.to_owned()))
        }

        async fn ask(&self, _: Question) -> Result<Following, Trouble> {
            Err(Trouble::NotFound("a question".to_owned()))
        }

        async fn follow(&self, run: &str, _: u64) -> Result<Following, Trouble> {
            Err(Trouble::NotFound(run.to_owned()))
        }
    }

    #[tokio::test]
    async fn as_many_runs_are_listed_as_are_wanted() {
        for (limit, expected) in [(20, 20), (200, 200), (250, 250), (400, 400), (1000, 450)] {
            let listed = read(&Server(450), &List::Runs { limit }, true).await.unwrap();
            let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
            assert_eq!(listed.len(), expected);
            assert_eq!(listed.last().unwrap()["run_id"], (expected - 1).to_string());
        }
    }

    #[test]
    fn columns_stand_under_their_headings_whatever_their_widths() {
        let presets =
            [json!({"name": "速い", "shared": true}), json!({"name": "thorough\u{1b}[2J", "shared": false})];
        let text = table(&List::Presets, &presets.iter().collect::<Vec<_>>());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        let at = |line: &str, word: &str| line.split(word).next().unwrap().width();
        assert_eq!(at(lines[0], "WHOSE"), at(lines[1], "everybody's"));
        assert_eq!(at(lines[0], "WHOSE"), at(lines[2], "yours"));
        assert!(!text.contains('\u{1b}'));
        assert_eq!(table(&List::Tokens, &[]), "No tokens yet.\n");
    }

    #[test]
    fn a_cost_says_what_is_not_in_it_and_never_looks_free() {
        let row = |usd: Option<f64>, unpriced: u64| {
            cost(&json!({"cost_usd": usd, "unpriced_calls": unpriced}), "cost_usd", "unpriced_calls")
        };
        assert_eq!(row(Some(0.0312), 0), "$0.0312");
        assert_eq!(row(Some(0.0312), 7), "$0.0312 + ?");
        assert_eq!(row(Some(0.000_000_8), 0), "<$0.0001");
        assert_eq!(row(None, 7), "unknown");
        assert_eq!(row(None, 0), "-");
    }
}
