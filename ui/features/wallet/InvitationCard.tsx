import Redeem from "@mui/icons-material/RedeemOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Invitation } from "../../../src/domain/wallet/invitations/invitation.ts";
import { inviteCodeError } from "../../../src/domain/wallet/invitations/invite-code-rules.ts";
import type { RebateView } from "../../../src/domain/wallet/invitations/rebates.ts";
import { WALLET_KEY } from "../../api/accounts/wallet-key.ts";
import { CopyButton } from "../../components/display/CopyButton.tsx";
import { exactAmountText, Money, useMoneyFormat } from "../../components/display/Money.tsx";
import { ErrorState } from "../../components/feedback/ErrorState.tsx";
import { ResourceForm } from "../../components/form/ResourceForm.tsx";
import { Panel, Row } from "../../components/layout.tsx";
import type { PageQuery, ResourceList } from "../../components/page/list/resource-list.ts";
import { siteOrigin } from "../../lib/base-path.ts";
import { TransferDialog } from "./TransferDialog.tsx";
import { invitation, setInviteCode, transferRewards } from "./wallet-calls.ts";

/** The user's invitation link, its earnings and the rules. */
export const InvitationCard = () => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(invitation);
  return (
    <Panel title={t("rewards.invitation.title")} hint={data && t("rewards.invitation.joined", { count: data.count })}>
      {data ? (
        <Content invitation={data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton variant="rounded" height={96} />
      )}
    </Panel>
  );
};

const Content = ({ invitation: mine }: { invitation: Invitation }) => {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<"code" | "transfer" | null>(null);
  const link = `${siteOrigin()}/register?aff=${encodeURIComponent(mine.code)}`;
  return (
    <>
      <Row gap={6} sx={{ mb: 3, alignItems: "flex-end" }}>
        <Figure name={t("rewards.invitation.ready")} quota={mine.quota} />
        <Figure name={t("rewards.invitation.earned")} quota={mine.history_quota} />
        <Box sx={{ flex: 1 }} />
        <Button onClick={() => setDialog("transfer")} disabled={mine.quota < mine.min_transfer}>
          {t("rewards.invitation.transfer")}
        </Button>
      </Row>
      <Row wrap sx={{ rowGap: 2 }}>
        <Row
          gap={1}
          sx={{
            flex: "1 1 200px",
            pl: 2.5,
            height: 32,
            border: "1px solid",
            borderColor: "line.main",
            borderRadius: "7px",
            bgcolor: "surface.sunken",
          }}
        >
          <Box
            component="code"
            title={link}
            sx={{ flex: 1, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}
          >
            {link}
          </Box>
          <CopyButton text={link} label={t("rewards.invitation.copy")} />
        </Row>
        {!mine.code_modified && <Button onClick={() => setDialog("code")}>{t("rewards.invitation.choose")}</Button>}
      </Row>
      <Rules invitation={mine} />
      {dialog === "code" && <InviteCodeDialog onClose={() => setDialog(null)} />}
      {dialog === "transfer" && (
        <TransferDialog
          available={mine.quota}
          transfer={transferRewards}
          queryKey={invitation.queryKey}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  );
};

const Figure = ({ name, quota }: { name: string; quota: number }) => (
  <Box>
    <Box sx={{ fontSize: 12, lineHeight: "16px", color: "text.secondary" }}>{name}</Box>
    <Box sx={{ fontSize: 18, lineHeight: "26px", fontWeight: 620 }}>
      <Money quota={quota} />
    </Box>
  </Box>
);

const Rules = ({ invitation: mine }: { invitation: Invitation }) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const amount = (quota: number) => exactAmountText(quota, format);
  const rules = [
    mine.for_inviter > 0 && t("rewards.invitation.rules.inviter", { amount: amount(mine.for_inviter) }),
    mine.for_invitee > 0 && t("rewards.invitation.rules.invitee", { amount: amount(mine.for_invitee) }),
    mine.cashback_rate !== "0" && t("rewards.invitation.rules.cashback", { rate: mine.cashback_rate }),
    mine.cashback_rate !== "0" &&
      mine.min_cashback_quota > 0 &&
      t("rewards.invitation.rules.cashbackFrom", { amount: amount(mine.min_cashback_quota) }),
    t("rewards.invitation.rules.transfer", { amount: amount(mine.min_transfer) }),
  ].filter((rule) => typeof rule === "string");
  return (
    <Box component="ul" sx={{ m: 0, mt: 3, pl: 4, fontSize: 12, lineHeight: "18px", color: "text.secondary" }}>
      {rules.map((rule) => (
        <li key={rule}>{rule}</li>
      ))}
    </Box>
  );
};

/** Chooses the user's invitation code, which can't be changed later. */
const InviteCodeDialog = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  return (
    <ResourceForm
      as="dialog"
      title={t("rewards.code.title")}
      action={t("rewards.code.action")}
      isNew
      text={(name) => `rewards.code.${name}`}
      initial={{ code: "" }}
      check={({ code }) => ({ code: inviteCodeError(code) && "invite_code_malformed" })}
      fault={(fault) => t(`rewards.code.${fault}`)}
      follow={({ code = "" }) => ({ code: code.trim() })}
      rejectedField={() => "code"}
      save={async ({ code }) => {
        await setInviteCode(code);
        return t("rewards.code.done");
      }}
      reload={[{ queryKey: invitation.queryKey }]}
      sections={() => [
        {
          fields: [
            {
              kind: "text",
              field: "code",
              label: t("rewards.code.label"),
              hint: t("rewards.code.hint"),
              autoFocus: true,
              maxCharacters: 16,
              isCode: true,
            },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};

/** Earnings from others' top-ups; `read` returns all of them, or only dividends. */
export const rebatesOf = (
  name: string,
  read: (query: PageQuery, signal: AbortSignal) => Promise<Readonly<{ items: readonly RebateView[]; total: number }>>,
): ResourceList<RebateView> => ({
  text: (key) => `wallet.rebates.${key}`,
  icon: Redeem,
  rows: { key: [...WALLET_KEY, name], read, defaultSort: "created_time" },
  rowId: ({ id }) => id,
  rowName: ({ from }) => from,
  unit: "wallet.rebates.unit",
  columns: [
    {
      key: "from",
      kind: "text",
      head: "wallet.rebates.from",
      isTitle: true,
      of: ({ from }, { t }) => from || t("wallet.rebates.deleted"),
    },
    {
      key: "kind",
      kind: "text",
      head: "wallet.rebates.kind",
      sortKey: "kind",
      width: 130,
      of: ({ kind }, { t }) => t(kind === "dividend" ? "wallet.rebates.dividend" : "wallet.rebates.cashback"),
    },
    { key: "time", kind: "time", head: "wallet.rebates.time", of: "created_time", sortKey: "created_time", width: 140 },
    {
      ...{ key: "recharge", kind: "money", head: "wallet.rebates.recharge", of: "recharge_quota", width: 130 },
      sortKey: "recharge_quota",
    },
    {
      key: "rate",
      kind: "text",
      head: "wallet.rebates.rate",
      sortKey: "rate",
      width: 90,
      align: "right",
      of: ({ rate }) => `${Number(rate)}%`,
    },
    { key: "quota", kind: "money", strong: true, head: "wallet.rebates.quota", sortKey: "quota", width: 130 },
  ],
  empty: { title: "wallet.rebates.emptyTitle", body: "wallet.rebates.emptyBody" },
});
