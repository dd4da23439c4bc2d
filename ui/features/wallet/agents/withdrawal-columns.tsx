import type { TFunction } from "i18next";
import type { WithdrawalView } from "../../../../src/domain/wallet/agents/withdrawals.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip, type ToneName } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";

export const WITHDRAWAL_STATUSES = ["requested", "approved", "paid", "rejected"] as const;
type Status = (typeof WITHDRAWAL_STATUSES)[number];

const TONES: Readonly<Record<Status, ToneName>> = { requested: "warn", approved: "info", paid: "ok", rejected: "bad" };

/** The columns of withdrawals; administrators also see the user. */
export const withdrawalColumns = (t: TFunction, isForAdmins: boolean): Column<WithdrawalView>[] => [
  {
    key: "id",
    head: t("agents.requests.number"),
    width: 64,
    isTitle: true,
    cell: (row) => <span className="num">#{row.id}</span>,
  },
  ...(isForAdmins
    ? [
        {
          key: "user",
          head: t("agents.requests.user"),
          sortKey: "username",
          width: 120,
          cell: (row: WithdrawalView) => row.username,
        },
      ]
    : []),
  {
    key: "created",
    head: t("agents.requests.time"),
    sortKey: "created_time",
    width: 110,
    cell: (row) => <TimeAgo seconds={row.created_time} />,
  },
  {
    key: "quota",
    head: t("agents.requests.quota"),
    sortKey: "quota",
    width: 110,
    align: "right",
    cell: (row) => <Money quota={row.quota} strong />,
  },
  { key: "account", head: t("agents.withdraw.account"), cell: (row) => <Words text={row.account} /> },
  { key: "note", head: t("agents.note"), cell: (row) => <Words text={row.note} /> },
  {
    key: "status",
    head: t("agents.requests.status"),
    sortKey: "status",
    width: 120,
    isSolid: true,
    cell: ({ status: rawStatus }) => {
      const status = WITHDRAWAL_STATUSES.find((known) => known === rawStatus) ?? "requested";
      return <StatusChip tone={TONES[status]}>{t(`agents.statuses.${status}`)}</StatusChip>;
    },
  },
  { key: "reply", head: t("agents.requests.reply"), cell: (row) => <Words text={row.reply} /> },
];

/** A note; the full text on hover if the column is too narrow. */
const Words = ({ text }: { text: string }) => <span title={text}>{text || "–"}</span>;
