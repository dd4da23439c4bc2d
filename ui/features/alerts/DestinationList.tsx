import NotificationsActive from "@mui/icons-material/NotificationsActiveOutlined";
import Send from "@mui/icons-material/SendOutlined";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { notifyDone } from "../../components/feedback/notify.tsx";
import { ListPart } from "../../components/page/list/ListPage.tsx";
import type { ResourceList } from "../../components/page/list/resource-list.ts";
import { deleting, editing, switching } from "../../components/page/list/standard-actions.tsx";
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
};

/** Where the alerts of a scope go: try, edit, switch off and delete. */
export const destinationsOf = (scope: AlertScope): ResourceList<Destination> => ({
  text: (name) => TEXTS[name] ?? `alerts.${name}`,
  icon: NotificationsActive,
  rows: { useAll: () => useQuery(destinationList(scope)) },
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  columns: [
    { key: "name", kind: "text", isTitle: true },
    { key: "type", kind: "choice", texts: "alerts.types", width: 160 },
    { key: "target", kind: "text", width: 220 },
    { key: "language", kind: "text", width: 120, of: ({ language }) => (language === "zh" ? "中文" : "English") },
    { key: "state", kind: "status", width: 112, of: stateOf },
  ],
  add: { name: "add", open: (_, close) => <DestinationDrawer scope={scope} destination={null} onClose={close} /> },
  actions: [
    {
      name: "test",
      icon: Send,
      work: async ({ id }, { t }) => reportDelivery(await testDestination(scope, id), t),
    },
    editing((destination, close) => <DestinationDrawer scope={scope} destination={destination} onClose={close} />),
    ...switching<Destination>({
      isOn: ({ enabled }) => enabled,
      work: ({ id, ...destination }, enabled) => changeDestination(scope, id, { ...destination, enabled, config: {} }),
      done: { on: "alerts.enabledToast", off: "alerts.disabledToast" },
    }),
    deleting(({ id }) => deleteDestination(scope, id), "alerts.deletedToast"),
  ],
  onRow: ["edit"],
  empty: { title: "alerts.empty.title", body: `alerts.empty.${scope}` },
  isDim: ({ enabled }) => !enabled,
  // The deliveries of a destination go with it.
  reload: [destinationList(scope), { queryKey: DELIVERIES_KEY }],
});

/** Whether it is on. */
export const stateOf = ({ enabled }: Readonly<{ enabled: boolean }>) =>
  ({ tone: enabled ? "ok" : "idle", text: enabled ? "alerts.states.on" : "alerts.states.off" }) as const;

/** Says what became of a message that somebody sent by hand. Rejects with the reason why it was not delivered. */
export function reportDelivery({ status, error, destination_name: name }: Delivery, t: TFunction): void {
  if (status !== "delivered") throw new Error(t("alerts.notSent", { name, error }));
  notifyDone(t("alerts.sentToast", { name }));
}

export const DestinationList = ({ scope }: { scope: AlertScope }) => (
  <ListPart isMain list={useMemo(() => destinationsOf(scope), [scope])} />
);
