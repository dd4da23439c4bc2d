import Box from "@mui/material/Box";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDuration } from "../../../lib/format/duration.ts";
import type { Reply } from "../chat/chat.ts";

type Props = Readonly<{ reply: Pick<Reply, "reasoning" | "reasoningMs">; isThinking: boolean }>;

/** A model's reasoning: open while it reasons, then folded under how long that took. */
export const ReasoningPart = ({ reply: { reasoning, reasoningMs }, isThinking }: Props) => {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<boolean | null>(null);
  if (!reasoning) return null;
  const title = isThinking
    ? t("playground.thinking")
    : reasoningMs > 0
      ? t("playground.thoughtFor", { time: formatDuration(reasoningMs) })
      : t("playground.reasoning");
  return (
    <Box
      component="details"
      open={chosen ?? isThinking}
      sx={{ mb: 2, fontSize: 13, lineHeight: "20px", color: "text.secondary" }}
    >
      <Box
        component="summary"
        sx={{ cursor: "pointer" }}
        onClick={(event) => {
          event.preventDefault();
          setChosen(!(chosen ?? isThinking));
        }}
      >
        {title}
      </Box>
      <Box
        sx={{
          ...{ whiteSpace: "pre-wrap", overflowWrap: "anywhere", mt: 1, pl: 3 },
          ...{ borderLeft: "2px solid", borderColor: "line.main" },
        }}
      >
        {reasoning}
      </Box>
    </Box>
  );
};
