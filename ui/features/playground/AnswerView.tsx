import Refresh from "@mui/icons-material/RefreshOutlined";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import Skeleton from "@mui/material/Skeleton";
import Tooltip from "@mui/material/Tooltip";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { CodeBox } from "../../components/CodeBox.tsx";
import { CopyButton } from "../../components/CopyButton.tsx";
import { Row } from "../../components/layout.tsx";
import { AnswerFacts } from "./AnswerFacts.tsx";
import type { Answer } from "./chat.ts";

/** Markdown is big: it is loaded with the first answer. */
const AnswerText = lazy(() => import("./AnswerText.tsx"));

type Props = Readonly<{ answer: Answer; isBusy: boolean; onRetry: () => void }>;

/** One model's answer: reasoning, text, tool calls, images, what went wrong, and its tokens, cost and time. */
export const AnswerView = ({ answer, isBusy, onRetry }: Props) => {
  const { t } = useTranslation();
  const { status, content, reasoning, tools, images, error } = answer;
  return (
    <Box aria-busy={status === "loading" || status === "incomplete"} sx={{ minWidth: 0, flex: "1 1 280px" }}>
      <Box sx={{ fontSize: 12, fontWeight: 560, color: "text.tertiary", mb: 1 }}>{answer.model}</Box>
      {status === "loading" && <Skeleton width="60%" height={22} />}
      {reasoning && (
        <Box component="details" sx={{ mb: 2, fontSize: 13, color: "text.secondary" }}>
          <summary>{t("playground.reasoning")}</summary>
          <Box sx={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere", pt: 1 }}>{reasoning}</Box>
        </Box>
      )}
      {content && (
        <Suspense fallback={<Box sx={{ whiteSpace: "pre-wrap" }}>{content}</Box>}>
          <AnswerText text={content} />
        </Suspense>
      )}
      {tools.map((tool, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tool calls keep their order
        <Box key={index} sx={{ mb: 2 }}>
          <Box sx={{ fontSize: 12, mb: 1, color: "text.secondary" }}>{t("playground.tool", { name: tool.name })}</Box>
          <CodeBox code={tool.arguments} label={t("playground.tool", { name: tool.name })} />
        </Box>
      ))}
      {images.map((url) => (
        <Box component="img" key={url} src={url} alt={t("playground.image")} sx={{ maxWidth: "100%", mb: 2 }} />
      ))}
      {error && (
        <Box role="alert" sx={{ color: "tone.bad.text", fontSize: 13, overflowWrap: "anywhere", mb: 2 }}>
          {error}
        </Box>
      )}
      <Row gap={1} wrap>
        <AnswerFacts answer={answer} />
        <Box sx={{ flex: 1 }} />
        {content && <CopyButton text={content} label={t("playground.copyAnswer")} />}
        <Tooltip title={t("playground.retry")}>
          <span>
            <IconButton aria-label={t("playground.retry")} disabled={isBusy} onClick={onRetry}>
              <Refresh />
            </IconButton>
          </span>
        </Tooltip>
      </Row>
    </Box>
  );
};
