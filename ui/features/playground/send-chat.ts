import { goToLogin } from "../../api/login-redirect.ts";
import { fetchPlain } from "../../api/plain.ts";
import { translate } from "../../i18n.ts";
import { readUser } from "../session/stored-user.ts";
import { applyEvent, eventsOf } from "./answer-stream.ts";
import { type Answer, type ChatBody, emptyAnswer } from "./chat.ts";

/**
 * Sends a chat and tells the answer as it grows. Resolves when it has ended, in whatever way: failures are part of the
 * answer, and an aborted answer keeps what has come.
 */
export async function sendChat(body: ChatBody, onAnswer: (answer: Answer) => void, signal: AbortSignal): Promise<void> {
  const start = performance.now();
  let answer = emptyAnswer(body.model);
  const tell = (changes: Partial<Answer>) => {
    answer = { ...answer, ...changes };
    onAnswer(answer);
  };
  const elapsed = () => Math.round(performance.now() - start);
  try {
    const user = readUser();
    const response = await fetchPlain("/pg/chat/completions", {
      method: "POST",
      credentials: "same-origin",
      headers: {
        "Content-Type": "application/json",
        "Accept-Language": document.documentElement.lang || "en",
        ...(user && { "Sluice-User": String(user.id) }),
      },
      body: JSON.stringify(body),
      signal,
    });
    tell({ requestId: response.headers.get("x-request-id") ?? "" });
    if (response.status === 401) goToLogin();
    if (!response.ok || !response.body) return tell({ status: "error", error: await errorOf(response) });
    for await (const data of eventsOf(response.body)) tell(applyEvent(answer, data, elapsed()));
    if (answer.status !== "error") tell({ status: "complete" });
  } catch {
    // Whatever breaks a stream that nobody stopped is the connection.
    tell(signal.aborted ? { status: "complete" } : { status: "error", error: translate("api.unreachable") });
  } finally {
    tell({ totalMs: elapsed() });
  }
}

async function errorOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string } };
    return error?.message ?? text;
  } catch {
    return text || `HTTP ${response.status}`;
  }
}
