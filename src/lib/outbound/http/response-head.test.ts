import { expect, test } from "bun:test";
import { BrokenAnswer, responseHead } from "./response-head.ts";

const head = (...lines: string[]) => responseHead(lines.join("\r\n"));

test("status and headers are read, whatever the case of their names", () => {
  const { status, headers } = head("HTTP/1.1 429 Too Many", "Retry-After: 7", "X-Two:  a", "x-two:b", "Empty:");
  expect(status).toBe(429);
  expect([...headers]).toEqual([
    ["retry-after", "7"],
    ["x-two", "a, b"],
    ["empty", ""],
  ]);
  expect(headers.get("RETRY-after")).toBe("7");
  expect(headers.has("retry")).toBe(false);
});

test.each([
  [["HTTP/1.1 200 OK", "Content-Length: 12"], 12, true],
  [["HTTP/1.1 200 OK", "Content-Length: 12", "Content-Length: 12"], 12, true],
  [["HTTP/1.1 200", "Transfer-Encoding: Chunked"], "chunked", true],
  [["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Connection: Close"], "chunked", false],
  [["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Content-Length: 3"], "chunked", false],
  [["HTTP/1.1 200 OK"], "until-close", false],
  [["HTTP/1.1 204 No Content"], 0, true],
  [["HTTP/1.1 304 Not Modified", "Content-Length: 12"], 0, true],
  [["HTTP/1.0 200 OK", "Content-Length: 3"], 3, false],
  [["HTTP/1.0 200 OK", "Content-Length: 3", "Connection: keep-alive"], 3, true],
] as const)("%j has a body of %p and stays open: %p", (lines, length, staysOpen) => {
  expect(head(...lines)).toMatchObject({ length, staysOpen });
});

test.each([
  [["HTTP/2 200"]],
  [["ICY 200 OK"]],
  [["HTTP/1.1 20 OK"]],
  [["HTTP/1.1 200 OK", " folded: yes"]],
  [["HTTP/1.1 200 OK", "no colon"]],
  [["HTTP/1.1 200 OK", ": no name"]],
  [["HTTP/1.1 200 OK", "Content-Length: 12", "Content-Length: 13"]],
  [["HTTP/1.1 200 OK", "Content-Length: -1"]],
  [["HTTP/1.1 200 OK", "Content-Length: 1e3"]],
  [["HTTP/1.1 200 OK", "Transfer-Encoding: gzip, chunked"]],
])("%j is refused", (lines) => {
  expect(() => head(...lines)).toThrow(BrokenAnswer);
});
