//! Full-text search over titles, questions and answers. It takes a text apart at blanks, so what stands in the middle of a word
//! is looked for in another way, where the query is such: in scripts without blanks, and in addresses, paths and versions.

use jiff::Timestamp;
use sqlx::Row as _;
use uuid::Uuid;

use crate::id::{ConversationId, MessageId};
use crate::store::like::anywhere;
use crate::store::{StoreError, Tx, refuse_nul, time};

/// Characters shown before and after the place that was found.
const CONTEXT_CHARS: i32 = 80;
/// The most words that count for the place, and that are looked for as they stand.
const MOST_WORDS: usize = 16;

/// A conversation that holds the words.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Which one.
    pub conversation_id: ConversationId,
    /// Its title.
    pub title: String,
    /// Whether it has no title of its own yet.
    pub title_is_default: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// The message that holds them best; none when only the title does.
    pub message_id: Option<MessageId>,
    /// Text around the first hit, plain (it is not HTML and must be escaped like any other text),
    /// with an ellipsis where it is cut; the title when only that holds the words.
    pub snippet: String,
}

/// One page of what was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The conversations, the best match first.
    pub hits: Vec<Hit>,
    /// How many hold the words in all.
    pub total: i64,
}

/// The user's conversations that hold the words of `query` (as people write them: `"a phrase"`,
/// `-without`, `or`), the best match first; a last word that may be unfinished finds longer ones too. After them come those in
/// which all the words stand as they are, in the middle of others too, where the query has such as are looked for so. Deleted
/// ones are left out.
pub async fn search(tx: &mut Tx, query: &str, limit: u32, offset: u32) -> Result<Found, StoreError> {
    let user = tx.user()?;
    refuse_nul("the query", query)?;
    // The words to look for when the snippet is cut; Postgres parses the query of the search itself.
    let words: Vec<String> = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .map(str::to_lowercase)
        .collect();
    let whole = as_it_stands(query);
    let patterns: Vec<String> = whole.iter().map(|word| anywhere(word)).collect();
    let (query, beginning) = unfinished(query);
    // Texts are read for the page alone, and the total is returned even when the page is empty.
    let rows = sqlx::query(
        "WITH wanted AS (
             SELECT CASE WHEN $6 = '' THEN websearch_to_tsquery('simple', $2)
                         ELSE websearch_to_tsquery('simple', $2) && to_tsquery('simple', $6 || ':*') END AS q
         ),
         hits AS (
             SELECT m.conversation_id, CASE WHEN m.content IS NOT NULL THEN m.id END AS id, ts_rank(m.search, q) AS rank
             FROM messages m, wanted WHERE m.user_id = $1 AND m.search @@ q
             UNION ALL
             SELECT c.id, NULL, ts_rank(to_tsvector('simple', c.title), q) + 1
             FROM conversations c, wanted WHERE c.user_id = $1 AND to_tsvector('simple', c.title) @@ q
             UNION ALL
             SELECT m.conversation_id, m.id, -2
             FROM messages m WHERE $8 <> '{}'::text[] AND m.user_id = $1 AND m.content ILIKE ALL ($8)
             UNION ALL
             SELECT c.id, NULL, -1
             FROM conversations c WHERE $8 <> '{}'::text[] AND c.user_id = $1 AND c.title ILIKE ALL ($8)
         ), best AS (
             SELECT conversation_id, max(rank) AS rank,
                    (array_agg(id ORDER BY rank DESC) FILTER (WHERE id IS NOT NULL))[1] AS message_id
             FROM hits GROUP BY conversation_id
         ), found AS (
             SELECT c.id, c.title, c.title_is_default, c.created_at, b.message_id, b.rank
             FROM best b JOIN conversations c ON c.id = b.conversation_id
             WHERE c.user_id = $1 AND c.deleted_at IS NULL
         ), page AS MATERIALIZED (
             SELECT f.*, (SELECT m.content FROM messages m WHERE m.id = f.message_id AND m.user_id = $1) AS content
             FROM (SELECT * FROM found ORDER BY rank DESC, created_at DESC, id LIMIT $4 OFFSET $7) f
         )
         SELECT total.n AS total, p.id, p.title, p.title_is_default, p.created_at, p.message_id,
                length(p.content) AS length, at.start, substr(p.content, at.start, $5 * 2) AS piece
         FROM (SELECT count(*) AS n FROM found) total
         LEFT JOIN (page p CROSS JOIN LATERAL (
             SELECT greatest(1, coalesce(
                 (SELECT min(nullif(strpos(lower(p.content), word), 0)) FROM unnest($9::text[]) AS word),
                 (SELECT min(nullif(strpos(lower(p.content), word), 0)) FROM unnest($3::text[]) AS word),
                 1
             ) - $5) AS start
         ) at) ON true
         ORDER BY p.rank DESC, p.created_at DESC, p.id",
    )
    .bind(user.as_str())
    .bind(query)
    .bind(&words)
    .bind(i64::from(limit))
    .bind(CONTEXT_CHARS)
    .bind(beginning)
    .bind(i64::from(offset))
    .bind(&patterns)
    .bind(&whole)
    .fetch_all(&mut **tx)
    .await?;
    let total = rows.first().map_or(Ok(0), |row| row.try_get("total"))?;
    let mut hits = Vec::with_capacity(rows.len());
    for row in &rows {
        let Some(id) = row.try_get::<Option<Uuid>, _>("id")? else { continue };
        let title: String = row.try_get("title")?;
        let piece: Option<String> = row.try_get("piece")?;
        let snippet = match piece {
            Some(piece) => cut(&piece, row.try_get("start")?, row.try_get("length")?),
            None => title.clone(),
        };
        hits.push(Hit {
            conversation_id: ConversationId(id),
            title,
            title_is_default: row.try_get("title_is_default")?,
            created_at: time(row, "created_at")?,
            message_id: row.try_get::<Option<Uuid>, _>("message_id")?.map(MessageId),
            snippet,
        });
    }
    Ok(Found { hits, total })
}

/// Splits off the last word when somebody may still be typing it: it stands alone (not in a phrase, not
/// behind a minus or `or`) and ends the query. Only letters and digits, so it has no meaning to Postgres.
fn unfinished(query: &str) -> (&str, &str) {
    let (before, last) = query.rsplit_once(char::is_whitespace).unwrap_or(("", query));
    let alone = !last.is_empty() && last.chars().all(char::is_alphanumeric);
    let is_or = |word: &str| word.eq_ignore_ascii_case("or");
    let after_or = before.split_whitespace().next_back().is_some_and(is_or);
    if alone && !is_or(last) && !after_or && !before.contains('"') { (before, last) } else { (query, "") }
}

/// The words of a query, in small letters, if they are looked for as they stand too: where one of them is of a script without
/// blanks between words, or has a sign within that the full-text search cuts at or keeps. None where the query has operators.
fn as_it_stands(query: &str) -> Vec<String> {
    let is_operator = |word: &str| word.starts_with('-') || word.eq_ignore_ascii_case("or");
    if query.contains('"') || query.split_whitespace().any(is_operator) {
        return Vec::new();
    }
    let words = query.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(MOST_WORDS).collect();
    let is_one = |word: &str| word.contains(['/', '.', '@', '_', '-', ':']) || word.contains(has_no_blanks);
    if !words.iter().any(|word| is_one(word)) {
        return Vec::new();
    }
    words.into_iter().map(str::to_lowercase).collect()
}

/// Whether a character is of a script that is written without blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese.
fn has_no_blanks(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3041}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ff9f}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// One line of text with ellipses; `start` counts characters from 1.
fn cut(piece: &str, start: i32, length: i32) -> String {
    let line = piece.split_whitespace().collect::<Vec<_>>().join(" ");
    let before = if start > 1 { "…" } else { "" };
    let after = if start.saturating_add(CONTEXT_CHARS * 2) <= length { "…" } else { "" };
    format!("{before}{line}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_last_word_that_stands_alone_may_be_unfinished() {
        assert_eq!(unfinished("infla"), ("", "infla"));
        assert_eq!(unfinished("why infla"), ("why", "infla"));
        for whole in
            ["", "infla ", "why -infla", "\"why infla", "why or infla", "why OR", "it's", "a:*", "c|d", "x\\"]
        {
            assert_eq!(unfinished(whole), (whole, ""), "{whole}");
        }
    }

    #[test]
    fn only_words_that_are_more_than_letters_are_looked_for_as_they_stand() {
        for (query, words) in [
            ("質問", &["質問"][..]),
            ("「質問」 Today", &["質問", "today"]),
            ("ภาษาไทย", &["ภาษาไทย"]),
            ("https://Example.com/path?q=1", &["https://example.com/path?q=1"]),
            ("(3.14),", &["3.14"]),
            (
                "my_module well-known ann@mail localhost:80",
                &["my_module", "well-known", "ann@mail", "localhost:80"],
            ),
        ] {
            assert_eq!(as_it_stands(query), words, "{query}");
        }
        for query in [
            "",
            "sky",
            "the sky.",
            "-質問",
            "質問 -3.14",
            "\"3.14\"",
            "質問 or 天気",
            "it's",
            "c++",
            "안녕",
            "- / @",
        ] {
            assert!(as_it_stands(query).is_empty(), "{query}");
        }
    }

    #[test]
    fn a_snippet_says_where_it_was_cut_and_is_one_line() {
        assert_eq!(cut("all of\n it", 1, 10), "all of it");
        assert_eq!(cut("the middle", 5, 1000), "…the middle…");
    }
}
