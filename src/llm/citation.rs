//! The pages that a reply cites.

use serde::{Deserialize, Serialize};

/// The most citations of one reply that are kept.
const MAX_CITATIONS: usize = 100;

/// A page that a reply cites, or that a search found, as received: none of it can be trusted, not even the address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// An excerpt of its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// When it was published, in the source's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

impl Citation {
    /// How many bytes of an answer's size limit it uses.
    fn bytes(&self) -> usize {
        let given = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        self.url.len() + given(&self.title) + given(&self.snippet) + given(&self.published)
    }
}

/// Adds new citations to those known so far. Many servers repeat the whole list with every chunk: each address is kept
/// once, with everything that was said about it. Citations beyond the size limit are left out rather than failing the
/// answer.
pub(super) fn add(all: &mut Vec<Citation>, more: &[Citation], room: &mut usize) {
    for citation in more {
        if let Some(known) = all.iter_mut().find(|known| known.url == citation.url) {
            for (field, given) in [
                (&mut known.title, &citation.title),
                (&mut known.snippet, &citation.snippet),
                (&mut known.published, &citation.published),
            ] {
                if let (None, Some(given)) = (&field, given)
                    && let Some(left) = room.checked_sub(given.len())
                {
                    *room = left;
                    *field = Some(given.clone());
                }
            }
        } else if all.len() < MAX_CITATIONS
            && let Some(left) = room.checked_sub(citation.bytes())
        {
            *room = left;
            all.push(citation.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn citation(url: &str, title: Option<&str>) -> Citation {
        Citation { url: url.into(), title: title.map(str::to_owned), ..Citation::default() }
    }

    #[test]
    fn the_same_address_is_kept_once_with_all_that_was_said_of_it() {
        let (mut all, mut room) = (Vec::new(), 100);
        add(&mut all, &[citation("https://a.example", None)], &mut room);
        add(
            &mut all,
            &[citation("https://a.example", Some("A")), citation("https://b.example", Some("B"))],
            &mut room,
        );
        add(&mut all, &[citation("https://a.example", Some("Another"))], &mut room);
        assert_eq!(all, [citation("https://a.example", Some("A")), citation("https://b.example", Some("B"))]);
        assert_eq!(room, 100 - 17 - 1 - 18);
    }

    #[test]
    fn what_there_is_no_room_for_is_left_out() {
        let (mut all, mut room) = (Vec::new(), 30);
        add(
            &mut all,
            &[citation("https://long.example", Some("twelve chars")), citation("u", None)],
            &mut room,
        );
        assert_eq!(all, [citation("u", None)]);
        let many: Vec<Citation> = (0..500).map(|n| citation(&format!("u{n}"), None)).collect();
        add(&mut all, &many, &mut 100_000);
        assert_eq!(all.len(), MAX_CITATIONS);
    }
}
