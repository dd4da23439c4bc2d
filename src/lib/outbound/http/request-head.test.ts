import { expect, test } from "bun:test";
import { requestHead } from "./request-head.ts";

const request = (headers: Record<string, string>) =>
  ({ method: "POST", host: "up.example:8443", path: "/v1/x?y=1", headers, body: "" }) as const;

test("a head names what is sent, whose it is and how long it is", () => {
  expect(requestHead(request({ Authorization: "Bearer sk-1", "content-type": "application/json" }), 12)).toBe(
    `POST /v1/x?y=1 HTTP/1.1\r\nhost: up.example:8443\r\nauthorization: Bearer sk-1\r\ncontent-type: application/json\r\nuser-agent: Bun/${Bun.version}\r\naccept: */*\r\naccept-encoding: identity\r\ncontent-length: 12\r\n\r\n`,
  );
});

test("a request may bring its own host, agent and wishes, but no length or connection of its own", () => {
  const head = requestHead(
    request({
      Host: "named.example",
      "User-Agent": "mine",
      Accept: "text/plain",
      "Content-Length": "99",
      Connection: "close",
    }),
    null,
  );
  expect(head).toBe(
    "POST /v1/x?y=1 HTTP/1.1\r\nhost: named.example\r\nuser-agent: mine\r\naccept: text/plain\r\naccept-encoding: identity\r\n\r\n",
  );
});

test.each([
  ["x-a", "one\r\ntwo: 2"],
  ["x-a", "one\ntwo"],
  ["x-a", "a\u0000b"],
  ["x-a", "水闸"],
  ["x a", "one"],
  ["x:a", "one"],
  ["", "one"],
  ["x\r\ny", "one"],
])("the header %j with the value %j is refused", (name, value) => {
  expect(() => requestHead(request({ [name]: value }), null)).toThrow(TypeError);
});
