import Download from "@mui/icons-material/FileDownloadOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery } from "@tanstack/react-query";
import Big from "big.js";
import { useTranslation } from "react-i18next";
import type { CreditKind, Party, StatementContent, UsageLine } from "../../../../db/schema/wallet/statements.ts";
import type { StatementDocument } from "../../../../src/domain/wallet/statements/documents.ts";
import { useActing } from "../../../api/accounts/use-organization.ts";
import { openFile } from "../../../components/display/DownloadButton.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Section, SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { Row } from "../../../components/layout.tsx";
import { moneyText } from "../../../lib/format/money.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { requestStatement, type StatementRef, statement } from "./statement-calls.ts";
import { kindOf } from "./statement-columns.tsx";

const CREDIT_KINDS: readonly CreditKind[] = ["topUps", "codes", "rewards", "plans", "adjustments", "other"];

const FORMATS = ["pdf", "csv"] as const;

/** A document with its lines, and its downloads. */
export const StatementDrawer = ({ target, onClose }: { target: StatementRef; onClose: () => void }) => {
  const { t, i18n } = useTranslation();
  const { may } = useActing();
  const { data, error, refetch } = useQuery(statement(target));
  const download = useMutation({
    mutationFn: (format: "pdf" | "csv") => requestStatement(target, format, i18n.language),
    onSuccess: openFile,
    onError: notifyError,
  });
  const title = data ? t(`wallet.statements.kinds.${kindOf(data)}`) : t("wallet.statements.kinds.statement");
  return (
    <SideDrawer
      title={title}
      subtitle={data && [data.number ?? t("wallet.statements.draft"), data.month].join(" · ")}
      onClose={onClose}
      isText
      footer={(close) => (
        <>
          {(may("exports.download") ? FORMATS : []).map((format) => (
            <Button
              key={format}
              startIcon={<Download />}
              loading={download.isPending && download.variables === format}
              loadingPosition="start"
              disabled={!data}
              onClick={() => download.mutate(format)}
            >
              {format.toUpperCase()}
            </Button>
          ))}
          <Box sx={{ flex: 1 }} />
          <Button onClick={close}>{t("components.close")}</Button>
        </>
      )}
    >
      {data ? (
        <Document document={data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton variant="rounded" height={320} />
      )}
    </SideDrawer>
  );
};

const Document = ({ document }: { document: StatementDocument }) => {
  const { t } = useTranslation();
  const { content, kind, number } = document;
  return (
    <>
      {number === null && <Note>{t("wallet.statements.draftNote")}</Note>}
      {kind === "correction" && <Note>{t("wallet.statements.correctionNote", { month: document.month })}</Note>}
      {kind !== "credit_note" && (
        <Section title={t("wallet.statements.summary")}>
          {kind === "correction" ? (
            <Line name={t(`wallet.statements.kinds.${kindOf(document)}`)} quota={document.closing} strong />
          ) : (
            <>
              <Line name={t("wallet.statements.opening")} quota={document.opening} />
              {CREDIT_KINDS.filter((credit) => content.credits[credit] !== 0).map((credit) => (
                <Line key={credit} name={t(`wallet.statements.credits.${credit}`)} quota={content.credits[credit]} />
              ))}
              <Line name={t("wallet.statements.usage")} quota={-document.charged} />
              <Line name={t("wallet.statements.closing")} quota={document.closing} strong />
            </>
          )}
        </Section>
      )}
      <Orders orders={content.orders} />
      <Taxes orders={content.orders} />
      <Usage title={t("wallet.statements.byModel")} lines={content.models} />
      <Usage title={t("wallet.statements.byKey")} lines={content.keys} />
      {content.tags && <Usage title={t("wallet.statements.byTag")} lines={content.tags} />}
      {content.included && <Usage title={t("wallet.statements.included")} lines={content.included} />}
      <Section
        title={t("wallet.statements.parties")}
        {...(number !== null && { hint: t("wallet.statements.partiesHint") })}
      >
        <Row gap={6} wrap sx={{ alignItems: "flex-start", rowGap: 3 }}>
          <PartyBlock role={t("wallet.statements.issuer")} party={content.issuer} />
          <PartyBlock role={t("wallet.statements.recipient")} party={content.recipient} />
        </Row>
      </Section>
    </>
  );
};

const Note = ({ children }: { children: string }) => (
  <Box sx={{ mb: 4, fontSize: 13, color: "text.secondary" }}>{children}</Box>
);

const Line = ({ name, quota, strong = false }: { name: string; quota: number; strong?: boolean }) => (
  <Row sx={{ fontSize: 13, justifyContent: "space-between", fontWeight: strong ? 620 : 400 }}>
    <span>{name}</span>
    <Money quota={quota} decimals={6} />
  </Row>
);

const Orders = ({ orders }: { orders: StatementContent["orders"] }) => {
  const { t, i18n } = useTranslation();
  if (orders.length === 0) return null;
  return (
    <Section title={t("wallet.statements.orders")}>
      {orders.map(({ tradeNo, time, money, currency, quota, isRefund }) => (
        <Row key={`${tradeNo}${isRefund ? ` refund ${time} ${money}` : ""}`} gap={3} sx={{ fontSize: 13 }}>
          <Box sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere" }}>
            <OrderName tradeNo={tradeNo} isRefund={isRefund === true} />
          </Box>
          <Box className="num" sx={{ color: "text.secondary" }}>
            {moneyText(money, currency, i18n.language)}
          </Box>
          <Money quota={quota} decimals={6} />
        </Row>
      ))}
    </Section>
  );
};

/** The order's number; a refund is the credit note of its order. */
const OrderName = ({ tradeNo, isRefund }: { tradeNo: string; isRefund: boolean }) => {
  const { t } = useTranslation();
  return (
    <span>
      {isRefund && `${t("wallet.statements.refund")} `}
      <span className="mono">{tradeNo}</span>
    </span>
  );
};

/** Net and tax of each payment, where taxes were set up. */
const Taxes = ({ orders }: { orders: StatementContent["orders"] }) => {
  const { t, i18n } = useTranslation();
  const taxed = orders.flatMap(({ tax, ...order }) => (tax ? [{ ...order, tax }] : []));
  if (taxed.length === 0) return null;
  return (
    <Section title={t("wallet.statements.taxes")}>
      {taxed.map(({ tradeNo, time, money, currency, tax, isRefund }) => {
        const inCurrency = (amount: string) => moneyText(amount, currency, i18n.language);
        return (
          <Row
            key={`${tradeNo}${isRefund ? ` refund ${time} ${money}` : ""}`}
            gap={3}
            sx={{ fontSize: 13, justifyContent: "space-between" }}
          >
            <OrderName tradeNo={tradeNo} isRefund={isRefund === true} />
            <span className="num">
              {t("wallet.statements.taxLine", {
                net: inCurrency(new Big(money).minus(tax.amount).toString()),
                tax: inCurrency(tax.amount),
                basis: tax.reverseChargeTaxId
                  ? t("wallet.statements.reverseCharge", { id: tax.reverseChargeTaxId })
                  : `${tax.country} ${tax.rate}%`,
              })}
            </span>
          </Row>
        );
      })}
    </Section>
  );
};

const Usage = ({ title, lines }: { title: string; lines: readonly UsageLine[] }) => {
  const { t } = useTranslation();
  if (lines.length === 0) return null;
  return (
    <Section title={title}>
      {lines.map((line) => (
        <Row key={line.name} gap={3} sx={{ fontSize: 13 }}>
          <Box sx={{ flex: 1, minWidth: 0 }}>
            <Box sx={{ overflowWrap: "anywhere" }}>{line.name || t("wallet.statements.unnamed")}</Box>
            <Box className="num" sx={{ fontSize: 12, color: "text.tertiary" }}>
              {t("wallet.statements.calls", {
                count: line.calls,
                calls: formatNumber(line.calls),
                tokens: formatNumber(line.promptTokens + line.completionTokens),
              })}
            </Box>
          </Box>
          <Money quota={line.quota} decimals={6} />
        </Row>
      ))}
    </Section>
  );
};

const PartyBlock = ({ role, party }: { role: string; party: Party }) => {
  const { t } = useTranslation();
  return (
    <Box sx={{ flex: "1 1 200px", fontSize: 13, whiteSpace: "pre-line" }}>
      <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{role}</Box>
      <div>{party.name}</div>
      {party.address && <div>{party.address}</div>}
      {party.taxId && <div>{t("wallet.statements.taxId", { id: party.taxId })}</div>}
    </Box>
  );
};
