//! Rows and columns: only the most important columns where there is little room, and lists where there is even less.

use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::width::{Align, line_width, pad_line, width};
use super::{Frames, Theme, one_line, truncate_line, wrap_hanging};

/// Spaces between columns.
const GAP: usize = 2;
/// A column is not made narrower than this.
const MIN_COLUMN: usize = 8;

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    pub name: String,
    pub align: Align,
    /// Whether it may be left out for lack of room; of several, the last goes first.
    pub is_optional: bool,
}

/// A table of `rows` in at most `columns_wide` columns of the terminal: cells are cut, optional columns left out, and
/// where that does not suffice, each row is a list of `name: value`. Without frames it is always such a list.
#[must_use]
pub fn table(
    columns: &[Column],
    rows: &[Vec<Line<'static>>],
    columns_wide: usize,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    let natural: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let cells = rows.iter().filter_map(|row| row.get(at)).map(line_width);
            cells.chain([width(&one_line(&column.name))]).max().unwrap_or(0)
        })
        .collect();
    if theme.frames == Frames::Plain {
        return list(columns, rows, columns_wide, theme);
    }
    loop {
        let wanted: Vec<usize> = shown.iter().filter_map(|at| natural.get(*at).copied()).collect();
        let room = columns_wide.saturating_sub(GAP * shown.len().saturating_sub(1));
        if let Some(widths) = fit(&wanted, MIN_COLUMN, room) {
            return grid(columns, rows, &shown, &widths, theme);
        }
        let Some(place) =
            shown.iter().rposition(|at| columns.get(*at).is_some_and(|column| column.is_optional))
        else {
            return list(columns, rows, columns_wide, theme);
        };
        shown.remove(place);
    }
}

/// Widths of at most `natural` that together take at most `room`: the widest are made narrower first, none below
/// `min`. `None` if that is not enough.
pub(super) fn fit(natural: &[usize], min: usize, room: usize) -> Option<Vec<usize>> {
    let with = |most: usize| natural.iter().map(move |width| (*width).min(most));
    if with(min).sum::<usize>() > room {
        return None;
    }
    let (mut low, mut high) = (min, natural.iter().copied().max().unwrap_or(0).max(min));
    while low < high {
        let middle = (low + high).div_ceil(2);
        if with(middle).sum::<usize>() <= room {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let mut spare = room - with(low).sum::<usize>();
    let widths = natural.iter().map(|width| {
        let more = usize::from(*width > low && spare > 0);
        spare -= more;
        (*width).min(low) + more
    });
    Some(widths.collect())
}

fn grid(
    columns: &[Column],
    rows: &[Vec<Line<'static>>],
    shown: &[usize],
    widths: &[usize],
    theme: &Theme,
) -> Vec<Line<'static>> {
    let line = |cell: &dyn Fn(usize) -> Line<'static>| {
        let mut spans = Vec::new();
        for (at, width) in shown.iter().zip(widths) {
            if !spans.is_empty() {
                spans.push(Span::raw(" ".repeat(GAP)));
            }
            let align = columns.get(*at).map_or(Align::Left, |column| column.align);
            let Line { spans: cell, style, .. } = pad_line(cell(*at), *width, align);
            spans.extend(cell.into_iter().map(|span| Span::styled(span.content, style.patch(span.style))));
        }
        Line::from(spans)
    };
    let name = |at: usize| {
        let name = columns.get(at).map(|column| one_line(&column.name).into_owned()).unwrap_or_default();
        Line::styled(name, theme.dim.add_modifier(Modifier::BOLD))
    };
    let mut lines = vec![line(&name)];
    let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    lines.push(Line::styled(theme.frames.pick("─", "-").repeat(total), theme.border));
    lines.extend(rows.iter().map(|row| line(&|at| row.get(at).cloned().unwrap_or_default())));
    lines
}

fn list(
    columns: &[Column],
    rows: &[Vec<Line<'static>>],
    columns_wide: usize,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for row in rows {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        for (column, cell) in columns.iter().zip(row).filter(|(_, cell)| line_width(cell) > 0) {
            let mut spans = vec![Span::styled(format!("{}: ", one_line(&column.name)), theme.dim)];
            spans.extend(
                cell.spans
                    .iter()
                    .map(|span| Span::styled(span.content.clone(), cell.style.patch(span.style))),
            );
            lines.extend(wrap_hanging(&Line::from(spans), columns_wide.max(1), &[], &[Span::raw("  ")]));
        }
    }
    lines.into_iter().map(|line| truncate_line(line, columns_wide.max(1))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Background, Depth, ansi};
    use super::*;

    fn shown(columns_wide: usize, frames: Frames) -> String {
        let column = |name: &str, align, is_optional| Column { name: name.to_owned(), align, is_optional };
        let columns = [
            column("Member", Align::Left, false),
            column("Average", Align::Right, false),
            column("Model", Align::Left, true),
            column("Cost", Align::Right, true),
        ];
        let row = |cells: [&str; 4]| cells.map(|cell| Line::from(cell.to_owned())).to_vec();
        let rows = [
            row(["Basil", "1.3", "anthropic/claude-sonnet-4.5", "$0.0041"]),
            row(["Clementine", "2.0", "openai/gpt-5", "<$0.0001"]),
        ];
        let theme = Theme::new(Depth::None, Background::Auto, frames);
        ansi::to_string(&table(&columns, &rows, columns_wide, &theme), Depth::None)
    }

    #[test]
    fn a_table_loses_width_then_columns_then_its_shape() {
        assert_eq!(
            shown(80, Frames::Unicode),
            "\
Member      Average  Model                            Cost
──────────────────────────────────────────────────────────
Basil           1.3  anthropic/claude-sonnet-4.5   $0.0041
Clementine      2.0  openai/gpt-5                 <$0.0001
"
        );
        assert_eq!(
            shown(40, Frames::Unicode),
            "\
Member      Average  Model          Cost
────────────────────────────────────────
Basil           1.3  anthropi…   $0.0041
Clementine      2.0  openai/g…  <$0.0001
"
        );
        assert_eq!(
            shown(20, Frames::Ascii),
            "\
Member      Average
-------------------
Basil           1.3
Clementine      2.0
"
        );
        assert_eq!(
            shown(14, Frames::Unicode),
            "\
Member: Basil
Average: 1.3
Model:
  anthropic/cl
  aude-
  sonnet-4.5
Cost: $0.0041

Member:
  Clementine
Average: 2.0
Model:
  openai/gpt-5
Cost: <$0.0001
"
        );
        assert!(shown(80, Frames::Plain).starts_with("Member: Basil\nAverage: 1.3\nModel: anthropic"));
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_there_is_room(
            cells in prop::collection::vec(prop::collection::vec("[a-z 漢👍]{0,30}", 0..6), 0..5),
            columns_wide in 1usize..90,
        ) {
            let columns: Vec<Column> = (0..5)
                .map(|at| Column { name: format!("column {at}"), align: Align::Right, is_optional: at > 2 })
                .collect();
            let rows: Vec<Vec<Line<'static>>> =
                cells.into_iter().map(|row| row.into_iter().map(Line::from).collect()).collect();
            let theme = Theme::new(Depth::None, Background::Auto, Frames::Unicode);
            for line in table(&columns, &rows, columns_wide, &theme) {
                prop_assert!(line_width(&line) <= columns_wide, "{line:?}");
            }
        }
    }
}
