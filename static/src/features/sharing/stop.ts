import { forgetShare, stopShare } from "../../api/shares";
import { msg, t } from "../../i18n";
import { complain } from "../../ui/complain";
import { toast } from "../../ui/toast";

/** Asks nothing: another link is made with a press. `leave` is called while this one is still drawn. */
export async function stopSharing(id: string, leave: () => void) {
  try {
    await stopShare(id);
  } catch (error) {
    return complain(msg("The link still works: {{message}}"))(error);
  }
  leave();
  forgetShare(id);
  toast(t("The link no longer works."));
}
