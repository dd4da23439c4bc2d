import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { Row } from "../../../components/layout.tsx";
import { Tag } from "../../../components/Tag.tsx";
import { elapsedTone, firstTokenTone } from "../latency-tone.ts";
import { elapsedMsOf, firstTokenMsOf, isCall, type LogEntry, otherOf } from "../log-entry.ts";

/** How long the call took, when its first token came, and whether it was streamed. */
export const LatencyCell = ({ entry }: { entry: LogEntry }) => {
  const { t } = useTranslation();
  if (!isCall(entry)) return <Dash />;
  const elapsedMs = elapsedMsOf(entry);
  const firstMs = entry.is_stream ? firstTokenMsOf(otherOf(entry)) : null;
  return (
    <Row gap={2} sx={{ justifyContent: { sm: "flex-end" } }}>
      <span>
        <Box component="span" sx={{ color: `tone.${elapsedTone(elapsedMs)}.text` }}>
          {seconds(elapsedMs)} s
        </Box>
        {firstMs !== null && (
          <Box component="span" sx={{ color: "text.tertiary" }}>
            {" / "}
            <Box component="span" sx={{ color: `tone.${firstTokenTone(firstMs)}.text` }}>
              {seconds(firstMs)}
            </Box>
          </Box>
        )}
      </span>
      <Tag>{t(entry.is_stream ? "logs.stream" : "logs.noStream")}</Tag>
    </Row>
  );
};

/** Where a figure makes no sense. */
export const Dash = () => (
  <Box component="span" sx={{ color: "text.tertiary" }}>
    –
  </Box>
);

const seconds = (ms: number): string => (ms / 1000).toFixed(ms >= 10_000 ? 1 : 2);
