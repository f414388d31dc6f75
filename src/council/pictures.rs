//! The pictures of a question, and which models see them.
//!
//! A prompt is written before it is known which model is asked: among its files, each picture has a placeholder, which
//! nobody can forge without knowing the run's marker. A model that sees pictures then gets the picture with the message
//! and a line that says so, and any other a line that says that it cannot see it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::attached::{Attached, place_of_picture};
use super::brief::Brief;
use super::prompts::fence::Fence;
use super::prompts::template::Template;
use crate::llm::image::{self, Image};
use crate::llm::{ChatMessage, ChatRequest};

/// In the place of a picture, for a model that sees it.
pub static SHOWN: Template = Template {
    name: "picture_shown",
    about: "What stands under the name of a picture for a model that sees it.",
    text: "(This picture is attached to this message.)",
    places: &[],
    marks: &[],
};

/// In the place of a picture, for a model that does not see it.
pub static UNSEEN: Template = Template {
    name: "picture_unseen",
    about: "What stands under the name of a picture for a model that cannot see it.",
    text: "(You cannot see this picture: you were given its name alone. Where the answer depends on what it shows, say that \
        you could not see it, and do not guess.)",
    places: &[],
    marks: &[],
};

/// The additional templates of runs with pictures.
pub static TEMPLATES: &[&Template] = &[&SHOWN, &UNSEEN];

/// Which pictures a question came with, and who sees them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PicturesInfo {
    /// The pictures' file names.
    pub names: Vec<String>,
    /// The models that see pictures, of all that the run may ask: those of them that read the files are shown the
    /// pictures, all others get only their names.
    pub seen_by: Vec<String>,
}

impl PicturesInfo {
    /// The pictures of this question; `None` where it has none.
    #[must_use]
    pub fn of(brief: &Brief) -> Option<Self> {
        let names: Vec<String> = of(&brief.attachments).map(|file| file.filename.clone()).collect();
        (!names.is_empty()).then(|| Self { names, seen_by: brief.seen_by.clone() })
    }

    /// The pictures' names, if this model was not shown them.
    #[must_use]
    pub fn unseen_by(&self, model: &str) -> Option<&[String]> {
        let saw = self.seen_by.iter().any(|seeing| seeing == model);
        (!saw).then_some(self.names.as_slice())
    }
}

/// The pictures among files.
pub fn of(files: &[Attached]) -> impl Iterator<Item = &Attached> {
    files.iter().filter(|file| file.image.is_some())
}

/// How many tokens the pictures take in the prompt of a model that sees them.
#[must_use]
pub fn tokens(files: &[Attached]) -> u64 {
    files.iter().filter_map(|file| file.image).map(|size| image::tokens((size.width, size.height))).sum()
}

/// The pictures of a run, for models that see them.
#[derive(Debug)]
pub struct Pictures {
    /// In the order of the files.
    images: Vec<Arc<Image>>,
    seen_by: Vec<String>,
    shown: String,
    unseen: String,
}

impl Pictures {
    /// The pictures of a run with this brief, loaded as `images`.
    #[must_use]
    pub fn new(brief: &Brief, images: Vec<Arc<Image>>) -> Self {
        let text = |template| brief.prompts.text(template).to_owned();
        Self { images, seen_by: brief.seen_by.clone(), shown: text(&SHOWN), unseen: text(&UNSEEN) }
    }

    /// Replaces the placeholders in a request, which bear the `marker` of its run.
    pub(super) fn put_into(&self, request: &mut ChatRequest, marker: &str) {
        let sees = self.seen_by.contains(&request.model);
        let fence = Fence::new(marker);
        for message in &mut request.messages {
            self.put_into_message(message, &fence, sees);
        }
    }

    fn put_into_message(&self, message: &mut ChatMessage, fence: &Fence, sees: bool) {
        let line = if sees { &self.shown } else { &self.unseen };
        for (number, image) in (1..).zip(&self.images) {
            let place = place_of_picture(fence, number);
            // A place stands in the material before a question, which is put into a prompt as one piece.
            if message.content.replace(&place, line) && sees {
                message.images.push(Arc::clone(image));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::attached::{self, Pixels};
    use super::*;
    use crate::council::stages::answers::ANSWER;

    fn picture(name: &str) -> Attached {
        Attached {
            id: name.to_owned(),
            filename: name.to_owned(),
            file_type: "png".to_owned(),
            mime_type: "image/png".to_owned(),
            size: 1,
            characters: 0,
            text: String::new(),
            image: Some(Pixels { width: 750, height: 10 }),
            of_project: false,
        }
    }

    fn asked(model: &str, text: &str, marker: &str) -> ChatRequest {
        let pictures = Pictures {
            images: ["a.png", "b.png"].map(|id| Arc::new(Image::new(id, "png", (1, 1), b"x"))).into(),
            seen_by: vec!["sees".to_owned()],
            shown: "(shown)".to_owned(),
            unseen: "(unseen)".to_owned(),
        };
        let messages = vec![ChatMessage::system("Be brief."), ChatMessage::user(text)];
        let mut request = ChatRequest::new(model, &ANSWER, messages);
        pictures.put_into(&mut request, marker);
        request
    }

    #[test]
    fn who_sees_gets_the_picture_and_who_does_not_gets_a_line() {
        let note = Attached { image: None, text: "Hm.".to_owned(), characters: 3, ..picture("note.txt") };
        let files = [picture("a.png"), note, picture("b.png")];
        let text = attached::material(&files, &Fence::new("c0ffee"), 100).unwrap();
        let ids = |request: &ChatRequest| {
            request.messages[1].images.iter().map(|image| image.id().to_owned()).collect::<Vec<_>>()
        };
        let sees = asked("sees", &text, "c0ffee");
        assert_eq!(ids(&sees), ["a.png", "b.png"]);
        assert!(
            sees.messages[1].content.whole().contains(
                "[File 3 of 3 that came with the question, a picture of 750 × 10 pixels] BEGIN c0ffee\nName: b.png\nEND c0ffee\n(shown)"
            ),
            "{}",
            sees.messages[1].content
        );
        let blind = asked("blind", &text, "c0ffee");
        assert!(ids(&blind).is_empty());
        assert_eq!(blind.messages[1].content.whole().matches("(unseen)").count(), 2);
        assert_eq!(tokens(&files), 20);
    }

    #[test]
    fn nobody_can_write_a_place() {
        // A file that has learnt the marker in an earlier run, and one that guesses it in this one.
        let file = Attached {
            image: None,
            text: "[picture 1 c0ffee] [picture 1 0ther]".to_owned(),
            ..picture("x.txt")
        };
        let text = attached::material(&[file], &Fence::new("c0ffee"), 100).unwrap();
        let request = asked("sees", &text, "c0ffee");
        assert!(request.messages[1].images.is_empty(), "{}", request.messages[1].content);
        assert_eq!(asked("sees", "Why?", "c0ffee").messages[1], ChatMessage::user("Why?"));
    }
}
