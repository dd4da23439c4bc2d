import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { changePages } from "../../../api/replace-data.ts";
import { useAction } from "../../../components/feedback/use-action.ts";
import { USERS_KEY, type User, type UserAction, type UserPage } from "./user.ts";
import { manageUser, resetSecondFactor } from "./user-form.ts";

const NEEDS_CONFIRMATION: ReadonlySet<UserAction> = new Set(["promote", "demote", "disable", "delete"]);

/** Promotes, demotes, bans, readmits or deregisters users; asks for confirmation where it matters. */
export function useUserActions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => client.invalidateQueries({ queryKey: USERS_KEY }));
  return ({ id, username: name }: User, action: UserAction) =>
    act({
      question: NEEDS_CONFIRMATION.has(action)
        ? {
            title: t(`users.ask.${action}.title`, { name }),
            body: t(`users.ask.${action}.body`),
            action: t(`users.actions.${action}`),
            isDangerous: action === "delete" || action === "disable",
          }
        : undefined,
      async work() {
        const standing = await manageUser(id, action);
        await changePages<UserPage>(client, [...USERS_KEY, "page"], (page) => ({
          ...page,
          items: page.items.map((row) => (row.id === id ? { ...row, ...standing } : row)),
        }));
      },
      done: () => t(`users.done.${action}`, { name }),
    });
}

/** Turns off a user's two-step verification after confirmation. */
export function useSecondFactorReset() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => client.invalidateQueries({ queryKey: USERS_KEY }));
  return ({ id, username: name }: User) =>
    act({
      question: {
        title: t("users.secondFactor.title", { name }),
        body: t("users.secondFactor.body"),
        action: t("users.secondFactor.reset"),
        isDangerous: true,
      },
      work: () => resetSecondFactor(id),
      done: () => t("users.secondFactor.done", { name }),
    });
}
