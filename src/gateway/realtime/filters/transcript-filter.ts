import { type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { responseFilters } from "../../adapters/views/response-word-filter.ts";
import { applyFilters, type StepFilter } from "../../adapters/views/step-filter.ts";

/** The events for the client in place of an upstream event, and the id of a response to cancel. */
export type Passed = Readonly<{ events: readonly JsonObject[]; cancel: string | null }>;

/** A text that is still streaming. */
type Open = { filters: readonly StepFilter[]; response: string; last: JsonObject };

/** Delta events of text, and the member of the final event with the complete text. */
const COMPLETE_FIELD = lookupTable<"text" | "transcript">({
  "response.output_text": "text",
  "response.text": "text",
  "response.output_audio_transcript": "transcript",
  "response.audio_transcript": "transcript",
});

/**
 * Filters forbidden words from a model's text and audio transcripts in a session: masks them, or ends the response at
 * the first one, including its audio.
 */
export class TranscriptFilter {
  readonly #open = new Map<string, Open>();
  /** Responses that ended because of a forbidden word. */
  readonly #stopped = new Set<string>();

  #makers: readonly (() => StepFilter)[] = [];
  /** The version of the settings from which `#makers` were created. */
  #version = -1;

  constructor(private readonly settings: SettingsReader) {}

  /** Takes an event of the upstream; null: forward it unchanged. */
  pass(event: JsonObject): Passed | null {
    const makers = this.#filters();
    if (makers.length === 0 && this.#open.size === 0 && this.#stopped.size === 0) return null;
    const type = textOf(event.type) ?? "";
    const response = textOf(event.response_id) ?? textOf(recordOf(event.response)?.id) ?? "";
    if (type.endsWith(".delta")) return this.#piece(event, response, makers);
    const forward = (events: readonly JsonObject[]): Passed => ({ events, cancel: null });
    const field = type.endsWith(".done") ? COMPLETE_FIELD[type.slice(0, -".done".length)] : undefined;
    if (field) return forward([...this.#rest(keyOf(event)), { ...event, [field]: filteredText(makers, event[field]) }]);
    if (type === "response.done")
      return forward([...this.#restOf(response), this.#ended(withFilteredTexts(makers, event), response)]);
    return event.part || event.item || event.response ? forward([withFilteredTexts(makers, event)]) : null;
  }

  #filters(): readonly (() => StepFilter)[] {
    const { version } = this.settings;
    if (version !== this.#version) {
      this.#version = version;
      this.#makers = responseFilters(this.settings);
    }
    return this.#makers;
  }

  #piece(event: JsonObject, response: string, makers: readonly (() => StepFilter)[]): Passed | null {
    if (this.#stopped.has(response)) return { events: [], cancel: null };
    if (!COMPLETE_FIELD[textOf(event.type)?.slice(0, -".delta".length) ?? ""]) return null;
    const key = keyOf(event);
    const open = this.#open.get(key) ?? { filters: makers.map((make) => make()), response, last: event };
    open.last = event;
    this.#open.set(key, open);
    const { text, isStopped } = filterText(open.filters, { type: "text", choice: 0, text: textOf(event.delta) ?? "" });
    if (isStopped) this.#stopped.add(response);
    return { events: text === "" ? [] : [{ ...event, delta: text }], cancel: isStopped ? response : null };
  }

  /** The text held back, when a text is complete. */
  #rest(key: string): JsonObject[] {
    const open = this.#open.get(key);
    this.#open.delete(key);
    if (!open || this.#stopped.has(open.response)) return [];
    const { text } = filterText(open.filters, END);
    return text === "" ? [] : [{ ...open.last, delta: text }];
  }

  #restOf(response: string): JsonObject[] {
    const keys = [...this.#open].flatMap(([key, open]) => (open.response === response ? [key] : []));
    return keys.flatMap((key) => this.#rest(key));
  }

  #ended(event: JsonObject, id: string): JsonObject {
    const response = recordOf(event.response);
    if (!this.#stopped.delete(id) || response?.status === "failed") return event;
    const filtered = { status: "incomplete", status_details: { type: "incomplete", reason: "content_filter" } };
    return { ...event, response: { ...response, ...filtered } };
  }
}

const END = { type: "finish", choice: 0, reason: "stop", native: null } as const;

const keyOf = ({ item_id, output_index, content_index }: JsonObject): string =>
  JSON.stringify([item_id, output_index, content_index]);

function filterText(
  filters: readonly StepFilter[],
  step: Parameters<StepFilter>[0],
): { text: string; isStopped: boolean } {
  let text = "";
  let isStopped = false;
  for (const passed of applyFilters(filters, step)) {
    if (passed.type === "text") text += passed.text;
    else if (passed.type === "finish") isStopped = passed.reason === "content_filter";
  }
  return { text, isStopped };
}

/** A complete text after filtering. */
function filteredText(makers: readonly (() => StepFilter)[], value: unknown): unknown {
  const text = textOf(value);
  if (text === null) return value;
  const filters = makers.map((make) => make());
  return filterText(filters, { type: "text", choice: 0, text }).text + filterText(filters, END).text;
}

/** An event with a part, an item or a response, whose model output is filtered. */
function withFilteredTexts(makers: readonly (() => StepFilter)[], event: JsonObject): JsonObject {
  const cleanPart = (part: JsonObject): JsonObject => ({
    ...part,
    ...(part.text !== undefined && { text: filteredText(makers, part.text) }),
    ...(part.transcript !== undefined && { transcript: filteredText(makers, part.transcript) }),
  });
  const cleanItem = (item: JsonObject): JsonObject =>
    item.role === "assistant" && Array.isArray(item.content)
      ? { ...item, content: recordsOf(item.content).map(cleanPart) }
      : item;
  const part = recordOf(event.part);
  const item = recordOf(event.item);
  const response = recordOf(event.response);
  return {
    ...event,
    ...(part && { part: cleanPart(part) }),
    ...(item && { item: cleanItem(item) }),
    ...(response &&
      Array.isArray(response.output) && {
        response: { ...response, output: recordsOf(response.output).map(cleanItem) },
      }),
  };
}
