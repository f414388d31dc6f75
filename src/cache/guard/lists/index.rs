//! Lists to look words up in.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

pub type Set = LazyLock<HashSet<&'static str>>;
pub type Index<T> = LazyLock<HashMap<&'static str, Vec<T>>>;

/// Each word with its entries in the lists that it is in.
pub fn index<T: Clone>(lists: impl IntoIterator<Item = (&'static str, T)>) -> HashMap<&'static str, Vec<T>> {
    let mut index: HashMap<&str, Vec<T>> = HashMap::new();
    for (list, of) in lists {
        for word in list.split_whitespace() {
            index.entry(word).or_default().push(of.clone());
        }
    }
    index
}
