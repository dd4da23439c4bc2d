import type { WithdrawalView } from "../../../../src/domain/wallet/agents/withdrawals.ts";
import type { ToneName } from "../../../components/display/StatusChip.tsx";
import type { ListColumn } from "../../../components/page/list/column-kinds.tsx";

export const WITHDRAWAL_STATUSES = ["requested", "approved", "paid", "rejected"] as const;

const TONES: Readonly<Record<(typeof WITHDRAWAL_STATUSES)[number], ToneName>> = {
  ...{ requested: "warn", approved: "info", paid: "ok", rejected: "bad" },
};

/** A note; the full text on hover if the column is too narrow. */
const note = (key: "account" | "note" | "reply", head: string): ListColumn<WithdrawalView> => ({
  key,
  head,
  cell: (row) => <span title={row[key]}>{row[key] || "–"}</span>,
});

/** The columns of withdrawals; administrators also see the user. */
export const withdrawalColumns = (isForAdmins: boolean): readonly ListColumn<WithdrawalView>[] => [
  {
    key: "id",
    head: "agents.requests.number",
    width: 64,
    isTitle: true,
    cell: ({ id }) => <span className="num">#{id}</span>,
  },
  {
    ...{ key: "user", kind: "text", head: "agents.requests.user", of: "username", sortKey: "username", width: 120 },
    isShown: () => isForAdmins,
  },
  {
    ...{ key: "created", kind: "time", head: "agents.requests.time", of: "created_time", sortKey: "created_time" },
    width: 110,
  },
  { key: "quota", kind: "money", strong: true, head: "agents.requests.quota", sortKey: "quota", width: 110 },
  note("account", "agents.withdraw.account"),
  note("note", "agents.note"),
  {
    key: "status",
    kind: "status",
    head: "agents.requests.status",
    sortKey: "status",
    width: 120,
    of: ({ status }) => {
      const known = WITHDRAWAL_STATUSES.find((one) => one === status) ?? "requested";
      return { tone: TONES[known], text: `agents.statuses.${known}` };
    },
  },
  note("reply", "agents.requests.reply"),
];
