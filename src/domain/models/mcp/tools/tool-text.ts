import { type JsonObject, parseJson, recordOf, textOf } from "../../../../formats/json.ts";
import { hexDigest } from "../../../../lib/security/crypto.ts";
import { canonicalJson } from "../../../../lib/values/json/canonical-json.ts";
import type { McpTool } from "../connection.ts";
import { readOperation } from "../openapi/operation.ts";

/** A description that is longer says more than a model should read of one tool. */
const MAX_TEXT_LENGTH = 65_536;
/** Visible characters, so that no two names look alike by what is not seen. */
const NAME = /^[\x21-\x7e]{1,128}$/;

/** A tool's description as it is stored, and the hash by which it is pinned. */
export type ToolText = Readonly<{ name: string; text: string; hash: string }>;

/** Null: the name or the size is none that is offered to models. */
export function toolTextOf(tool: McpTool): ToolText | null {
  const text = JSON.stringify(tool);
  if (text.length > MAX_TEXT_LENGTH || !NAME.test(tool.name)) return null;
  return { name: tool.name, text, hash: hexDigest(canonicalJson(tool)) };
}

/** Reads what `toolTextOf` wrote; null: it is none. */
export function readTool(text: string): McpTool | null {
  const { name, title, description, inputSchema, outputSchema, annotations, operation } =
    recordOf(parseJson(text)) ?? {};
  const [called, shown, output] = [textOf(name), textOf(title), recordOf(outputSchema)];
  const input = recordOf(inputSchema);
  const call = readOperation(operation);
  if (!called || !input) return null;
  return {
    name: called,
    ...(shown !== null && { title: shown }),
    description: textOf(description),
    inputSchema: input,
    ...(output && { outputSchema: output }),
    annotations: recordOf(annotations),
    ...(call && { operation: call }),
  };
}

/** Whether the server says that a tool changes nothing; a hint, which is as true as the server is. */
export const isReadOnlyTool = ({ annotations }: Readonly<{ annotations: JsonObject | null }>): boolean =>
  annotations?.readOnlyHint === true;
