import "../../styles/missing.css";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { api } from "../../api/client";
import { keys, queryClient, useConfig } from "../../api/queries";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { useAttempt } from "../../ui/attempt";
import { Notice } from "../../ui/notice";
import { Nearest } from "./nearest";
import { replacing } from "./replace";

/**
 * Says of a model that failed that its provider offers it no longer, and what can be asked instead; what
 * is inside of it is said of one that may still be there.
 */
export function Gone({ model, children }: { model: string; children: ReactNode }) {
  const { data: config } = useConfig();
  const { busy, problem, attempt } = useAttempt();
  const [taken, setTaken] = useState<string | null>(null);
  if (taken) {
    return (
      <p role="status">
        {t("From the next question on, {{nearest}} is asked in its place.", { nearest: taken })}
      </p>
    );
  }
  const missing = config?.missing_models.find((one) => one.model === model && !one.replaced);
  if (!missing) return children;
  const take = (nearest: string) =>
    attempt(async () => {
      // The settings may have changed since this page read them.
      const change = replacing(await api.config(), model, nearest);
      if (change) {
        const saved = await api.saveConfig(change);
        // One that was asked for before would bring what held then.
        await queryClient.cancelQueries({ queryKey: keys.config });
        queryClient.setQueryData(keys.config, saved);
      }
      setTaken(nearest);
    });
  return (
    <div className="gone">
      <p>
        {t("{{model}} is no longer on its provider’s list, and your settings still name it.", {
          model,
        })}
      </p>
      <div className="gone-ways">
        {missing.nearest && (
          <Nearest model={model} nearest={[missing.nearest]} busy={busy} onChoose={take} />
        )}
        <T
          text="<link>Choose another in the settings</link>"
          parts={{ link: (inner) => <Link href="/settings#members">{inner}</Link> }}
        />
      </div>
      {problem && (
        <Notice tone="bad" urgent>
          {t("Not saved: {{message}}", { message: problem.message })}
        </Notice>
      )}
    </div>
  );
}
