import { isRecord } from "../../../lib/json.ts";
import {
  type Answer,
  type Chat,
  emptyAnswer,
  newChat,
  type Turn,
  type WireMessage,
} from "../../playground/chat/chat.ts";
import { elapsedMsOf, firstTokenMsOf, groupOf, type LogEntry, otherOf } from "../log-entry.ts";

/** A logged chat: the system prompt, and the messages before, with and after the last question, as texts. */
type LoggedChat = Readonly<{ system: string; earlier: readonly Message[]; question: string; answer: string }>;
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
  images: [],
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
