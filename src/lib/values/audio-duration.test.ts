/** The length of recordings that were made by test/support/lib/audio/make.sh: six seconds each, and their codecs' padding. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { wav } from "../../../test/support/lib/wav.ts";
import { audioSeconds } from "./audio-duration.ts";

const recording = (name: string) => Bun.file(join(import.meta.dir, "../../../test/support/lib/audio", name));

test.each([
  ["vbr.mp3", 6.192],
  ["no-header.mp3", 6.048],
  ["aac.m4a", 6.128],
  ["fragmented.m4a", 6.128],
  ["opus.ogg", 6],
  ["opus.webm", 6.008],
  ["noise.flac", 6],
])("%s", async (name, seconds) => {
  expect(await audioSeconds(recording(name))).toBeCloseTo(seconds, 3);
});

test("WAV, also where a pipe left the length of its data open", async () => {
  expect(await audioSeconds(new Blob([wav(6)]))).toBe(6);
  expect(await audioSeconds(new Blob([wav(6, 0xff_ff_ff_ff)]))).toBe(6);
  const withoutSizes = wav(6, 0);
  expect(await audioSeconds(new Blob([withoutSizes]))).toBe(6);
  withoutSizes.fill(0, 4, 8);
  expect(await audioSeconds(new Blob([withoutSizes]))).toBe(6);
  // A rate that no audio has.
  withoutSizes.fill(0xff, 28, 32);
  expect(await audioSeconds(new Blob([withoutSizes]))).toBe(withoutSizes.length / 4_000);
});

test("the type that the client gave does not matter", async () => {
  const bytes = await recording("vbr.mp3").bytes();
  expect(await audioSeconds(new Blob([bytes], { type: "audio/wav" }))).toBeCloseTo(6.192, 3);
});

test("what states no length, or is no audio, is estimated at 4,000 bytes a second", async () => {
  const live = recording("live.webm");
  expect(await audioSeconds(live)).toBe(live.size / 4_000);
  expect(await audioSeconds(new Blob([new Uint8Array(10_000)]))).toBe(2.5);
  expect(await audioSeconds(new Blob(["ID3\u0003\0\0\0\0\0\0", new Uint8Array(9_990).fill(255)]))).toBe(2.5);
  expect(await audioSeconds(new Blob())).toBe(0);
});

test("a length that the file's size rules out is corrected", async () => {
  const webm = await recording("opus.webm").bytes();
  // EBML element 0x4489 is the duration, here a float of eight bytes in milliseconds.
  const at = Buffer.from(webm).indexOf(Buffer.from([0x44, 0x89, 0x88]));
  new DataView(webm.buffer).setFloat64(at + 3, 1e15);
  expect(await audioSeconds(new Blob([webm]))).toBe(webm.length / 50);
  const mp3 = await recording("vbr.mp3").bytes();
  // The first frame, with the length, and a hundred of them of anything.
  expect(await audioSeconds(new Blob([mp3, new Uint8Array(640_000)]))).toBeCloseTo((mp3.length + 640_000) / 64_000, 3);
});

test("MP3 without a header of its length is read in part where it is long, and its rate assumed for the rest", async () => {
  const bytes = await recording("no-header.mp3").bytes();
  const long = new Blob(Array.from({ length: 500 }, () => bytes));
  const seconds = await audioSeconds(long);
  expect(seconds / (500 * 6.192)).toBeCloseTo(1, 1);
});

test("cut or damaged at any place, a file has a length", async () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (const name of ["vbr.mp3", "no-header.mp3", "aac.m4a", "fragmented.m4a", "opus.ogg", "opus.webm", "noise.flac"]) {
    const bytes = await recording(name).bytes();
    for (let round = 0; round < 30; round += 1) {
      const damaged = bytes.slice(0, 1 + random(bytes.length));
      for (let flips = random(8); flips > 0; flips -= 1) damaged[random(Math.min(damaged.length, 600))] = random(256);
      const seconds = await audioSeconds(new Blob([damaged]));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(damaged.length / 50);
    }
  }
});
