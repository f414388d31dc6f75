//! Texts that are looked for with `LIKE`.

/// A text anywhere in another, as `LIKE` has it.
pub(super) fn anywhere(text: &str) -> String {
    let escaped: String = text
        .chars()
        .flat_map(|c| ['\\', c].into_iter().skip(usize::from(!matches!(c, '\\' | '%' | '_'))))
        .collect();
    format!("%{escaped}%")
}

#[cfg(test)]
mod tests {
    use super::anywhere;

    #[test]
    fn what_means_something_to_like_stands_for_itself() {
        assert_eq!(anywhere("a b"), "%a b%");
        assert_eq!(anywhere(r"50%_\"), r"%50\%\_\\%");
    }
}
