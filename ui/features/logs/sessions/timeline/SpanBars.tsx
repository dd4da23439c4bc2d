import Box from "@mui/material/Box";
import type { CallLine, Span } from "./timeline.ts";

/** Where a moment stands, as a share of the width. */
type Place = (ms: number) => number;

const LOOKS = {
  agent: { top: 7, height: 4, bgcolor: "line.strong", borderRadius: "2px" },
  tools: { top: 8, height: 2, bgcolor: "line.strong" },
  firstToken: { top: 4, height: 10, bgcolor: "series.s2", borderRadius: "2px" },
  stream: { top: 4, height: 10, bgcolor: "series.s1", borderRadius: "2px" },
  failed: { top: 4, height: 10, bgcolor: "tone.bad.solid", borderRadius: "2px" },
} as const;

type SpanBarProps = Readonly<{ span: Span; place: Place; look: keyof typeof LOOKS }>;

/** A stretch of time. */
export const SpanBar = ({ span, place, look }: SpanBarProps) => {
  const left = place(span.from);
  return (
    <Box
      sx={{
        ...{ position: "absolute", minWidth: 2, ...LOOKS[look] },
        // A call of no time at the very end is seen too.
        left: `min(${left * 100}%, 100% - 2px)`,
        width: `${(place(span.to) - left) * 100}%`,
      }}
    />
  );
};

/** A call: the tools before it, the wait for its first token, and its answer. */
export const CallBars = ({ line, place }: Readonly<{ line: CallLine; place: Place }>) => {
  const { call, span, tools } = line;
  const first = span.from + (call.first_token_ms ?? 0);
  return (
    <>
      {tools && <SpanBar span={tools} place={place} look="tools" />}
      {call.failed ? (
        <SpanBar span={span} place={place} look="failed" />
      ) : (
        <>
          {call.first_token_ms !== null && (
            <SpanBar span={{ from: span.from, to: first }} place={place} look="firstToken" />
          )}
          <SpanBar span={{ from: first, to: span.to }} place={place} look="stream" />
        </>
      )}
    </>
  );
};
