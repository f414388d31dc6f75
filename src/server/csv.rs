//! Tables for spreadsheets.

/// A table under this header. A cell that a spreadsheet would take for a formula is escaped.
pub(super) fn table<const N: usize>(header: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header).expect("memory takes everything");
    for row in rows {
        writer
            .write_record(row.map(without_formula))
            .expect("memory takes everything, and rows are of one length");
    }
    let bytes = writer.into_inner().expect("memory takes everything");
    String::from_utf8(bytes).expect("made of text")
}

fn without_formula(cell: String) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    if is_formula { format!("'{cell}") } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_stays_in_its_cell_and_none_is_a_formula() {
        let rows = [["=1+1".to_owned(), "-1.5".to_owned()], ["a \"b\", c\nd".to_owned(), String::new()]];
        let expected = "name,cost\n'=1+1,-1.5\n\"a \"\"b\"\", c\nd\",\n";
        assert_eq!(table(["name", "cost"], rows.into_iter()), expected);
    }
}
