import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";

/** The texts in a client's event, in the shape of a chat request. */
export type ClientTexts = Readonly<{ messages: readonly JsonObject[]; tools?: unknown }>;

const NOTHING: ClientTexts = { messages: [] };

/** Instructions, items and tools in a client's event; audio has no text yet. */
export function clientTexts(event: JsonObject): ClientTexts {
  switch (event.type) {
    case "session.update":
    case "transcription_session.update":
      return ofSettings(recordOf(event.session));
    case "response.create":
      return ofSettings(recordOf(event.response));
    case "conversation.item.create":
      return { messages: [messageOf(recordOf(event.item))] };
    default:
      return NOTHING;
  }
}

/** The instructions that an event of the client sets; null if none. */
export const instructionsOf = (settings: unknown): string | null => textOf(recordOf(settings)?.instructions);

/** The texts in a session's settings or those of one response. */
function ofSettings(settings: JsonObject | null): ClientTexts {
  if (!settings) return NOTHING;
  const input = recordOf(recordOf(settings.audio)?.input);
  const texts = [
    settings.instructions,
    recordOf(input?.transcription)?.prompt,
    recordOf(settings.input_audio_transcription)?.prompt,
    ...Object.values(recordOf(recordOf(settings.prompt)?.variables) ?? {}).map(
      (value) => textOf(value) ?? recordOf(value)?.text,
    ),
  ];
  const system = texts.flatMap((text) => (typeof text === "string" ? [{ role: "system", content: text }] : []));
  return { messages: [...system, ...recordsOf(settings.input).map(messageOf)], tools: settings.tools };
}

function messageOf(item: JsonObject | null): JsonObject {
  const called = { name: item?.name, arguments: item?.arguments };
  return {
    role: textOf(item?.role) ?? (item?.type === "function_call_output" ? "tool" : "assistant"),
    content: [item?.output, item?.reason, ...recordsOf(item?.content).flatMap((part) => [part.text, part.transcript])]
      .filter((text) => typeof text === "string")
      .join("\n"),
    ...(item?.type === "function_call" && { tool_calls: [{ function: called }] }),
  };
}
