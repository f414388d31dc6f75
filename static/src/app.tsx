import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { session } from "./api/client";
import { Sidebar } from "./features/conversations/sidebar";
import { ConversationPage } from "./pages/conversation";
import { Crash } from "./pages/crash";
import { HomePage } from "./pages/home";
import { NotFoundPage } from "./pages/not-found";
import { useLiveRuns } from "./run/live";
import { Icon } from "./ui/icon";
import { useOnline } from "./ui/media";
import { Notice } from "./ui/notice";
import { Toasts } from "./ui/toast";

const SettingsPage = lazy(() => import("./pages/settings"));

/** What concerns every page: the session, and the network. */
function AppNotices({ path }: { path: string }) {
  const signedOut = useSyncExternalStore(session.subscribe, session.isSignedOut);
  const online = useOnline();
  // A deliberation that is followed says so itself, where nothing moves because of it.
  const follows = useLiveRuns((state) => path.startsWith("/c/") && path.slice(3) in state.runs);
  if (signedOut) {
    return (
      <Notice tone="warn" urgent>
        <strong>You are signed out.</strong> Nothing is lost: a running deliberation goes on, and
        what you typed is kept. <a href={location.pathname}>Reload the page to sign in again</a>.
      </Notice>
    );
  }
  if (!online && !follows) return <Notice tone="warn">This device is offline.</Notice>;
  return null;
}

function Pages() {
  return (
    <Suspense fallback={<p className="page-wait">Loading…</p>}>
      <Switch>
        <Route path="/">
          <HomePage />
        </Route>
        <Route path="/c/:id">{({ id }) => <ConversationPage key={id} id={id} />}</Route>
        <Route path="/settings">
          <SettingsPage />
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </Suspense>
  );
}

export function App() {
  const [path] = useLocation();
  const drawer = useRef<HTMLDialogElement>(null);
  const [drawerOpen, setDrawerOpen] = useState(false);
  const closeDrawer = () => drawer.current?.close();

  const shown = useRef(path);

  // What had the focus may have gone with its page: keys and screen readers go on in the new one.
  useEffect(() => {
    if (path === shown.current) return;
    shown.current = path;
    if (document.activeElement === document.body) {
      document.getElementById("main")?.focus({ preventScroll: true });
    }
  }, [path]);

  return (
    <>
      <a className="skip-link" href="#main">
        Skip to the conversation
      </a>
      <div className="shell">
        <aside className="sidebar" aria-label="Sidebar">
          <Sidebar onOpen={closeDrawer} />
        </aside>
        <div className="page">
          <header className="topbar">
            <button
              type="button"
              className="icon-button"
              aria-label="Open the sidebar"
              onClick={() => {
                setDrawerOpen(true);
                drawer.current?.showModal();
              }}
            >
              <Icon name="menu" />
            </button>
            <Link href="/" className="brand">
              <img src="/favicon.svg" alt="" width="24" height="24" />
              LLM Council
            </Link>
            <Link href="/" className="icon-button" aria-label="New conversation">
              <Icon name="plus" />
            </Link>
          </header>
          <main id="main" tabIndex={-1}>
            <AppNotices path={path} />
            <Crash key={path}>
              <Pages />
            </Crash>
          </main>
        </div>
      </div>
      <dialog
        ref={drawer}
        className="drawer"
        aria-label="Sidebar"
        onClose={() => setDrawerOpen(false)}
        onClick={(event) => {
          if (event.target === event.currentTarget) closeDrawer();
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") closeDrawer();
        }}
      >
        {drawerOpen && (
          <div className="drawer-body">
            <button
              type="button"
              className="icon-button drawer-close"
              aria-label="Close the sidebar"
              onClick={closeDrawer}
            >
              <Icon name="close" />
            </button>
            <Sidebar onOpen={closeDrawer} />
          </div>
        )}
      </dialog>
      <Toasts />
    </>
  );
}
