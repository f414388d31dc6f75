//! What the simulated provider reads out of a request.

/// The last user message of a request, and what can be read out of it.
pub struct Prompt<'a> {
    /// The last thing the user said: the question, or the council's instructions.
    last: &'a str,
}

impl<'a> Prompt<'a> {
    /// Reads `last`, the last user message.
    #[must_use]
    pub fn new(last: &'a str) -> Self {
        Self { last }
    }

    /// Whether the request has these words.
    #[must_use]
    pub fn asks_for(&self, words: &str) -> bool {
        self.last.contains(words)
    }

    /// What follows these words, where the request has them.
    #[must_use]
    pub fn after(&self, words: &str) -> Option<&'a str> {
        self.last.split_once(words).map(|(_, rest)| rest)
    }

    /// The titles of the fenced sections that have the marker of the first fence: their content may hold other fences.
    #[must_use]
    pub fn fenced_titles(&self) -> Vec<&'a str> {
        let fences = || self.last.lines().filter_map(|line| line.strip_prefix('[')?.split_once("] BEGIN "));
        let marker = fences().next().map(|(_, marker)| marker);
        fences().filter(|(_, with)| Some(*with) == marker).map(|(title, _)| title).collect()
    }

    /// The numbers of the sources that the request lists, each once: lines as `[7] A title (host)`.
    #[must_use]
    pub fn sources(&self) -> Vec<u32> {
        let mut numbers = Vec::new();
        for line in self.last.lines().filter(|line| line.ends_with(')')) {
            let number = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
            if let Some(n) = number.and_then(|(number, _)| number.parse().ok())
                && !numbers.contains(&n)
            {
                numbers.push(n);
            }
        }
        numbers
    }

    /// A few words of the question, safe to repeat inside Markdown.
    #[must_use]
    pub fn topic(&self) -> String {
        let words = self.question_words(8);
        if words.is_empty() { "the question".to_owned() } else { format!("“{}”", words.join(" ")) }
    }

    /// The first words of the question: from its fence or after a line that names it, as in the
    /// council's own prompts.
    #[must_use]
    pub fn question_words(&self, max: usize) -> Vec<&'a str> {
        let inside = |text: &'a str| text.split_once("\nEND ").map_or(text, |(inside, _)| inside);
        let fenced = self.last.split_once("[Question] BEGIN").and_then(|(_, rest)| rest.split_once('\n'));
        let fenced = fenced.map(|(marker, rest)| (marker, inside(rest)));
        let named = || ["Question:", "question:"].iter().find_map(|name| self.last.split_once(name));
        let text = fenced.or_else(named).map_or(self.last, |(_, rest)| rest).trim_start();
        // What follows is the council's own: how the answer is to end.
        let text = text.split_once("\n\n").map_or(text, |(first, _)| first);
        text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’' | '-' | '+' | '#'))
            .filter(|word| word.chars().any(char::is_alphanumeric) && word.chars().count() <= 30)
            .take(max)
            .collect()
    }

    /// The labels of the answers under review. If there are fences, those with the marker of the first one decide: an
    /// answer may hold fences of its own. Else headings do; only a prompt without any is searched for mentions, since
    /// instructions name labels as examples.
    #[must_use]
    pub fn labels(&self) -> Vec<char> {
        let mut labels = Vec::new();
        let fence = self.last.lines().find_map(|line| line.strip_prefix('[')?.split_once("] BEGIN "));
        let marker = fence.map(|(_, marker)| marker);
        let fenced = |line: &str| {
            let (title, with) = line.strip_prefix('[')?.split_once("] BEGIN ")?;
            if Some(with) == marker { title.strip_prefix("Response ").and_then(leading_label) } else { None }
        };
        labels.extend(self.last.lines().filter_map(fenced));
        if !labels.is_empty() {
            return labels;
        }
        for line in self.last.lines() {
            if let Some(label) = heading_label(line)
                && !labels.contains(&label)
            {
                labels.push(label);
            }
        }
        if labels.is_empty() {
            for mention in self.last.split("Response ").skip(1) {
                if let Some(label) = leading_label(mention)
                    && !labels.contains(&label)
                {
                    labels.push(label);
                }
            }
        }
        labels
    }
}

/// `A` of text that begins with `A`, not with a word.
fn leading_label(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let label = chars.next().filter(char::is_ascii_uppercase)?;
    (!chars.next().is_some_and(char::is_alphanumeric)).then_some(label)
}

/// The label of a line that is a heading of an answer: `## Response A`, `**Response B:**`,
/// `<answer label="Response C">`, `--- Response D 81f3 ---`.
fn heading_label(line: &str) -> Option<char> {
    let line = line.trim();
    let (before, after) = line.split_once("Response ")?;
    let label = leading_label(after)?;
    let is_marked = ["#", "<", "==", "--", "[", "**"].iter().any(|mark| line.starts_with(mark));
    let bare = before.is_empty()
        && after.chars().nth(1).is_none_or(|next| matches!(next, ':' | ' ' if after.trim_end().len() <= 2));
    (bare || is_marked && before.len() < 60).then_some(label)
}
