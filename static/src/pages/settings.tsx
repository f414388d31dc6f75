import "../styles/run";
import "../styles/settings.css";
import "../styles/settings-form.css";
import "../styles/picker.css";
import "../styles/tokens.css";
import { lazy, Suspense, useState } from "react";
import { api } from "../api/client";
import { keys, useConfig } from "../api/queries";
import { hasRegion } from "../api/regions";
import { Presets } from "../features/presets/presets";
import { Appearance } from "../features/settings/appearance";
import { CouncilForm } from "../features/settings/council-form";
import { Region } from "../features/settings/region";
import { SectionNav, type Sections } from "../features/settings/section-nav";
import { councilSections } from "../features/settings/sections";
import { Tokens } from "../features/settings/tokens";
import { Version } from "../features/settings/version";
import { msg, t } from "../i18n";
import { orMissing } from "../ui/part";
import { ReadFailed } from "../ui/read-failed";
import { useTitle } from "../ui/title";

const MyBudgets = lazy(() => orMissing(import("../features/budgets/my-budgets")));
const MyData = lazy(() => orMissing(import("../features/own-data/my-data")));
const MyDevices = lazy(() => orMissing(import("../features/notifications/my-devices")));
const MyFiles = lazy(() => orMissing(import("../features/attachments/my-files")));
const MyShares = lazy(() => orMissing(import("../features/sharing/my-shares")));
const MyWebhooks = lazy(() => orMissing(import("../features/webhooks/my-webhooks")));

const sections: Sections = [
  ["presets", msg("Presets")],
  ["region", msg("Region")],
  ...councilSections,
  ["budgets", msg("Budgets")],
  ["notifications", msg("Notifications")],
  ["tokens", msg("API tokens")],
  ["webhooks", msg("Webhooks")],
  ["shared-links", msg("Shared links")],
  ["appearance", msg("Appearance")],
  ["own-files", msg("Your files")],
  ["own-data", msg("Your data")],
];

const withoutRegion = sections.filter(([id]) => id !== "region");

const own = { key: keys.config, save: api.saveConfig };

export default function SettingsPage() {
  useTitle(t("Settings"));
  const config = useConfig();
  const [unsaved, setUnsaved] = useState(false);
  // A preset that was applied is another council: the form begins anew with it.
  const [applied, setApplied] = useState(0);
  return (
    <div className="with-sections">
      <SectionNav
        label={t("Settings")}
        sections={config.data && hasRegion(config.data) ? sections : withoutRegion}
      />
      <div className="settings">
        <h1>{t("Settings")}</h1>
        {config.isPending && <p className="quiet">{t("Loading the council…")}</p>}
        {config.isError && !config.data && (
          <ReadFailed text={msg("The council could not be loaded: {{reason}}")} query={config} />
        )}
        {config.data && (
          <>
            <Presets
              config={config.data}
              unsaved={unsaved}
              onApplied={() => setApplied(applied + 1)}
            />
            {hasRegion(config.data) && <Region config={config.data} store={own} />}
            <CouncilForm key={applied} config={config.data} onEdits={setUnsaved} />
          </>
        )}
        <Suspense fallback={<p className="quiet">{t("Loading budgets…")}</p>}>
          <MyBudgets />
        </Suspense>
        <Suspense fallback={<p className="quiet">{t("Loading devices…")}</p>}>
          <MyDevices />
        </Suspense>
        <Tokens />
        <Suspense fallback={<p className="quiet">{t("Loading webhooks…")}</p>}>
          <MyWebhooks />
        </Suspense>
        <Suspense fallback={<p className="quiet">{t("Loading links…")}</p>}>
          <MyShares />
        </Suspense>
        <Appearance />
        <Suspense fallback={<p className="quiet">{t("Loading files…")}</p>}>
          <MyFiles />
        </Suspense>
        <Suspense fallback={<p className="quiet">{t("Loading…")}</p>}>
          <MyData />
        </Suspense>
        <Version />
      </div>
    </div>
  );
}
