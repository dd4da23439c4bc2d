import Box from "@mui/material/Box";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { readData } from "../../api/client.ts";
import { logApi } from "../../api/groups.ts";
import { Money } from "../../components/Money.tsx";
import type { Answer } from "./chat.ts";

/** The log is written a moment after the answer, or, when that was stopped, after the upstream has told its usage. */
const LOG_DELAY_MS = 800;
const LONGEST_DELAY_MS = 5000;
const MOST_LOOKS = 20;

/** Tokens, what was charged (by the usage log) and how long it took. */
export const AnswerFacts = ({ answer }: { answer: Answer }) => {
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
      {firstMs > 0 && <span>{t("playground.first", { seconds: secondsOf(firstMs) })}</span>}
      <span>{t("playground.total", { seconds: secondsOf(totalMs) })}</span>
    </Box>
  );
};

const secondsOf = (milliseconds: number): string => (milliseconds / 1000).toFixed(2);
