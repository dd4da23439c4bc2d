import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { LogOther } from "../../../../src/billing/types.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Count, Money } from "../../../components/display/Money.tsx";
import { Receipt } from "../../../components/display/Receipt.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { ViewDialog } from "../../../components/feedback/FormDialog.tsx";
import { Col, Row, usePhone } from "../../../components/layout.tsx";
import { useSeenReceipt } from "../../../components/page/use-seen-receipt.ts";
import { causeOf } from "../entries/failure.ts";
import { isCall, type LogEntry, otherOf } from "../entries/log-entry.ts";
import { userFacts } from "../entries/log-queries.ts";
import { ExchangePart } from "./exchange/ExchangePart.tsx";
import { Facts } from "./Facts.tsx";
import { FailurePart } from "./FailurePart.tsx";
import { ShareTools } from "./ShareTools.tsx";
import { Waterfall } from "./Waterfall.tsx";

type LogDetailProps = Readonly<{
  entry: LogEntry;
  /** Below a row of the log, on the request's page, or for a visitor who is not signed in. */
  place?: "row" | "page" | "visitor";
}>;

/** The details of a row: receipt, attempts, timing and outcome. */
export const LogDetail = ({ entry, place = "row" }: LogDetailProps) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const other = otherOf(entry);
  useSeenReceipt(isCall(entry) && place !== "visitor");
  const { attempts = [], exchange } = other.admin_info ?? {};
  const cause = causeOf(entry);
  return (
    <Box sx={isPhone ? { pt: 3 } : { p: 4, pl: place === "page" ? 4 : 9, pt: 2 }}>
      {isCall(entry) && place !== "visitor" && <ShareTools entry={entry} isPage={place === "page"} />}
      {cause && <FailurePart entry={entry} cause={cause} isVisitor={place === "visitor"} />}
      <Box
        sx={{
          display: "grid",
          gridTemplateColumns: isPhone || !isCall(entry) ? "minmax(0, 1fr)" : "minmax(0, 452px) minmax(0, 1fr)",
          gap: isPhone ? 4 : 6,
          alignItems: "start",
        }}
      >
        {isCall(entry) && (!cause || other.receipt) && (
          <Part title={t("logs.detail.receipt")}>
            {other.receipt ? (
              <Receipt
                receipt={other.receipt}
                group={entry.group}
                reserved={other.reserved}
                refunded={other.refunded}
                planDraws={other.plan_draws}
                paid={entry.quota}
              />
            ) : (
              <Box sx={{ fontSize: 13, color: "text.secondary" }}>
                {t(entry.quota === 0 ? "logs.detail.free" : "logs.detail.noReceipt")}
              </Box>
            )}
          </Part>
        )}
        <Col gap={4}>
          {attempts.length > 0 && (
            <Part title={t("logs.detail.attempts")}>
              <Waterfall attempts={attempts} />
            </Part>
          )}
          {other.dropped && other.dropped.length > 0 && (
            <Part title={t("logs.detail.dropped")}>
              <Row gap={1.5} wrap>
                {other.dropped.map((field) => (
                  <StatusChip key={field} tone="warn" dot={false}>
                    <code>{field}</code>
                  </StatusChip>
                ))}
              </Row>
            </Part>
          )}
          <Part title={t("logs.detail.request")}>
            <Facts entry={entry} other={other} />
          </Part>
        </Col>
      </Box>
      <Content other={other} />
      {exchange && <ExchangePart client={exchange.client} upstream={exchange.upstream} />}
    </Box>
  );
};

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <Box component="section" sx={{ minWidth: 0 }}>
    <Box
      component="h3"
      sx={{ m: 0, mb: 2, fontSize: 12, lineHeight: "16px", fontWeight: 600, color: "text.secondary" }}
    >
      {title}
    </Box>
    {children}
  </Box>
);

const TEXTS = [
  ["systemPrompt", "system_prompt"],
  ["context", "context"],
  ["inputContent", "input_content"],
  ["outputContent", "output_content"],
] as const;

/** The content of prompts and responses, if the site logs it; long texts are collapsed. */
const Content = ({ other }: { other: Partial<LogOther> }) => {
  const { t } = useTranslation();
  const texts = TEXTS.flatMap(([name, field]) => {
    const text = other[field];
    return text ? [{ name, text }] : [];
  });
  if (texts.length === 0) return null;
  return (
    <Col gap={4} sx={{ mt: 5 }}>
      {texts.map(({ name, text }) => (
        <FoldedText key={name} title={t(`logs.detail.${name}`)} text={text} />
      ))}
    </Col>
  );
};

const FOLDED_CHARACTERS = 400;

const FoldedText = ({ title, text }: { title: string; text: string }) => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > FOLDED_CHARACTERS;
  return (
    <Box component="section">
      <Row gap={1} sx={{ mb: 1, minHeight: 24 }}>
        <Box component="h3" sx={{ m: 0, fontSize: 12, fontWeight: 600, color: "text.secondary" }}>
          {title}
        </Box>
        <CopyButton text={text} />
        {isLong && (
          <Button
            size="small"
            variant="text"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            sx={{ height: 24 }}
          >
            {isOpen ? t("logs.detail.showLess") : t("logs.detail.showMore")}
          </Button>
        )}
      </Row>
      <Box
        sx={{
          p: 3,
          fontSize: 12.5,
          lineHeight: "19px",
          whiteSpace: "pre-wrap",
          overflowWrap: "anywhere",
          border: "1px solid",
          borderColor: "line.main",
          borderRadius: 1,
          bgcolor: "surface.paper",
        }}
      >
        {isLong && !isOpen ? `${text.slice(0, FOLDED_CHARACTERS)}…` : text}
      </Box>
    </Box>
  );
};

/** Balance, use and number of requests of a user, for administrators. */
export const UserDialog = ({ id, onClose }: { id: number; onClose: () => void }) => {
  const { t } = useTranslation();
  const { data: user, error, refetch } = useQuery(userFacts(id));
  const wait = <Skeleton variant="rounded" width={96} height={14} sx={{ my: "3px" }} />;
  return (
    <ViewDialog title={t("logs.user.title", { name: user?.username ?? `#${id}` })} width="xs" onClose={onClose}>
      {error ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : (
        <KeyValue
          items={[
            [t("logs.user.balance"), user ? <Money key="balance" quota={user.quota} decimals={6} /> : wait],
            [t("logs.user.used"), user ? <Money key="used" quota={user.used_quota} decimals={6} /> : wait],
            [t("logs.user.requests"), user ? <Count key="requests" value={user.request_count} /> : wait],
          ]}
        />
      )}
    </ViewDialog>
  );
};
