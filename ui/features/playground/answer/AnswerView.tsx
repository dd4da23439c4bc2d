import Refresh from "@mui/icons-material/RefreshOutlined";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import Skeleton from "@mui/material/Skeleton";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { Row } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { type Answer, needsResults, type Reply } from "../chat/chat.ts";
import { AnswerFacts } from "./AnswerFacts.tsx";
import { ReasoningPart } from "./ReasoningPart.tsx";
import { ToolCalls } from "./ToolCalls.tsx";
import { AnswerImage } from "./text/AnswerImage.tsx";

/** Markdown support is large, so it is loaded with the first answer. */
const AnswerText = lazy(() => import("./text/AnswerText.tsx"));

/** Few models speak. */
const AnswerAudio = lazy(() => import("./audio/AnswerAudio.tsx"));

/** Where the user can do something about an error, by its code: the console's pages that the gateway names too. */
const HELP: ReadonlyMap<string, Readonly<{ to: string; name: "credit" | "models" | "budget" }>> = new Map([
  ["insufficient_user_quota", { to: "/topup", name: "credit" }],
  ["plan_quota_exceeded", { to: "/topup", name: "credit" }],
  ["budget_exceeded", { to: "/organization?section=budgets", name: "budget" }],
  ["model_price_error", { to: "/pricing", name: "models" }],
  ["model_not_available", { to: "/pricing", name: "models" }],
]);

type Props = Readonly<{
  answer: Answer;
  cost: number | null;
  cheaper: number | null;
  /** The models' names stand above the columns. */
  isNamed: boolean;
  isBusy: boolean;
  /** Null: another question follows, so that the answer can't go on. */
  onResults: ((results: readonly string[]) => void) | null;
  onRetry: () => void;
}>;

/** One model's answer: reasoning, text, tool calls, images, what went wrong, and its tokens, cost and time. */
export const AnswerView = ({ answer, cost, cheaper, isNamed, isBusy, onResults, onRetry }: Props) => {
  const { t } = useTranslation();
  const { status, content, error, steps, dropped } = answer;
  const help = HELP.get(answer.errorCode ?? "");
  const isStreaming = status === "loading" || status === "incomplete";
  const copied = [...steps, answer].map(({ content: text }) => text).filter((text) => text !== "");
  return (
    <Box aria-live="polite" aria-busy={isStreaming} sx={{ minWidth: 0, flex: "1 1 280px" }}>
      <Box sx={{ fontSize: 12, fontWeight: 560, color: "text.tertiary", mb: 1, ...(isNamed && { display: "none" }) }}>
        {answer.model}
      </Box>
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps keep their order
        <ReplyParts key={index} reply={step} isStreaming={false} onResults={null} />
      ))}
      {status === "loading" && <Skeleton width="60%" height={22} />}
      <ReplyParts
        // New fields for the calls of each step.
        key={`last ${steps.length}`}
        reply={answer}
        isStreaming={isStreaming}
        onResults={needsResults(answer) && !isBusy ? onResults : null}
      />
      {error && (
        <Box role="alert" sx={{ color: "tone.bad.text", fontSize: 13, overflowWrap: "anywhere", mb: 2 }}>
          {error} {help && <Link to={help.to}>{t(`failures.fixes.${help.name}`)}</Link>}
        </Box>
      )}
      {dropped.length > 0 && (
        <Box sx={{ color: "text.tertiary", fontSize: 12, overflowWrap: "anywhere", mb: 2 }}>
          {t("playground.dropped", { fields: dropped.join(", ") })}
        </Box>
      )}
      <Row gap={1} sx={{ alignItems: "flex-end" }}>
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <AnswerFacts answer={answer} cost={cost} cheaper={cheaper} />
        </Box>
        {content && <CopyButton text={copied.join("\n\n")} label={t("playground.copyAnswer")} />}
        <Tip title={t("playground.retry")}>
          <span>
            <IconButton aria-label={t("playground.retry")} disabled={isBusy} onClick={onRetry}>
              <Refresh />
            </IconButton>
          </span>
        </Tip>
      </Row>
    </Box>
  );
};

type ReplyProps = Readonly<{ reply: Reply; isStreaming: boolean; onResults: Props["onResults"] }>;

const ReplyParts = ({ reply, isStreaming, onResults }: ReplyProps) => {
  const { t } = useTranslation();
  const { content, tools, images, audio, citations } = reply;
  return (
    <>
      <ReasoningPart reply={reply} isThinking={isStreaming && content === "" && tools.length === 0} />
      {content && (
        <Suspense fallback={<Box sx={{ whiteSpace: "pre-wrap" }}>{content}</Box>}>
          <AnswerText text={content} />
        </Suspense>
      )}
      {tools.length > 0 && <ToolCalls tools={tools} onResults={onResults} />}
      {images.map((url) => (
        <AnswerImage key={url} src={url} alt={t("playground.image")} />
      ))}
      {audio.length > 0 && !isStreaming && (
        <Suspense>
          <AnswerAudio pieces={audio} />
        </Suspense>
      )}
      {citations.length > 0 && (
        <Box component="ol" aria-label={t("playground.sources")} sx={{ fontSize: 12, pl: 5, mt: 0, mb: 3 }}>
          {citations.map(({ url, title }) => (
            <li key={url}>
              <a href={url} target="_blank" rel="noreferrer">
                {title}
              </a>
            </li>
          ))}
        </Box>
      )}
    </>
  );
};
