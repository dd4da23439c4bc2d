import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { chatCompletions } from "../../../../src/gateway/request/endpoints/text.ts";
import { readType } from "../schema/read-types.ts";
import { bytes, type Client, dataUri, fraction, imageAddress, jsonSchema, jsonText, oneOf, setList } from "./client.ts";

const functionTool = (name: string): JsonObject => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: {} } },
});

/** OpenAI's Chat Completions. */
export const chat: Client = {
  name: "chat",
  endpoint: chatCompletions,
  root: readType("openai/resources/chat/completions/completions.d.ts", "ChatCompletionCreateParamsBase"),
  skipped: /^(model|stream|stream_options)\b|^messages\[assistant\]$/,
  special: [
    [/\.arguments$/, jsonText],
    [/image_url\.url$/, imageAddress],
    [/input_audio\.data$/, bytes],
    [/\.file_data$/, dataUri("application/pdf")],
    [/\.(parameters|schema)$/, jsonSchema],
    [/^(temperature|top_p|frequency_penalty|presence_penalty)$/, fraction],
    [/^n$/, oneOf(2, 3)],
    [/^top_logprobs$/, oneOf(2, 3)],
    [/^logit_bias$/, oneOf({ 5017: 3 })],
    [/allowed_tools\.tools$/, (marker) => ({ value: { type: "function", function: { name: marker } }, marker })],
  ],
  texts: /^messages\[(user|assistant|system|developer)\]\.content\[(string|text)\](\.text)?$/,
  arrange(request, builder) {
    const messages = recordsOf(request.messages);
    const arranged: JsonObject[] = [];
    const say = (role: string): void => {
      const message: JsonObject = { role };
      message.content = builder.note(`messages[${role}].content[string]`, message, "content");
      arranged.push(message);
    };
    say("user");
    for (const message of messages) {
      if (message.role === "assistant" && arranged.at(-1)?.role === "assistant") say("user");
      if (message.role === "tool") arranged.push(calling("tool_calls", `${message.tool_call_id}`));
      if (message.role === "function") arranged.push(calling("function_call", `${message.name}`));
      complete(message);
      arranged.push(message);
      for (const { id } of recordsOf(message.tool_calls)) {
        const result: JsonObject = { role: "tool", tool_call_id: id };
        result.content = builder.note("messages[tool].content[string]", result, "content");
        arranged.push(result);
      }
      const old = recordOf(message.function_call);
      if (old) arranged.push({ role: "function", name: old.name, content: "done" });
    }
    if (arranged.at(-1)?.role !== "user") say("user");
    setList(request, "messages", arranged);
    arrangeTools(request);
  },
};

const calling = (member: "tool_calls" | "function_call", named: string): JsonObject =>
  member === "tool_calls"
    ? { role: "assistant", tool_calls: [{ id: named, type: "function", function: { name: "look", arguments: "{}" } }] }
    : { role: "assistant", content: null, function_call: { name: named, arguments: "{}" } };

/** A message that must say something does; a file has contents. */
function complete(message: JsonObject): void {
  if (message.role === "assistant" && message.content == null && !message.tool_calls && !message.function_call)
    message.content = "Well.";
  for (const part of recordsOf(message.content)) {
    const file = recordOf(part.file);
    if (file && !file.file_id && !file.file_data) file.file_data = "data:application/pdf;base64,JVBERi0xLjQK";
  }
}

function arrangeTools(request: JsonObject): void {
  if (request.top_logprobs !== undefined) request.logprobs = true;
  if (request.audio) request.modalities = ["text", "audio"];
  const choice = recordOf(request.tool_choice);
  const allowed = recordsOf(recordOf(choice?.allowed_tools)?.tools).map((tool) => recordOf(tool.function)?.name);
  const named = [recordOf(choice?.function)?.name, ...allowed].flatMap((name) => textOf(name) ?? []);
  const custom = textOf(recordOf(choice?.custom)?.name);
  // The older names of tools and their choice.
  if (request.tools || request.tool_choice) delete request.function_call;
  if (request.function_call !== undefined)
    setList(request, "functions", [
      ...recordsOf(request.functions),
      { name: recordOf(request.function_call)?.name ?? "look" },
    ]);
  const needs = request.tool_choice !== undefined || request.parallel_tool_calls !== undefined;
  if (!needs) return;
  const tools = recordsOf(request.tools);
  if (custom !== null) tools.push({ type: "custom", custom: { name: custom } });
  setList(request, "tools", [...tools, ...(named.length > 0 ? named : ["look"]).map(functionTool)]);
}
