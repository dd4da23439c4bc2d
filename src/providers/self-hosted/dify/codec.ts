import type { ReplyError } from "../../../formats/conversation/reply.ts";
import { chunkedCodec, type ParsedEvent } from "../../../formats/helpers/chunk-codec.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { serviceError } from "../../../formats/helpers/service-error.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { errorOf } from "../../../formats/openai-chat/errors/decode-error.ts";
import { encodeRequest } from "./encode-request.ts";

/** Dify apps: chats, agents, completions and workflows respond with the same family of events. */
export const difyCodec = chunkedCodec({
  dialect: "dify",
  encodeRequest,
  reader,
  isAnswer: (body) => textOf(body.answer) !== null || recordOf(recordOf(body.data)?.outputs) !== null,
  // A complete response equals the last event of a stream without earlier events.
  asEvent: (body) => ({ ...body, event: textOf(body.answer) === null ? "workflow_finished" : "whole_message" }),
  decodeError,
});

function reader(): (body: JsonObject) => ParsedEvent {
  let content = "";
  const say = (text: string, more: JsonObject = {}): JsonObject => {
    content += text;
    return { choices: [{ index: 0, delta: { content: text, ...more }, finish_reason: null }] };
  };
  const going = (chunk: JsonObject | null): ParsedEvent => ({ chunk, last: false });
  return (body) => {
    const data = recordOf(body.data) ?? {};
    const answer = withThinkTags(textOf(body.answer) ?? "");
    const id = textOf(body.message_id) ?? textOf(body.workflow_run_id) ?? textOf(body.task_id);
    switch (body.event) {
      case "message":
        // Newer agents repeat the complete answer at its end.
        return going(content !== "" && answer === content ? null : { id, ...say(answer) });
      case "agent_message":
      case "message_replace":
        return going({ id, ...say(answer) });
      case "text_chunk":
        return going({ id, ...say(withThinkTags(textOf(data.text) ?? "")) });
      case "reasoning_chunk":
        return going({ id, ...say("", { reasoning_content: textOf(data.reasoning) ?? "" }) });
      case "agent_thought":
        return going(
          textOf(body.tool) ? { id, ...say("", { reasoning_content: `${textOf(body.thought) ?? ""}\n` }) } : null,
        );
      case "message_file":
        return going({ id, ...say(`![image](${textOf(body.url) ?? ""})`) });
      case "whole_message":
      case "message_end":
        return { chunk: endOf(id, answer, recordOf(body.metadata)), last: true };
      case "workflow_finished":
        // Chatflows continue with the end of their message.
        if (content !== "" && id !== null && body.conversation_id != null) return going(null);
        return { chunk: endOf(id, content === "" ? outputsAsText(recordOf(data.outputs)) : "", null), last: true };
      default:
        return going(null);
    }
  };
}

function endOf(id: string | null, text: string, metadata: JsonObject | null): JsonObject {
  const usage = recordOf(metadata?.usage);
  const sources = recordsOf(metadata?.retriever_resources).flatMap(({ document_name, content }) =>
    textOf(document_name) === null
      ? []
      : [{ type: "url_citation", url_citation: compact({ title: document_name, content }) }],
  );
  const delta = { ...(text !== "" && { content: text }), ...(sources.length > 0 && { annotations: sources }) };
  return { id, choices: [{ index: 0, delta, finish_reason: "stop" }], usage };
}

/** A workflow's outputs: its only text, or all outputs as JSON. */
function outputsAsText(outputs: JsonObject | null): string {
  const values = Object.values(outputs ?? {});
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? withThinkTags(only) : JSON.stringify(outputs ?? {});
}

/** Dify displays reasoning in a collapsible box. */
const withThinkTags = (text: string): string =>
  text.replace(/<details[^>]*>\s*<summary>[^<]*<\/summary>\s*/g, "<think>").replaceAll("</details>", "</think>");

function decodeError(status: number, body: unknown): ReplyError | null {
  const answer = recordOf(body);
  const data = recordOf(answer?.data);
  if (answer?.event === "workflow_finished" && data?.status === "failed") {
    return serviceError(502, "workflow_failed", textOf(data.error) ?? "");
  }
  const isError = answer?.event === "error" || (status >= 400 && textOf(answer?.code) !== null);
  if (!isError) return status >= 400 ? errorOf(status, body) : null;
  const own = status >= 400 ? status : numberOf(answer?.status);
  return serviceError(own !== null && own >= 400 ? own : 502, textOf(answer?.code), textOf(answer?.message) ?? "");
}
