import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../../../src/formats/json.ts";
import { type Answer, events, halves, type Sent } from "../../conversation.ts";
import { type FakeUpstream, unknownMember } from "../fake.ts";

const COMMON = { Id: "h-1", Created: 1_760_000_000, Note: "made by a machine" };

const usageOf = ({ usage }: Answer) => ({
  PromptTokens: usage.prompt,
  CompletionTokens: usage.completion,
  TotalTokens: usage.prompt + usage.completion,
});

function speak(answer: Answer, streamed: boolean): Response {
  const { thought, text, calls, finish } = answer;
  const Usage = usageOf(answer);
  const uses = calls.map(({ name, input }, Index) => ({
    Index,
    Id: `call_h${Index}`,
    Type: "function",
    Function: { Name: name, Arguments: JSON.stringify(input) },
  }));
  if (!streamed) {
    const Message = {
      Role: "assistant",
      Content: text,
      ...(thought && { ReasoningContent: thought }),
      ...(uses.length > 0 && { ToolCalls: uses }),
    };
    const Choices = [{ Index: 0, Message, FinishReason: finish }];
    return Response.json({ Response: { ...COMMON, RequestId: "r", Choices, Usage } });
  }
  const chunk = (Delta: object, FinishReason = "") => ({
    ...COMMON,
    Choices: [{ Index: 0, Delta, FinishReason }],
    Usage,
  });
  const inputs = uses.flatMap((use) => {
    const { Index, Id, Function: called } = use;
    const fragment = (Arguments: string) => ({
      ToolCalls: [{ Index, Id, Type: "function", Function: { Name: "", Arguments } }],
    });
    const head = { ToolCalls: [{ ...use, Function: { Name: called.Name, Arguments: "" } }] };
    return [head, ...halves(called.Arguments).map(fragment)];
  });
  return events(
    [
      ...halves(thought).map((piece) => chunk({ Role: "assistant", Content: "", ReasoningContent: piece })),
      ...halves(text).map((piece) => chunk({ Role: "assistant", Content: piece })),
      ...inputs.map((delta) => chunk(delta)),
      chunk({ Role: "assistant", Content: "" }, finish),
    ],
    false,
  );
}

const SMALL_USAGE = { PromptTokens: 5, CompletionTokens: 3, TotalTokens: 8 };

/** A short answer that ends for the given reason, with more members if wanted. */
export function hunyuanEnding(Content: string, FinishReason: string, more: object, streamed: boolean): Response {
  const message = { Role: "assistant", Content };
  const answer = { ...COMMON, ...more, Usage: SMALL_USAGE };
  if (!streamed)
    return Response.json({ Response: { ...answer, Choices: [{ Index: 0, Message: message, FinishReason }] } });
  const chunk = (Delta: object, reason: string) => ({
    ...answer,
    Choices: [{ Index: 0, Delta, FinishReason: reason }],
  });
  return events([chunk(message, ""), chunk({ Role: "assistant", Content: "" }, FinishReason)], false);
}

const wordsOf = ({ Content, Contents }: JsonObject): string =>
  textOf(Content)?.trim() ??
  recordsOf(Contents)
    .flatMap(({ Text }) => textOf(Text) ?? [])
    .join("");

function read(body: JsonObject): Sent {
  const messages = recordsOf(body.Messages);
  const ofRole = (role: string) => messages.filter(({ Role }) => Role === role);
  const calls = messages.flatMap(({ ToolCalls }) => recordsOf(ToolCalls));
  return {
    system: ofRole("system").map(wordsOf).join("\n"),
    texts: ofRole("user").map(wordsOf),
    images: ofRole("user").flatMap(({ Contents }) =>
      recordsOf(Contents).flatMap(({ ImageUrl }) => textOf(recordOf(ImageUrl)?.Url) ?? []),
    ),
    tools: recordsOf(body.Tools).map((tool) => {
      const { Name, Parameters } = recordOf(tool.Function) ?? {};
      return { name: textOf(Name) ?? "", schema: parseJson(textOf(Parameters) ?? "") };
    }),
    calls: calls.map((call) => {
      const { Name, Arguments } = recordOf(call.Function) ?? {};
      return { name: textOf(Name) ?? "", input: parseJson(textOf(Arguments) ?? "") };
    }),
    results: ofRole("tool").map((message) => {
      const call = calls.find(({ Id }) => Id === message.ToolCallId);
      return { answers: textOf(recordOf(call?.Function)?.Name), text: wordsOf(message) };
    }),
    stop: Array.isArray(body.Stop) ? body.Stop.map(String) : [],
    schema: null,
    reasoning: body.EnableThinking === true,
    limit: null,
    mustCall: false,
  };
}

const KNOWN = `Model Messages Stream Temperature TopP Seed Stop Tools ToolChoice CustomTool EnableThinking EnableEnhancement
  SearchInfo Citation StreamModeration WebSearchOptions`;

/** Turns alternate, and no content is empty. */
function objection(path: string, body: JsonObject): string | null {
  if (path !== "/") return `No such page: ${path}`;
  const turns = recordsOf(body.Messages).filter(({ Role }) => Role === "user" || Role === "assistant");
  if (turns.some(({ Role }, at) => Role === turns[at - 1]?.Role)) return "Messages must alternate";
  const isEmpty = recordsOf(body.Messages).some(
    ({ Content, Contents }) => !Content && recordsOf(Contents).length === 0,
  );
  return isEmpty ? "Content must not be empty" : unknownMember(body, KNOWN);
}

const errorResponse = (Code: string, Message: string) => ({ Response: { RequestId: "r", Error: { Code, Message } } });

/** Tencent's ChatCompletions; its signature is verified in a test of its own. */
export const hunyuan: FakeUpstream = {
  type: 23,
  model: "hunyuan-turbos-latest",
  key: "app|id|secret",
  isStream: (_path, body) => body.Stream === true,
  objection,
  read,
  speak,
  refuse: (message) => Response.json(errorResponse("InvalidParameter", message)),
  breakOff: (words, message) =>
    events(
      [
        { ...COMMON, Choices: [{ Index: 0, Delta: { Role: "assistant", Content: words }, FinishReason: "" }] },
        { ...COMMON, ErrorMsg: { Msg: message, Code: 4001 } },
      ],
      false,
    ),
};
