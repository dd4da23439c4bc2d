import Box from "@mui/material/Box";
import type { AuditEntry } from "../../../src/domain/logs/audit/list-audit.ts";
import { Row } from "../../components/layout.tsx";
import { TimeAgo } from "../../components/TimeAgo.tsx";
import { useChangesText } from "./use-differences.ts";

const MOST_LINES = 3;

/** What was done on a phone: by whom, when, and how what it changed begins. */
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
