import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../components/confirm.tsx";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import { manageUsers, type UserBatch } from "./user-calls.ts";
import { USERS_KEY } from "./user-queries.ts";

/** What can be done with all ticked users; `onDone` follows with those that it was refused for. */
export function useUserBatch(ids: readonly number[], onDone: (refused: readonly number[]) => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  const count = ids.length;
  const act = async (batch: UserBatch) => {
    try {
      const outcomes = await manageUsers(ids, batch);
      const refused = outcomes.filter(({ success }) => !success);
      const done = outcomes.length - refused.length;
      const [first] = refused;
      if (first) notifyError(t("users.batch.partly", { done, refused: refused.length, message: first.message }));
      else notifyDone(t(`users.batch.done.${batch.action}`, { count: done, group: batch.group }));
      onDone(refused.map(({ id }) => id));
    } catch (error) {
      notifyError(error);
    }
    await client.invalidateQueries({ queryKey: USERS_KEY });
  };
  const askAndAct = async (action: "disable" | "delete") => {
    const isSure = await confirm({
      title: t(`users.batch.ask.${action}.title`, { count }),
      body: t(`users.batch.ask.${action}.body`),
      action: t(`users.actions.${action}`),
      isDangerous: true,
    });
    if (isSure) await act({ action });
  };
  return {
    enable: () => act({ action: "enable" }),
    disable: () => askAndAct("disable"),
    remove: () => askAndAct("delete"),
    setGroup: (group: string) => act({ action: "group", group }),
  };
}
