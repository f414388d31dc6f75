//! Where the parts of the screen are. Side by side where there is room; else one after another.

use ratatui::layout::Rect;

use crate::terminal::tui::panes::Pane;

/// From this width on the conversations stand beside what is read.
const WIDE: u16 = 100;
const LIST_COLUMNS: u16 = 32;
/// Below this height only the focused pane is shown.
const LOW: u16 = 11;

/// The area of each part; `None` if there is no room for it.
#[derive(Debug, PartialEq, Eq)]
pub struct Places {
    pub list: Option<Rect>,
    pub reading: Option<Rect>,
    pub writing: Option<Rect>,
    pub bottom: Rect,
}

/// The layout of a screen of this size; `rows` is the height that the composer would like.
#[must_use]
pub fn places(area: Rect, pane: Pane, rows: u16) -> Places {
    let bottom = Rect { y: area.bottom() - 1, height: 1, ..area };
    let rest = Rect { height: area.height - 1, ..area };
    let alone = Places { list: None, reading: None, writing: None, bottom };
    let wide = area.width >= WIDE;
    if pane == Pane::List && !wide {
        return Places { list: Some(rest), ..alone };
    }
    let list = wide.then_some(Rect { width: LIST_COLUMNS, ..rest });
    let taken = list.map_or(0, |list| list.width);
    let right = Rect { x: rest.x + taken, width: rest.width - taken, ..rest };
    if area.height < LOW {
        let (reading, writing) =
            if pane == Pane::Writing { (None, Some(right)) } else { (Some(right), None) };
        return Places { list, reading, writing, bottom };
    }
    let rows = rows.min(right.height / 2);
    let reading = Rect { height: right.height - rows, ..right };
    let writing = Rect { y: reading.bottom(), height: rows, ..right };
    Places { list, reading: Some(reading), writing: Some(writing), bottom }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_do_not_overlap_and_the_one_with_the_keys_is_there(
            width in 20u16..250, height in 6u16..100, rows in 3u16..12, pane in 0usize..3,
        ) {
            let pane = [Pane::List, Pane::Reading, Pane::Writing][pane];
            let area = Rect::new(0, 0, width, height);
            let at = places(area, pane, rows);
            let parts: Vec<Rect> = [at.list, at.reading, at.writing, Some(at.bottom)].into_iter().flatten().collect();
            for (n, one) in parts.iter().enumerate() {
                prop_assert_eq!(one.intersection(area), *one);
                prop_assert!(one.width > 0 && one.height > 0);
                prop_assert!(parts.iter().skip(n + 1).all(|other| !one.intersects(*other)));
            }
            let its = match pane {
                Pane::List => at.list,
                Pane::Reading => at.reading,
                Pane::Writing => at.writing,
            };
            prop_assert!(its.is_some_and(|its| its.height >= 3));
        }
    }
}
