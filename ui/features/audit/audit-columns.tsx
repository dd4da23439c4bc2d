import Box from "@mui/material/Box";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../src/domain/logs/audit/list-audit.ts";
import type { Column } from "../../components/data-table/column.ts";
import { TimeAgo } from "../../components/TimeAgo.tsx";
import { sayNote } from "../logs/log-note.ts";
import { useChangesText } from "./use-differences.ts";

/** The columns of the audit log; a row opens to show what was before and after. */
export function useAuditColumns(): readonly Column<AuditEntry>[] {
  const { t, i18n } = useTranslation();
  const changesText = useChangesText();
  return useMemo(
    () => [
      {
        key: "time",
        head: t("audit.columns.time"),
        sortKey: "time",
        width: 120,
        cell: ({ created_at }) => <TimeAgo seconds={created_at} />,
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
