import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../components/confirm.tsx";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import type { User, UserAction } from "./user.ts";
import { manageUser } from "./user-calls.ts";
import { USERS_KEY, type UserPage } from "./user-queries.ts";

const ASKS: ReadonlySet<UserAction> = new Set(["promote", "demote", "disable", "delete"]);

/** Promotes, demotes, bans, readmits or deregisters; asks first where it matters. */
export function useUserActions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  return async (user: User, action: UserAction) => {
    const name = user.username;
    if (ASKS.has(action)) {
      const isSure = await confirm({
        title: t(`users.ask.${action}.title`, { name }),
        body: t(`users.ask.${action}.body`),
        action: t(`users.actions.${action}`),
        isDangerous: action === "delete" || action === "disable",
      });
      if (!isSure) return;
    }
    try {
      const standing = await manageUser(user.id, action);
      client.setQueriesData<UserPage>(
        { queryKey: [...USERS_KEY, "page"] },
        (page) =>
          page && { ...page, items: page.items.map((row) => (row.id === user.id ? { ...row, ...standing } : row)) },
      );
      notifyDone(t(`users.done.${action}`, { name }));
    } catch (error) {
      notifyError(error);
    }
    void client.invalidateQueries({ queryKey: USERS_KEY });
  };
}
