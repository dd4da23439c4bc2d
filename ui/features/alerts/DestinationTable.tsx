import Block from "@mui/icons-material/BlockOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import NotificationsActive from "@mui/icons-material/NotificationsActiveOutlined";
import Send from "@mui/icons-material/SendOutlined";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../components/data-table/column.ts";
import { DataTable } from "../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../components/data-table/use-data-table.ts";
import { StatusChip } from "../../components/display/StatusChip.tsx";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";
import { notifyDone, notifyError } from "../../components/feedback/notify.tsx";
import { useAction } from "../../components/feedback/use-action.ts";
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

type DestinationTableProps = Readonly<{
  scope: AlertScope;
  /** The button that adds one. */
  add: ReactNode;
  onEdit: (destination: Destination) => void;
}>;

/** Where alerts go: try, edit, switch off and delete. */
export const DestinationTable = ({ scope, add, onEdit }: DestinationTableProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const list = useQuery(destinationList(scope));
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
  const remove = ({ id, name }: Destination) =>
    act({
      question: {
        title: t("alerts.deleteTitle", { name }),
        body: t("alerts.deleteBody"),
        action: t("alerts.delete"),
        isDangerous: true,
      },
      work: () => deleteDestination(scope, id),
      done: () => t("alerts.deletedToast", { name }),
    });
  const columns = useDestinationColumns();
  const model = useDataTable({
    columns,
    rows: list.data,
    rowId: ({ id }) => id,
    rowName: ({ name }) => name,
    actions: (destination) => [
      { label: t("alerts.test"), icon: <Send />, onSelect: () => void test(destination) },
      { label: t("alerts.edit"), icon: <Edit />, onSelect: () => onEdit(destination) },
      {
        label: t(destination.enabled ? "alerts.disable" : "alerts.enable"),
        icon: destination.enabled ? <Block /> : <Check />,
        onSelect: () => void toggle(destination),
      },
      { label: t("alerts.delete"), icon: <Delete />, onSelect: () => void remove(destination), isDangerous: true },
    ],
  });
  return (
    <DataTable
      model={model}
      error={list.error}
      onRetry={() => void list.refetch()}
      onOpen={onEdit}
      isDim={({ enabled }) => !enabled}
      empty={
        <EmptyState
          icon={<NotificationsActive />}
          title={t("alerts.empty.title")}
          body={t(`alerts.empty.${scope}`)}
          action={add}
        />
      }
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
