import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import type { TFunction } from "i18next";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText, ManualCopyDialog } from "../../../components/display/CopyButton.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip, type ToneName } from "../../../components/display/StatusChip.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Row } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { failureText } from "../../../state/failure-text.ts";
import { causeOf } from "./failure.ts";
import { elapsedMsOf, firstTokenMsOf, isCall, LOG_TYPES, type LogEntry, otherOf, routeOf } from "./log-entry.ts";

/** A row of the log on a phone: user, time, cost and duration. */
export const LogCard = ({ entry, isAdmin }: { entry: LogEntry; isAdmin: boolean }) => {
  const { t } = useTranslation();
  const who = [isAdmin ? entry.username : "", entry.token_name].filter(Boolean).join(" · ");
  const count = (tokens: number) => formatNumber(tokens);
  return (
    <Box sx={{ fontSize: 12.5, color: "text.secondary" }}>
      <Row gap={2}>
        <Box component="span" sx={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>
          {who}
        </Box>
        <Box component="span" sx={{ color: "text.tertiary", whiteSpace: "nowrap" }}>
          <TimeAgo seconds={entry.created_at} />
        </Box>
        <Box sx={{ flex: 1 }} />
        <Box component="span" sx={{ color: "text.primary", fontSize: 13.5, fontWeight: 600 }}>
          <CostCell entry={entry} />
        </Box>
      </Row>
      <Row gap={2} sx={{ mt: 1.5 }}>
        {(!isCall(entry) || entry.failed) && <TypeCell entry={entry} />}
        {isCall(entry) && (
          <>
            {!entry.failed && (
              <span className="num">
                {t("logs.detail.tokensInOut", {
                  input: count(entry.prompt_tokens),
                  output: count(entry.completion_tokens),
                })}
              </span>
            )}
            <Box sx={{ flex: 1 }} />
            <LatencyCell entry={entry} />
          </>
        )}
      </Row>
    </Box>
  );
};

const KINDS: ReadonlyMap<number, readonly [string, ToneName]> = new Map([
  [LOG_TYPES.topUp, ["topUp", "info"]],
  [LOG_TYPES.manage, ["manage", "idle"]],
  [LOG_TYPES.system, ["system", "idle"]],
  [LOG_TYPES.checkIn, ["checkIn", "ok"]],
]);

/** The name of a row's type, with the status of a failed call. */
const typeText = (entry: LogEntry, t: TFunction): string => {
  const name = t(`logs.types.${entry.failed ? "failed" : (KINDS.get(entry.type)?.[0] ?? "consume")}`);
  const { status } = entry.failed ? otherOf(entry) : {};
  return status ? `${name} ${status}` : name;
};

/** As wide as what stands around the text of a failed call's mark. */
const MARK = "\u2003\u2003";

/** Why a failed call failed, in two or three words; empty: it did not. */
export const reasonText = (entry: LogEntry, t: TFunction): string => {
  const cause = causeOf(entry);
  return cause ? t(`failures.classes.${cause.class}.title`) : "";
};

/** The same as a cell, with the complete message on hover. */
export const ReasonText = ({ entry }: { entry: LogEntry }) => (
  <Box component="span" title={failureText(otherOf(entry)) || entry.content} sx={{ color: "tone.bad.text" }}>
    {reasonText(entry, useTranslation().t)}
  </Box>
);

/** What the type of a row takes in its column. */
export const typeColumnText = (entry: LogEntry, t: TFunction): string =>
  typeText(entry, t) + (entry.failed ? MARK : "");

/** The type of a row; marks failed calls. */
export const TypeCell = ({ entry }: { entry: LogEntry }) => {
  const { t } = useTranslation();
  const text = typeText(entry, t);
  if (entry.failed) return <StatusChip tone="bad">{text}</StatusChip>;
  const kind = KINDS.get(entry.type);
  if (!kind) {
    return (
      <StatusChip tone="idle" quiet dot={false}>
        {text}
      </StatusChip>
    );
  }
  const [, tone] = kind;
  return (
    <StatusChip tone={tone} dot={false} quiet={tone === "idle"}>
      {text}
    </StatusChip>
  );
};

const DECIMALS = 6;

/** The cost of a call, to six decimals; credits have a plus sign. */
export const CostCell = ({ entry }: { entry: LogEntry }) => {
  if (isCall(entry)) {
    return (
      <Box component="span" sx={entry.quota === 0 ? { color: "text.tertiary" } : {}}>
        <Money quota={entry.quota} decimals={DECIMALS} />
      </Box>
    );
  }
  if (entry.quota === 0) return <Dash />;
  const isIncome = entry.type === LOG_TYPES.topUp || entry.type === LOG_TYPES.checkIn;
  return (
    <Box component="span" sx={isIncome ? { color: "tone.ok.text", fontWeight: 550 } : {}}>
      {isIncome && entry.quota > 0 && "+"}
      <Money quota={entry.quota} exact />
    </Box>
  );
};

/** Quota units; a dash where they are not known. */
export const AmountCell = ({ amount }: { amount: number | null }) =>
  amount === null ? <Dash /> : <Money quota={amount} decimals={DECIMALS} />;

/** What the cell of durations shows, as one text; two blanks stand for the frame of the tag. */
export function latencyText(entry: LogEntry, t: TFunction): string {
  if (!isCall(entry)) return "";
  const firstMs = entry.is_stream ? firstTokenMsOf(otherOf(entry)) : null;
  const times = [elapsedMsOf(entry), ...(firstMs === null ? [] : [firstMs])].map(formatDuration).join(" / ");
  return `${times}  ${t(entry.is_stream ? "logs.stream" : "logs.noStream")}  `;
}

/** The call's duration, its time to first token, and whether it was streamed. */
export const LatencyCell = ({ entry }: { entry: LogEntry }) => {
  const { t } = useTranslation();
  if (!isCall(entry)) return <Dash />;
  const elapsedMs = elapsedMsOf(entry);
  const firstMs = entry.is_stream ? firstTokenMsOf(otherOf(entry)) : null;
  return (
    <Row gap={2}>
      {/* An automatic margin, not justifyContent: what is too wide loses its end, never the first digits. */}
      <Box component="span" sx={{ ml: { sm: "auto" } }}>
        {/* A quick failure is no good answer. */}
        <Box component="span" sx={{ color: entry.failed ? "text.secondary" : `tone.${elapsedTone(elapsedMs)}.text` }}>
          {formatDuration(elapsedMs)}
        </Box>
        {firstMs !== null && (
          <Box component="span" sx={{ color: "text.tertiary" }}>
            {" / "}
            <Box component="span" sx={{ color: entry.failed ? "inherit" : `tone.${firstTokenTone(firstMs)}.text` }}>
              {formatDuration(firstMs)}
            </Box>
          </Box>
        )}
      </Box>
      <Tag>{t(entry.is_stream ? "logs.stream" : "logs.noStream")}</Tag>
    </Row>
  );
};

/** Stands in for a number that doesn't apply. */
export const Dash = () => (
  <Box component="span" sx={{ color: "text.tertiary" }}>
    –
  </Box>
);

type LatencyTone = "ok" | "warn" | "bad";

/** Color of a call's whole time: under 101 s green, under 300 s orange, else red. */
export const elapsedTone = (elapsedMs: number): LatencyTone => toneOf(elapsedMs / 1000, 101, 300);

/** Color of the time to the first token: under 3 s green, under 10 s orange, else red. */
export const firstTokenTone = (firstTokenMs: number): LatencyTone => toneOf(firstTokenMs / 1000, 3, 10);

function toneOf(seconds: number, ok: number, warn: number): LatencyTone {
  if (seconds < ok) return "ok";
  return seconds < warn ? "warn" : "bad";
}

/** The ids of the channels that the call tried, if more than one. */
export const RetryCell = ({ entry }: { entry: LogEntry }) => {
  const channels = otherOf(entry).admin_info?.use_channel ?? [];
  if (channels.length < 2) return <Dash />;
  return (
    <Tip title={routeOf(entry).join(" → ")}>
      <span>
        <Tag>{channels.join(" → ")}</Tag>
      </span>
    </Tip>
  );
};

/** What the cells of channel and retries say, with room for their tags. */
export const retryText = (entry: LogEntry): string => {
  const channels = otherOf(entry).admin_info?.use_channel ?? [];
  return channels.length < 2 ? "" : `${channels.join(" → ")}    `;
};
export const channelText = (entry: LogEntry): string => {
  const { length } = routeOf(entry);
  return `${entry.channel_name || `#${entry.channel}`}${length > 1 ? `    ×${length}    ` : ""}`;
};

/** The channel that responded, and how many were tried. */
export const ChannelCell = ({ entry }: { entry: LogEntry }) => {
  if (!entry.channel) return <Dash />;
  const route = routeOf(entry);
  return (
    <Row gap={1.5}>
      <Box
        component="span"
        title={`#${entry.channel} ${entry.channel_name}`}
        sx={{ color: "text.secondary", overflow: "hidden", textOverflow: "ellipsis" }}
      >
        {entry.channel_name || `#${entry.channel}`}
      </Box>
      {route.length > 1 && (
        <Tip title={route.join(" → ")}>
          <span>
            <Tag>×{route.length}</Tag>
          </span>
        </Tip>
      )}
    </Row>
  );
};

/** A text that a click copies; shows it for manual copying if the browser refuses. */
export const CopyText = ({ text, strong, children }: { text: string; strong?: boolean; children?: ReactNode }) => {
  const { t } = useTranslation();
  const [isRefused, setRefused] = useState(false);
  return (
    <>
      <ButtonBase
        aria-label={t("logs.copyText", { text })}
        title={text}
        onClick={async (event) => {
          event.stopPropagation();
          if (await copyText(text)) notifyDone(t("logs.copied", { text }));
          else setRefused(true);
        }}
        sx={{
          maxWidth: "100%",
          fontSize: "inherit",
          lineHeight: "inherit",
          borderRadius: "4px",
          verticalAlign: "bottom",
          justifyContent: "flex-start",
          fontWeight: strong ? 550 : 400,
          "&:hover": { bgcolor: "tone.idle.tint" },
        }}
      >
        <Box component="span" sx={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>
          {text}
        </Box>
        {children}
      </ButtonBase>
      {isRefused && <ManualCopyDialog text={text} onClose={() => setRefused(false)} />}
    </>
  );
};
