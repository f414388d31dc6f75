//! What goes on at this moment: a row for everybody who is asked, or the text that is being written.

use std::collections::HashMap;
use std::time::Instant;

use ratatui::text::{Line, Span};

use crate::terminal::live::{CallStatus, LiveRun, Piece};
use crate::terminal::text::{Align, Theme, amounts, harmless, one_line, pad, truncate, wrap};

/// How wide a name may be in its row.
const NAME_WIDTH: usize = 28;
/// How much of a text is searched for its last lines, in bytes.
const TAIL_BYTES: usize = 16 << 10;

/// When each call was first seen here.
#[derive(Default)]
pub struct Progress {
    since: HashMap<String, Instant>,
}

/// The pieces that are being written or waited for, each with what it is.
fn at_work(run: &LiveRun) -> Vec<(&'static str, &Piece)> {
    let answers = run.answers.iter().map(|answer| ("answer", &answer.piece));
    let reviews = run.reviews.iter().map(|review| ("review", &review.piece));
    let last = std::iter::once(("final answer", &run.final_answer.piece))
        .filter(|(_, piece)| piece.status == CallStatus::Writing);
    let all = answers.chain(run.options.pieces()).chain(reviews).chain(last);
    all.filter(|(_, piece)| piece.status.is_open()).collect()
}

impl Progress {
    /// A row for everybody who is at work.
    pub fn table(&mut self, run: &LiveRun, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        if let Some(place) = run.queue_position {
            lines.push(Line::styled(
                format!("waiting for a place at the server: {place} in the queue"),
                theme.dim,
            ));
        }
        for (what, piece) in at_work(run) {
            let name = name(piece);
            // A member is asked again and again: in every round, and by two tiers.
            let asked = piece.since.as_deref().unwrap_or_default();
            let since = self.since.entry(format!("{what}/{name}/{asked}")).or_insert_with(Instant::now);
            let ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
            let state = match piece.status {
                CallStatus::Waiting => "waiting …".to_owned(),
                CallStatus::Writing if piece.text.is_empty() => "thinking …".to_owned(),
                CallStatus::Writing => format!("writing … {} words", piece.text.split_whitespace().count()),
                CallStatus::Done | CallStatus::Failed => continue,
            };
            lines.push(Line::from(vec![
                Span::styled(pad(&truncate(&name, NAME_WIDTH), NAME_WIDTH, Align::Left), theme.accent),
                Span::raw(format!("  {what:<12}  {:>9}  ", amounts::seconds(ms))),
                Span::styled(state, theme.dim),
            ]));
        }
        lines
    }

    /// The last lines of the text that is being written, dimmed.
    pub fn text(&mut self, run: &LiveRun, theme: &Theme, columns: usize, rows: usize) -> Vec<Line<'static>> {
        let writing =
            at_work(run).into_iter().find(|(_, piece)| !piece.text.is_empty() && piece.status.is_open());
        let Some((what, piece)) = writing else { return self.table(run, theme) };
        let heading = Line::styled(format!("{}: {what}", name(piece)), theme.accent);
        let mut from = piece.text.len().saturating_sub(TAIL_BYTES);
        while !piece.text.is_char_boundary(from) {
            from += 1;
        }
        let tail = piece.text.get(from..).unwrap_or_default();
        let text = harmless(tail);
        let lines =
            text.lines().flat_map(|line| wrap(&Line::styled(line.to_owned(), theme.dim), columns.max(1)));
        let lines: Vec<_> = lines.collect();
        let skipped = lines.len().saturating_sub(rows.saturating_sub(2));
        std::iter::once(heading).chain(lines.into_iter().skip(skipped)).collect()
    }
}

fn name(piece: &Piece) -> String {
    let name = if piece.seat.member.is_empty() { &piece.seat.model } else { &piece.seat.member };
    one_line(name).into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::terminal::text::{Background, Depth, Frames};

    #[test]
    fn a_speakers_time_begins_anew_in_each_round() {
        let round = |number: u8| {
            json!({
                "type": "round_start", "round_number": number, "round_type": "opening",
                "started_at": format!("2026-01-02T03:0{number}:00Z"), "speakers": [{"model": "m/one", "label": "A"}],
            })
        };
        let theme = Theme::new(Depth::None, Background::Auto, Frames::Unicode);
        let (mut run, mut progress) = (LiveRun::default(), Progress::default());
        run.apply(&json!({"type": "debate_start", "mode": "debate"}));
        run.apply(&round(1));
        assert_eq!(progress.table(&run, &theme).len(), 1);
        let earlier = Instant::now().checked_sub(Duration::from_secs(60)).unwrap();
        progress.since.values_mut().for_each(|since| *since = earlier);
        assert!(progress.table(&run, &theme)[0].to_string().contains("1 min"));
        let said = json!({"member": "m/one", "model": "m/one", "text": "Yes."});
        run.apply(&json!({"type": "model_complete", "round_number": 1, "data": said}));
        run.apply(&round(2));
        let lines = progress.table(&run, &theme);
        assert!(lines.len() == 1 && lines[0].to_string().contains(" 0."), "{lines:?}");
    }
}
