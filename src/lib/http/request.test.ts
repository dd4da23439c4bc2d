import { expect, test } from "bun:test";
import { identify, requestIdOf } from "./request.ts";

const recordIdOf = (request: Request) => identify(request).recordId;
const request = (id?: string) => new Request("http://localhost/", id ? { headers: { "X-Request-Id": id } } : {});

test("a request keeps one id", () => {
  const one = request();
  expect(requestIdOf(one)).toBe(requestIdOf(one));
  expect(recordIdOf(one)).toBe(requestIdOf(one));
  expect(requestIdOf(request())).not.toBe(requestIdOf(one));
});

test("the caller's id is answered, yet two calls with the same id have two records", () => {
  const [first, second] = [request("trace-1"), request("trace-1")];
  expect(requestIdOf(first)).toBe("trace-1");
  expect(recordIdOf(first)).toStartWith("trace-1~");
  expect(recordIdOf(first)).not.toBe(recordIdOf(second));
});

test.each(["has space", "x".repeat(65), "a/b", 'quote"'])("%p is not accepted", (id) =>
  expect(requestIdOf(request(id))).not.toBe(id),
);
