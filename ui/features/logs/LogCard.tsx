import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { Row } from "../../components/layout.tsx";
import { TimeAgo } from "../../components/TimeAgo.tsx";
import { CostCell } from "./cells/CostCell.tsx";
import { LatencyCell } from "./cells/LatencyCell.tsx";
import { TypeCell } from "./cells/TypeCell.tsx";
import { isCall, type LogEntry } from "./log-entry.ts";

/** A row of the log on a phone: who, when, how much, how long. */
export const LogCard = ({ entry, isAdmin }: { entry: LogEntry; isAdmin: boolean }) => {
  const { t } = useTranslation();
  const who = [isAdmin ? entry.username : "", entry.token_name].filter(Boolean).join(" · ");
  const count = (tokens: number) => tokens.toLocaleString("en");
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
            <span className="num">
              {t("logs.detail.tokensInOut", {
                input: count(entry.prompt_tokens),
                output: count(entry.completion_tokens),
              })}
            </span>
            <Box sx={{ flex: 1 }} />
            <LatencyCell entry={entry} />
          </>
        )}
      </Row>
    </Box>
  );
};
