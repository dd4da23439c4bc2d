import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { messages as endpoint } from "../../../../src/gateway/request/endpoints/conversations.ts";
import { readType } from "../schema/read-types.ts";
import { address, budget, bytes, type Client, fraction, jsonSchema, oneOf, setList } from "./client.ts";

const OF_ASSISTANT =
  "thinking redacted_thinking tool_use server_tool_use web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result text_editor_code_execution_tool_result tool_search_tool_result".split(
    " ",
  );
const OF_USER = "image document search_result tool_result container_upload".split(" ");

/** Anthropic's Messages. */
export const messages: Client = {
  name: "messages",
  endpoint,
  root: readType("@anthropic-ai/sdk/resources/messages/messages.d.ts", "MessageCreateParamsBase"),
  skipped: new RegExp(
    [
      "^(model|stream)\\b",
      "^(mcp_servers|diagnostics|container)",
      `^messages\\[assistant\\]\\.content\\[(${OF_USER.join("|")})\\]`,
      `^messages\\[user\\]\\.content\\[(${OF_ASSISTANT.join("|")})\\]`,
    ].join("|"),
  ),
  special: [
    [/\.input$/, (marker) => ({ value: { [marker]: "yes" }, marker })],
    [/\.source\[base64\]\.data$|\[Base64PDFSource\]\.data$/, bytes],
    [/image\]\.source\[url\]\.url$/, (marker) => ({ value: `https://example.org/${marker}.png`, marker })],
    [/\.source\[url\]\.url$|\[web_search_result\]\.url$/, address],
    [/input_schema$|\.schema$/, jsonSchema],
    [/^(temperature|top_p)$/, fraction],
    [/^top_k$/, oneOf(20, 30)],
    [/^thinking\[enabled\]\.budget_tokens$/, budget],
    [
      /^max_tokens$/,
      (marker) => {
        const value = 40_000 + Number(marker.replace(/\D/g, ""));
        return { value, marker: String(value) };
      },
    ],
  ],
  texts: /^messages\[(user|assistant|system)\]\.content(\[string\]|\[text\]\.text|\.text)$/,
  arrange(request, builder) {
    const arranged: JsonObject[] = [];
    const say = (): void => {
      const message: JsonObject = { role: "user" };
      message.content = builder.note("messages[user].content[string]", message, "content");
      arranged.push(message);
    };
    say();
    for (const message of recordsOf(request.messages)) {
      const last = arranged.at(-1);
      if (message.role === last?.role) {
        if (message.role === "user") arranged.push({ role: "assistant", content: "Well." });
        else say();
      }
      for (const block of recordsOf(message.content)) arrangeBlock(block, arranged);
      arranged.push(message);
      const uses = recordsOf(message.content).filter(({ type }) => type === "tool_use");
      if (uses.length > 0)
        arranged.push({
          role: "user",
          content: uses.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "done" })),
        });
    }
    if (arranged.at(-1)?.role !== "user") say();
    setList(request, "messages", arranged);
    request.max_tokens ??= 40_000;
    const choice = recordOf(request.tool_choice);
    if (choice) {
      const tool = { name: textOf(choice.name) ?? "look", input_schema: { type: "object", properties: {} } };
      setList(request, "tools", [...recordsOf(request.tools), tool]);
    }
  },
};

/** Results follow their calls. */
function arrangeBlock(block: JsonObject, before: JsonObject[]): void {
  const id = block.type === "tool_result" ? textOf(block.tool_use_id) : null;
  if (id === null) return;
  if (before.at(-1)?.role === "assistant") before.push({ role: "user", content: "And?" });
  before.push({ role: "assistant", content: [{ type: "tool_use", id, name: "look", input: {} }] });
}
