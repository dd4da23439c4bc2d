import { isRecord, isText } from "../../../lib/json.ts";
import { readUser } from "../../../state/stored-user.ts";
import { chatsDatabase } from "../../../state/user-storage.ts";
import type { Chat } from "../chat/chat.ts";
import { readChat } from "../chat/read-chat.ts";
import { type ChatStore, type ChatSummary, wordsOf } from "./chat-store.ts";

const STORE = "chats";

type StoredChat = Readonly<{ id: string; title: string; words: string; updatedMs: number; chat: unknown }>;

/** A user's chats in a database of this browser, which has room for files. */
export function deviceStore(userId: number): ChatStore {
  const run = async <Result>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<Result>) => {
    // Who signed out meanwhile leaves nothing behind.
    if (readUser()?.id !== userId) throw new Error("signed out");
    const database = await open(chatsDatabase(userId));
    try {
      return await resultOf(work(database.transaction(STORE, mode).objectStore(STORE)));
    } finally {
      // An open connection would hold up the deletion with which a sign-out ends.
      database.close();
    }
  };
  return {
    place: "device",
    async list(search) {
      const rows: unknown[] = await run("readonly", (store) => store.getAll());
      const sought = search.toLowerCase();
      return rows
        .filter(isStoredChat)
        .filter(({ title, words }) => `${title}\n${words}`.toLowerCase().includes(sought))
        .map(({ id, title, updatedMs }): ChatSummary => ({ id, title, updatedMs }))
        .toSorted((one, other) => other.updatedMs - one.updatedMs);
    },
    async read(id) {
      const row: unknown = await run("readonly", (store) => store.get(id));
      return isStoredChat(row) ? readChat(row.chat) : null;
    },
    async save(chat: Chat) {
      const { id, title } = chat;
      const row: StoredChat = { id, title, words: wordsOf(chat), updatedMs: Date.now(), chat };
      await run("readwrite", (store) => store.put(row));
    },
    async remove(id) {
      await run("readwrite", (store) => store.delete(id));
    },
  };
}

const isStoredChat = (value: unknown): value is StoredChat =>
  isRecord(value) &&
  isText(value.id) &&
  isText(value.title) &&
  isText(value.words) &&
  typeof value.updatedMs === "number";

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => void request.result.createObjectStore(STORE, { keyPath: "id" });
  return resultOf(request);
}

const resultOf = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("IndexedDB"));
  });
