import type { Dropped } from "../../formats/conversation/codec.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { ProviderChannel } from "./provider.ts";

/** A response that is not JSON: audio, or plain text. */
export type Content = Readonly<{ body: string | Uint8Array<ArrayBuffer>; contentType: string }>;

/** A file of a form by its member's name. */
export type FormFile = Readonly<{ name: string; bytes: Uint8Array }>;

/** A provider's own format for calls other than chats: images, embeddings, rerank, audio. */
export type NativeFormat = Readonly<{
  /** Writes a call in OpenAI's format, with the files of its form, in the provider's. Adds what is lost to `dropped`. */
  encode(call: JsonObject, model: string, dropped: Dropped, files: readonly FormFile[]): JsonObject;
  /** What OpenAI would respond; null: the response is invalid. */
  decode(response: JsonObject, call: JsonObject): JsonObject | null;
  /** The same for a response that is not JSON. */
  decodeBytes?(bytes: Uint8Array): JsonObject;
  /** What clients get instead of JSON; null: JSON. */
  content?(response: JsonObject, call: JsonObject): Content | null;
  /** Why a response with status 200 is a failure, and its actual status; null: it is none, or not yet. */
  failure?(response: JsonObject): Readonly<{ message: string; code: string; status?: number }> | null;
  /** Where to poll a job that is still running; null: it is done. */
  pending?(channel: ProviderChannel, response: JsonObject): string | null;
}>;
