import { expect, test } from "bun:test";
import { inOnePiece, restOf, writesInOnePiece } from "./pieces.ts";

const written = (head: string, body: string | Uint8Array<ArrayBuffer> | null) => {
  const { bytes, length } = inOnePiece(head, body);
  return Buffer.from(bytes.subarray(0, length));
};

test("a head is written in Latin-1, a body in UTF-8 or as it is", () => {
  const head = Buffer.from("x-name: \xe4\r\n\r\n", "latin1");
  expect(written("x-name: ä\r\n\r\n", "ä…")).toEqual(Buffer.concat([head, Buffer.from("ä…")]));
  expect(written("x-name: ä\r\n\r\n", new Uint8Array([0, 255]))).toEqual(Buffer.concat([head, Buffer.from([0, 255])]));
  expect(written("x-name: ä\r\n\r\n", null)).toEqual(head);
});

test("what just fits goes as one piece, whatever its signs", () => {
  const head = "h".repeat(100);
  const body = "…".repeat(21_812);
  const bytes = Buffer.byteLength(body);
  expect([writesInOnePiece(head, bytes), writesInOnePiece(head, bytes + 1)]).toEqual([true, false]);
  expect(written(head, body).toString()).toBe(head + body);
});

test.each([10, 100_000])("the rest of %p bytes", (length) => {
  const bytes = Buffer.alloc(length, "abc");
  expect(restOf(bytes, 4)).toEqual(bytes.subarray(4));
  expect(restOf(bytes, length)).toHaveLength(0);
});
