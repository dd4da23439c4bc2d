import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { playgroundChats } from "../../../../db/schema/accounts/playground-chats.ts";
import { startTestConsole, type TestConsole } from "../../../../test/support/console/start-console.ts";
import { deleteAccount } from "../../../domain/accounts/users/delete-user.ts";
import { storedChatRoutes } from "./stored-chats.ts";

let app: TestConsole;
let ann: Record<string, string>;
let ben: Record<string, string>;
let annId: number;

beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) => storedChatRoutes(services, guarded));
  annId = await app.addUser("ann");
  await app.addUser("ben");
  ann = await app.login("ann");
  ben = await app.login("ben");
  await app.settings.set("PlaygroundStorageMegabytes", "1");
});
afterAll(() => app.close());

const FIRST = "11111111-1111-4111-8111-111111111111";
const SECOND = "22222222-2222-4222-8222-222222222222";
const chat = (title: string, words = "", body = '{"turns":[]}') => ({ title, words, body });
const list = async (who: Record<string, string>, search = "") => {
  const { body } = await app.ask("GET", `/api/playground/chats?search=${encodeURIComponent(search)}`, undefined, who);
  return body.data as { enabled: boolean; items: { id: string; title: string }[]; used_bytes: number };
};
const save = (who: Record<string, string>, id: string, input: object) =>
  app.ask("PUT", `/api/playground/chats/${id}`, input, who);

describe("chats on the server", () => {
  test("are stored once their user has switched that on, and found by title and text", async () => {
    expect((await save(ann, FIRST, chat("Locks"))).body).toMatchObject({
      success: false,
      code: "playground_history_off",
    });
    await app.ask("PUT", "/api/playground/history", { enabled: true }, ann);
    expect((await save(ann, FIRST, chat("Locks", "who opens the gate"))).body).toMatchObject({ success: true });
    expect((await save(ann, SECOND, chat("100% water", "nothing"))).body).toMatchObject({ success: true });
    expect(await list(ann)).toMatchObject({ enabled: true, items: [{ title: "100% water" }, { title: "Locks" }] });
    expect((await list(ann, "OPENS")).items.map(({ title }) => title)).toEqual(["Locks"]);
    expect((await list(ann, "0%")).items.map(({ title }) => title)).toEqual(["100% water"]);
    expect((await list(ann, "%%")).items).toEqual([]);
    await save(ann, FIRST, chat("Locks", "", '{"turns":[1]}'));
    const { body } = await app.ask("GET", `/api/playground/chats/${FIRST}`, undefined, ann);
    expect(body.data).toBe('{"turns":[1]}');
  });

  test("belong to their user alone", async () => {
    await app.ask("PUT", "/api/playground/history", { enabled: true }, ben);
    expect((await list(ben)).items).toEqual([]);
    expect((await app.ask("GET", `/api/playground/chats/${FIRST}`, undefined, ben)).status).toBe(404);
    expect((await save(ben, FIRST, chat("Mine"))).body).toMatchObject({ code: "playground_chat_not_found" });
    await app.ask("DELETE", `/api/playground/chats/${FIRST}`, undefined, ben);
    expect((await list(ann)).items).toHaveLength(2);
    expect((await app.ask("GET", "/api/playground/chats")).status).toBe(401);
  });

  test("take no more than the site's space, and a chat replaces its earlier version in it", async () => {
    const megabyte = 1_048_576;
    const half = "x".repeat(megabyte / 2 + 1);
    expect((await save(ann, FIRST, chat("Half", "", half))).status).toBe(200);
    expect((await save(ann, SECOND, chat("Other half", "", half))).body).toMatchObject({
      code: "playground_storage_full",
    });
    expect((await save(ann, FIRST, chat("Again", "", `${half}y`))).body).toMatchObject({ success: true });
    expect((await list(ann)).used_bytes).toBeLessThanOrEqual(megabyte);
    await app.ask("DELETE", `/api/playground/chats/${FIRST}`, undefined, ann);
    expect((await save(ann, SECOND, chat("Other half", "", half))).body).toMatchObject({ success: true });
    // Two at a time don't fit either.
    const both = await Promise.all([
      save(ann, FIRST, chat("a", "", half)),
      save(ann, FIRST.replace(/1/g, "3"), chat("b", "", half)),
    ]);
    expect(both.map(({ body }) => body.code)).toEqual(["playground_storage_full", "playground_storage_full"]);
  });

  test("are deleted when the switch is off, and with the account", async () => {
    await app.ask("PUT", "/api/playground/history", { enabled: false }, ann);
    expect(await list(ann)).toMatchObject({ enabled: false, items: [], used_bytes: 0 });
    await app.ask("PUT", "/api/playground/history", { enabled: true }, ann);
    await save(ann, FIRST, chat("Locks"));
    await app.db.transaction((tx) => deleteAccount(tx, app.vault, annId));
    expect(await app.db.select().from(playgroundChats).where(eq(playgroundChats.userId, annId))).toEqual([]);
  });
});
