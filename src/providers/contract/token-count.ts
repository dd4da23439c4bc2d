import type { JsonObject } from "../../formats/json.ts";
import type { CallParams, ProviderChannel } from "./provider.ts";

/** Counts the tokens of a chat without running it, free of charge. */
export type TokenCount = Readonly<{
  url(channel: ProviderChannel, params: CallParams): string;
  /** The body of the count for the body of the chat. */
  encode(chat: JsonObject, params: CallParams): JsonObject;
  /** Tokens of the prompt; null: the response is invalid. */
  decode(response: JsonObject): number | null;
}>;
