import type { ReportedUsage } from "../../../formats/conversation/usage.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { countText } from "../../billing/count-tokens.ts";
import { RealtimeTranscript, type TalkWords } from "./session-content.ts";

/** PCM of 16 bits at 24 kHz, and G.711 at 8 kHz. */
const PCM_BYTES_PER_SECOND = 48_000;
const G711_BYTES_PER_SECOND = 8_000;
/** A token stands for 100 ms of heard and 50 ms of spoken sound. */
const HEARD_TOKENS_PER_SECOND = 10;
const SPOKEN_TOKENS_PER_SECOND = 20;
/** Text kept of either side; who says more without a single charge between is counted so far. */
const MAX_CHARACTERS = 512 * 1024;

type Side = { texts: string[]; characters: number; seconds: number };

/** What was said since the last charge. */
export type Said = TalkWords & Readonly<{ count(model: string): Promise<ReportedUsage> }>;

/**
 * What both sides of a talk said since it was last charged: billed where the upstream does not tell what a response used,
 * or the connection ends before it could.
 */
export class RealtimeMeter {
  readonly #content = new RealtimeTranscript();
  #heard = newSide();
  #spoken = newSide();
  #heardBytesPerSecond = PCM_BYTES_PER_SECOND;
  #spokenBytesPerSecond = PCM_BYTES_PER_SECOND;

  /** Takes an event of the client. */
  client(event: JsonObject): void {
    this.#content.client(event);
    switch (event.type) {
      case "input_audio_buffer.append":
        this.#heard.seconds += secondsOf(event.audio, this.#heardBytesPerSecond);
        return;
      case "input_audio_buffer.clear":
        this.#heard.seconds = 0;
        return;
      case "conversation.item.create":
        for (const part of recordsOf(recordOf(event.item)?.content)) {
          addText(this.#heard, part.text);
          this.#heard.seconds += secondsOf(part.audio, this.#heardBytesPerSecond);
        }
    }
  }

  /** Takes an event of the upstream. */
  upstream(event: JsonObject): void {
    this.#content.upstream(event);
    switch (event.type) {
      case "session.created":
      case "session.updated":
        this.#readFormats(recordOf(event.session));
        return;
      case "response.output_audio.delta":
      case "response.audio.delta":
        this.#spoken.seconds += secondsOf(event.delta, this.#spokenBytesPerSecond);
        return;
      case "response.output_text.delta":
      case "response.text.delta":
      case "response.function_call_arguments.delta":
        addText(this.#spoken, event.delta);
    }
  }

  /** The model said something since the last charge. */
  get hasSpoken(): boolean {
    return this.#spoken.characters > 0 || this.#spoken.seconds > 0;
  }

  /** Everything so far; what follows is counted anew. */
  take(): Said {
    const heard = this.#heard;
    const spoken = this.#spoken;
    this.#heard = newSide();
    this.#spoken = newSide();
    return {
      ...this.#content.take(),
      async count(model) {
        const audioInputTokens = Math.ceil(heard.seconds * HEARD_TOKENS_PER_SECOND);
        const audioOutputTokens = Math.ceil(spoken.seconds * SPOKEN_TOKENS_PER_SECOND);
        return {
          promptTokens: (await countText(model, heard.texts.join("\n"))) + audioInputTokens,
          completionTokens: (await countText(model, spoken.texts.join(""))) + audioOutputTokens,
          cachedTokens: 0,
          cacheCreationTokens: 0,
          reasoningTokens: 0,
          audioInputTokens,
          audioOutputTokens,
        };
      },
    };
  }

  /** Formats stand under `audio`, in the beta's sessions beside everything else. */
  #readFormats(session: JsonObject | null): void {
    const audio = recordOf(session?.audio);
    const formatOf = (side: "input" | "output") =>
      textOf(recordOf(recordOf(audio?.[side])?.format)?.type) ?? textOf(session?.[`${side}_audio_format`]);
    this.#heardBytesPerSecond = bytesPerSecond(formatOf("input"));
    this.#spokenBytesPerSecond = bytesPerSecond(formatOf("output"));
  }
}

const newSide = (): Side => ({ texts: [], characters: 0, seconds: 0 });

function addText(side: Side, value: unknown): void {
  const text = textOf(value);
  if (text === null || side.characters + text.length > MAX_CHARACTERS) return;
  side.texts.push(text);
  side.characters += text.length;
}

/** Seconds of sound in Base64. */
const secondsOf = (audio: unknown, bytesPerSecond: number): number =>
  typeof audio === "string" ? (audio.length * 3) / 4 / bytesPerSecond : 0;

const bytesPerSecond = (format: string | null): number =>
  format !== null && /g711|pcmu|pcma/.test(format) ? G711_BYTES_PER_SECOND : PCM_BYTES_PER_SECOND;
