import { expect, test } from "bun:test";
import { checkContextParameters } from "./context-parameters.ts";

const check = (path: string, text: string) => checkContextParameters([{ path, text }], 0).problems;

test.each([
  "export function send(context: GatewayContext, call: Call): void {}",
  "const send = ({ services }: GatewayContext) => services;",
  "class Sender {\n  constructor(private readonly context: GatewayContext) {}\n}",
  "async function send(\n  services: GatewayServices,\n): Promise<void> {}",
  "type Send = (context: GatewayContext) => void;",
])("a parameter with the full context counts: %s", (text) => {
  expect(check("src/gateway/send.ts", text)).toHaveLength(1);
});

test.each([
  'export function send({ services }: Uses<"settings">, call: Call): void {}',
  'const send = (tools: Pick<GatewayContext, "signing">) => tools;',
  "// takes (context: GatewayContext)",
])("others do not: %s", (text) => {
  expect(check("src/gateway/send.ts", text)).toEqual([]);
});

test("only the gateway is counted, without its tests", () => {
  const text = "function send(context: GatewayContext): void {}";
  expect([...check("src/server/send.ts", text), ...check("src/gateway/send.test.ts", text)]).toEqual([]);
});
