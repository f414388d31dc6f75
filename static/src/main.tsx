import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/queries";
import { App } from "./app";
import { applyTheme } from "./ui/theme";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/notices.css";
import "./styles/layout.css";
import "./styles/sidebar.css";
import "./styles/composer.css";
import "./styles/options.css";
import "./styles/conversation.css";
import "./styles/council.css";
import "./styles/final.css";
import "./styles/answers.css";
import "./styles/reviews.css";
import "./styles/polish.css";
import "./styles/markdown.css";
import "./styles/settings.css";
import "./styles/picker.css";
import "./styles/tokens.css";

applyTheme();
const place = document.getElementById("root");
if (!place) throw new Error("index.html has no #root");
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
