import { describe, expect, test } from "bun:test";
import { AudioConverter, type AudioFormat, PCM_24K } from "./audio.ts";

const PCM_16K: AudioFormat = { type: "audio/pcm", rate: 16_000 };
const MU_LAW: AudioFormat = { type: "audio/pcmu", rate: 8_000 };
const A_LAW: AudioFormat = { type: "audio/pcma", rate: 8_000 };

/** A second of a tone, in base64. */
const tone = (hertz: number, rate: number, amplitude = 10_000) =>
  base64(Array.from({ length: rate }, (_, at) => Math.round(amplitude * Math.sin((2 * Math.PI * hertz * at) / rate))));
const base64 = (samples: readonly number[]) => Buffer.from(Int16Array.from(samples).buffer).toString("base64");
function samplesOf(text: string): Int16Array {
  const bytes = new Uint8Array(Buffer.from(text, "base64"));
  return new Int16Array(bytes.buffer);
}
/** The root mean square without the edges, where the filter meets silence. */
function levelOf(samples: Int16Array): number {
  const inner = samples.slice(200, -200);
  return Math.sqrt(inner.reduce((sum, sample) => sum + sample * sample, 0) / inner.length);
}
const all = (converter: AudioConverter, text: string) =>
  Int16Array.from([...samplesOf(converter.convert(text)), ...samplesOf(converter.end())]);

describe("audio is converted", () => {
  test("from 24 to 16 kHz and back without a loss of what both can hold", () => {
    const down = all(new AudioConverter(PCM_24K, PCM_16K), tone(1_000, 24_000));
    expect(Math.abs(down.length - 16_000)).toBeLessThan(2);
    const expected = samplesOf(tone(1_000, 16_000));
    const error = levelOf(down.map((sample, at) => sample - (expected[at] ?? 0)));
    expect(error / levelOf(expected)).toBeLessThan(0.001);
    const up = all(new AudioConverter(PCM_16K, PCM_24K), tone(3_000, 16_000));
    const exact = samplesOf(tone(3_000, 24_000));
    expect(levelOf(up.map((sample, at) => sample - (exact[at] ?? 0))) / levelOf(exact)).toBeLessThan(0.001);
  });

  test("without tones above half of the new rate, which would alias", () => {
    const original = levelOf(samplesOf(tone(10_000, 24_000)));
    expect(levelOf(all(new AudioConverter(PCM_24K, PCM_16K), tone(10_000, 24_000))) / original).toBeLessThan(0.001);
  });

  test("to the same samples however the stream is cut, also within a sample", () => {
    const bytes = Buffer.from(tone(440, 24_000), "base64");
    const converter = new AudioConverter(PCM_24K, PCM_16K);
    const pieces: number[] = [];
    for (let at = 0; at < bytes.length; at += 1_001)
      pieces.push(...samplesOf(converter.convert(bytes.subarray(at, at + 1_001).toString("base64"))));
    pieces.push(...samplesOf(converter.end()));
    expect(Int16Array.from(pieces)).toEqual(all(new AudioConverter(PCM_24K, PCM_16K), bytes.toString("base64")));
  });

  test.each([
    ["μ-law", MU_LAW, [0xff, 0x7f, 0x80, 0x00]],
    ["A-law", A_LAW, [0xd5, 0x55, 0xaa, 0x2a]],
  ])("to and from %s by the tables of G.711", (_, format, [zero = 0, below = 0, highest = 0, lowest = 0]) => {
    const pcm: AudioFormat = { type: "audio/pcm", rate: 8_000 };
    const encode = (sample: number) =>
      Buffer.from(new AudioConverter(pcm, format).convert(base64([sample])), "base64")[0];
    expect([encode(0), encode(32_767), encode(-32_768)]).toEqual([zero, highest, lowest]);
    expect(encode(-1)).toBe(below);
    const decode = (byte: number) =>
      samplesOf(new AudioConverter(format, pcm).convert(Buffer.from([byte]).toString("base64")))[0] ?? 0;
    // Each code stands for a sample that has this code; only μ-law has two for zero.
    for (let byte = 0; byte < 256; byte += 1) if (decode(byte) !== 0) expect(encode(decode(byte))).toBe(byte);
  });
});
