import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { eachOf } from "../../../api/each-of.ts";
import { notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { CODES_KEY, type Code, codePage, DISABLED, UNUSED } from "./code.ts";
import { deleteCode, deleteDisabledCodes, disableCodes, setCodeStatus } from "./code-form.ts";

/** Only the total matters. */
const disabledCodes = codePage({ status: DISABLED, page: 0, pageSize: 1 });

/** Actions on one or more codes; each resolves with whether it was carried out. */
export function useCodeActions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: CODES_KEY });
  const act = useAction(refresh);
  return {
    refresh,
    toggle: ({ id, name, status }: Code) =>
      act({
        work: () => setCodeStatus(id, status === UNUSED ? DISABLED : UNUSED),
        done: () => t(status === UNUSED ? "codes.disabledToast" : "codes.enabledToast", { name }),
      }),
    disable: (codes: readonly Code[]) => {
      const action = t("codes.batch.disable", { count: codes.length });
      return act({
        question: { title: `${action}?`, body: t("codes.batch.disableBody"), action },
        work: () => disableCodes(codes.map(({ id }) => id)),
        done: (count) => t("codes.disabledCount", { count }),
      });
    },
    remove: (codes: readonly Code[]) => {
      const action = t("codes.batch.delete", { count: codes.length });
      return act({
        question: { title: `${action}?`, body: t("codes.deleteBody"), action, isDangerous: true },
        async work() {
          const { done, firstError } = await eachOf(codes, ({ id }) => deleteCode(id));
          if (firstError) throw firstError;
          return done;
        },
        done: (count) => t("codes.deletedCount", { count }),
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
        return await act({
          question: {
            title: t("codes.deleteDisabledTitle", { count }),
            body: t("codes.deleteBody"),
            action: t("codes.batch.delete", { count }),
            isDangerous: true,
          },
          work: deleteDisabledCodes,
          done: (deleted) => t("codes.deletedCount", { count: deleted }),
        });
      } catch (error) {
        notifyError(error);
        return false;
      }
    },
  };
}
