import Box from "@mui/material/Box";
import { lazy, type ReactNode, Suspense } from "react";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { Money } from "../../display/Money.tsx";
import { Col, Row } from "../../layout.tsx";

const TextDiff = lazy(() => import("./TextDiff.tsx"));

/** An answer with its figures; `error`: why there is none. */
export type AnswerSide = Readonly<{
  title: string;
  model: string;
  cost: number;
  latency_ms: number;
  prompt_tokens: number;
  completion_tokens: number;
  text: string;
  error?: string;
}>;

/** Two answers side by side, with the words marked in which they differ. */
export const AnswerPair = ({ before, after }: Readonly<{ before: AnswerSide; after: AnswerSide }>) => (
  <Box sx={{ display: "grid", gridTemplateColumns: { xs: "minmax(0, 1fr)", md: "repeat(2, minmax(0, 1fr))" }, gap: 4 }}>
    {([before, after] as const).map((side) => (
      <Side key={side === before ? "before" : "after"} side={side}>
        {side.error ? (
          <Box sx={{ color: "tone.bad.text" }}>{side.error}</Box>
        ) : (
          <Suspense fallback={side.text}>
            <TextDiff before={before.text} after={after.text} shows={side === before ? "before" : "after"} />
          </Suspense>
        )}
      </Side>
    ))}
  </Box>
);

const Side = ({ side, children }: Readonly<{ side: AnswerSide; children: ReactNode }>) => (
  <Col gap={2}>
    <Row gap={3} wrap sx={{ fontSize: 12, color: "text.tertiary" }} className="num">
      <Box component="span" sx={{ fontWeight: 600, color: "text.secondary", overflowWrap: "anywhere" }}>
        {side.title}
      </Box>
      <span>{side.model}</span>
      <Money quota={side.cost} decimals={6} />
      <span>{formatDuration(side.latency_ms)}</span>
      <span>
        {formatNumber(side.prompt_tokens)} → {formatNumber(side.completion_tokens)}
      </span>
    </Row>
    <Box
      // Reached by keyboard, because it scrolls.
      tabIndex={0}
      sx={{
        ...{ fontSize: 13, whiteSpace: "pre-wrap", overflowWrap: "anywhere", maxHeight: 360, overflow: "auto" },
        ...{ p: 3, border: "1px solid", borderColor: "line.main", borderRadius: 1, bgcolor: "surface.sunken" },
      }}
    >
      {children}
    </Box>
  </Col>
);
