import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useAction } from "../../../../components/feedback/use-action.ts";
import { createScimToken, deleteProvider, type Provider, providers, revokeScimToken } from "./provider-calls.ts";

/** What the menu of an identity provider does; `onToken` shows a token that was just made. */
export function useProviderActions(onToken: (name: string, token: string) => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => client.invalidateQueries(providers));
  return {
    makeToken: ({ id, name, scim }: Provider) =>
      act({
        question: scim
          ? {
              title: t("providers.scim.replaceTitle", { name }),
              body: t("providers.scim.replaceBody"),
              action: t("providers.scim.replace"),
              isDangerous: true,
            }
          : undefined,
        work: async () => onToken(name, await createScimToken(id)),
      }),
    revokeToken: ({ id, name }: Provider) =>
      act({
        question: {
          title: t("providers.scim.revokeTitle", { name }),
          body: t("providers.scim.revokeBody"),
          action: t("providers.scim.revoke"),
          isDangerous: true,
        },
        work: () => revokeScimToken(id),
        done: () => t("providers.scim.revoked", { name }),
      }),
    remove: ({ id, name }: Provider) =>
      act({
        question: {
          title: t("providers.deleteTitle", { name }),
          body: t("providers.deleteBody"),
          action: t("providers.delete"),
          isDangerous: true,
        },
        work: () => deleteProvider(id),
        done: () => t("providers.deleted", { name }),
      }),
  };
}
