import Box from "@mui/material/Box";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Money } from "../../../components/display/Money.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber, roundTo } from "../../../lib/format/number.ts";
import type { Answer } from "../chat/chat.ts";

type Props = Readonly<{ answer: Answer; cost: number | null; cheaper: number | null }>;

const SECOND_MS = 1000;
/** What came within a moment came at once: its speed is the network's. */
const LEAST_WRITING_MS = 100;
/** From here on a factor's decimal says nothing. */
const LARGE_FACTOR = 10;

/** Cost, tokens, times and speed of an answer, and how much less it cost than the most expensive next to it. */
export const AnswerFacts = ({ answer, cost, cheaper }: Props) => {
  const { t } = useTranslation();
  const { status, firstMs, totalMs, steps, completionTokens } = answer;
  if (totalMs === 0 || status === "loading") return null;
  const sum = (name: "promptTokens" | "completionTokens") =>
    steps.reduce((tokens, step) => tokens + step[name], answer[name]);
  const output = sum("completionTokens");
  const writingMs = totalMs - firstMs;
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", columnGap: 4, rowGap: 1, alignItems: "flex-end" }}>
      {cost !== null && (
        <Fact name={t("playground.cost")}>
          <Money quota={cost} decimals={6} />
        </Fact>
      )}
      {output > 0 && (
        <Fact name={t("playground.inOut")}>{`${formatNumber(sum("promptTokens"))} / ${formatNumber(output)}`}</Fact>
      )}
      {firstMs > 0 && <Fact name={t("playground.first")}>{formatDuration(firstMs)}</Fact>}
      <Fact name={t("playground.total")}>{formatDuration(totalMs)}</Fact>
      {completionTokens > 0 && writingMs >= LEAST_WRITING_MS && firstMs > 0 && (
        <Fact name={t("playground.speed")}>
          {t("playground.perSecond", { tokens: formatNumber(Math.round((completionTokens * SECOND_MS) / writingMs)) })}
        </Fact>
      )}
      {cheaper !== null && (
        <Box className="num" sx={{ fontSize: 12, fontWeight: 560, color: "tone.ok.text" }}>
          {t("playground.cheaper", { factor: formatNumber(roundTo(cheaper, cheaper < LARGE_FACTOR ? 1 : 0)) })}
        </Box>
      )}
    </Box>
  );
};

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <Box component="dl" sx={{ m: 0 }}>
    <Box component="dt" sx={{ fontSize: 11, lineHeight: "14px", color: "text.tertiary" }}>
      {name}
    </Box>
    <Box component="dd" className="num" sx={{ m: 0, fontSize: 12.5, lineHeight: "18px", fontWeight: 560 }}>
      {children}
    </Box>
  </Box>
);
