import { expect, test } from "bun:test";
import { stepsOfStream } from "../../../../test/support/formats/fixtures.ts";
import { dashscopeCodec } from "./codec.ts";
import { dashscopeEvents } from "./events.ts";

const answer = { request_id: "r", output: { choices: [{ finish_reason: "null", message: { content: "Well" } }] } };
const refused = { code: "SomethingNew", message: "The service rests.", request_id: "r" };
const wire =
  `id:1\nevent:result\n:HTTP_STATUS/200\ndata:${JSON.stringify(answer)}\n\n` +
  `id:2\nevent:error\n:HTTP_STATUS/503\ndata:${JSON.stringify(refused)}\n\n`;

function framed(text: string, size: number): string {
  const pieces: Uint8Array[] = [];
  const controller = { enqueue: (piece: Uint8Array) => pieces.push(piece), desiredSize: 1, error() {}, terminate() {} };
  const transformer = dashscopeEvents();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) transformer.transform?.(bytes.subarray(at, at + size), controller);
  transformer.flush?.(controller);
  return Buffer.concat(pieces).toString();
}

test.each([1, 7, 64, 10_000])("an error has the status of its comment, in pieces of %d bytes", (size) => {
  const steps = stepsOfStream(dashscopeCodec, framed(wire, size));
  expect(steps).toContainEqual({ type: "text", choice: 0, text: "Well" });
  expect(steps.at(-1)).toMatchObject({ type: "error", error: { status: 503, code: "SomethingNew" } });
});

test("an error without a comment keeps the status of its code", () => {
  const limited = JSON.stringify({ code: "Throttling.RateQuota", message: "Slow down.", request_id: "r" });
  expect(stepsOfStream(dashscopeCodec, framed(`event:error\ndata:${limited}\n\n`, 9))).toMatchObject([
    { type: "error", error: { status: 429 } },
  ]);
});

test("events without a failure pass as they are, and a complete answer becomes an event", () => {
  const plain = wire.slice(0, wire.indexOf("id:2"));
  expect(framed(plain, 10_000)).toBe(plain);
  expect(stepsOfStream(dashscopeCodec, framed(JSON.stringify(answer, null, 1), 50))).toContainEqual({
    ...{ type: "text", choice: 0, text: "Well" },
  });
});
