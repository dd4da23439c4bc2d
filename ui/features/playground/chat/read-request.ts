import { isListOf, isRecord, isText, readMembers } from "../../../lib/json.ts";
import { type Attachment, type Chat, emptyAnswer, newChat, type Reply, type ToolCall, type Turn } from "./chat.ts";
import { type Parameters, readParameters } from "./parameters.ts";

const TITLE_LENGTH = 40;

/** A request of Chat Completions as a chat that would send it again. `answer`: the text that it was answered. */
export function chatOfRequest(body: Readonly<Record<string, unknown>>, answer = ""): Chat {
  const { model = "" } = readMembers<{ model: string }>(body, { model: isText });
  const messages = (Array.isArray(body.messages) ? body.messages : []).filter(isRecord);
  const system = messages.filter(({ role }) => role === "system" || role === "developer");
  const turns = turnsOf(model, answer === "" ? messages : [...messages, { role: "assistant", content: answer }]);
  const chat = newChat();
  return {
    ...chat,
    title: turns[0]?.text.slice(0, TITLE_LENGTH) ?? "",
    turns,
    settings: {
      ...chat.settings,
      models: [model],
      system: system.map(({ content }) => textOf(content)).join("\n\n"),
      parameters: parametersOf(body),
      tools: Array.isArray(body.tools) && body.tools.length > 0 ? JSON.stringify(body.tools, null, 2) : "",
      schema: schemaOf(body.response_format),
      webSearch: isRecord(body.web_search_options),
      speaks: Array.isArray(body.modalities) && body.modalities.includes("audio"),
    },
  };
}

/** Each question with what the model answered: its calls, their results, and its text. */
function turnsOf(model: string, messages: readonly Record<string, unknown>[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const { role, content } = message;
    if (role === "user") {
      const answers = [{ ...emptyAnswer(model), status: "complete" as const }];
      turns.push({ id: crypto.randomUUID(), text: textOf(content), attachments: attachmentsOf(content), answers });
      continue;
    }
    const turn = turns.pop();
    if (!turn) continue;
    const [answer = { ...emptyAnswer(model), status: "complete" as const }] = turn.answers;
    turns.push({ ...turn, answers: [role === "tool" ? withResult(answer, message) : withReply(answer, message)] });
  }
  return turns;
}

type OldAnswer = Turn["answers"][number];

/** Earlier replies of the same turn are steps, with the results of their calls. */
function withReply(answer: OldAnswer, { role, content, tool_calls }: Record<string, unknown>): OldAnswer {
  if (role !== "assistant") return answer;
  const { model: _, status: __, steps, error: ___, errorCode: ____, dropped: _____, ...reply } = answer;
  const isFirst = reply.content === "" && reply.tools.length === 0;
  const tools = Array.isArray(tool_calls) ? tool_calls.map(toolOf) : [];
  return {
    ...answer,
    content: textOf(content),
    tools,
    steps: isFirst ? steps : [...steps, reply satisfies Reply],
  };
}

const withResult = (answer: OldAnswer, { tool_call_id, content }: Record<string, unknown>): OldAnswer => ({
  ...answer,
  tools: answer.tools.map((tool) => (tool.id === tool_call_id ? { ...tool, result: textOf(content) } : tool)),
});

function toolOf(value: unknown): ToolCall {
  const { id = "" } = readMembers<{ id: string }>(value, { id: isText });
  const call = isRecord(value) ? value.function : null;
  return {
    id,
    name: "",
    arguments: "",
    ...readMembers<{ name: string; arguments: string }>(call, { name: isText, arguments: isText }),
  };
}

/** The text of a message, without its files. */
function textOf(content: unknown): string {
  if (isText(content)) return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((part) => (isRecord(part) && isText(part.text) ? part.text : [])).join("\n");
}

const attachmentsOf = (content: unknown): Attachment[] =>
  (Array.isArray(content) ? content : []).filter(isRecord).flatMap((part): Attachment[] => {
    const image = readMembers<{ url: string }>(part.image_url, { url: isText });
    if (image.url) return [{ kind: "image", name: "", url: image.url }];
    const { file_data, filename = "" } = readMembers<{ file_data: string; filename: string }>(part.file, {
      file_data: isText,
      filename: isText,
    });
    if (file_data) return [{ kind: "file", name: filename, url: file_data }];
    const { data, format = "wav" } = readMembers<{ data: string; format: string }>(part.input_audio, {
      data: isText,
      format: isText,
    });
    return data ? [{ kind: "audio", name: `audio.${format}`, url: `data:audio/${format};base64,${data}` }] : [];
  });

function parametersOf(body: Readonly<Record<string, unknown>>): Parameters {
  const limit = body.max_tokens ?? body.max_completion_tokens;
  const { max_tokens: budget } = readMembers<{ max_tokens: number }>(body.reasoning, {
    max_tokens: (value): value is number => typeof value === "number",
  });
  const stop = isText(body.stop) ? body.stop : isListOf(isText)(body.stop) ? body.stop.join("\n") : undefined;
  const values: Record<string, unknown> = { ...body, max_tokens: limit, thinking_budget: budget, stop };
  return readParameters(values);
}

function schemaOf(format: unknown): string {
  const schema = isRecord(format) && isRecord(format.json_schema) ? format.json_schema : null;
  return schema ? JSON.stringify(schema, null, 2) : "";
}
