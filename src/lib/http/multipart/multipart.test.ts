import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outgoingForm } from "./form-stream.ts";
import { FormTooLarge, readForm } from "./read-form.ts";
import { MalformedForm, MultipartScanner } from "./scanner.ts";

const folder = await mkdtemp(join(tmpdir(), "sluice-form-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** As a request that declares its length, or does not and is spooled to disk. */
function read(bytes: Uint8Array<ArrayBuffer>, type: string, withLength = true, maxBytes = 10_000_000) {
  const headers = { "content-type": type, ...(withLength && { "content-length": String(bytes.length) }) };
  const request = new Request("http://x.example", { method: "POST", headers, body: bytes });
  return readForm(request, type, { maxBytes, folder });
}

async function encoded(form: FormData) {
  const request = new Request("http://x.example", { method: "POST", body: form });
  return { type: request.headers.get("content-type") ?? "", bytes: new Uint8Array(await request.arrayBuffer()) };
}

const sample = () => {
  const form = new FormData();
  form.append("model", "whisper-1");
  form.append("prompt", "Schleuse\r\n--no boundary, 水门");
  form.append("file", new File([new Uint8Array([13, 10, 45, 45, 0, 255])], 'a "b".wav', { type: "audio/wav" }));
  form.append("empty", "");
  return form;
};

describe("reading", () => {
  test.each([1, 2, 7, 64, 100_000])("finds the parts in pieces of %p bytes", async (size) => {
    const { type, bytes } = await encoded(sample());
    const scanner = new MultipartScanner(type.split("boundary=")[1] ?? "");
    const piece = Buffer.alloc(size);
    for (let at = 0; at < bytes.length; at += size) {
      const length = piece.length - Math.max(0, at + size - bytes.length);
      piece.set(bytes.subarray(at, at + length));
      scanner.push(piece.subarray(0, length));
    }
    scanner.end();
    const contents = scanner.parts.map(({ start, end }) => Buffer.from(bytes.subarray(start, end)).toString("latin1"));
    expect(contents.map(({ length }) => length)).toEqual([9, 31, 6, 0]);
    expect(contents[2]).toBe("\r\n--\0\xff");
  });

  test.each([true, false])("members and files; with a declared length: %p", async (withLength) => {
    const { type, bytes } = await encoded(sample());
    const form = await read(bytes, type, withLength);
    expect(form.parts.map((part) => [part.name, "value" in part ? part.value : part.fileName])).toEqual([
      ["model", "whisper-1"],
      ["prompt", "Schleuse\r\n--no boundary, 水门"],
      ["file", 'a "b".wav'],
      ["empty", ""],
    ]);
    const file = form.parts[2];
    if (!file || !("file" in file)) throw new Error("no file");
    expect(new Uint8Array(await file.file.arrayBuffer())).toEqual(new Uint8Array([13, 10, 45, 45, 0, 255]));
    expect(file.file.type).toBe("audio/wav");
    await form.discard();
  });

  test("large files lie on the disk until they are discarded", async () => {
    const form = new FormData();
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const content = Buffer.concat(Array.from({ length: 20 }, () => bytes));
    form.append("file", new File([content], "../../long.wav"));
    const sent = await encoded(form);
    const got = await read(sent.bytes, sent.type);
    // Under a name of the server's own, whatever the sender calls it.
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^[\w.-]+$/)]);
    expect((await readdir(folder)).join()).not.toContain("long");
    const part = got.parts[0];
    expect(part && "file" in part && Buffer.from(await part.file.arrayBuffer()).equals(content)).toBe(true);
    await got.discard();
    expect(await readdir(folder)).toEqual([]);
  });

  test("a large form that a client sends in pieces, without its length, is stored as it came, up to the limit", async () => {
    const audio = Uint8Array.from({ length: 3_000_000 }, (_, at) => (at * 7 + (at >> 8)) & 255);
    const form = new FormData();
    form.append("file", new File([audio], "a.wav"));
    const { type, bytes } = await encoded(form);
    const seen: unknown[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const maxBytes = seen.length === 0 ? 4_000_000 : 1_000_000;
        const read = await readForm(request, type, { maxBytes, folder }).catch((error: Error) => error);
        const [part] = read instanceof Error ? [] : read.parts;
        seen.push(part && "file" in part ? new Uint8Array(await part.file.arrayBuffer()) : read);
        if (!(read instanceof Error)) await read.discard();
        return new Response();
      },
    });
    const send = () => {
      let at = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(bytes.slice(at, at + 50_001));
          at += 50_001;
          if (at >= bytes.length) controller.close();
        },
      });
      return fetch(server.url, { method: "POST", body });
    };
    await send();
    expect(Buffer.compare(seen[0] as Uint8Array, audio)).toBe(0);
    await send();
    expect(seen[1]).toBeInstanceOf(FormTooLarge);
    await server.stop(true);
    expect(await readdir(folder)).toEqual([]);
  });

  test("a form that is too large, or broken off, leaves nothing behind", async () => {
    const form = new FormData();
    form.append("file", new File([new Uint8Array(1_000_000)], "long.wav"));
    const { type, bytes } = await encoded(form);
    await expect(read(bytes, type, true, 900_000)).rejects.toBeInstanceOf(FormTooLarge);
    await expect(read(bytes, type, false, 900_000)).rejects.toBeInstanceOf(FormTooLarge);
    await expect(read(bytes.slice(0, 900_000), type, false)).rejects.toBeInstanceOf(MalformedForm);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ["no boundary", "multipart/form-data", "x"],
    ["another boundary", "multipart/form-data; boundary=a", "--b\r\n\r\n\r\n--b--"],
    ["a part without a name", "multipart/form-data; boundary=a", "--a\r\nX: y\r\n\r\n1\r\n--a--"],
    ["an endless header", "multipart/form-data; boundary=a", `--a\r\nX: ${"y".repeat(40_000)}`],
  ])("%s is malformed", async (_name, type, text) => {
    await expect(read(new Uint8Array(Buffer.from(text)), type)).rejects.toBeInstanceOf(MalformedForm);
  });
});

describe("writing", () => {
  test.each([true, false])("as it came, with other values where wanted, twice; from memory: %p", async (withLength) => {
    const { type, bytes } = await encoded(sample());
    const { parts, discard } = await read(bytes, type, withLength);
    const out = await outgoingForm(parts, { model: "upstream", empty: undefined, more: "1" });
    for (let times = 0; times < 2; times += 1) {
      const sent = new Uint8Array(await new Response(out.stream()).arrayBuffer());
      expect(sent.length).toBe(out.contentLength);
      const again = (await new Response(sent, { headers: { "content-type": out.contentType } }).formData()) as FormData;
      expect([...again.keys()].sort()).toEqual(["file", "model", "more", "prompt"]);
      expect(again.get("model")).toBe("upstream");
      expect(again.get("prompt")).toBe("Schleuse\r\n--no boundary, 水门");
      expect((again.get("file") as File).size).toBe(6);
    }
    await discard();
  });
});
