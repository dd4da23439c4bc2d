import { useTranslation } from "react-i18next";
import { useConfirm } from "../../components/confirm.tsx";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import type { User } from "./user.ts";
import { resetSecondFactor } from "./user-calls.ts";

/** Turns off a user's two-step verification after asking. */
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
