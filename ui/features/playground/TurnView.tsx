import Branch from "@mui/icons-material/CallSplitOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Refresh from "@mui/icons-material/RefreshOutlined";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { readData } from "../../api/client.ts";
import { logApi } from "../../api/groups.ts";
import { CodeBox } from "../../components/display/CodeBox.tsx";
import { CopyButton } from "../../components/display/CopyButton.tsx";
import { Money } from "../../components/display/Money.tsx";
import { Row } from "../../components/layout.tsx";
import { Tip } from "../../components/tip/Tip.tsx";
import { formatDuration } from "../../lib/format/duration.ts";
import { AnswerImage } from "./AnswerImage.tsx";
import type { Answer, Turn } from "./chat/chat.ts";

type TurnProps = Readonly<{
  turn: Turn;
  isBusy: boolean;
  onEdit: () => void;
  onBranch: () => void;
  onRetry: (lane: number) => void;
}>;

/** A question, and below it the answers side by side. */
export const TurnView = ({ turn, isBusy, onEdit, onBranch, onRetry }: TurnProps) => {
  const { t } = useTranslation();
  return (
    <Box component="article" sx={{ mb: 6 }}>
      <Box sx={{ p: 3, mb: 3, borderRadius: 1, bgcolor: "surface.sunken" }}>
        <Row gap={1} sx={{ alignItems: "flex-start" }}>
          <Box sx={{ flex: 1, whiteSpace: "pre-wrap", overflowWrap: "anywhere", fontSize: 14 }}>{turn.text}</Box>
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

/** Markdown support is large, so it is loaded with the first answer. */
const AnswerText = lazy(() => import("./AnswerText.tsx"));

/** Where the user can do something about an error, by its code. */
const HELP: ReadonlyMap<string, Readonly<{ to: string; name: "credit" | "models" }>> = new Map([
  ["insufficient_user_quota", { to: "/topup", name: "credit" }],
  ["plan_quota_exceeded", { to: "/topup", name: "credit" }],
  ["model_not_available", { to: "/pricing", name: "models" }],
]);

type AnswerProps = Readonly<{ answer: Answer; isBusy: boolean; onRetry: () => void }>;

/** One model's answer: reasoning, text, tool calls, images, what went wrong, and its tokens, cost and time. */
const AnswerView = ({ answer, isBusy, onRetry }: AnswerProps) => {
  const { t } = useTranslation();
  const { status, content, reasoning, tools, images, error } = answer;
  const help = HELP.get(answer.errorCode ?? "");
  return (
    <Box
      aria-live="polite"
      aria-busy={status === "loading" || status === "incomplete"}
      sx={{ minWidth: 0, flex: "1 1 280px" }}
    >
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
        <AnswerImage key={url} src={url} alt={t("playground.image")} />
      ))}
      {error && (
        <Box role="alert" sx={{ color: "tone.bad.text", fontSize: 13, overflowWrap: "anywhere", mb: 2 }}>
          {error} {help && <Link to={help.to}>{t(`failures.fixes.${help.name}`)}</Link>}
        </Box>
      )}
      <Row gap={1} wrap>
        <AnswerFacts answer={answer} />
        <Box sx={{ flex: 1 }} />
        {content && <CopyButton text={content} label={t("playground.copyAnswer")} />}
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

/**
 * The log row is written shortly after the answer, or, if it was stopped, after the upstream has reported its usage.
 */
const LOG_DELAY_MS = 800;
const LONGEST_DELAY_MS = 5000;
const MOST_LOOKS = 20;

/** Tokens, cost (from the usage log) and duration. */
const AnswerFacts = ({ answer }: { answer: Answer }) => {
  const { t } = useTranslation();
  const { status, requestId, promptTokens, completionTokens, firstMs, totalMs } = answer;
  const cost = useQuery({
    queryKey: ["playground-cost", requestId],
    queryFn: async ({ signal }) => {
      const query = { request_id: requestId, p: 1, page_size: 1 };
      const { items } = await readData(logApi.self.get({ query, fetch: { signal } }));
      return items[0]?.quota ?? null;
    },
    enabled: requestId !== "" && totalMs > 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) =>
      typeof state.data === "number" || state.dataUpdateCount >= MOST_LOOKS
        ? false
        : Math.min(LOG_DELAY_MS * state.dataUpdateCount, LONGEST_DELAY_MS),
  });
  if (totalMs === 0 || status === "loading") return null;
  return (
    <Box className="num" sx={{ display: "flex", flexWrap: "wrap", columnGap: 3, fontSize: 12, color: "text.tertiary" }}>
      {typeof cost.data === "number" && (
        <span>
          {t("playground.cost")} <Money quota={cost.data} decimals={6} />
        </span>
      )}
      {completionTokens > 0 && <span>{t("playground.tokens", { input: promptTokens, output: completionTokens })}</span>}
      {firstMs > 0 && <span>{t("playground.first", { time: formatDuration(firstMs) })}</span>}
      <span>{t("playground.total", { time: formatDuration(totalMs) })}</span>
    </Box>
  );
};
