import { Link } from "wouter";
import { t } from "../i18n";
import { T } from "../i18n/t";
import { useTitle } from "../ui/title";

export function NotFoundPage() {
  useTitle(t("Not found"));
  return (
    <div className="page-notice">
      <h1>{t("There is nothing here")}</h1>
      <p>
        <T
          text="The address may be mistyped. <link>Start a new conversation</link>, or pick one from the list."
          parts={{ link: (inner) => <Link href="/">{inner}</Link> }}
        />
      </p>
    </div>
  );
}
