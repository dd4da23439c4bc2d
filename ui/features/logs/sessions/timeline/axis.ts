import type { Line, Span } from "./timeline.ts";

/** A pause that is drawn shorter than it was. */
type Break = Readonly<{ at: number; skippedMs: number }>;

/** Where moments stand: in milliseconds from the start, without most of the pauses. */
export type Axis = Readonly<{ length: number; at: (ms: number) => number; breaks: readonly Break[] }>;

/** A tool that runs longer waits for somebody. */
const LONGEST_TOOL_MS = 300_000;
/** The longest pause that is drawn, as a share of the time in which something happened; all together have at most the second. */
const [PAUSE_SHARE, PAUSES_SHARE] = [0.05, 0.3];

/** The axis of a session's lines. */
export function axisOf(lines: readonly Line[]): Axis {
  const busy = merged(lines.flatMap(busySpans));
  const busyMs = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const longest = busyMs * Math.min(PAUSE_SHARE, PAUSES_SHARE / Math.max(1, busy.length - 1));
  const starts: number[] = [];
  const breaks: Break[] = [];
  let length = 0;
  for (const [index, { from, to }] of busy.entries()) {
    const pause = from - (busy[index - 1]?.to ?? from);
    const drawn = Math.min(pause, longest);
    if (pause > drawn) breaks.push({ at: length + drawn / 2, skippedMs: pause });
    starts.push(length + drawn);
    length += drawn + to - from;
  }
  const at = (ms: number) => {
    const index = busy.findLastIndex(({ from }) => from <= ms);
    const [span, start] = [busy[index], starts[index]];
    if (!span || start === undefined) return 0;
    const end = start + span.to - span.from;
    if (ms <= span.to) return start + ms - span.from;
    return Math.min(end + ms - span.to, starts[index + 1] ?? length);
  };
  return { length: Math.max(length, 1), at, breaks };
}

function busySpans(line: Line): Span[] {
  if (line.kind === "agent") return [];
  const { tools, span } = line;
  return tools && tools.to - tools.from <= LONGEST_TOOL_MS ? [tools, span] : [span];
}

/** The spans without overlaps, in order. */
function merged(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && span.from <= last.to) all[all.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else all.push(span);
  }
  return all;
}
