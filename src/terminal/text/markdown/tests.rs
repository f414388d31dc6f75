use std::fmt::Write;
use std::time::Duration;

use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};

use super::super::{Background, Depth, Frames, ansi, line_width};
use super::*;

const RICH: &str = r#"# The *answer*

Take **the second** way, because `cargo build` is ~~slow~~ fast and the [documentation](https://doc.rust-lang.org/book/) says so; see <https://example.org>.[^1]

## Steps

1. First, read.
2. Then write a sentence that is long enough that it has to be wrapped at eighty columns, I hope.
   - nested
   - more
     - deep
3. Last.

- [ ] open
- [x] done

- loose

- list

> A quote that is long enough that it has to be wrapped at eighty columns, with a bar at its left.
>
> > nested

> [!NOTE]
> Mind this.

```rust,ignore
fn main() {
    println!("a line that is certainly much longer than eighty columns, so that it has to be folded somewhere");
}
```

| Member | Average | What it said |
|:--|--:|:-:|
| Basil | 1.3 | The **best** of all answers, since it names its sources and does not repeat itself |
| 漢字 | 2.0 | short<br>two |

![a chart](https://example.org/c.png)

Maths $a*b*c$ stays. <b>HTML</b> too. Hard\
break. שלום עולם

---

<div>
block
</div>

### End

[^1]: The note, at the end."#;

fn theme(depth: Depth, frames: Frames) -> Theme {
    Theme::new(depth, Background::Dark, frames)
}

/// The text as a terminal shows it, without its styles.
fn shown(text: &str, columns: usize) -> String {
    ansi::to_string(&markdown(text, columns, &theme(Depth::True, Frames::Unicode)), Depth::None)
}

fn plain(text: &str, columns: usize, frames: Frames) -> String {
    ansi::to_string(&markdown(text, columns, &theme(Depth::None, frames)), Depth::None)
}

#[test]
fn a_rich_answer_in_80_columns() {
    assert_eq!(
        shown(RICH, 80),
        "\
The answer

Take the second way, because cargo build is slow fast and the documentation
(https://doc.rust-lang.org/book/) says so; see https://example.org.[1]

Steps

1. First, read.
2. Then write a sentence that is long enough that it has to be wrapped at eighty
   columns, I hope.
   ◦ nested
   ◦ more
     ▪ deep
3. Last.

[ ] open

[x] done

• loose

• list

│ A quote that is long enough that it has to be wrapped at eighty columns, with
│ a bar at its left.
│
│ │ nested

│ Note
│ Mind this.

╭─ rust
│ fn main() {
│     println!(\"a line that is certainly much longer than eighty columns, so tha
↪ t it has to be folded somewhere\");
│ }
╰─

┌────────┬─────────┬───────────────────────────────────────────────────────────┐
│ Member │ Average │                       What it said                        │
├────────┼─────────┼───────────────────────────────────────────────────────────┤
│ Basil  │     1.3 │  The best of all answers, since it names its sources and  │
│        │         │                  does not repeat itself                   │
├────────┼─────────┼───────────────────────────────────────────────────────────┤
│ 漢字   │     2.0 │                           short                           │
│        │         │                            two                            │
└────────┴─────────┴───────────────────────────────────────────────────────────┘

[image: a chart] (https://example.org/c.png)

Maths $a*b*c$ stays. <b>HTML</b> too. Hard
break. שלום עולם

────────────────────────────────────────

<div>
block
</div>

End

────────────
[1] The note, at the end.
"
    );
}

#[test]
fn a_rich_answer_in_40_columns() {
    assert_eq!(
        shown(RICH, 40),
        "\
The answer

Take the second way, because cargo build
is slow fast and the documentation
(https://doc.rust-lang.org/book/) says
so; see https://example.org.[1]

Steps

1. First, read.
2. Then write a sentence that is long
   enough that it has to be wrapped at
   eighty columns, I hope.
   ◦ nested
   ◦ more
     ▪ deep
3. Last.

[ ] open

[x] done

• loose

• list

│ A quote that is long enough that it
│ has to be wrapped at eighty columns,
│ with a bar at its left.
│
│ │ nested

│ Note
│ Mind this.

╭─ rust
│ fn main() {
│     println!(\"a line that is certainly
↪  much longer than eighty columns, so t
↪ hat it has to be folded somewhere\");
│ }
╰─

┌────────┬─────────┬───────────────────┐
│ Member │ Average │   What it said    │
├────────┼─────────┼───────────────────┤
│ Basil  │     1.3 │  The best of all  │
│        │         │ answers, since it │
│        │         │ names its sources │
│        │         │   and does not    │
│        │         │   repeat itself   │
├────────┼─────────┼───────────────────┤
│ 漢字   │     2.0 │       short       │
│        │         │        two        │
└────────┴─────────┴───────────────────┘

[image: a chart]
(https://example.org/c.png)

Maths $a*b*c$ stays. <b>HTML</b> too.
Hard
break. שלום עולם

────────────────────────────────────────

<div>
block
</div>

End

────────────
[1] The note, at the end.
"
    );
}

#[test]
fn signs_stand_for_styles_where_none_are_shown() {
    let text = "# One\n\n**b** _i_ ~~s~~ `c`\n\n- x\n\n> q\n\n```\ncode\n```\n\n|a|b|\n|-|-|\n|1|2|";
    assert_eq!(
        plain(text, 40, Frames::Ascii),
        "One\n===\n\n*b* _i_ ~~s~~ `c`\n\n* x\n\n> q\n\n+-\n| code\n+-\n\n+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n+---+---+\n"
    );
    assert_eq!(
        plain(text, 40, Frames::Plain),
        "One\n\n*b* _i_ ~~s~~ `c`\n\n* x\n\n> q\n\ncode:\n    code\n\na: 1\nb: 2\n"
    );
}

#[test]
fn numbers_stand_under_each_other() {
    let text: String = (1..=10).map(|n| format!("{n}. x\n")).collect();
    assert!(shown(&text, 40).starts_with(" 1. x\n 2. x\n"));
    assert!(shown(&text, 40).ends_with(" 9. x\n10. x\n"));
    assert_eq!(shown("- \n- b", 40), "• \n• b\n");
}

#[test]
fn a_link_cannot_pass_for_another_address() {
    assert_eq!(
        shown("[https://bank.example](https://evil.example)", 80),
        "https://bank.example (https://evil.example)\n"
    );
    assert_eq!(
        shown("<https://a.example> [a.example](https://a.example/)", 80),
        "https://a.example a.example\n"
    );
}

#[test]
fn entities_stand_for_nothing_that_controls_a_terminal() {
    let text = "&#27;[31mred &#155;31m &#x202e;x &#8;\n\n`\x1b[1m`\n\n    \x1b]0;t\x07code &#27;\n\n# &#27;c\n\n|&#27;a|\n|-|\n|&#7;|";
    let left = shown(text, 40);
    assert_eq!(super::super::harmless(&left), left);
    assert!(left.starts_with("[31mred 31m x"), "{left}");
}

/// Text of about so many bytes.
type Make = fn(usize) -> String;

fn hostile() -> Vec<(&'static str, Make)> {
    vec![
        ("quotes", |n| ">".repeat(n) + " x"),
        ("quotes and lines", |n| format!("{} x\n", "> ".repeat(n / 4)) + &"lazy line\n".repeat(n / 20)),
        ("lists", |n| "- ".repeat(n / 2) + "x"),
        ("numbers", |n| "1. ".repeat(n / 3) + "x"),
        ("lists and empty lines", |n| "- ".repeat(n / 4) + "x" + &"\n".repeat(n / 2)),
        ("stars", |n| "*a ".repeat(n / 3)),
        ("strong", |n| "**a".repeat(n / 3)),
        ("brackets", |n| "[".repeat(n)),
        ("links", |n| "[a](".repeat(n / 4)),
        ("images", |n| "![".repeat(n / 2)),
        ("backticks", |n| (1..).map(|at| "`".repeat(at % 50) + " ").take(n / 25).collect()),
        ("dollars", |n| "$a{".repeat(n / 3)),
        ("tags", |n| "<a ".repeat(n / 3)),
        ("one word", |n| "x".repeat(n)),
        ("one line", |n| "word ".repeat(n / 5)),
        ("spaces", |n| "a".to_owned() + &" ".repeat(n) + "b"),
        ("code", |n| "```\n".to_owned() + &"x".repeat(n)),
        ("wide table", |n| {
            format!("{}\n{}\n", "|a".repeat(n / 8), "|-".repeat(n / 8)) + &"|b\n".repeat(n / 8)
        }),
        ("long table", |n| "|a|b|\n|-|-|\n".to_owned() + &"|c|d|\n".repeat(n / 6)),
        ("footnotes", |n| {
            (0..n / 16).fold(String::new(), |mut text, at| {
                write!(text, "[^{at}]\n\n[^{at}]: x\n\n").unwrap();
                text
            })
        }),
    ]
}

#[test]
fn hostile_text_takes_time_in_proportion_to_its_size() {
    let theme = theme(Depth::True, Frames::Unicode);
    // CPU time, since this test shares the machine with others.
    let spent = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
    let took = |text: &str| {
        let start = spent();
        assert!(markdown(text, 80, &theme).iter().all(|line| line_width(line) <= 80));
        spent() - start
    };
    for (name, text) in hostile() {
        let (small, large) = (text(10_000), text(80_000));
        let best = |text: &str| (0..2).map(|_| took(text)).min().unwrap();
        // Eight times the text: anything quadratic takes 64 times as long.
        let ratio = best(&large).as_secs_f64() / best(&small).as_secs_f64();
        assert!(ratio < 30.0, "{name}: {ratio}");
    }
}

#[test]
fn a_megabyte_and_ten_thousand_levels_are_shown() {
    let theme = theme(Depth::True, Frames::Unicode);
    let text = "word ".repeat(200_000);
    assert_eq!(markdown(&text, 80, &theme).len(), 12_500);
    for text in [">".repeat(10_000) + " x", "- ".repeat(10_000) + "x"] {
        for columns in [1, 2, 80] {
            let lines = markdown(&text, columns, &theme);
            assert!(lines.iter().any(|line| line.to_string().contains('x')));
        }
    }
}

/// Markdown in which blocks and marks are likely.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "> ",
        "- ",
        "1. ",
        "99. ",
        "# ",
        "* [ ] ",
        "|a|b|\n|-|:-:|\n|",
        "|",
        "\n",
        "\n\n",
        "    ",
        "  ",
        "```rust\n",
        "```",
        "~~",
        "**",
        "_",
        "`",
        "[a](b)",
        "![x](y)",
        "[^1]",
        "[^1]: ",
        "$",
        "<b>",
        "<br>",
        "---\n",
        "&#27;",
        "\x1b[1m",
        "word",
        "a much longer text",
        "漢字",
        "👩‍👩‍👧‍👦",
        "שלום",
        "e\u{301}",
        "\t",
        "\\\n",
        "> [!NOTE]\n",
        "<div>\n",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_line_is_wider_than_the_width_and_none_controls_the_terminal(text in text(), columns in 1usize..60) {
        for frames in [Frames::Unicode, Frames::Ascii, Frames::Plain] {
            for line in markdown(&text, columns, &theme(Depth::True, frames)) {
                prop_assert!(line_width(&line) <= columns, "{line:?}");
                let line = line.to_string();
                prop_assert!(!line.contains('\n'));
                prop_assert_eq!(super::super::harmless(&line), &*line);
            }
        }
    }
}
