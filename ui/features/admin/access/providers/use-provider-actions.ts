import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError } from "../../../../components/feedback/notify.tsx";
import { createScimToken, deleteProvider, type Provider, providers, revokeScimToken } from "./provider-calls.ts";

/** What the menu of an identity provider does; `onToken` shows a token that was just made. */
export function useProviderActions(onToken: (name: string, token: string) => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  const run = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      notifyError(error);
    } finally {
      void client.invalidateQueries(providers);
    }
  };
  return {
    makeToken: async ({ id, name, scim }: Provider) => {
      const isSure =
        !scim ||
        (await confirm({
          title: t("providers.scim.replaceTitle", { name }),
          body: t("providers.scim.replaceBody"),
          action: t("providers.scim.replace"),
          isDangerous: true,
        }));
      if (isSure) await run(async () => onToken(name, await createScimToken(id)));
    },
    revokeToken: async ({ id, name }: Provider) => {
      const isSure = await confirm({
        title: t("providers.scim.revokeTitle", { name }),
        body: t("providers.scim.revokeBody"),
        action: t("providers.scim.revoke"),
        isDangerous: true,
      });
      if (!isSure) return;
      await run(async () => {
        await revokeScimToken(id);
        notifyDone(t("providers.scim.revoked", { name }));
      });
    },
    remove: async ({ id, name }: Provider) => {
      const isSure = await confirm({
        title: t("providers.deleteTitle", { name }),
        body: t("providers.deleteBody"),
        action: t("providers.delete"),
        isDangerous: true,
      });
      if (!isSure) return;
      await run(async () => {
        await deleteProvider(id);
        notifyDone(t("providers.deleted", { name }));
      });
    },
  };
}
