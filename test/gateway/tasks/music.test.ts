import { afterAll, beforeAll, expect, test } from "bun:test";
import { suno } from "../../../src/providers/media/suno.ts";
import { startTasks } from "../../support/gateway/start-tasks.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";

const SONG = 50_000;
const LYRICS = 5_000;

type Task = Record<string, unknown>;
const songs = new Map<string, Task>();
const orders: { path: string; body: Task }[] = [];
const notifications: Task[] = [];

/** A server that makes music: it remembers its orders and returns them by id. */
const upstream = startUpstream(({ path, headers, text }) => {
  if (headers.get("authorization") !== "Bearer suno-key")
    return Response.json({ code: "unauthorized" }, { status: 401 });
  const body = JSON.parse(text) as Task;
  if (path === "/suno/fetch") {
    const found = (body.ids as string[]).flatMap((id) => songs.get(id) ?? []);
    return Response.json({ code: "success", message: "", data: found });
  }
  orders.push({ path, body });
  if (body.prompt === "forbidden") return Response.json({ code: "invalid_request", message: "not that", data: null });
  const id = `736a6f88-bd29-4b1e-b110-${String(songs.size).padStart(12, "0")}`;
  songs.set(id, { task_id: id, action: path.split("/").at(-1), status: "SUBMITTED", progress: "0%" });
  return Response.json({ code: "success", message: "", data: id });
});
const client = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    notifications.push((await request.json()) as Task);
    return new Response();
  },
});
let fixture: Awaited<ReturnType<typeof startTasks>>;
beforeAll(async () => {
  const channel = { type: 36, baseUrl: upstream.url, keys: ["suno-key"], models: suno.models };
  fixture = await startTasks({ channels: [channel] });
});
afterAll(async () => {
  await fixture.stop();
  upstream.stop();
  client.stop(true);
});

const submit = async (action: string, body: object) => {
  const answer = await fixture.relay.post(`/suno/submit/${action}`, body);
  return { status: answer.status, body: (await answer.json()) as { code: string; message: string; data: string } };
};
const fetchSong = async (id: string) =>
  ((await (await fixture.relay.get(`/suno/fetch/${id}`)).json()) as { data: Task }).data;

test("a song is ordered, followed, reported and continued where it was made", async () => {
  const hook = `http://127.0.0.1:${client.port}/hook`;
  const { body } = await submit("music", { gpt_description_prompt: "a dance", notify_hook: hook });
  expect(body).toMatchObject({ code: "success", message: "" });
  const id = body.data;
  expect(orders.at(-1)).toEqual({
    path: "/suno/submit/MUSIC",
    body: { gpt_description_prompt: "a dance", mv: "chirp-v3-0" },
  });
  expect(await fetchSong(id)).toMatchObject({ task_id: id, action: "MUSIC", status: "SUBMITTED" });
  expect(await fixture.spent()).toBe(SONG);
  const clips = [{ id: "clip", title: "Dance", audio_url: "https://cdn.example/clip.mp3" }];
  songs.set(id, { ...songs.get(id), status: "SUCCESS", progress: "100%", finish_time: 1_716_191_951, data: clips });
  await fixture.poll();
  expect(await fetchSong(id)).toMatchObject({
    status: "SUCCESS",
    progress: "100%",
    finish_time: 1_716_191_951,
    data: clips,
  });
  const listed = await fixture.relay.post("/suno/fetch", { ids: [id, "gone"], action: "MUSIC" });
  expect(((await listed.json()) as { data: Task[] }).data.map(({ task_id }) => task_id)).toEqual([id]);
  await until(() => notifications.length > 0);
  expect(notifications).toMatchObject([{ task_id: id, status: "SUCCESS" }]);

  const next = await submit("music", { continue_clip_id: "clip", task_id: id, continue_at: 120, prompt: "[Verse]" });
  expect(next.body.code).toBe("success");
  expect(await fixture.spent()).toBe(2 * SONG);
});

test("tasks: lyrics cost less, what fails costs nothing, and an unknown task is none", async () => {
  const before = await fixture.spent();
  const lyrics = await submit("lyrics", { prompt: "dance" });
  expect(await fixture.spent()).toBe(before + LYRICS);
  songs.set(lyrics.body.data, { ...songs.get(lyrics.body.data), status: "FAILURE", fail_reason: "no idea" });
  await fixture.poll();
  expect(await fetchSong(lyrics.body.data)).toMatchObject({ status: "FAILURE", fail_reason: "no idea" });
  expect(await fixture.spent()).toBe(before);
  expect(await submit("music", { prompt: "forbidden" })).toMatchObject({ status: 400, body: { message: "not that" } });
  expect(await submit("lyrics", {})).toMatchObject({ status: 400, body: { data: null } });
  expect(await submit("video", {})).toMatchObject({ status: 400, body: { data: null } });
  const unknown = await fixture.relay.get("/suno/fetch/gone");
  expect([unknown.status, ((await unknown.json()) as { code: string }).code]).toEqual([400, "task_not_exist"]);
  const none = await fixture.relay.post("/suno/fetch", { ids: ["gone"] });
  expect(await none.json()).toEqual({ code: "success", message: "", data: [] });
  expect(await fixture.spent()).toBe(before);
});

test("lyrics pass the guardrails for answers when they are fetched", async () => {
  const channel = { type: 36, baseUrl: upstream.url, keys: ["suno-key"], models: suno.models };
  const rule = { kind: "words", words: ["forbidden"], phases: ["answer"] };
  const guarded = async (fields: object) => {
    const options = { Guardrails: JSON.stringify({ g: { ...rule, ...fields } }) };
    const site = await startTasks({ channels: [channel], options });
    try {
      const ordered = await site.relay.post("/suno/submit/lyrics", { prompt: "a dance" });
      const { data: id } = (await ordered.json()) as { data: string };
      const data = { text: "A FORBIDDEN dance", title: "Dance", audio_url: "https://cdn.example/forbidden.mp3" };
      songs.set(id, { ...songs.get(id), status: "SUCCESS", progress: "100%", finish_time: 1_716_191_951, data });
      await site.poll();
      return (await (await site.relay.get(`/suno/fetch/${id}`)).json()) as {
        code: string;
        data: { data: Task } | null;
      };
    } finally {
      await site.stop();
    }
  };
  expect((await guarded({ action: "mask" })).data?.data).toEqual({
    text: "A [WORD] dance",
    title: "Dance",
    audio_url: "https://cdn.example/forbidden.mp3",
  });
  expect(await guarded({})).toMatchObject({ code: "guardrail_blocked", data: null });
  expect((await guarded({ shadow: true })).data?.data).toMatchObject({ text: "A FORBIDDEN dance" });
});
