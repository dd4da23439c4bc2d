import Approve from "@mui/icons-material/CheckOutlined";
import Reject from "@mui/icons-material/CloseOutlined";
import Handshake from "@mui/icons-material/HandshakeOutlined";
import Pay from "@mui/icons-material/PaymentsOutlined";
import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import type { WithdrawalAction, WithdrawalView } from "../../../../src/domain/wallet/agents/withdrawals.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { agentApi } from "../../../api/groups.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import type { FilterValues, ListAction, ResourceList } from "../../../components/page/list/resource-list.ts";
import { decideWithdrawal } from "./agent-calls.ts";
import { WITHDRAWAL_STATUSES, withdrawalColumns } from "./withdrawal-columns.tsx";

/** Requests of any status. */
export const ALL = "all";

const queryOf = ({ text }: FilterValues) => {
  const status = text("status") || WITHDRAWAL_STATUSES[0];
  return { status: status === ALL ? "" : status };
};

/** A decision, for requests with one of these statuses. */
const decision = (
  name: WithdrawalAction,
  icon: typeof Pay,
  statuses: readonly string[],
): ListAction<WithdrawalView> => ({
  name,
  icon,
  needs: "billing:act",
  isDisabled: ({ status }) => !statuses.includes(status),
  isDangerous: name === "reject",
  open: (request, close) => <DecisionDialog request={request} action={name} onClose={close} />,
});

/** All users' withdrawals, of the status in the address, with the actions that decide them. */
export const WITHDRAWALS: ResourceList<WithdrawalView, ReturnType<typeof queryOf>> = {
  text: (name) => `agents.decide.${name}`,
  icon: Handshake,
  rows: {
    key: [...WALLET_KEY, "withdrawal-requests"],
    read: (query, signal) => readData(agentApi.requests.get({ query, fetch: { signal } })),
    defaultSort: "created_time",
  },
  query: queryOf,
  rowId: ({ id }) => id,
  rowName: ({ id }) => `#${id}`,
  unit: "agents.requests.unit",
  columns: withdrawalColumns(true),
  actions: [
    decision("approve", Approve, ["requested"]),
    decision("pay", Pay, ["approved"]),
    decision("reject", Reject, ["requested", "approved"]),
  ],
  empty: { title: "agents.requests.emptyTitle", body: "agents.requests.emptyBody" },
};

type Props = { request: WithdrawalView; action: WithdrawalAction; onClose: () => void };

/** Confirms a decision about a withdrawal, with an optional note to the user. */
const DecisionDialog = ({ request, action, onClose }: Props) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const amount = amountText(request.quota, format);
  return (
    <ResourceForm
      as="dialog"
      title={t(`agents.decide.${action}Title`, { amount, name: request.username })}
      action={t(`agents.decide.${action}`)}
      isNew
      text={(name) => `agents.decide.${name}`}
      initial={{ reply: "" }}
      rejectedField={() => "reply"}
      save={async ({ reply }) => {
        await decideWithdrawal(request.id, action, reply);
        return t("agents.decide.done");
      }}
      reload={[{ queryKey: WALLET_KEY }]}
      sections={() => [
        {
          fields: [
            <Box key="body" sx={{ fontSize: 13, overflowWrap: "anywhere" }}>
              {t(`agents.decide.${action}Body`, { account: request.account })}
            </Box>,
            { kind: "text", field: "reply", autoFocus: true, maxCharacters: 500 },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
