import Branch from "@mui/icons-material/CallSplitOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import { useTranslation } from "react-i18next";
import { Row } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import type { Attachment, Turn } from "../chat/chat.ts";
import { AnswerView } from "./AnswerView.tsx";
import { cheaperBy, useAnswerCosts } from "./answer-costs.ts";

type TurnProps = Readonly<{
  turn: Turn;
  isBusy: boolean;
  isLast: boolean;
  /** The models stand above the columns, in the order of the answers. */
  models: readonly string[];
  onEdit: () => void;
  onBranch: () => void;
  onRetry: (lane: number) => void;
  onResults: (lane: number, results: readonly string[]) => void;
}>;

/** A question, and below it the answers side by side. */
export const TurnView = ({ turn, isBusy, isLast, models, onEdit, onBranch, onRetry, onResults }: TurnProps) => {
  const { t } = useTranslation();
  const costs = useAnswerCosts(turn.answers);
  const cheaper = cheaperBy(costs);
  return (
    <Box component="article" sx={{ mb: 6 }}>
      <Box sx={{ p: 3, mb: 3, borderRadius: 1, bgcolor: "surface.sunken" }}>
        <Row gap={1} sx={{ alignItems: "flex-start" }}>
          <Box sx={{ flex: 1, minWidth: 0, whiteSpace: "pre-wrap", overflowWrap: "anywhere", fontSize: 14 }}>
            {turn.text}
          </Box>
          <Tip title={t("playground.edit")}>
            <span>
              <IconButton aria-label={t("playground.edit")} disabled={isBusy} onClick={onEdit}>
                <Edit />
              </IconButton>
            </span>
          </Tip>
          <Tip title={t("playground.branch")}>
            <span>
              <IconButton aria-label={t("playground.branch")} disabled={isBusy} onClick={onBranch}>
                <Branch />
              </IconButton>
            </span>
          </Tip>
        </Row>
        {turn.attachments.map((attachment) => (
          <AttachmentView key={attachment.url} attachment={attachment} />
        ))}
      </Box>
      <Box sx={{ display: "flex", flexWrap: { xs: "wrap", md: "nowrap" }, gap: 6 }}>
        {turn.answers.map((answer, lane) => (
          <AnswerView
            // biome-ignore lint/suspicious/noArrayIndexKey: a lane is its place
            key={lane}
            answer={answer}
            cost={costs[lane] ?? null}
            cheaper={cheaper[lane] ?? null}
            isNamed={models[lane] === answer.model && models.length === turn.answers.length}
            isBusy={isBusy}
            onResults={isLast ? (results) => onResults(lane, results) : null}
            onRetry={() => onRetry(lane)}
          />
        ))}
      </Box>
    </Box>
  );
};

const AttachmentView = ({ attachment: { kind, name, url } }: { attachment: Attachment }) => {
  const { t } = useTranslation();
  switch (kind) {
    case "image":
      return (
        <Box
          component="img"
          src={url}
          alt={name || t("playground.image")}
          sx={{ display: "block", maxHeight: 160, maxWidth: "100%", mt: 2 }}
        />
      );
    case "audio":
      return (
        <Box
          component="audio"
          controls
          src={url}
          aria-label={name}
          sx={{ display: "block", maxWidth: "100%", mt: 2 }}
        />
      );
    case "file":
      return <Box sx={{ mt: 2, fontSize: 12.5, color: "text.secondary", overflowWrap: "anywhere" }}>{name}</Box>;
  }
};
