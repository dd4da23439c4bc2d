import { expect, test } from "bun:test";
import { wavOf } from "./wav.ts";

test("pieces of audio become one file of 24,000 samples a second", () => {
  const file = wavOf([btoa("\x01\x00"), btoa("\x02\x00\x03\x00")]);
  const text = (from: number, to: number) => new TextDecoder().decode(file.subarray(from, to));
  const head = new DataView(file.buffer);
  expect([text(0, 4), text(8, 16), text(36, 40)]).toEqual(["RIFF", "WAVEfmt ", "data"]);
  expect([head.getUint32(4, true), head.getUint32(24, true), head.getUint32(40, true)]).toEqual([42, 24_000, 6]);
  expect([...file.subarray(44)]).toEqual([1, 0, 2, 0, 3, 0]);
});
