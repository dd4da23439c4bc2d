import { expect, test } from "bun:test";
import { type MeasuredResponse, ResponseReader } from "./response-reader.ts";

const SIZED = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello";
const CHUNKED =
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: a\n\n\r\n12\r\ndata: b\n\ndata: c\n\n\r\n0\r\n\r\n";

function readAll(text: string, pieceBytes: number): MeasuredResponse[] {
  const reader = new ResponseReader();
  const bytes = Buffer.from(text);
  const found: MeasuredResponse[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const response = reader.push(bytes.subarray(at, at + pieceBytes));
    if (response) found.push(response);
  }
  return found;
}

test.each([1, 3, 7, 1000])("reads sized and chunked responses that arrive %d bytes at a time", (pieceBytes) => {
  expect(readAll(SIZED, pieceBytes)).toEqual([{ status: 200, bodyBytes: 5, events: 0 }]);
  expect(readAll(CHUNKED, pieceBytes)).toEqual([{ status: 200, bodyBytes: 27, events: 3 }]);
});

test("reads one response after the other", () => {
  expect(readAll(SIZED + CHUNKED + SIZED, 1).map(({ bodyBytes }) => bodyBytes)).toEqual([5, 27, 5]);
});

test("refuses what is no HTTP", () => {
  expect(() => new ResponseReader().push(Buffer.from("nonsense\r\n\r\n"))).toThrow("not an HTTP response");
});
