import Branch from "@mui/icons-material/CallSplitOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import Tooltip from "@mui/material/Tooltip";
import { useTranslation } from "react-i18next";
import { Row } from "../../components/layout.tsx";
import { AnswerView } from "./AnswerView.tsx";
import type { Turn } from "./chat.ts";

type Props = Readonly<{
  turn: Turn;
  isBusy: boolean;
  onEdit: () => void;
  onBranch: () => void;
  onRetry: (lane: number) => void;
}>;

/** A question, and below it the answers side by side. */
export const TurnView = ({ turn, isBusy, onEdit, onBranch, onRetry }: Props) => {
  const { t } = useTranslation();
  return (
    <Box component="article" sx={{ mb: 6 }}>
      <Box sx={{ p: 3, mb: 3, borderRadius: 1, bgcolor: "surface.sunken" }}>
        <Row gap={1} sx={{ alignItems: "flex-start" }}>
          <Box sx={{ flex: 1, whiteSpace: "pre-wrap", overflowWrap: "anywhere", fontSize: 14 }}>{turn.text}</Box>
          <Tooltip title={t("playground.edit")}>
            <span>
              <IconButton aria-label={t("playground.edit")} disabled={isBusy} onClick={onEdit}>
                <Edit />
              </IconButton>
            </span>
          </Tooltip>
          <Tooltip title={t("playground.branch")}>
            <span>
              <IconButton aria-label={t("playground.branch")} disabled={isBusy} onClick={onBranch}>
                <Branch />
              </IconButton>
            </span>
          </Tooltip>
        </Row>
        {turn.images.map((url) => (
          <Box component="img" key={url} src={url} alt={t("playground.image")} sx={{ maxHeight: 160, mt: 2 }} />
        ))}
      </Box>
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 6 }}>
        {turn.answers.map((answer, lane) => (
          <AnswerView
            // biome-ignore lint/suspicious/noArrayIndexKey: a lane is its place
            key={lane}
            answer={answer}
            isBusy={isBusy}
            onRetry={() => onRetry(lane)}
          />
        ))}
      </Box>
    </Box>
  );
};
