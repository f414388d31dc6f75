//! What the statements read: pages, rows and plans, beside the size of the same vectors as JSON.

use anyhow::Context as _;
use llm_council::cache::{digest, vector};
use llm_council::id::RunId;
use llm_council::store::cache::{EntryOwner, LookUp, MOST_COMPARED, NEAREST, STATEMENTS, vectors};
use llm_council::store::{Db, Scope};
use serde_json::Value;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::people::{ENTRIES, People, Person};

const PAGE_BYTES: u64 = 8_192;
/// As many as a look asks for at once.
const FOUND: usize = 10;

/// Prints the plan of each statement, with everything in memory.
pub async fn print(db: &Db, people: &People, person: &Person) -> anyhow::Result<()> {
    println!("\n{}: {ENTRIES} entries of {} components", person.user.as_str(), person.dimension());
    for (name, sql) in STATEMENTS {
        explained(db, people, person, name, sql).await?;
        let plan = explained(db, people, person, name, sql).await?;
        let (hit, read) = pages(&plan);
        println!(
            "{name}: {} rows, {hit} pages from memory and {read} read, {} of pages",
            number(&plan, "Actual Rows"),
            kib((hit + read) * PAGE_BYTES)
        );
        print_node(&plan, 1);
    }
    let stored = u64::from(ENTRIES) * (person.dimension() as u64 + 4);
    let mut json = 0;
    for entry in 1..=ENTRIES {
        json += serde_json::to_string(people.vector(person, entry))?.len() as u64;
    }
    println!(
        "the vectors themselves: {}; as JSON {} ({:.1} times as much)",
        kib(stored),
        kib(json),
        json as f64 / stored as f64
    );
    Ok(())
}

async fn explained(
    db: &Db,
    people: &People,
    person: &Person,
    name: &str,
    sql: &str,
) -> anyhow::Result<Value> {
    let method = person.method();
    let look = LookUp {
        user: &person.user,
        run: RunId(Uuid::nil()),
        scope: &people.scope.0,
        owner: EntryOwner::Own,
    };
    let encoded = vector::encode(people.vector(person, 1)).context("it has been stored")?;
    let signature = vector::signature(&encoded).context("it has been stored")?;
    let ids: Vec<Uuid> =
        vectors(db, look, method, &signature).await?.iter().take(FOUND).map(|it| it.id).collect();
    let digest = digest(&person.question(1));
    let mut tx = db.begin(&Scope::User(person.user.clone())).await?;
    let sql = format!("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {sql}");
    let query = sqlx::query_scalar::<_, Value>(AssertSqlSafe(sql))
        .persistent(false)
        .bind(person.user.as_str())
        .bind(&people.scope.0[..])
        .bind(Uuid::nil());
    let query = match name {
        "exact" => query.bind(&digest[..]),
        "vectors" => {
            query.bind(method.name()).bind(method.model()).bind(MOST_COMPARED).bind(&signature).bind(NEAREST)
        }
        "found" => query.bind(&ids),
        other => anyhow::bail!("the statement {other} is new here"),
    };
    let answer = query.fetch_one(&mut *tx).await?;
    answer.pointer("/0/Plan").cloned().context("an explanation has a plan")
}

fn number(node: &Value, name: &str) -> u64 {
    let value = node.get(name);
    value.and_then(|value| value.as_u64().or_else(|| value.as_f64().map(|x| x.round() as u64))).unwrap_or(0)
}

fn pages(node: &Value) -> (u64, u64) {
    (number(node, "Shared Hit Blocks"), number(node, "Shared Read Blocks"))
}

fn print_node(node: &Value, depth: usize) {
    let text = |name: &str| node.get(name).and_then(Value::as_str);
    let place = text("Index Name").or_else(|| text("Relation Name"));
    let (hit, read) = pages(node);
    println!(
        "{:indent$}{}{}: {} rows, {} times, {} pages",
        "",
        text("Node Type").unwrap_or("?"),
        place.map(|place| format!(" of {place}")).unwrap_or_default(),
        number(node, "Actual Rows"),
        number(node, "Actual Loops"),
        hit + read,
        indent = depth * 2,
    );
    for child in node.get("Plans").and_then(Value::as_array).into_iter().flatten() {
        print_node(child, depth + 1);
    }
}

fn kib(bytes: u64) -> String {
    format!("{} KiB", bytes / 1_024)
}
