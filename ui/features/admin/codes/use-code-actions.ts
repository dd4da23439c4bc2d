import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { eachOf } from "../../../api/each-of.ts";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { CODES_KEY, type Code, codePage, DISABLED, UNUSED } from "./code.ts";
import { deleteCode, deleteDisabledCodes, disableCodes, setCodeStatus } from "./code-form.ts";

/** Only the total matters. */
const disabledCodes = codePage({ status: DISABLED, page: 0, pageSize: 1 });

/** Actions on one or more codes; each resolves with whether it was carried out. */
export function useCodeActions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  const refresh = () => client.invalidateQueries({ queryKey: CODES_KEY });
  const run = async (work: () => Promise<string>): Promise<boolean> => {
    try {
      notifyDone(await work());
      return true;
    } catch (error) {
      notifyError(error);
      return false;
    } finally {
      void refresh();
    }
  };
  return {
    refresh,
    toggle: ({ id, name, status }: Code) =>
      run(async () => {
        await setCodeStatus(id, status === UNUSED ? DISABLED : UNUSED);
        return t(status === UNUSED ? "codes.disabledToast" : "codes.enabledToast", { name });
      }),
    disable: async (codes: readonly Code[]): Promise<boolean> => {
      const count = codes.length;
      const action = t("codes.batch.disable", { count });
      const isSure = await confirm({ title: `${action}?`, body: t("codes.batch.disableBody"), action });
      if (!isSure) return false;
      return run(async () => t("codes.disabledCount", { count: await disableCodes(codes.map(({ id }) => id)) }));
    },
    remove: async (codes: readonly Code[]): Promise<boolean> => {
      const action = t("codes.batch.delete", { count: codes.length });
      const isSure = await confirm({ title: `${action}?`, body: t("codes.deleteBody"), action, isDangerous: true });
      if (!isSure) return false;
      return run(async () => {
        const { done, firstError } = await eachOf(codes, ({ id }) => deleteCode(id));
        if (firstError) throw firstError;
        return t("codes.deletedCount", { count: done });
      });
    },
    removeDisabled: async (): Promise<boolean> => {
      try {
        // The server deletes all of them, so count them now and without the list's filter.
        const { total: count } = await client.fetchQuery({ ...disabledCodes, staleTime: 0 });
        if (count === 0) {
          notifyInfo(t("codes.noneDisabled"));
          return false;
        }
        const isSure = await confirm({
          title: t("codes.deleteDisabledTitle", { count }),
          body: t("codes.deleteBody"),
          action: t("codes.batch.delete", { count }),
          isDangerous: true,
        });
        return isSure && run(async () => t("codes.deletedCount", { count: await deleteDisabledCodes() }));
      } catch (error) {
        notifyError(error);
        return false;
      }
    },
  };
}
