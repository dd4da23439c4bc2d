import Block from "@mui/icons-material/BlockOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import NotificationsActive from "@mui/icons-material/NotificationsActiveOutlined";
import Send from "@mui/icons-material/SendOutlined";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../components/data-table/column.ts";
import { StatusChip } from "../../components/display/StatusChip.tsx";
import { notifyDone, notifyError } from "../../components/feedback/notify.tsx";
import { useAction } from "../../components/feedback/use-action.ts";
import { ResourcePart } from "../../components/page/ResourcePage.tsx";
import {
  type AlertScope,
  changeDestination,
  DELIVERIES_KEY,
  type Delivery,
  type Destination,
  deleteDestination,
  destinationList,
  testDestination,
} from "./alert-calls.ts";
import { DestinationDrawer } from "./DestinationDrawer.tsx";

const TEXTS: Readonly<Record<string, string>> = {
  title: "alerts.destinations",
  purpose: "alerts.destinationsHint",
  deleted: "alerts.deletedToast",
};

/** Where alerts go: try, edit, switch off and delete. */
export const DestinationList = ({ scope }: { scope: AlertScope }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => {
    void client.invalidateQueries(destinationList(scope));
    void client.invalidateQueries({ queryKey: DELIVERIES_KEY });
  });
  const report = useReportDelivery();
  const test = ({ id }: Destination) => act({ work: async () => report(await testDestination(scope, id)) });
  const toggle = ({ id, enabled, ...destination }: Destination) =>
    act({
      work: () => changeDestination(scope, id, { ...destination, enabled: !enabled, config: {} }),
      done: (changed) => t(changed.enabled ? "alerts.enabledToast" : "alerts.disabledToast", { name: changed.name }),
    });
  const remove = async (id: number) => {
    await deleteDestination(scope, id);
    // Its deliveries go with it.
    void client.invalidateQueries({ queryKey: DELIVERIES_KEY });
  };
  return (
    <ResourcePart
      isMain
      text={(name) => (name === "empty.body" ? `alerts.empty.${scope}` : (TEXTS[name] ?? `alerts.${name}`))}
      list={useQuery(destinationList(scope))}
      columns={useDestinationColumns()}
      icon={<NotificationsActive />}
      actions={(destination, edit) => [
        { label: t("alerts.test"), icon: <Send />, onSelect: () => void test(destination) },
        edit,
        {
          label: t(destination.enabled ? "alerts.disable" : "alerts.enable"),
          icon: destination.enabled ? <Block /> : <Check />,
          onSelect: () => void toggle(destination),
        },
      ]}
      remove={remove}
      isDim={({ enabled }) => !enabled}
      drawer={(destination, onClose) => <DestinationDrawer scope={scope} destination={destination} onClose={onClose} />}
    />
  );
};

/** Says what became of a message that somebody sent by hand. */
export function useReportDelivery(): (delivery: Delivery) => void {
  const { t } = useTranslation();
  return ({ status, error, destination_name: name }) => {
    if (status === "delivered") notifyDone(t("alerts.sentToast", { name }));
    else notifyError(new Error(t("alerts.notSent", { name, error })));
  };
}

function useDestinationColumns(): readonly Column<Destination>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      { key: "name", head: t("alerts.columns.name"), isTitle: true, cell: ({ name }) => name },
      { key: "type", head: t("alerts.columns.type"), width: 160, cell: ({ type }) => t(`alerts.types.${type}`) },
      { key: "target", head: t("alerts.columns.target"), width: 220, cell: ({ target }) => target || "–" },
      {
        key: "language",
        head: t("alerts.columns.language"),
        width: 120,
        cell: ({ language }) => (language === "zh" ? "中文" : "English"),
      },
      {
        key: "state",
        head: t("alerts.columns.state"),
        width: 112,
        isSolid: true,
        cell: ({ enabled }) => (
          <StatusChip tone={enabled ? "ok" : "idle"}>
            {t(enabled ? "alerts.states.on" : "alerts.states.off")}
          </StatusChip>
        ),
      },
    ],
    [t],
  );
}
