import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../components/data-table/column.ts";
import { Count } from "../../../components/display/Money.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { clockTime, exactTime, formatDate } from "../../../lib/format/time.ts";
import { failureText } from "../../../state/failure-text.ts";
import {
  AmountCell,
  ChannelCell,
  CopyText,
  CostCell,
  channelText,
  Dash,
  LatencyCell,
  latencyText,
  ReasonText,
  RetryCell,
  reasonText,
  retryText,
  TypeCell,
  typeColumnText,
} from "../entries/log-cells.tsx";
import { costOf, groupOf, isCall, type LogEntry, marginOf, noteText, otherOf } from "../entries/log-entry.ts";
import { ratiosText } from "./Facts.tsx";

type LogColumn = Column<LogEntry> & { isForAdmins?: boolean };

/** The columns of the usage log; some are for administrators only. */
export function useLogColumns(isAdmin: boolean, showUser: (id: number) => void): readonly Column<LogEntry>[] {
  const { t, i18n } = useTranslation();
  return useMemo(() => {
    const columns = columnsOf(showUser, roomOf(isAdmin), t, i18n.language);
    return columns.filter(({ isForAdmins }) => isAdmin || !isForAdmins);
  }, [isAdmin, showUser, t, i18n.language]);
}

/** In narrower windows the cost column would be out of sight: the columns of the route go, those of a call's details before. */
const ROOM_FOR_ROUTE_PX = 1410;
const ROOM_FOR_DETAILS_PX = { admin: 1500, user: 1240 } as const;

/** Which columns a window has no room for. */
const roomOf = (isAdmin: boolean): Room => ({
  isTight: isAdmin && window.innerWidth < ROOM_FOR_ROUTE_PX,
  hasDetails: window.innerWidth >= ROOM_FOR_DETAILS_PX[isAdmin ? "admin" : "user"],
});
type Room = Readonly<{ isTight: boolean; hasDetails: boolean }>;

const columnsOf = (
  showUser: (id: number) => void,
  { isTight, hasDetails }: Room,
  t: TFunction,
  language: string,
): readonly LogColumn[] => [
  {
    key: "time",
    head: t("logs.columns.time"),
    width: 112,
    isSolid: true,
    cell: (entry) => <TimeCell entry={entry} language={language} />,
  },
  {
    key: "user",
    head: t("logs.columns.user"),
    width: 68,
    text: ({ username }) => username,
    isForAdmins: true,
    cell: ({ user_id, username }) =>
      username ? (
        <Link
          component="button"
          color="inherit"
          aria-label={t("logs.showUser", { name: username })}
          onClick={() => showUser(user_id)}
          sx={{ fontSize: "inherit", verticalAlign: "baseline" }}
        >
          {username}
        </Link>
      ) : (
        <Dash />
      ),
  },
  {
    key: "token",
    head: t("logs.columns.token"),
    width: 84,
    text: ({ token_name }) => token_name,
    cell: ({ token_name }) => (token_name ? <CopyText text={token_name} /> : <Dash />),
  },
  {
    key: "group",
    head: t("logs.columns.group"),
    width: 72,
    text: groupOf,
    isHiddenByDefault: isTight,
    cell: (entry) => <GroupCell entry={entry} />,
  },
  {
    key: "type",
    head: t("logs.columns.type"),
    width: 96,
    text: (entry) => typeColumnText(entry, t),
    isSolid: true,
    cell: (entry) => <TypeCell entry={entry} />,
  },
  {
    key: "model",
    head: t("logs.columns.model"),
    isTitle: true,
    text: (entry) => [entry.model_name, reasonText(entry, t)].filter(Boolean).join("    "),
    cell: (entry) => <ModelCell entry={entry} t={t} language={language} />,
  },
  {
    key: "channel",
    head: t("logs.columns.channel"),
    width: 92,
    text: channelText,
    isForAdmins: true,
    cell: (entry) => <ChannelCell entry={entry} />,
  },
  {
    key: "latency",
    head: t("logs.columns.latency"),
    width: 178,
    text: (entry) => latencyText(entry, t),
    align: "right",
    isSolid: true,
    cell: (entry) => <LatencyCell entry={entry} />,
  },
  {
    key: "input",
    head: t("logs.columns.input"),
    width: 68,
    align: "right",
    cell: (entry) => <InputCell entry={entry} t={t} />,
  },
  {
    key: "output",
    head: t("logs.columns.output"),
    width: 66,
    align: "right",
    cell: (entry) => (isCall(entry) ? <Count value={entry.completion_tokens} /> : <Dash />),
  },
  {
    key: "cost",
    head: t("logs.columns.cost"),
    width: 98,
    align: "right",
    cell: (entry) => <CostCell entry={entry} />,
  },
  {
    key: "providerCost",
    head: t("logs.columns.providerCost"),
    width: 98,
    align: "right",
    isForAdmins: true,
    isHiddenByDefault: true,
    cell: (entry) => <AmountCell amount={costOf(entry)} />,
  },
  {
    key: "margin",
    head: t("logs.columns.margin"),
    width: 98,
    align: "right",
    isForAdmins: true,
    isHiddenByDefault: true,
    cell: (entry) => <AmountCell amount={marginOf(entry)} />,
  },
  {
    key: "retry",
    head: t("logs.columns.retry"),
    width: 76,
    text: retryText,
    isSolid: true,
    isForAdmins: true,
    isHiddenByDefault: isTight,
    cell: (entry) => <RetryCell entry={entry} />,
  },
  {
    key: "details",
    head: t("logs.columns.details"),
    width: 92,
    isHiddenByDefault: !hasDetails,
    cell: (entry) => (entry.content ? quietNote(entry, t, language) : <Dash />),
  },
  {
    key: "endUser",
    head: t("logs.columns.endUser"),
    width: 132,
    text: ({ end_user }) => end_user,
    isHiddenByDefault: true,
    cell: ({ end_user }) => (end_user ? <CopyText text={end_user} /> : <Dash />),
  },
  {
    key: "ip",
    head: t("logs.columns.ip"),
    width: 116,
    isHiddenByDefault: true,
    cell: ({ ip }) => (ip ? quiet(ip) : <Dash />),
  },
];

const quiet = (text: string, title?: string) => (
  <Box component="span" title={title} sx={{ color: "text.secondary" }}>
    {text}
  </Box>
);

/** Imported rows may store the group in `other`. */
const GroupCell = ({ entry }: { entry: LogEntry }) => {
  const group = groupOf(entry);
  return group ? quiet(group) : <Dash />;
};

const quietNote = (entry: LogEntry, t: TFunction, language: string) => {
  const other = isCall(entry) ? otherOf(entry) : {};
  // Notes of this gateway's calls are in English; for calls priced by tokens, the ratios show the same.
  const isByTokens = other.usage_evidence !== undefined && (other.model_ratio ?? 0) > 0;
  const text = failureText(other) || (isByTokens ? ratiosText(other, t) : noteText(entry, t, language));
  return quiet(text, text);
};

const TimeCell = ({ entry, language }: { entry: LogEntry; language: string }) => {
  const moment = new Date(entry.created_at * 1000);
  return (
    <Tip title={exactTime(entry.created_at, language)}>
      <time dateTime={moment.toISOString()}>
        <Box component="span" sx={{ color: "text.tertiary", mr: 1.5 }}>
          {formatDate(moment.getTime(), language, { month: "2-digit", day: "2-digit" })}
        </Box>
        {clockTime(entry.created_at)}
      </time>
    </Tip>
  );
};

/** The requested model; for rows that are not calls, their type. */
const ModelCell = ({ entry, t, language }: { entry: LogEntry; t: TFunction; language: string }) => {
  if (!entry.model_name) return quietNote(entry, t, language);
  const { upstream_model_name: upstream, is_model_mapped: isMapped, service_tier: tier } = otherOf(entry);
  const name = (
    <CopyText text={entry.model_name} strong>
      {isMapped && upstream && (
        <Tip title={t("logs.mappedTo", { model: upstream })}>
          <Box component="span" sx={{ color: "text.tertiary", fontWeight: 400, ml: 1 }}>
            ↦
          </Box>
        </Tip>
      )}
      {tier !== undefined && tier !== "default" && (
        <Tip title={t("logs.detail.serviceTier")}>
          <Box component="span" sx={{ color: "text.tertiary", fontWeight: 400, ml: 1, fontSize: 11.5 }}>
            {tier}
          </Box>
        </Tip>
      )}
    </CopyText>
  );
  return entry.failed ? (
    <>
      {name} <ReasonText entry={entry} />
    </>
  ) : (
    name
  );
};

const InputCell = ({ entry, t }: { entry: LogEntry; t: TFunction }) => {
  if (!isCall(entry)) return <Dash />;
  const cached = otherOf(entry).cache_tokens ?? 0;
  if (cached === 0) return <Count value={entry.prompt_tokens} />;
  return (
    <Tip title={t("logs.cached", { count: formatNumber(cached) })}>
      <span>
        <Count value={entry.prompt_tokens} />
      </span>
    </Tip>
  );
};
