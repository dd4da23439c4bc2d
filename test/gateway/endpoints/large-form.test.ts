import { afterEach, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../support/lib/until.ts";

const MEGABYTE = 1_048_576;
const FILE_BYTES = 100 * MEGABYTE;

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** The relay in a process of its own, so that its memory is its own. */
async function startRelayProcess(upstreamUrls: readonly string[], dataDir: string) {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../../support/gateway/workers/gateway-worker.ts")],
    {
      env: { ...process.env, UPSTREAMS: upstreamUrls.join(","), DATA_DIR: dataDir },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  stops.push(async () => {
    child.kill();
    await child.exited;
  });
  const { value } = await child.stdout.getReader().read();
  const url = new TextDecoder().decode(value).trim();
  const rss = async () => {
    const status = await Bun.file(`/proc/${child.pid}/status`).text();
    const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
    return { now: kilobytes("VmRSS") / 1024, peak: kilobytes("VmHWM") / 1024 };
  };
  // proc(5): 5 sets VmHWM to what is resident now.
  const forgetPeak = () => writeFileSync(`/proc/${child.pid}/clear_refs`, "5");
  return { url, rss, forgetPeak };
}

/** An upstream that counts what comes and remembers nothing of it. */
function startCountingUpstream(status: number) {
  const seen: { bytes: number; length: string | null }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: 2 * FILE_BYTES,
    async fetch(request) {
      let bytes = 0;
      for await (const piece of request.body ?? []) bytes += piece.byteLength;
      seen.push({ bytes, length: request.headers.get("content-length") });
      return Response.json(status === 200 ? { text: "hello", duration: 60 } : { error: { message: "busy" } }, {
        status,
      });
    },
  });
  stops.push(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}`, seen };
}

/** A form with a file of 100 MB, made while it is sent. */
function largeForm(boundary: string): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(MEGABYTE / 4);
  let left = FILE_BYTES;
  const head =
    `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n` +
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="long.wav"\r\nContent-Type: audio/wav\r\n\r\n`;
  let begun = false;
  return new ReadableStream({
    pull(controller) {
      if (!begun) controller.enqueue(Buffer.from(head));
      begun = true;
      if (left > 0) controller.enqueue(piece);
      left -= piece.length;
      if (left <= 0) {
        controller.enqueue(Buffer.from(`\r\n--${boundary}--\r\n`));
        controller.close();
      }
    },
  });
}

const transcribe = (url: string) =>
  fetch(`${url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: "Bearer sk-test", "content-type": "multipart/form-data; boundary=limit" },
    body: largeForm("limit"),
  });

test("a file of 100 MB adds less than half of that to the memory, on the second channel too", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "sluice-large-"));
  stops.push(() => rm(dataDir, { recursive: true, force: true }));
  const busy = startCountingUpstream(500);
  const upstream = startCountingUpstream(200);
  const relay = await startRelayProcess([busy.url, upstream.url], dataDir);
  const form = new FormData();
  form.append("model", "whisper-1");
  form.append("file", new File([new Uint8Array(600_000)], "short.wav"));
  // A first, small call: what is loaded at first use is not the file's.
  const headers = { authorization: "Bearer sk-test" };
  expect((await fetch(`${relay.url}/v1/audio/transcriptions`, { method: "POST", headers, body: form })).status).toBe(
    200,
  );
  const before = await relay.rss();
  const addedMib: number[] = [];
  // Twice: on a busy machine memory may be given back late, once.
  for (const _ of [1, 2]) {
    relay.forgetPeak();
    const answer = await transcribe(relay.url);
    expect(await answer.json()).toMatchObject({ text: "hello" });
    addedMib.push((await relay.rss()).peak - before.now);
    expect(busy.seen.at(-1)?.bytes).toBeGreaterThan(FILE_BYTES);
    expect(upstream.seen.at(-1)?.bytes).toBe(Number(upstream.seen.at(-1)?.length));
    expect(upstream.seen.at(-1)?.bytes).toBeGreaterThan(FILE_BYTES);
  }
  expect(Math.min(...addedMib)).toBeLessThan(50);
  // The files of both forms are deleted once there is an answer.
  await until(() => readdirSync(join(dataDir, "forms")).length === 0);
}, 240_000);
