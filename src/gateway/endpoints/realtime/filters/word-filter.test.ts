import { describe, expect, test } from "bun:test";
import { fixedSettings } from "../../../../../test/support/lib/settings.ts";
import { SessionGuard } from "../../../call/guardrails/answer/session-guard.ts";
import { TranscriptFilter } from "./word-filter.ts";

const ON = { CheckSensitiveEnabled: "true", CheckSensitiveOnCompletionEnabled: "true", SensitiveWords: "secret" };
const TRANSCRIPT = "well, the Secret is out";

const filterBy = (options: Readonly<Record<string, string>>) =>
  new TranscriptFilter(
    new SessionGuard(fixedSettings(options), "gpt-realtime", () => {
      throw new Error("nothing depends on the caller");
    }),
  );

type Event = Record<string, unknown>;
const at = { response_id: "r", item_id: "i", output_index: 0, content_index: 0 };
const part = { type: "output_audio", transcript: TRANSCRIPT };
const itemOf = (role: string) => ({ id: "i", type: "message", role, content: [{ ...part }] });

/** A response whose text arrives in chunks of `size` characters. */
const response = (size: number, kind = "response.output_audio_transcript", field = "transcript"): Event[] => [
  { type: "response.created", response: { id: "r", status: "in_progress", output: [] } },
  ...Array.from({ length: Math.ceil(TRANSCRIPT.length / size) }, (_, index) => ({
    type: `${kind}.delta`,
    ...at,
    delta: TRANSCRIPT.slice(index * size, (index + 1) * size),
  })),
  { type: "response.output_audio.delta", ...at, delta: "AAAA" },
  { type: `${kind}.done`, ...at, [field]: TRANSCRIPT },
  { type: "response.content_part.done", ...at, part },
  { type: "response.output_item.done", response_id: "r", item: itemOf("assistant") },
  { type: "response.done", response: { id: "r", status: "completed", output: [itemOf("assistant")] } },
];

/** What a client receives for these events, and which responses are cancelled. */
function filterAll(words: TranscriptFilter, events: readonly Event[]) {
  const ends: string[] = [];
  const all = events.flatMap((event): readonly Event[] => {
    const passed = words.pass(event);
    if (passed?.cancel != null) ends.push(passed.cancel);
    return passed?.events ?? [event];
  });
  const deltas = all.filter(({ type }) => /(text|transcript)\.delta$/.test(String(type)));
  return { all, ends, text: deltas.map(({ delta }) => delta).join(""), last: all.at(-1)?.response as Event };
}

describe.each([1, 4, 100])("a word in chunks of %p characters", (size) => {
  test.each([
    ["response.output_audio_transcript", "transcript"],
    ["response.audio_transcript", "transcript"],
    ["response.output_text", "text"],
    ["response.text", "text"],
  ])("is masked in %s and wherever it is repeated", (kind, field) => {
    const words = filterBy({ ...ON, StopOnSensitiveEnabled: "false" });
    const { all, ends, text, last } = filterAll(words, response(size, kind, field));
    expect(text).toBe("well, the **###** is out");
    expect(JSON.stringify(all)).not.toMatch(/secret/i);
    expect(all.find(({ type }) => type === `${kind}.done`)?.[field]).toBe("well, the **###** is out");
    expect(all.some(({ type }) => type === "response.output_audio.delta")).toBe(true);
    expect(last.status).toBe("completed");
    expect(ends).toEqual([]);
  });

  test("ends the response if the site says so, including its audio", () => {
    const words = filterBy({ ...ON, StopOnSensitiveEnabled: "true" });
    const { all, ends, text, last } = filterAll(words, response(size));
    expect(text).toBe("well, the ");
    expect(ends).toEqual(["r"]);
    expect(JSON.stringify(all)).not.toMatch(/secret|out"/i);
    expect(all.some(({ type }) => type === "response.output_audio.delta")).toBe(false);
    expect(last).toMatchObject({ status: "incomplete", status_details: { reason: "content_filter" } });
    const next = { type: "response.output_audio.delta", ...at, response_id: "next", delta: "AAAA" };
    expect(filterAll(words, [next]).all).toEqual([next]);
  });
});

test("text held back precedes the end of a response that is cut short", () => {
  const words = filterBy({ ...ON, StopOnSensitiveEnabled: "false" });
  const [created, , , ...others] = response(100) as [Event, Event, Event, ...Event[]];
  const piece = { type: "response.output_text.delta", ...at, delta: "so far so sec" };
  const { text, all } = filterAll(words, [created, piece, others.at(-1) as Event]);
  expect(text).toBe("so far so sec");
  expect(all.at(-1)?.type).toBe("response.done");
});

test("items of the user pass through unchanged", () => {
  const words = filterBy(ON);
  const event = { type: "conversation.item.added", item: itemOf("user") };
  expect(filterAll(words, [event]).all).toEqual([event]);
});

test.each([
  [{ ...ON, CheckSensitiveEnabled: "false" }],
  [{ ...ON, CheckSensitiveOnCompletionEnabled: "false" }],
  [{ ...ON, SensitiveWords: "" }],
])("under %o everything passes through unchanged", (options) => {
  const words = filterBy(options);
  for (const event of response(4)) expect(words.pass(event)).toBeNull();
});
