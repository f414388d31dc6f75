import { Link, Route, Switch, useLocation } from "wouter";
import { usePathname } from "wouter/use-browser-location";
import { useUser } from "../api/queries";
import { type Section, sections } from "../features/admin/sections";
import { modelIn } from "../features/dashboard/model-name";
import { ModelPage } from "../features/dashboard/model-page";
import { Waiting } from "../features/dashboard/panel";
import { msg, t } from "../i18n";
import { Icon } from "../ui/icon";
import { ReadFailed } from "../ui/read-failed";
import { useTitle } from "../ui/title";
import { NotFoundPage } from "./not-found";
import "../styles/run";
import "../styles/settings.css";
import "../styles/settings-form.css";
import "../styles/picker.css";
import "../styles/dashboard.css";
import "../styles/dashboard-parts.css";
import "../styles/dashboard-tables.css";
import "../styles/dashboard-lists.css";
import "../styles/link-strip.css";
import "../styles/admin.css";

function NotForYou() {
  useTitle(t("Administration"));
  return (
    <section className="empty not-for-you">
      <Icon name="shield" />
      <h1>{t("This is for administrators")}</h1>
      <p>
        {t(
          "This is where the people who run the server see its usage and how its runs went. Your account does not have that right; whoever runs the server can grant it.",
        )}
      </p>
      <p>
        {t(
          "Everything about your own runs is on your dashboard. Nobody can read your conversations here either.",
        )}
      </p>
      <p className="empty-actions">
        <Link href="/dashboard" className="button button-main">
          {t("Open my dashboard")}
        </Link>
        <Link href="/" className="button">
          {t("Ask the council")}
        </Link>
      </p>
    </section>
  );
}

/** On a phone the menu is wider than the screen. */
const show = (link: HTMLElement | null) =>
  link?.scrollIntoView({ block: "nearest", inline: "center" });

function Menu() {
  const [path] = useLocation();
  const isCurrent = (section: Section) =>
    path === section.path ||
    (section.path === "/admin/analytics" && path.startsWith("/admin/models/"));
  return (
    <nav className="link-strip admin-menu" aria-label={t("Administration")}>
      <ul>
        {sections.map((section) => (
          <li key={section.path} ref={isCurrent(section) ? show : null}>
            <Link href={section.path} aria-current={isCurrent(section) ? "page" : undefined}>
              {t(section.title)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Part({ section }: { section: Section }) {
  useTitle(t("{{section}} · Administration", { section: t(section.title) }));
  return (
    <>
      <h1>{t("Administration")}</h1>
      <Menu />
      <section.View />
    </>
  );
}

function Parts() {
  const path = usePathname();
  return (
    <Switch>
      {sections.map((section) => (
        <Route key={section.path} path={section.path}>
          <Part section={section} />
        </Route>
      ))}
      <Route path="/admin/models/*">
        <Menu />
        <ModelPage key={path} model={modelIn(path, "everybody")} whose="everybody" />
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}

export default function AdminPage() {
  const user = useUser();
  return (
    <div className="dashboard admin">
      {user.isPending && <Waiting />}
      {user.isError && !user.data && (
        <ReadFailed text={msg("Your account could not be loaded: {{reason}}")} query={user} />
      )}
      {user.data && (user.data.is_admin ? <Parts /> : <NotForYou />)}
    </div>
  );
}
