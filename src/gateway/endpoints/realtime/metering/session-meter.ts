import type { Usage } from "../../../../formats/conversation/reply.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { countText } from "../../../money/count-tokens.ts";
import { clientTexts, instructionsOf } from "../filters/client-texts.ts";

/** 16-bit PCM at 24 kHz, and G.711 at 8 kHz. */
const PCM_BYTES_PER_SECOND = 48_000;
const G711_BYTES_PER_SECOND = 8_000;
/** OpenAI counts one token per 100 ms of input audio and per 50 ms of output audio. */
const INPUT_TOKENS_PER_SECOND = 10;
const OUTPUT_TOKENS_PER_SECOND = 20;
/** Maximum characters to store per side; text beyond that between two charges is not counted. */
const MAX_CHARACTERS = 512 * 1024;

type Side = { texts: string[]; characters: number; seconds: number };

/** The content since the last charge. */
export type MeteredContent = TranscriptContent & Readonly<{ count(model: string): Promise<Usage> }>;

/**
 * Collects both sides' content since the last charge: billed if the upstream reports no usage for a response, or the
 * connection ends first.
 */
export class RealtimeMeter {
  readonly #content = new RealtimeTranscript();
  #input = newSide();
  #output = newSide();
  #inputBytesPerSecond = PCM_BYTES_PER_SECOND;
  #outputBytesPerSecond = PCM_BYTES_PER_SECOND;

  /** Takes an event of the client. */
  client(event: JsonObject): void {
    this.#content.client(event);
    switch (event.type) {
      case "input_audio_buffer.append":
        this.#input.seconds += secondsOf(event.audio, this.#inputBytesPerSecond);
        return;
      case "input_audio_buffer.clear":
        this.#input.seconds = 0;
        return;
      case "conversation.item.create":
        for (const part of recordsOf(recordOf(event.item)?.content)) {
          addText(this.#input, part.text);
          this.#input.seconds += secondsOf(part.audio, this.#inputBytesPerSecond);
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
        this.#output.seconds += secondsOf(event.delta, this.#outputBytesPerSecond);
        return;
      case "response.output_text.delta":
      case "response.text.delta":
      case "response.function_call_arguments.delta":
        addText(this.#output, event.delta);
    }
  }

  /** Whether the model has produced output since the last charge. */
  get hasOutput(): boolean {
    return this.#output.characters > 0 || this.#output.seconds > 0;
  }

  /** Returns everything so far and starts over. */
  take(): MeteredContent {
    const input = this.#input;
    const output = this.#output;
    this.#input = newSide();
    this.#output = newSide();
    return {
      ...this.#content.take(),
      async count(model) {
        const audioInputTokens = Math.ceil(input.seconds * INPUT_TOKENS_PER_SECOND);
        const audioOutputTokens = Math.ceil(output.seconds * OUTPUT_TOKENS_PER_SECOND);
        return {
          promptTokens: (await countText(model, input.texts.join("\n"))) + audioInputTokens,
          completionTokens: (await countText(model, output.texts.join(""))) + audioOutputTokens,
          cachedTokens: 0,
          cacheCreationTokens: 0,
          reasoningTokens: 0,
          audioInputTokens,
          audioOutputTokens,
        };
      },
    };
  }

  /** Reads the audio formats: under `audio`, or in beta sessions at the top level. */
  #readFormats(session: JsonObject | null): void {
    const audio = recordOf(session?.audio);
    const formatOf = (side: "input" | "output") =>
      textOf(recordOf(recordOf(audio?.[side])?.format)?.type) ?? textOf(session?.[`${side}_audio_format`]);
    this.#inputBytesPerSecond = bytesPerSecond(formatOf("input"));
    this.#outputBytesPerSecond = bytesPerSecond(formatOf("output"));
  }
}

const newSide = (): Side => ({ texts: [], characters: 0, seconds: 0 });

function addText(side: Side, value: unknown): void {
  const text = textOf(value);
  if (text === null || side.characters + text.length > MAX_CHARACTERS) return;
  side.texts.push(text);
  side.characters += text.length;
}

/** Duration of base64 audio in seconds. */
const secondsOf = (audio: unknown, bytesPerSecond: number): number =>
  typeof audio === "string" ? (audio.length * 3) / 4 / bytesPerSecond : 0;

const bytesPerSecond = (format: string | null): number =>
  format !== null && /g711|pcmu|pcma/.test(format) ? G711_BYTES_PER_SECOND : PCM_BYTES_PER_SECOND;

/** Maximum characters to store per side between two charges; a log row stores far fewer. */
const MAX_CONTENT_CHARACTERS = 256 * 1024;

/** The texts since the last charge, in the shape of a chat. */
type TranscriptContent = Readonly<{ prompt: JsonObject; text: string }>;

/** The texts of a session for the content log: messages, and transcripts of audio. */
export class RealtimeTranscript {
  #instructions = "";
  /** The instructions of the last requested response; null: those of the session. */
  #own: string | null = null;
  #clientMessages: JsonObject[] = [];
  #clientCharacters = 0;
  #modelTexts: string[] = [];
  #modelCharacters = 0;

  /** Takes an event of the client. */
  client(event: JsonObject): void {
    if (event.type === "session.update") this.#instructions = instructionsOf(event.session) ?? this.#instructions;
    if (event.type === "response.create") this.#own = instructionsOf(event.response);
    for (const message of clientTexts(event).messages)
      if (message.role !== "system" || isItem(event)) this.#addClientMessage(message);
  }

  /** Takes an event of the upstream. */
  upstream(event: JsonObject): void {
    switch (event.type) {
      case "conversation.item.input_audio_transcription.completed":
        this.#addClientMessage({ role: "user", content: textOf(event.transcript) ?? "" });
        return;
      case "response.output_text.delta":
      case "response.text.delta":
      case "response.output_audio_transcript.delta":
      case "response.audio_transcript.delta":
      case "response.function_call_arguments.delta":
        this.#speak(textOf(event.delta) ?? "");
    }
  }

  /** Returns everything so far and starts over. */
  take(): TranscriptContent {
    const instructions = this.#own ?? this.#instructions;
    const system = instructions === "" ? [] : [{ role: "system", content: instructions }];
    const words = { prompt: { messages: [...system, ...this.#clientMessages] }, text: this.#modelTexts.join("") };
    this.#own = null;
    this.#clientMessages = [];
    this.#clientCharacters = 0;
    this.#modelTexts = [];
    this.#modelCharacters = 0;
    return words;
  }

  #addClientMessage(message: JsonObject): void {
    const { length } = textOf(message.content) ?? "";
    if (length === 0 || this.#clientCharacters + length > MAX_CONTENT_CHARACTERS) return;
    this.#clientMessages.push(message);
    this.#clientCharacters += length;
  }

  #speak(text: string): void {
    if (this.#modelCharacters + text.length > MAX_CONTENT_CHARACTERS) return;
    this.#modelTexts.push(text);
    this.#modelCharacters += text.length;
  }
}

const isItem = (event: JsonObject): boolean => event.type === "conversation.item.create";
