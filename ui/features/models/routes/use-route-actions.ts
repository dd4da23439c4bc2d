import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { definitionOf, deleteRoute, type RouteView, routes, updateRoute } from "./route-calls.ts";

/** Actions on a route of the list. */
export function useRouteActions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  const run = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      notifyDone(done);
    } catch (error) {
      notifyError(error);
    } finally {
      void client.invalidateQueries(routes);
    }
  };
  return {
    toggle: (route: RouteView) => {
      const { name, enabled = true } = route;
      const change = () => updateRoute(name, name, { ...definitionOf(route), enabled: !enabled });
      return run(change, t(enabled ? "routes.disabledToast" : "routes.enabledToast", { name }));
    },
    remove: async ({ name }: RouteView) => {
      const question = {
        title: t("routes.deleteTitle", { name }),
        body: t("routes.deleteBody"),
        action: t("routes.deleteAction"),
        isDangerous: true,
      };
      if (await confirm(question)) await run(() => deleteRoute(name), t("routes.deletedToast", { name }));
    },
  };
}
