import Box from "@mui/material/Box";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../../src/domain/logs/audit/list-audit.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { Row } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { clockTime, exactTime, formatDate } from "../../../lib/format/time.ts";
import { sayNote } from "../entries/log-entry.ts";
import { useChangesText, useDifferences } from "./differences.ts";

/** The columns of the audit log; an expanded row shows the values before and after. */
export function useAuditColumns(): readonly Column<AuditEntry>[] {
  const { t, i18n } = useTranslation();
  const changesText = useChangesText();
  return useMemo(
    () => [
      {
        key: "time",
        head: t("audit.columns.time"),
        sortKey: "time",
        width: 172,
        cell: ({ created_at }) => (
          <Tip title={exactTime(created_at, i18n.language)}>
            <time dateTime={new Date(created_at * 1000).toISOString()}>
              {formatDate(created_at * 1000, i18n.language, { dateStyle: "short" })} {clockTime(created_at)}
            </time>
          </Tip>
        ),
      },
      {
        key: "actor",
        head: t("audit.columns.actor"),
        width: 152,
        cell: ({ username, user_id }) => `${username} (#${user_id})`,
      },
      {
        key: "what",
        head: t("audit.columns.what"),
        isTitle: true,
        cell: ({ note, content }) => {
          const text = sayNote(note, content, t, i18n.language);
          return (
            <Box component="span" title={text}>
              {text}
            </Box>
          );
        },
      },
      {
        key: "changes",
        head: t("audit.columns.changes"),
        width: 400,
        cell: (entry) => {
          const text = changesText(entry);
          return <span title={text}>{text || "–"}</span>;
        },
      },
    ],
    [t, i18n.language, changesText],
  );
}

const MOST_LINES = 3;

/** An entry on a phone: who, when, and the start of the changes. */
export const AuditCard = ({ entry }: { entry: AuditEntry }) => (
  <Box sx={{ fontSize: 12.5 }}>
    <Row sx={{ justifyContent: "space-between", color: "text.tertiary" }}>
      <span>
        {entry.username} (#{entry.user_id})
      </span>
      <TimeAgo seconds={entry.created_at} />
    </Row>
    <Box
      sx={{
        mt: 1,
        display: "-webkit-box",
        WebkitBoxOrient: "vertical",
        WebkitLineClamp: MOST_LINES,
        overflow: "hidden",
        overflowWrap: "anywhere",
      }}
    >
      {useChangesText()(entry)}
    </Box>
  </Box>
);

/** Each changed field with its values before and after. */
export const Differences = ({ entry }: { entry: AuditEntry }) => {
  const differences = useDifferences()(entry);
  if (differences.length === 0)
    return (
      <Box component="span" sx={{ color: "text.tertiary" }}>
        –
      </Box>
    );
  return (
    <Box component="ul" sx={{ m: 0, p: 0, listStyle: "none", fontSize: 12.5, overflowWrap: "anywhere" }}>
      {differences.map(({ field, label, before, after }) => (
        <li key={field}>
          <Box component="span" sx={{ color: "text.tertiary", mr: 1.5 }}>
            {label}
          </Box>
          {before !== null && (
            <Box component="del" sx={{ color: "tone.bad.text", mr: 1.5 }}>
              {before}
            </Box>
          )}
          {after !== null && (
            <Box component="ins" sx={{ color: "tone.ok.text", textDecoration: "none" }}>
              {after}
            </Box>
          )}
        </li>
      ))}
    </Box>
  );
};
