import { type Chat, newChat } from "./chat.ts";

const keyOf = (userId: number): string => `playground-chats-${userId}`;
const MOST_CHATS = 50;

/** The chats kept on this device, newest first; null when what is stored cannot be read. */
export function readChats(userId: number): readonly Chat[] | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? "[]");
    if (!Array.isArray(stored)) return null;
    const chats = stored.filter(isChat).map(withoutStreams);
    return chats.length > 0 ? chats : [newChat()];
  } catch {
    return null;
  }
}

/** Keeps the chats on this device; false when there is no room for them. */
export function saveChats(userId: number, chats: readonly Chat[]): boolean {
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify(chats.slice(0, MOST_CHATS)));
    return true;
  } catch {
    return false;
  }
}

const isChat = (value: unknown): value is Chat =>
  typeof value === "object" && value !== null && "turns" in value && "settings" in value && Array.isArray(value.turns);

/** A page that was closed while an answer came has ended that answer. */
const withoutStreams = (chat: Chat): Chat => ({
  ...chat,
  turns: chat.turns.map((turn) => ({
    ...turn,
    answers: turn.answers.map((answer) =>
      answer.status === "loading" || answer.status === "incomplete" ? { ...answer, status: "complete" } : answer,
    ),
  })),
});
