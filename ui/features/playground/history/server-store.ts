import { readData } from "../../../api/client.ts";
import { storedChatApi } from "../../../api/groups.ts";
import { readRecord } from "../../../lib/json.ts";
import { readChat } from "../chat/read-chat.ts";
import { type ChatStore, wordsOf } from "./chat-store.ts";

const LONGEST_TITLE = 200;

/** The chats that the user stores on the server. */
export const SERVER_STORE: ChatStore = {
  place: "server",
  async list(search) {
    const { items } = await readData(storedChatApi.chats.get({ query: search ? { search } : {} }));
    return items.map(({ id, title, updated_at }) => ({ id, title, updatedMs: updated_at }));
  },
  async read(id) {
    return readChat(readRecord(await readData(storedChatApi.chats({ id }).get())));
  },
  async save(chat) {
    const title = chat.title.slice(0, LONGEST_TITLE);
    const body = { title, words: wordsOf(chat), body: JSON.stringify(chat) };
    await readData(storedChatApi.chats({ id: chat.id }).put(body));
  },
  async remove(id) {
    await readData(storedChatApi.chats({ id }).delete());
  },
};
