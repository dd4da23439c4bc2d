import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../../../formats/json.ts";
import { invalidRequest } from "../../../../request/client-body.ts";
import { AudioConverter, type AudioFormat } from "./audio.ts";
import { inexpressible } from "./settings.ts";

/** What the Live API takes; it would resample other rates itself, but documents this one for all its hosts. */
export const LIVE_INPUT: AudioFormat = { type: "audio/pcm", rate: 16_000 };
const LIVE_INPUT_TYPE = "audio/pcm;rate=16000";

/** A message with a piece of audio, in base64. */
export const audioMessage = (data: string): JsonObject => ({
  realtimeInput: { audio: { data, mimeType: LIVE_INPUT_TYPE } },
});

/** Audio of a turn that the client has ended itself. */
export type AudioTurn = Readonly<{ id: string; audio: readonly string[] }>;

/**
 * The items that the client added and the model has not received: OpenAI's clients add them one by one and then request a
 * response, while Google's model begins with the message that completes a turn.
 */
export class PendingItems {
  readonly #items = new Map<string, JsonObject>();
  #audioTurns: AudioTurn[] = [];
  /** Names of functions by the id of their call, which Google requires with the result. */
  readonly #names = new Map<string, string>();
  /** Calls of the model that wait for a result. */
  readonly #open = new Set<string>();

  constructor(private readonly inputFormat: () => AudioFormat) {}

  /** Adds an item. Throws GatewayError for one that the Live API cannot express. */
  add(item: JsonObject & { id: string }): void {
    if (item.type === "function_call") this.#names.set(textOf(item.call_id) ?? "", textOf(item.name) ?? "");
    if (item.type !== "function_call_output") this.#contentOf(item);
    this.#items.set(item.id, item);
  }

  /** Removes an item; false: the model has it. */
  remove(id: string): boolean {
    const before = this.#audioTurns.length;
    this.#audioTurns = this.#audioTurns.filter((turn) => turn.id !== id);
    return this.#items.delete(id) || this.#audioTurns.length < before;
  }

  addAudioTurn(turn: AudioTurn): void {
    this.#audioTurns.push(turn);
  }

  /** The model called a function. */
  called(id: string, name: string): void {
    this.#names.set(id, name);
    this.#open.add(id);
  }

  /** The model no longer waits for these calls. */
  cancelled(ids: readonly string[]): void {
    for (const id of ids) this.#open.delete(id);
  }

  /** Results of the calls that the model waits for; they are no longer pending. */
  takeResults(): JsonObject[] {
    const results: JsonObject[] = [];
    for (const [key, item] of this.#items) {
      const id = textOf(item.call_id) ?? "";
      if (item.type !== "function_call_output" || !this.#open.delete(id)) continue;
      this.#items.delete(key);
      results.push({ id, ...this.#resultOf(item) });
    }
    return results;
  }

  /** Everything else as contents in order; it is no longer pending. `exceptLast`: a last item of the user stays. */
  takeContents(exceptLast = false): JsonObject[] {
    const contents: JsonObject[] = [];
    const entries = [...this.#items];
    for (const [at, [id, item]] of entries.entries()) {
      if (this.#open.has(textOf(item.call_id) ?? "")) continue;
      if (exceptLast && at === entries.length - 1 && item.role === "user") continue;
      this.#items.delete(id);
      contents.push(this.#contentOf(item));
    }
    return contents;
  }

  takeAudio(): readonly string[] {
    const pieces = this.#audioTurns.flatMap(({ audio }) => audio);
    this.#audioTurns = [];
    return pieces;
  }

  #contentOf(item: JsonObject): JsonObject {
    switch (item.type) {
      case "message":
        return {
          role: item.role === "assistant" ? "model" : "user",
          parts: recordsOf(item.content).map((part) => this.#partOf(part)),
        };
      case "function_call": {
        const args = recordOf(parseJson(textOf(item.arguments) ?? "")) ?? {};
        return { role: "model", parts: [{ functionCall: { id: item.call_id, name: item.name, args } }] };
      }
      case "function_call_output":
        return { role: "user", parts: [{ functionResponse: { id: item.call_id, ...this.#resultOf(item) } }] };
      default:
        throw inexpressible("item.type");
    }
  }

  #resultOf(item: JsonObject): JsonObject {
    const output = textOf(item.output) ?? "";
    const name = this.#names.get(textOf(item.call_id) ?? "") ?? "";
    return { name, response: recordOf(parseJson(output)) ?? { output } };
  }

  #partOf(part: JsonObject): JsonObject {
    const text = textOf(part.text) ?? (part.audio === undefined ? textOf(part.transcript) : null);
    if (text !== null) return { text };
    if (part.type === "input_audio" && typeof part.audio === "string") {
      const converter = new AudioConverter(this.inputFormat(), LIVE_INPUT);
      const pieces = [converter.convert(part.audio), converter.end()].map((piece) => Buffer.from(piece, "base64"));
      return { inlineData: { mimeType: LIVE_INPUT_TYPE, data: Buffer.concat(pieces).toString("base64") } };
    }
    const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(textOf(part.image_url) ?? "") ?? [];
    if (part.type === "input_image" && mimeType && data) return { inlineData: { mimeType, data } };
    throw inexpressible("item.content");
  }
}

/**
 * What a user's contents are as realtime input: models since Gemini 3 take contents only before a session's first turn
 * (https://ai.google.dev/gemini-api/docs/live-api/capabilities). Throws GatewayError for turns of others.
 */
export function realtimeInputs(contents: readonly JsonObject[]): JsonObject[] {
  if (contents.some(({ role }) => role !== "user")) throw inexpressible("item.role");
  const parts = contents.flatMap((content) => recordsOf(content.parts));
  if (parts.some((part) => part.functionResponse)) throw inexpressible("item.call_id");
  const media = recordsOf(parts.map((part) => part.inlineData));
  const text = parts.flatMap((part) => textOf(part.text) ?? []).join("\n");
  return [
    ...media.map((blob) => ({
      realtimeInput: String(blob.mimeType).startsWith("audio/") ? { audio: blob } : { video: blob },
    })),
    ...(text === "" ? [] : [{ realtimeInput: { text } }]),
  ];
}

/** The error of a request for a response to nothing. */
export const nothingToRespondTo = () => invalidRequest({ code: "gateway_live_no_input" }, "response");
