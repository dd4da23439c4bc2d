import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../json.ts";

/** Members of a candidate that carry information besides its text. */
const NON_TEXT_MEMBERS = ["finishReason", "logprobsResult", "citationMetadata", "groundingMetadata"] as const;
const TEXT = /"text"\s*:\s*"/;
const USAGE = /"usageMetadata"\s*:\s*(?=\{)/;
/** After this many different frames, learning stops: such a stream does not repeat its framing. */
const MAX_FRAMES = 3;

/** The JSON around the text and the usage of an event; `rest` is null without usage. */
type Frame = Readonly<{ before: string; between: string; rest: string | null }>;

/**
 * Most events of a stream differ only in their text and usage. Once one event was parsed, later events with the same
 * JSON frame are read without parsing.
 */
export class PlainEvents {
  #frame: Frame | null = null;
  #frames = 0;

  /** The text and usage of an event that matches a learned frame; else null. */
  read(data: string): { text: string; usage: JsonObject | null } | null {
    const frame = this.#frame;
    if (!frame?.before || !data.startsWith(frame.before)) return null;
    const { before, between, rest } = frame;
    const end = data.indexOf('"', before.length);
    if (end <= before.length || !data.startsWith(between, end)) return null;
    const text = data.slice(before.length, end);
    if (text.includes("\\")) return null;
    if (rest === null) return data.length === end + between.length ? { text, usage: null } : null;
    if (!data.endsWith(rest)) return null;
    const usage = recordOf(parseJson(data.slice(end + between.length, data.length - rest.length)));
    return usage && { text, usage };
  }

  /** Learns the frame of an event that was parsed to `answer`, if it carries only text. */
  learn(data: string, answer: JsonObject): void {
    if (this.#frames >= MAX_FRAMES) return;
    const text = onlyText(answer);
    const start = TEXT.exec(data);
    if (!text || !start) return;
    const from = start.index + start[0].length;
    const end = from + text.length;
    if (data.slice(from, end) !== text || data[end] !== '"' || text.includes('"')) return;
    this.#frame = frameOf(data, from, end, answer.usageMetadata);
    this.#frames += 1;
  }
}

/** The text of a response whose first candidate has one part with nothing else; null for all others. */
function onlyText(answer: JsonObject): string | null {
  const [candidate, ...others] = recordsOf(answer.candidates);
  if (!candidate || others.length > 0 || answer.promptFeedback !== undefined || answer.error !== undefined) return null;
  if ((numberOf(candidate.index) ?? 0) !== 0 || NON_TEXT_MEMBERS.some((name) => candidate[name] !== undefined))
    return null;
  const [part, ...further] = recordsOf(recordOf(candidate.content)?.parts);
  if (!part || further.length > 0 || Object.keys(part).length !== 1) return null;
  return textOf(part.text);
}

/** `from` and `end` delimit the text in `data`. Null if the usage cannot be located. */
function frameOf(data: string, from: number, end: number, usage: unknown): Frame | null {
  const before = data.slice(0, from);
  const after = data.slice(end);
  if (usage === undefined) return { before, between: after, rest: null };
  const start = USAGE.exec(after);
  if (!start) return null;
  const place = start.index + start[0].length;
  const length = objectLength(after, place);
  return { before, between: after.slice(0, place), rest: after.slice(place + length) };
}

/** Length of the JSON object that begins at `from`; its strings must not contain brackets. */
function objectLength(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at += 1) {
    if (json[at] === "{") depth += 1;
    else if (json[at] === "}") {
      depth -= 1;
      if (depth === 0) return at + 1 - from;
    }
  }
  return json.length - from;
}
