import Forward from "@mui/icons-material/ForwardToInboxOutlined";
import Replay from "@mui/icons-material/Replay";
import Box from "@mui/material/Box";
import type { ToneName } from "../../components/display/StatusChip.tsx";
import type { ResourceList } from "../../components/page/list/resource-list.ts";
import { type AlertScope, DELIVERIES_KEY, type Delivery, readDeliveries, resendDelivery } from "./alert-calls.ts";
import { reportDelivery } from "./DestinationList.tsx";

const REFRESH_MS = 5000;
const TONES: Readonly<Record<Delivery["status"], ToneName>> = { delivered: "ok", pending: "warn", failed: "bad" };

/** What was sent: each alert with its destination, attempts and outcome; any can be sent again. */
export const deliveriesOf = (scope: AlertScope): ResourceList<Delivery> => ({
  text: (name) => `alerts.log.${name}`,
  icon: Forward,
  rows: {
    key: [...DELIVERIES_KEY, scope],
    read: ({ p, page_size }, signal) => readDeliveries(scope, { p, page_size }, signal),
    pollMs: (rows) => (rows.some(({ status }) => status === "pending") ? REFRESH_MS : false),
  },
  rowId: ({ id }) => id,
  rowName: ({ title, destination_name: name }) => `${title}, ${name}`,
  unit: "alerts.log.unit",
  columns: [
    { key: "title", kind: "text", head: "alerts.log.columns.alert", isTitle: true },
    { key: "destination", kind: "text", of: "destination_name", width: 180 },
    {
      key: "status",
      kind: "status",
      width: 124,
      of: ({ status, error }) => ({
        tone: TONES[status],
        text: `alerts.log.states.${status}`,
        reason: error && <Box sx={{ overflowWrap: "anywhere" }}>{error}</Box>,
      }),
    },
    {
      key: "http",
      width: 80,
      align: "right",
      cell: ({ http_status: status }) => <span className="num">{status ?? "–"}</span>,
    },
    { key: "attempts", kind: "number", width: 96 },
    { key: "created", kind: "time", of: "created_at", width: 112 },
    { key: "next", kind: "time", of: "next_at", width: 112 },
  ],
  detail: (delivery) => <DeliveryDetail delivery={delivery} />,
  actions: [
    {
      name: "resend",
      icon: Replay,
      work: async ({ id }, { t }) => reportDelivery(await resendDelivery(scope, id), t),
    },
  ],
  reload: [{ queryKey: DELIVERIES_KEY }],
});

/** The message and, where an attempt failed, why. */
const DeliveryDetail = ({ delivery: { content, error } }: { delivery: Delivery }) => (
  <Box sx={{ p: 3, fontSize: 13, overflowWrap: "anywhere" }}>
    <Box>{content}</Box>
    {error !== "" && <Box sx={{ mt: 1, color: "tone.bad.text" }}>{error}</Box>}
  </Box>
);
