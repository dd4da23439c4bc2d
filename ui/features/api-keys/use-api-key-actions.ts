import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { type ApiKeyPage, DISABLED, ENABLED, fullKey, TOKENS_KEY, type Token } from "../../api/api-keys/api-key.ts";
import { eachOf } from "../../api/each-of.ts";
import { changePages } from "../../api/replace-data.ts";
import { copyText } from "../../components/display/CopyButton.tsx";
import { useConfirm } from "../../components/feedback/confirm.tsx";
import { notifyDone, notifyError } from "../../components/feedback/notify.tsx";
import { deleteToken, setTokenStatus } from "./drawer/api-key-calls.ts";

/** Actions on one or more keys. */
export function useApiKeyActions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  return useMemo(() => {
    const refresh = () => client.invalidateQueries({ queryKey: TOKENS_KEY });
    const show = (id: number, status: number) =>
      changePages<ApiKeyPage>(client, [...TOKENS_KEY, "page"], (page) => ({
        ...page,
        items: page.items.map((token) => (token.id === id ? { ...token, status } : token)),
      }));
    return {
      /** Optimistic: rolls back if the server rejects it. */
      toggle: async (token: Token) => {
        const status = token.status === ENABLED ? DISABLED : ENABLED;
        await show(token.id, status);
        try {
          await setTokenStatus(token.id, status);
          notifyDone(t(status === ENABLED ? "apiKeys.enabledToast" : "apiKeys.disabledToast", { name: token.name }));
        } catch (error) {
          await show(token.id, token.status);
          notifyError(error);
        }
        void refresh();
      },
      /** Asks for confirmation; resolves with whether anything was deleted. */
      remove: async (tokens: readonly Token[]): Promise<boolean> => {
        const [first] = tokens;
        if (!first) return false;
        const isOne = tokens.length === 1;
        const isSure = await confirm({
          title: isOne
            ? t("apiKeys.deleteTitle", { name: first.name })
            : t("apiKeys.batch.deleteTitle", { count: tokens.length }),
          body: t(isOne ? "apiKeys.deleteBody" : "apiKeys.batch.deleteBody"),
          action: isOne ? t("apiKeys.delete") : t("apiKeys.batch.delete", { count: tokens.length }),
          isDangerous: true,
        });
        if (!isSure) return false;
        const { done, failed, firstError } = await eachOf(tokens, ({ id }) => deleteToken(id));
        if (firstError)
          notifyError(isOne ? firstError : t("apiKeys.batch.partly", { done, failed, message: firstError.message }));
        else
          notifyDone(isOne ? t("apiKeys.deleted", { name: first.name }) : t("apiKeys.batch.deleted", { count: done }));
        await refresh();
        return true;
      },
    };
  }, [client, confirm, t]);
}

const NONE: readonly Token[] = [];

/** Copies keys, one per line; `refused` holds the text if the browser denies clipboard access. */
export function useCopyKeys() {
  const { t } = useTranslation();
  const [refused, setRefused] = useState(NONE);
  const copy = async (tokens: readonly Token[]) => {
    if (await copyText(tokens.map(fullKey).join("\n"))) notifyDone(t("apiKeys.batch.copied", { count: tokens.length }));
    else setRefused(tokens);
  };
  const close = useCallback(() => setRefused(NONE), []);
  return { copy, refused, close };
}
