import type { Chat } from "../chat/chat.ts";

/** A chat in the list; the time is epoch milliseconds. */
export type ChatSummary = Readonly<{ id: string; title: string; updatedMs: number }>;

/** Where chats are stored: on this device or on the server. Methods reject where the place can't be used. */
export type ChatStore = Readonly<{
  place: "device" | "server";
  /** The newest first; `search` is found in titles and texts. */
  list(search: string): Promise<readonly ChatSummary[]>;
  /** Null: there is none with the id, or what is stored is not readable. */
  read(id: string): Promise<Chat | null>;
  save(chat: Chat): Promise<void>;
  remove(id: string): Promise<void>;
}>;

const MOST_WORDS = 100_000;

/** Questions and answers without files, for searching. */
export const wordsOf = ({ turns }: Chat): string =>
  turns
    .flatMap(({ text, answers }) => [text, ...answers.map(({ content }) => content)])
    .join("\n")
    .slice(0, MOST_WORDS);

/** Moves all chats to the other place. What is there already stays as it is here. Rejects at the first that doesn't fit. */
export async function moveChats(from: ChatStore, to: ChatStore): Promise<void> {
  // The oldest first, so that the newest is the last that was saved.
  for (const { id } of (await from.list("")).toReversed()) {
    const chat = await from.read(id);
    if (chat) await to.save(chat);
    await from.remove(id);
  }
}
