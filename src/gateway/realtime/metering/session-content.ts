import { type JsonObject, textOf } from "../../../formats/json.ts";
import { clientTexts, instructionsOf } from "../filters/client-texts.ts";

/** Characters kept of either side between two charges; a log row keeps far fewer. */
const MAX_CHARACTERS = 256 * 1024;

/** What was said in words since the last charge, in the shape of a chat. */
export type TranscriptContent = Readonly<{ prompt: JsonObject; text: string }>;

/** The words of a talk for the content log: texts as they were sent, and what sound was written down as. */
export class RealtimeTranscript {
  #instructions = "";
  /** Of the response that was asked for last; null: those of the session. */
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

  /** Everything so far; what follows is kept anew. */
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
    if (length === 0 || this.#clientCharacters + length > MAX_CHARACTERS) return;
    this.#clientMessages.push(message);
    this.#clientCharacters += length;
  }

  #speak(text: string): void {
    if (this.#modelCharacters + text.length > MAX_CHARACTERS) return;
    this.#modelTexts.push(text);
    this.#modelCharacters += text.length;
  }
}

const isItem = (event: JsonObject): boolean => event.type === "conversation.item.create";
