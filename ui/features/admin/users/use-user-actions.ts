import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { USERS_KEY, type User, type UserAction, type UserPage } from "./user.ts";
import { manageUser, resetSecondFactor } from "./user-form.ts";

const NEEDS_CONFIRMATION: ReadonlySet<UserAction> = new Set(["promote", "demote", "disable", "delete"]);

/** Promotes, demotes, bans, readmits or deregisters users; asks for confirmation where it matters. */
export function useUserActions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  return async (user: User, action: UserAction) => {
    const name = user.username;
    if (NEEDS_CONFIRMATION.has(action)) {
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

/** Turns off a user's two-step verification after confirmation. */
export function useSecondFactorReset() {
  const { t } = useTranslation();
  const confirm = useConfirm();
  return async ({ id, username: name }: User) => {
    const isSure = await confirm({
      title: t("users.secondFactor.title", { name }),
      body: t("users.secondFactor.body"),
      action: t("users.secondFactor.reset"),
      isDangerous: true,
    });
    if (!isSure) return;
    try {
      await resetSecondFactor(id);
      notifyDone(t("users.secondFactor.done", { name }));
    } catch (error) {
      notifyError(error);
    }
  };
}
