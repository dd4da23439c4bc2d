import type { JsonObject } from "../../../src/formats/json.ts";

const SECRET = "mj-secret";
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A server that draws by Midjourney, as far as its protocol goes: tasks move on when a test says so. */
export function startMidjourney() {
  const tasks = new Map<string, JsonObject>();
  const received: { path: string; body: JsonObject }[] = [];
  let next: JsonObject | null = null;
  let ordered: (() => void) | null = null;
  const open = (action: string, body: JsonObject): JsonObject => {
    const id = String(1_400_192_973_800_000 + tasks.size);
    const prompt = typeof body.prompt === "string" ? body.prompt : "";
    tasks.set(id, {
      id,
      action,
      status: "SUBMITTED",
      prompt,
      promptEn: prompt,
      progress: "0%",
      failReason: null,
      ...body,
    });
    return { code: 1, description: "Success", result: id, properties: { discordInstanceId: "1118138338562560102" } };
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/picture.png") return new Response(PIXEL, { headers: { "content-type": "image/png" } });
      if (pathname === "/page.html") return new Response("<b>", { headers: { "content-type": "text/html" } });
      if (request.headers.get("mj-api-secret") !== SECRET)
        return Response.json({ code: 9, description: "no" }, { status: 401 });
      if (pathname.endsWith("/image-seed"))
        return Response.json({ code: 1, description: "Success", result: "4178246" });
      const body = (await request.json()) as JsonObject;
      received.push({ path: pathname, body });
      if (pathname === "/mj/task/list-by-condition") {
        return Response.json((body.ids as string[]).flatMap((id) => tasks.get(id) ?? []));
      }
      if (ordered) {
        ordered();
        await Bun.sleep(1000);
      }
      if (next) {
        const answer = next;
        next = null;
        return Response.json(answer);
      }
      const known = typeof body.taskId === "string" ? tasks.get(body.taskId) : undefined;
      if ("taskId" in body && !known) return Response.json({ code: 3, description: "task not found" });
      return Response.json(open(pathname.split("/").at(-1) ?? "", body));
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    received,
    /** Answers the next order so. */
    answerNext: (answer: JsonObject) => {
      next = answer;
    },
    /** Calls back when something is ordered, and then answers late. */
    whenOrdered: (callback: (() => void) | null) => {
      ordered = callback;
    },
    lastId: () => [...tasks.keys()].at(-1) ?? "",
    move: (id: string, change: JsonObject) => void tasks.set(id, { ...tasks.get(id), ...change }),
    finish: (id: string) =>
      void tasks.set(id, {
        ...tasks.get(id),
        status: "SUCCESS",
        progress: "100%",
        imageUrl: `${url}/picture.png`,
        startTime: 1_689_231_442_755,
        finishTime: 1_689_231_544_312,
        buttons: [{ customId: "MJ::JOB::upsample::1::hash", emoji: "", label: "U1", type: 2, style: 2 }],
      }),
    stop: () => server.stop(true),
  };
}
