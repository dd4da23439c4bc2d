import { readData } from "../../../../api/client.ts";
import { playgroundApi } from "../../../../api/groups.ts";
import { isRecord, readRecord } from "../../../../lib/json.ts";
import type { Answer, Chat, Turn } from "../../../playground/chat/chat.ts";
import { emptyAnswer, newChat } from "../../../playground/chat/chat.ts";
import type { WireMessage } from "../../../playground/chat/chat-body.ts";
import { CODE_FORMATS } from "../../../playground/chat/code.ts";
import { chatOfRequest } from "../../../playground/chat/read-request.ts";
import { elapsedMsOf, firstTokenMsOf, groupOf, type LogEntry, otherOf } from "../../entries/log-entry.ts";

/** A logged chat: the system prompt, and the messages before, with and after the last question, as texts. */
export type LoggedChat = Readonly<{ system: string; earlier: readonly Message[]; question: string; answer: string }>;
type Message = Readonly<{ role: "user" | "assistant"; content: string }>;

/** The chat of the row; null if its content is not logged or it is no chat. Long texts are as truncated as the log has them. */
export function loggedChat(entry: LogEntry): LoggedChat | null {
  const { system_prompt: system = "", context, input_content: question, output_content: answer = "" } = otherOf(entry);
  if (!question || !(system || context || answer)) return null;
  return { system, earlier: context ? messagesIn(context) : [], question, answer };
}

/** The user's and the model's messages of a logged conversation; none if its text was truncated. */
function messagesIn(context: string): Message[] {
  let messages: unknown;
  try {
    messages = JSON.parse(context);
  } catch {
    return [];
  }
  if (!Array.isArray(messages)) return [];
  return messages.filter(isRecord).flatMap(({ role, content }): Message[] => {
    const isMessage = role === "user" || role === "assistant";
    return isMessage && typeof content === "string" && content !== "" ? [{ role, content }] : [];
  });
}

/** The logged call as a chat of the playground: each question with the model's answer, ready to be asked again. */
export function replayedChat(entry: LogEntry, { system, earlier, question, answer }: LoggedChat): Chat {
  const model = entry.model_name;
  const turns: Turn[] = [];
  for (const { role, content } of [...earlier, { role: "user", content: question } as const]) {
    const last = turns.at(-1);
    if (role === "user") turns.push(turnOf(model, content, ""));
    else if (last) turns[turns.length - 1] = turnOf(model, last.text, content);
  }
  turns[turns.length - 1] = turnOf(model, question, answer, figuresOf(entry));
  const chat = newChat();
  const settings = { ...chat.settings, group: groupOf(entry), models: [model], system };
  return { ...chat, title: question.slice(0, TITLE_LENGTH), settings, turns };
}

const TITLE_LENGTH = 40;

const turnOf = (model: string, text: string, answer: string, figures: Partial<Answer> = {}): Turn => ({
  id: crypto.randomUUID(),
  text,
  attachments: [],
  answers: [{ ...emptyAnswer(model), ...figures, status: "complete", content: answer }],
});

function figuresOf(entry: LogEntry): Partial<Answer> {
  const other = otherOf(entry);
  return {
    promptTokens: entry.prompt_tokens,
    completionTokens: entry.completion_tokens,
    firstMs: firstTokenMsOf(other) ?? 0,
    totalMs: elapsedMsOf(entry),
    requestId: other.request_id ?? entry.request_id,
  };
}

/** The logged call as the body of a chat request. */
export function replayedBody(entry: LogEntry, { system, earlier, question }: LoggedChat) {
  const messages: WireMessage[] = [
    ...(system ? [{ role: "system", content: system } as const] : []),
    ...earlier,
    { role: "user", content: question },
  ];
  return { model: entry.model_name, messages };
}

/**
 * The chat with its files, functions and parameters, whichever format the client spoke; null where its request is not logged in full, or may
 * not be seen.
 */
async function fullChat(entry: LogEntry): Promise<Chat | null> {
  const { admin_info, output_content: answer } = otherOf(entry);
  const { client, format, cut } = admin_info?.exchange ?? {};
  const from = CODE_FORMATS.find((name) => name === format);
  const request = client === undefined || cut ? null : readRecord(client);
  if (!from || !request) return null;
  const source = { from, format: "openai-chat", request, model: entry.model_name } as const;
  const body = from === "openai-chat" ? request : await readBody(source);
  if (!body) return null;
  const chat = chatOfRequest(body, answer);
  return { ...chat, settings: { ...chat.settings, models: [entry.model_name], group: groupOf(entry) } };
}

/** The request in the playground's format; null if it can't be written in it. */
const readBody = (source: Parameters<typeof playgroundApi.code.post>[0]) =>
  readData(playgroundApi.code.post(source)).then(
    ({ body }) => body,
    () => null,
  );

/** The logged call as a chat of the playground, in full where its request is logged and may be seen. */
export const chatOfCall = async (entry: LogEntry, logged: LoggedChat): Promise<Chat> =>
  (await fullChat(entry)) ?? replayedChat(entry, logged);

/** The chat with its last question put to another model too, which has not answered yet. */
export function withModel(chat: Chat, model: string): Chat {
  const last = chat.turns.at(-1);
  const first = chat.settings.models[0];
  if (!last || first === undefined) return chat;
  const answers = [last.answers[0] ?? emptyAnswer(first), emptyAnswer(model)];
  const settings = { ...chat.settings, models: [first, model] };
  return { ...chat, settings, turns: [...chat.turns.slice(0, -1), { ...last, answers }] };
}
