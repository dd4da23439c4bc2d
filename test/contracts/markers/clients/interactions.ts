import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { interactions as endpoint } from "../../../../src/gateway/request/endpoints/conversations.ts";
import { readType } from "../schema/read-types.ts";
import { address, bytes, type Client, fraction, jsonSchema, oneOf, setList } from "./client.ts";

/** Gemini's interactions. */
export const interactions: Client = {
  name: "interactions",
  endpoint,
  root: readType("@google/genai/dist/genai.d.ts", "CreateModelInteraction"),
  skipped:
    /^(model|stream|previous_interaction_id|continuation_token|background|environment|webhook_config|cached_content)\b|^input\[(?!list)/,
  special: [
    [/\.arguments$/, (marker) => ({ value: { [marker]: "yes" }, marker })],
    [/\.data$/, bytes],
    [/\.uri$/, address],
    [/response_mime_type$|response_format\[text\]\.mime_type$/, oneOf("application/json")],
    [/mime_type$/, oneOf("image/png")],
    [/tool_choice\[string\]$/, oneOf("auto", "any", "none")],
    [/allowed_tools\.mode$/, oneOf("auto", "any")],
    [/\.(parameters|schema)$/, jsonSchema],
    [/(temperature|top_p)$/, fraction],
    [/thinking_level$/, oneOf("low", "medium", "high")],
    [/thinking_summaries$/, oneOf("auto", "none")],
    [/service_tier(\[string\])?$/, oneOf("flex", "priority")],
    [/response_modalities$/, oneOf("text")],
  ],
  texts: /^input\[list\]?.*\[(user_input|model_output)\]\.content\[text\]\.text$/,
  arrange(request, builder) {
    const steps = recordsOf(request.input);
    const arranged: JsonObject[] = [];
    const say = (): void => {
      const content: JsonObject = { type: "text" };
      content.text = builder.note("input[user_input].content[text].text", content, "text");
      arranged.push({ type: "user_input", content: [content] });
    };
    say();
    for (const step of steps) {
      if (step.type === "function_result")
        arranged.push({ type: "function_call", id: step.call_id, name: textOf(step.name) ?? "look", arguments: {} });
      arranged.push(step);
      if (step.type === "function_call") arranged.push({ type: "function_result", call_id: step.id, result: "done" });
    }
    say();
    setList(request, "input", arranged);
    const choice = recordOf(request.generation_config)?.tool_choice;
    if (choice !== undefined) {
      const names = recordOf(recordOf(choice)?.allowed_tools)?.tools;
      const tools = (Array.isArray(names) ? names : ["look"]).map((name) => ({ type: "function", name }));
      setList(request, "tools", [...recordsOf(request.tools), ...tools]);
    }
  },
};
