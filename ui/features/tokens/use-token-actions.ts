import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { eachOf } from "../../api/each-of.ts";
import { useConfirm } from "../../components/confirm.tsx";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import { DISABLED, ENABLED, type Token } from "./token.ts";
import { deleteToken, setTokenStatus } from "./token-calls.ts";
import { TOKENS_KEY, type TokenPage } from "./token-queries.ts";

/** What can be done with one key or several. */
export function useTokenActions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  return useMemo(() => {
    const refresh = () => client.invalidateQueries({ queryKey: TOKENS_KEY });
    const show = (id: number, status: number) =>
      client.setQueriesData<TokenPage>(
        { queryKey: [...TOKENS_KEY, "page"] },
        (page) =>
          page && { ...page, items: page.items.map((token) => (token.id === id ? { ...token, status } : token)) },
      );
    return {
      /** Shows at once, goes back when the server refuses. */
      toggle: async (token: Token) => {
        const status = token.status === ENABLED ? DISABLED : ENABLED;
        show(token.id, status);
        try {
          await setTokenStatus(token.id, status);
          notifyDone(t(status === ENABLED ? "tokens.enabledToast" : "tokens.disabledToast", { name: token.name }));
        } catch (error) {
          show(token.id, token.status);
          notifyError(error);
        }
        void refresh();
      },
      /** Asks first; resolves with whether anything was deleted. */
      remove: async (tokens: readonly Token[]): Promise<boolean> => {
        const [first] = tokens;
        if (!first) return false;
        const isOne = tokens.length === 1;
        const isSure = await confirm({
          title: isOne
            ? t("tokens.deleteTitle", { name: first.name })
            : t("tokens.batch.deleteTitle", { count: tokens.length }),
          body: t(isOne ? "tokens.deleteBody" : "tokens.batch.deleteBody"),
          action: isOne ? t("tokens.delete") : t("tokens.batch.delete", { count: tokens.length }),
          isDangerous: true,
        });
        if (!isSure) return false;
        const { done, failed, firstError } = await eachOf(tokens, ({ id }) => deleteToken(id));
        if (firstError)
          notifyError(isOne ? firstError : t("tokens.batch.partly", { done, failed, message: firstError.message }));
        else notifyDone(isOne ? t("tokens.deleted", { name: first.name }) : t("tokens.batch.deleted", { count: done }));
        await refresh();
        return true;
      },
    };
  }, [client, confirm, t]);
}
