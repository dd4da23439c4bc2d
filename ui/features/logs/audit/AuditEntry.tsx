import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../../src/domain/logs/audit/list-audit.ts";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ViewDialog } from "../../../components/feedback/FormDialog.tsx";
import { Row } from "../../../components/layout.tsx";
import { exactTime } from "../../../lib/format/time.ts";
import { sayNote } from "../entries/log-entry.ts";
import { useChangesText, useDifferences } from "./differences.ts";

/** An entry with the values before and after. */
export const EntryDialog = ({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) => {
  const { t, i18n } = useTranslation();
  return (
    <ViewDialog title={sayNote(entry.note, entry.content, t, i18n.language)} onClose={onClose}>
      <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>
        {entry.username} (#{entry.user_id}) · {exactTime(entry.created_at, i18n.language)}
      </Box>
      <Differences entry={entry} />
    </ViewDialog>
  );
};

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
const Differences = ({ entry }: { entry: AuditEntry }) => {
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
