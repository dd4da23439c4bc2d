import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";

/** Every text in a client's message: instructions, turns, typed input, results of functions. */
export function clientTextsOf(message: JsonObject): string[] {
  const setup = recordOf(message.setup);
  const content = recordOf(message.clientContent) ?? recordOf(message.client_content);
  const input = recordOf(message.realtimeInput) ?? recordOf(message.realtime_input);
  const results = recordOf(message.toolResponse) ?? recordOf(message.tool_response);
  const contents = [recordOf(setup?.systemInstruction ?? setup?.system_instruction), ...recordsOf(content?.turns)];
  const texts = contents.flatMap((each) => recordsOf(each?.parts).map(({ text }) => text));
  const responses = recordsOf(results?.functionResponses ?? results?.function_responses);
  return [...texts, input?.text, ...responses.map(({ response }) => response && JSON.stringify(response))].flatMap(
    (text) => textOf(text) || [],
  );
}
