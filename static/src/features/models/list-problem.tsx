import { Link } from "wouter";
import { useUser } from "../../api/queries";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { Icon } from "../../ui/icon";

interface Props {
  id: string;
  provider: string;
  /** What the server said of it, in English. */
  reason: string;
}

/** Says, in the place of a provider's models, why there are none, or only earlier ones. */
export function ListProblem({ id, provider, reason }: Props) {
  return (
    <p id={id} className="list-problem">
      <Icon name="alert" />
      <span>
        <strong>
          {t("The list of models of {{provider}} could not be loaded:", { provider })}
        </strong>{" "}
        <span lang="en">{reason}</span>
      </span>
    </p>
  );
}

/** What can be done about lists that could not be read. */
export function ProblemActions({
  query,
}: {
  query: { isFetching: boolean; refetch: () => unknown };
}) {
  const user = useUser();
  return (
    <p className="quiet list-problem-actions">
      {user.data?.is_admin ? (
        <T
          text="Models that a provider offered before stay on the list, and any id can be typed. <link>Check the providers</link> to see what is wrong."
          parts={{ link: (inner) => <Link href="/admin/providers">{inner}</Link> }}
        />
      ) : (
        t(
          "Models that a provider offered before stay on the list, and any id can be typed. Whoever runs this server can check the provider’s key and address.",
        )
      )}{" "}
      <button
        type="button"
        className="quiet-button"
        aria-disabled={query.isFetching}
        onClick={() => query.isFetching || query.refetch()}
      >
        {query.isFetching ? t("Loading…") : t("Try again")}
      </button>
    </p>
  );
}
