//! Which questions the cache takes for the same: precision and recall over the list of pairs in `src/cache/pairs.tsv`, by
//! threshold, with and without the guard. `cargo bench --bench cache_pairs` measures the hash method;
//! `-- --embeddings http://127.0.0.1:18183/v1 --model all-minilm-l6-v2` also a model behind an OpenAI-compatible
//! `/embeddings`, with the key in `EMBEDDINGS_API_KEY` if it needs one. The tables in docs/cache.md come from here.

use anyhow::Context;
use llm_council::cache::hash_embedding;
use llm_council::cache::vector::{Needle, encode};
use llm_council::cache::{difference, normalised};
use serde::Deserialize;
use serde_json::json;

const PAIRS: &str = include_str!("../src/cache/pairs.tsv");
const THRESHOLDS: &[f32] = &[0.85, 0.88, 0.90, 0.92, 0.94, 0.96, 0.98];

/// Texts in one request.
const BATCH: usize = 16;

struct Pair {
    is_alike: bool,
    one: String,
    other: String,
    /// The guard found nothing.
    passes: bool,
}

fn pairs() -> anyhow::Result<Vec<Pair>> {
    let pair = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [label, _, one, other] = columns[..] else { anyhow::bail!("no pair: {line}") };
        let (one, other) = (one.replace("\\n", "\n"), other.replace("\\n", "\n"));
        let passes = difference(&one, &other).is_none();
        Ok(Pair { is_alike: label == "alike", one, other, passes })
    };
    PAIRS.lines().map(pair).collect()
}

#[derive(Deserialize)]
struct Reply {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: usize,
    embedding: Vec<f32>,
}

/// The vectors of the texts, in their order.
async fn embed(base_url: &str, model: &str, texts: &[&str]) -> anyhow::Result<Vec<Vec<f32>>> {
    let client = reqwest::Client::new();
    let url = format!("{}/embeddings", base_url.trim_end_matches('/'));
    let mut vectors = Vec::new();
    for batch in texts.chunks(BATCH) {
        let mut request =
            client.post(&url).json(&json!({"model": model, "input": batch, "encoding_format": "float"}));
        if let Ok(key) = std::env::var("EMBEDDINGS_API_KEY") {
            request = request.bearer_auth(key);
        }
        let mut reply: Reply = request.send().await?.error_for_status()?.json().await?;
        anyhow::ensure!(
            reply.data.len() == batch.len(),
            "{} vectors for {} texts",
            reply.data.len(),
            batch.len()
        );
        reply.data.sort_by_key(|embedding| embedding.index);
        vectors.extend(reply.data.into_iter().map(|embedding| embedding.embedding));
    }
    Ok(vectors)
}

/// How near the two of each pair are, by way of the bytes that would be stored.
fn cosines(vectors: &[Vec<f32>]) -> anyhow::Result<Vec<f32>> {
    let pairs = vectors.chunks_exact(2);
    pairs
        .map(|pair| {
            let [one, other] = pair else { anyhow::bail!("no pair of vectors") };
            let needle = Needle::new(one).context("the first vector is none")?;
            needle.cosine(&encode(other).context("the second vector is none")?).context("two dimensions")
        })
        .collect()
}

/// Precision, recall and how many hits are wrong, where these pairs are hits.
fn figures(pairs: &[Pair], is_hit: impl Fn(usize, &Pair) -> bool) -> String {
    let hits: Vec<&Pair> =
        pairs.iter().enumerate().filter(|(at, pair)| is_hit(*at, pair)).map(|(_, pair)| pair).collect();
    let right = hits.iter().filter(|pair| pair.is_alike).count();
    let alike = pairs.iter().filter(|pair| pair.is_alike).count();
    #[expect(clippy::cast_precision_loss, reason = "hundreds of pairs")]
    let share = |part: usize, whole: usize| {
        if whole == 0 { "–".to_owned() } else { format!("{:.0} %", part as f64 / whole as f64 * 100.0) }
    };
    format!("{} | {} | {}", share(right, hits.len()), share(right, alike), hits.len() - right)
}

fn print(name: &str, pairs: &[Pair], cosines: &[f32], shows_hits: bool) {
    let near = |at: usize, threshold: f32| cosines.get(at).is_some_and(|cosine| *cosine >= threshold);
    println!("\n{name}\n");
    println!(
        "| threshold | precision | recall | wrong hits | precision, guarded | recall, guarded | wrong hits, guarded |"
    );
    println!("|---|---|---|---|---|---|---|");
    for threshold in THRESHOLDS {
        let bare = figures(pairs, |at, _| near(at, *threshold));
        let guarded = figures(pairs, |at, pair| near(at, *threshold) && pair.passes);
        println!("| {threshold:.2} | {bare} | {guarded} |");
    }
    for (pair, cosine) in pairs.iter().zip(cosines).filter(|_| shows_hits) {
        println!("{cosine:.3} {} {}\t{}\t{}", pair.is_alike, pair.passes, pair.one, pair.other);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let given = |name: &str| args.windows(2).find(|two| two[0] == name).map(|two| two[1].as_str());
    let shows_hits = args.iter().any(|arg| arg == "--pairs");
    let pairs = pairs()?;
    let count = |is: fn(&Pair) -> bool| pairs.iter().filter(|pair| is(pair)).count();
    println!("{} pairs, {} of them alike.", pairs.len(), count(|pair| pair.is_alike));
    println!(
        "The same text when normalised: {} alike, {} different.",
        count(|pair| pair.is_alike && normalised(&pair.one) == normalised(&pair.other)),
        count(|pair| !pair.is_alike && normalised(&pair.one) == normalised(&pair.other)),
    );
    println!(
        "The guard lets pass: {} alike, {} different.",
        count(|pair| pair.is_alike && pair.passes),
        count(|pair| !pair.is_alike && pair.passes),
    );
    let texts: Vec<&str> = pairs.iter().flat_map(|pair| [pair.one.as_str(), pair.other.as_str()]).collect();
    let hashed: Vec<Vec<f32>> = texts.iter().map(|text| hash_embedding::embed(text)).collect();
    print("hash method", &pairs, &cosines(&hashed)?, shows_hits);
    match (given("--embeddings"), given("--model")) {
        (Some(base_url), Some(model)) => {
            let vectors = embed(base_url, model, &texts).await?;
            print(model, &pairs, &cosines(&vectors)?, shows_hits);
        }
        (None, None) => {}
        _ => anyhow::bail!("--embeddings and --model go together"),
    }
    Ok(())
}
