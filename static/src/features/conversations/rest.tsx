/** Reads what led to the answers further up, once the newest ones are on the page, and says where that failed. */
import { useEffect } from "react";
import { asProblem } from "../../api/problem";
import { t } from "../../i18n";
import { whenIdle } from "../../ui/idle";
import { useConversation } from "../asking/conversation";

/** To be drawn as long as something is brief. */
export function Rest({ id }: { id: string }) {
  const { error, isFetching, refetch } = useConversation(id);
  useEffect(() => whenIdle(() => refetch({ cancelRefetch: false })), [refetch]);
  const again = async () => {
    await refetch({ cancelRefetch: false });
    // Once all is there the button is gone, and with it the focus.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) {
        document.getElementById("main")?.focus({ preventScroll: true });
      }
    });
  };
  return (
    <div role="status">
      {error && (
        <p className="elsewhere-note">
          {t("What led to the earlier answers could not be loaded: {{message}}", {
            message: asProblem(error).message,
          })}
          <button type="button" className="quiet-button" aria-disabled={isFetching} onClick={again}>
            {t("Try again")}
          </button>
        </p>
      )}
    </div>
  );
}
