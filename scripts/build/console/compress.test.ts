import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as zlib from "node:zlib";
import { writeCompressed } from "./compress.ts";

async function compress(bytes: Uint8Array) {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-compress-"));
  try {
    const file = path.join(folder, "a.js");
    await Bun.write(file, bytes);
    const sizes = await writeCompressed(file);
    const read = (suffix: string) => Bun.file(file + suffix).bytes();
    const names = (await readdir(folder)).sort();
    const variants = names.length > 1 ? await Promise.all([".br", ".gz", ".zst"].map(read)) : [];
    return { sizes, names, variants };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("writes three variants that decode to the original", async () => {
  const bytes = Buffer.from("export const water = 'level';\n".repeat(100));
  const { sizes, names, variants } = await compress(bytes);
  expect(names).toEqual(["a.js", "a.js.br", "a.js.gz", "a.js.zst"]);
  const [br, gz, zst] = variants as [Uint8Array, Uint8Array, Uint8Array];
  expect(zlib.brotliDecompressSync(br)).toEqual(bytes);
  expect(zlib.gunzipSync(gz)).toEqual(bytes);
  expect(zlib.zstdDecompressSync(zst)).toEqual(bytes);
  expect(sizes).toEqual({ raw: bytes.length, brotli: br.length });
});

test("leaves small files and what is compressed already alone", async () => {
  expect((await compress(Buffer.alloc(128, "a"))).names).toEqual(["a.js"]);
  const random = randomBytes(5000);
  expect(await compress(random)).toMatchObject({ names: ["a.js"], sizes: { raw: 5000, brotli: 5000 } });
});
