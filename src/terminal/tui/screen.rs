//! The terminal while the screen is shown, and as it was before and after.

use std::io::{self, Stdout, Write as _};
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use rustix::process::{Signal, getpid, kill_process};
use tokio::signal::unix::{SignalKind, signal};

use super::draw::draw;
use super::state::State;

/// How long it may take until the program is stopped after it was asked to be.
const STOPPING: Duration = Duration::from_millis(200);

/// See the module. However the program ends, the terminal is given back.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    has_mouse: bool,
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When it is none.
    pub fn enter(has_mouse: bool) -> io::Result<Self> {
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        // From here on it is given back, whatever fails.
        let mut screen = Self { terminal, has_mouse };
        screen.take()?;
        Ok(screen)
    }

    fn take(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
        if self.has_mouse {
            execute!(io::stdout(), EnableMouseCapture)?;
        }
        self.clear()
    }

    fn give_back() -> io::Result<()> {
        // Whatever was not switched on takes no harm by being switched off.
        execute!(
            io::stdout(),
            DisableMouseCapture,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            cursor::Show
        )?;
        disable_raw_mode()
    }

    /// Shows the state; what has not changed is not written again.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn draw(&mut self, state: &mut State) -> io::Result<()> {
        execute!(io::stdout(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| draw(frame, state))?;
        execute!(io::stdout(), EndSynchronizedUpdate)
    }

    /// Everything is written again with the next look.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn clear(&mut self) -> io::Result<()> {
        // `Terminal::clear` would ask the terminal where its cursor is, while the events are read by somebody else.
        execute!(io::stdout(), Clear(ClearType::All))?;
        self.terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(())
    }

    /// Puts a text on the clipboard of the terminal's own machine, also over SSH (OSC 52).
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
    }

    /// Goes back to the shell as Ctrl-Z does, until the shell brings it to the front again.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub async fn suspend(&mut self) -> io::Result<()> {
        let mut back = signal(SignalKind::from_raw(Signal::CONT.as_raw()))?;
        Self::give_back()?;
        io::stdout().flush()?;
        kill_process(getpid(), Signal::TSTP)?;
        // Without a shell that could bring it back nothing stops: then it goes on at once.
        tokio::select! {
            _ = back.recv() => {}
            () = tokio::time::sleep(STOPPING) => {}
        }
        self.take()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if let Err(error) = Self::give_back() {
            tracing::debug!(%error, "the terminal is gone");
        }
    }
}
