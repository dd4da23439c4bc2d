import type { Dropped } from "../../formats/conversation/codec.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { Ask, ProviderChannel } from "./provider.ts";

/** An answer that is no JSON: sound, or plain text. */
export type Content = Readonly<{ body: string | Uint8Array<ArrayBuffer>; contentType: string }>;

/** A file of a form by its member's name. */
export type FormFile = Readonly<{ name: string; bytes: Uint8Array }>;

/** Calls beside chats (pictures, vectors, rankings, sound) in words of a provider's own. */
export type OwnFormat = Readonly<{
  /** A call in OpenAI's words, with the files of its form, as the provider has it. Names what stays behind. */
  encode(call: JsonObject, model: string, dropped: Dropped, files: readonly FormFile[]): JsonObject;
  /** What OpenAI would answer; null: the answer makes no sense. */
  decode(answer: JsonObject, call: JsonObject): JsonObject | null;
  /** The same of an answer that is no JSON. */
  decodeBytes?(bytes: Uint8Array): JsonObject;
  /** What clients get instead of JSON; null: JSON. */
  content?(answer: JsonObject, call: JsonObject): Content | null;
  /** Why an answer with status 200 holds nothing, and its true status; null: it holds something, or will. */
  failure?(answer: JsonObject): Readonly<{ message: string; code: string; status?: number }> | null;
  /** Where to ask again for a job that goes on; null: it is over. */
  pending?(channel: ProviderChannel, answer: JsonObject): string | null;
}>;

/** The words that a provider has for a call; null: OpenAI's. */
export type OwnFormatOf = (ask: Pick<Ask, "capability" | "model">, key: string) => OwnFormat | null;
