import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { responses as endpoint } from "../../../../src/gateway/request/endpoints/conversations.ts";
import { readType } from "../schema/read-types.ts";
import {
  address,
  bytes,
  type Client,
  dataUri,
  fraction,
  imageAddress,
  jsonSchema,
  jsonText,
  oneOf,
  setList,
} from "./client.ts";

/** OpenAI's Responses. */
export const responses: Client = {
  name: "responses",
  endpoint,
  root: readType("openai/resources/responses/responses.d.ts", "ResponseCreateParamsBase"),
  skipped:
    /^(model|stream|stream_options|previous_response_id|conversation|prompt|context_management)\b|\[(item_reference|compaction|compaction_trigger|mcp|mcp_\w+|list|string)\]$|^background|^tool_choice\[mcp\]/,
  special: [
    [/\.arguments(\[string\])?$/, jsonText],
    [/\.image_url$/, imageAddress],
    [/input_audio\.data$/, bytes],
    [/\.file_data$/, dataUri("application/pdf")],
    [/\.file_url$/, address],
    [/\.(parameters|schema|output_schema)$/, jsonSchema],
    [/^(temperature|top_p)$/, fraction],
    [/^top_logprobs$/, oneOf(2, 3)],
    [/allowed_tools\]\.tools$/, (marker) => ({ value: { type: "function", name: marker }, marker })],
  ],
  texts: /^input\[message[^\]]*\]\.content\[(string|input_text|output_text)\](\.text)?$|^input\.content$/,
  arrange(request, builder) {
    const items = recordsOf(request.input);
    const arranged: JsonObject[] = [];
    const say = (): void => {
      const message: JsonObject = { type: "message", role: "user" };
      message.content = builder.note("input.content", message, "content");
      arranged.push(message);
    };
    say();
    const callIds = new Set(items.map(({ call_id, type }) => (/_call$/.test(`${type}`) ? call_id : null)));
    for (const item of items) {
      const type = textOf(item.type) ?? "message";
      const call = type.replace(/_output$/, "");
      if (type !== call && !callIds.has(item.call_id)) arranged.push(callOf(call, item.call_id));
      arranged.push(item);
      if (type === "function_call" || type === "custom_tool_call")
        arranged.push({ type: `${type}_output`, call_id: item.call_id, output: "done" });
      for (const part of recordsOf(item.content)) completeFile(part);
      for (const part of recordsOf(item.output)) completeFile(part);
    }
    say();
    setList(request, "input", arranged);
    arrangeTools(request);
  },
};

const callOf = (type: string, call_id: unknown): JsonObject =>
  type === "function_call" || type === "custom_tool_call"
    ? { type, call_id, name: "look", ...(type === "function_call" ? { arguments: "{}" } : { input: "now" }) }
    : { type, id: `i_${call_id}`, call_id, status: "completed", action: { type: "screenshot" }, arguments: {} };

/** A file or an image has contents. */
function completeFile(part: JsonObject): void {
  if (part.type === "input_file" && !part.file_id && !part.file_data && !part.file_url)
    part.file_data = "data:application/pdf;base64,JVBERi0xLjQK";
  if (part.type === "input_image" && !part.file_id && !part.image_url)
    part.image_url = "data:image/png;base64,iVBORw==";
}

function arrangeTools(request: JsonObject): void {
  if (request.top_logprobs !== undefined) request.include = ["message.output_text.logprobs"];
  const choice = recordOf(request.tool_choice);
  const names = [choice?.name, ...recordsOf(choice?.tools).map(({ name }) => name)].flatMap(
    (name) => textOf(name) ?? [],
  );
  if (request.tool_choice === undefined && request.parallel_tool_calls === undefined) return;
  const parameters = { type: "object", properties: {} };
  const type = choice?.type === "custom" ? "custom" : "function";
  const isHosted = choice !== null && names.length === 0;
  setList(request, "tools", [
    ...recordsOf(request.tools),
    ...(isHosted ? [{ type: choice.type }] : []),
    ...(names.length > 0 ? names : ["look"]).map((name) => ({
      type,
      name,
      ...(type === "function" && { parameters }),
    })),
  ]);
}
