import type { Usage } from "../../../../formats/conversation/reply.ts";
import { readTier, readUsage } from "../../../../formats/gemini/response/usage.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { GROUNDING, searchedIn } from "../../../../formats/tools/web-search.ts";
import { countText } from "../../../money/count-tokens.ts";
import type { Charge } from "../metering/billing.ts";
import { clientTextsOf } from "./client-texts.ts";

/** Google counts 32 tokens per second of audio, and 258 per image: https://ai.google.dev/gemini-api/docs/tokens */
const AUDIO_TOKENS_PER_SECOND = 32;
const IMAGE_TOKENS = 258;
const BYTES_PER_SAMPLE = 2;
const INPUT_RATE_HZ = 16_000;
const OUTPUT_RATE_HZ = 24_000;
/** Maximum characters to store per side between two charges. */
const MAX_CHARACTERS = 256 * 1024;

/** The content and the reported usage of a session since its last charge. */
class LiveMeter {
  #input: string[] = [];
  #inputCharacters = 0;
  #inputSeconds = 0;
  #images = 0;
  #output = "";
  #outputSeconds = 0;
  #calls = 0;
  #reported: Usage | null = null;
  #serviceTier: string | null = null;
  /** Queries of Google searches; messages may repeat them. */
  readonly #queries = new Set<string>();
  #isGrounded = false;

  /** Takes a message of the client. */
  client(message: JsonObject): void {
    for (const text of clientTextsOf(message)) this.#addInput(text);
    const input = recordOf(message.realtimeInput) ?? recordOf(message.realtime_input);
    const chunks = [input?.audio, input?.video, ...recordsOf(input?.mediaChunks ?? input?.media_chunks)];
    for (const blob of chunks.map(recordOf)) {
      const type = textOf(blob?.mimeType) ?? textOf(blob?.mime_type) ?? "";
      if (type.startsWith("audio/")) this.#inputSeconds += secondsOf(blob?.data, type, INPUT_RATE_HZ);
      else if (blob) this.#images += 1;
    }
  }

  /** Takes a message of the upstream. */
  upstream(message: JsonObject): void {
    const content = recordOf(message.serverContent);
    for (const part of recordsOf(recordOf(content?.modelTurn)?.parts)) {
      this.#addOutput(textOf(part.text) ?? "");
      const blob = recordOf(part.inlineData);
      const type = textOf(blob?.mimeType) ?? "";
      if (type.startsWith("audio/")) this.#outputSeconds += secondsOf(blob?.data, type, OUTPUT_RATE_HZ);
    }
    this.#addOutput(textOf(recordOf(content?.outputTranscription)?.text) ?? "");
    this.#addInput(textOf(recordOf(content?.inputTranscription)?.text) ?? "");
    const searched = searchedIn({ dialect: "gemini", name: GROUNDING, value: content ?? {} });
    this.#isGrounded ||= searched !== null;
    for (const query of searched?.queries ?? []) this.#queries.add(query);
    const calls = recordsOf(recordOf(message.toolCall)?.functionCalls);
    this.#calls += calls.length;
    for (const call of calls) this.#addOutput(JSON.stringify(call));
    const usage = recordOf(message.usageMetadata);
    if (!usage) return;
    this.#reported = sumOf(this.#reported, readLiveUsage(usage));
    this.#serviceTier = readTier(usage) ?? this.#serviceTier;
  }

  /** Whether the model has made something since the last charge. */
  get hasOutput(): boolean {
    return this.#output !== "" || this.#outputSeconds > 0 || this.#calls > 0;
  }

  /** Whether the upstream has reported usage since the last charge. */
  get hasReport(): boolean {
    return this.#reported !== null;
  }

  /** Returns everything so far and starts over. */
  take(): Pick<Charge, "reported" | "content" | "processing"> {
    const texts = this.#input;
    const text = this.#output;
    const audioInputTokens = Math.ceil(this.#inputSeconds * AUDIO_TOKENS_PER_SECOND);
    const audioOutputTokens = Math.ceil(this.#outputSeconds * AUDIO_TOKENS_PER_SECOND);
    const imageTokens = this.#images * IMAGE_TOKENS;
    const toolCalls = this.#isGrounded ? { google_search: Math.max(1, this.#queries.size) } : null;
    const reported = this.#reported && { ...this.#reported, ...(toolCalls && { toolCalls }) };
    this.#queries.clear();
    this.#isGrounded = false;
    this.#input = [];
    this.#inputCharacters = this.#inputSeconds = this.#images = this.#outputSeconds = this.#calls = 0;
    this.#output = "";
    this.#reported = null;
    const messages = texts.map((content) => ({ role: "user", content }));
    const count = async (model: string): Promise<Usage> => ({
      promptTokens: (await countText(model, texts.join("\n"))) + audioInputTokens + imageTokens,
      completionTokens: (await countText(model, text)) + audioOutputTokens,
      cachedTokens: 0,
      cacheCreationTokens: 0,
      reasoningTokens: 0,
      audioInputTokens,
      audioOutputTokens,
      ...(toolCalls && { toolCalls }),
    });
    const processing = this.#serviceTier === null ? {} : { serviceTier: this.#serviceTier };
    this.#serviceTier = null;
    return { reported, content: { prompt: { messages }, text, count }, processing };
  }

  #addInput(text: string): void {
    if (text === "" || this.#inputCharacters + text.length > MAX_CHARACTERS) return;
    this.#input.push(text);
    this.#inputCharacters += text.length;
  }

  #addOutput(text: string): void {
    if (this.#output.length + text.length <= MAX_CHARACTERS) this.#output += text;
  }
}

/** The usage that a message reports; a session has responses where other calls have candidates. */
function readLiveUsage(usage: JsonObject): Usage {
  const { responseTokenCount, responseTokensDetails } = usage;
  return readUsage({
    ...usage,
    ...(responseTokenCount !== undefined && { candidatesTokenCount: responseTokenCount }),
    ...(responseTokensDetails !== undefined && { candidatesTokensDetails: responseTokensDetails }),
  });
}

const sumOf = (sum: Usage | null, more: Usage): Usage =>
  sum === null
    ? more
    : {
        promptTokens: sum.promptTokens + more.promptTokens,
        completionTokens: sum.completionTokens + more.completionTokens,
        cachedTokens: sum.cachedTokens + more.cachedTokens,
        cacheCreationTokens: 0,
        reasoningTokens: sum.reasoningTokens + more.reasoningTokens,
        audioInputTokens: sum.audioInputTokens + more.audioInputTokens,
        audioOutputTokens: sum.audioOutputTokens + more.audioOutputTokens,
        imageInputTokens: (sum.imageInputTokens ?? 0) + (more.imageInputTokens ?? 0),
        imageOutputTokens: (sum.imageOutputTokens ?? 0) + (more.imageOutputTokens ?? 0),
      };

/** Duration of base64 samples of 16 bits in seconds. */
function secondsOf(data: unknown, mimeType: string, usualRateHz: number): number {
  const rate = Number(/\brate=(\d+)/.exec(mimeType)?.[1] ?? usualRateHz) || usualRateHz;
  return typeof data === "string" ? (data.length * 3) / 4 / (rate * BYTES_PER_SAMPLE) : 0;
}

/** The turns of a session and what each costs: by what Google reports, which may come after its end, else counted. */
export class LiveTurns {
  readonly #meter = new LiveMeter();
  /** `performance.now()` when the turn in progress began; null: none is. */
  #startedAtMs: number | null = null;
  /** A turn has ended whose usage has not been reported. */
  #awaitsReport = false;

  get isBusy(): boolean {
    return this.#startedAtMs !== null;
  }

  /** Takes a message to the model. */
  client(message: JsonObject): void {
    this.#meter.client(message);
  }

  /** Takes a message of the model; returns the charge of a turn whose cost is known now. */
  upstream(message: JsonObject): Charge | null {
    const content = recordOf(message.serverContent);
    const begins = content?.modelTurn !== undefined || message.toolCall !== undefined;
    // The usage of the turn before never came: what it made is counted.
    const unreported = begins && this.#awaitsReport ? this.#charge() : null;
    this.#meter.upstream(message);
    if (this.#meter.hasOutput) this.#startedAtMs ??= performance.now();
    return unreported ?? this.#settle(endsTurn(message));
  }

  /** What nobody has been charged for; null: nothing. */
  rest(): Omit<Charge, "ending"> | null {
    return this.#meter.hasReport || this.#meter.hasOutput ? this.#take() : null;
  }

  #settle(isOver: boolean): Charge | null {
    if ((isOver || this.#awaitsReport) && this.#meter.hasReport) return this.#charge();
    if (isOver && this.#meter.hasOutput) this.#awaitsReport = true;
    return null;
  }

  #charge(): Charge {
    return { ...this.#take(), ending: "complete" };
  }

  #take(): Omit<Charge, "ending"> {
    const startedAtMs = this.#startedAtMs ?? performance.now();
    this.#startedAtMs = null;
    this.#awaitsReport = false;
    return { ...this.#meter.take(), startedAtMs };
  }
}

/** Whether a message ends a turn: a call of a function is a step of its own. */
export const endsTurn = (message: JsonObject): boolean =>
  recordOf(message.serverContent)?.turnComplete === true || message.toolCall !== undefined;

/** A message with the names of the Gemini API where the host's differ: `names` has the new ones. */
export function withUsageNames(message: JsonObject, names: Readonly<Record<string, string>>): JsonObject | null {
  const usage = recordOf(message.usageMetadata);
  if (!usage) return null;
  const renamed = Object.fromEntries(Object.entries(usage).map(([name, value]) => [names[name] ?? name, value]));
  return { ...message, usageMetadata: renamed };
}
