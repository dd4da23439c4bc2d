import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { writeCompressed } from "./compress.ts";

async function compress(bytes: Uint8Array) {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-compress-"));
  try {
    const file = path.join(folder, "a.js");
    await Bun.write(file, bytes);
    const sizes = await writeCompressed(file);
    const names = (await readdir(folder)).sort();
    return { sizes, names, stored: await Bun.file(path.join(folder, names[0] ?? "")).bytes() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("one file is left, which decodes to the original", async () => {
  const bytes = Buffer.from("export const water = 'level';\n".repeat(100));
  const { sizes, names, stored } = await compress(bytes);
  expect(names).toEqual(["a.js.br"]);
  expect(brotliDecompressSync(stored)).toEqual(bytes);
  expect(sizes).toEqual({ raw: bytes.length, brotli: stored.length });
});

test("leaves small files and what is compressed already alone", async () => {
  expect((await compress(Buffer.alloc(128, "a"))).names).toEqual(["a.js"]);
  const random = randomBytes(5000);
  expect(await compress(random)).toMatchObject({ names: ["a.js"], sizes: { raw: 5000, brotli: 5000 } });
});
