import { lazy, Suspense, useEffect, useRef, useSyncExternalStore } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { session } from "./api/client";
import { useLiveRuns } from "./features/asking/runs";
import { Sidebar } from "./features/conversations/sidebar";
import { starts } from "./features/list";
import { useHelp } from "./features/shortcuts/help";
import { t } from "./i18n";
import { T } from "./i18n/t";
import { ConversationPage } from "./pages/conversation";
import { Crash } from "./pages/crash";
import { HomePage } from "./pages/home";
import { NotFoundPage } from "./pages/not-found";
import { focusSoon } from "./ui/focus";
import { Icon } from "./ui/icon";
import { useMedia, useOnline } from "./ui/media";
import { usePressBeside } from "./ui/modal";
import { Notice } from "./ui/notice";
import { orMissing } from "./ui/part";
import {
  drawSidebar,
  focusSearch,
  foldSidebar,
  narrowScreen,
  useSidebar,
} from "./ui/sidebar-state";
import { useSlots } from "./ui/slots";
import { leaveErrors, Toasts } from "./ui/toast";

const ShortcutSheet = lazy(() => orMissing(import("./features/shortcuts/sheet")));
const SettingsPage = lazy(() => import("./pages/settings"));
const AdminPage = lazy(() => import("./pages/admin"));
const DeletedPage = lazy(() => import("./pages/deleted"));
const SharedPage = lazy(() => import("./pages/shared"));
const ProjectPage = lazy(() => import("./pages/project"));
const ProjectConversationPage = lazy(() => import("./pages/project-conversation"));
const SchedulesPage = lazy(() => import("./pages/schedules"));
const LibraryPage = lazy(() => import("./pages/library"));
const DashboardPage = lazy(() => import("./pages/dashboard"));
// In the place of all else; few ever see it.
const BlockedPage = lazy(() => orMissing(import("./pages/blocked")));

/** What concerns every page: the session, and the network. */
function AppNotices({ path }: { path: string }) {
  const signedOut = useSyncExternalStore(session.subscribe, session.state) === "signed_out";
  const online = useOnline();
  // A deliberation that is followed says so itself, where nothing moves because of it.
  const follows = useLiveRuns((state) => path.startsWith("/c/") && path.slice(3) in state.runs);
  if (signedOut) {
    return (
      <Notice tone="warn" urgent>
        <T
          text="<strong>You are signed out.</strong> Nothing is lost: a running deliberation goes on, and what you typed is kept. <link>Reload the page to sign in again</link>."
          parts={{
            strong: (inner) => <strong>{inner}</strong>,
            link: (inner) => <a href={location.pathname + location.search}>{inner}</a>,
          }}
        />
      </Notice>
    );
  }
  if (!online && !follows)
    return (
      <Notice tone="warn">
        {t("This device is offline. What you type is kept, and a running deliberation goes on.")}
      </Notice>
    );
  return null;
}

function Pages() {
  return (
    <Suspense fallback={<p className="page-wait">{t("Loading…")}</p>}>
      <Switch>
        <Route path="/">
          <HomePage />
        </Route>
        <Route path="/c/:id">{({ id }) => <ConversationPage key={id} id={id} />}</Route>
        <Route path="/s/:id">{({ id }) => <SharedPage key={id} id={id} />}</Route>
        <Route path="/p/:id">{({ id }) => <ProjectPage key={id} id={id} />}</Route>
        <Route path="/p/:id/c/:cid">
          {({ id, cid }) => <ProjectConversationPage key={cid} id={id} cid={cid} />}
        </Route>
        <Route path="/settings">
          <SettingsPage />
        </Route>
        <Route path="/schedules">
          <SchedulesPage />
        </Route>
        <Route path="/library/*?">
          <LibraryPage />
        </Route>
        <Route path="/deleted">
          <DeletedPage />
        </Route>
        <Route path="/admin/*?">
          <AdminPage />
        </Route>
        <Route path="/dashboard/*?">
          <DashboardPage />
        </Route>
        {starts.map(
          ({ name, page }) =>
            page && (
              <Route key={name} path={page.path}>
                <page.View />
              </Route>
            ),
        )}
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </Suspense>
  );
}

/** What is left of the sidebar where it is folded away. */
function Rail() {
  return (
    <div className="rail">
      <button
        type="button"
        className="icon-button"
        aria-label={t("Show the sidebar")}
        title={t("Show the sidebar")}
        onClick={() => {
          foldSidebar(false);
          focusSoon(".fold-button");
        }}
      >
        <Icon name="panel" />
      </button>
      <Link
        href="/"
        className="icon-button"
        aria-label={t("New conversation")}
        title={t("New conversation")}
      >
        <Icon name="plus" />
      </Link>
      <button
        type="button"
        className="icon-button"
        aria-label={t("Search")}
        title={t("Search")}
        onClick={focusSearch}
      >
        <Icon name="search" />
      </button>
    </div>
  );
}

export function App() {
  const instead = useSlots(({ page }) => page);
  const blocked = useSyncExternalStore(session.subscribe, session.state) === "blocked";
  if (instead) return instead;
  if (!blocked) return <Shell />;
  return (
    <Suspense>
      <BlockedPage />
    </Suspense>
  );
}

function Shell() {
  const [path] = useLocation();
  const drawer = useRef<HTMLDialogElement>(null);
  const { folded, drawn } = useSidebar();
  const help = useHelp((state) => state.open);
  const notice = useSlots((slots) => slots.notice);
  const closeDrawer = () => drawSidebar(false);
  const beside = usePressBeside(closeDrawer);
  const narrow = useMedia(narrowScreen);

  const shown = useRef(path);

  useEffect(() => {
    if (drawn) drawer.current?.showModal();
    else drawer.current?.close();
  }, [drawn]);

  // A tablet that was turned has the sidebar next to the page: a drawer that nobody sees would keep
  // everything else from being touched.
  useEffect(() => {
    if (!narrow) drawSidebar(false);
  }, [narrow]);

  // What had the focus may have gone with its page: keys and screen readers continue in the new one.
  useEffect(() => {
    if (path === shown.current) return;
    shown.current = path;
    leaveErrors();
    if (document.activeElement === document.body) {
      document.getElementById("main")?.focus({ preventScroll: true });
    }
  }, [path]);

  return (
    <>
      <a className="skip-link" href="#main">
        {t("Skip to the content")}
      </a>
      <div className={folded ? "shell shell-folded" : "shell"}>
        <aside className="sidebar" aria-label={t("Sidebar")}>
          {folded && <Rail />}
          <Sidebar onOpen={closeDrawer} />
        </aside>
        <div className="page">
          <header className="topbar">
            <button
              type="button"
              className="icon-button"
              aria-label={t("Open the sidebar")}
              onClick={() => drawSidebar(true)}
            >
              <Icon name="menu" />
            </button>
            <Link href="/" className="brand">
              <img src="/favicon.svg" alt="" width="24" height="24" />
              LLM Council
            </Link>
            <Link href="/" className="icon-button" aria-label={t("New conversation")}>
              <Icon name="plus" />
            </Link>
          </header>
          <main id="main" tabIndex={-1}>
            <AppNotices path={path} />
            {notice}
            <Crash key={path}>
              <Pages />
            </Crash>
          </main>
          {!drawn && <Toasts />}
        </div>
      </div>
      <dialog
        ref={drawer}
        className="drawer"
        aria-label={t("Sidebar")}
        onClose={(event) => {
          // React passes on the events of a dialog inside this one.
          if (event.target === event.currentTarget) closeDrawer();
        }}
        {...beside}
        onKeyDown={(event) => {
          if (event.key === "Escape") closeDrawer();
        }}
      >
        {drawn && (
          <div className="drawer-body">
            <button
              type="button"
              className="icon-button drawer-close"
              aria-label={t("Close the sidebar")}
              onClick={closeDrawer}
            >
              <Icon name="close" />
            </button>
            <Sidebar onOpen={closeDrawer} />
          </div>
        )}
        {/* Outside of a modal dialog nothing can be pressed, and nothing is read out. */}
        {drawn && <Toasts />}
      </dialog>
      {help && (
        <Suspense fallback={null}>
          <ShortcutSheet />
        </Suspense>
      )}
    </>
  );
}
