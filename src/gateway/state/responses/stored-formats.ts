import type { ProviderCodec } from "../../../formats/conversation/codec.ts";
import type { ChatDialect } from "../../../formats/conversation/conversation.ts";
import { interactionsCodec } from "../../../formats/gemini-interactions/index.ts";
import { INTERACTIONS } from "../../../formats/gemini-interactions/steps.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { openaiResponsesCodec } from "../../../formats/openai-responses/index.ts";

/** A format whose responses are stored, to be continued and retrieved by their ids. */
export type StoredFormat = Readonly<{
  dialect: ChatDialect;
  /** The kind of its background responses among stored objects. */
  kind: "response" | "interaction";
  /** The member of a request that names the response it continues. */
  previous: "previous_response_id" | "previous_interaction_id";
  /** The member of events that contains the response. */
  member: "response" | "interaction";
  codec: ProviderCodec;
  /** What is stored of a response whose upstream stores the rest. */
  nativeBody: JsonObject;
  /** Whether the first events belong to a background response; the request asked for one. */
  startsBackground(response: JsonObject): boolean;
  /** The event with which the stream of a background response begins. */
  begin(response: JsonObject): string;
}>;

const responses: StoredFormat = {
  dialect: "openai-responses",
  kind: "response",
  previous: "previous_response_id",
  member: "response",
  codec: openaiResponsesCodec,
  nativeBody: {},
  startsBackground: ({ background }) => background === true,
  begin: (response) => eventOf("response.created", { type: "response.created", response, sequence_number: 0 }),
};

const interactions: StoredFormat = {
  dialect: INTERACTIONS,
  kind: "interaction",
  previous: "previous_interaction_id",
  member: "interaction",
  codec: interactionsCodec,
  nativeBody: { object: "interaction" },
  // Interactions do not say whether they run in the background.
  startsBackground: () => true,
  begin: (interaction) => eventOf("interaction.created", { interaction, event_type: "interaction.created" }),
};

const eventOf = (name: string, data: JsonObject): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The stored format that a dialect is; null: its responses are not stored. */
export const storedFormatOf = (dialect: ChatDialect): StoredFormat | null =>
  dialect === responses.dialect ? responses : dialect === interactions.dialect ? interactions : null;

/** The format of background responses of a kind. */
export const formatOfKind = (kind: StoredFormat["kind"]): StoredFormat =>
  kind === "response" ? responses : interactions;

/** The format of a stored response. */
export const formatOfStored = ({ body }: Readonly<{ body: JsonObject }>): StoredFormat =>
  body.object === interactions.nativeBody.object ? interactions : responses;
