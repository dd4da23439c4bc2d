import { expect } from "bun:test";
import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../src/formats/json.ts";
import { type ClientFormat, dataOf } from "./client-formats.ts";
import type { Answer, Call } from "./conversation.ts";

type Reader = Readonly<{ readReply(body: JsonObject): Answer; stream(text: string): Answer }>;

const count = (value: unknown): number => numberOf(value) ?? 0;
const finishOf = (word: unknown): Answer["finish"] => {
  if (word === "length" || word === "max_tokens" || word === "MAX_TOKENS") return "length";
  return word === "tool_calls" || word === "tool_use" ? "tool_calls" : "stop";
};
const texts = (parts: readonly JsonObject[], field = "text"): string =>
  parts.map((part) => textOf(part[field]) ?? "").join("");
const callOf = (name: unknown, input: unknown): Call => ({
  name: textOf(name) ?? "",
  input: parseJson(textOf(input) ?? ""),
});

function chatUsage(value: unknown): Answer["usage"] {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details: details } = recordOf(value) ?? {};
  expect(total_tokens).toBe(count(prompt_tokens) + count(completion_tokens));
  return {
    prompt: count(prompt_tokens),
    cached: count(recordOf(details)?.cached_tokens),
    completion: count(completion_tokens),
  };
}

const chat: Reader = {
  readReply({ choices, usage, object }) {
    expect(object).toBe("chat.completion");
    const [{ message, finish_reason } = {}] = recordsOf(choices);
    const { content, reasoning_content, tool_calls } = recordOf(message) ?? {};
    return {
      thought: textOf(reasoning_content) ?? "",
      text: textOf(content) ?? "",
      calls: recordsOf(tool_calls).map(({ id, function: called }) => {
        expect(textOf(id)).toBeTruthy();
        return callOf(recordOf(called)?.name, recordOf(called)?.arguments);
      }),
      finish: finishOf(finish_reason),
      usage: chatUsage(usage),
    };
  },
  stream(text) {
    expect(text.trimEnd()).toEndWith("data: [DONE]");
    const chunks = dataOf(text);
    const deltas = chunks.flatMap(({ choices }) => recordsOf(choices).map(({ delta }) => recordOf(delta) ?? {}));
    const reasons = chunks.flatMap(({ choices }) =>
      recordsOf(choices).flatMap(({ finish_reason }) => textOf(finish_reason) ?? []),
    );
    expect(reasons).toHaveLength(1);
    expect(deltas[0]?.role).toBe("assistant");
    const calls: { name: string; input: string }[] = [];
    for (const { index, id, function: called } of deltas.flatMap(({ tool_calls }) => recordsOf(tool_calls))) {
      const at = count(index);
      const { name, arguments: piece } = recordOf(called) ?? {};
      const call = calls[at];
      if (call) {
        expect(id).toBeUndefined();
        call.input += textOf(piece) ?? "";
      } else {
        expect(at).toBe(calls.length);
        expect(textOf(id)).toBeTruthy();
        calls.push({ name: textOf(name) ?? "", input: textOf(piece) ?? "" });
      }
    }
    const withUsage = chunks.filter(({ usage }) => recordOf(usage));
    expect(withUsage).toHaveLength(1);
    return {
      thought: texts(deltas, "reasoning_content"),
      text: texts(deltas, "content"),
      calls: calls.map(({ name, input }) => callOf(name, input)),
      finish: finishOf(reasons[0]),
      usage: chatUsage(withUsage[0]?.usage),
    };
  },
};

function responseAnswer({ object, status, output, usage, incomplete_details }: JsonObject): Answer {
  expect(object).toBe("response");
  const items = recordsOf(output);
  const ofType = (type: string) => items.filter((item) => item.type === type);
  const calls = ofType("function_call");
  const { input_tokens, output_tokens, input_tokens_details: details } = recordOf(usage) ?? {};
  const cut = recordOf(incomplete_details)?.reason === "max_output_tokens";
  expect(status).toBe(cut ? "incomplete" : "completed");
  return {
    thought: texts(
      ofType("reasoning").flatMap(({ summary, content }) => [...recordsOf(summary), ...recordsOf(content)]),
    ),
    text: texts(ofType("message").flatMap(({ content }) => recordsOf(content))),
    calls: calls.map((call) => {
      expect(textOf(call.call_id)).toBeTruthy();
      return callOf(call.name, call.arguments);
    }),
    finish: cut ? "length" : calls.length > 0 ? "tool_calls" : "stop",
    usage: {
      prompt: count(input_tokens),
      cached: count(recordOf(details)?.cached_tokens),
      completion: count(output_tokens),
    },
  };
}

const responses: Reader = {
  readReply: responseAnswer,
  stream(text) {
    const list = dataOf(text);
    expect(list.map(({ sequence_number }) => sequence_number)).toEqual(list.map((_, at) => at));
    expect(list.slice(0, 2).map(({ type }) => type)).toEqual(["response.created", "response.in_progress"]);
    const answer = responseAnswer(recordOf(list.at(-1)?.response) ?? {});
    const deltas = (type: string) =>
      texts(
        list.filter((event) => event.type === type),
        "delta",
      );
    expect(deltas("response.output_text.delta")).toBe(answer.text);
    const thought = deltas("response.reasoning_summary_text.delta") + deltas("response.reasoning_text.delta");
    expect(thought).toBe(answer.thought);
    const opened = list.filter(({ type }) => type === "response.output_item.added");
    const closed = list.filter(({ type }) => type === "response.output_item.done");
    expect(closed.map(({ output_index }) => output_index).toSorted()).toEqual(opened.map((_, at) => at));
    for (const { output_index, item } of closed) {
      if (recordOf(item)?.type !== "function_call") continue;
      const pieces = list.filter(
        (event) => event.type === "response.function_call_arguments.delta" && event.output_index === output_index,
      );
      expect(texts(pieces, "delta")).toBe(textOf(recordOf(item)?.arguments) ?? "");
    }
    return answer;
  },
};

function messageAnswer({ content, stop_reason, usage }: JsonObject): Answer {
  const blocks = recordsOf(content);
  const ofType = (type: string) => blocks.filter((block) => block.type === type);
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = recordOf(usage) ?? {};
  const cached = count(cache_read_input_tokens);
  return {
    thought: texts(ofType("thinking"), "thinking"),
    text: texts(ofType("text")),
    calls: ofType("tool_use").map(({ id, name, input }) => {
      expect(textOf(id)).toBeTruthy();
      return { name: textOf(name) ?? "", input };
    }),
    finish: finishOf(stop_reason),
    usage: {
      prompt: count(input_tokens) + cached + count(cache_creation_input_tokens),
      cached,
      completion: count(output_tokens),
    },
  };
}

const messages: Reader = {
  readReply(body) {
    expect(body).toMatchObject({ type: "message", role: "assistant" });
    return messageAnswer(body);
  },
  stream(text) {
    const list = dataOf(text).filter(({ type }) => type !== "ping");
    expect(list[0]?.type).toBe("message_start");
    expect(list.slice(-2).map(({ type }) => type)).toEqual(["message_delta", "message_stop"]);
    const blocks: JsonObject[] = [];
    let open: number | null = null;
    for (const event of list.slice(1, -2)) {
      if (event.type === "content_block_start") {
        expect(open).toBeNull();
        expect(event.index).toBe(blocks.length);
        open = blocks.push({ ...recordOf(event.content_block), json: "" }) - 1;
        continue;
      }
      expect(event.index).toBe(open);
      const block = blocks[open ?? -1] ?? {};
      const delta = recordOf(event.delta) ?? {};
      if (event.type === "content_block_stop") {
        open = null;
        if (block.type === "tool_use") block.input = parseJson(textOf(block.json) || "{}");
      } else if (delta.type === "text_delta") block.text = `${block.text}${delta.text}`;
      else if (delta.type === "thinking_delta") block.thinking = `${block.thinking}${delta.thinking}`;
      else if (delta.type === "input_json_delta") block.json = `${block.json}${delta.partial_json}`;
      else expect(delta.type).toBe("signature_delta");
    }
    expect(open).toBeNull();
    const end = list.at(-2) ?? {};
    const begun = recordOf(recordOf(list[0]?.message)?.usage);
    return messageAnswer({
      content: blocks,
      stop_reason: recordOf(end.delta)?.stop_reason,
      usage: { ...begun, ...recordOf(end.usage) },
    });
  },
};

function geminiAnswer(list: readonly JsonObject[]): Answer {
  const candidates = list.flatMap((one) => recordsOf(one.candidates));
  const parts = candidates.flatMap(({ content }) => recordsOf(recordOf(content)?.parts));
  const reasons = candidates.flatMap(({ finishReason }) => textOf(finishReason) ?? []);
  expect(reasons).toHaveLength(1);
  const usage = recordOf(list.at(-1)?.usageMetadata) ?? {};
  const calls = recordsOf(parts.map(({ functionCall }) => functionCall));
  const finish = finishOf(reasons[0]);
  return {
    thought: texts(parts.filter(({ thought }) => thought === true)),
    text: texts(parts.filter(({ thought }) => thought !== true)),
    calls: calls.map(({ name, args }) => ({ name: textOf(name) ?? "", input: args })),
    finish: finish === "stop" && calls.length > 0 ? "tool_calls" : finish,
    usage: {
      prompt: count(usage.promptTokenCount),
      cached: count(usage.cachedContentTokenCount),
      completion: count(usage.candidatesTokenCount) + count(usage.thoughtsTokenCount),
    },
  };
}

const gemini: Reader = { readReply: (body) => geminiAnswer([body]), stream: (text) => geminiAnswer(dataOf(text)) };

function interactionAnswer({ object, status, steps, usage }: JsonObject): Answer {
  expect(object).toBe("interaction");
  const list = recordsOf(steps);
  const ofType = (type: string) => list.filter((step) => step.type === type);
  const counted = recordOf(usage) ?? {};
  const completion = count(counted.total_output_tokens) + count(counted.total_thought_tokens);
  expect(counted.total_tokens).toBe(count(counted.total_input_tokens) + completion);
  return {
    thought: texts(ofType("thought").flatMap(({ summary }) => recordsOf(summary))),
    text: texts(ofType("model_output").flatMap(({ content }) => recordsOf(content))),
    calls: ofType("function_call").map(({ id, name, arguments: input }) => {
      expect(textOf(id)).toBeTruthy();
      return { name: textOf(name) ?? "", input };
    }),
    finish: status === "requires_action" ? "tool_calls" : status === "incomplete" ? "length" : "stop",
    usage: { prompt: count(counted.total_input_tokens), cached: count(counted.total_cached_tokens), completion },
  };
}

const interactions: Reader = {
  readReply: interactionAnswer,
  stream(text) {
    expect(text.trimEnd()).toEndWith("data: [DONE]");
    const list = dataOf(text);
    const types = list.map(({ event_type }) => event_type);
    expect([types[0], types.at(-1)]).toEqual(["interaction.created", "interaction.completed"]);
    const open = new Map<number, JsonObject & { input: string }>();
    const steps: JsonObject[] = [];
    for (const event of list) {
      const index = count(event.index);
      const step = open.get(index);
      if (event.event_type === "step.start") {
        expect([step, index]).toEqual([undefined, open.size + steps.filter(Boolean).length]);
        open.set(index, { content: [], summary: [], ...recordOf(event.step), input: "" });
      } else if (event.event_type === "step.stop") {
        steps[index] = { ...step, ...(step?.input && { arguments: parseJson(step.input) }) };
        open.delete(index);
      } else if (event.event_type === "step.delta") {
        if (!step) throw new Error(`a delta of no step: ${JSON.stringify(event)}`);
        const { type, text: piece, content, arguments: input } = recordOf(event.delta) ?? {};
        if (type === "text") step.content = [...recordsOf(step.content), { text: piece }];
        else if (type === "thought_summary") step.summary = [...recordsOf(step.summary), recordOf(content)];
        else if (type === "arguments_delta") step.input += textOf(input) ?? "";
        else expect(type).toBe("thought_signature");
      }
    }
    expect(open.size).toBe(0);
    return interactionAnswer({ ...recordOf(list.at(-1)?.interaction), steps });
  },
};

/** What an answer says to a client of the format, which also minds the grammar of its format. */
export const readers: Readonly<Record<ClientFormat, Reader>> = {
  chat,
  responses,
  messages,
  gemini,
  interactions,
};
