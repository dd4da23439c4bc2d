import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import { siteStatus } from "../../site-status.ts";
import { useSession } from "../session/session.tsx";

/** Signs out, forgets what only this user may see, and goes to the sign-in page. */
export function useLeave(): () => Promise<void> {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { signOut } = useSession();
  return async () => {
    try {
      await signOut();
    } catch (error) {
      return notifyError(error);
    }
    const [kept] = siteStatus.queryKey;
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== kept });
    notifyDone(t("shell.signedOut"));
    await navigate({ to: "/login", search: {} });
  };
}
