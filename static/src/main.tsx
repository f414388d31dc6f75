import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { api } from "./api/client";
import { watchIdentity } from "./api/identity";
import { queryClient } from "./api/queries";
import { App } from "./app";
import { readAhead } from "./features/asking/conversation";
import { watchDrops } from "./features/attachments/drops";
import { takeFromAddress } from "./features/composer/from-address";
import { loadLanguage, t } from "./i18n";
import { loadMarkdown } from "./markdown/markdown";
import { Turns } from "./pages/conversation";
import { prefetchRest } from "./prefetch";
import { applyTheme } from "./ui/theme";
import { toast } from "./ui/toast";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/notices.css";
import "./styles/layout.css";
import "./styles/sidebar.css";
import "./styles/composer.css";
import "./styles/options.css";
import "./styles/home.css";

applyTheme();
takeFromAddress();
watchIdentity(api.user, () => {
  import("./features/own-data/erased-elsewhere").catch(() => location.reload());
});
watchDrops();
const place = document.getElementById("root");
if (!place) throw new Error("index.html has no #root");
const root = createRoot(place);
// Beside the language, not after it.
if (location.pathname.startsWith("/c/")) {
  Turns.prefetch();
  loadMarkdown();
}

function start() {
  // The server looks for the conversation while the page around it is drawn.
  const [, id] = /^\/c\/([\w-]+)$/.exec(location.pathname) ?? [];
  if (id !== undefined) readAhead(id);
  // At once: a reader who types as soon as the page is there types into the composer.
  flushSync(() =>
    root.render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <App />
        </QueryClientProvider>
      </StrictMode>,
    ),
  );
  import("./later").catch(() =>
    toast(t("The keyboard shortcuts could not be loaded; everything else works."), {
      tone: "bad",
    }),
  );
  prefetchRest();
}

// English is at hand; for another language the first thing shown waits, so that nothing changes words.
loadLanguage().then(start, () => {
  start();
  // In English, because nothing else could be fetched.
  toast(t("Your language could not be loaded: this page is in English. Reload it to try again."), {
    tone: "bad",
  });
});
